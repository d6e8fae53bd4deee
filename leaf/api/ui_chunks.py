"""A run as chunks of the AI SDK's UI message stream: one event, or one line, for each chunk."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

import orjson
from starlette.requests import Request
from starlette.responses import Response

from leaf import errors, parts, streams
from leaf.api import stream
from leaf.api.callers import Caller
from leaf.parts import Chunk
from leaf.streams import Batch

_SDK_HEADER = "x-ai-sdk-version"
"""Header of the AI SDK's clients; from version 7 on they know `reset-step`."""
_BLANK: Chunk = {"type": parts.VOID, "data": {}, "transient": True}


@dataclass(frozen=True)
class Form:
    """The form in which a client wants its chunks."""

    lines: bool = False
    """Lines of JSON instead of events."""
    resets: bool = False
    """Whether a rewind is sent as `reset-step`."""
    holds: bool = False
    """Whether the client holds the message from the beginning of its run, and wants only what follows: clients of
    the AI SDK that send the result of a tool would show its parts twice."""

    @classmethod
    def of(cls, request: Request, *, holds: bool = False) -> "Form":
        """The form that a request's headers ask for."""
        version = request.headers.get(_SDK_HEADER, "").partition(".")[0]
        resets = version.isascii() and version.isdigit() and int(version[:4]) >= 7
        return cls(stream.wants_lines(request), resets, holds)


async def response(
    caller: Caller, form: Form, run_id: UUID, start: int = 0, *, headers: Mapping[str, str] | None = None
) -> Response:
    """A run's chunks from an index on, live, until it ends.

    Args:
        caller: The caller, who may read the run.
        form: The form that the client wants.
        run_id: The run.
        start: The first chunk wanted.
        headers: Further headers of the response.
    """
    sent = {
        "x-vercel-ai-ui-message-stream": "v1",
        "x-workflow-run-id": str(run_id),
        "x-leaf-stream": (await streams.identity(run_id))[1],
        **(headers or {}),
    }
    return stream.response(run_id, caller.reader, Encoder(run_id, form, start), start, headers=sent)


class Encoder:
    """Writes chunks in the form that one client wants.

    Args:
        run_id: The run.
        form: The form.
        index: The index of the first chunk.
    """

    takes_anew = False
    """The client learns from `x-leaf-stream` of its next request that the run began again."""

    def __init__(self, run_id: UUID, form: Form, index: int = 0) -> None:
        self.lines = form.lines
        self._resets, self._holds = form.resets, form.holds
        self._run_id, self._index = run_id, index
        self._before: list[Chunk] = []
        """The chunks that the client effectively has; kept only if rewinds are sent as `reset-step`."""
        self._step_is_open = False
        """Whether the client has already begun the next step: `reset-step` keeps its beginning."""

    async def beginning(self) -> bytes:
        """Empty: the first chunk is the run's own."""
        return b""

    async def ending(self) -> bytes:
        """The mark of a complete stream; lines end with the `finish` chunk."""
        return b"" if self.lines else b"data: [DONE]\n\n"

    async def encode(self, batch: Batch) -> bytes:
        """The bytes of a batch.

        Raises:
            errors.Conflict: The client has to read the answer from its beginning.
            errors.RedisUnavailable: The first chunks of the run cannot be read.
        """
        if batch.stored:
            return await self._stored(batch)
        if not self._resets and not self._holds:
            return b"".join(self._written(index, (chunk,)) for index, chunk in enumerate(batch.chunks, batch.index))
        return b"".join([self._written(index, await self._sent(index, chunk))
                         for index, chunk in enumerate(batch.chunks, batch.index)])  # fmt: skip

    def _written(self, index: int | None, chunks: "tuple[Chunk, ...] | list[Chunk]") -> bytes:
        """Chunks in the form they are sent; the last one gets the index from which a client continues."""
        if self.lines:
            return b"".join(orjson.dumps(chunk) + b"\n" for chunk in chunks)
        events = [b"data: " + orjson.dumps(chunk) + b"\n\n" for chunk in chunks]
        if events and index is not None:
            events[-1] = b"id: %d\n" % index + events[-1]
        return b"".join(events)

    async def _sent(self, index: int, chunk: Chunk) -> list[Chunk]:
        """The chunks to send for one chunk of the run."""
        sent = [chunk]
        if self._resets and chunk["type"] == parts.REWIND:
            sent = await self._reset(index, int(chunk["data"]["index"]))
        elif self._step_is_open and chunk["type"] == "start-step":
            sent, self._step_is_open = [_BLANK], False
        if self._resets:
            self._before.append(chunk)
        if self._holds:
            self._holds = chunk["type"] != parts.RESUMED
            sent = [one for one in sent if one["type"] == "start"]
        return sent

    async def _reset(self, index: int, kept: int) -> list[Chunk]:
        first = index - len(self._before)
        before = [*(await streams.read(self._run_id, end=first)), *self._before]
        sent = parts.reset(before, kept)
        if not sent:
            # The client reconnects and then reads all chunks from the beginning.
            raise _begun_anew()
        dropped = before[kept:]
        self._step_is_open = any(one["type"] == "start-step" for one in dropped)
        self._before = [*before[:kept], *(_BLANK for _ in dropped)]
        return sent

    async def _stored(self, batch: Batch) -> bytes:
        """The stored answer, replacing everything sent before. Its chunks have no indexes of the run, and so no ids."""
        if self._holds or (batch.anew and self._resets):
            raise _begun_anew()
        first = [parts.rewind(0)] if batch.anew else []
        return self._written(None, [*first, *batch.chunks])


def _begun_anew() -> errors.Conflict:
    return errors.Conflict("This answer was begun anew. Read it from its beginning.")
