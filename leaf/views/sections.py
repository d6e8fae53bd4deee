"""Sections of an answer: research stands above the text that resulted from it. Pure.

Activities between two visible items (thinking, searches, reads, the to-do list, MCP tools) form one group, which ends
at a text, display or question. A message being written and a stored one are split by the same rules, so a group only
grows at its end.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["research", "text", "display", "list", "asking", "related"]


@dataclass(frozen=True)
class Section:
    """A run of parts that are drawn together."""

    kind: Kind
    slots: tuple[int, ...]
    """Indexes of its parts: several in order for research, else one."""


def sections(told: Iterable[tuple[int, Kind]]) -> list[Section]:
    """Splits a message into sections.

    Args:
        told: The content of each slot in order. A slot may occur twice, as a call that waited for approval and then
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

    for slot, kind in told:
        if kind == "research":
            group.append(slot)
        elif kind == "list":
            lists.append(Section(kind, (slot,)))
        else:
            flush()
            made.append(Section(kind, (slot,)))
    flush()
    return made
