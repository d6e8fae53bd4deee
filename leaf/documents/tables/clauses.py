"""The rows that clauses and conditions of a SELECT choose, as SELECTs of their own."""

from collections.abc import Collection, Sequence

from sqlglot import exp
from sqlglot.optimizer.scope import Scope


def rows_of(select: exp.Select, *clauses: str, condition: exp.Expr | None = None) -> exp.Select:
    """The rows that some clauses of a SELECT choose and group, as far as they also fulfil a condition."""
    rows = exp.Select()
    copy_clauses(select, rows, ("from_", "joins", *clauses))
    return rows.where(condition.copy()) if condition is not None else rows


def compared_rows(comparison: exp.Expr, select: exp.Select, unit_columns: Collection[str]) -> exp.Select:
    """The rows for which the result of a comparison matters: those for which the conditions joined to it by AND hold,
    unless they compare the same column. They are grouped only by units: other groups are compared with the same amount.
    """
    names = {one.name for one in comparison.find_all(exp.Column) if one.parent_select is select}
    conditions: list[exp.Expr] = []
    node, is_in_where = comparison, False
    while node is not select and (parent := node.parent) is not None:
        if isinstance(parent, exp.And):
            conditions += _joined(parent.expression if parent.this is node else parent.this)
        is_in_where |= isinstance(parent, exp.Where) and parent.parent is select
        node = parent
    others = [one for one in conditions if names.isdisjoint(column.name for column in one.find_all(exp.Column))]
    group = select.args.get("group")
    has_units = group is not None and any(one.name in unit_columns for one in group.find_all(exp.Column))
    clauses = ("where",) * (not is_in_where) + ("group",) * has_units
    return rows_of(select, *clauses, condition=exp.and_(*others) if others else None)


def _joined(condition: exp.Expr) -> list[exp.Expr]:
    """The conditions that AND joins to one."""
    bare = condition.unnest()
    return [*_joined(bare.this), *_joined(bare.expression)] if isinstance(bare, exp.And) else [bare]


def ranked(select: exp.Select, scope: Scope) -> list[tuple[exp.Expr, exp.Select]]:
    """The expressions by which a SELECT chooses rows or ranks them, so that it compares their values, each with the
    rows that it compares. Ranks of groups compare all groups.
    """
    orders = [select.args.get("order")] if select.args.get("limit") is not None else []
    orders += [one.args.get("order") for one in scope.find_all(exp.Window) if not one.args.get("partition_by")]
    named = {one.alias_or_name: one.unalias() for one in select.expressions}
    # ORDER BY 2 names the second column.
    named |= {str(place): one.unalias() for place, one in enumerate(select.expressions, 1)}
    by = [one.this for order in orders if order is not None for one in order.expressions]
    ranked = [one if isinstance(one, exp.Column) and one.table else named.get(one.name, one) for one in by]
    found = [(one, rows_of(select, "where", condition=_filter_within(one))) for one in ranked]
    extremes = [(one.expression, filter_of(one)) for one in scope.find_all(exp.ArgMax, exp.ArgMin)]
    return [*found, *((one, rows_of(select, "where", "group", condition=condition)) for one, condition in extremes)]


def compared(node: exp.Expr) -> list[exp.Expr]:
    """The expressions that a comparison compares."""
    if isinstance(node, exp.Between):
        return [node.this, node.args["low"], node.args["high"]]
    if isinstance(node, exp.In):
        return [node.this, *node.expressions, *filter(None, [node.args.get("query")])]
    return [node.this, node.expression]


def copy_clauses(source: exp.Expr, target: exp.Select, names: Sequence[str]) -> None:
    """Copies some clauses of a query, as far as it has them, to a SELECT."""
    for name in names:
        if (value := source.args.get(name)) is not None:
            target.set(name, [one.copy() for one in value] if isinstance(value, list) else value.copy())


def filter_of(node: exp.Expr) -> exp.Expr | None:
    """The condition in the FILTER of an aggregate, such as `sum(x) FILTER (WHERE …)`; None if it has none."""
    parent = node.parent
    return parent.expression.this if isinstance(parent, exp.Filter) else None


def _filter_within(node: exp.Expr) -> exp.Expr | None:
    """The condition of an expression that is an aggregate with a FILTER; None for any other."""
    return node.expression.this if isinstance(node, exp.Filter) else None


def without(comparison: exp.Expr, select: exp.Select) -> exp.Select:
    """The rows of a SELECT without the condition that has a comparison, as far as AND joins it to others."""
    node = comparison
    while not isinstance(node.parent, exp.And | exp.Where | exp.Join | exp.Select | None):
        node = node.parent
    if not isinstance(node.parent, exp.And | exp.Where | exp.Join):
        return rows_of(select, "where")
    node.meta["dropped"] = True
    rows = rows_of(select, "where")
    del node.meta["dropped"]
    for one in [one for one in rows.walk() if one.meta.get("dropped")]:
        one.replace(exp.true())
    return rows
