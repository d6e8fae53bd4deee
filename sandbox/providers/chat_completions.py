"""OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat."""

import time
from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from sandbox.conversation import Call, JsonObject
from sandbox.providers import history, wire
from sandbox.providers.history import Block, Entry


class _Function(BaseModel):
    name: str
    arguments: str = "{}"
    parameters: JsonObject | None = None


class _ToolCall(BaseModel):
    id: str
    function: _Function


class _Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[JsonObject] | None = None
    reasoning_content: str | None = None
    tool_calls: list[_ToolCall] | None = None
    tool_call_id: str = ""

    def entry(self) -> Entry:
        text = wire.text_of(self.content)
        if self.role == "tool":
            return Entry("tool", [Block("result", text, self.tool_call_id)])
        calls = [
            Block("call", id=one.id, name=one.function.name, arguments=wire.arguments(one.function.arguments))
            for one in self.tool_calls or []
        ]
        said = [Block("text", text)] if text else []
        return Entry("system" if self.role == "developer" else self.role, [*said, *calls])


class _Tool(BaseModel):
    function: _Function | None = None


class _Body(BaseModel):
    model: str
    messages: list[_Message] = Field(min_length=1)
    tools: list[_Tool] | None = None
    tool_choice: Any = None
    stream: bool | None = False
    stream_options: JsonObject | None = None


class ChatCompletions(wire.OpenAI):
    """The protocol of nearly all providers and local servers."""

    name = "openai-chat"

    def parse(self, body: JsonObject) -> wire.Request:
        parsed = wire.validated(_Body, body)
        _check_reasoning(parsed.messages)
        entries = [one.entry() for one in parsed.messages]
        history.check(entries, "")
        tools = {one.function.name: one.function.parameters or {} for one in parsed.tools or [] if one.function}
        return wire.Request(
            model=parsed.model,
            stream=bool(parsed.stream),
            conversation=history.conversation(entries, {} if parsed.tool_choice == "none" else tools),
            include_usage=bool((parsed.stream_options or {}).get("include_usage")),
        )

    async def events(
        self, request: wire.Request, reply: wire.Reply, pieces: AsyncIterator[wire.Piece]
    ) -> AsyncIterator[bytes]:
        about = {**_about(request), "object": "chat.completion.chunk"}

        def chunk(choices: list[JsonObject], used: JsonObject | None = None) -> bytes:
            return wire.event({**about, "choices": choices} | ({"usage": used} if request.include_usage else {}))

        def delta(part: JsonObject, finish: str | None = None) -> bytes:
            return chunk([{"index": 0, "delta": part, "logprobs": None, "finish_reason": finish}])

        yield delta({"role": "assistant", "content": ""})
        async for piece in pieces:
            if piece.call is None:
                yield delta({"content" if piece.kind == "text" else "reasoning_content": piece.text})
                continue
            if piece.first:
                yield delta({"tool_calls": [{"index": piece.call_number, **_tool_call(piece.call, "")}]})
            yield delta({"tool_calls": [{"index": piece.call_number, "function": {"arguments": piece.text}}]})
        yield delta({}, reply.finish)
        if request.include_usage:
            yield chunk([], _usage(request, reply))
        yield b"data: [DONE]\n\n"

    def whole(self, request: wire.Request, reply: wire.Reply) -> JsonObject:
        message: JsonObject = {"role": "assistant", "content": reply.text or None, "refusal": None}
        if reply.reasoning:
            message["reasoning_content"] = reply.reasoning
        if reply.calls:
            message["tool_calls"] = [_tool_call(call, wire.json_text(call.arguments)) for call in reply.calls]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}
        return {**_about(request), "object": "chat.completion", "choices": [choice], "usage": _usage(request, reply)}


def _check_reasoning(messages: Sequence[_Message]) -> None:
    """Raises wire.Refused if a message has reasoning of an earlier turn, as DeepSeek does."""
    asked = max((at for at, one in enumerate(messages) if one.role == "user"), default=0)
    if any(one.reasoning_content for one in messages[:asked]):
        raise history.invalid("reasoning_content of an earlier turn must not be sent")


def _about(request: wire.Request) -> JsonObject:
    return {"id": wire.new_id("chatcmpl-"), "created": int(time.time()), "model": request.model}


def _tool_call(call: Call, arguments: str) -> JsonObject:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _usage(request: wire.Request, reply: wire.Reply) -> JsonObject:
    used = wire.usage_of(request, reply)
    return {
        "prompt_tokens": used.input,
        "completion_tokens": used.output,
        "total_tokens": used.input + used.output,
        "prompt_tokens_details": {"cached_tokens": used.cache_read},
        "completion_tokens_details": {"reasoning_tokens": used.reasoning},
    }
