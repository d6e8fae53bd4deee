"""Checks a SELECT that a model wrote: one statement, known tables, columns and functions, units that can be added.

The statement that runs is written anew from the checked tree, so that no other parser can read it differently.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope

from leaf.documents.tables.model import MIXED, Column, Refused, Table
from leaf.texts import Texts

MAX_CHARACTERS = 4_000
ROW: Final = "_row"
"""The column with the number of each row in its sheet."""
_SQL_TYPES: Final = {"number": "decimal", "date": "date", "time": "timestamp", "text": "varchar"}
_OF_ONE_UNIT: Final = (exp.Sum, exp.Avg, exp.Median, exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Min, exp.Max)
"""Functions that add or compare values of several rows."""
_FUNCTIONS: Final[tuple[type[exp.Expr], ...]] = (
    *_OF_ONE_UNIT, exp.Count, exp.Variance, exp.VariancePop, exp.ArgMax, exp.ArgMin,
    exp.PercentileCont, exp.PercentileDisc,
    exp.Corr, exp.AnyValue, exp.First, exp.Last,
    exp.Abs, exp.Round, exp.Ceil, exp.Floor, exp.Sqrt, exp.Pow, exp.Ln, exp.Sign, exp.Greatest, exp.Least,
    exp.Coalesce, exp.Nullif, exp.Case, exp.If, exp.Cast, exp.TryCast,
    exp.Lower, exp.Upper, exp.Trim, exp.Length, exp.Substring, exp.StrPosition, exp.Contains, exp.StartsWith,
    exp.Year, exp.Month, exp.Day, exp.Quarter, exp.Week, exp.DayOfWeek, exp.Extract, exp.DateTrunc, exp.TimestampTrunc,
    exp.DateDiff, exp.Monthname, exp.Dayname, exp.TimeToStr, exp.Left, exp.Right,
    exp.RowNumber, exp.Rank, exp.DenseRank, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.And, exp.Or,
    exp.Exists,
)  # fmt: skip
"""Functions of a statement, and what the parser takes for one."""
_NODES: Final[tuple[type[exp.Expr], ...]] = (
    exp.Select, exp.Union, exp.Except, exp.Intersect, exp.Subquery, exp.With, exp.CTE, exp.From, exp.Join, exp.Where,
    exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Distinct, exp.Qualify, exp.Table,
    exp.TableAlias, exp.Identifier, exp.Column, exp.Star, exp.Alias, exp.Literal, exp.Boolean, exp.Null, exp.Paren,
    exp.Neg, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In, exp.Between, exp.Like,
    exp.ILike, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.DPipe, exp.DataType, exp.DataTypeParam,
    exp.Var, exp.Interval, exp.Window, exp.WindowSpec, exp.Filter, exp.WithinGroup, exp.Tuple,
)  # fmt: skip
_TYPES: Final = frozenset({
    exp.DataType.Type.INT, exp.DataType.Type.BIGINT, exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT,
    exp.DataType.Type.DECIMAL, exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP, exp.DataType.Type.VARCHAR,
    exp.DataType.Type.TEXT, exp.DataType.Type.BOOLEAN,
})  # fmt: skip


@dataclass(frozen=True)
class Use:
    """A table as a part of the statement reads it."""

    table: Table
    columns: Sequence[str]
    """Names of the columns whose cells the result is made of."""
    rows: str
    """SQL that returns the numbers of the rows that are read."""
    condition: str
    """The condition of these rows, in SQL without quotation marks around names; empty for none."""


@dataclass(frozen=True)
class Checked:
    """A statement that may run."""

    sql: str
    """For DuckDB."""
    shown: str
    """For people, on several lines."""
    uses: Sequence[Use]
    units: Sequence[str]
    """The unit of each column of the result; empty for none."""
    alike: Sequence[tuple[str, str]]
    """Labels of columns of mixed units that are added up, each with SQL that returns the largest number of different
    units that are added together."""
    tree: exp.Expr = field(repr=False)


def check(statement: str, tables: Sequence[Table]) -> Checked:
    """Checks a statement.

    Args:
        statement: SQL, as a model wrote it.
        tables: The tables that it may read.

    Raises:
        Refused: It is no single SELECT, or uses something that is not allowed; the message says what.
    """
    by_name = {one.name: one for one in tables}
    tree = _parsed(statement)
    _allowed(tree, by_name)
    schema = {
        one.name: {ROW: "bigint", **{column.name: _SQL_TYPES[column.type] for column in one.columns}} for one in tables
    }
    shown = tree.sql("duckdb", pretty=True)
    try:
        # Stars stand for the columns of the tables, without the number of the row.
        visible: dict[str, object] = {
            name: {key: kind for key, kind in columns.items() if key != ROW} for name, columns in schema.items()
        }
        tree = qualify(tree, schema=visible, dialect="duckdb", validate_qualify_columns=True)
    except (SqlglotError, RecursionError) as error:
        raise Refused(f"{_first_line(error)} The tables are: {_described(tables)}") from None
    scopes = traverse_scope(tree)
    units = _Units(by_name)
    for scope in scopes:
        if scope.external_columns:
            raise Refused("A subquery must not use columns of the query around it. Use a join or WITH.")
        units.check(scope)
    uses = [use for scope in scopes for use in _uses(scope, by_name, tree)]
    return Checked(tree.sql("duckdb"), shown, uses, units.of_result(scopes[-1]), units.alike(tree), tree)


def _parsed(statement: str) -> exp.Expr:
    if len(statement) > MAX_CHARACTERS:
        raise Refused(f"A statement has at most {MAX_CHARACTERS:,} characters.")
    try:
        found = [one for one in sqlglot.parse(statement, dialect="duckdb") if one is not None]
    except (SqlglotError, RecursionError) as error:
        raise Refused(f"The statement could not be read: {_first_line(error)}") from None
    if len(found) != 1:
        raise Refused("Pass exactly one statement.")
    (tree,) = found
    if not isinstance(tree, exp.Select | exp.Union | exp.Except | exp.Intersect):
        raise Refused("Only a SELECT is allowed.")
    return tree


def _first_line(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply."
    return str(error).partition("\n")[0][:300].replace("\x1b[4m", "").replace("\x1b[0m", "")


def _allowed(tree: exp.Expr, tables: Mapping[str, Table]) -> None:
    """Refuses every kind of node, function, type and table that is not on the lists."""
    made = {one.alias.lower() for one in tree.find_all(exp.CTE)}
    for name in made & tables.keys():
        raise Refused(f"WITH must not use the name of a table: {name}.")
    for node in tree.walk():
        if isinstance(node, exp.Func) and type(node) not in _FUNCTIONS:
            name = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
            raise Refused(f"The function {name.lower()[:60]} is not available.")
        if type(node) not in _NODES and type(node) not in _FUNCTIONS:
            raise Refused(f"{type(node).__name__} is not available in a statement.")
        if isinstance(node, exp.With) and node.args.get("recursive"):
            raise Refused("WITH RECURSIVE is not available.")
        if isinstance(node, exp.DataType) and (node.this not in _TYPES or node.args.get("nested")):
            raise Refused(f"The type {node.sql('duckdb')[:60]} is not available.")
        if isinstance(node, exp.Table):
            _known(node, tables, made)


def _known(node: exp.Table, tables: Mapping[str, Table], made: set[str]) -> None:
    extra = [name for name, value in node.args.items() if value and name not in {"this", "alias", "joins"}]
    name = node.name.lower()
    if extra or not isinstance(node.this, exp.Identifier) or (name not in tables and name not in made):
        shown = node.sql("duckdb")[:80]
        raise Refused(f"There is no table {shown}. The tables are: {_described(list(tables.values()))}")


def _described(tables: Sequence[Table]) -> str:
    return "; ".join(f"{one.name} ({', '.join(column.name for column in one.columns)})" for one in tables)[:2_000]


def _base(scope: Scope, tables: Mapping[str, Table]) -> dict[str, Table]:
    """The tables of files that a scope reads, by their names in it."""
    return {
        name: tables[source.name.lower()]
        for name, source in scope.sources.items()
        if isinstance(source, exp.Table) and source.name.lower() in tables
    }


def _uses(scope: Scope, tables: Mapping[str, Table], root: exp.Expr) -> Iterator[Use]:
    select = scope.expression
    if not isinstance(select, exp.Select):
        return
    adds = bool(select.args.get("group")) or any(select.find_all(exp.AggFunc)) or bool(select.args.get("distinct"))
    where = select.args.get("where")
    for name, table in _base(scope, tables).items():
        rows = exp.Select().select(exp.column(ROW, table=exp.to_identifier(name, quoted=True)))
        for part in ("from_", "from", "joins", "where", *(() if adds else ("order", "limit", "offset"))):
            if (value := select.args.get(part)) is not None:
                rows.set(part, [one.copy() for one in value] if isinstance(value, list) else value.copy())
        if (ctes := root.args.get("with_") or root.args.get("with")) is not None:
            rows.set("with_", ctes.copy())
        shown = [one for part in select.expressions for one in part.find_all(exp.Column) if one.table == name]
        if not adds and select.args.get("order") is not None:
            shown += [one for one in select.args["order"].find_all(exp.Column) if one.table == name]
        columns = list(dict.fromkeys(one.name for one in shown if table.column(one.name) is not None))
        condition = where.this.copy() if where is not None else None
        yield Use(table, columns, rows.sql("duckdb"), _plain(condition) if condition is not None else "")


def _plain(tree: exp.Expr) -> str:
    """A part of a statement for people: names without their tables and quotation marks."""
    made = tree.copy()
    for one in made.find_all(exp.Column):
        one.set("table", None)
    for one in made.find_all(exp.Identifier):
        one.set("quoted", False)
    return made.sql("duckdb")[:500]


class _Units:
    """The units of a statement's expressions."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        self._mixed: list[tuple[exp.Expr, Column, str, Scope]] = []

    def check(self, scope: Scope) -> None:
        """Refuses sums of different units.

        Raises:
            Refused: Two units are added, compared or put in one column.
        """
        select = scope.expression
        if isinstance(select, exp.Select):
            for one in select.expressions:
                self._of(one, scope)
            for part in ("where", "having"):
                if (found := select.args.get(part)) is not None:
                    for each in found.find_all(exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NEQ):
                        self._same([each.this, each.expression], scope)
            return
        for pair in zip(*(self.of_result(one) for one in scope.set_operation_scopes), strict=False):
            self._agree(pair)

    def of_result(self, scope: Scope) -> list[str]:
        """The units of the columns that a scope returns."""
        select = scope.expression
        if isinstance(select, exp.Select):
            return [self._of(one, scope) for one in select.expressions]
        return self.of_result(scope.set_operation_scopes[0]) if scope.set_operation_scopes else []

    def alike(self, tree: exp.Expr) -> list[tuple[str, str]]:
        """SQL that counts the units that are added up in columns of mixed units."""
        made: dict[str, str] = {}
        for node, column, source, scope in self._mixed:
            select = scope.expression
            unit = exp.column(column.unit_column, table=source, quoted=True)
            counted = exp.Select().select(exp.alias_(exp.Count(this=exp.Distinct(expressions=[unit])), "n"))
            for part in ("from_", "from", "joins", "where", "group"):
                if (value := select.args.get(part)) is not None:
                    counted.set(part, [one.copy() for one in value] if isinstance(value, list) else value.copy())
            if (condition := _filter_of(node)) is not None:
                counted = counted.where(condition.copy())
            ctes = tree.args.get("with_") or tree.args.get("with")
            largest = exp.Select().select(exp.Max(this=exp.column("n"))).from_(counted.subquery("counted"))
            if ctes is not None:
                largest.set("with_", ctes.copy())
            made[largest.sql("duckdb")] = column.label
        return [(label, sql) for sql, label in made.items()]

    def _same(self, several: Sequence[exp.Expr], scope: Scope) -> str:
        return self._agree([self._of(one, scope) for one in several])

    def _agree(self, units: Sequence[str]) -> str:
        known = sorted({one for one in units if one and one != MIXED})
        if len(known) > 1:
            raise Refused(f"{' and '.join(known)} cannot be added or compared. Select one unit, or group by it.")
        return next((one for one in units if one), "")

    def _of(self, node: exp.Expr, scope: Scope) -> str:  # noqa: C901, PLR0911, PLR0912 - one branch for each kind
        """The unit of an expression; empty where it has none or that is not known."""
        if isinstance(node, exp.Column):
            return self._of_column(node, scope)
        if isinstance(node, _OF_ONE_UNIT):
            self._note_mixed(node, scope)
            return self._of(node.this, scope)
        if isinstance(node, exp.Distinct):
            return self._of(node.expressions[0], scope) if node.expressions else ""
        if isinstance(
            node, exp.Count | exp.RowNumber | exp.Rank | exp.DenseRank | exp.Year | exp.Month | exp.Predicate
        ):
            for one in (
                node.find_all(exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE) if isinstance(node, exp.Predicate) else ()
            ):
                self._agree([self._of(one.this, scope), self._of(one.expression, scope)])
            return ""
        if isinstance(node, exp.Add | exp.Sub):
            self._note_mixed(node, scope)
            return self._same([node.this, node.expression], scope)
        if isinstance(node, exp.Coalesce | exp.Greatest | exp.Least):
            return self._same([node.this, *node.expressions], scope)
        if isinstance(node, exp.Case):
            branches = [one.args["true"] for one in node.args.get("ifs", ())]
            return self._same([*branches, *filter(None, [node.args.get("default")])], scope)
        if isinstance(node, exp.If):
            return self._same([*filter(None, [node.args.get("true"), node.args.get("false")])], scope)
        if isinstance(node, exp.Mul):
            return self._of(node.this, scope) or self._of(node.expression, scope)
        if isinstance(node, exp.Div):
            above, below = self._of(node.this, scope), self._of(node.expression, scope)
            return "" if above == below or below else above
        if isinstance(node, exp.Subquery):
            inner = next((one for one in scope.subquery_scopes if one.expression is node.this), None)
            units = self.of_result(inner) if inner is not None else []
            return units[0] if units else ""
        for one in (node.this, *(node.args.get("expressions") or ())):
            if isinstance(one, exp.Expr) and (unit := self._of(one, scope)):
                return unit
        return ""

    def _of_column(self, node: exp.Column, scope: Scope) -> str:
        source = scope.sources.get(node.table)
        if isinstance(source, exp.Table):
            table = self._tables.get(source.name.lower())
            column = table.column(node.name) if table is not None else None
            return column.unit if column is not None else ""
        if isinstance(source, Scope):
            inner = source.expression
            names = inner.named_selects if isinstance(inner, exp.Query) else []
            units = self.of_result(source)
            return units[names.index(node.name)] if node.name in names and len(units) == len(names) else ""
        return ""

    def _note_mixed(self, node: exp.Expr, scope: Scope) -> None:
        for column in node.find_all(exp.Column):
            source = scope.sources.get(column.table)
            table = self._tables.get(source.name.lower()) if isinstance(source, exp.Table) else None
            found = table.column(column.name) if table is not None else None
            if found is not None and found.unit == MIXED and isinstance(scope.expression, exp.Select):
                self._mixed.append((node, found, column.table, scope))
            elif found is None and self._of_column(column, scope) == MIXED:
                raise Refused(f"The units of {column.name} differ. Select one unit where the table is read.")


