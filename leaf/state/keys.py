"""Settings: the keys of one's own programs."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import reflex as rx

from leaf import errors, texts
from leaf.db import Actor
from leaf.services import api_keys
from leaf.state import notices, session


@dataclass(frozen=True)
class KeyView:
    """A key as its row shows it."""

    id: str
    name: str
    hint: str
    read: bool
    write: bool
    drive: bool
    created: str
    """Times are in ISO 8601; empty where there is none."""
    ends: str
    used: str
    ended: bool


class KeysState(rx.State):
    """What the section API keys shows."""

    loaded: bool = False
    keys: list[KeyView] = []  # noqa: RUF012 - Reflex copies it
    made: str = ""
    """A key that was made just now: the only time that it is shown."""

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads the person's keys."""
        try:
            who = await session.required(self)
            keys = await _listed(who.actor)
        except (errors.Unauthenticated, errors.Unavailable):
            return  # The tab's attendance tells it, and tries again.
        async with self:
            self.keys, self.made, self.loaded = keys, "", True

    @rx.event(background=True)
    async def create(self, form: dict[str, Any]) -> None:
        """Makes a key, and shows it once."""
        who = await session.required(self)
        days = str(form.get("days", ""))
        lasts = int(days) if days.isascii() and days.isdigit() and len(days) < 5 else -1
        scopes = [scope for scope in api_keys.SCOPES if form.get(scope)]
        _, key = await api_keys.create(who.actor, str(form.get("name", "")), scopes, lasts_days=lasts)
        keys = await _listed(who.actor)
        async with self:
            self.keys, self.made = keys, key

    @rx.event
    def done(self) -> None:
        """Forgets the key that was shown."""
        self.made = ""

    @rx.event(background=True)
    async def revoke(self, key_id: str):  # noqa: ANN201 - an event's generator
        """Ends a key."""
        who = await session.required(self)
        with suppress(errors.NotFound):  # A second click finds it done: the list shows it.
            await api_keys.revoke(who.actor, session.identifier(key_id, "key"))
        keys = await _listed(who.actor)
        async with self:
            self.keys, self.made = keys, ""
        yield notices.info(texts.say("keys.said_revoked"))


async def _listed(actor: Actor) -> list[KeyView]:
    return [
        KeyView(
            str(row.id), row.name, row.hint, "read" in row.scopes, "write" in row.scopes, "drive" in row.scopes,
            row.created_at.isoformat(),
            row.expires_at.isoformat() if row.expires_at else "",
            row.last_used_at.isoformat() if row.last_used_at else "",
            row.expired,
        )
        for row in await api_keys.listed(actor)
    ]  # fmt: skip
