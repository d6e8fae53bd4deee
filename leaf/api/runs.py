"""The chunks of a run as server-sent events, from any index on."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from uuid import UUID

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from leaf import errors, streams
from leaf import events as notices
from leaf.api import http
from leaf.parts import Chunk
from leaf.services import accounts, runs

log = logging.getLogger(__name__)

PING_SECONDS = 15.0
"""A comment is sent after so long without a chunk, so that no proxy takes the stream for dead."""
_HEADERS = {
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
    "x-vercel-ai-ui-message-stream": "v1",
}
_LARGEST_INDEX = 10**9


async def read(request: Request) -> Response:
    """`GET /api/runs/{run_id}?startIndex=N`: chunks N, N+1, … of a run, live, until it ends; then `[DONE]`.

    Every event's `id` is the index of its chunk; a client that comes back with `Last-Event-ID` goes on behind that. A
    stream that breaks off without `[DONE]` is not over: ask again with the next index. If `x-leaf-stream` is not what
    it was (empty counts as nothing), Redis has lost the run and it began anew: read it from 0.

    Raises:
        errors.Invalid: The index is not a number, or lies behind the last chunk.
        errors.NotFound: There is no such run for this caller.
        errors.LeafError: 410; the stream has expired, and the answer is in its chat.
    """
    session = await http.session(request)
    run_id = http.path_id(request, "run_id", "answer")
    start = _start_index(request)
    message = await runs.result(session.actor, run_id)
    length, stream = await streams.identity(run_id)
    if not message.unfinished and length == 0:
        raise errors.LeafError("The stream of this answer has expired. Read it in its chat.", status=410, code="gone")
    if start > length:
        raise errors.Invalid(f"startIndex is {start}, and the run has {length} chunks so far.", field="startIndex")
    headers = {**_HEADERS, "x-workflow-run-id": str(run_id), "x-leaf-stream": stream}
    body = events(session, run_id, start, cookie=request.headers.get("cookie", ""))
    return StreamingResponse(body, media_type="text/event-stream", headers=headers)


def _start_index(request: Request) -> int:
    text = request.query_params.get("startIndex")
    last = request.headers.get("last-event-id")
    if last is not None and last.isascii() and last.isdigit() and len(last) < 10:
        return int(last) + 1
    if text is None:
        return 0
    if not (text.isascii() and text.isdigit()) or len(text) > 12 or int(text) > _LARGEST_INDEX:
        raise errors.Invalid("startIndex must be a whole number, 0 or more.", field="startIndex")
    return int(text)


async def events(session: accounts.Session, run_id: UUID, start: int, *, cookie: str) -> AsyncGenerator[bytes]:
    """The events; a failure ends them without `[DONE]`, since the status line is long sent."""
    index = start
    try:
        async with aclosing(_pinged(session, run_id, start, cookie)) as batches:
            async for chunks in batches:
                if chunks is None:
                    yield b": ping\n\n"
                    continue
                lines: list[bytes] = []
                for chunk in chunks:
                    lines.append(b"id: %d\ndata: %s\n\n" % (index, orjson.dumps(chunk)))
                    index += 1
                yield b"".join(lines)
    except errors.LeafError as error:
        log.info("a reader of run %s is sent away: %s", run_id, error.code)
        return
    yield b"data: [DONE]\n\n"


async def _pinged(
    session: accounts.Session, run_id: UUID, start: int, cookie: str
) -> AsyncGenerator[list[Chunk] | None]:
    """Batches of chunks, and None whenever there were none for a while; the caller's rights are looked at meanwhile.

    Raises:
        errors.Unavailable: The run cannot be followed at the moment, or Redis has lost it.
        errors.Unauthenticated: The caller's session has ended.
        errors.NotFound: The caller takes part in the chat no longer.
    """
    async with (
        notices.subscribe([notices.user(session.user_id)]) as news,
        aclosing(_batches(session, run_id, start, cookie, news)) as batches,
    ):
        async for batch in batches:
            yield batch


async def _batches(
    session: accounts.Session, run_id: UUID, start: int, cookie: str, news: notices.Subscription
) -> AsyncGenerator[list[Chunk] | None]:
    loop = asyncio.get_running_loop()
    batches = runs.follow(session.actor, run_id, start)
    look_at = loop.time() + PING_SECONDS
    waiting: asyncio.Future[list[Chunk]] | None = None
    changed: asyncio.Future[set[str]] | None = None
    finished = False
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(batches))
            changed = changed or asyncio.ensure_future(news.changed(within_seconds=PING_SECONDS))
            await asyncio.wait({waiting, changed}, return_when=asyncio.FIRST_COMPLETED)
            if loop.time() >= look_at or changed.done():
                await _still_allowed(session, run_id, cookie)
                look_at = loop.time() + PING_SECONDS
            silent = changed.done() and not changed.result()
            changed = None if changed.done() else changed
            if not waiting.done():
                if silent:
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
    finally:
        for future in filter(None, (waiting, changed)):
            future.cancel()
            await asyncio.gather(future, return_exceptions=True)
        await batches.aclose()
    if not finished and (await runs.result(session.actor, run_id)).unfinished:
        raise errors.RedisUnavailable


async def _still_allowed(session: accounts.Session, run_id: UUID, cookie: str) -> None:
    if await accounts.session(cookie) is None:
        raise errors.Unauthenticated
    await runs.result(session.actor, run_id)


routes = [Route("/api/runs/{run_id}", http.endpoint(read), methods=["GET"])]
