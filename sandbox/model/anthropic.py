"""Anthropic's Messages API: https://docs.claude.com/en/api/messages."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from sandbox.model import wire
from sandbox.model.conversation import Call, Conversation, JsonObject, Message

MAKER = "anthropic"
CACHE_POINTS = 4
_ID = re.compile(r"[a-zA-Z0-9_-]+")

Block = JsonObject
Entry = tuple[str, list[Block]]
"""The role, and the content as blocks."""


_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    500: "api_error",
    503: "overloaded_error",
}


_DELTAS = {
    "reasoning": ("thinking_delta", "thinking"),
    "text": ("text_delta", "text"),
    "call": ("input_json_delta", "partial_json"),
}


class _Message(BaseModel):
    role: Literal["user", "assistant", "system"]
    content: str | list[JsonObject]


class _Tool(BaseModel):
    name: str
    input_schema: JsonObject | None = None


class _Body(BaseModel):
    model: str
    max_tokens: int
    messages: list[_Message]
    system: str | list[JsonObject] | None = None
    tools: list[_Tool] | None = None
    tool_choice: JsonObject | None = None
    stream: bool | None = False


class Messages:
    """The protocol of Anthropic's models."""

    name = "anthropic"
    reports_at_start = True

    def parse(self, body: JsonObject) -> wire.Request:
        parsed = wire.validated(_Body, body)
        if not parsed.messages:
            raise wire.Refused(400, "messages: at least one message is required")
        check(body)
        messages = [part for message in parsed.messages for part in _messages(message)]
        if parsed.system:
            messages.insert(0, Message("system", wire.text_of(parsed.system)))
        # A tool without a schema runs on Anthropic's side, which the sandbox does not have.
        tools = {tool.name: tool.input_schema for tool in parsed.tools or [] if tool.input_schema is not None}
        offered = {} if (parsed.tool_choice or {}).get("type") == "none" else tools
        conversation = Conversation(tuple(messages), offered)
        # Anthropic caches only marked blocks, and bills the writing.
        caches = "cache_control" in json.dumps(body)
        return wire.Request(parsed.model, bool(parsed.stream), conversation, caches=caches, reports_cache_writes=True)

    def encoder(self, request: wire.Request, reply: wire.Reply) -> "_Encoder":
        return _Encoder(request, reply)

    def whole(self, request: wire.Request, reply: wire.Reply) -> JsonObject:
        content: list[JsonObject] = []
        if reply.reasoning:
            content.append({"type": "thinking", "thinking": reply.reasoning, "signature": _signature(reply)})
        if reply.text:
            content.append({"type": "text", "text": reply.text})
        content += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in reply.calls
        ]
        return {
            **_message(request),
            "content": content,
            "stop_reason": _stop_reason(reply),
            "usage": _usage(wire.usage_of(request, reply)),
        }

    def error(self, refused: wire.Refused) -> JsonObject:
        kind = _KINDS.get(refused.status, "api_error")
        if isinstance(refused, wire.TooLong):
            message = f"prompt is too long: {refused.tokens} tokens > {refused.limit} maximum"
            return {"type": "error", "error": {"type": kind, "message": message}, "request_id": wire.new_id("req_")}
        return {
            "type": "error",
            "error": {"type": kind, "message": refused.message},
            "request_id": wire.new_id("req_"),
        }


class _Encoder:
    def __init__(self, request: wire.Request, reply: wire.Reply) -> None:
        self._request, self._reply = request, reply

    def start(self) -> Iterator[bytes]:
        message = {
            **_message(self._request),
            "content": [],
            "stop_reason": None,
            "usage": _usage(wire.usage_at_start(self._request)),
        }
        yield _event("message_start", message=message)
        yield _event("ping")

    def piece(self, piece: wire.Piece) -> Iterator[bytes]:
        kind, name = _DELTAS[piece.kind]
        if piece.first:
            opening: JsonObject = {"type": "text", "text": ""}
            if piece.call:
                opening = {"type": "tool_use", "id": piece.call.id, "name": piece.call.name, "input": {}}
            elif piece.kind == "reasoning":
                opening = {"type": "thinking", "thinking": "", "signature": ""}
            yield _event("content_block_start", index=piece.block, content_block=opening)
        yield _event("content_block_delta", index=piece.block, delta={"type": kind, name: piece.text})
        if piece.last and piece.kind == "reasoning":
            signed = {"type": "signature_delta", "signature": _signature(self._reply)}
            yield _event("content_block_delta", index=piece.block, delta=signed)
        if piece.last:
            yield _event("content_block_stop", index=piece.block)

    def end(self) -> Iterator[bytes]:
        delta = {"stop_reason": _stop_reason(self._reply), "stop_sequence": None}
        used = wire.usage_of(self._request, self._reply)
        reported = {"output_tokens": used.output, "output_tokens_details": {"thinking_tokens": used.reasoning}}
        yield _event("message_delta", delta=delta, usage=reported)
        yield _event("message_stop")


def _signature(reply: wire.Reply) -> str:
    return wire.sign(MAKER, reply.reasoning)


def _event(name: str, /, **fields: Any) -> bytes:
    return wire.event({"type": name, **fields}, name)


