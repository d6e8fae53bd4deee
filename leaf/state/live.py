"""The last answer of a chat while it grows on the page.

Reflex sends the whole value of a var whenever it changes. So the items have no text while the answer is being written.
The text is sent without a var (`leaf.state.run_feed`).
"""

import reflex as rx

from leaf.services import chats
from leaf.state.internal import internal, set_changed
from leaf.texts import say
from leaf.views import activity, questions, rows
from leaf.views.evidence import Cites
from leaf.views.frames import Frame
from leaf.views.receipts import Coverage
from leaf.views.rows import Item


class LiveState(rx.State):
    """The last answer of the open chat, growing or finished."""

    message_id: str = ""
    run_id: str = ""
    status: str = ""
    """Empty without an answer; else pending, streaming, waiting, completed, stopped or error."""
    asker: str = ""
    """The id of the asker, who alone can answer the questions and approvals of the answer."""
    items: list[Item] = []  # noqa: RUF012 - Reflex copies it
    line: str = ""
    """The agent's current activity."""
    patient: bool = False
    """Whether the answer has taken long enough to mention that the reader may leave."""
    resumed: bool = False
    """Whether another worker has taken over the run."""
    untaken: bool = False
    """Whether the run waits for a worker."""
    lost: bool = False
    """Whether the run cannot be followed at the moment."""
    citations: Cites = Cites()
    """The sources of a finished answer."""
    coverage: Coverage = Coverage()
    reason: str = ""
    code: str = ""
    """The code of the error that ended the answer; empty if there is none."""
    limit: str = ""
    """The limit that ended the answer early: steps, time, tokens, cost or budget; empty if there is none."""
    forked_from: str = ""
    """The chat from which the messages up to this answer were copied."""
    spoken: str = ""
    """The text of the live region, which screen readers read aloud."""
    _announce_end_of: str = ""
    """The id of the answer whose end must be announced. It outlives `clear`: the chat may be opened again meanwhile."""

    @rx.var
    def running(self) -> bool:
        """Whether the answer is being written."""
        return self.status in {"pending", "streaming"}

    @internal
    def clear(self) -> None:
        """Shows no answer."""
        awaited = self._announce_end_of
        self.reset()
        self._announce_end_of = awaited

    @internal
    def await_end(self, message_id: str) -> None:
        """Announces the end of an answer once it comes, even if that is before its chat is open on the page."""
        self._announce_end_of = message_id

    @internal
    def show(self, message: chats.Message) -> None:
        """Shows a stored answer. A running answer is shown from the chunks of its run instead (`follow`)."""
        if message.unfinished:
            self._begin(message)
            return
        if self._announce_end_of == str(message.id):
            self._announce_end_of = ""
            self.spoken = activity.waits_for(message.parts) if message.status == "waiting" else ""
            if not self.spoken and message.status in _ENDINGS:
                self.spoken = say(_ENDINGS[message.status])
        row = rows.row_of(message)
        set_changed(self, message_id=row.id, run_id=row.run_id, status=row.status)
        self.line, self.reason, self.forked_from = "", row.reason, row.forked_from
        self.asker = str(message.user_id or "")
        self.limit, self.code = str(message.details.get("limit") or ""), message.error_code or ""
        self.patient = self.resumed = self.untaken = self.lost = False
        set_changed(self, items=row.body, citations=row.citations, coverage=row.coverage)

    def _begin(self, message: chats.Message) -> None:
        if self.run_id == str(message.run_id) and self.running:
            return
        self.clear()
        self.message_id, self.run_id = str(message.id), str(message.run_id or "")
        self._announce_end_of = self.message_id
        self.status, self.line = message.status, activity.in_words(activity.THINKING)
        self.spoken = say("doing.answering")
        # An answer that waited for its asker keeps its content and continues from there.
        self.items = rows.row_of(message).body

    @internal
    def follow(self, frame: Frame, *, patient: bool) -> None:
        """Shows the progress of a run.

        Sets only vars whose values differ. If `patient`, the page says that the reader may leave.
        """
        line = activity.in_words(activity.THINKING) if frame.activity == activity.THINKING and not frame.writing else ""
        goes_on = any(item.blocks for item in self.items) and len(frame.items) < len(self.items)
        set_changed(
            self,
            # The items of an answer that waited for its asker stay until the new run has sent all of them.
            items=self.items if goes_on else [*frame.items],
            line=line,
            status="streaming",
            patient=self.patient or patient,
            resumed=self.resumed or frame.resumed,
            lost=False,
        )


_ENDINGS = {
    "completed": "doing.answered",
    "stopped": "doing.was_stopped",
    "error": "doing.has_failed",
    "waiting": questions.ASKS,
}
