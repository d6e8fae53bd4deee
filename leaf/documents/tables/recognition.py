"""Finds the tables in the text of a file, with their headers, units, dates and totals; a sheet may have several."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import time
from functools import partial
from itertools import zip_longest
from typing import Final

from leaf import parts, texts
from leaf.documents.tables import column_units, grids, groups, headers, remarks, row_labels, totals, unit_names, values
from leaf.documents.tables.model import MIXED, Column, Refused, Source, Table, Value, letters

MAX_COLUMNS = 400
"""A year of days fits. Readers of sheets leave out columns from 500 on, so a table that was cut is refused."""
MAX_CELLS = 2_000_000
"""Maximum number of cells in all tables of a computation."""
MAX_TABLES = 200
_NEAR = 8
"""How many of the last blocks are checked for one that a new block continues."""
_UNTYPED = 3
"""How many rows at the beginning or end of a block are examined."""
_RESTS = 5
"""Maximum number of rows from the last sum to the end of a column in which words may stand in place of values."""
_NOTES = 5
"""Maximum number of a file's notes that each of its tables repeats."""
_WORD = re.compile(r"\W+")
_CODE = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,3}){0,5}")
"""The number of a row in an outline."""
_RESERVED: Final = frozenset({
    "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "between", "both", "by", "case", "cast", "check",
    "collate", "column", "create", "cross", "default", "desc", "describe", "distinct", "do", "else", "end", "except",
    "exists", "false", "fetch", "for", "foreign", "from", "full", "grant", "group", "having", "ilike", "in", "inner",
    "intersect", "into", "is", "join", "lateral", "leading", "left", "like", "limit", "natural", "not", "null",
    "offset", "on", "only", "or", "order", "outer", "pivot", "primary", "qualify", "references", "right", "select",
    "show", "some", "summarize", "table", "then", "to", "trailing", "true", "union", "unique", "unpivot", "using",
    "values", "when", "where", "window", "with",
})  # fmt: skip
"""SQL keywords that would have to be quoted as names."""


@dataclass
class _Block:
    """A rectangle of a grid without empty columns; `top` and `left` count from 0."""

    top: int
    left: int
    rows: list[Sequence[str]]
    width: int

    @classmethod
    def of(cls, top: int, left: int, rows: Sequence[Sequence[str]]) -> "_Block":
        return cls(top, left, [*rows], max(map(len, rows)))


def tables_of(sources: Iterable[Source]) -> list[Table]:
    """The tables of files, each with a unique name.

    Raises:
        Refused: The files have too many cells or columns.
    """
    found: list[Table] = []
    taken: set[str] = set()
    cells = 0
    for source in sources:
        for grid in grids.of(source):
            if any(len(row) > MAX_COLUMNS and any(map(str.strip, row[MAX_COLUMNS:])) for row in grid.rows):
                raise Refused(
                    texts.english("computed.many_columns", name=source.name, most=MAX_COLUMNS, part=grid.part)
                )
            cells += sum(map(len, grid.rows))
            if cells > MAX_CELLS:
                raise Refused(texts.english("computed.many_cells", most=MAX_CELLS))
            for table in _of_grid(source, grid, taken):
                if len(found) >= MAX_TABLES:
                    for one in found:
                        one.assumed.append(texts.english("computed.many_tables", most=MAX_TABLES))
                    return found
                found.append(table)
    return found


def named(tables: Iterable[Table], files: Sequence[str]) -> dict[str, Table]:
    """The tables of some files, by the names that `tables_of` would give them for these files alone.

    Args:
        tables: Tables of these and other files.
        files: The ids of the files.
    """
    taken: set[str] = set()
    found: dict[str, Table] = {}
    own = sorted((one for one in tables if one.file_id in files), key=lambda one: files.index(one.file_id))
    last = ""
    for table in own:
        last = name_of(f"{last} totals" if table.is_totals else table.stem, taken, "table")
        found[last] = table
    return found


