"""The socket.io namespace of pages: binds the state of a tab to its cookies, and rejects malformed events."""

import asyncio
import inspect
import logging
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs, urlencode
from uuid import uuid4

import reflex as rx
from reflex.app import App, EventNamespace
from reflex.state import EventHandlerSetVar, StateUpdate
from reflex.utils.token_manager import RedisTokenManager
from reflex_base.constants import RouteVar, SocketEvent
from reflex_base.constants.state import FIELD_MARKER
from reflex_base.event import Event
from reflex_base.registry import RegistrationContext
from reflex_base.utils.form import form_data_as_dict
from starlette.requests import cookie_parser

from leaf import callers, config, errors, redis
from leaf.callers import tokens
from leaf.parts.plain import plain_json
from leaf.services import accounts, guests
from leaf.state import session
from leaf.telemetry import logs

log = logging.getLogger(__name__)

_EVENTS = frozenset({"connect", "disconnect", "event", "ping", "client_error"})
"""The socket.io events that browsers may send. Other `on_…` methods of the namespace are not exposed."""
_MOST_PROVEN = 10_000
_REPORT_CHARACTERS = 2000
_ROUTE = (RouteVar.PATH, RouteVar.ORIGIN, RouteVar.QUERY)
_REPORT = "handle_frontend_exception"
"""The suffix of the event with which pages report exceptions of their scripts."""
_STORED = "vars"
"""The argument of Reflex's own handlers that take the vars which are stored in browsers."""
_POSTPONED = "ResizeObserver loop "
"""The beginning of a browser's notice that it delivers a change of size one frame later."""


