"""Chats of site visitors: creating, listing, reading, archiving, rating and deleting them."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from leaf import errors, parts, sites
from leaf.api import http
from leaf.api.site.callers import Here, route
from leaf.api.turns.body import Lenient
from leaf.audiences import SITE_VISITOR
from leaf.services import chats, runs
from leaf.services.sites import visitors

_CLAIM = Annotated[str, Field(max_length=4096)]


class AgentView(BaseModel):
    """The appearance of a widget. All texts are plain."""

    name: str
    welcome: str
    suggestions: list[str]
    language: str
    look: dict[str, Any]
    requiresUserToken: bool  # noqa: N815 - the wire's own spelling
    feedback: bool
    messageCharacters: int  # noqa: N815
    attachments: bool
    """Whether files can be sent with messages."""


class NewChat(Lenient):
    """A chat to create, with the context that the page reports."""

    context: Any = None
    """`pageUrl`, `referrer`, `userAgent`, `locale`, `timezone`, `customMetadata`."""
    title: str | None = None
    """The title. Leaf does not replace it."""
    metadata: Any = None
    """An object that Leaf stores with the chat, at most 16 kB as JSON."""
    sessionId: _CLAIM | None = None  # noqa: N815
    userId: _CLAIM | None = None  # noqa: N815
    userToken: _CLAIM | None = None  # noqa: N815


class MadeChat(BaseModel):
    """A created chat."""

    id: UUID


class ChatEntry(BaseModel):
    """A chat in a list."""

    id: UUID
    title: str
    status: Literal["active", "archived"]
    createdAt: datetime | None = None  # noqa: N815
    lastEventAt: datetime  # noqa: N815
    running: bool


class ChatPage(BaseModel):
    """Chats, the last active first."""

    chats: list[ChatEntry]
    next: str | None = None
    """The value of `after` for the next page; null after the last page."""


class Answering(BaseModel):
    """An answer that is being written."""

    messageId: UUID  # noqa: N815
    runId: UUID  # noqa: N815


class OpenCall(BaseModel):
    """A call of a tool that the visitor's page runs."""

    toolCallId: str  # noqa: N815
    toolName: str  # noqa: N815
    toolInput: Any  # noqa: N815


class Waiting(BaseModel):
    """An answer that waits for the visitor's page."""

    messageId: UUID  # noqa: N815
    calls: list[OpenCall]
    """The calls in the order in which they have to be made."""


class History(BaseModel):
    """A chat with its events, the oldest first, numbered without gaps."""

    id: UUID
    title: str
    status: Literal["active", "archived"]
    createdAt: datetime  # noqa: N815
    lastEventAt: datetime  # noqa: N815
    metadata: dict[str, Any]
    events: list[dict[str, Any]]
    answer: Answering | None = None
    waiting: Waiting | None = None


class Change(Lenient):
    """Changes of a chat; absent fields stay as they are."""

    archived: bool | None = None
    metadata: Any = None
    """An object that replaces the chat's metadata."""


class Merged(BaseModel):
    """The number of chats that became the user's."""

    merged: int
    left: int
    """The number of chats that were left out because an answer is being written or waits. A repeated request moves
    them."""


class Judgement(Lenient):
    """A visitor's rating of an answer."""

    messageId: UUID  # noqa: N815
    sentiment: Literal["up", "down"] | None
    comment: Annotated[str, Field(max_length=2000)] = ""


async def read_agent(call: Here) -> AgentView:
    """Returns the appearance of the agent's widget."""
    agent = call.keyed.agent
    return AgentView(
        name=agent.name,
        welcome=agent.welcome,
        suggestions=[*agent.suggestions],
        language=str(agent.look.get("language", "auto")),
        look={name: value for name, value in agent.look.items() if name != "language"},
        requiresUserToken=agent.identity == "signed",
        feedback=True,
        messageCharacters=SITE_VISITOR.message_characters,
        attachments=agent.attachments,
    )


