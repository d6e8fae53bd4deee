"""The effect of chunks on tool parts."""

from typing import Any

from pydantic_core import from_json

from leaf.parts.chunks import Chunk, MalformedChunk, Part
from leaf.parts.state import State, is_tool, present_fields, step_begin, tool_name

_ABSENT: Any = object()
_NULLABLE = {"input", "output"}
_TOOL_STATE = ("input", "output", "errorText", "rawInput", "inputEncoding", "preliminary")
"""Fields of a tool part that belong to its current state; each change of state drops them."""


def _find_call(state: State, call_id: str, begin: int, *, dynamic: bool | None = None) -> int | None:
    for slot in range(begin, len(state.parts)):
        part = state.parts[slot]
        if is_tool(part) and part["toolCallId"] == call_id and dynamic in {None, part["type"] == "dynamic-tool"}:
            return slot
    return None


def _any_call(state: State, call_id: str) -> int:
    slot = _find_call(state, call_id, step_begin(state))
    if slot is None:
        slots = [slot for slot, part in enumerate(state.parts) if is_tool(part) and part["toolCallId"] == call_id]
        if not slots:
            raise MalformedChunk(f'No tool invocation found for tool call ID "{call_id}".')
        slot = slots[-1]
    return slot


def _put_call(
    state: State, chunk: Chunk, call_state: str, *, dynamic: bool, slot: int | None = None, **values: Any
) -> None:
    """Puts a tool part into its next state, or creates it. Absent `values` are left out."""
    call_id = chunk["toolCallId"]
    if slot is None:
        slot = _find_call(state, call_id, step_begin(state), dynamic=dynamic)
    name = chunk["toolName"]
    earlier = {} if slot is None else {k: v for k, v in state.parts[slot].items() if k not in _TOOL_STATE}
    part: Part = earlier | {"type": "dynamic-tool" if dynamic else f"tool-{name}", "toolCallId": call_id}
    part |= {"state": call_state} | ({"toolName": name} if dynamic else {})
    part |= present_fields(chunk, "title", "toolMetadata", "providerExecuted")
    part |= {
        key: value for key, value in values.items() if value is not _ABSENT and (value is not None or key in _NULLABLE)
    }
    if chunk.get("providerMetadata") is not None:
        whose = "call" if call_state.startswith("input-") else "result"
        part[f"{whose}ProviderMetadata"] = chunk["providerMetadata"]
    if slot is None:
        state.parts.append(part)
    else:
        state.parts[slot] = part


def begin_input(state: State, chunk: Chunk) -> None:
    state.inputs[chunk["toolCallId"]] = chunk | {"text": ""}
    dynamic = bool(chunk.get("dynamic"))
    _put_call(state, chunk, "input-streaming", dynamic=dynamic, inputEncoding=chunk.get("inputEncoding"))


def add_input(state: State, chunk: Chunk) -> None:
    call_id = chunk["toolCallId"]
    begun = state.inputs.get(call_id)
    if begun is None:
        raise MalformedChunk(f'tool-input-delta for "{call_id}", which has not begun')
    begun = state.inputs[call_id] = {**begun, "text": begun["text"] + chunk["inputTextDelta"]}
    encoding = begun.get("inputEncoding")
    _put_call(
        state,
        {"toolCallId": call_id} | present_fields(begun, "toolName", "title", "toolMetadata"),
        "input-streaming",
        dynamic=bool(begun.get("dynamic")),
        input=begun["text"] if encoding == "text" else _partial_json(begun["text"]),
        rawInput=begun["text"],
        inputEncoding=encoding,
    )


def _partial_json(text: str) -> Any:
    try:
        return from_json(text, allow_partial="trailing-strings")
    except ValueError:
        return _ABSENT


def end_input(state: State, chunk: Chunk) -> None:
    dynamic = bool(chunk.get("dynamic"))
    _put_call(state, chunk, "input-available", dynamic=dynamic, input=chunk.get("input", _ABSENT))


def refuse_input(state: State, chunk: Chunk) -> None:
    slot = _find_call(state, chunk["toolCallId"], step_begin(state))
    dynamic = bool(chunk.get("dynamic")) if slot is None else state.parts[slot]["type"] == "dynamic-tool"
    values = {"input": chunk.get("input", _ABSENT), "errorText": chunk["errorText"]}
    _put_call(state, chunk | {"title": None}, "output-error", dynamic=dynamic, **values)


def end_call(state: State, chunk: Chunk) -> None:
    slot = _any_call(state, chunk["toolCallId"])
    part = state.parts[slot]
    dynamic = part["type"] == "dynamic-tool"
    values: Part = {"input": part.get("input", _ABSENT)}
    if chunk["type"] == "tool-output-available":
        values |= {"output": chunk.get("output", _ABSENT), "preliminary": chunk.get("preliminary")}
    else:
        values |= {"errorText": chunk["errorText"], "rawInput": None if dynamic else part.get("rawInput")}
    named = chunk | {"toolName": tool_name(part), "title": part.get("title")}
    _put_call(state, named, chunk["type"].removeprefix("tool-"), dynamic=dynamic, slot=slot, **values)


def ask_approval(state: State, chunk: Chunk) -> None:
    slot = _any_call(state, chunk["toolCallId"])
    approval: Part = {"id": chunk["approvalId"]} | present_fields(chunk, "signature")
    for name, key in (("approvalDescriptor", "descriptor"), ("reason", "requestReason")):
        if chunk.get(name) is not None:
            approval[key] = chunk[name]
    if "inputSchemaInput" in chunk:
        approval["inputSchemaInput"] = chunk["inputSchemaInput"]
    if chunk.get("isAutomatic") is True:
        approval["isAutomatic"] = True
    state.parts[slot] = {**state.parts[slot], "state": "approval-requested", "approval": approval}


def answer_approval(state: State, chunk: Chunk) -> None:
    for slot, part in enumerate(state.parts):
        if is_tool(part) and part.get("approval", {}).get("id") == chunk["approvalId"]:
            approval = part["approval"] | {"approved": chunk["approved"]} | present_fields(chunk, "reason")
            changed: Part = {**part, "state": "approval-responded", "approval": approval} | present_fields(
                chunk, "providerExecuted"
            )
            if chunk.get("providerMetadata") is not None:
                changed["callProviderMetadata"] = chunk["providerMetadata"]
            state.parts[slot] = changed
            return
    raise MalformedChunk(f'No tool invocation found for approval ID "{chunk["approvalId"]}".')


def deny_call(state: State, chunk: Chunk) -> None:
    slot = _any_call(state, chunk["toolCallId"])
    state.parts[slot] = {**state.parts[slot], "state": "output-denied"}
