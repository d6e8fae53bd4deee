"""Charts as `leaf.components.displays` draws them. Pure."""

from typing import Any, Final
from urllib.parse import quote

from leaf import charts, parts, texts

TOOL: Final = "compute"
"""The tool that computes. Its calls are steps. If a result has a chart, the chart is drawn below the steps."""


def has_chart(part: parts.Part) -> bool:
    if parts.tool_name(part) != TOOL or part["state"] != "output-available":
        return False
    output = part.get("output")
    return isinstance(output, dict) and isinstance(output.get("chart"), dict)


def data(part: parts.Part, *, live: bool) -> dict[str, Any] | None:
    """The data of the block of a chart.

    Args:
        part: A part that has a chart.
        live: Whether its message is being written. Its files do not exist yet then, and `call` is empty.

    Returns:
        `title`, `picture` (shapes), `table` (like the data of `displayTable`), `note`, and `call` (the end of the
        address of the chart's files); None if the chart does not fit its result.
    """
    chart = charts.of(part.get("output"))
    if chart is None:
        return None
    here = texts.of(texts.current())
    heads, _ = charts.table(chart, here)
    columns = [
        {"key": str(place), "label": head, "type": "number" if amounts else "text"}
        for place, (head, amounts) in enumerate(zip(heads, charts.amounts(chart), strict=True))
    ]
    rows = [{str(place): value for place, value in enumerate(row) if value is not None} for row in chart.rows]
    return {
        "title": chart.title,
        "call": "" if live else quote(part["toolCallId"], safe=""),
        "picture": charts.node(charts.picture(chart, here.language, charts.summary(chart, here))),
        "note": charts.left_out(chart, here),
        "table": {"title": charts.heading(chart, here), "columns": columns, "rows": rows},
    }
