"""The read-only page of one site visitor's conversation, which shows an answer while it is being written.

The load event runs as long as the page is open (`leaf.state.presence`). The text of the answer is sent apart from the
vars, as in the member's own chats (`leaf.state.run_feed`).
"""

import asyncio
from contextlib import aclosing
from typing import Any, Final
from uuid import UUID

import reflex as rx

from leaf import errors
from leaf.services import readers, sites
from leaf.state import run_feed, session
from leaf.state.internal import set_changed
from leaf.state.site_agent import PATH, agent_of
from leaf.streams import Reader, Untaken
from leaf.streams.outages import Outage
from leaf.views.events import EventView, FactView, LogView, live_events, log_view, shortened, stored_events

TICK_SECONDS: Final = 5.0
"""The interval at which a page without notices checks whether its reader is still a member of the site."""
_PLACE: Final = "/conversations/"


class TranscriptState(rx.State):
    """The conversation on the page."""

    loaded: bool = False
    agent: str = ""
    name: str = ""
    """The name of the agent."""
    site: str = ""
    site_name: str = ""
    chat: str = ""
    """The id of the conversation; empty if it does not exist."""
    title: str = ""
    who: str = ""
    """The id that the site gave the visitor; empty for an anonymous browser."""
    started: str = ""
    """The time when the conversation began, in ISO 8601."""
    facts: list[FactView] = []  # noqa: RUF012 - Reflex copies it
    events: list[EventView] = []  # noqa: RUF012
    live: list[EventView] = []  # noqa: RUF012
    """The items of the running answer."""
    run: str = ""
    """The id of the run that writes this answer; empty when no answer is being written."""
    lost: bool = False
    """Whether the run cannot be followed at the moment."""
    untaken: bool = False
    """Whether no worker has taken the run."""
    logs: list[LogView] = []  # noqa: RUF012
    log: str = ""
    """The id of the request to the model whose texts are shown; empty for none."""
    request: str = ""
    response: str = ""

    @rx.event(background=True)
    async def show_log(self, log: str) -> None:
        """Shows the texts of a request to the model, or hides them if they are shown."""
        if self.log == log:
            async with self:
                self.log = self.request = self.response = ""
            return
        who = await session.required(self)
        found = await sites.read_log(who.actor, session.identifier(log, "log"))
        async with self:
            self.log, self.request, self.response = log, found.request, found.response

    @rx.event(background=True)
    async def attend(self) -> None:
        """Shows the conversation and its changes as long as the page is open."""
        async with self:
            self.reset()
        outage = Outage()
        while True:
            try:
                await Reading(self, agent_of(self), chat_of(self)).run()
            except errors.Unauthenticated:
                return  # `PresenceState.attend` leads to the sign-in.
            except errors.NotFound:
                async with self:
                    self.reset()
                    self.loaded = True
                return
            except errors.Unavailable:
                async with self:
                    self.lost = True
                await asyncio.sleep(outage.pause())


class Reading:
    """One attempt of the load event to show the conversation; a failure ends it, and the next one starts over."""

    def __init__(self, state: TranscriptState, agent_id: UUID, chat_id: UUID) -> None:
        self._state: Any = state
        self._agent_id, self._chat_id = agent_id, chat_id
        self._run_id: UUID | None = None
        self._following: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Shows the conversation and every change of it. Ends only by cancellation or an error.

        Raises:
            errors.Unauthenticated: The session has ended.
            errors.NotFound: The member may not, or may no longer, read this conversation.
            errors.Unavailable: The database does not answer, or Redis stays unavailable.
        """
        who = await session.required(self._state)
        agent = await sites.read_agent(who.actor, self._agent_id)
        site = await sites.read(who.actor, agent.site_id)
        async with self._state:
            self._state.site, self._state.site_name = str(site.id), site.name
        try:
            async with aclosing(sites.watch(who.actor, self._chat_id, every_seconds=TICK_SECONDS)) as news:
                async for changed in news:
                    who = await session.required(self._state)
                    if changed or self._has_ended():
                        await self._look(who.actor, agent.name)
        finally:
            await self._leave()

    def _has_ended(self) -> bool:
        """Whether the followed run has ended. Raises its error if it failed."""
        if self._following is None or not self._following.done():
            return False
        self._following.result()
        return True

    async def _look(self, actor: Any, name: str) -> None:
        found = await sites.transcript(actor, self._chat_id)
        if found.head.agent_id != self._agent_id:
            raise errors.NotFound("chat")
        head, events = found.head, list(stored_events(found))
        logs = [log_view(row) for row in await sites.list_logs(actor, self._chat_id)]
        async with self._state:
            state = self._state
            state.loaded, state.lost, state.untaken, state.name = True, False, False, name
            state.agent, state.chat = str(self._agent_id), str(self._chat_id)
            state.title, state.who, state.started = head.title, head.visitor, head.started_at.isoformat()
            state.facts = [FactView(key, shortened(value)) for key, value in head.context.items()]
            set_changed(state, events=events, logs=logs)
            if state.run != str(found.run_id or ""):
                state.run, state.live = str(found.run_id or ""), []
        if found.run_id is None:
            await self._leave()
        elif found.run_id != self._run_id or self._has_ended():
            await self._leave()
            self._run_id = found.run_id
            self._following = asyncio.create_task(self._follow(found.run_id), name=f"read {found.run_id}")

    async def _leave(self) -> None:
        following, self._following, self._run_id = self._following, None, None
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    async def _follow(self, run_id: UUID) -> None:
        """Shows the growing answer. When it ends, `sites.watch` reports a change, and the stored answer is read."""
        shown: list[EventView] | None = None
        page_reader = await reader(self._state)
        async with aclosing(run_feed.shown(page_reader, run_id)) as frames:
            async for frame in frames:
                if frame is None:
                    async with self._state:
                        self._state.lost = True
                elif isinstance(frame, Untaken):
                    async with self._state:
                        self._state.untaken = frame.waits
                elif (events := list(live_events(frame))) != shown:
                    shown = events
                    async with self._state:
                        self._state.lost = self._state.untaken = False
                        if self._state.run == str(run_id):
                            self._state.live = events


async def reader(state: rx.State) -> Reader:
    """The reader of the conversation on a page.

    Raises:
        errors.Unauthenticated: The session has ended.
        errors.NotFound: The path names no conversation.
    """
    member = await session.required(state)
    proof = readers.session_proof(member, state.router.headers.cookie)
    return readers.site_reader(member.actor, chat_of(state), proof)


def is_open(state: rx.State) -> bool:
    """Whether a conversation's page is open."""
    path = str(state.router.url.path)
    return path.startswith(PATH) and _PLACE in path


def chat_of(state: rx.State) -> UUID:
    """The id of the conversation of the open page.

    Raises:
        errors.NotFound: The path names no id.
    """
    return session.identifier(str(state.router.url.path).partition(_PLACE)[2].strip("/"), "chat")
