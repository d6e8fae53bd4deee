"""OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses."""

import time
from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from sandbox.conversation import JsonObject
from sandbox.providers import history, wire
from sandbox.providers.history import Block, Entry

MAKER = "openai"
_PREFIXES = {"message": "msg", "function_call": "fc", "reasoning": "rs"}
_EVENTS: dict[str, tuple[str, str, JsonObject]] = {
    "reasoning": ("reasoning_summary_text", "reasoning_summary_part", {"summary_index": 0}),
    "text": ("output_text", "content_part", {"content_index": 0}),
    "call": ("function_call_arguments", "", {}),
}
"""For each kind of block: the event names of its text and of its part, and the field with the part's index."""


class Item(BaseModel):
    """An item of the input. Its type determines which fields it has."""

    type: str = "message"
    id: str | None = None
    role: Literal["system", "developer", "user", "assistant"] = "user"
    content: Any = None
    name: str = ""
    call_id: str = ""
    arguments: str = "{}"
    output: Any = None
    encrypted_content: str | None = None

    def entry(self) -> Entry:
        match self.type:
            case "function_call":
                call = Block("call", id=self.call_id, name=self.name, arguments=wire.arguments(self.arguments))
                return Entry("assistant", [call])
            case "function_call_output":
                return Entry("tool", [Block("result", wire.text_of(self.output), self.call_id)])
            case "reasoning":
                return Entry("assistant", [Block("thought", signature=self.encrypted_content)])
            case _:
                role = "system" if self.role == "developer" else self.role
                return Entry(role, [Block("text", wire.text_of(self.content))])


class _Tool(BaseModel):
    type: str
    name: str = ""
    parameters: JsonObject | None = None


class _Body(BaseModel):
    store: bool | None = True
    include: list[str] | None = None
    model: str
    input: str | list[Item] = Field(min_length=1)
    instructions: str | None = None
    tools: list[_Tool] | None = None
    tool_choice: Any = None
    stream: bool | None = False
    previous_response_id: str | None = None


