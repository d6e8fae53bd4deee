"""Chats: listing, creating, reading, organising and deleting them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from leaf import errors, sites
from leaf.api import http, turns
from leaf.api.callers import Known
from leaf.api.chat import ChatName
from leaf.api.routing import Route
from leaf.api.turns.body import Id, Lenient, ScopeBody
from leaf.services import chat_reads, chats, forks, passages, projects
from leaf.services.chats import lists
from leaf.services.library.scope import NO_SCOPE

_CURSOR_CHARACTERS = 500


class ChatEntry(BaseModel):
    """A chat in a list."""

    id: UUID
    title: str
    updatedAt: datetime  # noqa: N815 - the wire's own spelling
    running: bool
    """Whether an answer is being written in the chat."""
    waiting: bool
    """Whether an answer in the chat waits for its reader."""
    unread: bool
    pinned: bool
    archived: bool
    projectId: UUID | None  # noqa: N815
    """The project of the chat."""


class ChatPage(BaseModel):
    """Chats, the last active first."""

    chats: list[ChatEntry]
    next: str | None = None
    """The value of `after` for the next page; null after the last page."""


class ChatMessage(BaseModel):
    """A message in the AI SDK's format (UIMessage)."""

    id: UUID
    role: Literal["user", "assistant"]
    parts: list[dict[str, Any]]
    metadata: dict[str, Any]


class History(BaseModel):
    """A chat with the messages along the caller's branch, the oldest first."""

    id: UUID
    title: str
    metadata: dict[str, Any]
    tools: list[str] | None
    thinkingTokens: int | None  # noqa: N815
    scope: dict[str, Any] | None
    """The part of the Drive that the chat is limited to: `folders` and `files` (each with `id` and `name`), `kinds` and
    `since`; null for all of it."""
    projectId: UUID | None  # noqa: N815
    """The project of the chat; null for none."""
    usedPercent: int  # noqa: N815 - the wire's own spelling
    """The used share of the chat's maximum size, in percent. A full chat accepts no more questions."""
    messages: list[ChatMessage]
    versions: dict[UUID, list[UUID]]
    """The versions of each message that has several, the oldest first."""
    summarisedUntil: UUID | None = None  # noqa: N815 - the wire's own spelling
    """The last message that a summary replaces in requests to models; null if there is no summary."""


class NewChat(Lenient):
    """A chat to create."""

    id: Id | None = None
    """An id chosen by the client. If a chat with this id exists, it is returned unchanged, with status 200."""
    title: str | None = None
    """The title. Leaf does not replace it."""
    metadata: Any = None
    """An object that Leaf stores with the chat, at most 16 kB as JSON."""
    scope: ScopeBody | None = None
    """The part of the Drive that the chat is limited to; by default that of the project."""
    projectId: Id | None = None  # noqa: N815
    """The project of the chat."""


class MadeChat(BaseModel):
    """A created chat."""

    id: UUID


class Change(Lenient):
    """Changes of a chat. Absent fields do not change."""

    title: str | None = None
    archived: bool | None = None
    pinned: bool | None = None
    metadata: Any = None
    """An object that replaces the chat's metadata."""
    tools: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=100)] | None = None
    """The tools of Leaf, and of MCP servers (`<server>_<tool>`), that the agent has in this chat; null for all tools of
    the mode. Tools that a request declares with `clientTools` are not limited."""
    thinkingTokens: Annotated[int, Field(ge=1024, le=100_000)] | None = None  # noqa: N815
    """The thinking budget of a request in tokens, for Anthropic and Google; null for the default."""
    scope: ScopeBody | None = None
    """The part of the Drive that the chat is limited to; null for all of it."""
    projectId: Id | None = None  # noqa: N815
    """The project that the chat is moved to; null for none. The scope of the chat does not change."""


class Fork(Lenient):
    """The place at which a chat is forked."""

    messageId: Annotated[str, Field(max_length=200)] | None = None  # noqa: N815
    """The last message to copy; by default the whole branch of the caller."""


class FoundChat(BaseModel):
    """A chat that matches a query."""

    id: UUID
    title: str
    updatedAt: datetime  # noqa: N815
    archived: bool
    projectId: UUID | None  # noqa: N815
    hits: list[dict[str, str]]
    """`messageId`, `role` and `excerpt` of each message."""


