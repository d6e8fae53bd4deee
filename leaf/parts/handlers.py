"""The effect of each type of chunk, as in `processUIMessageStream` of the npm package `ai` 7."""

from collections.abc import Callable

from leaf.parts import tools
from leaf.parts.chunks import Chunk, MalformedChunk, Part, merge_json
from leaf.parts.state import State, present_fields, step_begin


def apply(state: State, chunk: Chunk) -> None:
    kind: str = chunk["type"]
    handler = _HANDLERS.get(kind)
    if handler is not None:
        handler(state, chunk)
    elif kind.startswith("data-") and not chunk.get("transient"):
        _data(state, chunk)


def _begin_text(state: State, chunk: Chunk) -> None:
    kind = chunk["type"].removesuffix("-start")
    part: Part = {"type": kind, "text": "", "state": "streaming"} | present_fields(chunk, "providerMetadata")
    if kind == "reasoning":
        part["id"] = chunk["id"]
    state.open[kind, chunk["id"]] = len(state.parts)
    state.parts.append(part)


def _slot_of_text(state: State, chunk: Chunk) -> tuple[str, int]:
    kind = chunk["type"].partition("-")[0]
    name = (kind, chunk["id"])
    if name not in state.open and kind == "text" and state.nameless:
        state.open[name] = state.nameless.pop(0)
    if name not in state.open:
        raise MalformedChunk(f'{chunk["type"]} for "{chunk["id"]}", which is not open')
    return kind, state.open[name]


def _add_text(state: State, chunk: Chunk) -> None:
    _, slot = _slot_of_text(state, chunk)
    part = state.parts[slot]
    state.parts[slot] = {**part, "text": part["text"] + chunk["delta"]} | present_fields(chunk, "providerMetadata")


def _end_text(state: State, chunk: Chunk) -> None:
    kind, slot = _slot_of_text(state, chunk)
    state.parts[slot] = {**state.parts[slot], "state": "done"} | present_fields(chunk, "providerMetadata", "citations")
    del state.open[kind, chunk["id"]]


def _copied(*keys: str) -> Callable[[State, Chunk], None]:
    def handler(state: State, chunk: Chunk) -> None:
        state.parts.append({"type": chunk["type"]} | present_fields(chunk, *keys))

    return handler


def _data(state: State, chunk: Chunk) -> None:
    if chunk.get("id") is not None:
        for slot, part in enumerate(state.parts):
            if part["type"] == chunk["type"] and part.get("id") == chunk["id"]:
                state.parts[slot] = {**part, "data": chunk["data"]}
                return
    state.parts.append(chunk)


def _begin_step(state: State, chunk: Chunk) -> None:
    state.parts.append({"type": chunk["type"].replace("start-step", "step-start")})
    state.step_open = True


def _end_step(state: State, _chunk: Chunk) -> None:
    state.step_open = False


def _reset_step(state: State, _chunk: Chunk) -> None:
    state.open, state.inputs, state.nameless = {}, {}, []
    del state.parts[step_begin(state) :]


def _metadata(state: State, chunk: Chunk) -> None:
    if chunk.get("messageMetadata") is not None:
        state.metadata = merge_json(state.metadata, chunk["messageMetadata"])


def _start(state: State, chunk: Chunk) -> None:
    state.id = chunk.get("messageId") or state.id
    _metadata(state, chunk)


def _error(state: State, chunk: Chunk) -> None:
    state.metadata = {**state.metadata, "error": chunk["errorText"]}


_HANDLERS: dict[str, Callable[[State, Chunk], None]] = {
    "start": _start,
    "start-step": _begin_step,
    "finish-step": _end_step,
    "reset-step": _reset_step,
    "text-start": _begin_text,
    "text-delta": _add_text,
    "text-end": _end_text,
    "reasoning-start": _begin_text,
    "reasoning-delta": _add_text,
    "reasoning-end": _end_text,
    "tool-input-start": tools.begin_input,
    "tool-input-delta": tools.add_input,
    "tool-input-available": tools.end_input,
    "tool-input-error": tools.refuse_input,
    "tool-approval-request": tools.ask_approval,
    "tool-approval-response": tools.answer_approval,
    "tool-output-available": tools.end_call,
    "tool-output-error": tools.end_call,
    "tool-output-denied": tools.deny_call,
    "source-url": _copied("sourceId", "url", "title", "providerMetadata"),
    "source-document": _copied("sourceId", "mediaType", "title", "filename", "providerMetadata"),
    "file": _copied("mediaType", "url", "providerMetadata"),
    "reasoning-file": _copied("mediaType", "url", "providerMetadata"),
    "custom": _copied("kind", "providerMetadata"),
    "steering-message": _copied("id", "parts"),
    "message-metadata": _metadata,
    "error": _error,
    "finish": _metadata,
}