class Sockets(EventNamespace):
    """Reflex's socket.io namespace, in which the token of a tab is valid only together with the tab's cookies.

    Reflex keeps the state of a tab for an hour under a token that the browser sends. Here the key of a state is a
    digest of this token and of the cookies that identify the reader. A connection with other cookies therefore gets
    another state, and a connection whose session has ended gets a new state.
    """

    def __init__(self, namespace: str, app: App) -> None:
        """Args:
        namespace: The name of the namespace.
        app: The application.
        """
        super().__init__(namespace, app)
        if url := config.load().redis_url:
            # The processes share the tokens of their tabs through Redis, with the connections of Leaf.
            self._token_manager = RedisTokenManager(redis.subscriber(url))
        self._members: dict[str, _Member] = {}
        """The sessions of members' sockets, by socket id."""
        self._proven: dict[str, None] = {}
        """Digests of sessions that were valid at their last check, in the order of these checks. While the database is
        unavailable, these sessions are trusted.
        """

    def of(self, token: str) -> str | None:
        """The id of a tab's socket; None if the socket belongs to another process or does not exist."""
        record = self._token_manager.token_to_socket.get(token)
        return record.sid if record is not None and record.instance_id == self._token_manager.instance_id else None

    async def trigger_event(self, event: str, *args: Any) -> Any:
        """Dispatches the events of `_EVENTS`; other events are logged and ignored."""
        if event in _EVENTS and (event in {"connect", "disconnect"} or len(args) <= 2):
            return await super().trigger_event(event, *args)
        logs.refused(log, "a socket sent an unknown message", event)
        return None

    async def on_connect(self, sid: str, environ: dict[str, Any], auth: Any = None) -> None:
        """Connects a tab under a key of its own."""
        router = self._build_static_router_data(sid, environ)
        headers: Mapping[str, str] = router[RouteVar.HEADERS]
        callers.use(callers.Caller(router[RouteVar.CLIENT_IP], headers.get("user-agent", "")))
        tab_token = parse_qs(environ.get("QUERY_STRING", "")).get("token", [""])[0]
        cookie = headers.get("cookie", "")
        key = await self._key(sid, tab_token or str(uuid4()), cookie)
        environ = {**environ, "QUERY_STRING": urlencode({"token": key})}
        await super().on_connect(sid, environ, auth if isinstance(auth, dict) else None)

    def on_disconnect(self, sid: str) -> asyncio.Task[None] | None:
        """Removes the socket. The state of the tab is kept for the same reader."""
        self._members.pop(sid, None)
        return super().on_disconnect(sid)

    async def on_event(self, sid: str, data: Any) -> None:
        """Handles a well-formed event. If the session of the socket has ended, the page goes to the sign-in."""
        event = _readable(data)
        if event is None:
            return
        if await self._is_current(sid):
            await super().on_event(sid, event)
            return
        page = str(event["router_data"].get("asPath") or "/")
        redirect = Event.from_event_type(rx.redirect(session.sign_in_address(page)))
        await self.emit(str(SocketEvent.EVENT), StateUpdate(events=redirect), to=sid)

    async def on_client_error(self, sid: str, data: Any = None) -> None:
        """Receives a page's report of an exception."""
        await super().on_client_error(sid, data if isinstance(data, dict) else None)

    async def _key(self, sid: str, token: str, cookie: str) -> str:
        """The key of a tab's state. The tab gets a new token if its session has ended or its token is in use."""
        cookies = cookie_parser(cookie)
        member, guest = accounts.token_of(cookie) or "", cookies.get(guests.cookie_name(), "")
        if member:
            found = _Member(cookie, tokens.digest(member))
            if await self._is_valid(found):
                found.is_just_proven = True
                self._members[sid] = found
            else:
                token, member = str(uuid4()), ""
        key = _state_key(token, member, guest)
        if await self._token_manager.is_token_connected(key):
            # A duplicated tab sends the token of the original tab, so it gets a new one.
            token = str(uuid4())
            await self.emit("new_token", token, to=sid)
            key = _state_key(token, member, guest)
        return key

    async def _is_current(self, sid: str) -> bool:
        """Whether the session of a socket is still valid. Sockets of guests have no session and are always current."""
        member = self._members.get(sid)
        if member is None:
            return True
        if member.is_just_proven:
            member.is_just_proven = False
            return True
        return await self._is_valid(member)

    async def _is_valid(self, member: "_Member") -> bool:
        """Whether a session is valid; while the database is unavailable, whether it was valid at its last check."""
        try:
            async with asyncio.timeout(session.LOOKUP_SECONDS):
                is_valid = await accounts.session(member.cookie) is not None
        except (TimeoutError, errors.Unavailable):
            return member.digest in self._proven
        self._proven.pop(member.digest, None)
        if is_valid:
            self._proven[member.digest] = None
            while len(self._proven) > _MOST_PROVEN:
                del self._proven[next(iter(self._proven))]
        return is_valid


@dataclass
class _Member:
    """The session of a socket."""

    cookie: str
    """The Cookie header of the socket's handshake."""
    digest: str
    """The hash of the session token."""
    is_just_proven: bool = False
    """Whether the session was checked when the socket connected, so that the first event needs no second check."""


def _state_key(token: str, member: str, guest: str) -> str:
    """The key of a tab's state. Its prefix lets the log filter recognise and mask it."""
    return f"leaf_tab_{tokens.digest(' '.join(map(tokens.digest, (token, member, guest))))}"


