"""Settings: the member's sites, with their agents, team and signing secrets."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import reflex as rx

from leaf import config, texts
from leaf.db import Actor
from leaf.services import sites
from leaf.state import notices, session


@dataclass(frozen=True)
class AgentLink:
    """An agent in a site's list."""

    id: str
    name: str
    sites: str
    """Its origins; empty if no page can use it yet."""
    paused: bool


@dataclass(frozen=True)
class PersonView:
    """A member of a site's team."""

    id: str
    name: str
    email: str


@dataclass(frozen=True)
class SecretView:
    """A valid signing secret."""

    id: str
    hint: str
    ends: str
    """In ISO 8601; empty for the newest."""


@dataclass(frozen=True)
class SiteView:
    """A site in its section of the page."""

    id: str
    name: str
    agents: list[AgentLink]
    people: list[PersonView]
    secrets: list[SecretView]


class SitesState(rx.State):
    """The section for websites."""

    loaded: bool = False
    enabled: bool = True
    sites: list[SiteView] = []  # noqa: RUF012 - Reflex copies it
    made: str = ""
    """A newly created secret or invitation, shown this once."""
    made_for: str = ""
    """The site that it belongs to."""
    made_kind: str = ""
    """secret or invitation."""

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads the member's sites."""
        with session.while_available():
            await self._again((await session.required(self)).actor)

    @rx.event(background=True)
    async def create(self, form: dict[str, Any]) -> None:
        """Creates a site."""
        who = await session.required(self)
        await sites.create(who.actor, str(form.get("name", "")))
        await self._again(who.actor)

    @rx.event(background=True)
    async def create_agent(self, form: dict[str, Any]) -> None:
        """Creates an agent of a site."""
        who = await session.required(self)
        site_id = session.identifier(str(form.get("site", "")), "site")
        await sites.create_agent(who.actor, site_id, str(form.get("name", "")))
        await self._again(who.actor)

    @rx.event(background=True)
    async def invite(self, site: str) -> None:
        """Creates an invitation and shows it once."""
        who = await session.required(self)
        token = await sites.invite(who.actor, session.identifier(site, "site"))
        await self._again(who.actor, token, site, "invitation")

    @rx.event(background=True)
    async def join(self, form: dict[str, Any]):  # noqa: ANN201 - an event's generator
        """Joins a site's team by an invitation."""
        who = await session.required(self)
        await sites.join(who.actor, str(form.get("token", "")).strip())
        await self._again(who.actor)
        yield notices.info(texts.say("sites.said_joined"))

    @rx.event(background=True)
    async def remove(self, site: str, person: str) -> None:
        """Ends a membership."""
        who = await session.required(self)
        await sites.remove(who.actor, session.identifier(site, "site"), session.identifier(person, "member"))
        await self._again(who.actor)

    @rx.event(background=True)
    async def delete(self, site: str) -> None:
        """Deletes a site with all its data."""
        who = await session.required(self)
        await sites.delete(who.actor, session.identifier(site, "site"))
        await self._again(who.actor)

    @rx.event(background=True)
    async def rotate(self, site: str, overlap: str) -> None:
        """Creates a signing secret and shows it once."""
        who = await session.required(self)
        hours = int(overlap) if overlap.isascii() and overlap.isdigit() and len(overlap) < 5 else -1
        site_id = session.identifier(site, "site")
        _, secret = await sites.rotate_secret(who.actor, site_id, overlap_hours=hours)
        await self._again(who.actor, secret, site, "secret")

    @rx.event(background=True)
    async def revoke_secret(self, secret: str) -> None:
        """Revokes a signing secret at once."""
        who = await session.required(self)
        await sites.revoke_secret(who.actor, session.identifier(secret, "secret"))
        await self._again(who.actor)

    @rx.event
    def done(self) -> None:
        """Clears the secret or invitation that was shown once."""
        self.made = self.made_for = self.made_kind = ""

    async def _again(self, actor: Actor, made: str = "", site: str = "", kind: str = "") -> None:
        found = await _read(actor)
        async with self:
            self.sites, self.made, self.made_for, self.made_kind = found, made, site, kind
            self.loaded, self.enabled = True, config.current().sites


async def _read(actor: Actor) -> list[SiteView]:
    return [await _view(actor, row.id, row.name) for row in await sites.listed(actor)]


async def _view(actor: Actor, site_id: UUID, name: str) -> SiteView:
    agents = await sites.list_agents(actor, site_id)
    people = await sites.members(actor, site_id)
    secrets = await sites.list_secrets(actor, site_id)
    return SiteView(
        str(site_id),
        name,
        [
            AgentLink(str(one.id), one.name, ", ".join(one.settings["origins"]), bool(one.settings["paused"]))
            for one in agents
        ],
        [PersonView(str(one.user_id), one.name, one.email) for one in people],
        [SecretView(str(one.id), one.hint, one.expires_at.isoformat() if one.expires_at else "") for one in secrets],
    )
