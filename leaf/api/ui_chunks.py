"""The chunks of a run over HTTP: as server-sent events, or as lines of JSON."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from uuid import UUID

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from leaf import errors, parts, streams
from leaf.api.callers import Caller
from leaf.parts import Chunk
from leaf.redis import events as notices
from leaf.services import runs

log = logging.getLogger(__name__)

PING_SECONDS = 15.0
"""A comment is sent after so long without a chunk, so that no proxy takes the stream for dead."""
NDJSON = "application/x-ndjson"
EVENTS = "text/event-stream"
_HEADERS = {
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
    "x-vercel-ai-ui-message-stream": "v1",
}
_SDK_HEADER = "x-ai-sdk-version"
"""With which a reader says that it is a client of the AI SDK 7 or later, which knows `reset-step`."""

CONTENT = {EVENTS: {"schema": {"type": "string"}}, NDJSON: {"schema": {"type": "string"}}}
"""What the document says of answers that are streams."""


_BLANK: Chunk = {"type": parts.VOID, "data": {}, "transient": True}


@dataclass(frozen=True)
class Reader:
    """How somebody wants to read a run."""

    caller: Caller
    lines: bool = False
    """Lines of JSON instead of events."""
    resets: bool = False
    """Whether a rewind is told as `reset-step`."""
    holds: bool = False
    """Whether they hold the message as it was when its run began, and want what comes behind it: clients of the AI SDK
    that send the result of a tool would show its parts twice."""

    @classmethod
    def of(cls, request: Request, caller: Caller) -> "Reader":
        """As a request's headers say it."""
        version = request.headers.get(_SDK_HEADER, "").partition(".")[0]
        resets = version.isascii() and version.isdigit() and int(version[:4]) >= 7
        return cls(caller, lines=NDJSON in request.headers.get("accept", ""), resets=resets)


async def stream(reader: Reader, run_id: UUID, start: int = 0, *, headers: Mapping[str, str] | None = None) -> Response:
    """A run's chunks from an index on, live, until it ends.

    Args:
        reader: Who reads, and how.
        run_id: A run of theirs.
        start: The first chunk that is wanted.
        headers: Further headers of the response.
    """
    identity = (await streams.identity(run_id))[1]
    told = {**_HEADERS, "x-workflow-run-id": str(run_id), "x-leaf-stream": identity, **(headers or {})}
    body = events(reader, run_id, start)
    return StreamingResponse(body, media_type=NDJSON if reader.lines else EVENTS, headers=told)


async def events(reader: Reader, run_id: UUID, start: int) -> AsyncGenerator[bytes]:
    """The events; a failure ends them without `[DONE]`, since the status line is long sent."""
    teller = _Teller(reader, run_id, start)
    try:
        async with aclosing(_pinged(reader.caller, run_id, start)) as batches:
            async for chunks in batches:
                yield teller.silence if chunks is None else b"".join([await teller.tell(chunk) for chunk in chunks])
    except errors.LeafError as error:
        log.info("a reader of run %s is sent away: %s", run_id, error.code)
        return
    if not reader.lines:
        yield b"data: [DONE]\n\n"


