"""Settings: integrations and sessions."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import reflex as rx

from leaf import errors, texts
from leaf.google.diagnosis import CODES, CONSENT, Diagnosis
from leaf.services import accounts, doctor, integrations
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
    """Whether the texts of its files are kept for searches."""
    forward: str = ""
    """The text for the administrator who can fix the failure."""
    link: str = ""
    first_step: str = "connect"
    """The first thing that the member should do about the failure: connect, forward or other."""
    expires: str = ""
    """The time when the access ends because Google's app is in Testing, in ISO 8601; empty if it does not."""
    left: str = ""
    """The time until then in words, in whole days."""


@dataclass(frozen=True)
class ProbeView:
    """A step of the check; `state` is passed, failed, skipped, running or waiting."""

    name: str
    state: str
    note: str


@dataclass(frozen=True)
class ConsentView:
    """An error that Google may have shown on a page of its own: its code, an explanation, a text to forward."""

    code: str
    text: str
    forward: str


@dataclass(frozen=True)
class SessionView:
    id: str
    device: str
    seen: str
    """The time of its last use, in ISO 8601."""
    current: bool


class SettingsState(rx.State):
    cards: list[CardView] = []  # noqa: RUF012 - Reflex copies it
    drive: str = ""
    """The connection to Google Drive: none, connected, trouble or error; empty until it is known."""
    drive_reason: str = ""
    """The failure of this connection and the next step; empty while the connection works."""
    drive_forward: str = ""
    """The text about this failure for an administrator."""
    drive_first: str = ""
    """The first thing that the member should do about the failure: connect, forward or other."""
    kept: str = ""
    """The sentence about the texts that Leaf keeps of the member's Drive; empty if it keeps none."""
    sessions: list[SessionView] = []  # noqa: RUF012
    probes: list[ProbeView] = []  # noqa: RUF012
    """The steps of the check, while it runs and afterwards."""
    checks: bool = False
    """Whether a check is running."""
    check_forward: str = ""
    """The text for an administrator about the cause that the check has found."""
    check_link: str = ""
    """The page of Google's console for this cause."""
    check_text: str = ""
    """The report of the check, to copy; empty until the check has ended."""
    _checked: str = ""
    """The connection that was checked (`_connection`)."""
    attempt: str = ""
    """The reason why the last attempt to connect failed; empty if it did not fail."""
    attempt_forward: str = ""
    attempt_open: bool = False
    """Whether the last attempt to connect has begun and has no outcome yet."""
    attempt_waits: bool = False
    """Whether the member has something to do about the last attempt before the next one."""
    consents: list[ConsentView] = []  # noqa: RUF012
    """While `attempt_open`, the errors that Google may have shown on pages of its own."""
    asked: str = ""
    """The provider in the dialog that confirms a disconnection; empty while the dialog is closed."""
    asks_stop: bool = False
    """Whether the dialog that confirms the end of keeping texts is open."""

    @internal
    def show(self, cards: list[integrations.Card]) -> None:
        """Shows the current integrations; sets only vars that differ."""
        shown = [_card(card) for card in cards]
        first = next(iter(shown), None)
        if self.check_text and self._checked != _connection(cards):
            self._forget_check()
        set_changed(
            self,
            cards=shown,
            drive=integrations.state_of(cards),
            drive_reason=first.reason if first is not None else "",
            drive_forward=first.forward if first is not None else "",
            drive_first=first.first_step if first is not None else "",
        )

    @rx.event(background=True)
    async def load(self) -> None:
        with session.while_available():
            who = await session.required(self)
            await self._show_sessions(who)
            await self._show_kept(who)
            await self._show_attempt(who)

    @rx.event(background=True)
    async def confirm(self, provider: str):  # noqa: ANN201 - an event's generator
        """Shows a notice that a provider was connected, if it was. Anyone can write a link that claims it."""
        who = await session.required(self)
        for card in await integrations.cards(who.actor):
            if card.provider == provider and card.state == "connected":
                yield notices.info(texts.say("notices.connected", service=card.label))

    @rx.event(background=True)
    async def check(self) -> None:
        """Checks the connection to Drive step by step."""
        who = await session.required(self)
        checked = _connection(await integrations.cards(who.actor))
        async with self:
            if self.checks:
                return
            self._forget_check()
            self.checks, self._checked = True, checked
            self.probes = _probe_views([])
        results: list[doctor.Result] = []
        try:
            async for result in doctor.check(who.actor):
                results.append(result)
                async with self:
                    self.probes = _probe_views(results)
            found = await doctor.addresses()
        except BaseException:
            async with self:
                self.checks, self.probes = False, []
            raise
        cards = await integrations.cards(who.actor)
        finding = doctor.finding(results)
        async with self:
            self.probes = _probe_views(results, ended=True)
            if finding is not None:
                self.check_forward = texts.translated(finding.forward or "")
                self.check_link = finding.found.link if finding.found is not None else ""
            self.check_text, self.checks = doctor.report(results, found), False
            self.show(cards)

    def _forget_check(self) -> None:
        """Removes the results of a check. They do not hold for another connection, and a new check replaces them."""
        self.probes, self.check_text, self.check_forward, self.check_link = [], "", "", ""

    @rx.event(background=True)
    async def forget_attempt(self) -> None:
        """Hides the explanation of the last attempt to connect."""
        who = await session.required(self)
        await integrations.end_attempt(who.actor)
        await self._show_attempt(who)

    @rx.event
    def ask(self, provider: str) -> None:
        """Opens the dialog that confirms a disconnection; an empty `provider` closes it."""
        self.asked = provider

    @rx.event(background=True)
    async def disconnect(self):  # noqa: ANN201 - an event's generator
        """Disconnects the provider of the dialog. A second click has no effect and shows no notice."""
        who = await session.required(self)
        provider, is_disconnected = self.asked, False
        if provider:
            with suppress(errors.NotFound):
                await integrations.disconnect(who.actor, provider)
                is_disconnected = True
        cards = await integrations.cards(who.actor)
        async with self:
            self.show(cards)
            self.asked = self.kept = ""
        if is_disconnected:
            yield notices.info(texts.say("notices.disconnected"))

    @rx.event
    def ask_stop(self, asks: bool) -> None:
        """Opens or closes the dialog that confirms the end of keeping texts."""
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
        """Starts keeping the texts of the member's Drive again."""
        who = await session.required(self)
        await integrations.keep_texts(who.actor)
        await self._show_kept(who)
        yield notices.info(texts.say("notices.kept"))

    @rx.event(background=True)
    async def revoke(self, session_id: str):  # noqa: ANN201 - an event's generator
        """Signs out another browser."""
        who = await session.required(self)
        revoked = session.identifier(session_id, "session")
        with suppress(errors.NotFound):  # After a second click the session has already ended, and the list shows that.
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
            self.kept = texts.say("settings.kept", read=kept.read, files=kept.files) if kept.read else ""

    async def _show_attempt(self, who: accounts.Session) -> None:
        last = await integrations.attempt(who.actor)
        cause = last.found if last is not None else None
        is_open = last is not None and cause is None
        async with self:
            self.attempt, self.attempt_forward = "", ""
            if cause is not None:
                self.attempt = texts.translated(cause.message)
                self.attempt_forward = texts.translated(integrations.forwarded(cause, person=who.email) or "")
            self.attempt_open = is_open
            self.attempt_waits = is_open or (cause is not None and cause.row.first_step != "connect")
            self.consents = _consents(who.email) if is_open else []

    async def _show_sessions(self, who: accounts.Session) -> None:
        listed = [_session(row) for row in await accounts.sessions(who.actor, who.id)]
        async with self:
            self.sessions = listed


