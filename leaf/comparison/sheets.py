"""Compares tables of several files that have the same headers, row by row, by a key column."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from leaf.comparison.model import Edition, note, remark
from leaf.documents import Segment, tables
from leaf.documents.tables import Column, Table, grids
from leaf.documents.text import rows_of

_LIKE_HEADERS: Final = 0.5
"""The minimum share of headers that two compared tables have in common."""
_UNIQUE: Final = 0.9
_SHARED_KEYS: Final = 0.2
_ROW_CHARACTERS: Final = 500
_VALUE_CHARACTERS: Final = 80
MOST_ROWS: Final = 100_000
"""The maximum number of rows of a compared table. Larger tables are not compared row by row."""


@dataclass
class Rows:
    """The result of comparing tables."""

    differing: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The differing rows, in the form of `lines.compare`."""
    same: int = 0
    notes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    tables: list[tuple[int, Table]] = field(default_factory=list[tuple[int, Table]])
    """The tables that were compared, each with the number of its file."""


@dataclass
class _Grid:
    """A table of a file, and its rows as written in the file."""

    column: int
    table: Table
    labels: dict[str, Column]
    raw: list[str]

    def row(self, at: int) -> tuple[str, str]:
        """The place and the text of the row at an index."""
        number = self.table.rows[at]
        line = " ".join((self.raw[number - 1] if number <= len(self.raw) else "").split())
        part = self.table.part
        return f"row {number}" if part == "rows" else f"{part}, row {number}", line[:_ROW_CHARACTERS]


def compared(editions: Sequence[Edition]) -> Rows:
    """Compares the tables that have similar headers in at least two of the files."""
    found = Rows()
    own: list[list[_Grid]] = []
    for column, edition in enumerate(editions):
        try:
            own.append([*_grids(column, edition)])
        except tables.Refused as refused:
            found.notes.append(remark(refused.message))
            own.append([])
    for group in _groups(own):
        found.tables += [(one.column, one.table) for one in group]
        _compare(group, editions, found)
    return found


def _grids(column: int, edition: Edition) -> Iterator[_Grid]:
    if edition.kind == "pdf":
        # The text of a PDF has the words of its tables but not the cells.
        return
    source = tables.Source(edition.file_id, edition.revision, edition.name, edition.kind, edition.segments)
    written = {**dict(grids.whole(edition.segments)), "rows": "".join(one.text for one in edition.segments)}
    raw: dict[str, list[list[str]]] = {}
    for table in tables.tables_of([source]):
        if len(table.rows) <= MOST_ROWS:
            labels = {_folded(one.label): one for one in table.columns if one.label and not one.derived}
            part, number = _place(table)
            if part not in raw:
                raw[part] = _raw(written.get(part, ""), in_text=number > 0)
            rows = raw[part][max(0, number - 1)] if number <= len(raw[part]) else []
            yield _Grid(column, table, labels, rows)


def _place(table: Table) -> tuple[str, int]:
    """Returns the segment that contains a table, and the table's number in it, from 1; 0 if the table is a sheet."""
    part, _, number = table.part.rpartition(", table ")
    return (part, int(number)) if part and number.isdigit() else (table.part, 0)


def _raw(text: str, *, in_text: bool) -> list[list[str]]:
    """The rows of each table of a part, as written."""
    return [[line for _, line in one] for one in _in_text(text)] if in_text else [rows_of(text)]


def _in_text(text: str) -> list[list[tuple[int, str]]]:
    """The tables of a Markdown text. Each line of a table has its number in the text, from 0, and its text without
    outer bars.
    """
    return [[(number, line.strip("| ")) for number, line in lines] for lines in grids.in_text(text)]


def rest(edition: Edition, compared: Sequence[Table]) -> list[Segment]:
    """The segments of a file without the tables that were compared row by row."""
    parts: dict[str, list[Table]] = {}
    for one in compared:
        parts.setdefault(_place(one)[0], []).append(one)
    if "rows" in parts:
        return []
    known = {one.part: one for one in edition.segments}
    joined = [known.get(part, Segment(part, None, text)) for part, text in grids.whole(edition.segments)]
    # Segments of one text are joined only if one of the text's tables was compared.
    segments = joined if parts.keys() - known.keys() else edition.segments
    return [replace(one, text=_without(one.text, parts[one.part])) if one.part in parts else one for one in segments]


def _without(text: str, compared: Sequence[Table]) -> str:
    numbers = [_place(one)[1] for one in compared]
    if any(numbers):
        found = _in_text(text)
        lines = text.splitlines(keepends=True)
        left_out = {at for number in numbers if 0 < number <= len(found) for at, _ in found[number - 1]}
    else:
        lines, left_out = rows_of(text), set[int]()
        for one in compared:
            left_out |= {*range((one.header or one.rows[0]) - 1, one.rows[-1])} if one.rows else set()
    return "".join(line for at, line in enumerate(lines) if at not in left_out)


def _groups(several: Sequence[Sequence[_Grid]]) -> Iterator[list[_Grid]]:
    """Yields groups of tables of different files with similar headers. A group begins with the table of the first
    file.
    """
    taken = set[int]()
    for column, own in enumerate(several):
        for grid in own:
            if id(grid) in taken:
                continue
            group = [grid]
            for others in several[column + 1 :]:
                scored = [(_alike(grid, one), -at) for at, one in enumerate(others) if id(one) not in taken]
                score, at = max(scored, default=(0.0, 0))
                if score >= _LIKE_HEADERS:
                    group.append(others[-at])
            if len(group) > 1:
                taken |= {id(one) for one in group}
                yield group


