"""The page of one conversation of a visitor's: read-only, and live while an answer is being written.

The load event goes on for as long as the page is open (`leaf.state.presence`). The text of the answer comes beside the
vars, as that of one's own chats does (`leaf.state.feed`).
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import UUID

import reflex as rx

from leaf import errors, parts, texts
from leaf.services import models, tenants
from leaf.state import feed, session
from leaf.state.frames import Frame
from leaf.state.site_agent import PATH, agent_in
from leaf.state.steps import THOUGHT

TICK_SECONDS: Final = 5.0
"""How often the page without news looks whether its reader is still a member."""
RETRY_SECONDS: Final = 2.0
_SHOWN_CHARACTERS: Final = 2000
"""Of what a tool was given or has returned; an export has all of it."""
_PLACE: Final = "/conversations/"


@dataclass(frozen=True)
class EventView:
    """An event of a transcript."""

    key: str
    kind: str
    role: str = ""
    text: str = ""
    blocks: list[str] = field(default_factory=list[str])
    """The Markdown of an answer; none of one that is being written: its text comes beside the vars, by `slot`."""
    name: str = ""
    """Of a tool, or of an error."""
    feedback: str = ""
    comment: str = ""
    usage: str = ""
    """What the answer used, beside its last event."""
    slot: int = 0
    growing: bool = False


@dataclass(frozen=True)
class FactView:
    """A field of what the visitor's page said of itself."""

    name: str
    value: str


class TranscriptState(rx.State):
    """What the page shows."""

    loaded: bool = False
    agent: str = ""
    name: str = ""
    """Of the agent."""
    chat: str = ""
    """Empty where there is no such conversation."""
    title: str = ""
    who: str = ""
    """The site's id of the visitor; empty for a browser."""
    started: str = ""
    """In ISO 8601."""
    facts: list[FactView] = []  # noqa: RUF012 - Reflex copies it
    events: list[EventView] = []  # noqa: RUF012
    live: list[EventView] = []  # noqa: RUF012
    """Those of the answer that is being written."""
    run: str = ""
    """The run that writes it; empty when all is done."""
    lost: bool = False
    """Whether the run cannot be followed at the moment."""

    @rx.event(background=True)
    async def attend(self) -> None:
        """Shows the conversation and what happens in it; it ends with the page."""
        path = str(self.router.url.path)
        async with self:
            self.reset()
        while True:
            try:
                await Reading(self, agent_in(path), chat_in(path)).run()
            except errors.Unauthenticated:
                return  # The tab's attendance tells it.
            except errors.NotFound:
                async with self:
                    self.reset()
                    self.loaded = True
                return
            except errors.Unavailable:
                async with self:
                    self.lost = True
                await asyncio.sleep(RETRY_SECONDS)


class Reading:
    """What the load event does between two failures."""

    def __init__(self, state: TranscriptState, agent_id: UUID, chat_id: UUID) -> None:
        self._state: Any = state
        self._agent_id, self._chat_id = agent_id, chat_id
        self._run_id: UUID | None = None
        self._following: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Shows the conversation and every change of it, without an end.

        Raises:
            errors.Unauthenticated: The session ended.
            errors.NotFound: There is no such conversation for this person, or not any more.
            errors.Unavailable: The database does not answer, or Redis stays away.
        """
        who = await session.required(self._state)
        agent = await tenants.read_agent(who.actor, self._agent_id)
        try:
            async with aclosing(tenants.watch(who.actor, self._chat_id, every_seconds=TICK_SECONDS)) as news:
                async for changed in news:
                    who = await session.required(self._state)
                    if changed or self._has_ended():
                        await self._look(who.actor, agent.name)
        finally:
            await self._leave()

    def _has_ended(self) -> bool:
        """Whether what was followed has come to its end, or to an error, which is raised."""
        if self._following is None or not self._following.done():
            return False
        self._following.result()
        return True

    async def _look(self, actor: Any, name: str) -> None:
        found = await tenants.transcript(actor, self._chat_id)
        if found.head.agent_id != self._agent_id:
            raise errors.NotFound("chat")
        head, events = found.head, list(_events(found))
        async with self._state:
            state = self._state
            state.loaded, state.lost, state.name = True, False, name
            state.agent, state.chat = str(self._agent_id), str(self._chat_id)
            state.title, state.who, state.started = head.title, head.visitor, head.started_at.isoformat()
            state.facts = [FactView(key, _written(value)) for key, value in head.context.items()]
            if state.events != events:
                state.events = events
            if state.run != str(found.run_id or ""):
                state.run, state.live = str(found.run_id or ""), []
        if found.run_id is None:
            await self._leave()
        elif found.run_id != self._run_id or self._has_ended():
            await self._leave()
            self._run_id = found.run_id
            self._following = asyncio.create_task(self._follow(actor, found.run_id), name=f"read {found.run_id}")

    async def _leave(self) -> None:
        following, self._following, self._run_id = self._following, None, None
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    async def _follow(self, actor: Any, run_id: UUID) -> None:
        """Shows how an answer grows; its end is told by the notice that comes with it."""
        written: Frame | None = None
        shown: list[EventView] | None = None
        async with feed.of_run(actor, run_id, tenants.follow) as following, aclosing(following.frames()) as frames:
            async for frame in frames:
                written = await feed.write(following, written)
                if (events := list(live_events(frame))) != shown:
                    shown = events
                    async with self._state:
                        if self._state.run == str(run_id):
                            self._state.live = events


def is_open(path: str) -> bool:
    """Whether a page's address is that of a conversation."""
    return path.startswith(PATH) and _PLACE in path


