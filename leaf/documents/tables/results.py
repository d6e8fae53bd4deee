"""Finds rows that state a remainder, such as a profit below turnover and costs, where no amount has a sign."""

import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Final

from leaf.documents.tables.model import Column

_RESULT = re.compile(
    r"profit|loss|margin|\bebit|\bebt\b|result|earnings|surplus|deficit|\bnet\b|remain|\bleft\b|balance|available"
    r"|ergebnis|gewinn|verlust|überschuss|rohertrag|deckungsbeitrag|saldo|\brest\b|verfügbar|marge|bénéfice|résultat"
    r"|solde|reste|beneficio|ganancia|resultado|utile|risultato|zysk|wynik|winst|resultaat",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\bnet\b|remain|\bleft\b|balance|available|saldo|\brest\b|verfügbar|solde|reste|resultado", re.IGNORECASE
)
"""The words for results that also name other things."""
_DIGITS: Final = 2
_WEAK_DIGITS: Final = 4
"""Minimum number of digits, without zeros at the end, for results whose labels have only such a word."""


def is_result(label: str) -> bool:
    """Whether a label may name a remainder, such as a profit."""
    return _RESULT.search(label) is not None


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
    found: list[int] = []
    none = [Decimal(0)] * len(columns)
    running, between, count, is_whole = rows[0][1], none, 0, True
    digits = telling = 0
    for at, row in rows[1:]:
        if at in sums:
            if is_whole and row == _plus(rows[0][1], between, 1):
                running, between, count = row, none, 0
            is_whole = False
        elif count and row == running and is_result(labels[at]):
            found.append(at)
            digits += sum(len(one.as_tuple().digits) for one in row)
            telling += sum(len(one.normalize().as_tuple().digits) for one in row)
            between, count, is_whole = none, 0, False
        elif count < 2 or row != between:
            running, between, count = _plus(running, row, -1), _plus(between, row, 1), count + 1
    if not found or found[-1] != last:
        return []
    if all(_WEAK.search(labels[at]) for at in found):
        return found if telling >= _WEAK_DIGITS else []
    return found if digits >= _DIGITS else []


def _plus(some: Sequence[Decimal], others: Sequence[Decimal], sign: int) -> list[Decimal]:
    return [one + sign * other for one, other in zip(some, others, strict=True)]
