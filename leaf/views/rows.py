"""Messages as pages draw them: rows of items, made from parts. Pure.

An answer is a list of items, such as texts, groups of steps (including thinking) and results of display tools. The same
code makes the live view and the view of a stored message. So a reopened chat looks as it did while it was written.

Research is drawn above the text that results from it. The activities between two visible items (thinking, searches,
reads, the to-do list, MCP tools) form one group. A text, display or question ends a group, and a group only grows at
its end.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from weakref import WeakKeyDictionary

from leaf import citations, parts, texts
from leaf.citations import hosts, redaction
from leaf.parts import nesting
from leaf.parts.blocks import Blocks
from leaf.services import chats
from leaf.services.forks import FORKED_FROM
from leaf.views import changes, charts, chips, displays, evidence, questions, receipts
from leaf.views.chips import Chip
from leaf.views.evidence import Cites, Evidence
from leaf.views.receipts import Coverage
from leaf.views.steps import (
    THOUGHT,
    Step,
    capitalised,
    names_of,
    sentence,
    step_of,
    thought_of,
    took,
    with_reasons_once,
)

Kind = Literal["research", "text", "display", "list", "asking", "related", "asked"]
WHOLE_CHARACTERS = 10_000
"""The length over which texts are always cut into blocks, so that the page draws them piece by piece."""


@dataclass(frozen=True)
class Item:
    kind: str
    """text, steps, display, related, changes, asked (the parts of the question), or asking (`leaf.views.questions`)."""
    slot: int = 0
    """The index of its part in the message; of several parts, the index of the first."""
    blocks: list[str] = field(default_factory=list[str])
    """The Markdown blocks of a text, or a JSON block (`leaf.views.displays`); empty in the items of a frame
    (`leaf.views.frames`)."""
    text: str = ""
    """For steps, a sentence that summarises them."""
    state: str = "done"
    """done, or open while its text grows. Steps may also be running, or failed if one of them failed."""
    steps: list[Step] = field(default_factory=list[Step])
    unfolded: bool = False
    """Whether the steps are visible until the reader folds them."""
    took: str = ""
    """The duration of the steps; empty if it is not worth mentioning."""
    narration: bool = False
    """Whether this is a text of a finished answer that only announces the agent's next step (`parts.narration`)."""
    alone: bool = False
    """Whether the steps contain the only tool call of the message. Its result is then visible, too."""


@dataclass(frozen=True)
class Row:
    """A message that no longer changes."""

    id: str
    role: str
    status: str
    text: str = ""
    """The text of a question; an answer has a `body` instead."""
    body: list[Item] = field(default_factory=list[Item])
    run_id: str = ""
    reason: str = ""
    """The reason why the answer failed."""
    asker: str = ""
    """The id of the asker of a question."""
    mentions: list[Chip] = field(default_factory=list[Chip])
    """The files of Drive that a question mentions."""
    pieces: list[Chip] = field(default_factory=list[Chip])
    """The text of a question, split at its mentions (`chips.pieces`)."""
    attachments: list[Chip] = field(default_factory=list[Chip])
    """The attachments of a question, which are files of the chat."""
    forked_from: str = ""
    """The chat from which the messages up to this one were copied."""
    citations: Cites = field(default_factory=Cites)
    coverage: Coverage = field(default_factory=Coverage)


@dataclass(frozen=True)
class Section:
    kind: Kind
    slots: tuple[int, ...]
    """The indexes of its parts in ascending order. Only research may have several."""


def sections(placed: Iterable[tuple[int, Kind]]) -> list[Section]:
    """Splits a message into sections.

    Args:
        placed: The slots in order, each with its kind. A slot may occur twice, for example if a call waited for
            approval and then ran. Slots of parts that are not drawn are missing. A `list` belongs to the group above it
            and does not end this group.

    Returns:
        The sections in page order. Research at the end of the message is the last section.
    """
    made: list[Section] = []
    group: list[int] = []
    lists: list[Section] = []

    def flush() -> None:
        if group:
            made.append(Section("research", tuple(group)))
        made.extend(lists)
        group.clear()
        lists.clear()

    for slot, kind in placed:
        if kind == "research":
            group.append(slot)
        elif kind == "list":
            lists.append(Section(kind, (slot,)))
        else:
            flush()
            made.append(Section(kind, (slot,)))
    flush()
    return made


