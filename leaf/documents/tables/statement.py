"""Checks a SELECT that a model wrote: one statement, known tables, columns and functions, and units that can be added.

The statement that runs is generated from the checked tree, so that no other parser can read it differently.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, traverse_scope

from leaf.documents.tables import words
from leaf.documents.tables.clauses import copy_clauses
from leaf.documents.tables.expression_units import OF_ONE_UNIT, Units
from leaf.documents.tables.model import Refused, Table

MAX_CHARACTERS = 4_000
_DEEPEST: Final = 40
"""Maximum depth of subqueries through which a column is traced."""
ROW: Final = "_row"
"""The column with the row number in the sheet."""
_SQL_TYPES: Final = {"number": "decimal", "date": "date", "time": "timestamp", "clock": "time", "text": "varchar"}
_FUNCTIONS: Final[tuple[type[exp.Expr], ...]] = (
    *OF_ONE_UNIT, exp.Count, exp.Variance, exp.VariancePop, exp.ArgMax, exp.ArgMin,
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
"""Functions that are allowed, and other syntax that the parser represents as functions."""
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
    exp.DataType.Type.TEXT, exp.DataType.Type.BOOLEAN, exp.DataType.Type.TIMESTAMPNTZ,
    exp.DataType.Type.TIME,
})  # fmt: skip


@dataclass(frozen=True)
class Use:
    """A table as one part of the statement reads it."""

    table: Table
    columns: Sequence[str]
    """Names of the columns from whose cells the result is computed."""
    rows: str
    """SQL that returns the numbers of the rows that are used."""
    tested: Sequence[str]
    """Names of the columns that decide which rows are used."""
    condition: exp.Expr | None
    """The condition for these rows."""


@dataclass(frozen=True)
class Checked:
    """A statement that may run."""

    sql: str
    """The statement for DuckDB."""
    shown: str
    """The statement for people, on several lines."""
    uses: Sequence[Use]
    units: Sequence[str]
    """The unit of each result column: empty for none, `PURE` for a count or a ratio."""
    constant: Sequence[bool]
    """For each result column, whether it uses no cell but only numbers in the statement."""
    unit_checks: Sequence[tuple[str, str]]
    """For each column that is added up but may have different units or account sides: the reason for a refusal, and SQL
    that returns the largest number of different ones that would be added together. It must not exceed one."""
    cells: Mapping[str, str]
    """The earlier computations that it uses, by their names in the statement that runs."""
    columns: Collection[str] | None
    """The names of the columns that it reads; None for all, because some joins compare all columns of the same name."""
    tree: exp.Expr = field(repr=False)


@dataclass(frozen=True)
class Earlier:
    """A computation that a statement may read as a table."""

    name: str
    query: str
    tables: Mapping[str, Table]
    """The tables of its files, by the names that its query uses."""


def check(statement: str, tables: Sequence[Table], cells: Sequence[Earlier] = ()) -> Checked:
    """Checks a statement, and prepares it to run.

    Args:
        statement: SQL, as a model wrote it.
        tables: The tables that it may read.
        cells: Earlier computations that it may read. Each comes after those that it uses itself. They become a part of
            the statement and are checked with it.

    Raises:
        Refused: It is not a single SELECT, or uses something that is not allowed; the message says what.
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
        # A star means the columns of the tables without the row number.
        visible: dict[str, object] = {
            name: {key: kind for key, kind in columns.items() if key != ROW} for name, columns in schema.items()
        }
        tree = qualify(tree, schema=visible, dialect="duckdb", validate_qualify_columns=True)
    except (SqlglotError, RecursionError) as error:
        raise Refused(f"{_first_line(error)} The tables are: {_described(tables)}") from None
    if (whole := tree.find(exp.TableColumn)) is not None:
        # DuckDB would read the name of a table as its rows.
        raise Refused(f"There is no column {whole.name}. The tables are: {_described(tables)}")
    scopes = traverse_scope(tree)
    units = Units(by_name)
    for scope in scopes:
        if scope.external_columns:
            raise Refused("A subquery must not use columns of the query around it. Use a join or WITH.")
        units.check(scope)
        words.check(scope, by_name)
    uses = [use for scope in scopes for use in _uses(scope, by_name, tree)]
    of_result = [one or "" for one in units.of_result(scopes[-1])]
    return Checked(
        tree.sql("duckdb"), shown, uses, of_result, _constant(scopes[-1]), units.unit_checks(tree), of_cells,
        _read_columns(tree), tree,
    )  # fmt: skip


def _read_columns(tree: exp.Expr) -> Collection[str] | None:
    """The names of the columns in a statement, in which stars have been expanded; None for all columns."""
    if any(one.args.get("method") or one.args.get("using") for one in tree.find_all(exp.Join)):
        return None
    return {one.name for one in tree.find_all(exp.Column)}


