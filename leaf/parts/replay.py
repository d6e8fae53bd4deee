"""Turns a stored message into the chunks that produce it. The stream of a continued run begins with these chunks."""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from leaf.parts.chunks import Chunk, Message, Part, copy_json
from leaf.parts.state import is_tool, present_fields, tool_name

_WORDS = ("text", "reasoning")
_DIGEST_BYTES = 16
_OUTPUT_STATES = {"output-available", "output-error", "output-denied"}


def replay(message: Message, waiting: Iterable[str] = ()) -> list[Chunk]:
    """The chunks of a message that stopped to wait. `fold(replay(message))` equals the message.

    The last step stays open, so that the run can continue in it.

    Args:
        message: The message, as it is stored.
        waiting: Ids of calls that are answered next. Their input is sent as text, because the clients of the AI SDK
            would run their tool again after a `tool-input-available` chunk.
    """
    start: Chunk = {"type": "start", "messageId": message["id"]}
    if message.get("metadata"):
        start["messageMetadata"] = copy_json(message["metadata"])
    chunks = [start]
    answered_next, step_open = frozenset(waiting), False
    for number, part in enumerate(message["parts"]):
        if part["type"] == "step-start":
            chunks += [{"type": "finish-step"}] if step_open else []
            chunks.append({"type": "start-step"})
            step_open = True
        elif part["type"] in {"text", "reasoning"}:
            chunks += _text(part, f"replay-{number}")
        elif is_tool(part):
            chunks += _call(part, waits=part["toolCallId"] in answered_next)
        else:
            chunks.append(copy_json(part))
    return chunks


class SentChunks:
    """A record of the chunks that a client was sent, to find out which chunks of the whole message it lacks.

    It keeps digests instead of texts, because many clients may read a long answer at the same time.
    """

    def __init__(self, chunks: Iterable[Chunk] = ()) -> None:
        self._length = dict.fromkeys(_WORDS, 0)
        """The number of characters of all texts, and of all thinking."""
        self._digest = {kind: blake2b(digest_size=_DIGEST_BYTES) for kind in _WORDS}
        self._known = Counter[tuple[str, str | bytes]]()
        self._answered = set[str]()
        """Ids of calls whose result was sent."""
        self._open_texts = dict[str, str]()
        """The id of the open text and of the open thinking, by kind."""
        self.add(chunks)

    def add(self, chunks: Iterable[Chunk]) -> None:
        """Adds chunks that the client was sent."""
        for chunk in chunks:
            kind, _, event = chunk["type"].partition("-")
            if kind not in _WORDS:
                self._known[_key(chunk)] += 1
                if chunk["type"].startswith("tool-output"):
                    self._answered.add(chunk["toolCallId"])
            elif event == "delta":
                self._length[kind] += len(chunk["delta"])
                self._digest[kind].update(_encoded(chunk["delta"]))
            elif event == "start":
                self._open_texts[kind] = chunk["id"]
            else:
                self._open_texts.pop(kind, None)

    def rest(self, whole: Sequence[Chunk]) -> list[Chunk] | None:
        """The chunks that the client lacks to show the whole message.

        Args:
            whole: The chunks of the stored message (`replay`).

        Returns:
            The missing chunks; None if the client shows a text with which the message does not begin.
        """
        # The number of characters of each kind, from here on, that the client has.
        left = self._length.copy()
        begun = {kind: _words(whole, kind)[: left[kind]] for kind in _WORDS}
        if any(_digest(begun[kind]) != self._digest[kind].digest() for kind in _WORDS):
            return None
        known, open_texts = self._known.copy(), self._open_texts.copy()
        missing = list[Chunk]()
        # The start of the current text, until words of the text turn out to be missing.
        start: Chunk | None = None
        text_id = ""
        for chunk in whole:
            kind, _, event = chunk["type"].partition("-")
            if kind not in _WORDS:
                key = _key(chunk)
                was_sent = known[key] > 0 or chunk.get("toolCallId") in self._answered
                known[key] = max(0, known[key] - 1)
                if chunk["type"] != "start" and not was_sent:
                    missing.append(chunk)
            elif event == "start":
                start = chunk
            elif event == "delta":
                words = chunk["delta"][left[kind] :]
                left[kind] = max(0, left[kind] - len(chunk["delta"]))
                if words and start is not None:
                    if kind not in open_texts:
                        missing.append(start)
                    start, text_id = None, open_texts.pop(kind, chunk["id"])
                    missing.append({**chunk, "id": text_id, "delta": words})
            elif start is None or (kind in open_texts and not left[kind]):
                missing.append({**chunk, "id": open_texts.pop(kind, text_id)})
        return missing


def _words(chunks: Iterable[Chunk], kind: str) -> str:
    return "".join(chunk["delta"] for chunk in chunks if chunk["type"] == f"{kind}-delta")


def _key(chunk: Chunk) -> tuple[str, str | bytes]:
    """Identifies a chunk. A tool's chunk is identified by its call, because a client would run a repeated one again."""
    return chunk["type"], chunk.get("toolCallId") or chunk.get("approvalId") or _digest(_json(chunk))


def _digest(text: str) -> bytes:
    return blake2b(_encoded(text), digest_size=_DIGEST_BYTES).digest()


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _text(part: Part, name: str) -> list[Chunk]:
    kind, named = part["type"], {"id": part.get("id", name)}
    chunks: list[Chunk] = [{"type": f"{kind}-start", **named, **present_fields(part, "providerMetadata")}]
    if part["text"]:
        chunks.append({"type": f"{kind}-delta", **named, "delta": part["text"]})
    if part.get("state") != "streaming":
        chunks.append({"type": f"{kind}-end", **named, **present_fields(part, "citations")})
    return chunks


def _call(part: Part, *, waits: bool) -> list[Chunk]:
    call: Chunk = {"toolCallId": part["toolCallId"], "toolName": tool_name(part)}
    call |= present_fields(part, "title", "toolMetadata", "providerExecuted")
    if part["type"] == "dynamic-tool":
        call["dynamic"] = True
    meta: Part = {"providerMetadata": part["callProviderMetadata"]} if "callProviderMetadata" in part else {}
    if waits or part["state"] == "input-streaming" or "rawInput" in part:
        chunks: list[Chunk] = [{"type": "tool-input-start", **call, **meta, **present_fields(part, "inputEncoding")}]
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
        **present_fields(approval, "signature", "inputSchemaInput", "isAutomatic"),
    }  # fmt: skip
    asked |= {"approvalDescriptor": approval["descriptor"]} if "descriptor" in approval else {}
    asked |= {"reason": approval["requestReason"]} if "requestReason" in approval else {}
    if "approved" not in approval:
        return [asked]
    response = {"approvalId": approval["id"], "approved": approval["approved"], **present_fields(approval, "reason")}
    return [asked, {"type": "tool-approval-response", **response}]


def _outcome(part: Part) -> list[Chunk]:
    state = part["state"]
    if state not in _OUTPUT_STATES:
        return []
    outcome: Chunk = {"type": f"tool-{state}", "toolCallId": part["toolCallId"]}
    if state == "output-available":
        outcome |= {"output": copy_json(part.get("output"))} | present_fields(part, "preliminary")
    elif state == "output-error":
        outcome["errorText"] = part["errorText"]
    if "resultProviderMetadata" in part:
        outcome["providerMetadata"] = part["resultProviderMetadata"]
    return [outcome]


def _json(value: object) -> str:
    from pydantic_core import to_json

    return to_json(value).decode()