class _Teller:
    """Writes chunks as one reader wants them.

    Args:
        reader: Who reads, and how.
        run_id: The run.
        index: The index of the first chunk.
    """

    def __init__(self, reader: Reader, run_id: UUID, index: int) -> None:
        self._reader, self._run_id, self._index = reader, run_id, index
        self._before: list[Chunk] = []
        """What was sent of the run, by its meaning; kept for those alone who are told of a rewind."""
        self._holds = reader.holds
        self._step_is_open = False
        """Whether the reader has begun the step that is about to begin: `reset-step` leaves its beginning."""

    @property
    def silence(self) -> bytes:
        """What is sent so that the connection is not taken for dead."""
        return b"\n" if self._reader.lines else b": ping\n\n"

    async def tell(self, chunk: Chunk) -> bytes:
        """The next chunk; a rewind may need more than one."""
        told: Sequence[Chunk] = [chunk]
        if self._reader.resets and chunk["type"] == parts.REWIND:
            told = await self._reset(int(chunk["data"]["index"]))
        elif self._step_is_open and chunk["type"] == "start-step":
            told, self._step_is_open = [_BLANK], False
        if self._reader.resets:
            self._before.append(chunk)
        index, self._index = self._index, self._index + 1
        if self._holds:
            self._holds = chunk["type"] != parts.RESUMED
            told = [one for one in told if one["type"] == "start"]
        lines = [orjson.dumps(one) for one in told]
        if self._reader.lines:
            return b"".join(line + b"\n" for line in lines)
        if not lines:
            return b""
        last = len(lines) - 1
        return b"".join(
            (b"id: %d\n" % index if at == last else b"") + b"data: " + line + b"\n\n" for at, line in enumerate(lines)
        )

    async def _reset(self, index: int) -> list[Chunk]:
        first = self._index - len(self._before)
        before = [*(await streams.read(self._run_id, end=first)), *self._before]
        told = parts.reset(before, index)
        if not told:
            # It comes back, and reads from the beginning what there is by then.
            raise errors.Conflict("This answer was begun anew. Read it from its beginning.")
        dropped = before[index:]
        self._step_is_open = any(one["type"] == "start-step" for one in dropped)
        self._before = [*before[:index], *(_BLANK for _ in dropped)]
        return told


async def _pinged(caller: Caller, run_id: UUID, start: int) -> AsyncGenerator[list[Chunk] | None]:
    """Batches of chunks, and None whenever there were none for a while; the caller's rights are looked at meanwhile.

    Raises:
        errors.Unavailable: The run cannot be followed at the moment, or Redis has lost it.
        errors.Unauthenticated: The caller's session has ended, or their key was revoked.
        errors.NotFound: The caller takes part in the chat no longer.
    """
    async with (
        notices.subscribe([notices.user(caller.person.user_id)]) as news,
        aclosing(_batches(caller, run_id, start, news)) as batches,
    ):
        async for batch in batches:
            yield batch


async def _batches(
    caller: Caller, run_id: UUID, start: int, news: notices.Subscription
) -> AsyncGenerator[list[Chunk] | None]:
    loop = asyncio.get_running_loop()
    actor = caller.person.actor
    batches = runs.follow(actor, run_id, start)
    look_at = ping_at = loop.time() + PING_SECONDS
    waiting: asyncio.Future[list[Chunk]] | None = None
    changed: asyncio.Future[set[str]] | None = None
    finished = False
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(batches))
            changed = changed or asyncio.ensure_future(news.changed(within_seconds=PING_SECONDS))
            left = max(ping_at - loop.time(), 0)
            await asyncio.wait({waiting, changed}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if loop.time() >= look_at or changed.done():
                await _still_allowed(caller, run_id)
                look_at = loop.time() + PING_SECONDS
            if changed.done():
                changed.result()
                changed = None
            if not waiting.done():
                # Whatever else happens to the caller: a proxy only sees that nothing comes.
                if loop.time() >= ping_at:
                    ping_at = loop.time() + PING_SECONDS
                    yield None
                continue
            try:
                chunks = waiting.result()
            except StopAsyncIteration:
                break
            finally:
                waiting = None
            finished = chunks[-1]["type"] == "finish"
            yield chunks
            ping_at = loop.time() + PING_SECONDS
    finally:
        for future in filter(None, (waiting, changed)):
            future.cancel()
            await asyncio.gather(future, return_exceptions=True)
        await batches.aclose()
    if not finished and (await runs.result(actor, run_id)).unfinished:
        raise errors.RedisUnavailable


async def _still_allowed(caller: Caller, run_id: UUID) -> None:
    if not await caller.lasts():
        raise errors.Unauthenticated
    await runs.result(caller.person.actor, run_id)