class Responses(wire.OpenAI):
    """The protocol of OpenAI's own models."""

    name = "openai-responses"

    def __init__(self) -> None:
        self.reasoning: dict[str, str] = {}
        """For each item that was returned after reasoning: the id of the reasoning item, by the id of the item."""

    def parse(self, body: JsonObject) -> wire.Request:
        parsed = wire.validated(_Body, body)
        if parsed.previous_response_id:
            raise wire.Refused(400, "The sandbox keeps no responses: send the whole input.", "unsupported_parameter")
        items = [Item(role="user", content=parsed.input)] if isinstance(parsed.input, str) else parsed.input
        self.check(items, stored=parsed.store is not False)
        entries = [one.entry() for one in items]
        if parsed.instructions:
            entries.insert(0, Entry("system", [Block("text", parsed.instructions)]))
        tools = {one.name: one.parameters or {} for one in parsed.tools or [] if one.type == "function"}
        return wire.Request(
            parsed.model,
            bool(parsed.stream),
            history.conversation(entries, {} if parsed.tool_choice == "none" else tools),
            encrypts_reasoning="reasoning.encrypted_content" in (parsed.include or []),
        )

    def check(self, items: Sequence[Item], *, stored: bool) -> None:
        """Checks that OpenAI would accept an input.

        Args:
            items: The input.
            stored: Whether the request allows OpenAI to store responses, so that it knows items by their ids alone.

        Raises:
            wire.Refused: OpenAI would refuse it (400, 404).
        """
        history.check([one.entry() for one in items], MAKER)
        for number, item in enumerate(items):
            prefix = _PREFIXES.get(item.type, "")
            if item.id is not None and not item.id.startswith(prefix):
                raise history.invalid(f"input[{number}].id: expected an ID that begins with '{prefix}'")
            needed = self.reasoning.get(item.id or "")
            if needed and needed not in {one.id for one in items[:number]}:
                raise history.invalid(f"input[{number}] was provided without its required 'reasoning' item: '{needed}'")
            if item.type != "reasoning":
                continue
            if item.encrypted_content is None and not stored:
                raise wire.Refused(404, f"Item '{item.id}' is not persisted: `store` is false.", "item_not_found")
            following = items[number + 1].entry() if number + 1 < len(items) else None
            if following is None or following.role != "assistant":
                raise history.invalid(f"input[{number}]: 'reasoning' was provided without its required following item")

    async def events(
        self, request: wire.Request, reply: wire.Reply, pieces: AsyncIterator[wire.Piece]
    ) -> AsyncIterator[bytes]:
        response, sequence, item_id = _response(request), 0, ""

        def event(name: str, /, **fields: Any) -> bytes:
            nonlocal sequence
            sequence += 1
            return wire.event(
                {"type": f"response.{name}", "sequence_number": sequence - 1, **fields}, f"response.{name}"
            )

        for name in ("created", "in_progress"):
            yield event(name, response=response)
        output: list[JsonObject] = []
        async for piece in pieces:
            name, part_name, at = _EVENTS[piece.kind]
            more = {**at, "logprobs": []} if piece.kind == "text" else at
            if piece.first:
                output.append(_item(request, piece))
                item_id = str(output[-1]["id"])
                yield event("output_item.added", output_index=piece.block, item=output[-1] | _EMPTY[piece.kind])
            where = {"item_id": item_id, "output_index": piece.block}
            part = _part(piece)
            if piece.first and part_name:
                yield event(f"{part_name}.added", **where, part={**part, "text": ""}, **at)
            yield event(f"{name}.delta", **where, delta=piece.text, **more)
            if piece.last:
                yield event(f"{name}.done", **where, **{"arguments" if piece.call else "text": piece.whole}, **more)
                if part_name:
                    yield event(f"{part_name}.done", **where, part=part, **at)
                yield event("output_item.done", output_index=piece.block, item=output[-1])
        yield event("completed", response=response | self._completed(request, reply, output))

    def whole(self, request: wire.Request, reply: wire.Reply) -> JsonObject:
        output = [_item(request, piece) for piece in wire.cut(reply) if piece.first]
        return _response(request) | self._completed(request, reply, output)

    def _completed(self, request: wire.Request, reply: wire.Reply, output: list[JsonObject]) -> JsonObject:
        """The fields of a complete response. Remembers which items came after its reasoning."""
        if reply.reasoning:
            self.reasoning |= {str(item["id"]): str(output[0]["id"]) for item in output[1:]}
        return {"status": "completed", "output": output, "usage": _usage(request, reply)}


_EMPTY: dict[str, JsonObject] = {
    "reasoning": {"summary": [], "encrypted_content": None},
    "text": {"status": "in_progress", "content": []},
    "call": {"status": "in_progress", "arguments": ""},
}
"""The fields of an item without content, as at its start, by the kind of block."""


def _item(request: wire.Request, piece: wire.Piece) -> JsonObject:
    """The item of the block of a piece."""
    if piece.call:
        call = {"call_id": piece.call.id, "name": piece.call.name, "arguments": piece.whole, "status": "completed"}
        return {"id": wire.new_id("fc_"), "type": "function_call", **call}
    if piece.kind == "text":
        message = {"role": "assistant", "status": "completed", "content": [_part(piece)]}
        return {"id": wire.new_id("msg_"), "type": "message", **message}
    item: JsonObject = {"id": wire.new_id("rs_"), "type": "reasoning", "summary": [_part(piece)]}
    return item | ({"encrypted_content": wire.sign(MAKER, piece.whole)} if request.encrypts_reasoning else {})


def _part(piece: wire.Piece) -> JsonObject:
    if piece.kind == "reasoning":
        return {"type": "summary_text", "text": piece.whole}
    return {"type": "output_text", "text": piece.whole, "annotations": [], "logprobs": []}


def _response(request: wire.Request) -> JsonObject:
    """A response without output, as at its start."""
    return {
        "id": wire.new_id("resp_"),
        "object": "response",
        "created_at": int(time.time()),
        "status": "in_progress",
        "model": request.model,
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "usage": None,
    }


def _usage(request: wire.Request, reply: wire.Reply) -> JsonObject:
    used = wire.usage_of(request, reply)
    return {
        "input_tokens": used.input,
        "input_tokens_details": {"cached_tokens": used.cache_read, "cache_write_tokens": used.cache_write},
        "output_tokens": used.output,
        "output_tokens_details": {"reasoning_tokens": used.reasoning},
        "total_tokens": used.input + used.output,
    }
