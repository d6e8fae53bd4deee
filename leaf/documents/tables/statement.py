"""Checks a SELECT that a model wrote: one statement, known tables, columns and functions, units that can be added.

The statement that runs is written anew from the checked tree, so that no other parser can read it differently.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope

from leaf.documents.tables import values
from leaf.documents.tables.model import MIXED, PURE, Column, Refused, Table
from leaf.texts import Texts

MAX_CHARACTERS = 4_000
_PERCENT: Final = frozenset({"%", "‰"})
_CURRENCIES: Final = frozenset(values.CURRENCIES.values())
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
    """The unit of each column of the result; empty for none, `PURE` for a count or a ratio."""
    alike: Sequence[tuple[str, str]]
    """Labels of columns of mixed units that are added up, each with SQL that returns the largest number of different
    units that are added together."""
    cells: Mapping[str, str]
    """The computations that it rests on, by their names in the statement that runs."""
    tree: exp.Expr = field(repr=False)


@dataclass(frozen=True)
class Earlier:
    """A computation that a statement may read as a table."""

    name: str
    query: str
    tables: Mapping[str, Table]
    """The tables of its files by the names that its query has for them."""


def check(statement: str, tables: Sequence[Table], cells: Sequence[Earlier] = ()) -> Checked:
    """Checks a statement.

    Args:
        statement: SQL, as a model wrote it.
        tables: The tables that it may read.
        cells: Earlier computations that it may read, each behind those that it rests on itself. They become a part of
            the statement, and are checked with it.

    Raises:
        Refused: It is no single SELECT, or uses something that is not allowed; the message says what.
    """
    by_name = {one.name: one for one in tables}
    tree = _parsed(statement)
    _allowed(tree, by_name, [one.name for one in cells])
    schema = {
        one.name: {ROW: "bigint", **{column.name: _SQL_TYPES[column.type] for column in one.columns}} for one in tables
    }
    shown = tree.sql("duckdb", pretty=True)
    tree, of_cells = _resting_on(tree, cells, by_name)
    try:
        # Stars stand for the columns of the tables, without the number of the row.
        visible: dict[str, object] = {
            name: {key: kind for key, kind in columns.items() if key != ROW} for name, columns in schema.items()
        }
        tree = qualify(tree, schema=visible, dialect="duckdb", validate_qualify_columns=True)
    except (SqlglotError, RecursionError) as error:
        raise Refused(f"{_first_line(error)} The tables are: {_described(tables)}") from None
    if (whole := tree.find(exp.TableColumn)) is not None:
        # DuckDB would take the name of a table for its rows.
        raise Refused(f"There is no column {whole.name}. The tables are: {_described(tables)}")
    scopes = traverse_scope(tree)
    units = _Units(by_name)
    for scope in scopes:
        if scope.external_columns:
            raise Refused("A subquery must not use columns of the query around it. Use a join or WITH.")
        units.check(scope)
    uses = [use for scope in scopes for use in _uses(scope, by_name, tree)]
    of_result = [one or "" for one in units.of_result(scopes[-1])]
    return Checked(tree.sql("duckdb"), shown, uses, of_result, units.alike(tree), of_cells, tree)


def alone(one: Earlier, others: Collection[str]) -> str:
    """The statement of a computation as it runs outside of Leaf, over views of the computations before it.

    Args:
        one: The computation.
        others: The names of the computations that it may read.

    Raises:
        Refused: As in `check`.
    """
    tree = _parsed(one.query)
    _allowed(tree, one.tables, others)
    for node in tree.find_all(exp.Table):
        if (found := one.tables.get(node.name.lower())) is not None:
            _rename(node, found.name)
    return tree.sql("duckdb", pretty=True)


def _rename(node: exp.Table, name: str) -> None:
    """Has a part of a statement read another table, under the name that the statement has for it."""
    if node.name != name:
        node.set("alias", node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(node.name)))
        node.set("this", exp.to_identifier(name))


def _resting_on(
    tree: exp.Expr, cells: Sequence[Earlier], tables: Mapping[str, Table]
) -> tuple[exp.Expr, dict[str, str]]:
    """The statement with the earlier computations in a WITH before its own, and their names by those in the WITH."""
    made: list[exp.CTE] = []
    inner: dict[str, str] = {}
    for one in cells:
        earlier = _parsed(one.query)
        _allowed(earlier, one.tables, inner)
        for node in earlier.find_all(exp.Table):
            name = node.name.lower()
            if name in one.tables:
                _rename(node, one.tables[name].name)
            elif name in inner:
                _rename(node, inner[name])
        inner[one.name] = _free(f"{one.name}__cell", tables)
        made += [*_lifted(earlier, one.name), _cte(inner[one.name], earlier)]
    for node in tree.find_all(exp.Table):
        name = node.name.lower()
        if name in inner and name in tables:
            raise Refused(f"{name} is the name of a table as well as of an earlier computation. Name other files.")
        if name in inner:
            _rename(node, inner[name])
    if made:
        tree.set("with_", exp.With(expressions=[*made, *_ctes(tree)]))
    return tree, {name: cell for cell, name in inner.items()}


def _free(name: str, tables: Mapping[str, Table]) -> str:
    while name in tables:
        name += "_"
    return name


def _lifted(tree: exp.Expr, cell: str) -> list[exp.CTE]:
    """Takes the WITH off a computation, and renames its members after it."""
    ctes = _ctes(tree)
    tree.set("with_", None)
    names = {one.alias.lower(): f"{cell}__{one.alias.lower()}" for one in ctes}
    for node in (node for part in (tree, *ctes) for node in part.find_all(exp.Table)):
        if (name := names.get(node.name.lower())) is not None:
            _rename(node, name)
    for one in ctes:
        one.args["alias"].set("this", exp.to_identifier(names[one.alias.lower()]))
    return ctes


def _ctes(tree: exp.Expr) -> list[exp.CTE]:
    found = tree.args.get("with_")
    return [*found.expressions] if found is not None else []


def _cte(name: str, query: exp.Expr) -> exp.CTE:
    return exp.CTE(this=query, alias=exp.TableAlias(this=exp.to_identifier(name)))


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


def _allowed(tree: exp.Expr, tables: Mapping[str, Table], cells: Collection[str]) -> None:
    """Refuses every kind of node, function, type and table that is not on the lists."""
    made = {one.alias.lower() for one in tree.find_all(exp.CTE)}
    for name in made & {*tables, *cells}:
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
            _known(node, tables, {*made, *cells})


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


Unit = str | None
"""The unit of an expression: empty of a column without one, `MIXED`, `PURE`, or None of a constant, which may be added
to anything.
"""
_COMPARISONS: Final = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)
_COUNTS: Final = (exp.Count, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Corr, exp.Sign, exp.Length, exp.StrPosition)
_OTHERS: Final = (exp.Variance, exp.VariancePop, exp.Sqrt, exp.Pow, exp.Ln, exp.DateDiff)
"""Functions whose result has not the unit of what they are given."""


class _Units:
    """The units of a statement's expressions."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        self._mixed: list[tuple[exp.Expr, Column, str, Scope]] = []

    def check(self, scope: Scope) -> None:
        """Refuses sums of different units, and of amounts with a unit and columns without one.

        Raises:
            Refused: Two units are added, compared or put in one column.
        """
        select = scope.expression
        if isinstance(select, exp.Select):
            for one in select.expressions:
                self._of(one, scope)
            for each in scope.find_all(*_COMPARISONS):
                self._same(_compared(each), scope)
            return
        members = [(one, self.of_result(one)) for one in scope.set_operation_scopes]
        for several in zip(*(zip(_selects(one), units, strict=False) for one, units in members), strict=False):
            self._agree([unit for _, unit in several], [node for node, _ in several])

    def of_result(self, scope: Scope) -> list[Unit]:
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
            # A row without a unit has one of its own.
            named = exp.column(column.unit_column, table=source, quoted=True)
            unit = exp.Coalesce(this=named, expressions=[exp.Literal.string("")])
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

    def _same(self, several: Sequence[exp.Expr], scope: Scope) -> Unit:
        return self._agree([self._of(one, scope) for one in several], several)

    def _agree(self, units: Sequence[Unit], nodes: Sequence[exp.Expr]) -> Unit:
        """The unit of values that are added, compared or put in one column."""
        stated = [one for one in units if one is not None]
        known = sorted({one for one in stated if one not in {"", PURE}})
        if len(known) > 1:
            shown = " and ".join("several units" if one == MIXED else one for one in known)
            raise Refused(f"{shown} cannot be added or compared. Select one unit, or group by it.")
        if not known:
            return "" if "" in stated else next(iter(stated), None)
        bare = next((node for unit, node in zip(units, nodes, strict=True) if unit in {"", PURE}), None)
        if bare is not None:
            shown = "amounts with units" if known[0] == MIXED else known[0]
            raise Refused(
                f"{_plain(bare)[:80]} has no unit, and cannot be added to or compared with {shown}. If the file or the "
                f"user says which unit it has, name it in `units`. Counts are multiplied by prices, and not added."
            )
        return known[0]

    def _of(self, node: exp.Expr, scope: Scope) -> Unit:  # noqa: C901, PLR0911, PLR0912 - one branch for each kind
        if isinstance(node, exp.Literal | exp.Null | exp.Boolean | exp.Interval):
            return None
        if isinstance(node, exp.Column):
            return self._of_column(node, scope)
        if isinstance(node, _OF_ONE_UNIT):
            self._note_mixed(node, scope)
            return self._of(node.this, scope)
        if isinstance(node, exp.Distinct):
            return self._of(node.expressions[0], scope) if node.expressions else ""
        if isinstance(node, (*_COUNTS, exp.Predicate)):
            return PURE
        if isinstance(node, _OTHERS):
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
        if isinstance(node, exp.Mul | exp.Div):
            left, right = self._of(node.this, scope), self._of(node.expression, scope)
            if "%" in {left, right} and "100" in {node.this.name, node.expression.name}:
                # 12.5 % as a number: 0.125.
                return PURE
            return _product(left, right) if isinstance(node, exp.Mul) else _ratio(left, right)
        if isinstance(node, exp.WithinGroup):
            ordered = next(iter(node.expression.expressions), None) if node.expression is not None else None
            return self._of(ordered.this, scope) if isinstance(ordered, exp.Ordered) else ""
        if isinstance(node, exp.Subquery):
            inner = next((one for one in scope.subquery_scopes if one.expression is node.this), None)
            units = self.of_result(inner) if inner is not None else []
            return units[0] if units else ""
        return self._of_function(node, scope)

    def _of_function(self, node: exp.Expr, scope: Scope) -> Unit:
        """The unit of the first argument that has one."""
        given = [one for one in (node.this, *(node.args.get("expressions") or ())) if isinstance(one, exp.Expr)]
        units = [self._of(one, scope) for one in given]
        return next((one for one in units if one), "" if "" in units or not units else None)

    def _of_column(self, node: exp.Column, scope: Scope) -> Unit:
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


