"""The caller's own account: data export and deletion."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from leaf import errors, texts
from leaf.api import http
from leaf.api.archive import zipped
from leaf.redis import rates
from leaf.services import account_deletion, accounts, exports, security
from leaf.telemetry.metrics import instruments

EXPORTS = 5
EXPORT_SECONDS = 3600.0
DATA_PAGE = "/settings/data"
_FORM_BYTES = 4096
_FORM_SECONDS = 30.0


async def export(request: Request) -> Response:
    """`GET /api/account/export`: all of the caller's data as a zip archive, built while it is sent.

    Raises:
        errors.LimitReached: The caller has already started five exports within an hour.
    """
    session = await http.session(request)
    if seconds := await rates.take(f"export:{session.user_id}", EXPORTS, seconds=EXPORT_SECONDS):
        raise errors.LimitReached(texts.english("exchange.too_many_exports", count=EXPORTS), resets_in_seconds=seconds)
    await security.record(session.actor, security.Kind.DATA_EXPORTED)
    instruments.count_feature("export")
    headers = http.attachment(f"leaf-{datetime.now(UTC):%Y-%m-%d}.zip")
    return StreamingResponse(zipped(_entries(session)), media_type="application/zip", headers=headers)


async def _entries(session: accounts.Session) -> AsyncGenerator[tuple[str, bytes | AsyncIterator[bytes]]]:
    async with aclosing(exports.export(session.actor)) as entries:
        async for entry in entries:
            yield entry.path, entry.pieces


async def delete(request: Request) -> Response:
    """`POST /api/account/delete` with the form field `email`: deletes the caller's account.

    Redirects to the goodbye page. If the address is not the caller's, redirects to the data page with `problem=email`.
    """
    session = await http.session(request)
    try:
        is_revoked = await account_deletion.delete(session.actor, await _email(request))
    except errors.Invalid:
        return http.redirect_to_page(request, http.with_query(DATA_PAGE, problem="email"))
    response = http.redirect_to_page(request, "/goodbye" if is_revoked else "/goodbye?google=unreached")
    http.delete_cookie(response, accounts.cookie_name())
    return response


async def _email(request: Request) -> str:
    """The field `email` of a form (`application/x-www-form-urlencoded`); empty if it is missing.

    Raises:
        errors.Invalid: The form is too long, or does not arrive in full.
    """
    body = b""
    try:
        async with asyncio.timeout(_FORM_SECONDS):
            async for piece in request.stream():
                body += piece
                if len(body) > _FORM_BYTES:
                    raise errors.Invalid("The form is too long.", field="email")
    except (TimeoutError, ClientDisconnect):
        raise errors.Invalid("The form did not arrive in full.", field="email") from None
    return parse_qs(body.decode(errors="replace")).get("email", [""])[0]


routes = [
    Route("/api/account/export", http.endpoint(export), methods=["GET"]),
    Route("/api/account/delete", http.endpoint(delete, page=DATA_PAGE), methods=["POST"]),
]
