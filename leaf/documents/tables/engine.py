"""Runs a checked SELECT over tables in DuckDB, in a process that cannot open files or connections meanwhile.

DuckDB's own limits are not enough: version 2.0 lets `unnest(range(…))` and `repeat` grow to gigabytes, and cannot be
interrupted in them. So `statement` does not allow such functions, the address space is limited, and the parent process
kills this one if it takes too long (`leaf.documents.isolation`).
"""

import csv
import io
import threading
import time
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from datetime import time as clock
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from leaf import texts
from leaf.documents.tables import unit_names, used_cells
from leaf.documents.tables.model import MIXED, PURE, Cell, Column, Refused, Source, Table, TooMuch
from leaf.documents.tables.recognition import name_of, named, tables_of

if TYPE_CHECKING:
    from leaf.documents.tables.statement import Checked, Earlier, Use

SECONDS: Final = 2.0
"""Maximum CPU time of a statement."""
_WAITED_SECONDS: Final = 8.0
"""Maximum wall-clock time of a statement, which is longer because other work may occupy the CPU."""
_LOOK_SECONDS: Final = 0.05
MEMORY_MB: Final = 256
MAX_ROWS: Final = 200
MAX_VALUES: Final = 4_000
"""Maximum number of values in a result. A result with many columns has fewer than `MAX_ROWS` rows."""
MAX_DESCRIBED: Final = 40
"""Maximum number of tables that are described. Only the names of the others are given; they can be used too."""
_ROOM_BYTES: Final = 512 * 1024 * 1024
"""Address space that a computation may add: DuckDB's memory, and what it needs besides."""
_SAMPLES: Final = 3
_SAMPLE_CHARACTERS: Final = 80
_TEXT: Final = 500
_SETTINGS: Final = (
    f"SET memory_limit='{MEMORY_MB}MB'", "SET temp_directory=''", "SET autoinstall_known_extensions=false",
    "SET autoload_known_extensions=false", "SET allow_community_extensions=false", "SET enable_external_access=false",
    "SET python_enable_replacements=false", "SET enable_progress_bar=false",
)  # fmt: skip


def describe(sources: Sequence[Source]) -> dict[str, Any]:
    """Describes the tables of files for a model that writes a statement: name, place, columns and first rows.

    Raises:
        Refused: The files have no tables, or too many cells.
    """
    tables = _tables(sources)
    left_out = {"more_tables": [one.name for one in tables[MAX_DESCRIBED:]]} if len(tables) > MAX_DESCRIBED else {}
    return {"tables": [_description(one) for one in tables[:MAX_DESCRIBED]], **left_out}


