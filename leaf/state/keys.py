"""Settings: the API keys of the member's programs."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import reflex as rx

from leaf import errors, texts
from leaf.db import Actor
from leaf.services import api_keys
from leaf.state import notices, session
from leaf.state.page import whole_number


@dataclass(frozen=True)
class KeyView:
    id: str
    name: str
    hint: str
    read: bool
    write: bool
    drive: bool
    ends: str
    """The time of expiry in ISO 8601; empty if the key does not expire."""
    used: str
    """The time of the last use in ISO 8601; empty if it was never used."""
    ended: bool
    """Whether the key has expired."""


class KeysState(rx.State):
    loaded: bool = False
    keys: list[KeyView] = []  # noqa: RUF012 - Reflex copies it
    made: str = ""
    """A newly created key, which is shown only once."""

    @rx.event(background=True)
    async def load(self) -> None:
        with session.while_available():
            await self._show((await session.required(self)).actor)

    @rx.event(background=True)
    async def create(self, form: dict[str, Any]) -> None:
        """Creates a key and shows it once."""
        who = await session.required(self)
        lasts = whole_number(str(form.get("days", "")))
        scopes = [scope for scope in api_keys.SCOPES if form.get(scope)]
        _, key = await api_keys.create(who.actor, str(form.get("name", "")), scopes, lasts_days=lasts)
        await self._show(who.actor, key)

    @rx.event
    def done(self) -> None:
        """Clears the key that was shown."""
        self.made = ""

    @rx.event(background=True)
    async def revoke(self, key_id: str):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        with suppress(errors.NotFound):  # A second click finds a revoked key. The list shows the result.
            await api_keys.revoke(who.actor, session.identifier(key_id, "key"))
        await self._show(who.actor)
        yield notices.info(texts.say("keys.said_revoked"))

    async def _show(self, actor: Actor, made: str = "") -> None:
        keys = [_view(row) for row in await api_keys.listed(actor)]
        async with self:
            self.keys, self.made, self.loaded = keys, made, True


def _view(row: api_keys.KeyRow) -> KeyView:
    ends = row.expires_at.isoformat() if row.expires_at else ""
    used = row.last_used_at.isoformat() if row.last_used_at else ""
    return KeyView(
        str(row.id), row.name, row.hint, "read" in row.scopes, "write" in row.scopes, "drive" in row.scopes,
        ends, used, row.expired,
    )  # fmt: skip
