"""Finds rows that count the marks above them, such as the crosses for people who were present."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from leaf.documents.tables import row_labels
from leaf.documents.tables.model import Column, Table, Value

_ROWS = 5
"""Maximum number of rows with counts below a table."""
_COLUMNS = 4
"""Minimum number of columns of marks in which a row with an unknown label must have the right counts."""
_COUNTS: Final = frozenset({
    "", "count", "counts", "number", "present", "absent", "attendance", "attended", "participants", "yes", "no", "all",
    "anzahl", "anwesend", "anwesende", "abwesend", "teilnehmer", "teilnahme", "ja", "nein", "alle", "n", "presents",
    "présents", "présent", "absents", "nombre", "oui", "presentes", "número", "sí", "presenti", "numero", "aanwezig",
})  # fmt: skip
"""Labels of rows that count marks."""
_MARKS = 5
"""Maximum number of different marks in a column."""


def rows_of(table: Table) -> list[int]:
    """The indexes of the last rows of a table that count marks.

    In every column of marks, such a row states how often one of the marks, or an empty cell, occurs above it.
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
    labels = next((one.values for one in table.columns if one.type == "text" and not one.derived), [])
    found_labels = {str(labels[at] or "").casefold().strip(" :.") for at in found}
    columns = [one for one in texts if any(one.values[at] is not None for at in found)]
    counted = [Counter(one.values[:first]) for one in columns]
    if first < 2 or any(len(one) > _MARKS or any(is_count(str(mark)) for mark in one) for one in counted):
        return []
    marks = {str(mark or "").casefold() for one in counted for mark in one}
    is_sure = any(one in marks or one in _COUNTS or row_labels.says_total(one) for one in found_labels)
    # A list of features may contain a row of numbers too.
    least = 1 if is_sure else _COLUMNS
    return sorted(found) if len(columns) >= least and all(_counts(at, columns, counted) for at in found) else []


def is_count(cell: str) -> bool:
    """Whether a cell is a whole number."""
    return cell.isascii() and cell.isdigit()


def _counts(at: int, columns: Sequence[Column], counted: Sequence[Counter[Value]]) -> bool:
    """Whether a row counts the same mark in all columns. In a single column, the count must be at least two."""
    stated = [int(str(one.values[at] or 0)) for one in columns]
    if len(stated) < 2 and max(stated) < 2:
        return False
    marks = {mark for one in counted for mark in one}
    return any([one[mark] for one in counted] == stated for mark in marks)
