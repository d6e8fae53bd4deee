"""The rows that a page is sent after a change of its chat, as few as possible. Pure.

A page keeps the beginning that it still shows of the chat it opened; later rows may be on another branch. Of a long
chat the end is sent first and the beginning afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from leaf.views.rows import Row


@dataclass(frozen=True)
class Shown:
    """The rows that a page has; each is sent when it changes."""

    earlier: Sequence[Row] = ()
    earlier_kept: int = 0
    history: Sequence[Row] = ()
    kept: int = 0
    later: Sequence[Row] = ()
    awaited: int = 0


def of(rows: list[Row], above: int) -> Shown:
    """A chat that is shown from scratch: its rows, and the number of earlier rows that follow."""
    return Shown(history=rows, kept=len(rows), later=[], earlier=[], awaited=above)


def after(before: Shown, rows: list[Row]) -> Shown:
    """All rows of the chat after those that the page has."""
    if before.awaited:
        earlier: Sequence[Row] = rows[: before.awaited]
        earlier_kept = len(earlier)
    else:
        earlier, earlier_kept = before.earlier, _in_common(before.earlier, rows)
    whole = earlier_kept == len(earlier)
    kept = _in_common(before.history, rows[earlier_kept:]) if whole else 0
    if before.history and not earlier_kept + kept:
        return of(rows, 0)
    return Shown(earlier, earlier_kept, before.history, kept, rows[earlier_kept + kept :])


def _in_common(history: Sequence[Row], shown: Sequence[Row]) -> int:
    """How many rows two lists begin with alike."""
    count = min(len(history), len(shown))
    if [*history[:count]] == [*shown[:count]]:
        return count
    return next(place for place in range(count) if history[place] != shown[place])
