"""An answer in sections: what was looked into stands above the text that it led to. Pure.

What an agent does between two things that it shows (thinking, searches, reading, its to-do list, tools of MCP servers)
is kept back and becomes one group, which ends where a text, a display or a question begins. A message that is being
written and a stored one are cut by the same rules, so a group only ever grows at its end.
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
    """Where its parts stand in the message; of research in their order, else one."""


def sections(told: Iterable[tuple[int, Kind]]) -> list[Section]:
    """Cuts a message.

    Args:
        told: What stands at each slot, in order. A slot may be told twice, as a call that was asked for and then made;
            one that shows nothing is left out. A `list` hangs on the group above it and does not end it.

    Returns:
        The sections in the order of the page. Research that nothing follows is the last of them.
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