def name_of(text: str, taken: set[str], otherwise: str) -> str:
    """Makes a name in SQL from a text, unlike all names in `taken`, and adds it there."""
    plain = parts.normalized("NFKD", text.casefold().replace("ß", "ss"))
    bare = "".join(one for one in plain if not unicodedata.combining(one))
    words = [word for word in _WORD.split(bare.replace("%", " percent ").replace("_", " ")) if word]
    name = "_".join(words)[:60].strip("_") or otherwise
    if name[0].isdigit():
        name = f"{otherwise}_{name}"
    if name in _RESERVED:
        name += "_"
    chosen, number = name, 1
    while chosen in taken:
        number += 1
        chosen = f"{name}_{number}"
    taken.add(chosen)
    return chosen


def _of_grid(source: Source, grid: grids.Grid, taken: set[str]) -> Iterator[Table]:
    every = _blocks(grid.rows)
    blocks = [one for one in every if len(one.rows) > 1]
    if any(_is_wide(one) for one in blocks):
        # Where there are real tables, a remark of several lines is not one.
        blocks = [one for one in blocks if _is_wide(one) or any(values.is_number(row[0]) for row in one.rows if row)]
    headings = _headings(every, blocks)
    for block in blocks:
        table = _table(source, grid, block, headings.get(block.top, []))
        if table is None:
            continue
        table.stem = grid.stem
        table.name = name_of(table.stem, taken, "table")
        yield table
        sums = totals.taken_out(table)
        totals.say_running(table)
        if sums is not None:
            sums.name = name_of(f"{table.name} totals", taken, "table")
            yield sums


def _blocks(rows: Sequence[Sequence[str]]) -> list[_Block]:
    """The rectangles of a sheet that are separated by empty rows and columns.

    An empty row does not end a table if data continue below it in the same columns.
    """
    bands: list[tuple[int, int]] = []
    begin = None
    for at, row in enumerate([*rows, ()]):
        if any(map(str.strip, row)):
            begin = at if begin is None else begin
        elif begin is not None:
            bands.append((begin, at))
            begin = None
    found: list[_Block] = []
    for top, end in bands:
        continued: set[int] = set()
        typed = _typed_columns(rows[top:end])
        for block in _joined([*_columns_apart(rows[top:end], top)], rows):
            spanning = [one for one in reversed(found[-_NEAR:]) if _spans(one, block)]
            if any(id(one) in continued for one in spanning):
                continue
            for above in spanning:
                if _goes_on(above, typed) or _has_words_only(above, block) or _is_header(above, block):
                    above.rows += [()] * (top - above.top - len(above.rows))
                    above.rows += [row[above.left : above.left + above.width] for row in rows[top:end]]
                    continued.add(id(above))
                    break
            else:
                found.append(block)
    return found


def _spans(above: _Block, below: _Block) -> bool:
    """Whether a block lies within the columns of a block above it."""
    return above.left <= below.left and below.left + below.width <= above.left + above.width


def _headings(every: Sequence[_Block], tables: Sequence[_Block]) -> dict[int, list[tuple[int, str]]]:
    """The lines of words one empty row above a table, each with its row, by the first row of the table.

    Lines that are as close to a table above them are left out.
    """
    found: dict[int, list[tuple[int, str]]] = {}
    ends = {one.top + len(one.rows) for one in tables}
    words = [one for one in every if one.width == 1 and one not in tables and not values.is_number(one.rows[0][0])]
    at_end = {one.top + len(one.rows): one for one in words}
    for table in tables:
        above = at_end.get(table.top - 1)
        if above is not None and above.top - 1 not in ends and above.top not in ends and _spans(table, above):
            lines = [(row, line[0].strip()) for row, line in enumerate(above.rows, above.top) if line]
            found[table.top] = lines[-headers.TITLE_ROWS :]
    return found


def _is_wide(block: _Block) -> bool:
    return block.width > 1


def _columns_apart(rows: Sequence[Sequence[str]], top: int) -> Iterator[_Block]:
    width = max(map(len, rows))
    used = [False] * width
    for row in rows:
        for at, cell in enumerate(row):
            if cell and not used[at] and not cell.isspace():
                used[at] = True
        if all(used):
            break
    begin = None
    for at, is_used in enumerate([*used, False]):
        if is_used:
            begin = at if begin is None else begin
        elif begin is not None:
            part = [*rows] if at - begin == width else [row[begin:at] for row in rows]
            # Of two tables side by side, one may begin lower or end earlier.
            first = next(number for number, row in enumerate(part) if any(map(str.strip, row)))
            while not any(map(str.strip, part[-1])):
                part.pop()
            yield _Block.of(top + first, begin, part[first:])
            begin = None


