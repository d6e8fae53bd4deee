"""Turns as the model gets them: pydantic-ai `ModelMessages`, stored as JSON beside the parts that people see."""

from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    repair_messages,
)

from leaf.agent import continuation
from leaf.agent.context.compaction import IMPORTED_TURN

_IMPORTED = "[A turn of a chat that was imported from a file: what was asked then, and what was answered.]"
BROKEN_OFF = "[This answer was not finished.]"


def history(turns: Sequence[list[dict[str, Any]]]) -> list[ModelMessage]:
    """The messages of earlier turns, the oldest first."""
    earlier = (ModelMessagesTypeAdapter.validate_python(turn) for turn in turns)
    # A turn that waited and was never answered still has open calls.
    return [message for turn in earlier for message in (turn if is_whole(turn) else closed(turn))]


def waited(turn: list[dict[str, Any]]) -> list[ModelMessage]:
    """The messages of a turn that waits for its reader, including open calls."""
    return ModelMessagesTypeAdapter.validate_python(turn)


def stopped(turn: list[dict[str, Any]]) -> list[ModelMessage]:
    """The messages of a stopped turn. If they end with a reply of the model, a request to continue is added.

    A reply that only says `BROKEN_OFF` is removed first, because the model did not write it.
    """
    messages: list[ModelMessage] = ModelMessagesTypeAdapter.validate_python(turn)
    last = messages[-1] if messages else None
    if isinstance(last, ModelResponse) and [part for part in last.parts if part != TextPart(BROKEN_OFF)] == []:
        messages.pop()
    if messages and isinstance(messages[-1], ModelResponse):
        messages.append(ModelRequest(parts=[UserPromptPart(continuation.GO_ON)]))
    return messages


def from_json(messages: bytes) -> list[ModelMessage]:
    """Messages from the JSON text of `to_json`."""
    return ModelMessagesTypeAdapter.validate_json(messages)


def to_json(messages: Sequence[ModelMessage]) -> bytes:
    """Messages as JSON text."""
    return ModelMessagesTypeAdapter.dump_json(list(messages))


def to_python(messages: Sequence[ModelMessage]) -> list[dict[str, Any]]:
    """Messages as JSON-able values."""
    return ModelMessagesTypeAdapter.dump_python(list(messages), mode="json")


def question_messages(question: str) -> list[ModelMessage]:
    """A turn that consists of its question."""
    return [ModelRequest(parts=[UserPromptPart(question)])]


def imported(question: str, answer: str) -> list[dict[str, Any]]:
    """A turn of an imported chat, as the model gets it in later turns.

    Its words are the result of a tool call, so that approval treats them as data from outside and not as the user's own
    (`leaf.agent.approval`).
    """
    call_id = "imported"
    return to_python(
        [
            ModelRequest(parts=[UserPromptPart(_IMPORTED)]),
            ModelResponse(parts=[ToolCallPart(IMPORTED_TURN, {}, call_id)]),
            ModelRequest(parts=[ToolReturnPart(IMPORTED_TURN, {"question": question, "answer": answer}, call_id)]),
            ModelResponse(parts=[TextPart("[This turn was imported.]")]),
        ]
    )


def closed(messages: list[ModelMessage]) -> list[ModelMessage]:
    """A turn that another question can follow: open tool calls are answered, and it ends with a response.

    Two requests in a row would be merged into one, and the border between the turns would be lost.
    """
    messages = repair_messages(messages)
    if not messages or isinstance(messages[-1], ModelRequest):
        messages.append(ModelResponse(parts=[TextPart(BROKEN_OFF)]))
    return messages


def responses(turn: Sequence[ModelMessage]) -> list[dict[str, Any]]:
    """For each step of an answer, the provider's id of the response that it comes from, and the time of the response.

    A reply that broke off and the reply with its rest make one step, with the id of the first reply. If another worker
    received the first reply, the step has the id of the second.
    """
    found: list[dict[str, Any]] = []
    for place, message in enumerate(turn):
        if not isinstance(message, ModelResponse) or message.parts == [TextPart(BROKEN_OFF)]:
            continue
        if found and continuation.asks_for_rest([turn[place - 1]]):
            found[-1]["id"] = found[-1]["id"] or message.provider_response_id
        else:
            found.append({"id": message.provider_response_id, "at": message.timestamp.isoformat()})
    return found


def is_whole(turn: Sequence[ModelMessage]) -> bool:
    """Whether a turn ends with a reply of the model that calls no tool."""
    last = turn[-1] if turn else None
    return isinstance(last, ModelResponse) and not last.tool_calls
