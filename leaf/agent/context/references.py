"""References that replace long texts. A reference describes the text, and how the model can read it again."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import ToolCallPart, ToolReturnPart
from pydantic_core import to_json

KEPT_CHARACTERS = 200
"""Values up to this length are kept, such as names, ids, revisions and ranges."""
ARGUMENT_CHARACTERS = 600
"""Maximum length of a call's arguments that a reference repeats."""
_DEPTH = 3


def of_result(part: ToolReturnPart, call: ToolCallPart | None) -> ToolReturnPart:
    """Returns a tool's result without its long values. Names, ids, revisions and ranges are short, and stay."""
    content: Any = part.content
    left_out = f"Left out of this request to save room. {_advice(part.tool_name, call)}"
    if isinstance(content, Mapping):
        return replace(part, content={**_shortened(content, _DEPTH), "left_out": left_out})
    text = content if isinstance(content, str) else to_json(content, fallback=str).decode()
    return replace(part, content=f"{text[:KEPT_CHARACTERS]}… [{len(text):,} characters. {left_out}]")


def of_call(part: ToolCallPart) -> ToolCallPart:
    """Returns a call without its long arguments, such as the content of a written file."""
    return replace(part, args=_shortened(part.args_as_dict(), _DEPTH))


def cut(text: str, characters: int) -> str:
    """Returns a text cut to a length, with a mark in place of its middle. The mark itself is not counted."""
    if len(text) <= characters:
        return text
    mark = f"\n[… {len(text) - characters:,} characters are left out here: all of it does not fit. …]\n"
    head = characters * 2 // 3
    tail = characters - head
    return text[:head] + mark + (text[-tail:] if tail else "")


def cut_value(value: Any, characters: int) -> Any:
    """Returns a JSON value whose strings are cut so that it has about this number of characters."""
    size = len(to_json(value, fallback=str))
    if size <= characters:
        return value
    if isinstance(value, str):
        return cut(value, characters)
    if isinstance(value, Mapping):
        fields: Mapping[str, Any] = value
        sizes = {key: len(to_json(one, fallback=str)) for key, one in fields.items()}
        kept = sum(length for length in sizes.values() if length <= KEPT_CHARACTERS)
        share = max(0, characters - kept) / max(1, size - kept)
        return {
            key: one if sizes[key] <= KEPT_CHARACTERS else cut_value(one, int(sizes[key] * share))
            for key, one in fields.items()
        }
    return cut(to_json(value, fallback=str).decode(), characters)


def _advice(tool: str, call: ToolCallPart | None) -> str:
    arguments = call.args_as_json_str() if call is not None else ""
    if not arguments or len(arguments) > ARGUMENT_CHARACTERS:
        return f"Call {tool} again if you need it."
    return f"Call {tool} again with {arguments} if you need it."


def _shortened(value: Mapping[str, Any], depth: int) -> dict[str, Any]:
    return {key: _short(one, depth) for key, one in value.items()}


def _short(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= KEPT_CHARACTERS else f"[{len(value):,} characters]"
    if isinstance(value, Mapping) and depth:
        fields: Mapping[str, Any] = value
        return _shortened(fields, depth - 1)
    if isinstance(value, Mapping | list | tuple) and len(to_json(value, fallback=str)) > KEPT_CHARACTERS:
        return f"[{len(value)} items]"  # pyright: ignore[reportUnknownArgumentType]
    return value