def _joined(blocks: Sequence[_Block], rows: Sequence[Sequence[str]]) -> list[_Block]:
    """The blocks of a stretch of rows. A block with only columns of numbers is joined to the block before it, because
    the empty column between them is only visual.
    """
    found: list[_Block] = []
    for block in blocks:
        last = found[-1] if found else None
        beside = last is not None and (last.left + last.width + 1, last.top) == (block.left, block.top)
        if last is not None and beside and len(last.rows) == len(block.rows) and _has_numbers_only(block):
            width = block.left + block.width - last.left
            end = last.top + len(last.rows)
            found[-1] = _Block(
                last.top, last.left, [row[last.left : last.left + width] for row in rows[last.top : end]], width
            )
        else:
            found.append(block)
    return found


def _has_numbers_only(block: _Block) -> bool:
    """Whether every column of a block has numbers, and no words below its first row."""
    columns = [
        [cell for row in block.rows[1:] if (cell := row[at].strip() if at < len(row) else "")]
        for at in range(block.width)
    ]
    return all(cells and all(values.is_number(cell) for cell in cells) for cells in columns)


def _typed_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """The columns with a number or a date in the first row that has any; empty if one has a cell above that row."""
    first = next((number for number, row in enumerate(rows[:_UNTYPED]) if any(map(headers.is_typed, row))), 0)
    typed = [at for at, cell in enumerate(rows[first]) if headers.is_typed(cell)]
    is_below = any(row[at].strip() for row in rows[:first] for at in typed if at < len(row))
    return [] if is_below else typed


def _has_words_only(above: _Block, below: _Block) -> bool:
    """Whether two blocks in the same columns have words in all cells that are examined."""
    if (above.left, above.width) != (below.left, below.width) or above.width < 2 or len(above.rows) < 2:
        return False
    rows = [*above.rows[-_UNTYPED:], *below.rows[:_UNTYPED]]
    return all(
        len(row) == above.width and all(map(str.strip, row)) and not any(map(headers.is_typed, row)) for row in rows
    )


def _is_header(above: _Block, below: _Block) -> bool:
    """Whether a single row labels all columns of the block below it, which has no header of its own."""
    cells = [*map(str.strip, above.rows[0])]
    has_labels = len(above.rows) == 1 < len(below.rows) and all(cells) and not any(map(headers.is_typed, cells))
    is_same = above.width > 1 and (above.left, above.width) == (below.left, below.width)
    return has_labels and is_same and any(map(headers.is_typed, below.rows[0]))


def _goes_on(above: _Block, typed: Sequence[int]) -> bool:
    """Whether rows with numbers or dates in the columns `typed` continue a block, which has such values there too."""
    last = above.rows[-1]
    within = [at - above.left for at in typed if above.left <= at < above.left + above.width]
    return (
        len(above.rows) > 1
        and bool(within)
        and all(at < len(last) and (headers.is_typed(last[at]) or values.is_empty(last[at])) for at in within)
    )


