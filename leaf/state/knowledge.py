"""The knowledge of an agent on its page: files and Drive folders, with their state."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import reflex as rx

from leaf import errors, texts
from leaf.db import Actor
from leaf.services import sites
from leaf.state import notices, session
from leaf.state.site_agent import AgentPage, agent_of
from leaf.views import amounts


@dataclass(frozen=True)
class SourceView:
    """A file or folder in the list of sources."""

    id: str
    kind: str
    title: str
    about: str
    """The size of a file; empty for a folder."""
    owner: str
    """The name of the member whose Drive has the folder; empty for a file."""
    state: str = "ready"
    """The state of a folder: ready, not_connected, refused or unavailable."""


class KnowledgeState(AgentPage, rx.State):
    """The sources of an agent, and the events that change them."""

    sources: list[SourceView] = []  # noqa: RUF012 - Reflex copies it

    @rx.event(background=True)
    async def add_folder(self, form: dict[str, Any]) -> None:
        """Adds a folder of the member's own Drive."""
        who = await session.required(self)
        try:
            await sites.add_folder(who.actor, agent_of(self), str(form.get("folder", ""))[:2000])
        except (errors.Invalid, errors.DriveError) as error:
            await self._refuse(error)
            return
        await self._read(who.actor)

    @rx.event(background=True)
    async def rename(self, form: dict[str, Any]):  # noqa: ANN201 - an event's generator
        """Changes the title that visitors see."""
        who = await session.required(self)
        source_id = session.identifier(str(form.get("source", "")), "source")
        kind = "folder" if form.get("kind") == "folder" else "file"
        await sites.rename_source(who.actor, kind, source_id, str(form.get("title", "")))
        await self._show(who.actor, agent_of(self))
        yield notices.info(texts.say("sites.source_saved"))

    @rx.event(background=True)
    async def remove(self, kind: str, source: str) -> None:
        """Removes a file or folder from the agent."""
        who = await session.required(self)
        source_id = session.identifier(source, "source")
        await sites.remove_source(who.actor, "folder" if kind == "folder" else "file", source_id)
        await self._show(who.actor, agent_of(self))

    async def _show(self, actor: Actor, agent_id: UUID) -> None:
        shown = [_view(row) for row in await sites.list_knowledge(actor, agent_id)]
        async with self:
            self.sources, self.loaded = shown, True
        # Google may be slow, so the list is shown before the states of its folders.
        for place, one in enumerate(shown):
            if one.kind == "folder":
                state = await sites.state_of(actor, agent_id, UUID(one.id))
                shown[place] = replace(one, state=state)
        async with self:
            if [one.id for one in self.sources] == [one.id for one in shown]:
                self.sources = [*shown]


def _view(row: sites.SourceRow) -> SourceView:
    about = "" if row.kind == "folder" else amounts.size(row.size_bytes)
    return SourceView(str(row.id), row.kind, row.title, about, row.owner)
