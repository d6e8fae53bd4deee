"""Rows that restate others though no label tells: sums, sums of stretches, means."""

from collections.abc import Collection, Sequence
from decimal import Decimal

from leaf.documents.tables.model import Column, Table, Value

_Numbers = Sequence[tuple[int, Sequence[Value]]]
"""Rows by their index, each with its numbers."""
_NO_CHANCE = 5
"""Digits of sums or means together from which on they are none by chance."""


def rows_of(table: Table, numbers: Sequence[Column], known: Collection[int], last: int) -> dict[int, str]:
    """The rows that no label tells and that restate others in every column with a number in the last one of them, each
    with the text that says so. Shares are not looked at.

    Args:
        table: The table.
        numbers: Its columns of numbers.
        known: Rows of which labels tell what they are.
        last: The last row that is looked at; where it is a known one, it has to be a sum as well.
    """
    columns = [one for one in numbers if one.unit != "%" and isinstance(one.values[last], Decimal)]
    if not columns:
        return {}
    rows = [(at, [one.values[at] for one in columns]) for at in range(last + 1) if at == last or at not in known]
    named = [one for one in table.columns if one.type != "number"]
    has_label = not named or any(one.values[last] is not None for one in named)
    differing = len({tuple(one.values) for one in columns})
    found = _running_sums(rows, differing, is_named=has_label) or _sums_of_stretches(rows)
    if found:
        return dict.fromkeys((at for at in found if at not in known), "computed.sums_above")
    is_mean = last not in known and differing > 1 and _is_mean(rows)
    return {last: "computed.mean_above"} if is_mean else {}


def _running_sums(rows: _Numbers, differing: int, *, is_named: bool) -> list[int]:
    """The rows with the sum of all rows above: the last one, such as a profit, and of the others those like it.

    It is no chance in several columns that differ, in the sum of three digits of three rows or of one that is taken
    away, or without a label.
    """
    found: list[int] = []
    running, count = [Decimal(0)] * len(rows[0][1]), 0
    for at, row in rows:
        if count > 1 and any(running) and [*row] == running:
            found.append(at)
            continue
        running, count = _added(running, row), count + 1
    if found[-1:] != [rows[-1][0]]:
        return []
    has_digits = max(map(digits_of, running)) > 2
    is_less = any(isinstance(one, Decimal) and one < 0 for _, row in rows for one in row)
    is_no_chance = (count > 2 and (differing > 1 or has_digits)) or (is_less and has_digits) or not is_named
    return found if is_no_chance else []


def _sums_of_stretches(rows: _Numbers) -> list[int]:
    """The rows of which each has the sum of those since the one before it, as weeks among their days, and the rows at
    the end with that of all of them.
    """
    found: list[int] = []
    zeros = [Decimal(0)] * len(rows[0][1])
    running, whole, since, longest, digits = zeros, zeros, 0, 0, 0
    for at, row in rows:
        if any(row) and ((since > 1 and [*row] == running) or (found and not since and [*row] == whole)):
            found.append(at)
            digits += max(digits_of(one) for one in row)
            running, since, longest = zeros, 0, max(since, longest)
            continue
        running, whole, since = _added(running, row), _added(whole, row), since + any(row)
    return found if len(found) > 1 and digits >= _NO_CHANCE and since <= longest else []


def _is_mean(rows: _Numbers) -> bool:
    """Whether the last row has the mean of all others in every column."""
    digits = 0
    for mean, *values in zip(*reversed([row for _, row in rows]), strict=True):
        numbers = [one for one in values if isinstance(one, Decimal)]
        if not isinstance(mean, Decimal) or len(numbers) < 2 or not restates(mean, sum(numbers), len(numbers)):
            return False
        digits += digits_of(mean)
    return digits >= _NO_CHANCE


def _added(running: Sequence[Decimal], row: Sequence[Value]) -> list[Decimal]:
    return [before + (one if isinstance(one, Decimal) else 0) for before, one in zip(running, row, strict=True)]


def digits_of(value: Value) -> int:
    """The number of digits of a number; 0 for another value."""
    return len(value.as_tuple().digits) if isinstance(value, Decimal) else 0


def restates(wanted: Decimal, whole: Decimal | int, count: int) -> bool:
    """Whether a number is a sum, or one divided by a count, up to the digits with which it is written."""
    rounding = Decimal((0, (5,), int(wanted.as_tuple().exponent) - 1))
    return abs(whole - wanted * count) <= rounding * count
