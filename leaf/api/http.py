"""What all HTTP routes share: who calls, how refusals look, where pages and callbacks are."""

import logging
from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from urllib.parse import quote, urlsplit
from uuid import UUID

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from leaf import config, errors
from leaf.services import accounts

log = logging.getLogger(__name__)

Handler = Callable[[Request], Awaitable[Response]]

SESSION_SECONDS = 400 * 24 * 3600
"""How long browsers keep the cookie (their own limit). The session itself ends earlier, in the database."""


def endpoint(handler: Handler) -> Handler:
    """Renders what a handler raises: a refusal as JSON with its status, a bug as a logged 500 without details."""

    async def wrapped(request: Request) -> Response:
        try:
            return await handler(request)
        except errors.LeafError as error:
            return problem(error)
        except Exception:
            log.exception("%s %s failed", request.method, request.url.path)
            return problem(errors.LeafError.unexpected())

    return wrapped


def problem(error: errors.LeafError) -> JSONResponse:
    """A refusal as JSON: `{"error": {"code", "message", …}}`."""
    body: dict[str, object] = {"code": error.code, "message": error.message}
    headers: dict[str, str] = {}
    if isinstance(error, errors.Invalid) and error.field:
        body["field"] = error.field
    if isinstance(error, errors.LimitReached):
        body["resets_in_seconds"] = error.resets_in_seconds
        headers["retry-after"] = str(error.resets_in_seconds)
    return JSONResponse({"error": body}, status_code=error.status, headers=headers)


async def session(request: Request) -> accounts.Session:
    """The caller's session.

    Raises:
        errors.Unauthenticated: There is none.
    """
    found = await accounts.session(request.headers.get("cookie", ""))
    if found is None:
        raise errors.Unauthenticated
    return found


def path_id(request: Request, name: str, what: str) -> UUID:
    """An id from the path. One that is malformed is as unknown as any other.

    Raises:
        errors.NotFound: It is no UUID.
    """
    try:
        return UUID(request.path_params[name])
    except ValueError as error:
        raise errors.NotFound(what) from error


def origin(request: Request) -> str:
    """The address under which the browser reached this process, for callbacks.

    A Host header is believed for loopback only, where copies of Leaf on any port must find themselves; everywhere else
    the configured address counts.
    """
    settings = config.current()
    host = request.url.hostname or ""
    if settings.public_url is None and _is_loopback(host):
        return f"http://{request.url.netloc}"
    return settings.url


def redirect_to_page(request: Request, path: str) -> RedirectResponse:
    """Sends the browser to a page.

    With `reflex run` the pages are served on another port than this process; `pages_port` in the application's state
    says which.
    """
    port: int | None = request.app.state.pages_port
    if port is not None and _is_loopback(request.url.hostname or ""):
        path = f"http://{request.url.hostname}:{port}{path}"
    return RedirectResponse(path, status_code=303)


def set_session_cookie(response: Response, token: str) -> None:
    """Gives the browser its session token, out of reach for scripts."""
    response.set_cookie(
        accounts.cookie_name(),
        token,
        max_age=SESSION_SECONDS,
        path="/",
        secure=config.current().secure_cookies,
        httponly=True,
        samesite="lax",
    )


def delete_cookie(response: Response, name: str) -> None:
    """Takes a cookie back."""
    response.delete_cookie(name, path="/", secure=config.current().secure_cookies, httponly=True, samesite="lax")


def with_query(path: str, **values: str) -> str:
    """A path with further query parameters."""
    separator = "&" if urlsplit(path).query else "?"
    return path + separator + "&".join(f"{name}={quote(value, safe='')}" for name, value in values.items())


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
