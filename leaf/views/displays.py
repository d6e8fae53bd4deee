"""The results of display tools and the to-do list, as `leaf.components.displays` draws them. Pure.

Each is a JSON block, `{"tool", "data", "state", "error"}`. Like a block of text, it is sent to the page only once and
apart from the vars.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from leaf import parts
from leaf.texts import say, stored
from leaf.views import charts

TOOLS = {
    "displayPlan": ("steps.preparing_plan", "steps.showed_plan"),
    "displayTable": ("steps.preparing_table", "steps.showed_table"),
    "displayCitations": ("steps.preparing_sources", "steps.showed_sources"),
    "displayLinkPreview": ("steps.preparing_link", "steps.showed_link"),
    "displayOptionList": ("steps.preparing_options", "steps.showed_options"),
}
"""The tools whose results are drawn at the position of the call. Each has two keys: of the text of its step while it
runs, and of the text afterwards."""
TODO = "todoWrite"
"""The tool whose calls are steps. The last list is drawn below the group of the first call."""

_SHAPES: dict[str, dict[str, type]] = {
    "displayPlan": {"title": str, "steps": list},
    "displayTable": {"title": str, "columns": list, "rows": list},
    "displayCitations": {"items": list},
    "displayLinkPreview": {"title": str},
    "displayOptionList": {"question": str, "options": list},
    TODO: {"todos": list},
}
"""The fields that the page needs to draw a result. They are checked, because an imported chat may contain anything."""
_WEB = re.compile(r"https?://", re.IGNORECASE)

NOTHING: parts.Part = {}
"""The part that stands for drawing nothing."""


def drawn_at(message_parts: Sequence[parts.Part], slot: int, *, live: bool) -> parts.Part | None:
    """The tool part to draw at the position of a tool part.

    Returns:
        The part to draw, or `NOTHING`; None if the call is only a step. A call with a chart is drawn and also a step.
    """
    part = message_parts[slot]
    name = parts.tool_name(part)
    if name not in TOOLS and name != TODO:
        return part if charts.has_chart(part) else None
    calls = [place for place, one in enumerate(message_parts) if parts.is_tool(one) and parts.tool_name(one) == name]
    if name == TODO:
        lists = [message_parts[place] for place in calls if message_parts[place]["state"] == "output-available"]
        return lists[-1] if lists and slot == calls[0] else None
    if part["state"] != "output-error":
        return part
    if slot != calls[-1]:
        return NOTHING  # The model has repeated the failed call.
    if live and all(one["type"] == "step-start" for one in message_parts[slot + 1 :]):
        return {**part, "state": "input-streaming"}  # The model is about to repeat the failed call.
    return part


def block(part: parts.Part, *, live: bool = False) -> str:
    """A tool part as a block.

    Its state is that of the part, or "unfit" if the page cannot draw the result. A chart of a `live` message has no
    address.
    """
    tool, state = parts.tool_name(part), part["state"]
    shown: dict[str, Any] = {"tool": tool}
    if tool == charts.TOOL or state == "output-available":
        output = part.get("output")
        drawn = charts.data(part, live=live) if tool == charts.TOOL else _drawable(tool, output)
        shown["data"], state = (output, "unfit") if drawn is None else (drawn, state)
    elif state == "output-error":
        shown["error"] = stored(parts.message_of(part), str(part.get("errorText") or say("doing.did_not_work")))
    elif state != "input-streaming":
        shown["data"] = part.get("input")
    # Only the part of a block after the first change is sent. So the state, which always changes, comes last.
    return json.dumps(shown | {"state": state}, ensure_ascii=False, separators=(",", ":"))


def _drawable(tool: str, data: Any) -> Any:
    """The result of a tool without addresses other than http and https; None if the page cannot draw it."""
    shape = _SHAPES[tool].items()
    if not isinstance(data, dict) or not all(isinstance(data.get(name), kind) for name, kind in shape):
        return None
    if tool == "displayTable":
        return {**data, "rows": [_with_web_cells(row) for row in data["rows"]]}
    if tool == "displayCitations":
        return {**data, "items": [_with_web_link(item) for item in data["items"]]}
    return _with_web_link(data) if tool == "displayLinkPreview" else data


def _with_web_cells(row: Any) -> Any:
    """A row of a table in which an address other than http and https is shown as text."""
    if not isinstance(row, dict):
        return row
    harmful = {name: cell for name, cell in row.items() if _with_web_link(cell) is not cell}
    return row | {name: {"label": cell["url"], **cell, "url": ""} for name, cell in harmful.items()}


def _with_web_link(item: Any) -> Any:
    harmful = isinstance(item, dict) and "url" in item and not _WEB.match(str(item["url"]))
    return {**item, "url": ""} if harmful else item
