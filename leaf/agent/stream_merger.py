"""Merges small pieces of text in a provider's stream.

A provider sends each token as a server-sent event, and its client library spends CPU on each event. Here all text that
arrives within a window of time is merged into one event before the library parses it. The first piece is passed on at
once. A busy worker reads later and merges more text, so its work does not grow with its delay.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
import orjson

from leaf.streams.window import window_seconds

STREAM_SECONDS = 0.0006
"""The CPU time of one piece. With hundreds of streams, it makes the window longer, so that pieces become larger and not
late."""
_END = b"\n\n"
_MOST_BYTES = 2**20
_ESCAPED = re.compile(rb"(\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..)|\\u[dD][89a-fA-F]..", re.DOTALL)
"""Matches an escaped backslash, an escaped surrogate pair (both in group 1), or an escaped lone surrogate, in JSON."""
_PARTIAL_BYTES = 2**13
"""A piece of at least this size is only a part of the connection's buffer, so the rest can be read at once."""


@dataclass
class Piece:
    """An event that only adds text: the bytes before its data, the data, and the field with the text in the data."""

    head: bytes
    data: dict[str, Any]
    holder: dict[str, Any]
    name: str
    text: str
    place: tuple[Any, ...]
    """Identifies the text that the event adds to. Events with the same place may be merged."""

    def event(self, text: str) -> bytes:
        self.holder[self.name] = text
        return self.head + orjson.dumps(self.data)


def merged(events: Sequence[tuple[bytes, Piece | None]]) -> list[bytes]:
    """Returns events after merging neighbours that add text to the same place.

    Args:
        events: Whole events without the blank line at their end, each with the result of `text_of`.
    """
    found: list[bytes] = []
    run: list[tuple[bytes, Piece]] = []

    def flush() -> None:
        if len(run) > 1:
            # The merged text is put into the last event, so that the numbers of numbered events stay in order.
            found.append(run[-1][1].event("".join(piece.text for _, piece in run)))
        else:
            found.extend(event for event, _ in run)
        run.clear()

    for event, piece in events:
        if piece is None:
            flush()
            found.append(event)
            continue
        if run and piece.place != run[-1][1].place:
            flush()
        run.append((event, piece))
    flush()
    return found


def without_lone_surrogates(events: bytes) -> bytes:
    """Replaces lone surrogates in events by U+FFFD.

    Gateways may cut a text within a character, and UTF-8 cannot encode half of a surrogate pair.
    """
    if b"\\ud" not in events and b"\\uD" not in events:
        return events
    return _ESCAPED.sub(lambda found: found[1] or rb"\ufffd", events)


Place = tuple[dict[str, Any], str, tuple[Any, ...]]
"""The object with an event's text, the name of its field, and the place of the text."""


def text_of(event: bytes, place_of: Callable[[dict[str, Any]], Place | None] | None = None) -> Piece | None:
    """Returns the text that an event adds; None if the event does anything else.

    Args:
        event: The event.
        place_of: Finds the text in the event's data; without it, an answer or thinking is found.
    """
    place = 0 if event.startswith(b"data: ") else event.find(b"\ndata: ") + 1
    if not event.startswith(b"data: ", place) or b"\n" in event[place:] or b"\r" in event:
        return None
    try:
        data: Any = orjson.loads(event[place + 6 :])
    except orjson.JSONDecodeError:
        return None
    found = (place_of or _place)(data) if isinstance(data, dict) else None
    if found is None or not isinstance(found[0].get(found[1]), str):
        return None
    holder, name, where = found
    return Piece(event[: place + 6], data, holder, name, holder[name], where)


def _place(data: dict[str, Any]) -> Place | None:
    """Returns the place of an answer's text or thinking in an event; None for other events.

    The function supports OpenAI's two protocols and Anthropic's.
    """
    kind = data.get("type")
    if kind in {"response.output_text.delta", "response.reasoning_summary_text.delta"}:
        place = (kind, data.get("item_id"), data.get("content_index"), data.get("summary_index"))
        return None if data.get("logprobs") else (data, "delta", place)
    delta: Any = data.get("delta")
    if kind == "content_block_delta" and isinstance(delta, dict):
        name = {"text_delta": "text", "thinking_delta": "thinking"}.get(delta.get("type", ""))
        return (delta, name, (kind, data.get("index"), name)) if name else None
    choices: Any = data.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or data.get("usage"):
        return None
    choice: Any = choices[0]
    if not isinstance(choice, dict) or choice.get("finish_reason") or choice.get("logprobs"):
        return None
    delta = choice.get("delta")
    if not isinstance(delta, dict) or set(delta) != {"content"}:
        return None
    return delta, "content", (data.get("id"), choice.get("index"))


class _Merged(httpx2.AsyncByteStream):
    """A stream whose events are merged while they are read."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        _open.add(self)
        try:
            async for piece in self._read():
                yield piece
        finally:
            _open.discard(self)

    async def _read(self) -> AsyncGenerator[bytes]:
        left = b""
        async for piece in self._stream:
            if b"\r" in piece or len(left) > _MOST_BYTES:
                # A stream with other line breaks, or without events, is passed on unchanged.
                yield left + piece
                left = b""
                continue
            complete, end, left = (left + piece).rpartition(_END)
            if not end:
                continue
            events = [(event, text_of(event)) for event in without_lone_surrogates(complete).split(_END)]
            yield b"".join(event + _END for event in merged(events))
            if events[-1][1] is not None and len(piece) < _PARTIAL_BYTES:
                # Text that arrives during this pause is read from the connection's buffer at once.
                await asyncio.sleep(window_seconds(len(_open), STREAM_SECONDS))
        if left:
            yield left

    async def aclose(self) -> None:
        await self._stream.aclose()


_open: set[_Merged] = set()
"""The streams that are being read."""


async def merge(response: httpx2.Response) -> None:
    """Merges the events of a response. This is a hook for the providers' HTTP clients."""
    is_events = response.headers.get("content-type", "").startswith("text/event-stream")
    if is_events and "content-encoding" not in response.headers and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Merged(response.stream)