class Items:
    """Makes the items of a message, and caches the blocks of its texts while it grows.

    Args:
        live: Whether the message is being written.
        whole: Whether texts stay in one block. The page looks the same. Earlier turns use it, because cutting texts
            into blocks would be most of their cost.
    """

    def __init__(self, *, live: bool = False, whole: bool = False) -> None:
        self._live, self._whole = live, whole
        self._cut: dict[int, tuple[str, Blocks]] = {}
        self._drawn: dict[int, tuple[parts.Part, str]] = {}

    def of(self, message_parts: Sequence[parts.Part]) -> list[Item]:
        """The items of a message. If the message is being written, the last one may still change."""
        names = names_of(message_parts)
        # Marks of citations appear only when the answer is complete, so that text that was sent does not change.
        marks = {} if self._live else evidence.marks_of(message_parts)
        narration = frozenset[int]() if self._live else parts.narration(message_parts)
        placed: list[tuple[int, Kind]] = []
        items: dict[tuple[int, Kind], Item] = {}
        steps: dict[int, Step] = {}
        for slot, part in enumerate(message_parts):
            for kind, shown in self._pieces(message_parts, slot, marks.get(slot, ())):
                placed.append((slot, kind))
                if shown is not None:
                    items[slot, kind] = replace(shown, narration=True) if slot in narration else shown
                elif parts.is_tool(part):
                    steps[slot] = step_of(part, names)
                else:
                    steps[slot] = thought_of(part, slot, streaming=self._live and slot == len(message_parts) - 1)
        steps = with_reasons_once(steps)
        cut = sections(placed)
        alone = sum(step.icon != THOUGHT for step in steps.values()) == 1
        # The to-do list is a part of its group. It does not count as something that follows the group.
        last = next((one for one in reversed(cut) if one.kind != "list"), None)
        made: list[Item] = []
        for one in cut:
            if one.kind != "research":
                made.append(items[one.slots[0], one.kind])
                continue
            group = _group([steps[slot] for slot in one.slots], alone=alone, grows=self._live and one is last)
            made.append(replace(group, slot=one.slots[0], took=took(message_parts[slot] for slot in one.slots)))
        return made

    def _pieces(
        self, message_parts: Sequence[parts.Part], slot: int, marks: Sequence[evidence.Mark]
    ) -> Iterator[tuple[Kind, Item | None]]:
        """Yields a kind of section and an item for each thing that is drawn for a part. A step has no item yet."""
        part = message_parts[slot]
        if questions.is_asked(part):
            yield "asking", Item("asking", slot, [questions.block(part)])
            if questions.is_made(part):
                yield "research", None
        elif parts.is_tool(part):
            yield from self._of_tool(message_parts, slot)
        elif part["type"] == "reasoning":
            if str(part.get("text") or "").strip():
                yield "research", None
        elif (drawn := _DATA.get(part["type"])) is not None:
            kind, item_of = drawn
            if (item := item_of(slot, part)) is not None:
                yield kind, item
        elif (item := self._text(slot, part, marks)) is not None:
            yield "text", item

    def _of_tool(self, message_parts: Sequence[parts.Part], slot: int) -> Iterator[tuple[Kind, Item | None]]:
        name = parts.tool_name(message_parts[slot])
        listed = name == displays.TODO
        drawn = displays.drawn_at(message_parts, slot, live=self._live)
        if drawn is None or listed or name == charts.TOOL:
            yield "research", None
        if drawn is not None and drawn is not displays.NOTHING:
            yield "list" if listed else "display", self._display(slot, drawn)

    def _display(self, slot: int, part: parts.Part) -> Item:
        before, block = self._drawn.get(slot, (displays.NOTHING, ""))
        if before is not part:
            block = displays.block(part, live=self._live)
            self._drawn[slot] = part, block
        return Item("display", slot, [block])

    def _text(self, slot: int, part: parts.Part, marks: Sequence[evidence.Mark]) -> Item | None:
        if part["type"] != "text":
            return None
        written: str = part.get("text") or ""
        text = citations.shown(written, marks, growing=self._live and part.get("state") == "streaming")
        if not text.strip():
            return None
        if self._whole and len(text) <= WHOLE_CHARACTERS:
            return Item("text", slot, [nesting.flattened(text.strip("\n"))])
        before, cutting = self._cut.get(slot, ("", Blocks()))
        if not text.startswith(before):
            before, cutting = "", Blocks()
        cutting.feed(text[len(before) :])
        self._cut[slot] = (text, cutting)
        blocks = [*cutting.settled, cutting.open]
        return Item("text", slot, [nesting.flattened(block.strip("\n")) for block in blocks if block.strip()])


