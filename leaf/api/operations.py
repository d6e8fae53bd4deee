"""What those who run Leaf ask it: whether it lives, whether it can serve, and what it counts."""

import asyncio
import secrets
import time

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from leaf import callers, config, errors
from leaf.api import http
from leaf.services import readiness
from leaf.telemetry import metrics

KEPT_SECONDS = 1.0
"""What was found out is told for so long: whoever asks often costs the database nothing."""
_HEADERS = {"cache-control": "no-store"}
_VIA_PROXY = ("x-forwarded-for", "forwarded", "x-real-ip")


async def healthz(request: Request) -> Response:  # noqa: ARG001 - Starlette passes the request
    """`GET /healthz`: 200 as long as this process answers, whatever it depends on."""
    return JSONResponse({"status": "ok"}, headers=_HEADERS)


class _Looking:
    """One look at a time, whose result all get who ask meanwhile and shortly after."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._found: readiness.Readiness | None = None
        self._until = 0.0

    async def look(self) -> readiness.Readiness:
        async with self._lock:
            if self._found is None or time.monotonic() >= self._until:
                self._found = await readiness.check()
                self._until = time.monotonic() + KEPT_SECONDS
            return self._found


async def readyz(request: Request) -> Response:
    """`GET /readyz`: 200 where the database, Redis and a worker are there, else 503; says which of them is not."""
    found = await _looking(request).look()
    body = {"status": "ready" if found.ready else "not ready", "parts": found.parts}
    return JSONResponse(body, status_code=200 if found.ready else 503, headers=_HEADERS)


async def tell_metrics(request: Request) -> Response:
    """`GET /metrics`: what all processes of this Leaf count, in Prometheus' text format.

    Where Redis does not answer, only what stands without it is told.

    Raises:
        errors.NotFound: Nobody may read it, or nobody without a token from there.
        errors.Unauthenticated: The token is not the right one.
    """
    _admit(request)
    found = await _looking(request).look()
    families = [metrics.readiness({name: standing == "ok" for name, standing in found.parts.items()})]
    try:
        async with asyncio.timeout(readiness.SECONDS):
            totals, processes = await metrics.totals(), await metrics.processes()
            waiting = await metrics.jobs_waiting()
    except (errors.RedisUnavailable, TimeoutError):
        return _page(families)
    return _page([*families, *metrics.standing(processes), metrics.waiting(waiting), *metrics.counted(totals)])


def _page(families: list[metrics.Metric]) -> Response:
    return Response(metrics.page(families), headers={**_HEADERS, "content-type": metrics.CONTENT_TYPE})


def _looking(request: Request) -> _Looking:
    state = request.app.state
    if not hasattr(state, "looking"):
        state.looking = _Looking()
    return state.looking


def _admit(request: Request) -> None:
    settings = config.current()
    own = request.client is not None and callers.is_loopback(request.client.host)
    # A proxy on this machine asks from here on behalf of anybody.
    if settings.metrics_loopback and own and not any(name in request.headers for name in _VIA_PROXY):
        return
    if settings.metrics_token is None:
        raise errors.NotFound
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secrets.compare_digest(given.encode(), settings.metrics_token.encode()):
        raise errors.Unauthenticated


routes = [
    Route("/healthz", http.endpoint(healthz), methods=["GET"]),
    Route("/readyz", http.endpoint(readyz), methods=["GET"]),
    Route("/metrics", http.endpoint(tell_metrics), methods=["GET"]),
]
