"""Rows that state what is left of the rows above them: a profit below a turnover and its costs, each without a sign."""

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
_DIGITS: Final = 2


def rows_of(numbers: Sequence[Column], labels: Sequence[str], known: Collection[int]) -> list[int]:
    """The rows with the first number less all amounts between, in every column, of which the last row is one.

    Sums of the amounts between are no amounts.

    Args:
        numbers: The columns of numbers.
        labels: The words of each row.
        known: Rows that are not looked at.
    """
    columns = [one for one in numbers if one.unit not in {"%", "‰"}]
    filled = (at for at in reversed(range(len(labels))) if at not in known and any(one.values[at] for one in columns))
    last = next(filled, 0)
    if last < 2 or not _RESULT.search(labels[last]):
        return []
    rows = [
        (at, [one if isinstance(one := column.values[at], Decimal) else Decimal(0) for column in columns])
        for at in range(last + 1)
        if at not in known and any(isinstance(column.values[at], Decimal) for column in columns)
    ]
    found: list[int] = []
    running, between, count = rows[0][1], [Decimal(0)] * len(columns), 0
    for at, row in rows[1:]:
        if count and row == running and _RESULT.search(labels[at]):
            found.append(at)
            between, count = [Decimal(0)] * len(columns), 0
        elif count < 2 or row != between:
            running = [before - one for before, one in zip(running, row, strict=True)]
            between, count = [before + one for before, one in zip(between, row, strict=True)], count + 1
    digits = max(len(one.as_tuple().digits) for one in rows[-1][1])
    return found if found[-1:] == [last] and digits >= _DIGITS else []
