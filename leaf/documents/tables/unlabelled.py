"""Rows that restate others though no label tells: sums, sums of stretches, means."""

from collections.abc import Collection, Sequence
from decimal import Decimal
from itertools import accumulate, takewhile

from leaf.documents.tables.model import Column, Table, Value

_Numbers = Sequence[tuple[int, Sequence[Value]]]
"""Rows by their index, each with its numbers."""
_KIN = 5
"""Letters that the names of two balances have in common at least."""
_REST = 4
"""Rows below a sum that no label tells, at most."""
_FEW = 2
"""Rows of which one more number is the sum by chance now and then."""
_TELLING = 4
"""Digits of the sum of more rows from which on it is none by chance."""
_DOUBTED = 2
"""Digits of such a sum from which on it is named, at least."""
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
    is_kin = _are_kin(table, rows[0][0], last)
    found: list[int] = []
    if _has_a_running_sum(rows):
        found = _running_sums(rows, differing, is_named=has_label, is_kin=is_kin) or _sums_of_stretches(rows)
    found = found or ([last] if last not in known and _closes(rows) else [])
    if found:
        return dict.fromkeys((at for at in found if at not in known), "computed.sums_above")
    is_mean = last not in known and differing > 1 and _is_mean(rows)
    return {last: "computed.mean_above"} if is_mean else {}


def _has_a_running_sum(rows: _Numbers) -> bool:
    """Whether the first column has a number that is the sum of all above it, as the first row of sums has there."""
    first = [one for _, row in rows if isinstance(one := row[0], Decimal)]
    return any(one == above for one, above in zip(first[1:], accumulate(first), strict=False))


def _running_sums(rows: _Numbers, differing: int, *, is_named: bool, is_kin: bool) -> list[int]:
    """The rows with the sum of all rows above: the last one, such as a profit, and of the others those like it.

    It is no chance in several columns that differ, in the sum of three digits of three rows or of one that is taken
    away, in five digits that are no zeros at the end, without a label, or where the first row is of the same name.
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
    telling = sum(digits_of(one.normalize()) for one in running)
    is_no_chance = (count > 2 and (differing > 1 or has_digits)) or (is_less and has_digits) or not is_named
    is_no_chance |= telling >= _NO_CHANCE or (is_kin and telling > 2)
    return found if is_no_chance else []


def _are_kin(table: Table, first: int, last: int) -> bool:
    """Whether the labels of two rows end alike or share a word: the opening balance and the closing balance."""
    labels = next((one for one in table.columns if one.type == "text" and not one.derived), None)
    both = [str(labels.values[at] or "").casefold() for at in (first, last)] if labels is not None else ["", ""]
    between = [str(one or "").casefold() for one in labels.values[first + 1 : last]] if labels is not None else []
    if any({*one.split()} & {*both[0].split()} for one in between):
        return False
    ending = sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(both[0][::-1], both[1][::-1], strict=False)))
    shared = max((len(one) for one in {*both[0].split()} & {*both[1].split()}), default=0)
    return both[0] != both[1] and max(ending, shared) >= _KIN


def _closes(rows: _Numbers) -> bool:
    """Whether the last row has the sums of all rows above it in some columns, and in the others, such as a balance, the
    number right above it.
    """
    is_sum, is_same, digits = 0, 0, 0
    for value, *above in zip(*reversed([row for _, row in rows]), strict=True):
        numbers = [one for one in above if isinstance(one, Decimal)]
        if numbers and value == numbers[0]:
            is_same += 1
        elif len(numbers) > 1 and value == sum(numbers):
            is_sum, digits = is_sum + 1, digits + digits_of(value)
        else:
            return False
    return is_sum > 0 and is_same > 0 and digits > 2


def is_complete(numbers: Sequence[Column], at: int, rest: Sequence[int]) -> bool:
    """Whether a row has all shares together, and none of the rows below it has half as many numbers."""
    count = sum(isinstance(one.values[at], Decimal) for one in numbers)
    most = max((sum(isinstance(one.values[row], Decimal) for one in numbers) for row in rest), default=count)
    wholes = [one.values[at] for one in numbers if one.unit == "%"]
    return 2 * most <= count and any(isinstance(one, Decimal) and abs(one - 100) < 1 for one in wholes)


def first_of_all(numbers: Sequence[Column]) -> dict[int, str]:
    """The first row, if it has the sums of all others, in columns that differ, or of three rows or more in digits that
    are no chance. Where they may be, the text says that it counts as a row.
    """
    columns = [one for one in numbers if one.unit != "%" and isinstance(one.values[0], Decimal)]
    digits, telling = 0, 0
    for first, *below in (one.values for one in columns):
        several = [one for one in below if isinstance(one, Decimal)]
        if len(several) < 2 or not isinstance(first, Decimal) or sum(several) != first:
            return {}
        digits += digits_of(first)
        telling = max(telling, digits_of(first.normalize())) if len(several) > _FEW and min(several) >= 0 else telling
    differing = len({tuple(one.values) for one in columns})
    if (differing > 1 and digits >= _NO_CHANCE) or telling >= _TELLING:
        return {0: "computed.sums_below"}
    return {0: "computed.may_sum_below"} if telling >= _DOUBTED else {}


def above_a_rest(table: Table, numbers: Sequence[Column]) -> dict[int, str]:
    """The row that no label tells and that has the sums of all rows above it, in columns that differ, and the few rows
    below it that belong to none of these: the valid votes, the invalid ones, and the turnout.
    """
    running = [Decimal(0)] * len(numbers)
    end = len(table.rows)
    if 2 * sum(isinstance(one.values[-1], Decimal) for one in numbers) > len(numbers):
        return {}
    for at in range(end):
        row = [one.values[at] for one in numbers]
        filled = [place for place, one in enumerate(row) if isinstance(one, Decimal)]
        is_sum = at > 1 and len(filled) > 1 and all(row[place] == running[place] for place in filled)
        if is_sum and at >= end - 1 - min(_REST, (at + 1) // 2):
            rest = range(at + 1, end)
            digits = sum(digits_of(row[place]) for place in filled)
            differing = len({tuple(numbers[place].values[:at]) for place in filled})
            if is_complete(numbers, at, rest) and digits > _NO_CHANCE and differing > 1:
                return {at: "computed.sums_above"} | dict.fromkeys(rest, "computed.below")
        running = _added(running, row)
    return {}


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
