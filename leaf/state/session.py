"""The reader of a page. At every event, only the cookie proves who the reader is, and never a value from the page."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import quote
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import reflex as rx
from starlette.requests import cookie_parser

from leaf import callers, errors
from leaf.db.actor import Actor, Guest
from leaf.services import accounts, guests, models, readers
from leaf.services.models import Offer
from leaf.services.readers import Proof
from leaf.state.internal import internal, set_changed
from leaf.streams import Reader
from leaf.views import amounts

log = logging.getLogger(__name__)

LOOKUP_SECONDS = 5.0
ZONE_COOKIE = "leaf_zone"
"""The browser's IANA time zone, set by the script in the page's head."""


@dataclass(frozen=True)
class ModelChoice:
    id: str
    label: str
    server: str = ""
    """The name and address of a self-hosted model server; empty for a provider's model."""


class SessionState(rx.State):
    """The member's data on all pages."""

    member_id: str = ""
    """The member's id, under which the browser stores the member's data."""
    name: str = ""
    first_name: str = ""
    email: str = ""
    picture: str = ""
    workspace: str = ""
    model: str = ""
    """The name of the model that the composer shows."""
    models: list[ModelChoice] = []  # noqa: RUF012 - Reflex copies it
    """The models to choose from; empty if there are fewer than two."""
    further_models: list[ModelChoice] = []  # noqa: RUF012
    """The models to choose from, without the default."""
    costs: dict[str, str] = {}  # noqa: RUF012
    """The model of each mode and type, and its price, by `amounts.offer_key`."""
    steps: dict[str, int] = {}  # noqa: RUF012
    """The largest number of steps of an answer, by mode."""
    administrator: bool = False
    """Whether the menu links to the administration. The page itself checks the right again."""
    missing_service: str = ""
    """The reason why no page can be shown at the moment, such as an unavailable database; empty if there is none."""

    @internal
    def show(self, session: accounts.Session) -> None:
        """Shows the data of a session, and the models to choose from."""
        self.member_id, self.name, self.email = str(session.user_id), session.name, session.email
        self.first_name, self.workspace = session.first_name, session.workspace_name
        self.picture = session.picture_url or ""
        self.model = models.current().label
        offered = [ModelChoice(model.id, model.label, model.server) for model in models.offered()]
        self.models, self.further_models = (offered if len(offered) > 1 else []), offered[1:]
        self.missing_service = ""

    @internal
    def show_costs(self, offers: list[Offer]) -> None:
        """Shows the prices and steps of the modes and models, in the language of the event."""
        set_changed(self, costs=amounts.offer_costs(offers), steps=amounts.offer_steps(offers))


async def optional(state: rx.State) -> accounts.Session | None:
    """The session of the socket's cookie; None if there is no valid one."""
    return await accounts.session(state.router.headers.cookie)


async def required(state: rx.State) -> accounts.Session:
    """The session of the socket's cookie.

    Raises:
        errors.Unauthenticated: There is no valid session.
    """
    session = await optional(state)
    if session is None:
        raise errors.Unauthenticated
    return session


async def reader(state: rx.State) -> Reader:
    """The reader of runs on the open page: on the guests' page the guest of the cookie, elsewhere the member.

    Raises:
        errors.Unauthenticated: There is no valid cookie or session.
    """
    return readers.of(*await _identified(state))


async def speaker(state: rx.State) -> Actor:
    """The actor of the open page: on the guests' page the guest of the cookie, elsewhere the signed-in member.

    Raises:
        errors.Unauthenticated: There is no valid cookie or session.
    """
    actor, _ = await _identified(state)
    return actor


@asynccontextmanager
async def proven(state: rx.State) -> AsyncGenerator[None]:
    """Checks the session of a tab's cookie, then holds the lock of the tab's state; for background events.

    A page reads first, and shows the result within this block. So it shows nothing after the session has ended. For
    example, a question that was asked at the moment of a sign-out reaches no tab of that session.

    Raises:
        errors.Unauthenticated: The session has ended, or the guest's cookie is not valid.
    """
    await speaker(state)
    async with state:  # pyright: ignore[reportGeneralTypeIssues] - the proxy of a background event
        yield


async def _identified(state: rx.State) -> tuple[Actor, Proof | None]:
    """The actor of the open page, and the proof of a member's session; None for a guest.

    Raises:
        errors.Unauthenticated: There is no valid cookie or session.
    """
    if str(state.router.url.path).rstrip("/") == "/guest":
        found = guest(state)
        if found is None:
            raise errors.Unauthenticated
        return Actor.guest(found), None
    session = await required(state)
    return session.actor, readers.session_proof(session, state.router.headers.cookie)


def guest(state: rx.State) -> Guest | None:
    """The guest of the socket's cookie, with the client's address; None without a valid cookie."""
    return guests.guest_of(state.router.headers.cookie, address(state))


def address(state: rx.State) -> str:
    """The client's address for rate limits. `leaf.api.pages` has replaced a proxy's address by its client's."""
    return callers.counted(state.router.session.client_ip)


async def within_time(state: rx.State) -> accounts.Session | None:
    """The session, or None if there is none or it cannot be read within `LOOKUP_SECONDS`.

    For pages that need no session, and so open without it.
    """
    try:
        async with asyncio.timeout(LOOKUP_SECONDS):
            return await optional(state)
    except (TimeoutError, errors.Unavailable):
        log.warning("the session could not be read; the page opens signed out")
        return None


def while_available(*further: type[errors.LeafError]) -> suppress:
    """A block that ends without an error if the session or a service is missing.

    `leaf.state.presence` shows the failure and tries again.

    Args:
        further: Other errors to suppress because another part of the page shows them.
    """
    return suppress(errors.Unauthenticated, errors.Unavailable, *further)


def zone(state: rx.State) -> ZoneInfo:
    """The browser's time zone; UTC if it is unknown."""
    name = cookie_parser(state.router.headers.cookie).get(ZONE_COOKIE, "UTC")
    try:
        return ZoneInfo(name.replace("%2F", "/"))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def identifier(text: str, what: str) -> UUID:
    """An id from an address or an event.

    Raises:
        errors.NotFound: `text` is not an id. Another member's row causes the same error when it is read.
    """
    try:
        return UUID(text)
    except ValueError:
        raise errors.NotFound(what) from None


def sign_in_address(page: str) -> str:
    """The address of the landing page, with the page that opens after the sign-in. A fragment is left out."""
    path, _, query = page.partition("#")[0].partition("?")
    if path in {"", "/"}:
        return "/"
    return f"/?next={quote(f'{path}?{query}' if query else path, safe='/')}"
