"""Finds rows that state a remainder, such as a profit below turnover and costs, where no amount has a sign."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from leaf.documents.tables.model import Column, Value

_SURE = re.compile(
    r"profit|loss|margin|\bebit|\bebt\b|result(?!ado)|earnings|surplus|deficit|ergebnis|gewinn|verlust|überschuss"
    r"|rohertrag|deckungsbeitrag|marge|bénéfice|résultat|beneficio|ganancia|utile|risultato|zysk|wynik|winst",
    re.IGNORECASE,
)
"""Words for results, such as a profit."""
_WEAK = re.compile(
    r"\bnet\b|remain|\bleft\b|balance|available|saldo|\brest\b|verfügbar|solde|reste|resultado", re.IGNORECASE
)
"""Words for results that also name other things."""
_DIGITS: Final = 2
_WEAK_DIGITS: Final = 4
"""Minimum number of digits, without zeros at the end, for results whose labels have only such a word."""
_BESIDE: Final = 3
"""Maximum number of rows directly above a sum that it leaves out or subtracts."""
_SHORT_TABLE: Final = 12
_LONG_TABLE: Final = 60
"""Number of rows from which three numbers may well be the difference of two others by coincidence."""
_NO_CHANCE: Final = 4
"""Minimum number of digits of a difference without a label that says so; one less in a short table."""
_LEAST_SUM: Final = 3


def is_result(label: str) -> bool:
    """Whether a label may name a remainder, such as a profit."""
    return _SURE.search(label) is not None or _WEAK.search(label) is not None


def rows_of(
    numbers: Sequence[Column], labels: Sequence[str], known: Collection[int], sums: Collection[int]
) -> list[int]:  # fmt: skip
    """The rows with the first number minus all amounts between, in every column; empty unless the last row is one.

    Sums of the amounts between are not subtracted. The first number may itself be the sum of all rows above it.

    Args:
        numbers: The columns of numbers.
        labels: The label of each row.
        known: Rows to ignore.
        sums: Rows whose labels call them sums.
    """
    columns = [one for one in numbers if one.unit not in {"%", "‰"}]
    filled = (at for at in reversed(range(len(labels))) if at not in known and any(one.values[at] for one in columns))
    last = next(filled, 0)
    if last < 2 or not is_result(labels[last]):
        return []
    rows = [
        (at, [one if isinstance(one := column.values[at], Decimal) else Decimal(0) for column in columns])
        for at in range(last + 1)
        if at not in known and any(isinstance(column.values[at], Decimal) for column in columns)
    ]
    remainder = _Remainder(rows[0][1])
    found: list[tuple[int, list[Decimal]]] = []
    for at, row in rows[1:]:
        if at in sums:
            remainder.pass_sum(row)
        elif remainder.is_left(row) and is_result(labels[at]):
            found.append((at, row))
            remainder.pass_result()
        else:
            remainder.subtract(row)
    if not found or found[-1][0] != last:
        return []
    if any(_SURE.search(labels[at]) for at, _ in found):
        is_no_coincidence = sum(len(one.as_tuple().digits) for _, row in found for one in row) >= _DIGITS
    else:
        digits = sum(len(one.normalize().as_tuple().digits) for _, row in found for one in row)
        is_no_coincidence = digits >= _WEAK_DIGITS
    return [at for at, _ in found] if is_no_coincidence else []


class _Remainder:
    """The numbers of a first row, from which those of the rows below it are subtracted one after the other.

    Args:
        first: The numbers of the first row.
    """

    def __init__(self, first: Sequence[Decimal]) -> None:
        self._left = self._first = first
        self._amounts: Sequence[Decimal] = [Decimal(0)] * len(first)
        """The sum of the amounts since the last sum or result."""
        self._count = 0
        """The number of these amounts."""
        self._is_begin = True
        """Whether there has been no sum or result yet."""

    def is_left(self, row: Sequence[Decimal]) -> bool:
        """Whether a row has what is left after some amounts."""
        return self._count > 0 and row == self._left

    def subtract(self, row: Sequence[Decimal]) -> None:
        """Subtracts an amount, unless it is the sum of the amounts above it."""
        if self._count < 2 or row != self._amounts:
            self._left, self._amounts = _plus(self._left, row, -1), _plus(self._amounts, row, 1)
            self._count += 1

    def pass_sum(self, row: Sequence[Decimal]) -> None:
        """Begins with a sum of the first amounts, or subtracts a sum without amounts of its own above it."""
        if self._is_begin and row == _plus(self._first, self._amounts, 1):
            self._left = row
            self._forget()
        elif not self._count:
            self._left, self._amounts, self._count = _plus(self._left, row, -1), row, 1
        self._is_begin = False

    def pass_result(self) -> None:
        """Passes a row with what is left."""
        self._forget()
        self._is_begin = False

    def _forget(self) -> None:
        self._amounts, self._count = [Decimal(0)] * len(self._first), 0


def beside_sums(
    numbers: Sequence[Column], labels: Mapping[int, bool], known: Collection[int]
) -> dict[int, dict[int, str]]:  # fmt: skip
    """The sums that leave out or subtract the rows directly above them, each with these rows and the keys of texts.

    A sum may leave out the number of the items above it, and subtract a discount that is written without a sign. All
    other rows since the sum before are added up in every column.

    Args:
        numbers: The columns of numbers.
        labels: The rows that their labels call sums, and whether they can be nothing else.
        known: Rows that restate others.
    """
    found: dict[int, dict[int, str]] = {}
    columns = [one for one in numbers if one.unit not in {"%", "‰"}]
    for at, is_sure in sorted(labels.items()):
        earlier = {*known, *found, *(row for rows in found.values() for row in rows)}
        since = max((row for row in (*known, *found) if row < at), default=-1)
        own = [one for one in columns if isinstance(one.values[at], Decimal)]
        digits = max((len(_number(one, at).as_tuple().digits) for one in own), default=0)
        if digits < _LEAST_SUM - is_sure:
            continue
        rows = [row for row in range(since + 1, at) if row not in earlier and row not in labels]
        if beside := _beside(own, at, rows, [since] if since >= 0 else []):
            found[at] = beside
    return found


def _beside(columns: Sequence[Column], at: int, rows: Sequence[int], sums: Sequence[int]) -> dict[int, str]:
    """Does the work of `beside_sums` for one row; `sums` has the sum before, from which rows may be subtracted."""
    for count in range(min(_BESIDE, len(rows)) + 1):
        first, last = [*rows[: len(rows) - count]], rows[len(rows) - count :]
        several = first if len(first) > 1 else sums if not first else []
        if not several or not all(any(_number(one, row) for one in columns) for row in last):
            continue
        left = [(_sum(one, several), _sum(one, last), _number(one, at)) for one in columns]
        if len(first) > 1 and all(whole == wanted for whole, _, wanted in left):
            return dict.fromkeys(last, "computed.not_in_sum")
        has_signs = any(_number(one, row) < 0 for one in columns for row in last)
        if not has_signs and all(whole - rest == wanted for whole, rest, wanted in left):
            return dict.fromkeys(last, "computed.taken_off")
    return {}


def _sum(column: Column, rows: Iterable[int]) -> Decimal:
    return sum((_number(column, row) for row in rows), Decimal(0))


def _number(column: Column, row: int) -> Decimal:
    value: Value = column.values[row]
    return value if isinstance(value, Decimal) else Decimal(0)


def differences(numbers: Sequence[Column], known: Collection[int]) -> dict[int, str]:
    """The rows of a table of moderate length that have, in every column, the difference of rows above them, or as the
    last row their sum; each with the key of a text.

    It is the difference of the two rows above, in either order, of all rows above the last one and that one, or of the
    first row of a stretch and the others of it. A stretch begins with the first row, and with every such difference or
    the row below.
    """
    columns = [one for one in numbers if one.unit not in {"%", "‰"}]
    places = [at for at in range(len(columns[0].values)) if at not in known] if columns else []
    if not _LEAST_SUM <= len(places) <= _LONG_TABLE:
        return {}
    rows = [[_number(one, at) for one in columns] for at in places]
    found: list[int] = []
    is_sum = False
    whole, rest, fresh = rows[0], rows[0], rows[0]
    """The sum of all rows, and what is left of the first rows of the two last stretches."""
    for at, row in enumerate(rows[1:], 1):
        last, one_before = rows[at - 1], rows[at - 2]
        above = [_plus(one_before, last, -1), _plus(last, one_before, -1), _plus(whole, last, -2), rest, fresh]
        is_found = at > 1 and any(row) and row in above
        found += [at] * is_found
        is_sum = at == len(rows) - 1 and _sums_or_lies_between(rows, whole)
        begins = is_found or at - 1 in found
        rest, fresh = (row if is_found else _plus(rest, row, -1)), (row if begins else _plus(fresh, row, -1))
        whole = _plus(whole, row, 1)
    least = _NO_CHANCE - (len(rows) <= _SHORT_TABLE) - (is_sum and len(rows) <= _SHORT_TABLE)
    keys = dict.fromkeys(found, "computed.may_be_rest") | ({len(rows) - 1: "computed.may_sum_above"} if is_sum else {})
    digits = max((sum(len(one.as_tuple().digits) for one in rows[at] if one) for at in keys), default=0)
    return {places[at]: key for at, key in keys.items()} if digits >= least else {}


def _sums_or_lies_between(rows: Sequence[Sequence[Decimal]], whole: Sequence[Decimal]) -> bool:
    """Whether the last row has the sums of all others, in some column of several digits; in other columns it may lie
    between them, as a rate of all does.
    """
    *above, last = rows
    sums = [len(one.as_tuple().digits) for one, wanted in zip(last, whole, strict=True) if one == wanted]
    if len(sums) == len(last):
        return True
    return max(sums, default=0) >= _LEAST_SUM and all(
        one == wanted or min(others) <= one <= max(others)
        for one, wanted, others in zip(last, whole, zip(*above, strict=True), strict=True)
    )


def _plus(some: Sequence[Decimal], others: Sequence[Decimal], sign: int) -> list[Decimal]:
    return [one + sign * other for one, other in zip(some, others, strict=True)]
