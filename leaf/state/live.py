"""The answer at the end of a chat, as it grows on the page.

Reflex sends the whole value of a var that changes. So what is settled lies in `closed` (changed once in several items)
and `settled` (a few items), and a repaint sends the open item alone; of a long open block only its last part.
"""

import re
from dataclasses import replace

import reflex as rx

from leaf import parts
from leaf.services import chats
from leaf.state import rows
from leaf.state.internal import internal
from leaf.state.rows import Item

PAGE_ITEMS = 8
"""So many settled items go into `closed` at once."""
HEAD_CHARACTERS = 512
"""An open text is cut at multiples of this; only what lies behind the cut is sent at each repaint."""

_TABLE_BEGUN = re.compile(r"\|[^\n]*(\n[|:\- \t]*)?")
"""A table's header without the line below it: until that comes it would be drawn as text."""


class LiveState(rx.State):
    """The last answer of the open chat, be it growing or done."""

    message_id: str = ""
    run_id: str = ""
    status: str = ""
    """Empty without an answer; else pending, streaming, completed, stopped or error."""
    closed: list[Item] = []  # noqa: RUF012 - Reflex copies it
    settled: list[Item] = []  # noqa: RUF012
    opening: list[Item] = []  # noqa: RUF012
    """The item that still changes, if there is one."""
    head: str = ""
    """What stands before the text of the open item."""
    line: str = ""
    """What the agent does right now."""
    patient: bool = False
    """Whether the answer has taken so long that one might want to leave."""
    resumed: bool = False
    """Whether another worker has taken the run over."""
    lost: bool = False
    """Whether the run cannot be followed at the moment."""
    files: int = 0
    reason: str = ""
    limit: str = ""
    """Which limit ended the answer before it was done: steps, time, tokens or cost; empty where none did."""
    spoken: str = ""
    """What the live region announces."""

    @rx.var
    def running(self) -> bool:
        """Whether the answer is being written."""
        return self.status in {"pending", "streaming"}

    @internal
    def clear(self) -> None:
        """Shows no answer."""
        self.message_id = self.run_id = self.status = self.line = self.reason = self.spoken = ""
        self.limit = ""
        self.patient = self.resumed = self.lost = False
        self.files = 0
        self.paint([], growing=False)

    @internal
    def show(self, message: chats.Message) -> None:
        """Shows an answer as it is stored; one that is being written is left to its run's chunks."""
        if message.unfinished:
            self._begin(message)
            return
        if self.status in {"pending", "streaming"} and self.message_id == str(message.id):
            self.spoken = _ENDINGS.get(message.status, "")
        row = rows.row_of(message)
        if (self.message_id, self.run_id, self.status) != (row.id, row.run_id, row.status):
            self.message_id, self.run_id, self.status = row.id, row.run_id, row.status
        self.line, self.reason, self.files = "", row.reason, row.files
        self.limit = str(message.details.get("limit") or "")
        self.patient = self.resumed = self.lost = False
        self.paint(row.body, growing=False)

    def _begin(self, message: chats.Message) -> None:
        if self.run_id == str(message.run_id) and self.running:
            return
        self.clear()
        self.message_id, self.run_id = str(message.id), str(message.run_id or "")
        self.status, self.line, self.spoken = message.status, rows.THINKING, "Leaf is answering."

    @internal
    def paint(self, items: list[Item], *, growing: bool, writing: bool = False) -> None:
        """Shows items and sends little: only the vars whose value differs are set.

        Args:
            items: All items of the answer.
            growing: Whether the last of them may still change.
            writing: Whether text is coming right now, and a cursor stands behind it.
        """
        last = items[-1:] if growing else []
        done = items[: len(items) - len(last)]
        page_end = len(done) - len(done) % PAGE_ITEMS if growing else len(done)
        head = ""
        if writing and last and last[0].kind != "steps":
            cut = len(last[0].text) // HEAD_CHARACTERS * HEAD_CHARACTERS
            head, last = last[0].text[:cut], [replace(last[0], text=last[0].text[cut:], state="open")]
        wanted = {"closed": done[:page_end], "settled": done[page_end:], "opening": last, "head": head}
        for name, value in wanted.items():
            if getattr(self, name) != value:
                setattr(self, name, value)

    @internal
    def follow(self, message: parts.Message, items: list[Item], *, patient: bool) -> None:
        """Shows how far a run has come."""
        activity = rows.activity(message["parts"])
        if activity != self.spoken:
            self.spoken = activity
        # A row that runs says itself what it does, and text shows that it is being written.
        writing = activity == rows.WRITING or rows.thinks_aloud(message["parts"])
        line = rows.THINKING if activity == rows.THINKING and not writing else ""
        if line != self.line:
            self.line = line
        if self.status != "streaming":
            self.status = "streaming"
        if patient and not self.patient:
            self.patient = True
        if self.lost:
            self.lost = False
        if items and items[-1].kind == "text" and _TABLE_BEGUN.fullmatch(items[-1].text):
            items = items[:-1]
        self.paint(items, growing=True, writing=writing)


_ENDINGS = {
    "completed": "Leaf has answered.",
    "stopped": "The answer was stopped.",
    "error": "The answer failed.",
}
