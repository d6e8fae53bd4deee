"""An answer as frames over HTTP: as server-sent events, or as lines of JSON. The last frame is `done`."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from uuid import UUID

from starlette.requests import Request
from starlette.responses import StreamingResponse

from leaf import errors, parts
from leaf.api.widget.door import Call
from leaf.parts import Chunk
from leaf.services import chats, runs, visitors
from leaf.services.visitors import Visiting
from leaf.visiting import Frame, Frames

log = logging.getLogger(__name__)

PING_SECONDS = 15.0
"""A comment, or an empty line, is sent after so long without a frame; it is asked then whether the reader may go on."""
NDJSON = "application/x-ndjson"
EVENTS = "text/event-stream"
CONTENT = {EVENTS: {"schema": {"type": "string"}}, NDJSON: {"schema": {"type": "string"}}}


@dataclass(frozen=True)
class Reader:
    """How somebody wants to read an answer."""

    call: Call
    who: Visiting
    lines: bool = False
    """Lines of JSON instead of events."""
    after: int = -1
    """The id of the last frame that they have."""

    @classmethod
    def of(cls, request: Request, call: Call, who: Visiting, *, after: int = -1) -> "Reader":
        """As a request's headers say it."""
        return cls(call, who, lines=NDJSON in request.headers.get("accept", ""), after=after)

    def tell(self, frame: Frame) -> bytes:
        """A frame as it is sent."""
        written = parts.encoded(frame)
        if self.lines:
            return written + b"\n"
        return b"id: %d\nevent: %s\ndata: %s\n\n" % (frame["id"], frame["type"].encode(), written)

    @property
    def silence(self) -> bytes:
        """What is sent so that the connection is not taken for dead."""
        return b"\n" if self.lines else b": ping\n\n"


def stream(reader: Reader, chat_id: UUID, run_id: UUID) -> StreamingResponse:
    """The frames of a run, live, until it ends."""
    headers = {"cache-control": "no-cache", "x-accel-buffering": "no", "x-leaf-run-id": str(run_id)}
    media_type = NDJSON if reader.lines else EVENTS
    return StreamingResponse(_written(reader, chat_id, run_id), media_type=media_type, headers=headers)


async def _written(reader: Reader, chat_id: UUID, run_id: UUID) -> AsyncGenerator[bytes]:
    try:
        async with aclosing(_frames(reader, chat_id, run_id)) as batches:
            async for frames in batches:
                yield reader.silence if frames is None else b"".join(map(reader.tell, frames))
    except errors.LeafError as error:
        # The status line is long sent: the reader sees no `done`, and asks for the chat.
        log.info("a reader of run %s is sent away: %s", run_id, error.code)


async def _frames(reader: Reader, chat_id: UUID, run_id: UUID) -> AsyncGenerator[list[Frame] | None]:
    """Batches of frames, and None whenever there were none for a while.

    Raises:
        errors.NotFound: The chat was deleted meanwhile.
        errors.Unauthenticated: The key was revoked meanwhile.
        errors.Unavailable: The run cannot be followed any further; it goes on.
    """
    actor = reader.who.required()
    message = await runs.result(actor, run_id)
    start: Frame = {"type": "start", "id": 0, "chatId": str(chat_id), "messageId": str(message.id)}
    yield [{**start, "runId": str(run_id)}] if reader.after < 0 else []
    frames, finished = Frames(reader.after), False
    async with aclosing(_batches(reader, run_id)) as batches:
        async for chunks in batches:
            if chunks is None:
                yield None
            elif told := frames.feed(chunks):
                yield told
            finished = finished or (bool(chunks) and chunks[-1]["type"] == "finish")
    message = await runs.result(actor, run_id)
    if message.unfinished:
        raise errors.RedisUnavailable
    last = frames.last
    if not finished:
        # Its stream has expired, or Redis has lost it: what is stored is told from the beginning.
        yield [{"type": "reset", "id": last}, *({**one, "id": last} for one in _stored(message))]
    yield _ending(message, last)


def _stored(message: chats.Message) -> list[Frame]:
    return Frames().feed(parts.replay(message.as_ui_message()))


def _ending(message: chats.Message, last: int) -> list[Frame]:
    """How an answer ended. The database has it by now, so whoever reads it finds the same."""
    done: Frame = {"type": "done", "id": last, "messageId": str(message.id), "status": message.status}
    if message.status != "error":
        return [done]
    failed: Frame = {"type": "error", "id": last, "errorType": message.error_code or "error"}
    return [{**failed, "errorMessage": message.error_text or ""}, done]


async def _batches(reader: Reader, run_id: UUID) -> AsyncGenerator[Sequence[Chunk] | None]:
    batches = runs.follow(reader.who.required(), run_id)
    waiting: asyncio.Future[list[Chunk]] | None = None
    loop = asyncio.get_running_loop()
    look_at = loop.time() + PING_SECONDS
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(batches))
            await asyncio.wait({waiting}, timeout=max(look_at - loop.time(), 0))
            if loop.time() >= look_at:
                await _still_allowed(reader, run_id)
                look_at = loop.time() + PING_SECONDS
                if not waiting.done():
                    yield None
            if not waiting.done():
                continue
            done, waiting = waiting, None
            try:
                yield done.result()
            except StopAsyncIteration:
                return
    finally:
        if waiting is not None:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        await batches.aclose()


async def _still_allowed(reader: Reader, run_id: UUID) -> None:
    await visitors.agent_of(reader.call.key)
    await runs.result(reader.who.required(), run_id)
