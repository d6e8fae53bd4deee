"""The routes of public links: the page, and its preview for whoever would share it. There is nothing to write to."""

import asyncio

from starlette.requests import Request, cookie_parser
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from leaf import config, errors, rates, texts
from leaf.api import http
from leaf.api.shared import page
from leaf.services import shares

LOOKS = 120
"""So many pages one address may ask for in a minute."""


async def show(request: Request) -> Response:
    """`GET /share/{token}`: the chat behind a link, for anybody; the same 404 for every link that leads nowhere.

    Raises:
        errors.LimitReached: The caller's address asks too often.
    """
    address = request.client.host if request.client else ""
    if wait := await rates.take(f"share:{address}", LOOKS, seconds=60):
        raise errors.LimitReached(texts.english("shared.too_often"), resets_in_seconds=max(1, round(wait)))
    language = _language(request)
    token = request.path_params["token"]
    try:
        shared = await shares.read(token)
    except errors.NotFound:
        return _html(page.missing_page(language), status=404)
    url = f"{config.current().url}/share/{token}"
    return _html(await asyncio.to_thread(page.shared_page, shared, language, url=url))


async def preview(request: Request) -> Response:
    """`GET /api/chats/{chat_id}/share`: the page that a link to the chat would show if it was made now.

    Raises:
        errors.NotFound: There is no such chat for this caller.
        errors.Forbidden: Somebody else began it.
    """
    session = await http.session(request)
    shared = await shares.preview(session.actor, http.path_id(request, "chat_id", "chat"))
    return _html(await asyncio.to_thread(page.shared_page, shared, _language(request)), frames="'self'")


def _language(request: Request) -> str:
    chosen = cookie_parser(request.headers.get("cookie", "")).get(texts.COOKIE, "")
    return texts.preferred(chosen, request.headers.get("accept-language", ""))


def _html(body: str, *, status: int = 200, frames: str = "'none'") -> Response:
    policy = (
        f"default-src 'none'; style-src {page.style().source}; img-src 'self'; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors {frames}; sandbox allow-popups allow-popups-to-escape-sandbox"
    )
    headers = {
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