def alone(one: Earlier, others: Collection[str]) -> str:
    """The statement of a computation as it runs outside Leaf, where earlier computations are views.

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
    """Lets a part of a statement read another table; the statement keeps its own name for it."""
    if node.name != name:
        node.set("alias", node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(node.name)))
        node.set("this", exp.to_identifier(name))


def _resting_on(
    tree: exp.Expr, cells: Sequence[Earlier], tables: Mapping[str, Table]
) -> tuple[exp.Expr, dict[str, str]]:
    """The statement with the earlier computations in its WITH, and the computation for each of their names there."""
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
    """Removes the WITH of a computation, and returns its members under names that are unique among computations."""
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
    """Refuses every node, function, type and table that is not allowed."""
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
            _check_table(node, tables, {*made, *cells})


def _check_table(node: exp.Table, tables: Mapping[str, Table], made: set[str]) -> None:
    extra = [name for name, value in node.args.items() if value and name not in {"this", "alias", "joins"}]
    name = node.name.lower()
    if extra or not isinstance(node.this, exp.Identifier) or (name not in tables and name not in made):
        shown = node.sql("duckdb")[:80]
        raise Refused(f"There is no table {shown}. The tables are: {_described(list(tables.values()))}")


def _described(tables: Sequence[Table]) -> str:
    return "; ".join(f"{one.name} ({', '.join(column.name for column in one.columns)})" for one in tables)[:2_000]


def _base(scope: Scope, tables: Mapping[str, Table]) -> dict[str, Table]:
    """The tables of files that a scope reads, by the names that it uses."""
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
        copy_clauses(select, rows, ("from_", "joins", "where", *(() if adds else ("order", "limit", "offset"))))
        copy_clauses(root, rows, ("with_",))
        shown = [one for part in select.expressions for one in part.find_all(exp.Column) if one.table == name]
        if not adds and select.args.get("order") is not None:
            shown += [one for one in select.args["order"].find_all(exp.Column) if one.table == name]
        columns = list(dict.fromkeys(one.name for one in shown if table.column(one.name) is not None))
        chosen = [select.args[part] for part in ("where", "having", "qualify") if select.args.get(part)]
        chosen += select.args.get("joins") or []
        tested = {column.name for part in chosen for column in part.find_all(exp.Column) if column.table == name}
        yield Use(table, columns, rows.sql("duckdb"), sorted(tested), where.this if where is not None else None)


def _constant(scope: Scope, depth: int = 0) -> list[bool]:
    """For each column that a scope returns, whether some of its rows use no cell."""
    if scope.set_operation_scopes:
        members = [_constant(one, depth) for one in scope.set_operation_scopes]
        return [any(several) for several in zip(*members, strict=False)]
    select = scope.expression
    return [not _rests(one, scope, depth) for one in select.selects] if isinstance(select, exp.Select) else []


def _rests(node: exp.Expr, scope: Scope, depth: int) -> bool:  # noqa: PLR0911 - one branch for each kind
    """Whether the value of an expression is computed from cells or counts rows. A condition on cells is not enough."""
    if depth > _DEEPEST or isinstance(node, exp.Count):
        return True
    if isinstance(node, exp.Sum | exp.Avg):
        # `SUM(1)`, or a sum of ones and zeros chosen by a condition, counts rows.
        return node.find(exp.Column) is not None or (isinstance(node.this, exp.Literal) and node.this.name == "1")
    if isinstance(node, exp.Column):
        return _column_rests(node, scope, depth)
    if isinstance(node, exp.Subquery):
        inner = next((one for one in scope.subquery_scopes if one.expression is node.this), None)
        return inner is None or not any(_constant(inner, depth + 1)[:1])
    if isinstance(node, exp.Case):
        branches = [one.args["true"] for one in node.args.get("ifs", ())]
        return any(_rests(one, scope, depth) for one in filter(None, [*branches, node.args.get("default")]))
    if isinstance(node, exp.If):
        return any(_rests(one, scope, depth) for one in filter(None, (node.args.get("true"), node.args.get("false"))))
    if isinstance(node, exp.Window) and isinstance(node.this, exp.Func) and not node.this.args.get("this"):
        # A row number or a rank.
        return True
    if isinstance(node, exp.Window | exp.Filter | exp.WithinGroup):
        return _rests(node.this, scope, depth) or isinstance(node, exp.WithinGroup)
    return any(_rests(one, scope, depth) for one in node.iter_expressions())


def _column_rests(node: exp.Column, scope: Scope, depth: int) -> bool:
    source = scope.sources.get(node.table)
    if not isinstance(source, Scope):
        return True
    inner = source.expression
    names = inner.named_selects if isinstance(inner, exp.Query) else []
    made = _constant(source, depth + 1)
    return node.name not in names or len(made) != len(names) or not made[names.index(node.name)]