def _table(source: Source, grid: grids.Grid, block: _Block, headings: Sequence[tuple[int, str]]) -> Table | None:
    rows = [*block.rows]
    width = block.width
    lone = headers.titles(rows, width) if width > 1 else []
    top, rows = block.top + len(lone), rows[len(lone) :]
    titles = [*headings, *((block.top + row, cell) for row, cell in enumerate(lone))]
    assumed = [*source.notes[:_NOTES]]
    assumed += [texts.english("computed.title_row", row=row + 1, title=title[:60]) for row, title in titles]
    labels, used = headers.header(rows, width)
    if used > 1:
        assumed.append(texts.english("computed.header_rows", first=top + 1, last=top + used))
    if not used:
        assumed.append(texts.english("computed.no_header", row=top + 1))
    elif headers.is_of_numbers(rows):
        cells = ", ".join(filter(None, map(str.strip, rows[0])))
        assumed.append(texts.english("computed.number_header", row=top + 1, cells=cells[:60]))
    header = top + used if used else None
    body = [(number, row) for number, row in enumerate(rows[used:], top + used + 1) if any(map(str.strip, row))]
    if not body:
        return None
    title = (top, rows_above[-1]) if (rows_above := block.rows[: len(lone)]) else None
    body, left_out = remarks.without(body, rows[:used], width, title)
    assumed += left_out + (_beyond(labels, body) if source.kind == "csv" and used else [])
    if not body:
        return None
    columns, body = _columns(block, labels, body, assumed, grid)
    names = {"_row", *(one.name for one in columns)}
    above = [*(title for _, title in headings), *(cell for row in block.rows[: len(lone)] for cell in row)]
    columns = column_units.settle(columns, lambda text: name_of(text, names, "unit"), assumed, above)
    return Table(
        "", source.file_id, source.revision, source.name, grid.part, header, columns, [number for number, _ in body],
        ", ".join(title for _, title in titles), assumed, indents=_indents(body),
    )  # fmt: skip


def _indents(body: Sequence[groups.Row]) -> dict[int, int]:
    """The depth of each row in an outline, by its code or by the blanks before its first cell; empty for no outline."""
    first = {number: row[0] for number, row in body if row and row[0].strip()}
    codes = {number: cell.strip().rstrip(".") for number, cell in first.items() if not row_labels.says_total(cell)}
    if _are_codes([*codes.values()]):
        return {number: code.count(".") for number, code in codes.items()}
    found = {number: len(cell) - len(cell.lstrip()) for number, cell in first.items()}
    return found if len({*found.values()}) > 1 else {}


def _are_codes(cells: Sequence[str]) -> bool:
    """Whether cells number an outline, such as 1, 1.1 and 1.2: none is without the number before or above it."""
    if len({*cells}) < len(cells) or not any("." in cell for cell in cells) or not all(map(_CODE.fullmatch, cells)):
        return False
    codes = {tuple(map(int, cell.split("."))) for cell in cells}
    return all(
        len(code) == 1 or (code[:-1] in codes and (code[-1] == 1 or (*code[:-1], code[-1] - 1) in codes))
        for code in codes
    )


def _beyond(labels: Sequence[str], body: Sequence[groups.Row]) -> list[str]:
    """Says that a few rows have cells after the last column with a name, as where 95,000 was cut at its comma."""
    named = max((at for at, label in enumerate(labels, 1) if label.strip()), default=0)
    longer = [(number, cell) for number, row in body if (cell := "".join(row[named:]).strip())]
    # If nearly all rows have a further column, it may lack its name; only digits may be the decimals of numbers.
    if not longer or (2 * len(longer) > len(body) and not all(cell.isdecimal() for _, cell in longer)):
        return []
    number, cell = longer[0]
    return [texts.english("computed.beyond_header", row=number, text=cell[:60], count=len(longer))]


def _columns(
    block: _Block, labels: Sequence[str], body: list[groups.Row], assumed: list[str], grid: grids.Grid
) -> tuple[list[Column], list[groups.Row]]:
    """The columns of a table, and its rows without those that only name a group of rows below them."""
    assumptions: list[str] = []
    signs: set[str] = set()
    found = _read(block, labels, body, assumptions, signs, grid)
    if {"computed.point_thousands", "computed.point_decimal"} <= signs:
        # A table has only one decimal sign, so it is read again.
        assumptions = []
        found = _read(block, labels, body, assumptions, signs, replace(grid, european=True))
    assumed += assumptions
    return found


