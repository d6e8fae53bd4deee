"""The scope of a chat or of a project on a page: its chips, and the form that adds conditions."""

from dataclasses import replace
from uuid import UUID

import reflex as rx

from leaf.db.session import Actor
from leaf.services import integrations
from leaf.services.library import choices
from leaf.services.library.scope import ChatScope
from leaf.state import session
from leaf.state.internal import set_changed
from leaf.views import scopes
from leaf.views.scopes import ChipView


class Scoped(rx.State, mixin=True):
    """A page about a chat or project. Its class defines `_scoped`, `_read_scope` and `_store_scope`."""

    scope: list[ChipView] = []  # noqa: RUF012 - Reflex copies it
    """The part of the Drive to which the chat or project is limited."""
    narrows: bool = False
    """Whether the form that adds conditions is open."""

    @rx.event(background=True)
    async def widen(self, kind: str, condition: str) -> None:
        """Removes a condition from the scope.

        Args:
            kind: folder, file, family or since.
            condition: The id of the condition.
        """
        who, thing = await session.required(self), self._scoped()
        scope = await self._read_scope(who.actor, thing)
        await self._limit(who.actor, thing, choices.without(scope, {"kind": kind, "id": condition}))

    @rx.event(background=True)
    async def narrow(self, form: dict[str, str]) -> None:
        """Adds a folder or file, a kind of files, or a day of the earliest change; empty fields add nothing."""
        who, thing = await session.required(self), self._scoped()
        scope = await self._read_scope(who.actor, thing)
        if place := form.get("place", "").strip():
            scope = await choices.extended(who.actor, integrations.UserDrive(who.actor), scope, place)
        wanted = ChatScope.of({"kinds": [form.get("kind", "")], "since": form.get("since", "")})
        kinds = tuple(dict.fromkeys((*scope.kinds, *wanted.kinds)))
        await self._limit(who.actor, thing, replace(scope, kinds=kinds, since=wanted.since or scope.since))
        async with self:
            self.narrows = False

    @rx.event
    def ask_scope(self, asks: bool) -> None:
        """Opens or closes the form."""
        self.narrows = asks

    async def _limit(self, actor: Actor, thing: UUID, scope: ChatScope) -> None:
        await self._store_scope(actor, thing, scope)
        async with self:
            if self._scoped() == thing:
                set_changed(self, scope=scopes.chips_of(scope))

    def _scoped(self) -> UUID:
        """The id of the open chat or project. Raises NotFound if none is open."""
        raise NotImplementedError

    async def _read_scope(self, actor: Actor, thing: UUID) -> ChatScope:
        raise NotImplementedError

    async def _store_scope(self, actor: Actor, thing: UUID, scope: ChatScope) -> None:
        raise NotImplementedError
