"""Describes the cells that a result rests on: their ranges, the rows that were left out, and a view of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from leaf import texts
from leaf.documents.pieces import stretches
from leaf.documents.tables import values
from leaf.documents.tables.model import Column, Table, letters

if TYPE_CHECKING:
    from leaf.documents.tables.statement import Use
    from leaf.documents.tables.wording import Wording

MAX_RANGES: Final = 40
"""Maximum number of ranges for one table."""
_VIEW_ROWS: Final = 40
_VIEW_COLUMNS: Final = 12
_LISTED: Final = 20
"""Maximum number of cells of a kind that are listed."""


def of(use: "Use", numbers: set[int], wordings: Mapping[str, "Wording"], *, view: bool) -> dict[str, Any]:
    """Describes the cells of a table that a statement used.

    Args:
        use: The table, as the statement reads it.
        numbers: The numbers of the rows that were used.
        wordings: The words of each language for the statement.
        view: Whether to add a view.

    Returns:
        `file_id`, `revision`, `file`, `name`, `part`, `place` and `header` of the table. `rows` (how many were used)
        and `filtered` (how many were not), with their `condition` by language, or an empty text. `cells`: ranges such
        as B2:B13. `blank`: by column label, how many empty cells were used, or left their row out. `errors`: used
        cells with the error of a formula. `unread`: other used cells that do not fit the type of their column.
        `totals`: rows left out because they sum up others. `assumed`: assumptions, each a text or its texts by
        language. `view`: see `engine.compute`.
    """
    table: Table = use.table
    rows = [number for number in table.rows if number in numbers]
    columns = [one for name in use.columns if (one := table.column(name)) is not None]
    if not columns:
        # A count of rows uses all cells of these rows.
        columns = [one for one in table.columns if not one.derived]
    blank = Counter[str]()
    for one in columns:
        if one.type == "number":
            blank[one.label] += sum(row in numbers for row in _empty(table, one))
    for one in _compared(use):
        blank[one.label] += sum(row not in numbers for row in _empty(table, one))
    return {
        "file_id": table.file_id, "revision": table.revision, "file": table.file, "name": table.name,
        "part": table.part, "place": table.place, "header": table.header, "rows": len(rows),
        "cells": _cells(columns, rows), "condition": _condition(use, wordings),
        "filtered": len(table.rows) - len(rows),
        "blank": {label: count for label, count in blank.items() if count},
        "errors": _unread(columns, numbers, are_errors=True), "unread": _unread(columns, numbers, are_errors=False),
        "totals": table.totals[:20], "assumed": [_by_language(one) for one in table.assumed[:20]],
        **({"view": _view(table, {one.name for one in columns}, numbers)} if view else {}),
    }  # fmt: skip


def _empty(table: Table, column: Column) -> Iterator[int]:
    """Yields the numbers of the rows in which a column is empty."""
    for row, value in zip(table.rows, column.values, strict=True):
        if value is None and row not in column.unread:
            yield row


def _compared(use: "Use") -> list[Column]:
    """The columns whose values decide which rows are used, without those that are only tested for being empty."""
    tests = use.condition.find_all(exp.Is) if use.condition is not None else ()
    emptiness = {column.name for one in tests for column in one.find_all(exp.Column)}
    found = (use.table.column(name) for name in use.tested if name not in emptiness)
    return [one for one in found if one is not None]


def _unread(columns: Sequence[Column], numbers: set[int], *, are_errors: bool) -> list[str]:
    """The used cells without a value that are, or are not, errors of formulas, with their texts."""
    every = ((f"{one.letters}{row}", text, row) for one in columns for row, text in one.unread.items())
    found = [
        f"{place} “{text}”" for place, text, row in every if row in numbers and values.is_error(text) == are_errors
    ]
    return found if len(found) <= _LISTED else [*found[:_LISTED], f"… ({len(found)})"]


def _condition(use: "Use", wordings: Mapping[str, "Wording"]) -> str | dict[str, str]:
    if use.condition is None:
        return ""
    return {language: one.of(use.condition.unnest())[:500] for language, one in wordings.items()}


def _by_language(text: str) -> str | dict[str, str]:
    if not isinstance(text, texts.Message):
        return text
    return {language: texts.of(language)(text.key, **text.parameters) for language in texts.LANGUAGES}


def _view(table: Table, used: set[str], numbers: set[int]) -> dict[str, Any]:
    """The used rows with one row above and below each, and the first columns with the used ones."""
    near = [at for at, row in enumerate(table.rows) if numbers & {row - 1, row, row + 1}]
    columns = [one for one in table.columns if not one.derived]
    if len(columns) > _VIEW_COLUMNS:
        columns = [one for at, one in enumerate(columns) if at < 2 or one.name in used][:_VIEW_COLUMNS]
    rows = [
        {
            "number": table.rows[at],
            "cells": [
                [
                    _text(one.values[at], one.unread.get(table.rows[at], "")),
                    one.name in used and table.rows[at] in numbers,
                ]
                for one in columns
            ],
        }
        for at in near[:_VIEW_ROWS]
    ]
    return {"head": [f"{one.letters} · {one.label}" for one in columns], "rows": rows}


def _text(value: Any, unread: str) -> str:
    if value is None:
        return unread
    return f"{value:,f}" if isinstance(value, Decimal) else str(value)[:80]


def _cells(columns: Sequence[Column], rows: Sequence[int]) -> list[str]:
    """The ranges of the cells that contain the values of some rows and columns; at most `MAX_RANGES`."""
    found = _ranges([one for one in columns if not one.named_in], rows)
    for column in columns:
        if column.named_in:
            places = {column.named_in.get(row, 0 if column.derived else row) for row in rows}
            found += _ranges([column], sorted(places - {0}))
    return found[:MAX_RANGES]


def _ranges(columns: Sequence[Column], rows: Sequence[int]) -> list[str]:
    """Cells as ranges such as `B2:C13` and `B15`; at most `MAX_RANGES`."""
    down = stretches(rows)
    made = (
        f"{letters(left)}{top}" if (left, top) == (right, bottom) else f"{letters(left)}{top}:{letters(right)}{bottom}"
        for left, right in stretches(sorted({one.place for one in columns}))
        for top, bottom in down
    )
    return [*islice(made, MAX_RANGES)]