def _read(
    block: _Block, labels: Sequence[str], body: list[groups.Row], assumed: list[str], signs: set[str], grid: grids.Grid
) -> tuple[list[Column], list[groups.Row]]:
    """Does the work of `_columns`; `signs` receives the keys of assumptions about decimal signs."""
    is_of_money = bool(labels) and unit_names.is_of_money(unit_names.unit_of_label(labels[0]))
    columns: list[Column] = []
    taken: set[str] = {"_row"}
    names: groups.Names | None = None
    outer: groups.Names | None = None
    if block.width > 1 and (headed := groups.headed(body)) is not None:
        body, named, first_is_empty = headed
        assumed.append(texts.english("computed.headed", section=named.names[0][:60], row=named.rows[0]))
        if first_is_empty:
            names = named
        else:
            columns.append(_sections(named, body, block.left, taken))
    for at, (_, *column) in enumerate(zip_longest([""] * block.width, *(row for _, row in body), fillvalue="")):
        cells = [*map(str.strip, column)]
        own = names if at == 0 else None
        if own is None and (at == 0 or (outer is not None and at < 3)):
            own = outer = groups.filled_down(cells, body, at, outer)
            if own is not None:
                column_name = labels[at] or letters(block.left + at)
                assumed.append(texts.english("computed.filled_down", column=column_name, cell=cells[0][:60]))
        if own is not None:
            cells = [name or cell for name, cell in zip(own.names, cells, strict=True)]
        if not labels[at] and not any(cells):
            continue
        read = partial(
            values.read, label=labels[at], european=grid.european, typed=grid.typed, of_money=is_of_money and at > 0
        )
        columns += _column(cells, labels[at], block.left + at, body, taken, assumed, signs, read)
        if own is not None:
            columns[-1].named_in = own.named_in(body)
    return columns, body


def _sections(named: groups.Names, body: Sequence[groups.Row], place: int, taken: set[str]) -> Column:
    column = Column(
        name_of("section", taken, "section"), "Section", place, "text", [one or None for one in named.names]
    )
    column.derived, column.named_in = True, named.named_in(body)
    return column


def _column(
    cells: Sequence[str], label: str, place: int, body: Sequence[tuple[int, Sequence[str]]], taken: set[str],
    assumed: list[str], signs: set[str], read: partial[values.Read],
) -> list[Column]:  # fmt: skip
    """The column, followed by a column of its units if its cells have different ones."""
    found = _values_of(cells, read)
    if found.type == "clock" and _is_summed_up(found.values, body):
        found = _values_of(cells, partial(read, is_summed_up=True))
    name = name_of(label, taken, "column")
    shown = label or f"column {name}"
    signs |= {key for key, _ in found.assumed}
    assumed += [texts.english(key, column=shown, cell=cell) for key, cell in found.assumed]
    column = Column(name, label or name, place, found.type, found.values, found.unit)
    column.unread = {body[at][0]: cells[at][:60] for at in found.unread}
    if found.unit != MIXED:
        return [column]
    column.unit_column = name_of(f"{name} unit", taken, "unit")
    return [column, column_units.of_units(column, found.units)]


def _is_summed_up(times: Sequence[Value], body: Sequence[groups.Row]) -> bool:
    """Whether the last time would be the sum of the others, and stands in a row of sums or in one without words."""
    *others, last = times
    words = [cell for cell in map(str.strip, body[-1][1]) if cell and not headers.is_typed(cell) and ":" not in cell]
    lengths = [_seconds(one) for one in others if isinstance(one, time)]
    is_of_sums = not words or any(map(row_labels.says_total, words))
    return len(lengths) > 1 and is_of_sums and isinstance(last, time) and sum(lengths) == _seconds(last)


def _seconds(length: time) -> int:
    return (length.hour * 60 + length.minute) * 60 + length.second


def _values_of(cells: Sequence[str], read: Callable[[Sequence[str]], values.Read]) -> values.Read:
    """The values of a column. In a column of dates or numbers, labels of sums such as "Total" and "Q1" stay unread."""
    found = read(cells)
    if found.type != "text":
        return found
    of_sums = {
        one
        for one in {*cells}
        if row_labels.may_sum_up(one) and (row_labels.says_total(one) or row_labels.says_period(one))
    }
    if not of_sums:
        return found
    is_label = [one in of_sums for one in cells]
    # The rows below the last sum may have words of their own.
    last = len(is_label) - 1 - is_label[::-1].index(True)
    if len(is_label) - last <= _RESTS:
        is_label[last + 1 :] = [not headers.is_typed(one) for one in cells[last + 1 :]]
    without_labels = read(["" if label else cell for cell, label in zip(cells, is_label, strict=True)])
    if without_labels.type == "text":
        return found
    without_labels.unread += [at for at, label in enumerate(is_label) if label]
    return without_labels
