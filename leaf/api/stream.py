"""Streams a run over HTTP with the caller's permissions, as server-sent events or as lines of JSON."""

import logging
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Protocol
from uuid import UUID

from starlette.requests import Request
from starlette.responses import StreamingResponse

from leaf import errors, parts, streams
from leaf.api import http
from leaf.streams import Batch, Lost, Ping, Reader, Untaken

log = logging.getLogger(__name__)

PING_SECONDS = 15.0
"""The time without a chunk after which a comment or an empty line is sent, so that proxies keep the stream open."""
NDJSON = "application/x-ndjson"
EVENTS = "text/event-stream"
CONTENT: dict[str, Any] = {
    EVENTS: {"schema": {"description": "Server-sent events: the data of each is a chunk as JSON."}},
    NDJSON: {"schema": {"type": "string"}},
}
"""The description of streams in the API documents."""


class Encoder(Protocol):
    """Writes a run in one format for one connection."""

    lines: bool
    """Whether lines of JSON are sent instead of events."""
    heartbeats: bool
    """Whether heartbeats are sent as events instead of comments."""
    takes_restarts: bool
    """Whether an answer lost by Redis can begin again on the same connection."""

    async def beginning(self) -> bytes:
        """The bytes before the first chunk."""
        ...

    async def encode(self, batch: Batch) -> bytes:
        """The bytes of a batch. If this raises a LeafError, the stream ends."""
        ...

    def untaken(self) -> bytes:
        """The bytes that tell a client that the run waits for a worker until the next chunk."""
        ...

    async def ending(self) -> bytes:
        """The bytes that tell a client that the stream is complete."""
        ...


def wants_lines(request: Request) -> bool:
    """Whether a client requests lines of JSON instead of events."""
    return http.accepts(request, "accept", NDJSON)


def wants_heartbeats(request: Request) -> bool:
    """Whether a client requests heartbeats as events: `?heartbeat=event`, or the header `x-leaf-heartbeat: event`."""
    wanted = request.query_params.get("heartbeat") or request.headers.get("x-leaf-heartbeat")
    return wanted == "event"


def wants_waiting(request: Request) -> bool:
    """Whether a client gets a chunk when its run waits for a worker.

    Clients that count chunks can disable it by `?waiting=off`, or by the header `x-leaf-waiting: off`.
    """
    wanted = request.query_params.get("waiting") or request.headers.get("x-leaf-waiting")
    return wanted != "off"


def _heartbeat(encoder: Encoder, run_id: UUID) -> bytes:
    if not encoder.heartbeats:
        return b"\n" if encoder.lines else b": ping\n\n"
    chunk = parts.encoded({"type": "heartbeat", "id": str(run_id), "ts": time.time_ns() // 1_000_000})
    # The event has no id, so that a client still resumes after the last chunk.
    return chunk + b"\n" if encoder.lines else b"event: heartbeat\ndata: " + chunk + b"\n\n"


def response(
    run_id: UUID, reader: Reader, encoder: Encoder, start: int = 0, *, headers: Mapping[str, str]
) -> StreamingResponse:
    """The response that streams a run, live, until it ends.

    Args:
        run_id: The run.
        reader: The caller, and the permissions that are checked while the stream is open.
        encoder: The format.
        start: The index of the first chunk to send.
        headers: Further headers of the response.
    """
    media_type = NDJSON if encoder.lines else EVENTS
    sent = {"cache-control": "no-cache", "x-accel-buffering": "no", **headers}
    return StreamingResponse(body(run_id, reader, encoder, start), media_type=media_type, headers=sent)


async def body(run_id: UUID, reader: Reader, encoder: Encoder, start: int = 0) -> AsyncGenerator[bytes]:
    """Yields the bytes of a stream. After a failure the stream ends without `ending`, as the status is already sent."""
    try:
        if first := await encoder.beginning():
            yield first
        async with aclosing(streams.follow(run_id, reader, start, ping_seconds=PING_SECONDS)) as events:
            async for event in events:
                if isinstance(event, Batch):
                    if piece := await encoder.encode(event):
                        yield piece
                elif isinstance(event, Untaken):
                    if event.waits and (piece := encoder.untaken()):
                        yield piece
                elif isinstance(event, Ping) or (isinstance(event, Lost) and event.gone and encoder.takes_restarts):
                    yield _heartbeat(encoder, run_id)
                else:
                    raise event.error
        if last := await encoder.ending():
            yield last
    except errors.LeafError as error:
        log.info("closing stream of run %s: %s", run_id, error.code)
