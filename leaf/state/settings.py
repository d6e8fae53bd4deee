"""Settings: integrations and sessions."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import reflex as rx

from leaf import errors
from leaf.services import accounts, integrations
from leaf.state import agents, notices, session
from leaf.state.internal import internal

PROBLEMS = {
    "denied": "The consent was declined at Google, so nothing was connected. Connect again whenever you like.",
    "scope_missing": "The permission to read Drive was not ticked, so Leaf cannot read any file. "
    "Connect again and leave “See and download all your Google Drive files” ticked.",
    "failed": "Google could not be reached or did not finish the connection. Please try again.",
    "unavailable": "Google does not answer at the moment. Please try again in a minute.",
    "state": "The connection took too long or was begun in another browser. Please start it again from here.",
}


@dataclass(frozen=True)
class CardView:
    """An integration as its card shows it."""

    provider: str
    label: str
    state: str
    email: str
    reason: str
    enables: str


@dataclass(frozen=True)
class SessionView:
    """A signed-in browser."""

    id: str
    device: str
    seen: str
    current: bool


class SettingsState(rx.State):
    """What Settings lists."""

    loaded: bool = False
    cards: list[CardView] = []  # noqa: RUF012 - Reflex copies it
    sessions: list[SessionView] = []  # noqa: RUF012
    asked: str = ""
    """The provider whose disconnection a dialog asks about."""

    @internal
    def show(self, cards: list[integrations.Card]) -> None:
        """Shows the integrations as they are now; sets only what differs."""
        wanted = [_card(card) for card in cards]
        if wanted != self.cards:
            self.cards = wanted

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads what the page lists."""
        try:
            who = await session.required(self)
            cards = [_card(card) for card in await integrations.cards(who.actor)]
            listed = [_session(row, session.zone(self)) for row in await accounts.sessions(who.actor, who.id)]
        except (errors.Unauthenticated, errors.Unavailable):
            return  # The tab's attendance tells it, and tries again.
        async with self:
            self.cards, self.sessions, self.loaded = cards, listed, True

    @rx.event(background=True)
    async def confirm(self, provider: str):  # noqa: ANN201 - an event's generator
        """Tells that a provider was connected, if it is: anybody can write an address that says so."""
        who = await session.required(self)
        for card in await integrations.cards(who.actor):
            if card.provider == provider and card.state == "connected":
                yield notices.info(f"{card.label} is connected.")

    @rx.event
    def ask(self, provider: str) -> None:
        """Opens or closes the dialog that asks before a disconnection."""
        self.asked = provider

    @rx.event(background=True)
    async def disconnect(self):  # noqa: ANN201 - an event's generator
        """Disconnects the provider of the dialog; a second click finds it done and says nothing."""
        who = await session.required(self)
        asked, found = self.asked, bool(self.asked)
        try:
            if found:
                await integrations.disconnect(who.actor, asked)
        except errors.NotFound:
            found = False
        cards = [_card(card) for card in await integrations.cards(who.actor)]
        async with self:
            self.cards, self.asked = cards, ""
        if found:
            yield notices.info("Google Drive is disconnected.")

    @rx.event(background=True)
    async def revoke(self, session_id: str):  # noqa: ANN201 - an event's generator
        """Signs out another browser."""
        who = await session.required(self)
        revoked = session.identifier(session_id, "session")
        with suppress(errors.NotFound):  # A second click finds it done: the list shows it.
            await accounts.revoke_session(who.actor, revoked)
        listed = [_session(row, session.zone(self)) for row in await accounts.sessions(who.actor, who.id)]
        async with self:
            self.sessions = listed
        yield notices.info("That browser is signed out.")


def _card(card: integrations.Card) -> CardView:
    return CardView(card.provider, card.label, card.state, card.email or "", card.reason or "", card.enables)


def _session(row: accounts.SessionRow, zone: session.ZoneInfo) -> SessionView:
    return SessionView(str(row.id), agents.device(row.user_agent), ago(row.last_seen_at, zone), row.current)


def ago(then: datetime, zone: session.ZoneInfo) -> str:
    """How long ago something was, in words; a date where it was long ago."""
    minutes = int((datetime.now(UTC) - then).total_seconds() // 60)
    if minutes < 15:
        return "Active now"
    if minutes < 120:
        return f"{minutes} minutes ago"
    if minutes < 48 * 60:
        return f"{minutes // 60} hours ago"
    local = then.astimezone(zone)
    return f"{local.day} {local.strftime('%B %Y')}"