async def list_chats(
    caller: Known,
    shelf: chats.Shelf = chats.Shelf.CHATS,
    project: Annotated[str | None, Query(max_length=_CURSOR_CHARACTERS)] = None,
    after: Annotated[str, Query(max_length=_CURSOR_CHARACTERS)] = "",
    limit: Annotated[int, Query(ge=1, le=lists.MOST_ROWS)] = lists.PAGE,
) -> ChatPage:
    """Lists the caller's chats, a page at a time: `chats`, `pinned` or `archived` ones, or all but archived ones of a
    project.
    """
    project_id = http.id_of(project, "project") if project is not None else None
    page = await chats.page(caller.person.actor, shelf, project_id=project_id, after=after, limit=limit)
    return ChatPage(chats=[_entry(row) for row in page.rows], next=page.cursor or None)


async def search_chats(caller: Known, q: Annotated[str, Query(min_length=1, max_length=200)]) -> list[FoundChat]:
    """Searches the titles, questions and answers of the caller's chats."""
    return [
        FoundChat(
            id=one.chat_id, title=_plain(one.title), updatedAt=one.updated_at, archived=one.archived,
            projectId=one.project_id,
            hits=[
                {"messageId": str(hit.message_id), "role": hit.role, "excerpt": _plain(hit.excerpt)}
                for hit in one.hits
            ],
        )
        for one in await chats.search(caller.person.actor, q)
    ]  # fmt: skip


def _plain(pieces: Iterable[tuple[str, bool]]) -> str:
    """The text of pieces, each of which says whether it matches."""
    return "".join(text for text, _ in pieces)


async def create_chat(caller: Known, body: NewChat, answer: Response) -> MadeChat:
    """Creates a chat. If the caller has a chat with this id already, it is returned unchanged, with status 200."""
    prepared = chats.Prepared(
        title=chats.checked_title(body.title) if body.title is not None else None,
        metadata=sites.metadata_of(body.metadata),
        scope=await turns.scope_of(caller, body.scope) if body.scope is not None else None,
        project_id=http.id_of(body.projectId, "project") if body.projectId is not None else None,
    )
    chat_id, is_new = await chats.begin(caller.person.actor, body.id, prepared)
    if not is_new:
        answer.status_code = 200
    return MadeChat(id=chat_id)


async def read_chat(caller: Known, chat: ChatName) -> History:
    """Returns a chat with its messages, as the AI SDK's UIMessages."""
    actor = caller.person.actor
    found = await chats.open(actor, await chats.named(actor, chat))
    shown = await passages.shown(actor, [one.parts for one in found.messages])
    return History(
        id=found.id,
        title=found.title,
        metadata=found.program_metadata,
        tools=found.tools,
        thinkingTokens=found.thinking_tokens,
        scope=found.scope.data(),
        projectId=found.project_id,
        usedPercent=found.used_percent,
        messages=[_ui_message(one, parts) for one, parts in zip(found.messages, shown, strict=True)],
        versions={one: [*ids] for one, ids in found.versions.items()},
        summarisedUntil=found.summary.message_id if found.summary else None,
    )


_LIMITS = {"tools": "tools", "thinkingTokens": "thinking_tokens"}
"""The fields of a change that are limits of the chat, each with its name in `chats.Limits`."""