def compute(
    sources: Sequence[Source], query: str, *, units: Mapping[str, str] | None = None, cells: Sequence[Cell] = (),
    view: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Runs a statement, and returns its result with the cells that it rests on.

    Args:
        sources: The files whose tables it may read.
        query: One SELECT.
        units: Units of columns that have none in their file, by table and column (`costs.vat`).
        cells: Earlier computations that it may read as tables. Each comes after those that it uses itself.
        view: Whether to add a `view` to each table: `head` (letters and labels) and `rows` (each with its `number` and
            `cells`; a cell is a text and whether it was used).

    Returns:
        `columns`: each with `name`, `unit` and `label`; also `mixed` if its rows have different units, `pure` for
        counts and ratios, and `constant` if it rests on no cell. `rows`, and `more`: whether there are further rows.
        `query`: the statement for people. `formula`: the result in words, by language. `tables`: for each table that
        was read, the result of `used_cells.of`. `units` and `cells` are the arguments, if there are any.

    Raises:
        Refused: The statement is not allowed, fails, or needs too much; the message says which.
    """
    # The parser takes a second to load, and only this function needs it.
    import duckdb

    from leaf.documents.tables import statement, wording

    tables = _tables(sources)
    _assume({one.name: one for one in tables}, units or {})
    checked = statement.check(query, tables, _earlier(tables, cells))
    loaded = {use.table.name for use in checked.uses}
    connection = duckdb.connect(":memory:", config={"threads": 1})
    try:
        for setting in _SETTINGS:
            connection.execute(setting)
        for table in tables:
            if table.name in loaded:
                _load(connection, table, checked.columns)
        connection.execute("SET lock_configuration=true")
        with _sealed(), _limited(connection, duckdb):
            names, rows, most = _fetched(connection, checked)
            read = [{one[0] for one in connection.execute(use.rows).fetchall()} for use in checked.uses]
    finally:
        connection.close()
    for use, numbers in zip(checked.uses, read, strict=True):
        _require_results(use, numbers)
    labels = {column.name: column.label for one in tables if one.name in loaded for column in one.columns}
    wordings = wording.by_language(checked.tree, checked.cells, labels)
    return {
        "columns": _columns(names, checked, labels),
        "rows": [[_json(value) for value in row] for row in rows[:most]],
        "more": len(rows) > most,
        "query": checked.shown,
        **({"units": dict(units)} if units else {}),
        **({"cells": [one.data() for one in cells]} if cells else {}),
        "formula": {language: one.formula() for language, one in wordings.items()},
        "tables": [used_cells.of(*one, wordings, view=view) for one in zip(checked.uses, read, strict=True)],
    }


def _require_results(use: "Use", numbers: set[int]) -> None:
    """Refuses a result that rests on formulas without a stored result.

    Raises:
        Refused: A cell whose value is used, or a cell that decides which rows are used, is such a formula.
    """
    for column in use.table.columns:
        rows = use.table.rows if column.name in use.tested else numbers if column.name in use.columns else ()
        row = next((row for row in rows if column.unread.get(row, "").startswith("=")), None)
        if row is not None:
            raise Refused(
                f"{column.letters}{row} in {use.table.part} of “{use.table.file}” is a formula without a stored result "
                f"({column.unread[row][:40]}): the program that wrote the file does not calculate. Somebody has to "
                f"open the file in a spreadsheet program and save it."
            )


def _earlier(tables: Sequence[Table], cells: Sequence[Cell]) -> list["Earlier"]:
    """Earlier computations with the tables that they read, to which their assumed units are added."""
    from leaf.documents.tables import statement

    found = [statement.Earlier(one.name, one.query, named(tables, one.files)) for one in cells]
    for cell, one in zip(cells, found, strict=True):
        _assume(one.tables, cell.units)
    return found


def _fetched(connection: Any, checked: "Checked") -> tuple[list[str], list[tuple[Any, ...]], int]:
    """Column names and rows of a result, and the maximum number of rows to return. One row beyond it may be included.

    Raises:
        Refused: It is not a single statement, or it adds values with different units.
    """
    if len(connection.extract_statements(checked.sql)) != 1:
        raise Refused("Pass exactly one statement.")
    for reason, counted in checked.unit_checks:
        different = connection.execute(counted).fetchone()
        if different is not None and (different[0] or 0) > 1:
            raise Refused(reason)
    cursor = connection.execute(checked.sql)
    names = [one[0] for one in cursor.description or ()]
    most = max(1, min(MAX_ROWS, MAX_VALUES // max(1, len(names))))
    return names, cursor.fetchmany(most + 1), most


def _columns(names: Sequence[str], checked: "Checked", labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Describes the columns of a result. A constant gets no label from a file."""
    units = [*checked.units, *[""] * len(names)][: len(names)]
    constant = [*checked.constant, *[False] * len(names)][: len(names)]
    return [
        _column(name, unit, {} if fixed else labels) | ({"constant": True} if fixed else {})
        for name, unit, fixed in zip(names, units, constant, strict=True)
    ]


def _column(name: str, unit: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """Describes a column of a result. `label` is the header of the column with that name in a file."""
    label = {"label": labels[name]} if labels.get(name, name) != name else {}
    kind = {MIXED: {"mixed": True}, PURE: {"pure": True}}.get(unit, {})
    return {"name": name, "unit": "" if kind else unit, **kind, **label}


def _assume(tables: Mapping[str, Table], units: Mapping[str, str]) -> None:
    """Sets the units of columns that have none, and adds a sentence about it to the assumptions of the table.

    Raises:
        Refused: There is no such column, it has no numbers, it has another unit, or the unit is unknown.
    """
    for key, unit in units.items():
        table_name, _, name = key.lower().rpartition(".")
        table = tables.get(table_name)
        column = table.column(name) if table is not None else None
        known = min(unit_names.units_of(unit), default="", key=lambda one: one != "USD")
        if table is None or column is None or column.type != "number":
            raise Refused(f"`units` names “{key[:80]}”, which is no column of numbers. Name it as table.column.")
        if column.unit and column.unit != known:
            raise Refused(f"“{column.label}” has a unit: {column.unit}.")
        if not known:
            raise Refused(f"“{unit[:20]}” is no unit that is known here, such as EUR, kg or %.")
        if not column.unit:
            column.unit = known
            table.assumed.append(texts.english("computed.unit_assumed", column=column.label, unit=known))


def _tables(sources: Sequence[Source]) -> list[Table]:
    tables = tables_of(sources)
    if not tables:
        names = ", ".join(f"“{one.name}”" for one in sources)
        raise Refused(f"No table was found in {names}.")
    return tables


def _description(table: Table) -> dict[str, Any]:
    first = zip(*(one.values[:_SAMPLES] for one in table.columns), strict=True)
    return {
        "name": table.name, "file": table.file, "file_id": table.file_id, "place": table.place,
        "rows": len(table.rows), "title": table.title or None,
        "columns": [
            {
                "name": one.name, "label": one.label, "type": one.type,
                **({"unit": f"in the column {one.unit_column}" if one.unit == MIXED else one.unit} if one.unit else {}),
            }
            for one in table.columns
        ],
        "first_rows": [[_short(_json(value)) for value in row] for row in first],
        "assumed": table.assumed[:20], **({"rows_of_totals": table.totals[:20]} if table.totals else {}),
    }  # fmt: skip


def _short(value: Any) -> Any:
    return value[:_SAMPLE_CHARACTERS] if isinstance(value, str) else value


def _load(connection: Any, table: Table, wanted: Collection[str] | None) -> None:
    """Creates a table in DuckDB with the wanted columns (all for None), and the columns of their units and sides."""
    import numpy as np

    arrays: dict[str, Any] = {"_row": np.array(table.rows, dtype="int64")}
    selected = ['"_row"']
    own = [one for one in table.columns if wanted is None or one.name in wanted]
    names = {name for one in own for name in (one.name, one.unit_column, one.sides_column)}
    for column in [one for one in table.columns if one.name in names]:
        arrays[column.name], kind = _array(column, np)
        quoted = _quoted(column.name)
        selected.append(f"CAST({quoted} AS {kind}) AS {quoted}")
    connection.register("loaded", arrays)
    connection.execute(f"CREATE TABLE {_quoted(table.name)} AS SELECT {', '.join(selected)} FROM loaded")  # noqa: S608 - names are quoted
    connection.unregister("loaded")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _array(column: Column, np: Any) -> tuple[Any, str]:
    """The cells of a column as an array for DuckDB, and their type there."""
    return np.array([None if one is None else str(one) for one in column.values], dtype=object), _type(column)


def _type(column: Column) -> str:
    """The type of a column in DuckDB: DECIMAL if its numbers and their sums fit into 38 digits, otherwise DOUBLE."""
    if column.type != "number":
        return {"date": "DATE", "time": "TIMESTAMP", "clock": "TIME", "text": "VARCHAR"}[column.type]
    numbers = [one for one in column.values if isinstance(one, Decimal)]
    places = max(0, -min((int(one.as_tuple().exponent) for one in numbers), default=0))
    digits = max(map(Decimal.adjusted, numbers), default=0) + 1
    return f"DECIMAL(38, {places})" if max(digits, 1) + places <= 28 and places <= 12 else "DOUBLE"


@contextmanager
def _sealed() -> Generator[None]:
    """Lets the kernel refuse new file descriptors and more than `_ROOM_BYTES` of additional address space."""
    try:
        import resource
    except ImportError:
        yield
        return
    descriptors, space = resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_AS)
    used = _address_space()
    bound = used + _ROOM_BYTES if used else space[0]
    if space[0] != resource.RLIM_INFINITY:
        bound = min(bound, space[0])
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, descriptors[1]))
    try:
        if used:
            resource.setrlimit(resource.RLIMIT_AS, (bound, space[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, space)
        resource.setrlimit(resource.RLIMIT_NOFILE, descriptors)


def _address_space() -> int:
    """The address space of this process in bytes; 0 if the system does not state it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * 4096
    except OSError:
        return 0


@contextmanager
def _limited(connection: Any, duckdb: Any) -> Generator[None]:
    """Turns DuckDB's errors into refusals, and interrupts DuckDB when a statement takes too long."""
    done = threading.Event()
    threading.Thread(target=_interrupt, args=(connection, done), daemon=True).start()
    try:
        yield
    except duckdb.InterruptException:
        raise TooMuch(f"The computation took longer than {SECONDS:g} seconds. Ask for less.") from None
    except (duckdb.OutOfMemoryException, MemoryError):
        raise TooMuch(f"The computation needs more than {MEMORY_MB} MB. Ask for less.") from None
    except duckdb.Error as error:
        raise Refused(f"DuckDB: {str(error).partition(chr(10))[0][:300]}") from None
    finally:
        done.set()


def _interrupt(connection: Any, done: threading.Event) -> None:
    """Interrupts a statement after `SECONDS` of CPU time or `_WAITED_SECONDS` by the clock."""
    begun, spent = time.monotonic(), time.process_time()
    while not done.wait(_LOOK_SECONDS):
        if time.process_time() - spent > SECONDS or time.monotonic() - begun > _WAITED_SECONDS:
            connection.interrupt()
            return


def _json(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() and abs(value) < 10**15 else float(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN
            return None
        return int(value) if value.is_integer() and abs(value) < 1e15 else float(f"{value:.12g}")
    if isinstance(value, datetime | date | clock):
        return value.isoformat().removesuffix(":00") if isinstance(value, clock) else value.isoformat()
    if value is None or isinstance(value, bool | int):
        return value
    return str(value)[:_TEXT]


MAX_EXPORTED: Final = 30_000_000
"""Maximum number of characters in all exported tables together."""


def exported(sources: Sequence[Source], cells: Sequence[Cell]) -> dict[str, Any]:
    """Exports computations and their tables, to be run outside Leaf.

    Args:
        sources: The files.
        cells: The computations. Each comes after those that it uses.

    Returns:
        `tables`: each with `name`, `file`, `place`, `types` (DuckDB types by column) and its rows as `csv`. `cells`:
        each with `name` and `sql`, which reads these tables, and earlier cells as views. `left_out`: the reason for
        each cell that can no longer be computed, by name.

    Raises:
        Refused: The tables are too large.
    """
    from leaf.documents.tables import statement

    tables = _tables(sources)
    taken = {one.name for one in cells}
    for one in tables:
        one.name = name_of(one.name, taken, "table")
    done: list[statement.Earlier] = []
    made: list[dict[str, str]] = []
    left_out: dict[str, str] = {}
    used: dict[str, Table] = {}
    for cell in cells:
        one = statement.Earlier(cell.name, cell.query, named(tables, cell.files))
        try:
            _assume(one.tables, cell.units)
            checked = statement.check(f"SELECT * FROM {_quoted(cell.name)}", tables, [*done, one])  # noqa: S608 - a name
            sql = statement.alone(one, [earlier.name for earlier in done])
        except Refused as refused:
            left_out[cell.name] = refused.message
            continue
        done.append(one)
        made.append({"name": cell.name, "sql": sql})
        used |= {use.table.name: use.table for use in checked.uses}
    shown = [_exported(one) for one in used.values()]
    if sum(len(one["csv"]) for one in shown) > MAX_EXPORTED:
        raise Refused(texts.english("computed.too_large", count=MAX_EXPORTED // 1_000_000))
    return {"tables": shown, "cells": made, "left_out": left_out}


def _exported(table: Table) -> dict[str, Any]:
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow([one.name for one in table.columns])
    rows.writerows(zip(*(one.values for one in table.columns), strict=True))
    types = {one.name: _type(one) for one in table.columns}
    return {"name": table.name, "file": table.file, "place": table.place, "types": types, "csv": written.getvalue()}


def _new_name(request: Mapping[str, Any], made: Mapping[str, Any]) -> dict[str, str]:
    """A name for a new result that no other table or result has; empty for a result that is computed again."""
    if "taken" not in request:
        return {}
    taken = {*request["taken"], *(one["name"] for one in made["tables"])}
    return {"cell": name_of(request.get("name") or made["columns"][0]["name"], taken, "result")}


def answer(request: Mapping[str, Any], files: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Answers a request in the child process. Returns a result, or `refused` with the reason and `too_much`."""
    sources = [Source.from_body(one) for one in files]
    try:
        cells = [Cell.of(one) for one in request.get("cells") or ()]
        if request.get("export"):
            return exported(sources, cells)
        if not request.get("query"):
            return describe(sources)
        view = bool(request.get("view"))
        made = compute(sources, request["query"], units=request.get("units"), cells=cells, view=view)
        return {**made, **_new_name(request, made)}
    except Refused as refused:
        return {"refused": refused.message, "too_much": isinstance(refused, TooMuch)}
