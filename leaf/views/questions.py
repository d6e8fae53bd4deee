"""Questions and approvals of an answer, as `leaf.components.questions` draws them. Pure.

Each comes from a question of the agent (`askQuestion`) or from a tool call that needs approval. Like a display, it is a
JSON block at the position of the call. All text in it is plain text.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from leaf import parts, texts
from leaf.parts.client_tools import questions
from leaf.parts.objects import list_of, object_of, objects_in
from leaf.texts import say

ASKS = "doing.asks"
"""The key of the live region's announcement."""
_INPUT_CHARACTERS = 2000
"""How many characters of each argument of a tool are shown."""
_INPUTS = 12
_TOOLS = {"fetch": "doing.open_page", "search": "doing.search_web"}
_OPEN = {"input-streaming": "preparing", "input-available": "open", "approval-requested": "open"}


def is_asked(part: parts.Part) -> bool:
    return parts.is_tool(part) and (_is_question(part) or "approval" in part)


def is_open(part: parts.Part) -> bool:
    """Whether a part waits for the reader's answer."""
    return is_asked(part) and _state(part) == "open"


def is_made(part: parts.Part) -> bool:
    """Whether a part is a call that the reader has allowed. Such a call is also shown as a step."""
    return not _is_question(part) and _state(part) == "allowed"


def with_answers(message_parts: Sequence[parts.Part], answers: Mapping[str, Any]) -> list[parts.Part]:
    """The parts of a message, with the answers to some of its questions while others are still open."""
    return [
        _with_answer(part, answers[part["toolCallId"]]) if _waits(part, answers) else part for part in message_parts
    ]


def block(part: parts.Part) -> str:
    shown = _question(part) if _is_question(part) else _approval(part)
    # Only the part of a block after the first change is sent. So the state, which always changes, comes last.
    whole = {"call": part["toolCallId"], **shown, "state": _state(part)}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def _waits(part: parts.Part, answers: Mapping[str, Any]) -> bool:
    return parts.is_tool(part) and part["toolCallId"] in answers and part["state"] in _OPEN


def _with_answer(part: parts.Part, answer: dict[str, Any]) -> parts.Part:
    if "approved" not in answer:
        return {**part, "state": "output-available", "output": answer.get("output")}
    approval = {**(part.get("approval") or {}), "approved": answer["approved"]}
    return {**part, "state": "approval-responded", "approval": approval}


def _is_question(part: parts.Part) -> bool:
    return parts.tool_name(part) == questions.TOOL


def _state(part: parts.Part) -> str:
    """The state of a question or approval: preparing, open, answered, skipped, unanswered, allowed or denied."""
    if not _is_question(part):
        approved = part["approval"].get("approved")
        if approved is None:
            return "open" if part["state"] == "approval-requested" else "unanswered"
        return "allowed" if approved else "denied"
    if part["state"] in _OPEN:
        return _OPEN[part["state"]]
    output = part.get("output")
    if part["state"] != "output-available" or not isinstance(output, dict):
        return "unanswered"
    return "skipped" if output.get("skipped") else "answered"


def _question(part: parts.Part) -> dict[str, Any]:
    arguments, output = object_of(part.get("input")), object_of(part.get("output"))
    options = [one for one in objects_in(arguments.get("options")) if one.get("value")]
    shown: dict[str, Any] = {
        "kind": "question",
        "question": str(arguments.get("question") or ""),
        "options": [
            {"value": str(one["value"]), "label": str(one.get("label") or one["value"]),
             "description": str(one.get("description") or "")}
            for one in options
        ],
        "multiple": arguments.get("allowsMultiple") is True,
        "own": arguments.get("allowsInput") is not False,
        "ownLabel": str(arguments.get("inputLabel") or ""),
        "ownPlaceholder": str(arguments.get("inputPlaceholder") or ""),
        "limit": questions.INPUT_CHARACTERS,
    }  # fmt: skip
    if output:
        shown["chosen"] = [str(value) for value in list_of(output.get("selectedOptions"))]
        labels = {one["value"]: one["label"] for one in shown["options"]}
        shown["labels"] = ", ".join(labels.get(value, value) for value in shown["chosen"])
        shown["said"] = str(output.get("inputText") or "")
    return shown


def _approval(part: parts.Part) -> dict[str, Any]:
    name = parts.tool_name(part)
    arguments = object_of(part.get("input"))
    values = [(key, value if isinstance(value, str) else _as_json(value)) for key, value in arguments.items()]
    return {
        "kind": "approval",
        "tool": say(_TOOLS[name]) if name in _TOOLS else say("doing.use", tool=name.replace("_", " ")),
        "reason": _reason(part["approval"]),
        "input": [{"name": str(key), "value": _shortened(value)} for key, value in values[:_INPUTS]],
        "more": max(0, len(values) - _INPUTS),
    }


def _reason(approval: dict[str, Any]) -> str:
    """The reason for an approval in the reader's language; in English if it was stored without its key."""
    data = object_of(approval.get("descriptor")).get("reason")
    with suppress(ValueError):
        return texts.translated(texts.of_data(object_of(data)))
    return str(approval.get("requestReason") or "")


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _shortened(text: str) -> str:
    rest = len(text) - _INPUT_CHARACTERS
    return text if rest <= 0 else say("doing.characters_more", text=text[:_INPUT_CHARACTERS], count=rest)
