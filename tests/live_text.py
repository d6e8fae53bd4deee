"""The text of an answer while it is written, as a page keeps it (`take` in `assets/client/live.js`)."""

from collections.abc import Iterable, Sequence
from typing import Any

from leaf.views.frames import Change

Texts = dict[tuple[int, int], str]
"""Blocks by slot and place."""


def applied(texts: Texts, changes: Iterable[Change]) -> Texts:
    """The texts after further changes."""
    texts = {**texts}
    for slot, block, added, *kept in changes:
        # As JavaScript counts.
        units = texts.get((slot, block), "").encode("utf-16-le")[: 2 * int(kept[0]) if kept else None]
        texts[slot, block] = units.decode("utf-16-le") + added
    return texts


def opened(piece: Sequence[Any]) -> tuple[list[Change], int]:
    """The changes of a piece, and the number of the one before it; 0 for the whole text."""
    _, number, *rest = piece
    if not isinstance(rest[0], list):
        return [(rest[0], rest[1], rest[2])], number - 1
    changes, *behind = rest
    return changes, int(behind[0]) if behind else number - 1
