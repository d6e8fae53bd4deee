"""Faults on demand, and a log of the requests: both for tests.

`POST /sandbox/faults` takes one fault or a list of them, with the members of `Fault`. `DELETE /sandbox/past` forgets
faults and requests at once, and ends all access to the accounts that it names.
"""

import asyncio
import re
import threading
from collections import deque
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any
from urllib.parse import unquote

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sandbox import refusals

_LOG_LENGTH = 20_000


class Fault(BaseModel):
    """One injected fault; `times` counts down as it strikes."""

    path: re.Pattern[str]
    """Searched in the path, then in path and query."""
    status: int | None = None
    """Without one, the real answer comes after the delay."""
    times: int = 1
    every: int = 1
    """The fault strikes one of so many matching calls."""
    met: int = 0
    """The calls so far that match."""
    reason: str | None = None
    message: str | None = None
    body: str | None = None
    """A raw body in place of Google's error JSON."""
    headers: dict[str, str] = {}
    delay_seconds: float = 0
    incomplete_search: bool = False
    """Whether files.list says that it is partial."""
    details: list[dict[str, Any]] = []
    """Google's `error.details`."""
    location: str | None = None
    """The parameter that Drive finds wrong."""
    subtype: str | None = None
    """Google's `error_subtype` of the token endpoint."""
    file: str = ""
    """The file alone whose requests it strikes, by its id."""
    keyed: bool = False
    """Whether it strikes requests with a resource key alone."""
    hang_up: bool = False
    """Whether the connection breaks off in place of an answer."""

    def answer(self, path: str) -> Response | None:
        """The answer in place of the real one; None: the real one."""
        if self.body is not None:
            return Response(self.body, self.status or 200, self.headers, media_type="application/json")
        if self.status is None:
            return None
        if path in {"/token", "/revoke", "/oauth2/v3/userinfo"}:
            error = {"error": self.reason or "internal_failure", "error_description": self.message or "Injected fault."}
            error |= {"error_subtype": self.subtype} if self.subtype else {}
            return JSONResponse(error, self.status, self.headers)
        body = refusals.injected(self.status, self.reason, self.message, self.location, self.details).body()
        return JSONResponse(body, self.status, self.headers)


_POSTED = TypeAdapter[list[Fault] | Fault](list[Fault] | Fault)


@dataclass
class Faults:
    """The faults to come and the requests so far. Guarded by a lock: endpoints run in threads."""

    pending: list[Fault] = field(default_factory=list[Fault])
    log: deque[dict[str, Any]] = field(default_factory=lambda: deque[dict[str, Any]](maxlen=_LOG_LENGTH))
    lock: threading.Lock = field(default_factory=threading.Lock)
    named: dict[str, str] = field(default_factory=dict[str, str])
    """The failures that have begun (`sandbox.failures`), each with the id of the one file that it concerns, if any."""
    lasting: list[Fault] = field(default_factory=list[Fault])
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    ended_account: str | None = None
    """The account whose grants have ended, of a failure that strikes one person alone."""
    testing: bool = False
    """Whether the app has the status Testing."""

    def ends_grant_of(self, account: str) -> bool:
        """Whether a failure ends the grants of an account: of all accounts, or of the first that asks."""
        with self.lock:
            ended = self.settings.get("grants_end")
            if ended == "one":
                self.ended_account = self.ended_account or account
            return ended == "all" or (ended == "one" and account == self.ended_account)

    def strike(self, path: str, query: str, *, keyed: bool = False) -> Fault | None:
        """The first pending fault whose pattern is found in the path, or in path and query; it is counted down."""
        target = f"{path}?{unquote(query)}"
        with self.lock:
            for fault in (*self.pending, *self.lasting):
                if (
                    fault.times > 0
                    and (keyed or not fault.keyed)
                    and fault.file in target
                    and (fault.path.search(path) or fault.path.search(target))
                ):
                    fault.met += 1
                    if fault.met % fault.every == 0:
                        fault.times -= 1
                        return fault
        return None


class FaultMiddleware:
    """Logs every request and answers with a fault where one is due. The sandbox's own verbs are spared."""

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app, self._faults = app, faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        path = str(scope.get("path", ""))
        if scope["type"] != "http" or path == "/health" or path.startswith("/sandbox/"):
            await self._app(scope, receive, send)
            return
        query = bytes(scope["query_string"]).decode("latin-1")
        entry = {"method": scope["method"], "path": path, "query": query, "status": None, "account": None}
        with self._faults.lock:
            self._faults.log.append(entry)
        state: dict[str, Any] = scope.setdefault("state", {})

        async def logged(message: Message) -> None:
            if message["type"] == "http.response.start":
                entry["status"], entry["account"] = message["status"], state.get("account")
                # Nothing here may be kept by a browser or a proxy: the next request may belong to another account.
                headers = MutableHeaders(scope=message)
                headers.setdefault("Cache-Control", "no-store")
                headers.setdefault("Date", self._faults.settings.get("date") or formatdate(usegmt=True))
            await send(message)

        keyed = any(name == b"x-goog-drive-resource-keys" for name, _ in scope["headers"])
        fault = self._faults.strike(path, query, keyed=keyed)
        answer: Response | None = None
        if fault is not None:
            await asyncio.sleep(fault.delay_seconds)
            state["incomplete_search"] = fault.incomplete_search
            answer = fault.answer(path)
            if fault.hang_up:
                # Without the rest, the server closes the connection.
                await logged({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"9")]})
                return
        await (answer or self._app)(scope, receive, logged)


def routes() -> list[Route]:
    """The verbs for tests."""
    return [
        Route("/sandbox/faults", _add, methods=["POST"]),
        Route("/sandbox/faults", _faults, methods=["GET", "DELETE"]),
        Route("/sandbox/requests", _requests, methods=["GET", "DELETE"]),
        Route("/sandbox/past", _forget, methods=["DELETE"]),
    ]


async def _add(request: Request) -> Response:
    try:
        posted = _POSTED.validate_json(await request.body())
    except ValidationError as error:
        return JSONResponse({"error": f"not a fault: {error}"}, 400)
    faults: Faults = request.app.state.sandbox.faults
    with faults.lock:
        faults.pending.extend(posted if isinstance(posted, list) else [posted])
        return JSONResponse({"pending": len(faults.pending)})


async def _faults(request: Request) -> Response:
    faults: Faults = request.app.state.sandbox.faults
    with faults.lock:
        if request.method == "DELETE":
            faults.pending.clear()
        left = [{"path": fault.path.pattern, "times": fault.times} for fault in faults.pending if fault.times > 0]
    return JSONResponse({"faults": left})


async def _forget(request: Request) -> Response:
    sandbox = request.app.state.sandbox
    faults: Faults = sandbox.faults
    with faults.lock:
        faults.pending.clear()
        faults.log.clear()
        faults.named, faults.lasting, faults.settings, faults.testing = {}, [], {}, False
        faults.ended_account = None
    sandbox.store.remove_grants(request.query_params.getlist("account"))
    return Response(status_code=204)


async def _requests(request: Request) -> Response:
    faults: Faults = request.app.state.sandbox.faults
    with faults.lock:
        if request.method == "DELETE":
            faults.log.clear()
        return JSONResponse({"requests": list(faults.log)})
