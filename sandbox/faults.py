"""Injected faults and a log of the requests, both for tests.

`POST /sandbox/faults` takes a fault or a list of faults, with the fields of `Fault`. `DELETE /sandbox/past` removes all
faults and failures, empties the log, and removes all grants of the accounts in its query.
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
    """An injected fault. `times` is the number of requests that it still affects."""

    path: re.Pattern[str]
    """A pattern that is searched for in the path, and in the path with its query."""
    status: int | None = None
    """The status of the response; None for the real response after the delay."""
    times: int = 1
    every: int = 1
    """The fault affects every nth matching request."""
    met: int = 0
    """The number of matching requests so far."""
    reason: str | None = None
    message: str | None = None
    body: str | None = None
    """A raw body that replaces Google's error JSON."""
    headers: dict[str, str] = {}
    delay_seconds: float = 0
    incomplete_search: bool = False
    """Whether files.list reports an incomplete search."""
    details: list[dict[str, Any]] = []
    """Google's `error.details`."""
    location: str | None = None
    """The name of the invalid parameter in the error."""
    subtype: str | None = None
    """Google's `error_subtype` of the token endpoint."""
    file: str = ""
    """The id of a file, if the fault affects only requests for this file."""
    keyed: bool = False
    """Whether the fault affects only requests with a resource key."""
    hang_up: bool = False
    """Whether the connection is closed instead of a response."""

    def answer(self, path: str) -> Response | None:
        """The injected response; None if the real response is sent."""
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
    """The faults and the log of requests. `lock` guards them, because endpoints run in threads."""

    pending: list[Fault] = field(default_factory=list[Fault])
    log: deque[dict[str, Any]] = field(default_factory=lambda: deque[dict[str, Any]](maxlen=_LOG_LENGTH))
    lock: threading.Lock = field(default_factory=threading.Lock)
    named: dict[str, str] = field(default_factory=dict[str, str])
    """The active failures (`sandbox.failures`) by name, with the id of the affected file; an empty id for all files."""
    lasting: list[Fault] = field(default_factory=list[Fault])
    """The faults of the active failures."""
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    """The settings of the active failures (`failures.toml`)."""
    ended_account: str | None = None
    """The account whose grants have ended, if a failure ends the grants of only one account."""
    testing: bool = False
    """Whether the OAuth app has the publishing status Testing."""

    def ends_grant_of(self, account: str) -> bool:
        """Whether a failure ends the grants of an account.

        A failure ends the grants of all accounts, or those of the first account for which this is called.
        """
        with self.lock:
            ended = self.settings.get("grants_end")
            if ended == "one":
                self.ended_account = self.ended_account or account
            return ended == "all" or (ended == "one" and account == self.ended_account)

    def strike(self, path: str, query: str, *, keyed: bool = False) -> Fault | None:
        """Returns the first fault that affects a request, and decrements its `times`; None if there is none.

        Args:
            path: The path of the request.
            query: The query of the request.
            keyed: Whether the request has a resource key.
        """
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
    """Logs every request and injects faults. Requests to `/health` and `/sandbox/…` are passed on unchanged."""

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
                # Browsers and proxies must not cache responses, because the next request may belong to another account.
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
                # The server closes the connection, because the announced body is missing.
                await logged({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"9")]})
                return
        await (answer or self._app)(scope, receive, logged)


def routes() -> list[Route]:
    """The routes for tests."""
    return [
        Route("/sandbox/faults", _add, methods=["POST"]),
        Route("/sandbox/faults", _clear, methods=["DELETE"]),
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


async def _clear(request: Request) -> Response:
    faults: Faults = request.app.state.sandbox.faults
    with faults.lock:
        faults.pending.clear()
    return Response(status_code=204)


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