def unfolded_of(items: Sequence[Item]) -> set[str]:
    """The ids of the steps whose details are open by default: those in the group with the message's only tool call."""
    return {step.id for item in items if item.alone for step in item.steps}


def row_of(message: chats.Message, *, whole: bool = False) -> Row:
    """The row of a stored message. It is cached by message, language and `whole`."""
    made = _rows.setdefault(message, {})
    row = made.get((texts.current(), whole))
    if row is None:
        row = made[texts.current(), whole] = _row_of(message, whole=whole)
    return row


_rows: WeakKeyDictionary[chats.Message, dict[tuple[str, bool], Row]] = WeakKeyDictionary()


def _row_of(message: chats.Message, *, whole: bool) -> Row:
    ui_message = message.as_ui_message()
    if message.role == "user":
        text, mentions = parts.text_of(ui_message), chips.named(message.parts)
        return Row(
            id=str(message.id),
            role="user",
            status="completed",
            text=text,
            asker=str(message.user_id or ""),
            mentions=mentions,
            pieces=chips.pieces(text, mentions),
            attachments=chips.attachments(message.parts),
        )
    body = Items(whole=whole).of(questions.with_answers(message.parts, message.answers))
    # Quotes of Drive files are sent after the page, once Google has confirmed the files (`ChatState.evidence`).
    asked = dict.fromkeys(redaction.files_of(message.parts), "checking")
    allowed = redaction.without(message.parts, asked)
    # An imported answer has no details.
    answered = message.status == "completed" and bool(message.details) and bool(body)
    return Row(
        id=str(message.id),
        role="assistant",
        status=message.status,
        body=[*body, *_changes(message)],
        run_id=str(message.run_id or ""),
        reason=reason_of(message),
        forked_from=str(message.details.get(FORKED_FROM) or ""),
        citations=evidence.cites_of(allowed),
        coverage=receipts.coverage_of(allowed, answered=answered),
    )


def evidence_of(message: chats.Message, allowed: Sequence[parts.Part]) -> Evidence:
    """The evidence of a stored answer."""
    answered = row_of(message, whole=True).coverage.answered
    return Evidence(evidence.cites_of(allowed), receipts.coverage_of(allowed, answered=answered))


def reason_of(message: chats.Message) -> str:
    """The reason why an answer failed, in words; empty if it did not fail."""
    if message.status != "error":
        return ""
    return texts.stored(message.details.get("errorMessage"), message.error_text or texts.say("doing.not_finished"))


def _changes(message: chats.Message) -> list[Item]:
    """An item with the files that an answer changed, once the answer has ended; no item if it changed none."""
    changed = [] if message.unfinished or message.status == "waiting" else changes.changes_of(message.parts)
    steps = [Step(one.path, "edit", "done", capitalised(one.text)) for one in changed]
    return [Item("changes", len(message.parts), steps=steps)] if steps else []


def _related(slot: int, part: parts.Part) -> Item | None:
    """The item of suggested further questions; None if there are none and none are being written."""
    data = part.get("data")
    asked = parts.questions_of(part)
    running = isinstance(data, dict) and data.get("status") in {"loading", "streaming"}
    if not asked and not running:
        return None
    questions = [Step(str(number), "ask", "done", text) for number, text in enumerate(asked)]
    return Item("related", slot, state="running" if running else "done", steps=questions)


