"""Messages as the pages draw them: rows of items, made from parts. Pure.

An answer is a list of items: a text, a group of steps, a stretch of thinking, or what a display tool shows. The live
view and a stored message are made by the same code, so that reopening a chat shows what was seen while it was written.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from leaf import citations, parts, texts
from leaf.parts.blocks import Blocks
from leaf.services import chats
from leaf.state import asking, displays, trust
from leaf.state.steps import Step, names_of, sentence, step_of
from leaf.state.trust import Cites, Coverage

RELATED = "data-relatedQuestions"


@dataclass(frozen=True)
class Item:
    """A piece of an answer: `kind` is text, steps, thinking, display, related, or asking (`leaf.state.asking`)."""

    kind: str
    slot: int = 0
    """Which part of the message it is."""
    blocks: list[str] = field(default_factory=list[str])
    """The Markdown blocks of a text, or the thinking, or what is displayed (`leaf.state.displays`); none of an answer
    that is being written (`leaf.state.feed`)."""
    text: str = ""
    """Of steps: what was done, in a sentence."""
    state: str = "done"
    """done; open while its text grows; of steps also running, and failed where one did not work."""
    steps: list[Step] = field(default_factory=list[Step])


@dataclass(frozen=True)
class Row:
    """A message that no longer changes."""

    id: str
    role: str
    status: str
    text: str = ""
    """The question's text; an answer has a body."""
    body: list[Item] = field(default_factory=list[Item])
    run_id: str = ""
    files: int = 0
    """How many files were read."""
    reason: str = ""
    """Why the answer failed."""
    asker: str = ""
    """Who asked, by their id."""
    citations: Cites = field(default_factory=Cites)
    coverage: Coverage = field(default_factory=Coverage)


class Items:
    """Makes items of a message that grows, and keeps what it has cut.

    Args:
        live: Whether the message is being written.
    """

    def __init__(self, *, live: bool = False) -> None:
        self._live = live
        self._cut: dict[int, tuple[str, Blocks]] = {}
        self._drawn: dict[int, tuple[parts.Part, str]] = {}

    def of(self, message_parts: Sequence[parts.Part]) -> list[Item]:
        """The items of a message; the last one may still change."""
        names = names_of(message_parts)
        items: list[Item] = []
        group: list[Step] = []
        # The numbers come when the answer is there: what was sent of its text before does not change.
        marks = {} if self._live else trust.marks_of(message_parts)
        for slot, part in enumerate(message_parts):
            if asking.is_asked(part):
                items += [*self._closed(slot, group), Item("asking", slot, [asking.block(part)])]
                if not asking.is_made(part):
                    continue
            drawn = displays.drawn_at(message_parts, slot, live=self._live) if parts.is_tool(part) else None
            if parts.is_tool(part) and drawn is None:
                group.append(step_of(part, names))
                continue
            item = self._text(slot, part, marks.get(slot, ())) if drawn is None else self._display(slot, drawn)
            if item is None:
                continue
            items += [*self._closed(slot, group), item]
        return [*items, *self._closed(len(message_parts), group)]

    def _closed(self, slot: int, group: list[Step]) -> list[Item]:
        """The steps so far as an item, if there are any; the group is empty afterwards."""
        steps = [*group]
        group.clear()
        return [_group(slot, steps)] if steps else []

    def _display(self, slot: int, part: parts.Part) -> Item | None:
        if part is displays.NOTHING:
            return None
        before, block = self._drawn.get(slot, (displays.NOTHING, ""))
        if before is not part:
            block = displays.block(part)
            self._drawn[slot] = part, block
        return Item("display", slot, [block])

    def _text(self, slot: int, part: parts.Part, marks: Sequence[trust.Mark]) -> Item | None:
        text: str = part.get("text") or ""
        if part["type"] == "text":
            text = citations.shown(text, marks, growing=self._live and part.get("state") == "streaming")
        if not text.strip() and part["type"] != RELATED:
            return None
        if part["type"] == "reasoning":
            return Item("thinking", slot, [text])
        if part["type"] == RELATED:
            return _related(slot, part)
        if part["type"] != "text":
            return None
        before, cutting = self._cut.get(slot, ("", Blocks()))
        if not text.startswith(before):
            before, cutting = "", Blocks()
        cutting.feed(text[len(before) :])
        self._cut[slot] = (text, cutting)
        blocks = [*cutting.settled, cutting.open]
        return Item("text", slot, [block.strip("\n") for block in blocks if block.strip()])


def row_of(message: chats.Message) -> Row:
    """The row of a stored message; of the same message it is made once for each language."""
    made = _rows.setdefault(message, {})
    row = made.get(texts.current())
    if row is None:
        row = made[texts.current()] = _row_of(message)
    return row


_rows: WeakKeyDictionary[chats.Message, dict[str, Row]] = WeakKeyDictionary()


def _row_of(message: chats.Message) -> Row:
    ui_message = message.as_ui_message()
    if message.role == "user":
        return Row(
            id=str(message.id),
            role="user",
            status="completed",
            text=parts.text_of(ui_message),
            asker=str(message.user_id or ""),
        )
    return Row(
        id=str(message.id),
        role="assistant",
        status=message.status,
        body=Items().of(asking.told(message.parts, message.answers)),
        run_id=str(message.run_id or ""),
        files=len(parts.sources_of(ui_message)),
        reason=reason_of(message),
        citations=trust.cites_of(message.parts),
        coverage=trust.coverage_of(message.parts),
    )


def reason_of(message: chats.Message) -> str:
    """Why an answer failed, in words; empty where it did not."""
    if message.status != "error":
        return ""
    return message.error_text or "The answer could not be finished."


THINKING = "Thinking…"
WRITING = "Leaf is writing."


def activity(message_parts: Sequence[parts.Part]) -> str:
    """What the agent does right now, in words."""
    for part in reversed(message_parts):
        if part["type"] == RELATED:
            return WRITING
        if parts.is_tool(part):
            return _doing(part, message_parts)
        if part["type"] == "text" and part.get("text"):
            return WRITING if part.get("state") == "streaming" else THINKING
        if part["type"] == "reasoning":
            return THINKING
    return THINKING


def _doing(part: parts.Part, message_parts: Sequence[parts.Part]) -> str:
    if asking.is_open(part):
        return asking.ASKS
    if asking.is_asked(part) and not asking.is_made(part):
        return THINKING
    step = step_of(part, names_of(message_parts))
    return step.text if step.state == "running" else THINKING


def thinks_aloud(message_parts: Sequence[parts.Part]) -> bool:
    """Whether the agent's thinking is being shown as it comes."""
    last = message_parts[-1] if message_parts else {}
    return last.get("type") == "reasoning" and last.get("state") == "streaming" and bool(last.get("text"))


def _related(slot: int, part: parts.Part) -> Item | None:
    """Questions that could follow; nothing where none came."""
    data = part.get("data")
    found = data.get("questions") if isinstance(data, dict) else None
    asked = [text for text in found if isinstance(text, str)] if isinstance(found, list) else []
    running = isinstance(data, dict) and data.get("status") in {"loading", "streaming"}
    if not asked and not running:
        return None
    questions = [Step(str(number), "ask", "done", text) for number, text in enumerate(asked)]
    return Item("related", slot, state="running" if running else "done", steps=questions)


def _group(slot: int, steps: list[Step]) -> Item:
    running = any(step.state == "running" for step in steps)
    failed = any(step.state in {"failed", "skipped"} for step in steps)
    state = "running" if running else "failed" if failed else "done"
    return Item("steps", slot, text=sentence(steps), state=state, steps=[*steps])
