"""The routes of both APIs and of guests. They identify the caller first, limit bodies, and name the wrong field."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Message, Receive, Send
from starlette.types import Scope as AsgiScope

from leaf import errors, texts
from leaf.api import http, storable, uploads
from leaf.api.callers import MEMBERS, Callers
from leaf.services.api_keys import Scope

USUAL_BODY_BYTES = 1_000_000
BODY_SECONDS = 120.0
"""The time limit of a body without a file."""
LARGE_BODY_BYTES = 250_000
"""The maximum size of a body of JSON that is parsed in the web process. Larger bodies are pruned in another process."""

Prunes = Callable[[bytes], Awaitable[bytes]]


class Problem(BaseModel):
    """The reason why a request was refused."""

    code: str
    """A stable identifier for programs."""
    message: str
    """A sentence for people."""
    field: str | None = None
    """The part of the request that is wrong, if there is one."""
    resets_in_seconds: int | None = None
    """The seconds until a limit ends, as in the header Retry-After."""
    cause: str | None = None
    """The reason why Google Drive fails, if it is known (docs/drive-doctor.md)."""
    forward: str | None = None
    """A text for the administrator who can remove the cause."""


class Refusal(BaseModel):
    """The body of every refusal."""

    error: Problem


class Route(APIRoute):
    """A route that programs and pages call.

    Args:
        path: The path, with FastAPI's parameters.
        handler: The function of the route. The first paragraph of its docstring is the description in the document.
        method: GET, POST, …
        callers: The kind of callers that may use the route.
        scope: The scope that an API key needs; None for a route without scope.
        tag: The section of the document that lists the route.
        takes_file: Whether the handler reads one file from the body (`uploads.one_file`), within its own limits.
        prunes: A function that removes, in another process, the fields of a large body that the handler does not read.
            With it, a body may have the `most_body_bytes` of the callers, and without it `USUAL_BODY_BYTES`.
        takes_text: Whether JSON with the content type `text/plain` is read as JSON. For requests with a cookie,
            `http.endpoint` ensures that they come from Leaf's own pages.
        page: The page that shows refusals instead of JSON (`http.endpoint`), for routes that people open.
        further: Further arguments of FastAPI's route.
    """

    def __init__(
        self,
        path: str,
        handler: Callable[..., Any],
        *,
        method: str = "GET",
        callers: Callers = MEMBERS,
        scope: Scope | None,
        tag: str,
        takes_file: bool = False,
        prunes: Prunes | None = None,
        takes_text: bool = False,
        page: str | None = None,
        **further: Any,
    ) -> None:
        self._callers: Callers = callers
        self._scope: Scope | None = scope
        self._takes_file, self._takes_text, self._page = takes_file, takes_text, page
        self._prunes = prunes
        paragraph = (handler.__doc__ or "").strip().partition("\n\n")[0]
        if inspect.signature(handler).return_annotation is Response:
            further.setdefault("response_class", Response)
        responses = {"default": {"model": Refusal, "description": "Refused"}, **further.pop("responses", {})}
        security = callers.security(scope)
        extra = (
            ({"security": security} if security else {})
            | (uploads.FORM if takes_file else {})
            | further.pop("openapi_extra", {})
        )
        super().__init__(
            path,
            handler,
            methods=[method],
            tags=[tag],
            summary=handler.__name__.replace("_", " ").capitalize(),
            description=" ".join(paragraph.split()),
            responses=responses,
            openapi_extra=extra,
            operation_id=f"{tag.lower().replace(' ', '_')}_{handler.__name__}",
            **further,
        )

    def matches(self, scope: AsgiScope) -> tuple[Match, AsgiScope]:
        """Matches HEAD wherever GET matches. `http.endpoint` leaves the body out."""
        return super().matches({**scope, "method": "GET"} if scope.get("method") == "HEAD" else scope)

    async def handle(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Handles a request that `matches` has matched."""
        is_matched = self.matches(scope)[0] is Match.FULL
        await (self.app if is_matched else super().handle)(scope, receive, send)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Returns FastAPI's handler after wrapping it: it identifies the caller first, and sends Leaf's refusals."""
        inner, callers = super().get_route_handler(), self._callers

        async def answer(request: Request) -> Response:
            request.state.caller = await callers.identify(request, self._scope)
            scope = _as_json(request.scope) if self._takes_text else request.scope
            most = callers.most_body_bytes if self._prunes else min(callers.most_body_bytes, USUAL_BODY_BYTES)
            limited = request if self._takes_file else storable.Body(scope, bounded(request, most))
            try:
                return await inner(limited if self._prunes is None else await _pruned(limited, self._prunes))
            except RequestValidationError as error:
                raise invalid(error) from error
            except HTTPException as error:
                if isinstance(error.__cause__, errors.LeafError):
                    raise error.__cause__ from None
                raise errors.Invalid("The body cannot be read: send JSON in UTF-8.", field="body") from error

        answering = http.endpoint(answer, page=self._page, any_origin=callers.any_origin)

        async def finished(request: Request) -> Response:
            return await callers.finish(request, await answering(request))

        return finished


async def _pruned(request: Request, prunes: Prunes) -> Request:
    """The request with its body pruned, if the body is large."""
    body = await request.body()
    if len(body) > LARGE_BODY_BYTES:
        body = await prunes(body)

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return storable.Body(request.scope, receive)


def _as_json(scope: AsgiScope) -> AsgiScope:
    types = [value for name, value in scope["headers"] if name == b"content-type"]
    if [value.partition(b";")[0].strip().lower() for value in types] != [b"text/plain"]:
        return scope
    others = [header for header in scope["headers"] if header[0] != b"content-type"]
    return {**scope, "headers": [*others, (b"content-type", b"application/json")]}


def bounded(request: Request, most_bytes: int) -> Callable[[], Coroutine[Any, Any, Message]]:
    """Returns a receiver for the body of a request that raises as soon as the body is too large, too slow or broken.

    Raises:
        errors.LeafError: The Content-Length of the request is already too large.
    """
    length = request.headers.get("content-length", "0")
    if length.isascii() and length.isdigit() and int(length[:20]) > most_bytes:
        raise _too_large(most_bytes)
    size = 0
    deadline: float | None = asyncio.get_running_loop().time() + BODY_SECONDS

    async def receive() -> Message:
        nonlocal size, deadline
        try:
            async with asyncio.timeout_at(deadline):
                message = await request.receive()
        except TimeoutError:
            raise errors.LeafError(texts.english("errors.body_slow"), status=408, code="timeout") from None
        if deadline is not None and message["type"] == "http.disconnect":
            raise errors.Invalid(texts.english("errors.body_interrupted"), field="body")
        if not message.get("more_body", False):
            # The handler may now wait for the end of the connection.
            deadline = None
        size += len(message.get("body", b""))
        if size > most_bytes:
            raise _too_large(most_bytes)
        return message

    return receive


def _too_large(most_bytes: int) -> errors.LeafError:
    megabytes = most_bytes // 1_000_000
    most = f"{megabytes} MB. Upload long texts as files of the chat." if megabytes else f"{most_bytes // 1000} kB."
    return errors.LeafError(f"A request has at most {most}", status=413, code="too_large")


def invalid(error: RequestValidationError) -> errors.Invalid:
    """Returns the first validation error of a request, with the name of its field."""
    first = error.errors()[0]
    where, *path = first["loc"]
    if first["type"] == "json_invalid":
        return errors.Invalid(f"The body is not JSON: {first['ctx']['error']}.", field="body")
    if where == "body" and isinstance(error.body, bytes):
        # FastAPI has not read the body, because its type is not that of JSON.
        return errors.Invalid("Send the body as JSON, with “Content-Type: application/json”.", field="Content-Type")
    field = ""
    for step in path:
        field += f"[{step}]" if isinstance(step, int) else f".{step}" if field else str(step)
    field = field[:200] or str(where)
    # For an error of Leaf's own validators, pydantic puts the type of the error before the message.
    message = str(first["ctx"]["error"]) if first["type"] == "value_error" else first["msg"]
    return errors.Invalid(f"{field}: {message.removesuffix('.')}.", field=field)
