"""The pages, sheets and slides of an upload, as lines of its text."""

import re
from collections.abc import Sequence

from leaf.documents import place_of
from leaf.documents.pieces import span_of

Places = Sequence[tuple[int, str]]
MAX_NAMED = 50
_SEVERAL = re.compile(r"(page|slide)s? (\d+)\s*(?:-|–|to)\s*(\d+)")


def named(places: Places, first: int, last: int) -> str:
    """The places in a range of lines, in one name: `pages 3-5`."""
    begins = place_of([*places], first)
    return span_of([*([begins] if begins else []), *(part for line, part in places if first < line <= last)])


def lines_of(places: Places, part: str, total: int) -> tuple[int, int] | None:
    """The first and the last line of a part that is asked for by name: `page 3`, `pages 3-5`, `sheet Budget`.

    Args:
        places: All that there are.
        part: The name.
        total: How many lines the text has.

    Returns:
        None where there is no such part.
    """
    wanted = " ".join(part.casefold().split())
    several = _SEVERAL.fullmatch(wanted)
    names = {f"{several[1]} {several[2]}", f"{several[1]} {several[3]}"} if several else {wanted}
    found = [
        number
        for number, (_, name) in enumerate(places)
        if name.casefold() in names or name.casefold().partition(" ")[2] in names
    ]
    if not found or (several and len(found) < len(names)):
        return None
    behind = found[-1] + 1
    return places[found[0]][0], places[behind][0] - 1 if behind < len(places) else total


def told(places: Places) -> list[str]:
    """The names of the parts, as many as can be told."""
    names = [part for _, part in places]
    spans = span_of(names)
    return [spans] if spans.startswith(("pages ", "slides ")) else names[:MAX_NAMED]
