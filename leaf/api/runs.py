"""Runs: streaming the chunks of a run from any index, and stopping it."""

from typing import Annotated

from fastapi import Header, Query
from starlette.requests import Request
from starlette.responses import Response

from leaf import errors, streams
from leaf.api import http, stream, ui_chunks
from leaf.api.callers import MEMBERS_AND_GUESTS, Known
from leaf.api.routing import Route
from leaf.services import conversations

_LARGEST_INDEX = 10**9
_DIGITS = 12
_TAIL = "x-workflow-stream-tail-index"


StartIndex = Annotated[str | None, Query(alias="startIndex", description="A whole number")]


async def read(
    request: Request,
    caller: Known,
    run_id: str,
    start: StartIndex = None,
    last: Annotated[
        str | None, Header(alias="Last-Event-ID", description="The index of the last chunk received")
    ] = None,
) -> Response:
    """Streams chunks N, N+1, … of a run, live, until it ends; a negative N means the last |N| existing chunks.

    Every event's `id` is the index of its chunk; a client that reconnects with `Last-Event-ID` continues after it. A
    stream that ends without `[DONE]` is incomplete: request it again from the next index. If `x-leaf-stream` has
    changed (empty counts as unchanged), Redis has lost the run and it began again: read it from 0.

    Raises:
        errors.Invalid: The index is not a number, or is after the last chunk.
        errors.NotFound: There is no such run for this caller.
        errors.LeafError: 410; the stream has expired, and the answer is in its chat.
    """
    run = http.id_of(run_id, "answer")
    index = _start_index(start, last)
    message = await conversations.result(caller.person.actor, run)
    length = await streams.length(run)
    if not message.unfinished and length == 0:
        raise errors.LeafError("The stream of this answer has expired. Read it in its chat.", status=410, code="gone")
    if index > length:
        raise errors.Invalid(f"startIndex is {index}, and the run has {length} chunks so far.", field="startIndex")
    headers = {_TAIL: str(length - 1)} if index < 0 else {}
    first = index if index >= 0 else max(0, length + index)
    return await ui_chunks.response(caller, ui_chunks.Form.of(request), run, first, headers=headers)


async def stop(caller: Known, run_id: str) -> Response:
    """Stops a run; the text of its answer so far stays. 204 also if the run has ended."""
    await conversations.stop(caller.person.actor, http.id_of(run_id, "answer"))
    return Response(status_code=204)


def _start_index(text: str | None, last: str | None) -> int:
    known = http.last_event(last)
    if known is not None:
        return known + 1
    if text is None:
        return 0
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > _DIGITS or int(digits) > _LARGEST_INDEX:
        raise errors.Invalid("startIndex must be a whole number.", field="startIndex")
    return int(text)


_STREAM = {200: {"description": "The run's chunks, live", "content": stream.CONTENT}}

routes = [
    Route("/api/runs/{run_id}", read, callers=MEMBERS_AND_GUESTS, scope="read", tag="Runs", responses=_STREAM),
    Route(
        "/api/runs/{run_id}/stop", stop, method="POST", callers=MEMBERS_AND_GUESTS, scope="write", tag="Runs",
        status_code=204,
    ),
]  # fmt: skip
