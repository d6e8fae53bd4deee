"""A chart in words, and as a table: for those who do not see it, and for whoever wants its numbers."""

from typing import Any

from leaf import texts
from leaf.charts.request import Chart


def heading(chart: Chart, say: texts.Texts) -> str:
    """The kind of a chart and its title."""
    return say(f"charts.{chart.kind}", title=chart.title)


def summary(chart: Chart, say: texts.Texts) -> str:
    """A chart in a sentence: how many values, the lowest and the highest."""
    values = [value for one in chart.series for _, value in one.points]
    low, high = (f"{_rounded(one, say)} {chart.unit}".strip() for one in (min(values), max(values)))
    names = ", ".join(one.name for one in chart.series)
    shown = say("charts.summary", y=names, x=chart.x, count=len(values), low=low, high=high)
    return f"{heading(chart, say)}. {shown}"


def _rounded(value: float, say: texts.Texts) -> str:
    rounded = float(f"{value:.6g}")
    return texts.number(int(rounded) if rounded.is_integer() else rounded, say.language)


def left_out(chart: Chart, say: texts.Texts) -> str:
    """The note on values that are missing; empty without any."""
    return say("charts.left_out", count=chart.left_out) if chart.left_out else ""


def table(chart: Chart, say: texts.Texts) -> tuple[list[str], list[list[str]]]:
    """The heads and the cells of a chart's values."""
    heads = [f"{one['label']} ({one['unit']})" if one["unit"] else str(one["label"]) for one in chart.columns]
    return heads, [[_cell(value, place, say) for place, value in enumerate(row)] for row in chart.rows]


def _cell(value: Any, place: int, say: texts.Texts) -> str:
    if value is None:
        return "–"
    # Years below the plot are no amounts.
    is_amount = place and isinstance(value, int | float) and not isinstance(value, bool)
    return texts.number(value, say.language) if is_amount else str(value)