async def create_chat(call: Here, body: NewChat | None = None) -> MadeChat:
    """Creates a chat of the visitor."""
    body = body or NewChat()
    context = sites.context_of(body.context, user_agent=call.user_agent)
    title = chats.checked_title(body.title) if body.title is not None else ""
    metadata = sites.metadata_of(body.metadata)
    claimed = call.with_claims(body.sessionId, body.userId, body.userToken)
    # Limits are checked before a visitor is stored. Otherwise anybody could fill the tables with a public key.
    await visitors.count_chat(await claimed.visitor(), call.address)
    who = await claimed.visitor(begins=True)
    return MadeChat(id=await visitors.begin(who, context, title=title, metadata=metadata))


async def list_chats(
    call: Here,
    archived: bool = False,
    after: Annotated[str, Query(max_length=500)] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> ChatPage:
    """Lists the visitor's chats that have begun, a page at a time; only for users with a proven identity."""
    page = await visitors.listed(await call.visitor(), archived=archived, after=after, limit=limit)
    entries = [
        ChatEntry(
            id=row.id, title=row.title, status="archived" if row.archived else "active", createdAt=row.created_at,
            lastEventAt=row.updated_at, running=row.running,
        )
        for row in page.rows
    ]  # fmt: skip
    return ChatPage(chats=entries, next=page.cursor or None)


async def read_chat(call: Here, chat: str) -> History:
    """Returns a chat of the visitor with its events."""
    found = await visitors.open_chat(await call.visitor(), http.id_of(chat, "chat"), call.language)
    answering = found.answer is not None and found.run_id is not None
    return History(
        id=found.id,
        title=found.title,
        status="archived" if found.archived else "active",
        createdAt=found.created_at,
        lastEventAt=found.active_at,
        metadata=found.metadata,
        events=sites.events_of(found.messages),
        answer=Answering(messageId=found.answer, runId=found.run_id) if answering else None,  # pyright: ignore[reportArgumentType]
        waiting=_waiting(found),
    )


def _waiting(found: visitors.VisitorChat) -> Waiting | None:
    last = found.messages[-1] if found.messages else None
    if last is None or last.status != "waiting":
        return None
    calls = [
        OpenCall(toolCallId=part["toolCallId"], toolName=parts.tool_name(part), toolInput=part.get("input"))
        for part in runs.open_calls(last.parts)
    ]
    return Waiting(messageId=last.id, calls=calls)


async def change_chat(call: Here, chat: str, body: Change) -> Response:
    """Archives a chat or takes it out of the archive, or replaces its metadata."""
    actor, chat_id = (await call.visitor()).required(), http.id_of(chat, "chat")
    if body.archived is None and body.metadata is None:
        raise errors.Invalid("There is nothing to change: give archived or metadata.", field="archived")
    if body.metadata is not None:
        await chats.set_metadata(actor, chat_id, sites.metadata_of(body.metadata))
    if body.archived is not None:
        await chats.archive(actor, [chat_id], body.archived)
    return Response(status_code=204)


async def delete_chat(call: Here, chat: str) -> Response:
    """Deletes a chat for the visitor and for the site; a running answer is stopped."""
    await chats.delete((await call.visitor()).required(), http.id_of(chat, "chat"))
    return Response(status_code=204)


async def merge_chats(call: Here, request: Request) -> Merged:  # noqa: ARG001 - a body may come, and says nothing
    """Moves the anonymous chats of the session to the user that the token proves."""
    who = await call.visitor(begins=True)
    merged, left = await visitors.merge(call.keyed, call.claims, who)
    return Merged(merged=merged, left=left)


async def judge_answer(call: Here, chat: str, body: Judgement) -> Response:
    """Rates an answer as the visitor: up, down, or null to remove the rating."""
    who = await call.visitor()
    await visitors.rate(who, http.id_of(chat, "chat"), body.messageId, body.sentiment, body.comment)
    return Response(status_code=204)


routes = [
    route("/agent", read_agent),
    route("/chats", list_chats),
    route("/chats", create_chat, method="POST", status_code=201),
    route("/chats/merge", merge_chats, method="POST"),
    route("/chats/{chat}", read_chat),
    route("/chats/{chat}", change_chat, method="PATCH", status_code=204),
    route("/chats/{chat}", delete_chat, method="DELETE", status_code=204),
    route("/chats/{chat}/feedback", judge_answer, method="PUT", status_code=204),
]