def _messages(message: _Message) -> Iterator[Message]:
    """One message of the wire is several here: each tool result stands alone, before the text that came with it."""
    if isinstance(message.content, str):
        yield Message(message.role, message.content)
        return
    calls: list[Call] = []
    for block in message.content:
        if block.get("type") == "tool_result":
            text = wire.text_of(block.get("content"))
            failed = block.get("is_error") is True
            yield Message("tool", text, call_id=str(block.get("tool_use_id", "")), failed=failed)
        elif block.get("type") == "tool_use":
            given = block.get("input")
            arguments: JsonObject = given if isinstance(given, dict) else {}
            calls.append(Call(str(block.get("id", "")), str(block.get("name", "")), arguments))
    text = wire.text_of(message.content)
    if text or calls:
        yield Message(message.role, text, tuple(calls))


def _message(request: wire.Request) -> JsonObject:
    return {
        "id": wire.new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "stop_sequence": None,
    }


def _stop_reason(reply: wire.Reply) -> str:
    return "tool_use" if reply.calls else "end_turn"


def _usage(used: wire.Usage) -> JsonObject:
    return {
        "input_tokens": used.uncached,
        "output_tokens": used.output,
        "cache_creation_input_tokens": used.cache_write,
        "cache_read_input_tokens": used.cache_read,
        "output_tokens_details": {"thinking_tokens": used.reasoning},
    }


def check(body: dict[str, Any]) -> None:
    """Passes a body that Anthropic would take.

    Raises:
        wire.Refused: It would not (400).
    """
    messages = [(str(one["role"]), _blocks(one["content"])) for one in body["messages"] if one["role"] != "system"]
    if not messages or messages[0][0] != "user":
        raise wire.Refused(400, "messages: first message must use the `user` role")
    asked: set[str] = set()
    for number, (role, blocks) in enumerate(messages):
        if not blocks and not (role == "assistant" and number == len(messages) - 1):
            raise wire.Refused(400, f"messages.{number}: all messages must have non-empty content")
        _check_texts(number, blocks)
        if role == "assistant":
            _check_thinking(number, blocks)
            _check_calls(number, blocks, messages[number + 1 :], asked)
        else:
            _check_results(number, blocks, messages[:number])
    _check_start(body, messages)
    if _cache_points(body) > CACHE_POINTS:
        raise wire.Refused(400, "A maximum of 4 blocks with cache_control may be provided.")


def _blocks(content: Any) -> list[Block]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)


def _check_texts(number: int, blocks: list[Block]) -> None:
    for block in blocks:
        if block.get("type") == "text" and not str(block.get("text", "")).strip():
            raise wire.Refused(400, f"messages.{number}: text content blocks must contain non-whitespace text")


def _check_thinking(number: int, blocks: list[Block]) -> None:
    for place, block in enumerate(blocks):
        if block.get("type") != "thinking":
            continue
        if not wire.is_signed(MAKER, block.get("signature"), str(block.get("thinking", ""))):
            where = f"messages.{number}.content.{place}"
            raise wire.Refused(400, f"{where}: Invalid `signature` in `thinking` block")
    if blocks and blocks[-1].get("type") == "thinking":
        raise wire.Refused(400, f"messages.{number}: The final block in an assistant message cannot be `thinking`.")


def _check_calls(number: int, blocks: list[Block], following: Sequence[Entry], asked: set[str]) -> None:
    ids = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
    for call_id in ids:
        if not _ID.fullmatch(call_id):
            raise wire.Refused(400, f"messages.{number}: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        if call_id in asked:
            raise wire.Refused(400, "messages: `tool_use` ids must be unique")
        asked.add(call_id)
    given = [block.get("tool_use_id") for block in _next_results(following)]
    missing = [call_id for call_id in ids if call_id not in given]
    if missing:
        raise wire.Refused(
            400,
            f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message.",
        )


def _next_results(following: Sequence[Entry]) -> list[Block]:
    if not following or following[0][0] != "user":
        return []
    return [block for block in following[0][1] if block.get("type") == "tool_result"]


def _check_results(number: int, blocks: list[Block], before: Sequence[Entry]) -> None:
    ids: set[str] = set()
    if before and before[-1][0] == "assistant":
        ids = {str(block.get("id")) for block in before[-1][1] if block.get("type") == "tool_use"}
    text_seen = False
    for place, block in enumerate(blocks):
        if block.get("type") != "tool_result":
            text_seen = True
            continue
        given = block.get("tool_use_id")
        if given not in ids:
            raise wire.Refused(
                400,
                f"messages.{number}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {given}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
            )
        if text_seen:
            raise wire.Refused(400, f"messages.{number}: `tool_result` blocks must come before other content")


def _check_start(body: dict[str, Any], messages: list[Entry]) -> None:
    """In the middle of a turn the thinking that led to the calls has to be there."""
    thinking = body.get("thinking")
    if not isinstance(thinking, dict) or thinking.get("type") != "enabled":  # pyright: ignore[reportUnknownMemberType]
        return
    if not any(block.get("type") == "tool_result" for block in messages[-1][1]):
        return
    first = str(messages[-2][1][0].get("type"))
    if first not in {"thinking", "redacted_thinking"}:
        raise wire.Refused(
            400,
            f"messages.{len(messages) - 2}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
            f"`{first}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.",
        )


def _cache_points(value: Any) -> int:
    if isinstance(value, dict):
        found: dict[str, Any] = value
        return ("cache_control" in found) + sum(_cache_points(one) for one in found.values())
    if isinstance(value, list):
        return sum(_cache_points(one) for one in value)  # pyright: ignore[reportUnknownVariableType]
    return 0
