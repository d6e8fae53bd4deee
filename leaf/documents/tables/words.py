"""Checks how a statement uses columns of words.

They must not be added up. They must not be ordered or cast if numbers or dates are among them.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from leaf import texts
from leaf.documents.tables import clauses, days, values
from leaf.documents.tables.model import Column, Refused, Table

_SAMPLE: Final = 500
"""Maximum number of different cells of a column that are examined."""
_SPELLINGS: Final = 3
"""Maximum number of other spellings that are noted."""
_DEEPEST = 20
"""Maximum depth of subqueries through which a column is traced."""
_SUMS: Final = (exp.Sum, exp.Avg, exp.Median, exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop)
_BETWEEN: Final = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_DAYS: Final = frozenset({exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ})
_NUMBERS: Final = frozenset({
    exp.DataType.Type.INT, exp.DataType.Type.BIGINT, exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT,
    exp.DataType.Type.DECIMAL,
})  # fmt: skip
_PLAIN = re.compile(r"[+-]?\d{1,30}")
"""A number that every program reads in the same way."""
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].{1,20})?")
_ISO_MONTH = re.compile(r"\d{4}-\d{2}")


def check(scope: Scope, tables: Mapping[str, Table]) -> None:
    """Refuses a part of a statement that adds up words, or uses words as numbers or dates. Notes with the tables other
    spellings of the words that it compares.

    Raises:
        Refused: It does so; the message names a cell.
    """
    select = scope.expression
    limited = isinstance(select, exp.Select) and bool(select.args.get("limit") or select.args.get("offset"))
    filled = {one.name for found in scope.find_all(exp.Is) for one in found.find_all(exp.Column)}
    for node in scope.find_all(*_SUMS):
        for column in _columns(node.this, scope, tables):
            _require_numbers(column)
    for node in scope.find_all(exp.Cast, exp.TryCast):
        kind = node.args["to"].this
        for column in _columns(node.this, scope, tables):
            _require_castable(column, "numbers" if kind in _NUMBERS else "days" if kind in _DAYS else "")
    for node in scope.find_all(exp.Min, exp.Max, exp.ArgMax, exp.ArgMin, exp.Ordered, *_BETWEEN):
        if (
            isinstance(node, exp.Ordered)
            and not limited
            and node.find_ancestor(exp.Window, exp.WithinGroup, exp.Select) is select
        ):
            # The order in which rows are shown does not change them.
            continue
        for part in _ordered(node):
            for column in _columns(part, scope, tables):
                _require_order(column, is_chosen=column.name in filled)
    for node in scope.find_all(exp.EQ, exp.NEQ, exp.In):
        _note_spellings(node, scope, tables)


def _note_spellings(comparison: exp.Expr, scope: Scope, tables: Mapping[str, Table]) -> None:
    """Notes with a table that a column has a word that a comparison names in other letters, large or small, too."""
    sides = clauses.compared(comparison)
    named = {one.this for one in sides if isinstance(one, exp.Literal) and one.is_string}
    wanted = {one.casefold(): one for one in named}
    for node in sides if wanted else ():
        source = scope.sources.get(node.table) if isinstance(node, exp.Column) else None
        table = tables.get(source.name.lower()) if isinstance(source, exp.Table) else None
        column = table.column(node.name) if table is not None else None
        if table is None or column is None or column.type != "text":
            continue
        others = {cell for one in column.values if one is not None and (cell := str(one)) not in named}
        for cell in sorted(one for one in others if one.casefold() in wanted)[:_SPELLINGS]:
            note = texts.english(
                "computed.other_spelling", column=column.label, other=cell[:60], word=wanted[cell.casefold()][:60]
            )
            if note not in table.assumed:
                table.assumed.append(note)


def _ordered(node: exp.Expr) -> list[exp.Expr]:
    """The expressions whose values are compared by size."""
    if isinstance(node, exp.Between):
        return [node.this, node.args["low"], node.args["high"]]
    if isinstance(node, exp.ArgMax | exp.ArgMin):
        return [node.expression]
    return [node.this, node.expression] if isinstance(node, _BETWEEN) else [node.this]


def _columns(node: exp.Expr | None, scope: Scope, tables: Mapping[str, Table], depth: int = 0) -> Iterator[Column]:
    """The columns of files to which an expression refers, also through subqueries; none for any other expression."""
    bare = node.unnest() if node is not None else None
    if not isinstance(bare, exp.Column) or depth > _DEEPEST:
        return
    source = scope.sources.get(bare.table)
    if isinstance(source, exp.Table):
        table = tables.get(source.name.lower())
        column = table.column(bare.name) if table is not None else None
        if column is not None:
            yield column
        return
    inner = scope if not bare.table else source if isinstance(source, Scope) else None
    for each in inner.set_operation_scopes or [inner] if inner is not None else ():
        selects = each.expression.selects if isinstance(each.expression, exp.Query) else []
        for one in selects:
            if one.alias_or_name == bare.name and one is not node:
                yield from _columns(one.unalias(), each, tables, depth + 1)


def _cells(column: Column) -> list[str]:
    return [*islice((str(one) for one in dict.fromkeys(column.values) if one is not None), _SAMPLE)]


def _require_results(column: Column, cells: list[str]) -> None:
    formula = next((one for one in cells if one.startswith("=")), None) if column.type == "text" else None
    if formula is not None:
        raise Refused(
            f"“{column.label}” has formulas without stored results, such as {formula[:40]}: the program that wrote the "
            f"file does not calculate. Somebody has to open the file in a spreadsheet program and save it."
        )


def _require_numbers(column: Column) -> None:
    """Refuses to add up a column of words or dates."""
    if column.type in {"date", "time"}:
        raise Refused(f"“{column.label}” is a column of days: they are not added up.")
    if column.type != "text":
        return
    cells = _cells(column)
    _require_results(column, cells)
    other = next((one for one in cells if not values.is_number(one)), "")
    why = f", since cells of it are no numbers, such as “{other[:40]}”" if other else ""
    raise Refused(f"“{column.label}” is a column of words{why}: they are not added up.")


def _require_castable(column: Column, wanted: str) -> None:
    """Refuses a cast of words that would misread some of them or leave them out."""
    if column.type != "text" or not wanted:
        return
    cells = _cells(column)
    _require_results(column, cells)
    form = _PLAIN if wanted == "numbers" else _ISO
    wrong = next((one for one in cells if any(map(str.isdigit, one)) and not form.fullmatch(one.strip())), None)
    if wrong is not None:
        raise Refused(
            f"“{column.label}” is a column of words, and a cast to {wanted} would misread or leave out cells of it, "
            f"such as “{wrong[:40]}”. Nothing is computed over it."
        )


def _require_order(column: Column, *, is_chosen: bool) -> None:
    """Refuses to order words if most of them are numbers, dates or months, numbers beside inexact ones, and days
    beside mere months or years.

    As texts, `<0.5` comes after 3.4, and September comes after October.

    Args:
        column: The column.
        is_chosen: Whether a condition says that rows without a value of the column are left out.
    """
    if column.type in {"date", "time"} and not is_chosen:
        cells = islice(column.unread.values(), _SAMPLE)
        if (partial := next(filter(days.precision, cells), None)) is not None:
            raise Refused(
                f"“{column.label}” has cells that are no full days, such as “{partial[:40]}”: they are neither before "
                f"nor after the days of their time. The condition {column.name} IS NOT NULL leaves them out."
            )
    if column.type == "number" and not is_chosen:
        figure = next(filter(values.is_figure, islice(column.unread.values(), _SAMPLE)), None)
        if figure is not None:
            raise Refused(
                f"“{column.label}” has cells that are no numbers, such as “{figure[:40]}”: they may be smaller or "
                f"larger than the others. The condition {column.name} IS NOT NULL leaves them out."
            )
    if column.type != "text":
        return
    cells = _cells(column)
    numbers = [values.is_number(one) for one in cells]
    others = [one for one, is_number in zip(cells, numbers, strict=True) if not is_number]
    if 0 < 2 * len(others) <= len(cells):
        _require_results(column, cells)
        raise Refused(
            f"“{column.label}” is a column of words, since not all of its cells are numbers, such as "
            f"“{others[0][:40]}”: they have no smallest and largest one."
        )
    written = [one for one in cells if days.precision(one) or days.is_period(one)]
    if len(written) == len(cells) and (all(map(_ISO_MONTH.fullmatch, cells)) or _are_in_order(cells)):
        written = []
    if written and 2 * len(written) >= len(cells):
        shown = " and ".join(f"“{one[:40]}”" for one in written[:2])
        raise Refused(
            f"“{column.label}” is a column of words, since not all of its cells are days in one order, such as "
            f"{shown}: by their letters they are neither before nor after each other."
        )
    if others and all(one.startswith("=") for one in others):
        _require_results(column, cells)


def _are_in_order(cells: list[str]) -> bool:
    return all(map(days.is_period, cells)) and not any(map(days.precision, cells)) and days.are_in_order(cells)
