"""Finds outlines: rows that sum up the rows below them, which may in turn sum up smaller rows."""

from collections.abc import Collection, Sequence
from decimal import Decimal

from leaf.documents.tables import unlabelled
from leaf.documents.tables.model import Column

_ROWS = 5_000
_BELOW = 60
"""Maximum number of rows directly below a row that it may sum up."""
_LEAST_HEADS = 2
_DIGITS = 3
"""Minimum number of digits of a sum in an outline with other rows beside it. A shorter sum may be a coincidence."""

_Sums = tuple[Decimal | None, ...]


def heads(numbers: Sequence[Column], totals: Collection[int]) -> list[int]:
    """The indexes of rows that sum up rows below them in every column; empty unless most of the table is an outline.

    Args:
        numbers: The columns of numbers.
        totals: Indexes of rows that may sum up rows above them; they are ignored.
    """
    numbers = [one for one in numbers if one.unit not in {"%", "‰"}]
    count = len(numbers[0].values) if numbers else 0
    rows = [at for at in range(count) if at not in totals]
    if len(rows) < _LEAST_HEADS * 3 or count > _ROWS:
        return []
    top: list[tuple[int, _Sums]] = []
    """The rows seen so far that no other row sums up, with the uppermost one last."""
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
    least = _DIGITS if not is_whole else 1 if unlabelled.differing_columns(numbers) > 1 else 2
    return sorted(found) if min(digits, default=0) >= least else []


def indented_heads(numbers: Sequence[Column], indents: Sequence[int | None]) -> dict[int, bool]:
    """The indexes of rows with numbers that have such rows indented below them, and whether each has their sum in every
    column with a number there; empty if that may be coincidence.

    Args:
        numbers: The columns of numbers.
        indents: The number of blanks before the label of each row; None for a row without a label.
    """
    parts: dict[int, list[int]] = {}
    above: list[int] = []
    """The heads of the row that comes next, with the uppermost one first."""
    for at, own in enumerate(indents):
        while above and own is not None and (indents[above[-1]] or 0) >= own:
            above.pop()
        if own is None:
            above.clear()
            continue
        if above:
            parts.setdefault(above[-1], []).append(at)
        above.append(at)
    found: dict[int, bool] = {}
    for at, rows in parts.items():
        columns = [one for one in numbers if isinstance(one.values[at], Decimal)]
        below = [[value for row in rows if isinstance(value := one.values[row], Decimal)] for one in columns]
        if any(below):
            found[at] = all(one.values[at] == sum(several) for one, several in zip(columns, below, strict=True))
    sums = [at for at, is_sum in found.items() if is_sum]
    # An amount may well occur again in the next row, and a blank stand before its label by mistake.
    return found if len(sums) > 1 or any(len(parts[at]) > 1 for at in sums) else {}


def _summed(own: _Sums, top: Sequence[tuple[int, _Sums]]) -> int:
    """How many rows directly below have these sums, at least two; 0 if there are none."""
    tried = next((at for at, one in enumerate(own) if one), None)
    if tried is None:
        return 0
    below = [row for _, row in reversed(top[-_BELOW:])]
    running, sums, added = Decimal(0), [Decimal(0)] * len(own), 0
    for count, row in enumerate(below, 1):
        running += row[tried] or 0
        if count > 1 and running == own[tried]:
            # The other columns are added up only when the first one matches, to save time.
            for more in below[added:count]:
                sums = [before + (one or 0) for before, one in zip(sums, more, strict=True)]
            added = count
            if all(before == (one or 0) for before, one in zip(sums, own, strict=True)):
                return count
    return 0
