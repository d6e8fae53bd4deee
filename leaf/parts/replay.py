"""A stored message as the chunks that would make it: with them the stream of a run begins that goes on with it."""

from collections import Counter
from collections.abc import Iterable, Sequence

from leaf.parts.chunks import Chunk, Message, Part, copy_json
from leaf.parts.state import given, is_tool, tool_name

_WORDS = ("text", "reasoning")
_OUTPUT_STATES = {"output-available", "output-error", "output-denied"}


def replay(message: Message, waiting: Iterable[str] = ()) -> list[Chunk]:
    """The chunks of a message that stopped to wait: `fold(replay(message))` makes it again.

    Its last step stays open, for what goes on there.

    Args:
        message: As it is stored.
        waiting: Ids of calls that are answered next. Their input is sent as text: `tool-input-available` would have the
            clients of the AI SDK run a tool of theirs once more.
    """
    start: Chunk = {"type": "start", "messageId": message["id"]}
    if message.get("metadata"):
        start["messageMetadata"] = copy_json(message["metadata"])
    chunks = [start]
    called, step_open = frozenset(waiting), False
    for number, part in enumerate(message["parts"]):
        if part["type"] == "step-start":
            chunks += [{"type": "finish-step"}] if step_open else []
            chunks.append({"type": "start-step"})
            step_open = True
        elif part["type"] in {"text", "reasoning"}:
            chunks += _text(part, f"replay-{number}")
        elif is_tool(part):
            chunks += _call(part, waits=part["toolCallId"] in called)
        else:
            chunks.append(copy_json(part))
    return chunks


def rest(sent: Sequence[Chunk], whole: Sequence[Chunk]) -> list[Chunk] | None:
    """The chunks after which a client that was sent the beginning of a message shows the whole message.

    Args:
        sent: The chunks that the client was sent, from the first one of the run on.
        whole: The chunks of the stored message (`replay`).

    Returns:
        The missing chunks, or None if the client shows something with which the message does not begin.
    """
    shown = {kind: _words(sent, kind) for kind in _WORDS}
    if not all(_words(whole, kind).startswith(shown[kind]) for kind in _WORDS):
        return None
    known = Counter(map(_key, sent))
    answered = {chunk["toolCallId"] for chunk in sent if chunk["type"].startswith("tool-output")}
    left = {kind: len(text) for kind, text in shown.items()}
    missing, open_texts, start, name = list[Chunk](), _open_texts(sent), None, ""
    for chunk in whole:
        kind, _, event = chunk["type"].partition("-")
        if kind not in _WORDS:
            if chunk["type"] != "start" and not known[_key(chunk)] and chunk.get("toolCallId") not in answered:
                missing.append(chunk)
            known[_key(chunk)] -= bool(known[_key(chunk)])
        elif event == "start":
            start = chunk
        elif event == "delta":
            words, left[kind] = chunk["delta"][left[kind] :], max(0, left[kind] - len(chunk["delta"]))
            if words and start is not None:
                missing += [] if kind in open_texts else [start]
                start, name = None, open_texts.pop(kind, chunk["id"])
                missing.append({**chunk, "id": name, "delta": words})
        elif start is None or (kind in open_texts and not left[kind]):
            missing.append({**chunk, "id": open_texts.pop(kind, name)})
    return missing


def _words(chunks: Iterable[Chunk], kind: str) -> str:
    return "".join(chunk["delta"] for chunk in chunks if chunk["type"] == f"{kind}-delta")


def _key(chunk: Chunk) -> tuple[str, str]:
    """A tool's chunks are known by their call: a client would carry out a repeated call once more."""
    return chunk["type"], chunk.get("toolCallId") or chunk.get("approvalId") or _json(chunk)


def _open_texts(sent: Iterable[Chunk]) -> dict[str, str]:
    """The id of the text, and of the thoughts, that have no end yet."""
    open_texts: dict[str, str] = {}
    for chunk in sent:
        kind, _, event = chunk["type"].partition("-")
        if kind in _WORDS and event == "start":
            open_texts[kind] = chunk["id"]
        elif kind in _WORDS and event == "end":
            open_texts.pop(kind, None)
    return open_texts


def _text(part: Part, name: str) -> list[Chunk]:
    kind, named = part["type"], {"id": part.get("id", name)}
    chunks: list[Chunk] = [{"type": f"{kind}-start", **named, **given(part, "providerMetadata")}]
    if part["text"]:
        chunks.append({"type": f"{kind}-delta", **named, "delta": part["text"]})
    if part.get("state") != "streaming":
        chunks.append({"type": f"{kind}-end", **named, **given(part, "citations")})
    return chunks


def _call(part: Part, *, waits: bool) -> list[Chunk]:
    call: Chunk = {"toolCallId": part["toolCallId"], "toolName": tool_name(part)}
    call |= given(part, "title", "toolMetadata", "providerExecuted")
    if part["type"] == "dynamic-tool":
        call["dynamic"] = True
    meta: Part = {"providerMetadata": part["callProviderMetadata"]} if "callProviderMetadata" in part else {}
    if waits or part["state"] == "input-streaming" or "rawInput" in part:
        chunks: list[Chunk] = [{"type": "tool-input-start", **call, **meta, **given(part, "inputEncoding")}]
        text = part.get("rawInput")
        if text is None and "input" in part:
            text = _json(part["input"])
        if text is not None:
            delta = {"toolCallId": part["toolCallId"], "inputTextDelta": text}
            chunks.append({"type": "tool-input-delta", **delta})
    else:
        chunks = [{"type": "tool-input-available", **call, **meta}]
        if "input" in part:
            chunks[0]["input"] = copy_json(part["input"])
    return [*chunks, *_approval(part), *_outcome(part)]


def _approval(part: Part) -> list[Chunk]:
    approval = part.get("approval")
    if not isinstance(approval, dict):
        return []
    asked: Chunk = {
        "type": "tool-approval-request", "toolCallId": part["toolCallId"], "approvalId": approval["id"],
        **given(approval, "signature", "inputSchemaInput", "isAutomatic"),
    }  # fmt: skip
    asked |= {"approvalDescriptor": approval["descriptor"]} if "descriptor" in approval else {}
    asked |= {"reason": approval["requestReason"]} if "requestReason" in approval else {}
    if "approved" not in approval:
        return [asked]
    said = {"approvalId": approval["id"], "approved": approval["approved"], **given(approval, "reason")}
    return [asked, {"type": "tool-approval-response", **said}]


def _outcome(part: Part) -> list[Chunk]:
    state = part["state"]
    if state not in _OUTPUT_STATES:
        return []
    outcome: Chunk = {"type": f"tool-{state}", "toolCallId": part["toolCallId"]}
    if state == "output-available":
        outcome |= {"output": copy_json(part.get("output"))} | given(part, "preliminary")
    elif state == "output-error":
        outcome["errorText"] = part["errorText"]
    if "resultProviderMetadata" in part:
        outcome["providerMetadata"] = part["resultProviderMetadata"]
    return [outcome]


def _json(value: object) -> str:
    from pydantic_core import to_json

    return to_json(value).decode()
