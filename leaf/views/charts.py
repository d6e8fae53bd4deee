"""Charts as `leaf.components.displays` draws them. Pure."""

from typing import Any, Final
from urllib.parse import quote

from leaf import charts, parts, texts

TOOL: Final = "compute"
"""The tool whose calls are steps; a result with a chart is drawn as well."""


def has_chart(part: parts.Part) -> bool:
    """Whether a tool part has a chart to draw."""
    return parts.tool_name(part) == TOOL and part["state"] == "output-available" and _of(part) is not None


def data(part: parts.Part, *, live: bool) -> dict[str, Any]:
    """The data of a block: `title`, `picture` (shapes), `table` (as of `displayTable`), `note`, and `call`, which is
    the end of the address of its files.

    Args:
        part: A part that has a chart.
        live: Whether its message is being written, so that there are no files of it yet.

    Raises:
        LookupError: It has none.
    """
    chart = _of(part)
    if chart is None:
        raise LookupError("the call has no chart")
    here = texts.of(texts.current())
    heads, _ = charts.table(chart, here)
    columns = [
        {"key": str(place), "label": head, "type": "number" if _has_amounts(chart, place) else "text"}
        for place, head in enumerate(heads)
    ]
    rows = [{str(place): value for place, value in enumerate(row) if value is not None} for row in chart.rows]
    return {
        "title": chart.title,
        "call": "" if live else quote(part["toolCallId"], safe=""),
        "picture": charts.node(charts.picture(chart, here.language, charts.summary(chart, here))),
        "note": charts.left_out(chart, here),
        "table": {"title": charts.heading(chart, here), "columns": columns, "rows": rows},
    }


def _of(part: parts.Part) -> charts.Chart | None:
    return charts.of(part.get("output"))


def _has_amounts(chart: charts.Chart, place: int) -> bool:
    return place > 0 and all(row[place] is None or isinstance(row[place], int | float) for row in chart.rows)