async def change_chat(caller: Known, chat: ChatName, body: Change) -> Response:
    """Renames, archives or pins a chat, or undoes that; puts it into a project, or replaces its metadata."""
    actor = caller.person.actor
    chat_id = await chats.named(actor, chat)
    limited = _LIMITS.keys() & body.model_fields_set
    scoped, moved = "scope" in body.model_fields_set, "projectId" in body.model_fields_set
    others = (body.title, body.archived, body.pinned, body.metadata)
    if not limited and not scoped and not moved and all(value is None for value in others):
        raise errors.Invalid(
            "Nothing to change: send title, archived, pinned, metadata, tools, thinkingTokens, scope or projectId.",
            field="title",
        )
    # All values are checked first, so that a refused request changes nothing. A pin comes before the other changes,
    # because there may be too many pins.
    metadata = sites.metadata_of(body.metadata)
    title = chats.checked_title(body.title) if body.title is not None else None
    tools = chats.checked_tools(body.tools)
    project_id = http.id_of(body.projectId, "project") if body.projectId is not None else None
    await chat_reads.open(actor, chat_id, last=1)
    scope = await turns.scope_of(caller, body.scope) if body.scope is not None else NO_SCOPE
    if project_id is not None:
        await projects.read(actor, project_id)
    if body.pinned is not None:
        await chats.pin(actor, [chat_id], body.pinned)
    if body.archived is not None and not body.pinned:
        # A pinned chat is not archived.
        await chats.archive(actor, [chat_id], body.archived)
    if title is not None:
        await chats.rename(actor, chat_id, title)
    if limited:
        only = [_LIMITS[name] for name in limited]
        await chats.set_limits(actor, chat_id, chats.Limits(tools, body.thinkingTokens), only=only)
    if scoped:
        await chats.set_scope(actor, chat_id, scope)
    if moved:
        await chats.move(actor, [chat_id], project_id)
    if body.metadata is not None:
        await chats.set_metadata(actor, chat_id, metadata)
    return Response(status_code=204)


async def delete_chat(caller: Known, chat: ChatName) -> Response:
    """Deletes a chat that the caller created; for five minutes it can be restored."""
    actor = caller.person.actor
    await chats.delete(actor, await chats.named(actor, chat))
    return Response(status_code=204)


async def restore_chat(caller: Known, chat_id: str) -> Response:
    """Restores a deleted chat by its id."""
    await chats.restore(caller.person.actor, [http.id_of(chat_id, "chat")])
    return Response(status_code=204)


async def fork_chat(caller: Known, chat: ChatName, body: Fork | None = None) -> MadeChat:
    """Creates a chat of the caller's own with the messages up to one message."""
    actor = caller.person.actor
    found = await chats.open(actor, await chats.named(actor, chat))
    if body is not None and body.messageId is not None:
        last = http.id_of(body.messageId, "message")
        # The message may be on another branch than the caller's, but not in another chat.
        await chats.open(actor, found.id, upto=last)
    elif found.messages:
        last = found.messages[-1].id
    else:
        raise errors.Conflict("This chat has no messages yet.")
    return MadeChat(id=await forks.fork(actor, last))


def _entry(row: chats.ChatRow) -> ChatEntry:
    return ChatEntry(
        id=row.id, title=row.title, updatedAt=row.updated_at, running=row.running, waiting=row.waiting,
        unread=row.unread, pinned=row.pinned, archived=row.archived, projectId=row.project_id,
    )  # fmt: skip


def _ui_message(message: chats.Message, parts: list[dict[str, Any]]) -> ChatMessage:
    metadata: dict[str, Any] = {**message.program_metadata, "createdAt": message.created_at.isoformat()}
    if message.role == "assistant":
        metadata |= {**message.details, "status": message.status}
        metadata |= {"runId": str(message.run_id)} if message.run_id else {}
        metadata |= {"error": message.error_text} if message.error_text else {}
    return ChatMessage(
        id=message.id,
        role="user" if message.role == "user" else "assistant",
        parts=parts,
        metadata=metadata,
    )


_CHAT = "/api/chats/{chat}"

routes = [
    Route("/api/chats", list_chats, scope="read", tag="Chats"),
    Route("/api/search", search_chats, scope="read", tag="Chats"),
    Route("/api/chats", create_chat, method="POST", scope="write", tag="Chats", status_code=201),
    Route(_CHAT, read_chat, scope="read", tag="Chats"),
    Route(_CHAT, change_chat, method="PATCH", scope="write", tag="Chats", status_code=204),
    Route(_CHAT, delete_chat, method="DELETE", scope="write", tag="Chats", status_code=204),
    Route("/api/chats/{chat_id}/restore", restore_chat, method="POST", scope="write", tag="Chats", status_code=204),
    Route("/api/chats/{chat}/fork", fork_chat, method="POST", scope="write", tag="Chats", status_code=201),
]
