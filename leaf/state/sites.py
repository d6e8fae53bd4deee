"""Settings: the list of the member's sites, and the page of one site with its agents, team and signing secrets."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import reflex as rx

from leaf import config, texts
from leaf.db import Actor
from leaf.services import sites
from leaf.state import notices, session
from leaf.state.page import Deletable, Page, id_in_path, whole_number

LIST_PATH: Final = "/settings/sites"
PATH: Final = "/sites/"


@dataclass(frozen=True)
class SiteLink:
    id: str
    name: str
    agents: int
    people: int


@dataclass(frozen=True)
class AgentLink:
    id: str
    name: str
    origins: str
    """The origins of the pages that may use it, separated by commas; empty if no page may use it yet."""
    paused: bool


@dataclass(frozen=True)
class PersonView:
    id: str
    name: str
    email: str


@dataclass(frozen=True)
class SecretView:
    """A valid signing secret."""

    id: str
    hint: str
    ends: str
    """The time when it expires, in ISO 8601; empty for the newest."""


class SitesState(rx.State):
    loaded: bool = False
    enabled: bool = True
    sites: list[SiteLink] = []  # noqa: RUF012 - Reflex copies it

    @rx.event(background=True)
    async def load(self) -> None:
        with session.while_available():
            await self._show_list((await session.required(self)).actor)

    @rx.event(background=True)
    async def create(self, form: dict[str, Any]):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        site_id = await sites.create(who.actor, str(form.get("name", "")))
        yield rx.redirect(f"{PATH}{site_id}")

    @rx.event(background=True)
    async def join(self, form: dict[str, Any]):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        await sites.join(who.actor, str(form.get("token", "")).strip())
        await self._show_list(who.actor)
        yield notices.info(texts.say("sites.said_joined"))

    async def _show_list(self, actor: Actor) -> None:
        found = [
            SiteLink(
                str(row.id),
                row.name,
                len(await sites.list_agents(actor, row.id)),
                len(await sites.members(actor, row.id)),
            )
            for row in await sites.listed(actor)
        ]
        async with self:
            self.sites, self.loaded, self.enabled = found, True, config.current().sites


class SiteState(Page, Deletable, rx.State):
    site: str = ""
    """The id of the site; empty if it does not exist."""
    name: str = ""
    agents: list[AgentLink] = []  # noqa: RUF012
    people: list[PersonView] = []  # noqa: RUF012
    secrets: list[SecretView] = []  # noqa: RUF012
    made: str = ""
    """A newly created secret or invitation, which is shown only once."""
    made_kind: str = ""
    """The kind of `made`: secret or invitation; empty if there is none."""

    @rx.event(background=True)
    async def create_agent(self, form: dict[str, Any]):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        agent_id = await sites.create_agent(who.actor, self._id(), str(form.get("name", "")))
        yield rx.redirect(f"/agents/{agent_id}")

    @rx.event(background=True)
    async def invite(self) -> None:
        """Creates an invitation and shows it once."""
        who = await session.required(self)
        await self._read(who.actor, await sites.invite(who.actor, self._id()), "invitation")

    @rx.event(background=True)
    async def remove(self, person: str):  # noqa: ANN201 - an event's generator
        """Removes a member from the team. A member who removes themselves gets back to the list of sites.

        No site exists without a member. So removing the last one opens the dialog that confirms the site's deletion.
        """
        who = await session.required(self)
        user_id = session.identifier(person, "member")
        if [one.user_id for one in await sites.members(who.actor, self._id())] == [user_id]:
            async with self:
                self.deleting = True
            return
        await sites.remove(who.actor, self._id(), user_id)
        if user_id == who.user_id:
            yield rx.redirect(LIST_PATH)
        else:
            await self._read(who.actor)

    @rx.event(background=True)
    async def rotate(self, overlap: str) -> None:
        """Creates a signing secret and shows it once. The previous one stays valid for `overlap` hours."""
        who = await session.required(self)
        _, secret = await sites.rotate_secret(who.actor, self._id(), overlap_hours=whole_number(overlap))
        await self._read(who.actor, secret, "secret")

    @rx.event(background=True)
    async def revoke_secret(self, secret: str) -> None:
        """Revokes a signing secret at once."""
        who = await session.required(self)
        await sites.revoke_secret(who.actor, session.identifier(secret, "secret"))
        await self._read(who.actor)

    @rx.event
    def done(self) -> None:
        """Clears the secret or invitation that was shown once."""
        self.made = self.made_kind = ""

    @rx.event(background=True)
    async def delete(self):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        await sites.delete(who.actor, self._id())
        yield rx.redirect(LIST_PATH)

    def _id(self) -> UUID:
        return id_in_path(self, PATH, "site")

    async def _read(self, actor: Actor, made: str = "", kind: str = "") -> None:
        site_id = self._id()
        row = await sites.read(actor, site_id)
        agents = await sites.list_agents(actor, site_id)
        people = await sites.members(actor, site_id)
        secrets = await sites.list_secrets(actor, site_id)
        async with self:
            self.loaded, self.site, self.name = True, str(site_id), row.name
            self.made, self.made_kind, self.deleting = made, kind, False
            self.agents = [
                AgentLink(str(one.id), one.name, ", ".join(one.settings["origins"]), bool(one.settings["paused"]))
                for one in agents
            ]
            self.people = [PersonView(str(one.user_id), one.name, one.email) for one in people]
            self.secrets = [
                SecretView(str(one.id), one.hint, one.expires_at.isoformat() if one.expires_at else "")
                for one in secrets
            ]
