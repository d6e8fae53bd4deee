"""What a chat has brought so far: the calls of its tools, and the words of its people. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolReturnPart, UserPromptPart

from leaf import parts
from leaf.citations import Call


def calls_in(message_parts: Iterable[parts.Part]) -> Iterator[Call]:
    """The calls of a message that came to their end."""
    for part in message_parts:
        output = part.get("output")
        if parts.is_tool(part) and part["state"] == "output-available":
            yield Call(parts.tool_name(part), _object(output), _given(part.get("input")))


def calls_before(messages: Sequence[ModelMessage]) -> Iterator[Call]:
    """The calls that came to their end in the turns that a model is shown."""
    given: dict[str, Mapping[str, Any]] = {}
    for message in messages:
        if isinstance(message, ModelResponse):
            given |= {call.tool_call_id: call.args_as_dict() for call in message.tool_calls}
            continue
        for part in message.parts:
            if isinstance(part, ToolReturnPart) and part.outcome == "success":
                yield Call(part.tool_name, _object(part.content), given.get(part.tool_call_id, {}))


def words_before(messages: Iterable[ModelMessage]) -> Iterator[str]:
    """What people wrote in these turns."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                content = [part.content] if isinstance(part.content, str) else part.content
                yield from (one for one in content if isinstance(one, str))


def _object(output: Any) -> Mapping[str, Any]:
    """What a tool returned; one that returns no JSON object gets a name for it."""
    return output if isinstance(output, dict) else {"output": output}


def _given(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
