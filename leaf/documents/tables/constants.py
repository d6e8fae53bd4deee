"""Columns of a result that rest on no cell: numbers that the statement itself names."""

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

_DEEPEST = 40
"""Subqueries through which a column is followed."""


def of_result(scope: Scope, depth: int = 0) -> list[bool]:
    """Whether each column that a scope returns rests on no cell in some of its rows."""
    if scope.set_operation_scopes:
        members = [of_result(one, depth) for one in scope.set_operation_scopes]
        return [any(several) for several in zip(*members, strict=False)]
    select = scope.expression
    return [not _rests(one, scope, depth) for one in select.selects] if isinstance(select, exp.Select) else []


def _rests(node: exp.Expr, scope: Scope, depth: int) -> bool:  # noqa: PLR0911 - one branch for each kind
    """Whether the value of an expression is made of cells, or counts rows: a condition alone does not make it one."""
    if depth > _DEEPEST or isinstance(node, exp.Count):
        return True
    if isinstance(node, exp.Sum | exp.Avg):
        # Ones are added up, or ones and zeros by a condition, to count rows.
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
        # The number or the rank of a row.
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
