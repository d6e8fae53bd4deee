"""Rows that count the marks above them, such as the crosses of those who were present."""

from collections import Counter
from collections.abc import Sequence

from leaf.documents.tables.model import Column, Table, Value

_ROWS = 5
"""Rows of counts below a table, at most."""
_MARKS = 5
"""Different marks of a column, at most."""


def rows_of(table: Table) -> list[int]:
    """The last rows of a table that have, in each column of marks, the number of one of these marks above them, or of
    the empty cells.
    """
    texts = [one for one in table.columns if one.type == "text" and not one.derived][1:]
    found: list[int] = []
    end = len(table.rows)
    for at in range(end - 1, max(1, end - 1 - _ROWS), -1):
        filled = [one for one in texts if one.values[at] is not None]
        if not filled or not all(is_count(str(one.values[at])) for one in filled):
            break
        found.append(at)
    first = min(found, default=end)
    columns = [one for one in texts if any(one.values[at] is not None for at in found)]
    counted = [Counter(one.values[:first]) for one in columns]
    if first < 2 or any(len(one) > _MARKS or any(is_count(str(mark)) for mark in one) for one in counted):
        return []
    return sorted(found) if all(_counts(at, columns, counted) for at in found) else []


def is_count(cell: str) -> bool:
    """Whether a cell is a whole number."""
    return cell.isascii() and cell.isdigit()


def _counts(at: int, columns: Sequence[Column], counted: Sequence[Counter[Value]]) -> bool:
    """Whether a row has the number of the same mark in all columns: in two of them, or of two marks."""
    stated = [int(str(one.values[at] or 0)) for one in columns]
    if len(stated) < 2 and max(stated) < 2:
        return False
    marks = {mark for one in counted for mark in one}
    return any([one[mark] for one in counted] == stated for mark in marks)
