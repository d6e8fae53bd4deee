"""Messages as pages draw them: rows of items, made from parts. Pure.

An answer is a list of items: a text, a group of steps (including thinking), or the result of a display tool. The same
code makes the live view and the view of a stored message, so a reopened chat looks as it did while it was written.

Research stands above the text that resulted from it: activities between two visible items (thinking, searches, reads,
the to-do list, MCP tools) form one group, which ends at a text, display or question, and only grows at its end.
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
from leaf.views.activity import RELATED
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
"""Longer texts are always cut, so that the page draws them piece by piece."""


@dataclass(frozen=True)
class Item:
    """A piece of an answer: `kind` is text, steps, display, related, changes, asked (the parts of its question), or
    asking (`leaf.views.questions`).
    """

    kind: str
    slot: int = 0
    """Which part of the message it is, or the first of its parts."""
    blocks: list[str] = field(default_factory=list[str])
    """Markdown blocks of a text, or a display (`leaf.views.displays`); empty while the answer is written
    (`leaf.state.run_feed`)."""
    text: str = ""
    """The summary of steps in a sentence."""
    state: str = "done"
    """done; open while its text grows; of steps also running, and failed where one did not work."""
    steps: list[Step] = field(default_factory=list[Step])
    unfolded: bool = False
    """Whether steps are visible until the reader folds them."""
    took: str = ""
    """The duration of steps, if it is worth mentioning."""
    narration: bool = False
    """Whether a text of a finished answer only announces the agent's next step (`parts.narration`)."""
    alone: bool = False
    """Whether steps hold the only tool call of the message, whose result is then visible too."""


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
    reason: str = ""
    """The reason why the answer failed."""
    asker: str = ""
    """The id of the asker of a question."""
    mentions: list[Chip] = field(default_factory=list[Chip])
    pieces: list[Chip] = field(default_factory=list[Chip])
    """The text of a question, split at its mentions (`chips.pieces`)."""
    came: list[Chip] = field(default_factory=list[Chip])
    """The files of Drive that a question mentions, and files of the chat that were sent with it."""
    forked_from: str = ""
    """The chat from which the messages up to this one were copied."""
    citations: Cites = field(default_factory=Cites)
    coverage: Coverage = field(default_factory=Coverage)


@dataclass(frozen=True)
class Section:
    """A run of parts that are drawn together."""

    kind: Kind
    slots: tuple[int, ...]
    """Indexes of its parts: several in order for research, else one."""