def chat_in(path: str) -> UUID:
    """The conversation that a page's address names.

    Raises:
        errors.NotFound: It is no id.
    """
    return session.identifier(path.partition(_PLACE)[2].strip("/"), "chat")


def live_events(frame: Frame) -> Iterator[EventView]:
    """The events of an answer that is being written."""
    for item in frame.items:
        if item.kind == "text":
            growing = item.state == "open"
            yield EventView(f"text-{item.slot}", "message", "assistant", slot=item.slot, growing=growing)
        for step in item.steps:
            part = frame.tools.get(step.id)
            if step.icon != THOUGHT and part is not None:
                yield from _called(part)


def _called(part: parts.Part) -> Iterator[EventView]:
    call, name, state = part["toolCallId"], parts.tool_name(part), part["state"]
    yield EventView(f"call-{call}", "tool_call", text=_written(part.get("input", "")), name=name)
    if state == "output-available":
        yield EventView(f"result-{call}", "tool_result", text=_written(part.get("output")), name=name)
    elif state in {"output-error", "output-denied"}:
        yield EventView(f"result-{call}", "tool_result", text=_written(part.get("errorText") or "denied"), name=name)


def _events(found: tenants.Transcript) -> Iterator[EventView]:
    """The stored events, what an answer used beside its last one."""
    used = {one["messageId"]: one for one in found.usage if one["durationMs"] is not None}
    last = {event["messageId"]: event["seq"] for event in found.events}
    for event in found.events:
        view, message = _event(event), event["messageId"]
        ends = message in used and last[message] == event["seq"]
        yield replace(view, usage=_used(used[message])) if ends else view


def _event(event: Mapping[str, Any]) -> EventView:
    kind, role = event["eventType"], event.get("role", "")
    told: dict[str, object] = {
        "message": event.get("content", ""),
        "tool_call": event.get("toolInput"),
        "tool_result": event.get("error", event.get("toolResult")),
        "error": event.get("errorMessage", ""),
        "system": event.get("content", ""),
    }
    text = str(told[kind]) if kind == "message" else _written(told[kind])
    metadata: Mapping[str, Any] = event.get("metadata") or {}
    return EventView(
        str(event["seq"]), kind, role,
        text="" if role == "assistant" else text,
        blocks=[text] if role == "assistant" else [],
        name=event.get("toolName") or event.get("errorType") or "",
        feedback=str(metadata.get("feedback", "")),
        comment=str(metadata.get("comment") or ""),
    )  # fmt: skip


def _used(usage: Mapping[str, Any]) -> str:
    """What an answer used, in words."""
    cost, first = usage["costUsd"], usage["firstTextMs"]
    return texts.say(
        "insights.used",
        model=models.label_of(usage["model"] or ""),
        input=usage["inputTokens"] or 0,
        output=usage["outputTokens"] or 0,
        cost="—" if cost is None else f"${float(cost):.4f}",
        seconds=f"{usage['durationMs'] / 1000:.1f}",
        first="—" if first is None else f"{first / 1000:.1f}",
    )


def _written(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
