"""The routes of public links: the page of a chat, and its preview for the owner. They only read."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from leaf import config, errors
from leaf.api import http
from leaf.api.shared import page
from leaf.redis import rates
from leaf.services import shares
from leaf.telemetry import responsiveness

LOOKS = 120
"""The maximum number of pages that one address may request in a minute."""


async def show(request: Request) -> Response:
    """`GET /share/{token}`: the page of a shared chat, for anyone. Every invalid link gets the same 404.

    An address with too many requests gets a page with status 429 and the number of seconds to wait.
    """
    language, compiled = http.language(request), _compiled(request)
    if seconds := await rates.take(f"share:{http.address(request)}", LOOKS, seconds=60):
        crowded = page.crowded_page(language, seconds, compiled=compiled)
        return _html(crowded, compiled, status=429, more={"retry-after": str(seconds)})
    token = request.path_params["token"]
    try:
        shared = await shares.read(token)
    except errors.NotFound:
        return _html(page.missing_page(language, compiled=compiled), compiled, status=404)
    url = f"{config.current().url}/share/{token}"
    body = await responsiveness.in_thread(page.shared_page, shared, language, url=url, compiled=compiled)
    return _html(body, compiled)


async def preview(request: Request) -> Response:
    """`GET /api/chats/{chat_id}/share`: a preview of the page that a link to the chat would show now.

    Raises:
        errors.NotFound: There is no such chat for this caller.
        errors.Forbidden: Another participant created the chat.
    """
    session = await http.session(request)
    shared = await shares.preview(session.actor, http.path_id(request, "chat_id", "chat"))
    compiled = _compiled(request)
    body = await responsiveness.in_thread(page.shared_page, shared, http.language(request), compiled=compiled)
    return _html(body, compiled, frames="'self'")


def _compiled(request: Request) -> Path | None:
    """The folder of the compiled pages."""
    return request.app.state.compiled


def _html(
    body: str,
    compiled: Path | None,
    *,
    status: int = 200,
    frames: str = "'none'",
    more: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    policy = (
        f"default-src 'none'; style-src {page.style(compiled).source}; font-src 'self'; img-src 'self'; "
        f"base-uri 'none'; form-action 'none'; frame-ancestors {frames}; "
        "sandbox allow-popups allow-popups-to-escape-sandbox"
    )
    headers = {
        **more,
        "content-security-policy": policy,
        "cache-control": "private, no-store",
        "x-robots-tag": "noindex, nofollow",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY" if frames == "'none'" else "SAMEORIGIN",
        "vary": "accept-language, cookie",
    }
    return HTMLResponse(body, status_code=status, headers=headers)


routes = [
    Route("/share/{token}", http.endpoint(show), methods=["GET"]),
    Route("/api/chats/{chat_id}/share", http.endpoint(preview), methods=["GET"]),
]
