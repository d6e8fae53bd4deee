"""Units of the expressions in a statement: which of them may be added or compared, and the unit of each result."""

from collections.abc import Mapping, Sequence
from datetime import time
from typing import Final

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from leaf.documents.tables import clauses, unit_names
from leaf.documents.tables.model import MIXED, PURE, Column, Refused, Table

_PERCENT: Final = frozenset({"%", "‰"})
_CURRENCIES: Final = frozenset(unit_names.CURRENCIES.values())
OF_ONE_UNIT: Final = (exp.Sum, exp.Avg, exp.Median, exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Min, exp.Max)
"""Functions that combine or compare values of several rows, and keep their unit."""
Unit = str | None
"""The unit of an expression: an empty string for a column without one, `MIXED`, `PURE`, or None for a constant, which
may be added to anything.
"""
_HALF_A_DAY_HOURS: Final = 12
_COMPARISONS: Final = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)
_COUNTS: Final = (exp.Count, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Corr, exp.Length, exp.StrPosition)
_OTHERS: Final = (exp.Variance, exp.VariancePop, exp.Sqrt, exp.Pow, exp.Ln, exp.DateDiff)
"""Functions whose result does not have the unit of their arguments."""


class Units:
    """The units of the expressions in a statement."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        self._unit_columns = {column.unit_column for one in tables.values() for column in one.columns} - {""}
        self._mixed: list[tuple[Column, str, exp.Select]] = []
        """Columns whose values are added up or compared, each with the name of its table there, and the rows: a SELECT
        with nothing but its clauses."""
        self._joint: list[list[tuple[Column, str, exp.Select]]] = []
        """Columns, as in `_mixed`, whose values are compared with each other, so that all have the same unit."""
        self._pairs: list[tuple[Column, exp.Select]] = []
        """Columns that are compared with another one, each with the rows in which the units of the two differ."""

    def check(self, scope: Scope) -> None:
        """Refuses to combine different units, or amounts with a unit and amounts without one.

        Raises:
            Refused: Two units are added, compared, or put into one column.
        """
        select = scope.expression
        if isinstance(select, exp.Select):
            for one in select.expressions:
                self._of(one, scope)
            for each in scope.find_all(*_COMPARISONS):
                if self._same(clauses.compared(each), scope) == MIXED:
                    self._check_comparison(each, scope, select)
            for each, rows in clauses.ranked(select, scope):
                self._note_mixed(each, scope, rows)
            self._check_merged(select, scope)
            return
        members = [(one, self.of_result(one)) for one in scope.set_operation_scopes]
        for several in zip(*(zip(_selects(one), units, strict=False) for one, units in members), strict=False):
            unit = self._agree([unit for _, unit in several], [node for node, _ in several])
            if unit == MIXED and isinstance(select, exp.Intersect | exp.Except):
                self._note_jointly([(node, one) for (node, _), (one, _) in zip(several, members, strict=False)])

    def of_result(self, scope: Scope) -> list[Unit]:
        """The units of the columns that a scope returns."""
        select = scope.expression
        if isinstance(select, exp.Select):
            return [self._of(one, scope) for one in select.expressions]
        return self.of_result(scope.set_operation_scopes[0]) if scope.set_operation_scopes else []

    def unit_checks(self, tree: exp.Expr) -> list[tuple[str, str]]:
        """For each column that is added up, the reason for a refusal, and SQL that counts the units or sides in it.

        The statement is refused if a count is above one.
        """
        # A row without a unit counts as one with another unit.
        counts = [(one[0], _units_of(*one, _count_of_units(*one[:2]))) for one in self._mixed]
        for noted in self._joint:
            united = exp.union(*(_units_of(*one, _unit(*one[:2])) for one in noted))
            rows = exp.Select().from_(united.subquery("united"))
            counts.append((noted[0][0], rows.select(exp.alias_(exp.Count(this=exp.Star()), "n"))))
        two = exp.alias_(exp.Literal.number(2), "n")
        counts += [(column, rows.select(two)) for column, rows in self._pairs]
        made: dict[str, str] = {}
        for column, counted in counts:
            largest = exp.Select().select(exp.Max(this=exp.column("n"))).from_(counted.subquery("counted"))
            clauses.copy_clauses(tree, largest, ("with_",))
            made[largest.sql("duckdb")] = _reason(column)
        return [(reason, sql) for sql, reason in made.items()]

    def _check_comparison(self, comparison: exp.Expr, scope: Scope, select: exp.Select) -> None:
        """Notes the columns of a comparison of amounts with different units.

        Amounts of the same row have the same unit if their columns share a column of units; those of two rows, as in a
        table that is joined to itself, are looked at in pairs.
        """
        compared = clauses.compared(comparison)
        inner = [one for one in scope.subquery_scopes if any(one.expression.parent is part for part in compared)]
        own = [
            column
            for part in compared
            for column in part.find_all(exp.Column)
            if column.parent_select is select and self._of_column(column, scope) == MIXED
        ]
        if inner:
            self._note_jointly([*((one, scope) for one in own), *((_selects(one)[0], one) for one in inner)])
        if self._has_one_amount(comparison, scope) or comparison.find(exp.Window) is not None:
            self._note_mixed(comparison, scope, clauses.compared_rows(comparison, select, self._unit_columns))
            return
        for first, other in ((own[0], one) for one in own[1:]):
            left, right = self._column(first, scope), self._column(other, scope)
            if left is None or right is None:
                if first.table != other.table:
                    self._note_jointly([(first, scope), (other, scope)])
            elif (first.table, left.unit_column) != (other.table, right.unit_column):
                differ = exp.NullSafeNEQ(this=_unit(left, first.table), expression=_unit(right, other.table))
                filled = [one.copy().is_(exp.Null()).not_() for one in (first, other)]
                self._pairs.append((left, clauses.without(comparison, select).where(differ, *filled)))

    def _check_merged(self, select: exp.Select, scope: Scope) -> None:
        """Notes the columns whose equal values a SELECT takes as one, in groups or by DISTINCT, unless it keeps amounts
        of different units apart.
        """
        group = select.args.get("group")
        shown = select.expressions if select.args.get("distinct") else []
        for several in (group.expressions if group is not None else [], shown):
            for one in [] if self._names_units(several) else several:
                self._note_mixed(one, scope, clauses.rows_of(select, "where"))
        for each in scope.find_all(exp.Count):
            if isinstance(each.this, exp.Distinct) and not self._names_units(each.this.expressions):
                self._note_mixed(each, scope)

    def _names_units(self, several: Sequence[exp.Expr]) -> bool:
        """Whether one of some expressions has the units of amounts."""
        return any(one.name in self._unit_columns for each in several for one in each.find_all(exp.Column))

    def _note_jointly(self, nodes: Sequence[tuple[exp.Expr, Scope]]) -> None:
        """Notes that the columns in some expressions, each with its scope, have the same unit in all rows."""
        known = len(self._mixed)
        for node, scope in nodes:
            if isinstance(scope.expression, exp.Select):
                self._note_mixed(node, scope, clauses.rows_of(scope.expression, "where"))
        if noted := self._mixed[known:]:
            self._joint.append(noted)

    def _same(self, several: Sequence[exp.Expr], scope: Scope) -> Unit:
        return self._agree([self._of(one, scope) for one in several], several)

    def _agree(self, units: Sequence[Unit], nodes: Sequence[exp.Expr]) -> Unit:
        """The common unit of values that are added, compared, or put into one column.

        Raises:
            Refused: They have no common unit.
        """
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
                f"{plain(bare)[:80]} has no unit, and cannot be added to or compared with {shown}. If the file or the "
                f"user says which unit it has, name it in `units`. Counts are multiplied by prices, and not added."
            )
        return known[0]

    def _of(self, node: exp.Expr, scope: Scope) -> Unit:  # noqa: C901, PLR0911, PLR0912 - one branch for each kind
        if isinstance(node, exp.Literal | exp.Null | exp.Boolean | exp.Interval):
            return None
        if isinstance(node, exp.Column):
            return self._of_column(node, scope)
        if isinstance(node, OF_ONE_UNIT):
            self._note_mixed(node, scope)
            self._require_times(node, scope)
            return self._of(node.this, scope)
        if isinstance(node, exp.Distinct):
            return self._of(node.expressions[0], scope) if node.expressions else ""
        if isinstance(node, exp.Sign):
            self._of(node.this, scope)
        if isinstance(node, (*_COUNTS, exp.Sign, exp.Predicate)):
            return PURE
        if isinstance(node, exp.DateDiff):
            self._require_exact(node, scope)
        if isinstance(node, _OTHERS):
            return ""
        if isinstance(node, exp.Add | exp.Sub):
            self._note_mixed(node, scope)
            return self._same([node.this, node.expression], scope)
        if isinstance(node, exp.Greatest | exp.Least):
            self._note_mixed(node, scope)
        if isinstance(node, exp.Coalesce | exp.Greatest | exp.Least):
            return self._same([node.this, *node.expressions], scope)
        if isinstance(node, exp.Case):
            branches = [one.args["true"] for one in node.args.get("ifs", ())]
            return self._same([*branches, *filter(None, [node.args.get("default")])], scope)
        if isinstance(node, exp.If):
            return self._same([*filter(None, [node.args.get("true"), node.args.get("false")])], scope)
        if isinstance(node, exp.Mul | exp.Div):
            left, right = self._of(node.this, scope), self._of(node.expression, scope)
            if isinstance(node, exp.Mul) and (money := self._money_of(node, scope)):
                return money
            if "%" in {left, right} and "100" in {node.this.name, node.expression.name}:
                # 12.5 % as the number 0.125.
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
            column = self._column(node, scope)
            return column.unit if column is not None else ""
        if isinstance(source, Scope):
            inner = source.expression
            names = inner.named_selects if isinstance(inner, exp.Query) else []
            units = self.of_result(source)
            return units[names.index(node.name)] if node.name in names and len(units) == len(names) else ""
        return ""

    def _require_times(self, node: exp.Expr, scope: Scope) -> None:
        """Refuses sums of times of day, and means of times that may lie on both sides of midnight.

        Raises:
            Refused: The expression is one of these.
        """
        column = self._column(node.this, scope)
        if column is None or column.type != "clock" or isinstance(node, exp.Min | exp.Max):
            return
        times = [one.hour + one.minute / 60 for one in column.values if isinstance(one, time)]
        if not isinstance(node, exp.Avg | exp.Median):
            raise Refused(f"“{column.label}” is a column of times of a day: they are not added up.")
        if times and max(times) - min(times) >= _HALF_A_DAY_HOURS:
            raise Refused(
                f"“{column.label}” has times of a day that are half a day apart or more: between 22:00 and 2:00 lies "
                f"midnight or noon, and nothing says which."
            )

    def _require_exact(self, node: exp.DateDiff, scope: Scope) -> None:
        """Refuses a difference in hours, which would be cut to whole hours, and differences of times of day that may
        belong to different days.

        Raises:
            Refused: The expression is one of these.
        """
        if node.args.get("unit") is not None and node.args["unit"].name.upper() == "HOUR":
            raise Refused("date_diff counts the hours that begin between two times. Take minutes, and divide by 60.")
        if not any(
            self._is_clock(one, scope) for part in (node.this, node.expression) for one in part.find_all(exp.Column)
        ):
            return
        end, begin = (self._column(one, scope) for one in (node.this, node.expression))
        if begin is None or end is None or len(begin.values) != len(end.values):
            raise Refused("A difference of times of a day needs two columns of one table that are such times.")
        pairs = zip(begin.values, end.values, strict=True)
        if any(isinstance(first, time) and isinstance(last, time) and last < first for first, last in pairs):
            raise Refused(
                f"“{end.label}” and “{begin.label}” are times of a day, and some of the second ones are before the "
                f"first ones: their difference would be wrong where midnight lies between them."
            )

    def _is_clock(self, node: exp.Column, scope: Scope) -> bool:
        """Whether a column has times of day, or is computed from such a column in a subquery."""
        if (column := self._column(node, scope)) is not None:
            return column.type == "clock"
        source = scope.sources.get(node.table)
        if not isinstance(source, Scope):
            return False
        made = [one for one in _selects(source) if one.alias_or_name == node.name]
        return any(self._is_clock(one, source) for part in made for one in part.find_all(exp.Column))

    def _column(self, node: exp.Expr | None, scope: Scope) -> Column | None:
        """The column of a table to which an expression refers; None for any other expression."""
        table = self._table(node, scope)
        return table.column(node.unnest().name) if table is not None and node is not None else None

    def _table(self, node: exp.Expr | None, scope: Scope) -> Table | None:
        """The table with the column to which an expression refers; None for any other expression."""
        bare = node.unnest() if node is not None else None
        source = scope.sources.get(bare.table) if isinstance(bare, exp.Column) else None
        return self._tables.get(source.name.lower()) if isinstance(source, exp.Table) else None

    def _money_of(self, node: exp.Mul, scope: Scope) -> str:
        """The currency of a price times a quantity; empty for any other product.

        The quantity is a column with a unit per row, such as kg or pieces, and none of these units is a currency.
        """
        for count, price in ((node.this, node.expression), (node.expression, node.this)):
            money, table, column = self._of(price, scope) or "", self._table(count, scope), self._column(count, scope)
            if table is None or column is None or column.unit != MIXED or money not in _CURRENCIES:
                continue
            units = table.column(column.unit_column)
            if units is not None and not any(unit_names.currency_of(str(one)) for one in {*units.values}):
                return money
        return ""

    def _has_one_amount(self, comparison: exp.Expr, scope: Scope) -> bool:
        """Whether a comparison holds amounts of several rows against the same one, other than zero."""
        return any(
            isinstance(one, exp.Subquery) or (self._of(one, scope) is None and not _is_zero(one))
            for one in clauses.compared(comparison)
        )

    def _note_mixed(self, node: exp.Expr, scope: Scope, rows: exp.Select | None = None) -> None:
        """Notes the columns in an expression whose values must have one unit in each group of some rows.

        Args:
            node: The expression, which adds up or compares values.
            scope: Its scope.
            rows: The rows, as in `_mixed`; without them, those of the scope.

        Raises:
            Refused: Its units differ, and cannot be counted.
        """
        select = scope.expression
        if rows is None and isinstance(select, exp.Select):
            rows = clauses.rows_of(select, "where", "group", condition=clauses.filter_of(node))
        for column in node.find_all(exp.Column):
            product = column.find_ancestor(exp.Mul, exp.Add, exp.Sub, exp.Div, exp.Func)
            if isinstance(product, exp.Mul) and self._money_of(product, scope):
                continue
            found = self._column(column, scope)
            if found is not None and found.unit == MIXED and rows is not None:
                self._mixed.append((found, column.table, rows))
            elif found is not None and found.sides_column and isinstance(node, exp.Sum | exp.Avg):
                # A sum that gives each side a sign names the column of the sides, and is allowed.
                if rows is not None and all(one.name != found.sides_column for one in node.find_all(exp.Column)):
                    self._mixed.append((found, column.table, rows))
            elif found is None and self._of_column(column, scope) == MIXED:
                self._note_origin(column, scope)

    def _note_origin(self, column: exp.Column, scope: Scope) -> None:
        """Notes that all values of a column of a subquery must have one unit.

        Raises:
            Refused: The column has the values of several tables.
        """
        inner = scope.sources.get(column.table)
        select = inner.expression if isinstance(inner, Scope) else None
        if not isinstance(inner, Scope) or not isinstance(select, exp.Select):
            raise Refused(f"The units of {column.name} differ. Select one unit where the table is read.")
        for one in select.selects:
            if one.alias_or_name == column.name:
                self._note_mixed(one.unalias(), inner, clauses.rows_of(select, "where"))


def _unit(column: Column, source: str) -> exp.Expr:
    """The unit or the account side of each row of a column; empty for none."""
    name = column.unit_column if column.unit == MIXED else column.sides_column
    named = exp.column(name, table=source, quoted=True)
    return exp.Coalesce(this=named, expressions=[exp.Literal.string("")])


def _count_of_units(column: Column, source: str) -> exp.Expr:
    return exp.alias_(exp.Count(this=exp.Distinct(expressions=[_unit(column, source)])), "n")


def _units_of(column: Column, source: str, rows: exp.Select, selected: exp.Expr) -> exp.Select:
    """Selects an expression from the rows in which a column has a value."""
    values = exp.column(column.name, table=source, quoted=True)
    return rows.select(selected).where(values.is_(exp.Null()).not_())


def _reason(column: Column) -> str:
    """The reason why the values of a column must not be added up."""
    if column.unit == MIXED:
        return f"“{column.label}” has several units. Select one of them, or group by the column of units."
    return (
        f"“{column.label}” has amounts of both sides of an account. Take one side of {column.sides_column}, group by "
        f"it, or subtract one from the other with CASE."
    )


def _selects(scope: Scope) -> list[exp.Expr]:
    return scope.expression.selects if isinstance(scope.expression, exp.Query) else []


def _is_zero(node: exp.Expr) -> bool:
    """Whether an expression is NULL or zero, which is the same amount in every unit."""
    return isinstance(node, exp.Null) or (isinstance(node, exp.Literal) and not node.name.strip("0."))


def _product(left: Unit, right: Unit) -> Unit:
    """The unit of a product. Pieces times EUR are EUR. kWh times EUR/kWh are EUR, and so are kWh times EUR, because the
    EUR are taken for a price per kWh.
    """
    for price, count in ((left, right), (right, left)):
        money, _, each = (price or "").partition("/")
        if each and count not in {None, PURE}:
            return money if count in {"", each} else ""
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


def plain(tree: exp.Expr) -> str:
    """A part of a statement for people: names without tables and without quotation marks."""
    made = tree.copy()
    for one in made.find_all(exp.Column):
        one.set("table", None)
    for one in made.find_all(exp.Identifier):
        one.set("quoted", False)
    return made.sql("duckdb")[:500]
