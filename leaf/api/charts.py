"""The charts of an answer, as files."""

from starlette.requests import Request
from starlette.responses import Response

from leaf import errors
from leaf.api import http
from leaf.api.callers import Known
from leaf.api.routing import Route
from leaf.documents import Unreadable
from leaf.parts import portable
from leaf.services import charts as drawn


async def as_svg(request: Request, caller: Known, run_id: str, call_id: str) -> Response:
    """Returns a chart of a stored answer as SVG, its numbers in the language that the request accepts.

    `call_id` is the `toolCallId` of the call of `compute` whose output contains the `chart`.

    Raises:
        errors.NotFound: There is no such chart for this caller, or Google refuses them one of its files.
    """
    chart = await drawn.find(caller.person.actor, http.id_of(run_id, "answer"), call_id)
    body = drawn.svg(chart, http.language(request)).encode()
    return Response(body, media_type="image/svg+xml", headers=http.attachment(portable.file_name(chart.title, ".svg")))


async def as_png(request: Request, caller: Known, run_id: str, call_id: str) -> Response:
    """Returns a chart of a stored answer as PNG, 1,440 pixels wide.

    Raises:
        errors.NotFound: There is no such chart for this caller, or Google refuses them one of its files.
        errors.Unavailable: The picture took too long, or the machine has no fonts.
    """
    actor = caller.person.actor
    chart = await drawn.find(actor, http.id_of(run_id, "answer"), call_id)
    try:
        body = await drawn.png(actor, chart, http.language(request))
    except Unreadable as error:
        raise errors.Unavailable(error.reason) from None
    return Response(body, media_type="image/png", headers=http.attachment(portable.file_name(chart.title, ".png")))


routes = [
    Route(
        "/api/runs/{run_id}/charts/{call_id}.svg", as_svg, scope="read", tag="Runs",
        responses=http.described("The chart", "image/svg+xml"),
    ),
    Route(
        "/api/runs/{run_id}/charts/{call_id}.png", as_png, scope="read", tag="Runs",
        responses=http.described("The chart", "image/png"),
    ),
]  # fmt: skip