def _filter_of(node: exp.Expr) -> exp.Expr | None:
    """The condition of an aggregate: `sum(x) FILTER (WHERE …)`."""
    parent = node.parent
    return parent.expression.this if isinstance(parent, exp.Filter) else None


_WORDS: Final[Mapping[type[exp.Expr], str]] = {
    exp.Sum: "computed.sum", exp.Avg: "computed.average", exp.Min: "computed.lowest", exp.Max: "computed.highest",
    exp.Count: "computed.count",
    exp.Median: "computed.median", exp.ArgMax: "computed.of_highest", exp.ArgMin: "computed.of_lowest",
}  # fmt: skip
_SIGNS: Final[Mapping[type[exp.Expr], str]] = {exp.Add: "+", exp.Sub: "−", exp.Mul: "×", exp.Div: "÷"}


def formula(checked: Checked, say: Texts, labels: Mapping[str, str]) -> str:  # noqa: C901
    """The result's columns in words: “sum of Cost (EUR)”; several are separated by semicolons.

    Args:
        checked: The statement.
        say: The texts of a language.
        labels: Headers of columns by their names in SQL.
    """
    tree = checked.tree
    selects = tree.selects if isinstance(tree, exp.Query) else []
    defined = {one.alias: one.this for one in tree.find_all(exp.Alias)}

    def words(node: exp.Expr, depth: int = 0) -> str:  # noqa: C901, PLR0911, PLR0912 - one branch for each kind
        if depth > 20:
            return "…"
        if isinstance(node, exp.Column):
            inner = defined.get(node.name)
            if node.name not in labels and inner is not None and depth < 6:
                return words(inner, depth + 6)
            return labels.get(node.name, node.name)
        if isinstance(node, exp.Alias | exp.Round | exp.Cast | exp.TryCast | exp.Filter | exp.Distinct):
            inner = node.expressions[0] if isinstance(node, exp.Distinct) and node.expressions else node.this
            return words(inner, depth + 1)
        if isinstance(node, exp.Paren):
            return f"({words(node.this, depth + 1)})"
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select) and node.this.expressions:
            return words(node.this.expressions[0], depth + 1)
        if isinstance(node, exp.Abs):
            return f"|{words(node.this, depth + 1)}|"
        if isinstance(node, exp.Neg):
            return f"−{words(node.this, depth + 1)}"
        if type(node) in _SIGNS and isinstance(node, exp.Binary):
            return f"{words(node.this, depth + 1)} {_SIGNS[type(node)]} {words(node.expression, depth + 1)}"
        if isinstance(node, exp.Count):
            inner = node.this
            return (
                say("computed.rows")
                if inner is None or isinstance(inner, exp.Star)
                else say("computed.count", of=words(inner, depth + 1))
            )
        if isinstance(node, exp.ArgMax | exp.ArgMin):
            return say(_WORDS[type(node)], of=words(node.this, depth + 1), by=words(node.expression, depth + 1))
        if type(node) in _WORDS:
            return say(_WORDS[type(node)], of=words(node.this, depth + 1))
        if isinstance(node, exp.Literal):
            return node.name if not node.is_string else f"“{node.name}”"
        return _plain(node)

    return "; ".join(words(one) for one in selects[:8])[:600]
