"""OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses."""

import json
import time
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from sandbox.model import wire
from sandbox.model.chat_completions import openai_error
from sandbox.model.conversation import Call, Conversation, JsonObject, Message, parse_object

MAKER = "openai"
REMEMBERED_ITEMS = 10_000
_PREFIXES = {"message": "msg", "function_call": "fc", "reasoning": "rs"}

Item = dict[str, Any]


class Issued:
    """The items that were returned so far, and after which reasoning each of them came."""

    def __init__(self) -> None:
        self._reasoning: OrderedDict[str, str] = OrderedDict()

    def remember(self, output: list[Item]) -> None:
        """Notes the items of a response."""
        reasoning = next((str(item["id"]) for item in output if item["type"] == "reasoning"), None)
        if reasoning is None:
            return
        for item in output:
            if item["type"] != "reasoning":
                self._reasoning[str(item["id"])] = reasoning
        while len(self._reasoning) > REMEMBERED_ITEMS:
            self._reasoning.popitem(last=False)

    def reasoning_of(self, item_id: Any) -> str | None:
        """The reasoning item that an item came after; None where it came after none."""
        return self._reasoning.get(str(item_id))


_EVENTS: dict[str, tuple[str, str, JsonObject]] = {
    "reasoning": ("reasoning_summary_text", "reasoning_summary_part", {"summary_index": 0}),
    "text": ("output_text", "content_part", {"content_index": 0}),
    "call": ("function_call_arguments", "", {}),
}
"""For each kind of block the names of the events of its text and of its part, and where that stands."""


class _Item(BaseModel):
    """One item of the input; which fields it has depends on its type."""

    type: str = "message"
    role: str | None = None
    content: Any = None
    name: str | None = None
    call_id: str | None = None
    arguments: str | None = None
    output: Any = None


class _Tool(BaseModel):
    type: str
    name: str | None = None
    parameters: JsonObject | None = None


class _Body(BaseModel):
    store: bool | None = True
    include: list[str] | None = None
    model: str
    input: str | list[_Item]
    instructions: str | None = None
    tools: list[_Tool] | None = None
    tool_choice: Any = None
    stream: bool | None = False
    previous_response_id: str | None = None


class Responses:
    """The protocol of OpenAI's own models today."""

    name = "openai-responses"
    reports_at_start = False

    def __init__(self) -> None:
        self._issued = Issued()

    def parse(self, body: JsonObject) -> wire.Request:
        parsed = wire.validated(_Body, body)
        if parsed.previous_response_id:
            raise wire.Refused(400, "The sandbox keeps no responses: send the whole input.", "unsupported_parameter")
        items = [_Item(role="user", content=parsed.input)] if isinstance(parsed.input, str) else parsed.input
        if not items:
            raise wire.Refused(400, "Invalid value for 'input': must not be empty.", "invalid_value")
        if isinstance(parsed.input, list):
            check(body["input"], self._issued, stored=parsed.store is not False)
        messages = [message for item in items for message in _messages(item)]
        if parsed.instructions:
            messages.insert(0, Message("system", parsed.instructions))
        tools = {
            tool.name: tool.parameters or {} for tool in parsed.tools or [] if tool.type == "function" and tool.name
        }
        offered = {} if parsed.tool_choice == "none" else tools
        return wire.Request(
            parsed.model,
            bool(parsed.stream),
            Conversation(tuple(messages), offered),
            encrypts_reasoning="reasoning.encrypted_content" in (parsed.include or []),
        )

    def encoder(self, request: wire.Request, reply: wire.Reply) -> "_Encoder":
        return _Encoder(request, reply, self._issued)

    def whole(self, request: wire.Request, reply: wire.Reply) -> JsonObject:
        output: list[JsonObject] = []
        if reply.reasoning:
            output.append(_reasoning(wire.new_id("rs_"), reply.reasoning, request))
        if reply.text:
            output.append(_message(wire.new_id("msg_"), reply.text))
        output += [_function_call(wire.new_id("fc_"), call, "completed") for call in reply.calls]
        self._issued.remember(output)
        return _response(wire.new_id("resp_"), request, "completed", output, _usage(request, reply))

    def error(self, refused: wire.Refused) -> JsonObject:
        return openai_error(refused)


class _Encoder:
    def __init__(self, request: wire.Request, reply: wire.Reply, issued: Issued) -> None:
        self._request, self._reply, self._issued = request, reply, issued
        self._id, self._sequence, self._item_id = wire.new_id("resp_"), 0, ""
        self._output: list[JsonObject] = []

    def start(self) -> Iterator[bytes]:
        for name in ("response.created", "response.in_progress"):
            yield self._event(name, response=_response(self._id, self._request, "in_progress", [], None))

    def piece(self, piece: wire.Piece) -> Iterator[bytes]:
        name, part_name, at = _EVENTS[piece.kind]
        more = {**at, "logprobs": []} if piece.kind == "text" else at
        part = {"type": "summary_text", "text": piece.whole} if piece.kind == "reasoning" else _output_text(piece.whole)
        if piece.first:
            yield self._event(
                "response.output_item.added", output_index=piece.block, item=self._item(piece, done=False)
            )
            if part_name:
                yield self._item_event(f"response.{part_name}.added", piece, part={**part, "text": ""}, **at)
        yield self._item_event(f"response.{name}.delta", piece, delta=piece.text, **more)
        if piece.last:
            text = {"arguments" if piece.call else "text": piece.whole}
            yield self._item_event(f"response.{name}.done", piece, **text, **more)
            if part_name:
                yield self._item_event(f"response.{part_name}.done", piece, part=part, **at)
            self._output.append(self._item(piece, done=True))
            yield self._event("response.output_item.done", output_index=piece.block, item=self._output[-1])

    def end(self) -> Iterator[bytes]:
        self._issued.remember(self._output)
        used = _usage(self._request, self._reply)
        yield self._event(
            "response.completed", response=_response(self._id, self._request, "completed", self._output, used)
        )

    def _item(self, piece: wire.Piece, *, done: bool) -> JsonObject:
        """The item of a piece's block, empty before it is done."""
        if not done:
            self._item_id = wire.new_id({"reasoning": "rs_", "text": "msg_", "call": "fc_"}[piece.kind])
        if piece.call:
            item = _function_call(self._item_id, piece.call, "completed" if done else "in_progress")
            return item if done else {**item, "arguments": ""}
        if piece.kind == "text":
            item = _message(self._item_id, piece.whole)
            return item if done else {**item, "status": "in_progress", "content": []}
        reasoning = _reasoning(self._item_id, piece.whole, self._request)
        return reasoning if done else {"id": self._item_id, "type": "reasoning", "summary": []}

    def _item_event(self, name: str, piece: wire.Piece, /, **fields: Any) -> bytes:
        return self._event(name, item_id=self._item_id, output_index=piece.block, **fields)

    def _event(self, name: str, /, **fields: Any) -> bytes:
        sequence, self._sequence = self._sequence, self._sequence + 1
        return wire.event({"type": name, "sequence_number": sequence, **fields}, name)


