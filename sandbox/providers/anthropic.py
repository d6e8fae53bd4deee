"""Anthropic's Messages API: https://docs.claude.com/en/api/messages."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from sandbox.conversation import JsonObject
from sandbox.providers import history, wire
from sandbox.providers.history import Block, Entry

MAKER = "anthropic"
CACHE_POINTS = 4
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

    def entry(self) -> Entry:
        if isinstance(self.content, str):
            return Entry(self.role, [Block("text", self.content)] if self.content else [])
        return Entry(self.role, [*map(_block, self.content)])


class _Tool(BaseModel):
    name: str
    input_schema: JsonObject | None = None


class _Body(BaseModel):
    model: str
    max_tokens: int
    messages: list[_Message] = Field(min_length=1)
    system: str | list[JsonObject] | None = None
    tools: list[_Tool] | None = None
    tool_choice: JsonObject | None = None
    stream: bool | None = False
    thinking: JsonObject | None = None


class Messages:
    """The protocol of Anthropic's models."""

    name = "anthropic"
    reports_at_start = True

    def parse(self, body: JsonObject) -> wire.Request:
        parsed = wire.validated(_Body, body)
        entries = [one.entry() for one in parsed.messages]
        check(entries, thinks=(parsed.thinking or {}).get("type") == "enabled")
        # Anthropic caches only marked blocks, and charges for the writing.
        marked = json.dumps(body).count('"cache_control": ')
        if marked > CACHE_POINTS:
            raise history.invalid("A maximum of 4 blocks with cache_control may be provided.")
        if parsed.system:
            entries.insert(0, Entry("system", [Block("text", wire.text_of(parsed.system))]))
        # A tool without a schema runs on Anthropic's side, which the sandbox does not have.
        tools = {one.name: one.input_schema for one in parsed.tools or [] if one.input_schema is not None}
        offered = {} if (parsed.tool_choice or {}).get("type") == "none" else tools
        return wire.Request(
            parsed.model,
            bool(parsed.stream),
            history.conversation(entries, offered),
            caches=bool(marked),
            reports_cache_writes=True,
        )

    async def events(
        self, request: wire.Request, reply: wire.Reply, pieces: AsyncIterator[wire.Piece]
    ) -> AsyncIterator[bytes]:
        def event(name: str, /, **fields: Any) -> bytes:
            return wire.event({"type": name, **fields}, name)

        begun = {**_message(request), "usage": _usage(wire.usage_at_start(request))}
        yield event("message_start", message=begun)
        yield event("ping")
        async for piece in pieces:
            kind, name = _DELTAS[piece.kind]
            if piece.first:
                empty = {"thinking": "", "signature": ""} if piece.kind == "reasoning" else {name: ""}
                opening = _content(piece) | ({"input": {}} if piece.call else empty)
                yield event("content_block_start", index=piece.block, content_block=opening)
            yield event("content_block_delta", index=piece.block, delta={"type": kind, name: piece.text})
            if piece.last and piece.kind == "reasoning":
                signed = {"type": "signature_delta", "signature": wire.sign(MAKER, piece.whole)}
                yield event("content_block_delta", index=piece.block, delta=signed)
            if piece.last:
                yield event("content_block_stop", index=piece.block)
        used = wire.usage_of(request, reply)
        reported = {"output_tokens": used.output, "output_tokens_details": {"thinking_tokens": used.reasoning}}
        yield event("message_delta", delta={"stop_reason": _ENDS[reply.finish], "stop_sequence": None}, usage=reported)
        yield event("message_stop")

    def whole(self, request: wire.Request, reply: wire.Reply) -> JsonObject:
        content = [_content(piece) for piece in wire.cut(reply) if piece.first]
        usage = _usage(wire.usage_of(request, reply))
        return {**_message(request), "content": content, "stop_reason": _ENDS[reply.finish], "usage": usage}

    def error(self, refused: wire.Refused) -> JsonObject:
        message = refused.message
        if isinstance(refused, wire.TooLong):
            message = f"prompt is too long: {refused.tokens} tokens > {refused.limit} maximum"
        error = {"type": _KINDS.get(refused.status, "api_error"), "message": message}
        return {"type": "error", "error": error, "request_id": wire.new_id("req_")}


_ENDS = {"tool_calls": "tool_use", "stop": "end_turn"}


def _block(block: JsonObject) -> Block:
    match block.get("type"):
        case "tool_result":
            text, failed = wire.text_of(block.get("content")), block.get("is_error") is True
            return Block("result", text, str(block.get("tool_use_id")), failed=failed)
        case "tool_use":
            given = block.get("input")
            arguments: JsonObject = given if isinstance(given, dict) else {}
            return Block("call", id=str(block.get("id")), name=str(block.get("name")), arguments=arguments)
        case "thinking" | "redacted_thinking":
            return Block("thought", str(block.get("thinking", "")), signature=block.get("signature", ""))
        case "text":
            return Block("text", str(block.get("text", "")))
        case _:
            return Block("picture")


def _content(piece: wire.Piece) -> JsonObject:
    """The content block of a piece."""
    if piece.call:
        return {"type": "tool_use", "id": piece.call.id, "name": piece.call.name, "input": piece.call.arguments}
    if piece.kind == "reasoning":
        return {"type": "thinking", "thinking": piece.whole, "signature": wire.sign(MAKER, piece.whole)}
    return {"type": "text", "text": piece.whole}


def _message(request: wire.Request) -> JsonObject:
    """A message without content, as at its start."""
    return {
        "id": wire.new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _usage(used: wire.Usage) -> JsonObject:
    return {
        "input_tokens": used.uncached,
        "output_tokens": used.output,
        "cache_creation_input_tokens": used.cache_write,
        "cache_read_input_tokens": used.cache_read,
        "output_tokens_details": {"thinking_tokens": used.reasoning},
    }


def check(entries: Sequence[Entry], *, thinks: bool) -> None:
    """Checks that Anthropic would accept a history.

    Args:
        entries: The history.
        thinks: Whether thinking is enabled.

    Raises:
        wire.Refused: Anthropic would refuse it (400).
    """
    history.check(entries, MAKER, unique=True)
    if entries[0].role != "user":
        raise history.invalid("messages: first message must use the `user` role")
    for number, entry in enumerate(entries):
        if entry.blocks and entry.blocks[-1].kind == "thought":
            raise history.invalid(f"messages.{number}: The final block in an assistant message cannot be `thinking`.")
    # Within a turn, the thinking that led to the tool calls must be sent back.
    if thinks and any(one.kind == "result" for one in entries[-1].blocks) and entries[-2].blocks[0].kind != "thought":
        raise history.invalid(
            "When `thinking` is enabled, a final `assistant` message must start with a thinking block."
        )