def _question_parts(slot: int, part: parts.Part) -> Item | None:
    """The item of the parts of the question, each with its state; None if there are none."""
    steps: list[Step] = []
    for number, one in enumerate(citations.subquestions.stored([part])):
        steps.append(Step(str(number), "asked", one["state"], one["text"], note=receipts.state_text(one["state"])))
    return Item("asked", slot, steps=steps) if steps else None


_DATA: Mapping[str, tuple[Kind, Callable[[int, parts.Part], Item | None]]] = {
    parts.RELATED: ("related", _related),
    citations.subquestions.SUBQUESTIONS: ("asked", _question_parts),
}
"""The data parts that are drawn at their position: the kind of section, and the function that makes the item."""


def _group(steps: list[Step], *, alone: bool, grows: bool) -> Item:
    """A group of steps. It may be the one with the message's only tool call (`alone`), and more steps may come.

    The result of the message's only tool call is visible when something follows the group, because no other call can
    come then. A call that wrote the to-do list does not count, because the list is drawn below the group. All steps of
    a group with a thought are visible until something follows. So the group does not open and close with each thought.
    """
    state = "done"
    if any(step.state == "running" for step in steps):
        state = "running"
    elif any(step.state in {"failed", "skipped"} for step in steps):
        state = "failed"
    alone = alone and not grows and any(step.icon not in {THOUGHT, "todo"} and step.state == "done" for step in steps)
    unfolded = alone or (grows and any(step.icon == THOUGHT for step in steps))
    return Item("steps", text=sentence(steps), state=state, steps=steps, unfolded=unfolded, alone=alone)


@dataclass(frozen=True)
class Shown:
    """The rows of a page in three lists. Only lists that have changed are sent to the page.

    A page shows the first rows of `earlier`, the first rows of `history`, and then `later`. So a change of branch sends
    only `later`. When a long chat is opened, its end is sent first, as `history`, and its beginning afterwards, as
    `earlier`.
    """

    earlier: Sequence[Row] = ()
    earlier_kept: int = 0
    """How many rows of `earlier` the page shows."""
    history: Sequence[Row] = ()
    kept: int = 0
    """How many rows of `history` the page shows."""
    later: Sequence[Row] = ()
    awaited: int = 0
    """The number of rows before `history` that were not sent yet."""


def shown_anew(rows: list[Row], above: int) -> Shown:
    """A newly opened chat: its last rows, and the number `above` of earlier rows that will be sent afterwards."""
    return Shown(earlier=[], history=rows, kept=len(rows), later=[], awaited=above)


def shown_after(before: Shown, rows: list[Row]) -> Shown:
    """The lists of a page that shows all rows of its chat, with as few changes to its last lists as possible."""
    if before.awaited:
        earlier: Sequence[Row] = rows[: before.awaited]
        earlier_kept = len(earlier)
    else:
        earlier, earlier_kept = before.earlier, _in_common(before.earlier, rows)
    # The page shows rows of `history` only behind all rows of `earlier`.
    kept = _in_common(before.history, rows[earlier_kept:]) if earlier_kept == len(earlier) else 0
    if before.history and not earlier_kept and not kept:
        return shown_anew(rows, 0)
    return Shown(earlier, earlier_kept, before.history, kept, rows[earlier_kept + kept :])


def _in_common(history: Sequence[Row], shown: Sequence[Row]) -> int:
    """The number of equal rows at the beginning of two lists."""
    count = min(len(history), len(shown))
    if [*history[:count]] == [*shown[:count]]:
        return count
    return next(place for place in range(count) if history[place] != shown[place])


def known_hosts(messages: Iterable[chats.Message]) -> dict[str, str]:
    """The hosts that tools of a chat have found or its people have named, each with the form in which it is shown."""
    found: dict[str, str] = {}
    for message in messages:
        if message not in _hosts:
            is_asked = message.role == "user"
            text = parts.text_of(message.as_ui_message()) if is_asked else ""
            _hosts[message] = hosts.named(text) if is_asked else hosts.found(message.parts)
        found |= _hosts[message]
    return found


_hosts: WeakKeyDictionary[chats.Message, dict[str, str]] = WeakKeyDictionary()
