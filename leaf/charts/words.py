"""A chart in words and as a table, for people who cannot see the picture or want to read the numbers."""

from collections.abc import Mapping
from typing import Any, Final

from leaf import texts
from leaf.charts.request import Chart, Kind

_HEADINGS: Final[Mapping[Kind, str]] = {
    "bar": "charts.bar", "line": "charts.line", "area": "charts.area", "scatter": "charts.scatter", "pie": "charts.pie",
}  # fmt: skip


def heading(chart: Chart, say: texts.Texts) -> str:
    """The kind of a chart and its title."""
    return say(_HEADINGS[chart.kind], title=chart.title)


def summary(chart: Chart, say: texts.Texts) -> str:
    """A chart in a sentence: the number of values, the lowest and the highest."""
    values = [value for one in chart.series for _, value in one.points]
    low, high = (f"{_rounded(one, say)} {chart.unit}".strip() for one in (min(values), max(values)))
    names = ", ".join(one.name for one in chart.series)
    shown = say("charts.summary", y=names, x=chart.x, count=len(values), low=low, high=high)
    return f"{heading(chart, say)}. {shown}"


def _rounded(value: float, say: texts.Texts) -> str:
    rounded = float(f"{value:.6g}")
    return texts.number(int(rounded) if rounded.is_integer() else rounded, say.language)


def left_out(chart: Chart, say: texts.Texts) -> str:
    """The note about missing values; empty if there are none."""
    return say("charts.left_out", count=chart.left_out) if chart.left_out else ""


def amounts(chart: Chart) -> list[bool]:
    """Whether each column contains amounts. The values of the x axis, such as years, are not amounts."""
    return [
        place > 0 and all(row[place] is None or isinstance(row[place], int | float) for row in chart.rows)
        for place in range(len(chart.columns))
    ]


def table(chart: Chart, say: texts.Texts) -> tuple[list[str], list[list[str]]]:
    """The values of a chart as a table: the heads of the columns, and the cells of each row."""
    heads = [f"{one['label']} ({one['unit']})" if one["unit"] else one["label"] for one in chart.columns]
    are_amounts = amounts(chart)
    return heads, [[_cell(*one, say) for one in zip(row, are_amounts, strict=True)] for row in chart.rows]


def _cell(value: Any, is_amount: bool, say: texts.Texts) -> str:
    if value is None:
        return "–"
    return texts.number(value, say.language) if is_amount else str(value)