def sections(placed: Iterable[tuple[int, Kind]]) -> list[Section]:
    """Splits a message into sections.

    Args:
        placed: The content of each slot in order. A slot may occur twice, as a call that waited for approval and then
            ran; slots without content are left out. A `list` belongs to the group above it and does not end it.

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
    """Makes the items of a growing message, and caches split texts.

    Args:
        live: Whether the message is being written.
        whole: Whether texts stay in one block. This looks the same and saves the split, which is the largest cost of
            earlier turns.
    """

    def __init__(self, *, live: bool = False, whole: bool = False) -> None:
        self._live, self._whole = live, whole
        self._cut: dict[int, tuple[str, Blocks]] = {}
        self._drawn: dict[int, tuple[parts.Part, str]] = {}

    def of(self, message_parts: Sequence[parts.Part]) -> list[Item]:
        """The items of a message; the last one may still change."""
        names = names_of(message_parts)
        # Citation numbers appear when the answer is complete, so that sent text does not change.
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
        # The to-do list is part of its group and does not follow it.
        last = next((one for one in reversed(cut) if one.kind != "list"), None)
        shown = [self._item(one, items, steps, alone=alone, last=one is last) for one in cut]
        return [
            replace(item, took=took(message_parts[slot] for slot in one.slots)) if item.kind == "steps" else item
            for one, item in zip(cut, shown, strict=True)
        ]

    def _pieces(
        self, message_parts: Sequence[parts.Part], slot: int, marks: Sequence[evidence.Mark]
    ) -> Iterator[tuple[Kind, Item | None]]:
        """The kind of section and the item of a part; None for a step."""
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

    def _item(
        self,
        section: Section,
        items: Mapping[tuple[int, Kind], Item],
        steps: Mapping[int, Step],
        *,
        alone: bool,
        last: bool,
    ) -> Item:
        """A section as an item.

        Args:
            section: The section.
            items: Parts other than research, by slot and kind.
            steps: Research, by slot.
            alone: Whether the message has only one tool call.
            last: Whether nothing follows.
        """
        if section.kind != "research":
            return items[section.slots[0], section.kind]
        return _group([steps[slot] for slot in section.slots], section.slots[0], alone=alone, grows=self._live and last)

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
    """The call whose details are open by default, if there is one."""
    return {step.id for item in items if item.alone for step in item.steps}


def row_of(message: chats.Message, *, whole: bool = False) -> Row:
    """The row of a stored message; of the same message it is made once for each language.

    Args:
        message: The message.
        whole: Whether its texts stay in one block (`Items`).
    """
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
            came=chips.came(message.parts),
        )
    body = Items(whole=whole).of(questions.with_answers(message.parts, message.answers))
    # Quotes of Drive files come after the page, when Google has confirmed them (`ChatState.evidence`).
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
    """The evidence of a stored answer.

    Args:
        message: The answer.
        allowed: Its parts as their reader may see them.
    """
    answered = row_of(message, whole=True).coverage.answered
    return Evidence(evidence.cites_of(allowed), receipts.coverage_of(allowed, answered=answered))


def reason_of(message: chats.Message) -> str:
    """The reason of a failed answer in words; empty for others."""
    if message.status != "error":
        return ""
    return texts.stored(message.details.get("errorMessage"), message.error_text or texts.say("doing.not_finished"))


def _changes(message: chats.Message) -> list[Item]:
    """The item that lists the files that an ended answer has changed; no item if it has changed none."""
    changed = [] if message.unfinished or message.status == "waiting" else changes.changes_of(message.parts)
    steps = [Step(one.path, "edit", "done", capitalised(one.text)) for one in changed]
    return [Item("changes", len(message.parts), steps=steps)] if steps else []


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


def _question_parts(slot: int, part: parts.Part) -> Item | None:
    """The parts of the question, each with its state."""
    asked = citations.subquestions.stored([part])
    steps = [
        Step(str(number), "asked", one["state"], one["text"], note=texts.say(state) if state else "")
        for number, one in enumerate(asked)
        for state in (receipts.STATES.get(one["state"]),)
    ]
    return Item("asked", slot, steps=steps) if steps else None


_DATA: Mapping[str, tuple[Kind, Callable[[int, parts.Part], Item | None]]] = {
    RELATED: ("related", _related),
    citations.subquestions.SUBQUESTIONS: ("asked", _question_parts),
}
"""Data parts that are drawn in their place."""


def _group(steps: list[Step], slot: int, *, alone: bool, grows: bool) -> Item:
    """A group of steps.

    The result of the message's only tool call is visible as soon as something follows it; before that, another call
    may follow. A call that wrote the to-do list is hidden, because the list stands below it. Thinking is visible while
    it goes on, together with the steps of its group until something follows, so that the group does not open and close
    with each thought.
    """
    running = any(step.state == "running" for step in steps)
    failed = any(step.state in {"failed", "skipped"} for step in steps)
    state = "running" if running else "failed" if failed else "done"
    alone = alone and not grows and any(step.icon not in {THOUGHT, "todo"} and step.state == "done" for step in steps)
    unfolded = alone or (grows and any(step.icon == THOUGHT for step in steps))
    return Item("steps", slot, text=sentence(steps), state=state, steps=steps, unfolded=unfolded, alone=alone)


@dataclass(frozen=True)
class Shown:
    """The rows that a page has; each is sent when it changes, and as few as possible.

    A page keeps the beginning that it still shows of the chat it opened; later rows may be on another branch. Of a
    long chat the end is sent first and the beginning afterwards.
    """

    earlier: Sequence[Row] = ()
    earlier_kept: int = 0
    history: Sequence[Row] = ()
    kept: int = 0
    later: Sequence[Row] = ()
    awaited: int = 0


def shown_anew(rows: list[Row], above: int) -> Shown:
    """A chat that is shown from scratch: its rows, and the number of earlier rows that follow."""
    return Shown(history=rows, kept=len(rows), later=[], earlier=[], awaited=above)


def shown_after(before: Shown, rows: list[Row]) -> Shown:
    """All rows of the chat after those that the page has."""
    if before.awaited:
        earlier: Sequence[Row] = rows[: before.awaited]
        earlier_kept = len(earlier)
    else:
        earlier, earlier_kept = before.earlier, _in_common(before.earlier, rows)
    whole = earlier_kept == len(earlier)
    kept = _in_common(before.history, rows[earlier_kept:]) if whole else 0
    if before.history and not earlier_kept + kept:
        return shown_anew(rows, 0)
    return Shown(earlier, earlier_kept, before.history, kept, rows[earlier_kept + kept :])


def _in_common(history: Sequence[Row], shown: Sequence[Row]) -> int:
    """The number of equal rows at the beginning of two lists."""
    count = min(len(history), len(shown))
    if [*history[:count]] == [*shown[:count]]:
        return count
    return next(place for place in range(count) if history[place] != shown[place])


def known_hosts(messages: Iterable[chats.Message]) -> dict[str, str]:
    """The hosts that the tools of a chat have found and its people have named, each as it is shown."""
    found: dict[str, str] = {}
    for message in messages:
        if message not in _hosts:
            is_asked = message.role == "user"
            text = parts.text_of(message.as_ui_message()) if is_asked else ""
            _hosts[message] = hosts.named(text) if is_asked else hosts.found(message.parts)
        found |= _hosts[message]
    return found


_hosts: WeakKeyDictionary[chats.Message, dict[str, str]] = WeakKeyDictionary()
