"""Finds columns of a result that use no cell, but only numbers written in the statement."""

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

_DEEPEST = 40
"""Maximum depth of subqueries through which a column is traced."""


def of_result(scope: Scope, depth: int = 0) -> list[bool]:
    """For each column that a scope returns, whether some of its rows use no cell."""
    if scope.set_operation_scopes:
        members = [of_result(one, depth) for one in scope.set_operation_scopes]
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
        return _of_column(node, scope, depth)
    if isinstance(node, exp.Subquery):
        inner = next((one for one in scope.subquery_scopes if one.expression is node.this), None)
        return inner is None or not any(of_result(inner, depth + 1)[:1])
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


def _of_column(node: exp.Column, scope: Scope, depth: int) -> bool:
    source = scope.sources.get(node.table)
    if not isinstance(source, Scope):
        return True
    inner = source.expression
    names = inner.named_selects if isinstance(inner, exp.Query) else []
    made = of_result(source, depth + 1)
    return node.name not in names or len(made) != len(names) or not made[names.index(node.name)]
