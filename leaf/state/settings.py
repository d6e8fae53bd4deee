"""Settings: integrations and sessions."""

from contextlib import suppress
from dataclasses import dataclass

import reflex as rx

from leaf import errors, texts
from leaf.services import accounts, integrations
from leaf.services.library import progress
from leaf.state import notices, session
from leaf.state.internal import internal, set_changed
from leaf.views import user_agents


@dataclass(frozen=True)
class CardView:
    """An integration as its card shows it."""

    provider: str
    label: str
    state: str
    email: str
    reason: str
    enables: str
    keeps: bool
    """Whether the texts of its files are kept to search them."""


@dataclass(frozen=True)
class SessionView:
    """A signed-in browser."""

    id: str
    device: str
    seen: str
    """Time of its last use, in ISO 8601."""
    current: bool


class SettingsState(rx.State):
    """The lists of Settings."""

    cards: list[CardView] = []  # noqa: RUF012 - Reflex copies it
    drive: str = ""
    """The connection to Google Drive: none, connected or error; empty until it is known."""
    kept: str = ""
    """The sentence about the texts that Leaf keeps of the member's Drive; empty where it keeps none."""
    sessions: list[SessionView] = []  # noqa: RUF012
    asked: str = ""
    """The provider in the dialog that confirms a disconnection."""
    asks_stop: bool = False
    """Whether the dialog is open that confirms that no more texts are kept."""

    @internal
    def show(self, cards: list[integrations.Card]) -> None:
        """Shows the current integrations; sets only vars that differ."""
        set_changed(self, cards=[_card(card) for card in cards], drive=integrations.state_of(cards))

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads the page's lists."""
        with session.while_available():
            who = await session.required(self)
            await self._show_sessions(who)
            await self._show_kept(who)

    @rx.event(background=True)
    async def confirm(self, provider: str):  # noqa: ANN201 - an event's generator
        """Reports that a provider was connected, after checking: anyone can write an address that claims it."""
        who = await session.required(self)
        for card in await integrations.cards(who.actor):
            if card.provider == provider and card.state == "connected":
                yield notices.info(texts.say("notices.connected", service=card.label))

    @rx.event
    def ask(self, provider: str) -> None:
        """Opens or closes the dialog that confirms a disconnection."""
        self.asked = provider

    @rx.event(background=True)
    async def disconnect(self):  # noqa: ANN201 - an event's generator
        """Disconnects the provider of the dialog; a second click has no effect and shows nothing."""
        who = await session.required(self)
        asked, found = self.asked, bool(self.asked)
        try:
            if found:
                await integrations.disconnect(who.actor, asked)
        except errors.NotFound:
            found = False
        cards = await integrations.cards(who.actor)
        async with self:
            self.show(cards)
            self.asked = self.kept = ""
        if found:
            yield notices.info(texts.say("notices.disconnected"))

    @rx.event
    def ask_stop(self, asks: bool) -> None:
        """Opens or closes the dialog that confirms that no more texts are kept."""
        self.asks_stop = asks

    @rx.event(background=True)
    async def stop_keeping(self):  # noqa: ANN201 - an event's generator
        """Deletes the texts of the member's Drive and keeps none from now on."""
        who = await session.required(self)
        await integrations.stop_keeping(who.actor)
        await self._show_kept(who)
        async with self:
            self.asks_stop = False
        yield notices.info(texts.say("notices.not_kept"))

    @rx.event(background=True)
    async def keep_texts(self):  # noqa: ANN201 - an event's generator
        """Has the texts of the member's Drive kept again."""
        who = await session.required(self)
        await integrations.keep_texts(who.actor)
        await self._show_kept(who)
        yield notices.info(texts.say("notices.kept"))

    @rx.event(background=True)
    async def revoke(self, session_id: str):  # noqa: ANN201 - an event's generator
        """Signs out another browser."""
        who = await session.required(self)
        revoked = session.identifier(session_id, "session")
        with suppress(errors.NotFound):  # The session has ended already, by a second click: the list shows it.
            await accounts.revoke_session(who.actor, revoked)
        await self._show_sessions(who)
        yield notices.info(texts.say("notices.signed_out"))

    @rx.event(background=True)
    async def revoke_others(self):  # noqa: ANN201 - an event's generator
        """Signs out all other browsers."""
        who = await session.required(self)
        await accounts.revoke_others(who.actor, who.id)
        await self._show_sessions(who)
        yield notices.info(texts.say("notices.others_signed_out"))

    async def _show_kept(self, who: accounts.Session) -> None:
        cards = await integrations.cards(who.actor)
        kept = await progress.of(who.actor)
        async with self:
            self.show(cards)
            self.kept = texts.say("settings.kept", read=kept.read, files=kept.files) if kept.files else ""

    async def _show_sessions(self, who: accounts.Session) -> None:
        listed = [_session(row) for row in await accounts.sessions(who.actor, who.id)]
        async with self:
            self.sessions = listed


def _card(card: integrations.Card) -> CardView:
    return CardView(
        card.provider,
        card.label,
        card.state,
        card.email or "",
        texts.told(card.reason or ""),
        texts.told(card.enables),
        card.keeps_texts,
    )


def _session(row: accounts.SessionRow) -> SessionView:
    return SessionView(str(row.id), user_agents.device(row.user_agent), row.last_seen_at.isoformat(), row.current)
