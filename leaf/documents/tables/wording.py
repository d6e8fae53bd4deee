"""A statement in words: the columns of its result, and the conditions for its rows."""

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from leaf import texts
from leaf.documents.tables.expression_units import plain
from leaf.texts import Texts

_DEEPEST: Final = 20
"""Maximum depth of an expression that is put into words."""
_FUNCTIONS: Final[Mapping[type[exp.Expr], str]] = {
    exp.Sum: "computed.sum", exp.Avg: "computed.average", exp.Min: "computed.lowest", exp.Max: "computed.highest",
    exp.Count: "computed.count", exp.Median: "computed.median",
    exp.Year: "computed.year", exp.Quarter: "computed.quarter", exp.Month: "computed.month", exp.Week: "computed.week",
}  # fmt: skip
_EXTREMES: Final[Mapping[type[exp.Expr], str]] = {exp.ArgMax: "computed.of_highest", exp.ArgMin: "computed.of_lowest"}
_PERIODS: Final = frozenset({"year", "quarter", "month", "week"})
_SIGNS: Final[Mapping[type[exp.Expr], str]] = {
    exp.Add: "+", exp.Sub: "−", exp.Mul: "×", exp.Div: "÷", exp.EQ: "=", exp.NEQ: "≠", exp.GT: ">", exp.GTE: "≥",
    exp.LT: "<", exp.LTE: "≤",
}  # fmt: skip
_JOINTS: Final[Mapping[type[exp.Expr], str]] = {exp.And: "computed.both", exp.Or: "computed.either"}
_UNSAID: Final = (
    exp.Alias,
    exp.Round,
    exp.Cast,
    exp.TryCast,
    exp.Lower,
    exp.Upper,
    exp.Trim,
    exp.Coalesce,
    exp.TsOrDsToDate,
)
"""Expressions that are put into words as their first argument."""


class Wording:
    """Puts expressions of one statement into the words of a language.

    Args:
        tree: The statement.
        cells: The earlier computations that it uses, by their names in the statement that runs.
        say: The texts of the language.
        labels: Headers of columns, by their names in SQL.
    """

    def __init__(self, tree: exp.Expr, cells: Mapping[str, str], say: Texts, labels: Mapping[str, str]) -> None:
        self._say, self._labels = say, labels
        self._selects = tree.selects if isinstance(tree, exp.Query) else []
        self._defined = {one.alias: one.this for one in tree.find_all(exp.Alias)}
        self._of_cells = {one.alias_or_name: cells[one.name] for one in tree.find_all(exp.Table) if one.name in cells}

    def formula(self) -> str:
        """The columns of the result, such as “sum of Cost (EUR)”, separated by semicolons."""
        return "; ".join(self.of(one) for one in self._selects[:8])[:600]

    def of(self, node: exp.Expr, depth: int = 0) -> str:  # noqa: PLR0911 - one branch for each kind
        """An expression, such as “Site = “Lyon””."""
        if depth > _DEEPEST:
            return "…"
        deeper = depth + 1
        if isinstance(node, exp.Column):
            return self._column(node, depth)
        if isinstance(node, exp.Filter):
            return f"{self.of(node.this, deeper)} ({self.of(node.expression.this, deeper)})"
        if isinstance(node, exp.Distinct) and node.expressions:
            return self.of(node.expressions[0], deeper)
        if isinstance(node, _UNSAID):
            return self.of(node.this, deeper)
        if isinstance(node, exp.Paren):
            inner = self.of(node.this, deeper)
            return f"({inner})" if isinstance(node.this, exp.Binary) else inner
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select) and node.this.expressions:
            return self.of(node.this.expressions[0], deeper)
        if isinstance(node, exp.Literal):
            return self._say("computed.quoted", text=node.name) if node.is_string else node.name
        return self._operation(node, deeper) or self._function(node, deeper) or plain(node)

    def _column(self, node: exp.Column, depth: int) -> str:
        if (cell := self._of_cells.get(node.table)) is not None:
            return self._say("computed.of_cell", of=node.name, cell=cell)
        inner = self._defined.get(node.name)
        if node.name not in self._labels and inner is not None and depth < 6:
            return self.of(inner, depth + 6)
        return self._labels.get(node.name, node.name)

    def _function(self, node: exp.Expr, depth: int) -> str:
        if isinstance(node, exp.Count) and (node.this is None or isinstance(node.this, exp.Star)):
            return self._say("computed.rows")
        if (key := _EXTREMES.get(type(node))) is not None:
            return self._say(key, of=self.of(node.this, depth), by=self.of(node.expression, depth))
        key = _FUNCTIONS.get(type(node), "")
        if isinstance(node, exp.DateTrunc | exp.TimestampTrunc | exp.Extract):
            unit = node.this if isinstance(node, exp.Extract) else node.args["unit"]
            key = f"computed.{unit.name.lower()}" if unit.name.lower() in _PERIODS else ""
        inner = node.expression if isinstance(node, exp.Extract) else node.this
        return self._say(key, of=self.of(inner, depth)) if key else ""

    def _operation(self, node: exp.Expr, depth: int) -> str:  # noqa: PLR0911 - one branch for each kind
        if isinstance(node, exp.Abs):
            return f"|{self.of(node.this, depth)}|"
        if isinstance(node, exp.Neg):
            return f"−{self.of(node.this, depth)}"
        if (sign := _SIGNS.get(type(node))) is not None:
            return f"{self.of(node.this, depth)} {sign} {self.of(node.expression, depth)}"
        if (joint := _JOINTS.get(type(node))) is not None:
            return self._say(joint, one=self.of(node.this, depth), other=self.of(node.expression, depth))
        if isinstance(node, exp.Not):
            return self._negation(node.this.unnest(), depth)
        if isinstance(node, exp.Between):
            low, high = self.of(node.args["low"], depth), self.of(node.args["high"], depth)
            return f"{low} ≤ {self.of(node.this, depth)} ≤ {high}"
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return self._say("computed.empty", of=self.of(node.this, depth))
        if isinstance(node, exp.In) and node.expressions:
            return f"{self.of(node.this, depth)} = {self._any(node, depth)}"
        return self._likeness(node, "=", depth)

    def _negation(self, node: exp.Expr, depth: int) -> str:
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return self._say("computed.filled", of=self.of(node.this, depth))
        if isinstance(node, exp.In) and node.expressions:
            return f"{self.of(node.this, depth)} ≠ {self._any(node, depth)}"
        return self._likeness(node, "≠", depth) or self._say("computed.otherwise", of=self.of(node, depth))

    def _any(self, node: exp.In, depth: int) -> str:
        first, *others = (self.of(one, depth) for one in node.expressions[:20])
        for other in others:
            first = self._say("computed.either", one=first, other=other)
        return first

    def _likeness(self, node: exp.Expr, sign: str, depth: int) -> str:
        """A comparison with a pattern; a star stands for any letters. Empty for other expressions."""
        if not isinstance(node, exp.Like | exp.ILike) or not isinstance(node.expression, exp.Literal):
            return ""
        shown = node.expression.name.replace("%", "*")
        return f"{self.of(node.this, depth)} {sign} {self._say('computed.quoted', text=shown)}"


def by_language(tree: exp.Expr, cells: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, Wording]:
    """The wording of a statement in each language; see `Wording` for the arguments."""
    return {language: Wording(tree, cells, texts.of(language), labels) for language in texts.LANGUAGES}