def _readable(data: Any) -> dict[str, Any] | None:
    """The fields of an event that Reflex reads, with strings that can be stored (`plain_json`).

    Returns:
        The event; None if it is malformed, which is logged.
    """
    if not isinstance(data, dict):
        logs.refused(log, "a page sent an event that is not an object")
        return None
    fields: dict[str, Any] = data
    name, payload, router = fields.get("name"), fields.get("payload") or {}, fields.get("router_data") or {}
    registered = RegistrationContext.get().event_handlers.get(name) if isinstance(name, str) else None
    # Reflex adds to every state a handler that sets any var by its name. Leaf's pages do not use this handler.
    if registered is None or isinstance(registered.handler, EventHandlerSetVar):
        logs.refused(log, "a page sent an unknown event", name)
        return None
    is_report = str(name).endswith(_REPORT)
    if not isinstance(payload, dict) or not _fits(registered.handler.fn, payload, of_any_type=is_report):
        logs.refused(log, "a page sent an event with wrong arguments", name)
        return None
    if not _is_route(router):
        logs.refused(log, "a page sent an event with a malformed route", name)
        return None
    if is_report:
        payload = {key: str(value)[:_REPORT_CHARACTERS] for key, value in payload.items()}
    try:
        if not is_report:
            kinds, _ = _arguments(registered.handler.fn)
            payload = {key: _filtered(key, form_data_as_dict(value), kinds[key]) for key, value in payload.items()}
        payload = plain_json(payload)
        route = plain_json({key: router[key] for key in _ROUTE if key in router})
    except (RecursionError, TypeError, ValueError):
        logs.refused(log, "a page sent an event with a malformed form or too deeply nested values", name)
        return None
    return {"name": name, "payload": payload, "router_data": route}


def _fits(handler: Callable[..., Any], payload: Mapping[str, Any], *, of_any_type: bool) -> bool:
    """Whether a handler can be called with these arguments. Reflex would print arguments of other types."""
    taken, needed = _arguments(handler)
    if not (payload.keys() <= taken.keys() and needed <= payload.keys()):
        return False
    return of_any_type or all(_is_of(value, taken[name]) for name, value in payload.items())


@lru_cache(maxsize=1024)
def _arguments(handler: Callable[..., Any]) -> tuple[dict[str, Any], frozenset[str]]:
    """The types of a handler's arguments by name, and the names of the arguments without a default."""
    _state, *parameters = inspect.signature(handler).parameters.values()
    hints = typing.get_type_hints(handler)
    needed = (one.name for one in parameters if one.default is inspect.Parameter.empty)
    return {one.name: hints.get(one.name, Any) for one in parameters}, frozenset(needed)


def _is_of(value: Any, kind: Any) -> bool:
    """Whether a value of JSON has the type of an argument."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any or origin is None:
        return kind is Any or type(value) is kind
    if origin is dict:
        return isinstance(value, dict)
    if origin is list:
        return isinstance(value, list) and all(_is_of(one, inner[0]) for one in value)  # pyright: ignore[reportUnknownVariableType]
    return any(_is_of(value, one) for one in inner)


def _filtered(name: str, value: Any, kind: Any) -> Any:
    """The value of an argument, without entries that its handler does not expect.

    A page sends a form together with the values of elements with an id that are no fields, such as null. A page of an
    earlier version may send vars that are no longer stored in browsers.
    """
    if kind == dict[str, str]:
        return {field: text for field, text in value.items() if isinstance(field, str) and isinstance(text, str)}
    if name == _STORED and isinstance(value, dict):
        vars_sent: dict[str, Any] = value
        return {var: text for var, text in vars_sent.items() if isinstance(text, str) and _is_stored(var)}
    return value


def _is_stored(name: str) -> bool:
    """Whether a full name is that of a var that is stored in browsers, such as a cookie."""
    state, _, var = name.rpartition(".")
    try:
        owner = rx.State.get_class_substate(state)
    except ValueError:
        return False
    return owner._is_client_storage(var.removesuffix(FIELD_MARKER))  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def _is_route(router: Any) -> bool:
    """Whether the route in an event has the types that Reflex expects."""
    if not isinstance(router, dict):
        return False
    known: dict[str, Any] = router
    has_texts = all(isinstance(known.get(key, ""), str) for key in (RouteVar.PATH, RouteVar.ORIGIN))
    return has_texts and isinstance(known.get(RouteVar.QUERY, {}), dict)


def report(exception: Exception) -> None:
    """Reflex's handler of exceptions that pages report.

    An exception's message may contain text that a person has typed, so it is logged only at the level DEBUG. A notice
    about a postponed change of size (`_POSTPONED`) is no failure.
    """
    if _POSTPONED not in str(exception):
        logs.refused(log, "a page reported an exception")
    log.debug("%s", logs.shown(exception))