def _selects(scope: Scope) -> list[exp.Expr]:
    return scope.expression.selects if isinstance(scope.expression, exp.Query) else []


def _compared(node: exp.Expr) -> list[exp.Expr]:
    """The expressions that a comparison compares."""
    if isinstance(node, exp.Between):
        return [node.this, node.args["low"], node.args["high"]]
    if isinstance(node, exp.In):
        return [node.this, *node.expressions]
    return [node.this, node.expression]


def _product(left: Unit, right: Unit) -> Unit:
    """The unit of a product: pieces times EUR are EUR, as are kWh times EUR, which is a price for each."""
    several = [one for one in (left, right) if one not in {None, "", PURE}]
    if len(several) < 2:
        return several[0] if several else "" if "" in {left, right} else PURE if PURE in {left, right} else None
    kept = [one for one in several if one not in _PERCENT] or several[:1]
    money = [one for one in kept if one in _CURRENCIES]
    return kept[0] if len(kept) == 1 else money[0] if len(money) == 1 and MIXED not in kept else ""


def _ratio(above: Unit, below: Unit) -> Unit:
    known = above not in {None, "", PURE}
    if below is None or (known and (below in {"", PURE} or (below in _PERCENT and above not in _PERCENT))):
        return above
    return PURE if above == below and above not in {"", MIXED} else ""


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
    of_cells = {
        one.alias_or_name: checked.cells[one.name] for one in tree.find_all(exp.Table) if one.name in checked.cells
    }

    def words(node: exp.Expr, depth: int = 0) -> str:  # noqa: C901, PLR0911, PLR0912 - one branch for each kind
        if depth > 20:
            return "…"
        if isinstance(node, exp.Column):
            if (cell := of_cells.get(node.table)) is not None:
                return say("computed.of_cell", of=node.name, cell=cell)
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
