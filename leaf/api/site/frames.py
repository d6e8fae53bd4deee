"""The frames of a run for the widget. The last frame is `done`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import UUID

from starlette.requests import Request
from starlette.responses import StreamingResponse

from leaf import parts, texts
from leaf.api import stream
from leaf.api.site.callers import Call
from leaf.services import chats, conversations, readers
from leaf.services.sites.visitors import VisitorCaller, failure_text
from leaf.sites import Frame, Frames
from leaf.streams import Batch

Result = Callable[[], Awaitable[chats.Message]]


@dataclass(frozen=True)
class Place:
    """The answer to stream, and the client's position in it."""

    chat_id: UUID
    run_id: UUID
    after: int = -1
    """The id of the last frame that the client has."""


def response(request: Request, call: Call, who: VisitorCaller, place: Place) -> StreamingResponse:
    """The frames of an answer, live, until it ends."""
    actor = who.required()
    reader = readers.site_visitor(actor, call.key, who.agent.id)
    encoder = Encoder(place, lambda: conversations.result(actor, place.run_id), lines=stream.wants_lines(request))
    encoder.language = call.language
    encoder.heartbeats = stream.wants_heartbeats(request)
    return stream.response(place.run_id, reader, encoder, headers={"x-leaf-run-id": str(place.run_id)})


class Encoder:
    """Writes the frames of one answer.

    Args:
        place: The answer, and the client's position in it.
        result: Reads the stored answer.
        lines: Whether lines of JSON are sent instead of events.
    """

    takes_restarts = True

    def __init__(self, place: Place, result: Result, *, lines: bool = False) -> None:
        self.lines = lines
        self.heartbeats = False
        self.language = texts.DEFAULT
        self._place, self._result = place, result
        self._frames = Frames(place.after)

    async def beginning(self) -> bytes:
        """The frame `start`; empty if the client already has frames."""
        if self._place.after >= 0:
            return b""
        message = await self._result()
        ids = {"chatId": str(self._place.chat_id), "messageId": str(message.id), "runId": str(self._place.run_id)}
        return self._written([{"type": "start", "id": 0, **ids}])

    async def encode(self, batch: Batch) -> bytes:
        """The frames of a batch. If the answer begins again, the frame `reset` precedes it."""
        if batch.stored:
            last = self._frames.last
            stored = Frames().feed(batch.chunks)
            return self._written([{"type": "reset", "id": last}, *({**frame, "id": last} for frame in stored)])
        if batch.restarts:
            self._frames = Frames()
            return self._written([{"type": "reset", "id": 0}, *self._frames.feed(batch.chunks)])
        return self._written(self._frames.feed(batch.chunks))

    def untaken(self) -> bytes:
        """The frame `waiting`. It is valid until the next frame."""
        return self._written([{"type": "waiting", "id": self._frames.last}])

    async def ending(self) -> bytes:
        """The frame `done`, after an `error` if the answer failed. The answer is already in the database."""
        message, last = await self._result(), self._frames.last
        done: Frame = {"type": "done", "id": last, "messageId": str(message.id), "status": message.status}
        if message.status != "error":
            return self._written([done])
        failed: Frame = {"type": "error", "id": last, "errorType": message.error_code or "error"}
        return self._written([{**failed, "errorMessage": failure_text(message, self.language)}, done])

    def _written(self, frames: list[Frame]) -> bytes:
        return b"".join(map(self._line if self.lines else self._event, frames))

    def _line(self, frame: Frame) -> bytes:
        return parts.encoded(frame) + b"\n"

    def _event(self, frame: Frame) -> bytes:
        return b"id: %d\nevent: %s\ndata: %s\n\n" % (frame["id"], frame["type"].encode(), parts.encoded(frame))
