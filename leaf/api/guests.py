"""The routes of guests: becoming a guest, starting over, and adopting a chat into an account."""

import logging
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from leaf import config, errors
from leaf.api import http
from leaf.api.callers import Callers, set_guest_cookie
from leaf.api.routing import Route
from leaf.callers import tokens
from leaf.services import accounts, flows, guests
from leaf.services.api_keys import Scope

log = logging.getLogger(__name__)

PAGE = "/guest"
_FALLBACK = "/dashboard"


def _called(request: Request) -> guests.Guest | None:
    guest: guests.Guest | None = request.state.caller
    return guest


Here = Annotated[guests.Guest | None, Depends(_called)]
"""The guest of the browser's cookie; None if there is none."""


async def enter(request: Request, guest: Here) -> Response:
    """`GET /auth/guest`: sets or renews the browser's guest cookie. Nothing is stored on the server.

    Raises:
        errors.Unauthenticated: Leaf has no guests.
    """
    _require_guests()
    return _as_guest(request, guest or guests.new())


async def begin_anew(request: Request, guest: Here) -> Response:
    """`POST /auth/guest/new`: deletes the guest's chat and begins another chat.

    Raises:
        errors.Unauthenticated: Leaf has no guests.
    """
    _require_guests()
    if guest is None:
        return _as_guest(request, guests.new())
    await guests.forget(guest)
    return _as_guest(request, guests.another_chat(guest))


async def keep(request: Request, guest: Here) -> Response:
    """`POST /auth/guest/keep`: moves the guest's chat to the account of the member. The cookies prove both.

    Raises:
        errors.Unauthenticated: The browser has no session, or no guest cookie.
    """
    session = await http.session(request)
    if guest is None:
        raise errors.Unauthenticated
    return _redirect_to_chat(request, await guests.keep(session.actor, guest))


def _redirect_to_chat(request: Request, chat: object) -> Response:
    response = http.redirect_to_page(request, f"/chat/{chat}" if chat else _FALLBACK)
    http.delete_cookie(response, guests.cookie_name())
    return response


def remembered(request: Request) -> str:
    """The text about the guest that a sign-in remembers (`adopt_chat`); empty if the browser is no guest."""
    guest = _guest(request)
    return guests.as_text(guest) if guest is not None else ""


async def adopt_chat(request: Request, flow: flows.Flow, token: str) -> Response:
    """Adopts the chat for which a sign-in was begun, and redirects to it.

    The chat is adopted only if the browser is still the same guest. Otherwise another tab may have adopted it, and the
    member who did so is redirected to it.

    Args:
        request: The callback.
        flow: The sign-in that this browser began.
        token: The token of the new session.
    """
    session = await accounts.session(f"{accounts.cookie_name()}={token}")
    begun_by, guest = guests.of_text(flow.keeps), _guest(request)
    chat: object = None
    is_same = guest is not None and tokens.same(guests.as_text(guest), flow.keeps)
    try:
        if session is not None and begun_by is not None:
            chat = await (guests.keep if is_same else guests.kept_by)(session.actor, begun_by)
    except errors.Unavailable:
        log.warning("a guest's chat could not be adopted at the sign-in; its page offers this again")
        return http.redirect_to_page(request, PAGE)
    if chat is None:
        return http.redirect_to_page(request, flow.next_path)
    response = http.redirect_to_page(request, f"/chat/{chat}")
    if is_same:
        http.delete_cookie(response, guests.cookie_name())
    return response


def _require_guests() -> None:
    if not config.current().guests:
        raise errors.Unauthenticated


def _guest(request: Request) -> guests.Guest | None:
    return guests.guest_of(request.headers.get("cookie", ""), http.address(request))


def _as_guest(request: Request, guest: guests.Guest) -> RedirectResponse:
    response = http.redirect_to_page(request, PAGE)
    response.headers["cache-control"] = "no-store"
    set_guest_cookie(response, guest)
    return response


async def _identify(request: Request, _scope: Scope | None) -> guests.Guest | None:
    return _guest(request)


BROWSERS = Callers(_identify, lambda _scope: [], lambda _request: False)
"""Browsers on pages of Leaf, with or without a guest's cookie."""


def _route(path: str, handler: Callable[..., Any], **further: Any) -> Route:
    """A route for browsers. The document of the API for programs does not list it."""
    return Route(path, handler, callers=BROWSERS, scope=None, tag="Guests", include_in_schema=False, **further)


routes = [
    _route("/auth/guest", enter),
    _route("/auth/guest/new", begin_anew, method="POST", page=PAGE),
    _route("/auth/guest/keep", keep, method="POST", page=PAGE),
]