def _connection(cards: Sequence[integrations.Card]) -> str:
    """A string that identifies a connection. Two connections to the same account have different strings."""
    return " ".join(f"{card.provider} {card.email} {card.granted_at}" for card in cards)


def _card(card: integrations.Card) -> CardView:
    return CardView(
        provider=card.provider,
        label=card.label,
        state=card.state,
        email=card.email or "",
        reason=texts.translated(card.reason or ""),
        enables=texts.translated(card.enables),
        keeps=card.keeps_texts,
        forward=texts.translated(card.forward or ""),
        link=card.link,
        first_step=card.first_step,
        expires=card.expires_at.isoformat() if card.expires_at is not None else "",
        left=_days_left(card.expires_at) if card.expires_at is not None else "",
    )


def _days_left(end: datetime) -> str:
    """The number of days until a time, in words and rounded up."""
    day, left = timedelta(days=1), end - datetime.now(UTC)
    return texts.say("settings.days_left", count=-(-left // day)) if left > day else texts.say("settings.last_day")


def _probe_views(results: Sequence[doctor.Result], *, ended: bool = False) -> list[ProbeView]:
    """All steps of the check. The first without a result is running, unless the check has ended or a step failed."""
    views: list[ProbeView] = []
    for place, (key, _) in enumerate(doctor.PROBES.values()):
        name = texts.say(key)
        if place < len(results):
            one = results[place]
            views.append(ProbeView(name, one.outcome, texts.translated(one.note)))
        else:
            is_next = place == len(results) and not ended and not any(one.outcome == "failed" for one in results)
            views.append(ProbeView(name, "running" if is_next else "waiting", ""))
    return views


def _consents(person: str) -> list[ConsentView]:
    found = [Diagnosis(cause) for cause in CONSENT]
    return [
        ConsentView(
            CODES[one.cause],
            texts.translated(one.message),
            texts.translated(integrations.forwarded(one, person=person) or ""),
        )
        for one in found
    ]


def _session(row: accounts.SessionRow) -> SessionView:
    return SessionView(str(row.id), user_agents.device(row.user_agent), row.last_seen_at.isoformat(), row.current)