def _alike(one: _Grid, other: _Grid) -> float:
    if one.table.is_totals != other.table.is_totals:
        return 0.0
    every = one.labels.keys() | other.labels.keys()
    share = len(one.labels.keys() & other.labels.keys()) / len(every) if every else 0.0
    return share + (0.1 if share and one.table.part == other.table.part else 0.0)


def _compare(group: Sequence[_Grid], editions: Sequence[Edition], found: Rows) -> None:
    shared = [label for label in group[0].labels if all(label in one.labels for one in group)]
    key = next((labels for labels in _keys(group[0], shared) if _is_key(group, labels)), ())
    keyed = [_keyed(one, key, shared) for one in group]
    compared = [label for label in shared if label not in key]
    _name_columns(group, shared, editions, found)
    if key:
        names = "”, “".join(group[0].labels[label].label[:_VALUE_CHARACTERS] for label in key)
        found.notes.append(note("comparisons.matched_by", column=names))
    for name in dict.fromkeys(name for one in keyed for name in one):
        rows = {one.column: (one, own[name]) for one, own in zip(group, keyed, strict=True) if name in own}
        differing = [label for label in compared if len({_value(one, label, at) for one, at in rows.values()}) > 1]
        if len(rows) == len(group) and not differing:
            found.same += 1
        else:
            found.differing.append(_difference(rows, key, differing, len(editions)))


def _difference(
    rows: Mapping[int, tuple[_Grid, int]], key: Sequence[str], differing: Sequence[str], files: int
) -> dict[str, Any]:
    """A differing row in the form of `lines.compare`.

    Args:
        rows: The table and the index of the row, by the number of the file.
        key: The labels of the key columns.
        differing: The labels of the columns whose values differ.
        files: The number of compared files.
    """
    cells: list[dict[str, Any] | None] = [None] * files
    for column, (grid, at) in rows.items():
        part, quote = grid.row(at)
        values = "; ".join(f"{grid.labels[label].label}: {_cell_text(grid, label, at)}" for label in differing)
        cells[column] = {"part": part, "quote": quote, "value": values[:_ROW_CHARACTERS], "marks": []}
    first, at = next(iter(rows.values()))
    about = " · ".join(_cell_text(first, label, at) for label in key)[:_ROW_CHARACTERS]
    return {
        "kind": "value" if differing else "only", "about": about or first.row(at)[1][:_VALUE_CHARACTERS],
        "table": True, "cells": cells,
    }  # fmt: skip


def _name_columns(group: Sequence[_Grid], shared: Sequence[str], editions: Sequence[Edition], found: Rows) -> None:
    for one in group:
        if own := [column.label for label, column in one.labels.items() if label not in shared]:
            names = ", ".join(f"“{label[:_VALUE_CHARACTERS]}”" for label in own[:10])
            found.notes.append(note("comparisons.own_columns", file=editions[one.column].label, columns=names))


def _keys(grid: _Grid, labels: Sequence[str]) -> list[tuple[str, ...]]:
    """The candidates for the key: each column of texts or dates, then all of these together, then each column of
    numbers.
    """
    words = [label for label in labels if grid.labels[label].type != "number"]
    numbers = [label for label in labels if grid.labels[label].type == "number"]
    return [*((label,) for label in words), *([tuple(words)] if len(words) > 1 else []), *((one,) for one in numbers)]


def _is_key(group: Sequence[_Grid], labels: Sequence[str]) -> bool:
    """Whether the values of these columns are nearly unique in each table, and enough of them occur in all tables."""
    several = [[_name(one, labels, at) for at in range(len(one.table.rows))] for one in group]
    if any(not own or len({*own} - {""}) < _UNIQUE * len(own) for own in several):
        return False
    first = {*several[0]}
    return all(len(first & {*own}) >= _SHARED_KEYS * min(len(first), len({*own})) for own in several[1:])


def _name(grid: _Grid, labels: Sequence[str], at: int) -> str:
    """The values of a row in the given columns, joined into one string."""
    return "\x01".join(_value(grid, label, at) for label in labels)


def _keyed(grid: _Grid, key: Sequence[str], shared: Sequence[str]) -> dict[str, int]:
    """The indexes of the rows by their key, or by all shared values if there is no key. Rows with the same key are
    numbered.
    """
    found: dict[str, int] = {}
    counts: dict[str, int] = {}
    for at in range(len(grid.table.rows)):
        name = _name(grid, key or shared, at)
        counts[name] = counts.get(name, 0) + 1
        found[f"{name}\x00{counts[name]}"] = at
    return found


def _value(grid: _Grid, label: str, at: int) -> str:
    """The text of a cell in the form in which it is compared."""
    return _folded(_cell_text(grid, label, at))


def _cell_text(grid: _Grid, label: str, at: int) -> str:
    column = grid.labels[label]
    value = column.values[at]
    if value is None:
        text = column.unread.get(grid.table.rows[at]) or column.unread.get(at) or ""
    elif isinstance(value, Decimal):
        text = f"{value.normalize():f}"
    elif isinstance(value, datetime):
        text = value.isoformat(" ", "minutes")
    else:
        text = str(value)
    has_unit = value is not None and column.unit and column.type == "number" and len(column.unit) < 5
    return f"{text[:_VALUE_CHARACTERS]}{f' {column.unit}' if has_unit else ''}"


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
