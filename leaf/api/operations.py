"""Routes for operators: liveness, readiness and metrics."""

import asyncio
import secrets
import time
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from leaf import callers, config, errors, streams
from leaf.api import http
from leaf.services import chats, readiness
from leaf.telemetry import metrics

KEPT_SECONDS = 1.0
"""The time for which a result is reused, so that frequent requests do not reach the database."""
_HEADERS = {"cache-control": "no-store"}
_VIA_PROXY = ("x-forwarded-for", "forwarded", "x-real-ip")


async def healthz(request: Request) -> Response:  # noqa: ARG001 - Starlette passes the request
    """`GET /healthz`: 200 as long as this process answers, even if its dependencies do not."""
    return JSONResponse({"status": "ok"}, headers=_HEADERS)


class _SharedCheck:
    """A check of readiness. Requests during it and shortly after it share its result."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._result: readiness.Readiness | None = None
        self._until = 0.0

    async def result(self) -> readiness.Readiness:
        async with self._lock:
            if self._result is None or time.monotonic() >= self._until:
                self._result = await readiness.check()
                self._until = time.monotonic() + KEPT_SECONDS
            return self._result


async def readyz(request: Request) -> Response:
    """`GET /readyz`: 200 if the database, Redis and a worker are available, otherwise 503. Lists the state of each."""
    found = await _readiness(request).result()
    body: dict[str, object] = {"status": "ready" if found.ready else "not ready", "parts": found.parts}
    if found.waiting.seconds >= streams.UNTAKEN_SECONDS:
        body["waiting"] = {"answers": found.waiting.count, "seconds": round(found.waiting.seconds)}
    return JSONResponse(body, status_code=200 if found.ready else 503, headers=_HEADERS)


async def tell_metrics(request: Request) -> Response:
    """`GET /metrics`: the metrics of all processes of this Leaf in Prometheus' text format.

    Without Redis, only metrics that do not need it are included.

    Raises:
        errors.NotFound: No token is configured, and the caller's address is not permitted without one.
        errors.Unauthenticated: The token is wrong.
    """
    _admit(request)
    found = await _readiness(request).result()
    families = [metrics.readiness({name: standing in readiness.WORKING for name, standing in found.parts.items()})]
    with suppress(errors.DatabaseUnavailable, TimeoutError):
        async with asyncio.timeout(readiness.SECONDS):
            families.append(metrics.large(len(await chats.large())))
    try:
        async with asyncio.timeout(readiness.SECONDS):
            totals, processes = await metrics.totals(), await metrics.processes()
            waiting = await metrics.jobs_waiting()
    except (errors.RedisUnavailable, TimeoutError):
        return _page(families)
    return _page(
        [*families, *metrics.process_gauges(processes), metrics.waiting(waiting.count), *metrics.counted(totals)]
    )


def _page(families: list[metrics.Metric]) -> Response:
    return Response(metrics.page(families), headers={**_HEADERS, "content-type": metrics.CONTENT_TYPE})


def _readiness(request: Request) -> _SharedCheck:
    state = request.app.state
    if not hasattr(state, "readiness"):
        state.readiness = _SharedCheck()
    return state.readiness


def _admit(request: Request) -> None:
    settings = config.current()
    own = request.client is not None and callers.is_loopback(request.client.host)
    # Requests that a proxy on this machine forwards come from a loopback address too, but from anybody.
    if settings.metrics_loopback and own and not any(name in request.headers for name in _VIA_PROXY):
        return
    if settings.metrics_token is None:
        raise errors.NotFound
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secrets.compare_digest(token.encode(), settings.metrics_token.encode()):
        raise errors.Unauthenticated


routes = [
    Route("/healthz", http.endpoint(healthz), methods=["GET"]),
    Route("/readyz", http.endpoint(readyz), methods=["GET"]),
    Route("/metrics", http.endpoint(tell_metrics), methods=["GET"]),
]
