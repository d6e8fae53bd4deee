"""Bad days on demand, and a log of what was asked: both for tests.

`POST /sandbox/faults` takes one fault or a list of them. Members: `path` (a regular expression searched in the path,
then in path and query), `status` (omitted: the real answer), `times` (default 1), `reason` and `message` (of Google's
error JSON), `body` (a raw body in place of that JSON), `headers`, `delay_seconds` (waited before anything is answered),
`incomplete_search` (files.list says that it is partial).
"""

import asyncio
import json
import re
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sandbox import refusals

_LOG_LENGTH = 20_000


@dataclass
class Fault:
    """One injected fault; `times` counts down as it strikes."""

    path: re.Pattern[str]
    status: int | None
    times: int
    reason: str | None
    message: str | None
    body: str | None
    headers: dict[str, str]
    delay_seconds: float
    incomplete_search: bool

    def answer(self, path: str) -> Response | None:
        """The answer in place of the real one; None: the real one."""
        if self.body is not None:
            return Response(self.body, self.status or 200, self.headers, media_type="application/json")
        if self.status is None:
            return None
        if path in {"/token", "/revoke", "/oauth2/v3/userinfo"}:
            error = {"error": self.reason or "internal_failure", "error_description": self.message or "Injected fault."}
            return JSONResponse(error, self.status, self.headers)
        body = refusals.injected(self.status, self.reason, self.message).body()
        return JSONResponse(body, self.status, self.headers)


@dataclass
class Faults:
    """The faults to come and the requests so far. Guarded by a lock: endpoints run in threads."""

    pending: list[Fault] = field(default_factory=list[Fault])
    log: deque[dict[str, Any]] = field(default_factory=lambda: deque[dict[str, Any]](maxlen=_LOG_LENGTH))
    lock: threading.Lock = field(default_factory=threading.Lock)

    def strike(self, path: str, query: str) -> Fault | None:
        """The first pending fault whose pattern is found in the path, or in path and query; it is counted down."""
        target = f"{path}?{unquote(query)}"
        with self.lock:
            for fault in self.pending:
                if fault.times > 0 and (fault.path.search(path) or fault.path.search(target)):
                    fault.times -= 1
                    return fault
        return None


class FaultMiddleware:
    """Logs every request and answers with a fault where one is due. The sandbox's own verbs are spared."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        path = str(scope.get("path", ""))
        if scope["type"] != "http" or path == "/health" or path.startswith("/sandbox/"):
            await self._app(scope, receive, send)
            return
        query = bytes(scope["query_string"]).decode("latin-1")
        entry: dict[str, Any] = {
            "method": scope["method"],
            "path": path,
            "query": query,
            "status": None,
            "account": None,
        }
        with self._faults.lock:
            self._faults.log.append(entry)
        state: dict[str, Any] = scope.setdefault("state", {})

        async def logged(message: Message) -> None:
            if message["type"] == "http.response.start":
                entry["status"] = message["status"]
                entry["account"] = state.get("account")
                # Nothing here may be kept by a browser or a proxy: the next request may belong to another account.
                MutableHeaders(scope=message).setdefault("Cache-Control", "no-store")
            await send(message)

        fault = self._faults.strike(path, query)
        if fault is not None:
            await asyncio.sleep(fault.delay_seconds)
            state["incomplete_search"] = fault.incomplete_search
            answer = fault.answer(path)
            if answer is not None:
                await answer(scope, receive, logged)
                return
        await self._app(scope, receive, logged)


def routes() -> list[Route]:
    """The verbs for tests."""
    return [
        Route("/sandbox/faults", _add, methods=["POST"]),
        Route("/sandbox/faults", _show, methods=["GET"]),
        Route("/sandbox/faults", _clear, methods=["DELETE"]),
        Route("/sandbox/requests", _requests, methods=["GET"]),
        Route("/sandbox/requests", _forget, methods=["DELETE"]),
    ]


def _of(request: Request) -> Faults:
    return request.app.state.sandbox.faults


def _parse(value: dict[str, Any]) -> Fault:
    status = value.get("status")
    return Fault(
        path=re.compile(str(value["path"])),
        status=None if status is None else int(status),
        times=int(value.get("times", 1)),
        reason=value.get("reason"),
        message=value.get("message"),
        body=value.get("body"),
        headers={str(name): str(text) for name, text in (value.get("headers") or {}).items()},
        delay_seconds=float(value.get("delay_seconds", 0)),
        incomplete_search=bool(value.get("incomplete_search", False)),
    )


async def _add(request: Request) -> Response:
    try:
        given = json.loads(await request.body())
        faults = [_parse(value) for value in (given if isinstance(given, list) else [given])]
    except (ValueError, KeyError, TypeError, AttributeError, re.error) as error:
        return JSONResponse({"error": f"not a fault: {error!r}"}, 400)
    with _of(request).lock:
        _of(request).pending.extend(faults)
    return JSONResponse({"pending": len(_of(request).pending)})


async def _show(request: Request) -> Response:
    with _of(request).lock:
        left = [{"path": fault.path.pattern, "times": fault.times} for fault in _of(request).pending if fault.times > 0]
    return JSONResponse({"faults": left})


async def _clear(request: Request) -> Response:
    with _of(request).lock:
        _of(request).pending.clear()
    return JSONResponse({"faults": []})


async def _requests(request: Request) -> Response:
    with _of(request).lock:
        return JSONResponse({"requests": list(_of(request).log)})


async def _forget(request: Request) -> Response:
    with _of(request).lock:
        _of(request).log.clear()
    return JSONResponse({"requests": []})
