"""A run as a page shows it at one moment: the items of the answer and, apart from them, its text. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from leaf import parts
from leaf.views import activity as doing
from leaf.views.rows import Item
from leaf.views.steps import THOUGHT

_TABLE_BEGUN = re.compile(r"\|[^\n]*(\n[|:\- \t]*)?")
"""A table header whose separator line is not complete. It is not sent yet, because the page would draw it as text."""

Change = tuple[int, int, str] | tuple[int, int, str, int]
"""Slot, block, and the text to append to the block. A fourth field cuts the block first, to a length in UTF-16 units;
without it, the whole block is kept."""


@dataclass(frozen=True)
class Frame:
    """The state of a run as a page shows it."""

    number: int = 0
    """The number of the frame, counted from 1; 0 before anything has come."""
    last_reset: int = 0
    """The number of the last frame that withdrew shown text (a rewind), or 0. Frames after it only add text."""
    items: tuple[Item, ...] = ()
    """The items, without their text."""
    texts: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    """The blocks of the text, by slot."""
    activity: str = doing.THINKING
    writing: bool = False
    """Whether text or thinking that is shown is growing."""
    resumed: bool = False
    """Whether another worker has taken over the run."""
    tools: dict[str, parts.Part] = field(default_factory=dict[str, parts.Part])
    """The tool parts, by the id of their call."""

    def looks_like(self, other: "Frame") -> bool:
        """Whether two frames differ at most in their text."""
        mine = (self.items, self.activity, self.writing, self.resumed, self.tools)
        return mine == (other.items, other.activity, other.writing, other.resumed, other.tools)

    def since(self, before: "Frame | None") -> list[Change] | None:
        """The text to append to an earlier frame; None if the page must replace the whole text."""
        if before is None or before.number < self.last_reset:
            return None
        changes: list[Change] = []
        for slot, blocks in self.texts.items():
            known = before.texts.get(slot, [])
            # Of the blocks of the earlier frame, only the last one may have changed.
            for place in range(max(0, len(known) - 1), len(blocks)):
                old = known[place] if place < len(known) else ""
                new = blocks[place]
                if new != old or place >= len(known):
                    changes.append(_change(slot, place, old, new))
            changes += [(slot, place, "", 0) for place in range(len(blocks), len(known))]
        return changes

    def all(self) -> list[Change]:
        """The whole text as changes to an empty page."""
        return [(slot, place, text) for slot, blocks in self.texts.items() for place, text in enumerate(blocks)]


def _change(slot: int, block: int, old: str, new: str) -> Change:
    if new.startswith(old):
        return slot, block, new[len(old) :]
    length = min(len(old), len(new))
    kept = next((place for place in range(length) if old[place] != new[place]), length)
    return slot, block, new[kept:], len(old[:kept].encode("utf-16-le", "surrogatepass")) // 2


def framed(
    before: Frame, items: Sequence[Item], message_parts: Sequence[parts.Part], *, withdrawn: bool = False
) -> Frame:
    """The next frame of a run. Text that was shown may be `withdrawn`, because another worker took over the run."""
    activity = doing.activity(message_parts)
    # Text that grows shows the activity by itself.
    writing = activity == doing.WRITING or doing.thinks_aloud(message_parts)
    texts = {slot: blocks for item in items for slot, blocks in _texts_of(item)}
    if items and items[-1].kind == "text" and _TABLE_BEGUN.fullmatch(items[-1].blocks[-1]):
        texts[items[-1].slot] = items[-1].blocks[:-1]
    bare = [_bare(item) for item in items]
    if writing and bare and bare[-1].kind == "text":
        bare[-1] = replace(bare[-1], state="open")
    number = before.number + 1
    return Frame(
        number=number,
        last_reset=number if withdrawn else before.last_reset,
        items=tuple(bare),
        texts=texts,
        activity=activity,
        writing=writing,
        resumed=before.resumed or withdrawn,
        tools={part["toolCallId"]: part for part in message_parts if parts.is_tool(part)},
    )


def _texts_of(item: Item) -> list[tuple[int, list[str]]]:
    """The text blocks of an item, by slot; for a group of steps, those of its thoughts."""
    if item.kind == "steps":
        return [(step.slot, step.blocks) for step in item.steps if step.icon == THOUGHT]
    return [] if item.kind in {"related", "changes", "asked"} else [(item.slot, item.blocks)]


def _bare(item: Item) -> Item:
    """An item without its text."""
    steps = [replace(step, blocks=[]) if step.blocks else step for step in item.steps]
    return replace(item, blocks=[], steps=steps)