def _messages(item: _Item) -> Iterator[Message]:
    if item.type == "function_call":
        call = Call(item.call_id or "", item.name or "", parse_object(item.arguments or "{}") or {})
        yield Message("assistant", calls=(call,))
    elif item.type == "function_call_output":
        yield Message("tool", wire.text_of(item.output), call_id=item.call_id or "")
    elif item.type == "message":
        text = wire.text_of(item.content)
        match item.role:
            case "user" | "assistant" | "system":
                yield Message(item.role, text)
            case "developer":
                yield Message("system", text)
            case _:
                raise wire.Refused(400, "Invalid value for 'input.role'.", "invalid_value")


def _reasoning(item_id: str, text: str, request: wire.Request) -> JsonObject:
    item: JsonObject = {"id": item_id, "type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}
    return {**item, "encrypted_content": wire.sign(MAKER, text)} if request.encrypts_reasoning else item


def _output_text(text: str) -> JsonObject:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _message(item_id: str, text: str) -> JsonObject:
    return {
        "id": item_id,
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [_output_text(text)],
    }


def _function_call(item_id: str, call: Call, status: str) -> JsonObject:
    return {
        "id": item_id,
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": json.dumps(call.arguments, ensure_ascii=False),
        "status": status,
    }


def _response(
    response_id: str, request: wire.Request, status: str, output: list[JsonObject], used: JsonObject | None
) -> JsonObject:
    return {
        "id": response_id,
        "object": "response",
        "created_at": int(time.time()),
        "status": status,
        "model": request.model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "usage": used,
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


def check(items: list[Item], issued: Issued, *, stored: bool) -> None:
    """Passes an input that OpenAI would take.

    Args:
        items: The input.
        issued: The items that were returned so far.
        stored: Whether the request lets OpenAI keep responses, so that it could know items by their ids alone.

    Raises:
        wire.Refused: It would not (400).
    """
    _check_pairs(items)
    present: set[str] = set()
    for number, item in enumerate(items):
        kind, item_id = str(item.get("type") or "message"), item.get("id")
        prefix = _PREFIXES.get(kind)
        if item_id is not None and prefix and not str(item_id).startswith(prefix):
            raise _invalid(f"Invalid 'input[{number}].id': '{item_id}'. Expected an ID that begins with '{prefix}'.")
        if kind == "reasoning":
            present.add(str(item_id))
            _check_reasoning(items, number, stored=stored)
            continue
        needed = issued.reasoning_of(item_id)
        if item_id is not None and needed is not None and needed not in present:
            raise _invalid(
                f"Item '{item_id}' of type '{kind}' was provided without its required 'reasoning' item: '{needed}'."
            )


def _check_pairs(items: list[Item]) -> None:
    calls = [str(item.get("call_id")) for item in items if item.get("type") == "function_call"]
    seen: set[str] = set()
    answered: set[str] = set()
    for item in items:
        if item.get("type") == "function_call":
            seen.add(str(item.get("call_id")))
        elif item.get("type") == "function_call_output":
            call_id = str(item.get("call_id"))
            if call_id not in seen:
                raise _invalid(f"No tool call found for function call output with call_id {call_id}.")
            answered.add(call_id)
    for call_id in calls:
        if call_id not in answered:
            raise _invalid(f"No tool output found for function call {call_id}.")


def _check_reasoning(items: list[Item], number: int, *, stored: bool) -> None:
    item = items[number]
    encrypted, item_id = item.get("encrypted_content"), item.get("id")
    if encrypted is None and not stored:
        raise wire.Refused(
            404,
            f"Item with id '{item_id}' not found. Items are not persisted when `store` is set to false. Try again with "
            "`store` set to true, or remove this item from your input.",
            "item_not_found",
        )
    if encrypted is not None and not wire.is_signed(MAKER, encrypted):
        message = "The encrypted content could not be verified. Reason: Encrypted content could not be decrypted."
        raise wire.Refused(400, message, "invalid_encrypted_content")
    following = items[number + 1] if number + 1 < len(items) else {}
    kind = following.get("type") or ("message" if following.get("role") else "")
    if kind == "function_call_output" or not kind or (kind == "message" and following.get("role") != "assistant"):
        raise _invalid(f"Item '{item_id}' of type 'reasoning' was provided without its required following item.")


def _invalid(message: str) -> wire.Refused:
    return wire.Refused(400, message, "invalid_value")
