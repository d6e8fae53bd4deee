"""OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat."""

import json
import time
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import BaseModel

from sandbox.model import wire
from sandbox.model.conversation import Call, Conversation, JsonObject, Message, parse_object


class _Function(BaseModel):
    name: str
    arguments: str = "{}"
    parameters: JsonObject | None = None


class _ToolCall(BaseModel):
    id: str
    function: _Function


class _Tool(BaseModel):
    type: str
    function: _Function | None = None


class _Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[JsonObject] | None = None
    tool_calls: list[_ToolCall] | None = None
    tool_call_id: str | None = None


class _StreamOptions(BaseModel):
    include_usage: bool = False


class _Body(BaseModel):
    model: str
    messages: list[_Message]
    tools: list[_Tool] | None = None
    tool_choice: Any = None
    stream: bool | None = False
    stream_options: _StreamOptions | None = None


class ChatCompletions:
    """The protocol that nearly every provider and local server speaks."""

    name = "openai-chat"
    reports_at_start = False

    def parse(self, body: JsonObject) -> wire.Request:
        parsed = wire.validated(_Body, body)
        if not parsed.messages:
            raise wire.Refused(400, "Invalid value for 'messages': must not be empty.", "invalid_value")
        check(body)
        offered = {} if parsed.tool_choice == "none" else _tools(parsed.tools or [])
        return wire.Request(
            model=parsed.model,
            stream=bool(parsed.stream),
            conversation=Conversation(tuple(_message(message) for message in parsed.messages), offered),
            include_usage=bool(parsed.stream_options and parsed.stream_options.include_usage),
        )

    def encoder(self, request: wire.Request, reply: wire.Reply) -> "_Encoder":
        return _Encoder(request, reply)

    def whole(self, request: wire.Request, reply: wire.Reply) -> JsonObject:
        message: JsonObject = {"role": "assistant", "content": reply.text or None, "refusal": None}
        if reply.reasoning:
            message["reasoning_content"] = reply.reasoning
        if reply.calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _arguments(call)}}
                for call in reply.calls
            ]
        return {
            "id": wire.new_id("chatcmpl-"),
            "object": "chat.completion",
            "created": int(time.time()),
            "model": request.model,
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}],
            "usage": _usage(request, reply),
        }

    def error(self, refused: wire.Refused) -> JsonObject:
        return openai_error(refused)


class _Encoder:
    def __init__(self, request: wire.Request, reply: wire.Reply) -> None:
        self._request, self._reply = request, reply
        self._id, self._created = wire.new_id("chatcmpl-"), int(time.time())

    def start(self) -> Iterator[bytes]:
        yield self._delta({"role": "assistant", "content": ""})

    def piece(self, piece: wire.Piece) -> Iterator[bytes]:
        if piece.call is None:
            yield self._delta({"content" if piece.kind == "text" else "reasoning_content": piece.text})
            return
        function: JsonObject = {"arguments": piece.text}
        if piece.first:
            opening = {"id": piece.call.id, "type": "function", "function": {"name": piece.call.name, "arguments": ""}}
            yield self._delta({"tool_calls": [{"index": piece.call_number, **opening}]})
        yield self._delta({"tool_calls": [{"index": piece.call_number, "function": function}]})

    def end(self) -> Iterator[bytes]:
        yield self._delta({}, self._reply.finish)
        if self._request.include_usage:
            yield self._chunk([], _usage(self._request, self._reply))
        yield b"data: [DONE]\n\n"

    def _delta(self, delta: JsonObject, finish_reason: str | None = None) -> bytes:
        return self._chunk([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}])

    def _chunk(self, choices: list[JsonObject], used: JsonObject | None = None) -> bytes:
        chunk: JsonObject = {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self._request.model,
            "choices": choices,
        }
        if self._request.include_usage:
            chunk["usage"] = used
        return wire.event(chunk)


def openai_error(refused: wire.Refused) -> JsonObject:
    """The error body of both of OpenAI's protocols."""
    kinds = {400: "invalid_request_error", 401: "invalid_request_error", 404: "invalid_request_error"}
    return {
        "error": {
            "message": refused.message,
            "type": kinds.get(refused.status, "server_error"),
            "param": None,
            "code": refused.code,
        }
    }


def _arguments(call: Call) -> str:
    return json.dumps(call.arguments, ensure_ascii=False)


def _tools(tools: list[_Tool]) -> dict[str, JsonObject]:
    return {tool.function.name: tool.function.parameters or {} for tool in tools if tool.function}


def _message(message: _Message) -> Message:
    text = wire.text_of(message.content)
    if message.role == "tool":
        return Message("tool", text, call_id=message.tool_call_id or "")
    calls = tuple(
        Call(call.id, call.function.name, parse_object(call.function.arguments) or {})
        for call in message.tool_calls or []
    )
    return Message("system" if message.role == "developer" else message.role, text, calls)


def _usage(request: wire.Request, reply: wire.Reply) -> JsonObject:
    used = wire.usage_of(request, reply)
    return {
        "prompt_tokens": used.input,
        "completion_tokens": used.output,
        "total_tokens": used.input + used.output,
        "prompt_tokens_details": {"cached_tokens": used.cache_read},
        "completion_tokens_details": {"reasoning_tokens": used.reasoning},
    }


def check(body: dict[str, Any]) -> None:
    """Passes a body that OpenAI would take.

    Raises:
        wire.Refused: It would not (400).
    """
    messages: list[dict[str, Any]] = body["messages"]
    waiting: list[str] = []
    last_question = max((at for at, message in enumerate(messages) if message["role"] == "user"), default=-1)
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            given = message.get("tool_call_id")
            if given not in waiting:
                raise _invalid(
                    f"messages.[{number}].role",
                    "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
                )
            waiting.remove(given)
            continue
        _check_answered(waiting)
        waiting = [str(call["id"]) for call in message.get("tool_calls") or []]
        if message["role"] != "assistant":
            continue
        if not message.get("content") and not waiting:
            raise _invalid(f"messages.[{number}].content", "expected a string, got null.")
        if message.get("reasoning_content") and number < last_question:
            # As DeepSeek answers: reasoning of earlier turns has no place in a request.
            raise _invalid(f"messages.[{number}]", "reasoning_content of an earlier turn must not be sent.")
    _check_answered(waiting)


def _check_answered(waiting: list[str]) -> None:
    if waiting:
        raise _invalid(
            "messages",
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}",
        )


def _invalid(parameter: str, reason: str) -> wire.Refused:
    return wire.Refused(400, f"Invalid parameter: '{parameter}': {reason}", "invalid_value")
