"""What the display tools and the to-do list show, as the page's `Display` (`assets/client/display.js`) draws it. Pure.

It is a block of JSON, `{"tool", "data", "state", "error"}`, which reaches the page as the blocks of a text do: once,
and beside the vars.
"""

import json
from collections.abc import Sequence
from typing import Any

from leaf import parts
from leaf.texts import say

TOOLS = {
    "displayPlan": ("steps.preparing_plan", "steps.showed_plan"),
    "displayTable": ("steps.preparing_table", "steps.showed_table"),
    "displayCitations": ("steps.preparing_sources", "steps.showed_sources"),
    "displayLinkPreview": ("steps.preparing_link", "steps.showed_link"),
    "displayOptionList": ("steps.preparing_options", "steps.showed_options"),
}
"""The tools whose calls are drawn where they stand, with the texts of what is prepared and what was shown."""
TODO = "todoWrite"
"""The tool whose calls are steps, and drawn as one list below the group in which the first of them stands."""


NOTHING: parts.Part = {}
"""For a place where nothing is drawn."""


def drawn_at(message_parts: Sequence[parts.Part], slot: int, *, live: bool) -> parts.Part | None:
    """The tool part that is drawn in the place of a tool part.

    Args:
        message_parts: The message.
        slot: Where the tool part stands in it.
        live: Whether the message is being written.

    Returns:
        A part, or `NOTHING`; None where the call is no more than a step.
    """
    part = message_parts[slot]
    name = parts.tool_name(part)
    if name not in TOOLS and name != TODO:
        return None
    calls = [place for place, one in enumerate(message_parts) if parts.is_tool(one) and parts.tool_name(one) == name]
    if name == TODO:
        given = [message_parts[place] for place in calls if message_parts[place]["state"] == "output-available"]
        return given[-1] if given and slot == calls[0] else None
    if part["state"] != "output-error":
        return part
    if slot != calls[-1]:
        return NOTHING  # What did not fit was made again.
    if live and all(one["type"] == "step-start" for one in message_parts[slot + 1 :]):
        return {**part, "state": "input-streaming"}  # The model is about to mend it.
    return part


def block(part: parts.Part) -> str:
    """A tool part as a block."""
    state = part["state"]
    shown: dict[str, Any] = {"tool": parts.tool_name(part)}
    if state == "output-available":
        shown["data"] = part.get("output")
    elif state not in {"input-streaming", "output-error"}:
        shown["data"] = part.get("input")
    elif state == "output-error":
        shown["error"] = str(part.get("errorText") or say("doing.did_not_work"))
    # The state comes last: a call and its result begin alike, and only what differs is sent.
    return json.dumps(shown | {"state": state}, ensure_ascii=False, separators=(",", ":"))
