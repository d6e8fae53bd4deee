"""A run as chunks of the AI SDK's UI message stream. Each chunk is one event or one line."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

import orjson
from starlette.requests import Request
from starlette.responses import Response

from leaf import errors, parts, streams, texts
from leaf.api import stream
from leaf.api.callers import Caller
from leaf.citations import redaction
from leaf.parts import Chunk
from leaf.services import passages
from leaf.streams import Batch

WAITING = "data-waiting"
"""The type of the chunk that tells a client that a run waits for a worker."""


@dataclass(frozen=True)
class Form:
    """The form in which a client wants its chunks."""

    lines: bool = False
    """Whether lines of JSON are sent instead of events."""
    holds: bool = False
    """Whether the client already has the message so far, so that the chunks that replay it are left out. Clients of the
    AI SDK that send the result of a tool would otherwise show these parts twice."""
    heartbeats: bool = False
    """Whether heartbeats are sent as events."""
    waiting: bool = True
    """Whether a chunk is sent when the run waits for a worker."""

    @classmethod
    def of(cls, request: Request, *, holds: bool = False) -> "Form":
        """The form that the query and headers of a request select."""
        return cls(stream.wants_lines(request), holds, stream.wants_heartbeats(request), stream.wants_waiting(request))


async def response(
    caller: Caller, form: Form, run_id: UUID, start: int = 0, *, headers: Mapping[str, str] | None = None
) -> Response:
    """The response that streams a run's chunks from an index on, live, until it ends.

    Args:
        caller: The caller, who may read the run.
        form: The form that the client wants.
        run_id: The run.
        start: The index of the first chunk to send.
        headers: Further headers of the response.
    """
    sent = {
        "x-vercel-ai-ui-message-stream": "v1",
        "x-workflow-run-id": str(run_id),
        "x-leaf-stream": (await streams.identity(run_id))[1],
        **(headers or {}),
    }
    withheld = partial(passages.withheld_in_chunks, caller.person.actor)
    return stream.response(run_id, caller.reader, Encoder(form, withheld), start, headers=sent)


class Encoder:
    """Writes chunks in the form that one client wants.

    Args:
        form: The form.
        withheld: Finds the files of a batch whose texts are left out, as Google does not confirm the reader's access.
    """

    takes_restarts = False
    """The client learns from `x-leaf-stream` of its next request that the run began again."""

    def __init__(self, form: Form, withheld: Callable[[Sequence[Chunk]], Awaitable[Mapping[str, str]]]) -> None:
        self.lines = form.lines
        self.heartbeats = form.heartbeats
        self._holds = form.holds
        self._waiting = form.waiting
        self._beginning: parts.SentChunks | None = None
        """The chunks that were sent, if they start with the first chunk of the run; None otherwise."""
        self._withheld = withheld
        self._left_out: Mapping[str, str] = {}
        """The files whose text is left out of the current batch, each with the reason."""

    async def beginning(self) -> bytes:
        """Returns nothing, because the first chunk of the run is the beginning."""
        return b""

    def untaken(self) -> bytes:
        """A transient data part without an index. It is valid until the next chunk."""
        chunk = {"type": WAITING, "data": {"text": str(texts.english("chat.untaken"))}, "transient": True}
        return self._written(None, [chunk] if self._waiting else [])

    async def ending(self) -> bytes:
        """The event that marks a complete stream; empty for lines, which end with the `finish` chunk."""
        return b"" if self.lines else b"data: [DONE]\n\n"

    async def encode(self, batch: Batch) -> bytes:
        """The bytes of a batch.

        Raises:
            errors.Conflict: The client has to read the answer from its beginning.
        """
        self._left_out = await self._withheld(batch.chunks)
        if batch.stored:
            return self._stored(batch)
        if batch.restarts:
            raise _restarted()
        if self._beginning is None and batch.index == 0 and not self._holds:
            self._beginning = parts.SentChunks()
        if self._beginning is not None:
            self._beginning.add(batch.chunks)
        return b"".join(
            self._written(index, self._sent(chunk)) for index, chunk in enumerate(batch.chunks, batch.index)
        )

    def _written(self, index: int | None, chunks: Sequence[Chunk]) -> bytes:
        """The bytes of chunks. The last event gets the index after which a client continues."""
        if self._left_out:
            chunks = [redaction.chunk_without(chunk, self._left_out) for chunk in chunks]
        if self.lines:
            return b"".join(orjson.dumps(chunk) + b"\n" for chunk in chunks)
        events = [b"data: " + orjson.dumps(chunk) + b"\n\n" for chunk in chunks]
        if events and index is not None:
            events[-1] = b"id: %d\n" % index + events[-1]
        return b"".join(events)

    def _sent(self, chunk: Chunk) -> Sequence[Chunk]:
        """The chunks to send for one chunk of the run."""
        if not self._holds:
            return (chunk,)
        self._holds = chunk["type"] != parts.RESUMED
        return (chunk,) if chunk["type"] == "start" else ()

    def _stored(self, batch: Batch) -> bytes:
        """The part of the stored answer that the client lacks. Its events have no ids, because it has no indexes.

        Raises:
            errors.Conflict: The missing part cannot be determined.
        """
        missing = batch.chunks
        if self._holds or batch.restarts:
            missing = self._beginning.rest(batch.chunks) if self._beginning is not None else None
        if missing is None:
            raise _restarted()
        return self._written(None, missing)


def _restarted() -> errors.Conflict:
    return errors.Conflict("This answer was restarted. Read it from the beginning.")
