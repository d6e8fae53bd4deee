"""Rows of an outline: a row that sums up the ones below it, with smaller ones below these."""

from collections.abc import Collection, Sequence
from decimal import Decimal

from leaf.documents.tables.model import Column

_ROWS = 5_000
_BELOW = 60
"""Rows right below one, at most, that it may sum up."""
_LEAST_HEADS = 2
_DIGITS = 3
"""Digits of a sum that is no chance where other rows stand beside the outline."""

_Sums = tuple[Decimal | None, ...]


def heads(numbers: Sequence[Column], totals: Collection[int]) -> list[int]:
    """The rows that sum up those below them in every column, where most of the table is such an outline.

    Args:
        numbers: The columns of numbers.
        totals: Rows that may sum up others above them, which are not looked at.
    """
    numbers = [one for one in numbers if one.unit not in {"%", "‰"}]
    count = len(numbers[0].values) if numbers else 0
    rows = [at for at in range(count) if at not in totals]
    if len(rows) < _LEAST_HEADS * 3 or count > _ROWS:
        return []
    top: list[tuple[int, _Sums]] = []
    """Rows that none of those looked at sums up, the uppermost one last."""
    found: list[int] = []
    for at in reversed(rows):
        own: _Sums = tuple(one if isinstance(one := column.values[at], Decimal) else None for column in numbers)
        if below := _summed(own, top):
            found.append(at)
            del top[-below:]
        top.append((at, own))
    if len(found) < _LEAST_HEADS:
        return []
    if 2 * len(top) > len(rows):
        return []
    is_whole = {at for at, _ in top} <= {*found}
    digits = (max((len(one.as_tuple().digits) for one in own if one), default=0) for at, own in top if at in found)
    least = _DIGITS if not is_whole else 1 if len({tuple(one.values) for one in numbers}) > 1 else 2
    return sorted(found) if min(digits, default=0) >= least else []


def _summed(own: _Sums, top: Sequence[tuple[int, _Sums]]) -> int:
    """The number of rows directly below that have these sums, two or more; 0 if there are none."""
    tried = next((at for at, one in enumerate(own) if one), None)
    if tried is None:
        return 0
    below = [row for _, row in reversed(top[-_BELOW:])]
    running, sums, added = Decimal(0), [Decimal(0)] * len(own), 0
    for count, row in enumerate(below, 1):
        running += row[tried] or 0
        if count > 1 and running == own[tried]:
            # The other columns are added up only so far as the first one has its sum.
            for more in below[added:count]:
                sums = [before + (one or 0) for before, one in zip(sums, more, strict=True)]
            added = count
            if all(before == (one or 0) for before, one in zip(sums, own, strict=True)):
                return count
    return 0
