"""The member's projects: the list in the sidebar, the dialogs to create one and to move a chat, a project's page."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

import reflex as rx

from leaf import texts
from leaf.db import Actor
from leaf.services import chats, projects
from leaf.services.library.scope import ChatScope
from leaf.state import notices, session
from leaf.state.chat import ChatState
from leaf.state.internal import internal, set_changed
from leaf.state.page import Deletable, Page, id_in_path
from leaf.state.scope import Scoped
from leaf.views import scopes

PATH: Final = "/projects/"


@dataclass(frozen=True)
class ProjectLink:
    id: str
    name: str


class ProjectsState(rx.State):
    """The list of projects, and the dialogs about them."""

    listed: list[ProjectLink] = []  # noqa: RUF012 - Reflex copies it
    names: dict[str, str] = {}  # noqa: RUF012
    """The names of projects by their ids."""
    asks_new: bool = False
    """Whether the dialog that creates a project is open."""
    moving: str = ""
    """The id of the chat in the dialog that moves a chat; empty while the dialog is closed."""
    moving_from: str = ""
    """The id of the project that holds this chat; empty if there is none."""

    @internal
    def show(self, found: list[projects.Project]) -> None:
        """Shows the projects; sets only vars that differ."""
        links = [ProjectLink(str(one.id), one.name) for one in found]
        set_changed(self, listed=links, names={one.id: one.name for one in links})

    @rx.event
    def ask_new(self, asks: bool) -> None:
        """Opens or closes the dialog that creates a project."""
        self.asks_new, self.moving = asks, ""

    @rx.event
    def ask_move(self, chat_id: str, project_id: str) -> None:
        """Opens the dialog that moves a chat; an empty `chat_id` closes it."""
        self.moving, self.moving_from = chat_id, project_id

    @rx.event(background=True)
    async def create(self, form: dict[str, str]):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        made = await projects.create(who.actor, form.get("name", ""))
        async with self:
            self.asks_new = False
        yield rx.redirect(f"{PATH}{made.id}")

    @rx.event(background=True)
    async def move(self, project_id: str):  # noqa: ANN201 - an event's generator
        """Moves the chat of the dialog into a project; an empty `project_id` moves it out of its project."""
        who = await session.required(self)
        chat_id = session.identifier(self.moving, "chat")
        project = await projects.read(who.actor, session.identifier(project_id, "project")) if project_id else None
        await chats.move(who.actor, [chat_id], project.id if project is not None else None)
        async with self:
            self.moving = ""
            opened = await self.get_state(ChatState)
            if opened.chat_id == str(chat_id):
                opened.project = project_id
        yield notices.info(
            texts.say("projects.moved", name=project.name) if project is not None else texts.say("projects.moved_out")
        )


class ProjectState(Page, Deletable, Scoped, rx.State):
    project: str = ""
    """The id of the project; empty if it does not exist."""
    name: str = ""
    instructions: str = ""

    @rx.var
    def page_title(self) -> str:
        return f"{self.name} · Leaf" if self.name else "Leaf"

    @rx.event(background=True)
    async def save(self, form: dict[str, str]):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        changed = await projects.change(
            who.actor, self._scoped(), name=form.get("name"), instructions=form.get("instructions")
        )
        async with self:
            self._show(changed)
        yield notices.info(texts.say("projects.saved"))

    @rx.event(background=True)
    async def new_chat(self):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        yield rx.redirect(f"/chat/{await projects.begin(who.actor, self._scoped())}")

    @rx.event(background=True)
    async def delete(self):  # noqa: ANN201 - an event's generator
        """Deletes the project; its chats stay."""
        who = await session.required(self)
        await projects.delete(who.actor, self._scoped())
        yield notices.info(texts.say("projects.deleted"))
        yield rx.redirect("/dashboard", replace=True)

    async def _read(self, actor: Actor) -> None:
        found = await projects.read(actor, self._scoped())
        async with self:
            self._show(found)

    def _show(self, found: projects.Project) -> None:
        set_changed(
            self,
            loaded=True,
            project=str(found.id),
            name=found.name,
            instructions=found.instructions,
            scope=scopes.chips_of(found.scope),
        )

    def _scoped(self) -> UUID:
        return id_in_path(self, PATH, "project")

    async def _read_scope(self, actor: Actor, thing: UUID) -> ChatScope:
        return (await projects.read(actor, thing)).scope

    async def _store_scope(self, actor: Actor, thing: UUID, scope: ChatScope) -> None:
        await projects.change(actor, thing, scope=scope)
