"""Common parts of all HTTP routes: the caller, refusals, and addresses of pages and callbacks."""

import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit
from uuid import UUID

from starlette.requests import Request, cookie_parser
from starlette.responses import JSONResponse, RedirectResponse, Response

from leaf import callers, config, errors, parts, texts
from leaf.api import storable
from leaf.services import accounts, integrations
from leaf.telemetry.metrics import instruments

log = logging.getLogger(__name__)

Handler = Callable[[Request], Awaitable[Response]]

SESSION_SECONDS = 400 * 24 * 3600
"""The lifetime of the cookie, which is the browsers' limit. The session in the database ends earlier."""

_NO_WEIGHT = re.compile(r"q=0(\.0*)?")

LANGUAGE_HEADER = "x-leaf-language"
"""The header in which a page sends the language of the refusals that it shows. Programs do not send it, and get
English."""


FILE_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
}
"""The headers of a file of one person. It is not cached, and nothing in it runs if a browser opens it."""


def attachment(name: str) -> dict[str, str]:
    """The headers of a file that a browser saves under a name."""
    return {**FILE_HEADERS, "content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}


def described(description: str, media_type: str) -> dict[int | str, dict[str, Any]]:
    """The entry in the API document for a route that returns a file."""
    return {200: {"description": description, "content": {media_type: {}}}}


def endpoint(
    handler: Handler, *, page: str | None = None, any_origin: Callable[[Request], bool] | None = None
) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    """Wraps a handler so that exceptions become responses.

    A refusal becomes JSON with its status. A bug is logged and becomes a 500 without details.

    Args:
        handler: Answers a request.
        page: The page that shows refusals (by `?problem=`), for routes that people open in their browser; None for
            JSON.
        any_origin: Whether pages of other sites may send a request; None if they never may.
    """

    async def answered(request: Request) -> Response:
        address = request.client.host if request.client else ""
        try:
            with callers.calling(callers.Caller(address, request.headers.get("user-agent", ""))):
                storable.require_address(request.scope)
                if any_origin is None or not any_origin(request):
                    _refuse_other_sites(request)
                return await handler(request)
        except errors.LeafError as error:
            refusal = error
        except Exception:
            # The path is not logged, because it may contain names of files.
            log.exception("%s %s failed", request.method, handler.__name__)
            refusal = errors.LeafError.unexpected()
        instruments.http_errors.labels(refusal.code).inc()
        if page is None or isinstance(refusal, (errors.NotFound, errors.Forbidden, storable.Unstorable)):
            return problem(refusal, request.headers.get(LANGUAGE_HEADER, ""))
        return redirect_to_page(request, with_query(page, problem=problem_code(refusal)))

    async def wrapped(request: Request) -> Response:
        answer = await answered(request)
        return _without_body(answer) if request.method == "HEAD" else answer

    return wrapped


def _without_body(answer: Response) -> Response:
    """The answer to HEAD: the status and the headers of the answer to GET. A stream is not begun."""
    bare = Response(status_code=answer.status_code, background=answer.background)
    # A stream has no length. Other answers have their own instead of that of the empty body.
    bare.raw_headers = answer.raw_headers
    return bare


def last_event(header: str | None) -> int | None:
    """The index in the header `Last-Event-ID`; None if it is missing or invalid."""
    return int(header) if header is not None and header.isascii() and header.isdigit() and len(header) < 10 else None


def _refuse_other_sites(request: Request) -> None:
    """Refuses a request with side effects from a page of another site, such as a form that signs people out.

    SameSite keeps the session cookie out of such requests, except from a sibling domain or another port. Browsers
    always send an Origin with them; programs do not.

    Raises:
        errors.Forbidden: The request comes from another origin.
    """
    sent_by = request.headers.get("origin")
    if request.method in {"GET", "HEAD", "OPTIONS"} or sent_by is None:
        return
    own = {urlsplit(config.current().url).netloc, request.headers.get("host", "")}
    if request.app.state.pages_port is not None:
        own |= {f"{host}:{request.app.state.pages_port}" for host in ("localhost", "127.0.0.1", "[::1]")}
    if parts_of(sent_by).netloc not in own - {""}:
        raise errors.Forbidden(texts.english("errors.other_site"))


def parts_of(address: str) -> SplitResult:
    """The parts of an address in a header, such as Origin or Referer; all empty if the header is not an address."""
    try:
        return parts.split_address(address)
    except ValueError:
        return urlsplit("")


def accepts(request: Request, header: str, value: str) -> bool:
    """Whether a header such as Accept names a value, and not with the weight 0 (RFC 9110, section 12.4.2)."""
    for one in request.headers.get(header, "").lower().split(","):
        name, *parameters = map(str.strip, one.split(";"))
        if name == value:
            return not any(_NO_WEIGHT.fullmatch(parameter) for parameter in parameters)
    return False


def problem_code(error: errors.LeafError) -> str:
    """The code by which a page finds its text about an error. Codes without a text become `failed`."""
    if isinstance(error, errors.Unavailable):
        return "unavailable"
    if error.code == errors.SignInFailed.code:
        return "state"
    return error.code if error.code in {"denied", "scope_missing", "failed", "state"} else "failed"


def problem(error: errors.LeafError, language: str = "") -> JSONResponse:
    """A refusal as JSON: `{"error": {"code", "message", …}}`.

    Args:
        error: The refusal.
        language: The language of the message, for pages that show it. English for an unknown language.
    """
    say = _texts_of(language)
    body: dict[str, object] = {"code": error.code, "message": texts.translated(error.message, say)}
    headers: dict[str, str] = {}
    if isinstance(error, errors.Invalid) and error.field:
        body["field"] = error.field
    if isinstance(error, errors.LimitReached):
        body["resets_in_seconds"] = error.resets_in_seconds
        headers["retry-after"] = str(error.resets_in_seconds)
    if isinstance(error, errors.DriveError) and error.cause is not None:
        body["cause"] = str(error.cause.cause)
        if forward := integrations.forwarded(error.cause):
            body["forward"] = texts.translated(forward, say)
    return JSONResponse({"error": body}, status_code=error.status, headers=headers)


def words(request: Request) -> texts.Texts:
    """The texts in the language that a page requests (`LANGUAGE_HEADER`); English for programs."""
    return _texts_of(request.headers.get(LANGUAGE_HEADER, ""))


def _texts_of(language: str) -> texts.Texts:
    return texts.of(language if language in texts.LANGUAGES else texts.DEFAULT)


async def session(request: Request) -> accounts.Session:
    """The caller's session.

    Raises:
        errors.Unauthenticated: There is no valid session.
    """
    found = await accounts.session(request.headers.get("cookie", ""))
    if found is None:
        raise errors.Unauthenticated
    return found


def path_id(request: Request, name: str, what: str) -> UUID:
    """An id in the path of a request (see `id_of`)."""
    return id_of(request.path_params[name], what)


def id_of(written: str, what: str) -> UUID:
    """An id as a UUID. A malformed id is treated like an unknown id.

    Raises:
        errors.NotFound: The text is not a UUID.
    """
    try:
        return UUID(written)
    except ValueError as error:
        raise errors.NotFound(what) from error


def language(request: Request) -> str:
    """The language of Leaf's texts: the chosen language, or else the browser's."""
    chosen = cookie_parser(request.headers.get("cookie", "")).get(texts.COOKIE, "")
    return texts.preferred(chosen, request.headers.get("accept-language", ""))


def origin(request: Request) -> str:
    """The address of this Leaf for callbacks: the configured address.

    If no public address is configured, a loopback address in the Host header is used, so that a local Leaf works on any
    port.
    """
    settings = config.current()
    if settings.public_url is None and _is_loopback(_host(request)):
        return f"http://{request.url.netloc}"
    return settings.url


def redirect_to_page(request: Request, path: str) -> RedirectResponse:
    """Redirects the browser to a page.

    With `reflex run`, the pages have a port of their own, `pages_port` in the application's state.
    """
    port: int | None = request.app.state.pages_port
    host = _host(request)
    if port is not None and _is_loopback(host):
        path = f"http://{f'[{host}]' if ':' in host else host}:{port}{path}"
    return RedirectResponse(path, status_code=303)


def set_cookie(response: Response, name: str, value: str, *, max_age: int) -> None:
    """Sets a cookie for all paths. Scripts cannot read it.

    Args:
        response: The response.
        name: The name of the cookie.
        value: The value of the cookie.
        max_age: The lifetime in seconds.
    """
    secure = config.current().secure_cookies
    response.set_cookie(name, value, max_age=max_age, path="/", secure=secure, httponly=True, samesite="lax")


def delete_cookie(response: Response, name: str) -> None:
    """Deletes a cookie."""
    response.delete_cookie(name, path="/", secure=config.current().secure_cookies, httponly=True, samesite="lax")


def address(request: Request) -> str:
    """The caller's address for rate limits. `leaf.api.pages` has already replaced the address of a proxy."""
    return callers.counted(request.client.host if request.client else "")


def with_query(path: str, **values: str) -> str:
    """A path with further query parameters."""
    separator = "&" if urlsplit(path).query else "?"
    return path + separator + "&".join(f"{name}={quote(value, safe='')}" for name, value in values.items())


def _host(request: Request) -> str:
    """The host in the request's headers; empty if there is none."""
    try:
        return request.url.hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
