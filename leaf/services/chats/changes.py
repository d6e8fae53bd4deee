"""Creates chats, and changes their title, scope and other settings."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import sqlalchemy
from sqlalchemy import ColumnElement, exists
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from leaf import config, errors, parts, texts
from leaf.db import models, storable
from leaf.db.session import Actor, Transaction, transaction
from leaf.services import notices
from leaf.services.chats.paths import find
from leaf.services.library.scope import NO_SCOPE, ChatScope

TITLE_CHARACTERS = 120


@dataclass(frozen=True)
class Limits:
    """Limits of the agent in a chat: its tools and its thinking budget."""

    tools: list[str] | None = None
    """The names of the tools that it may use (`checked_tools`); None for the tools of its mode. Tools that a caller
    declares with its question are not limited."""
    thinking_tokens: int | None = None
    """Maximum number of thinking tokens per request, 1,024-100,000; None for the default."""


async def new(actor: Actor, scope: ChatScope = NO_SCOPE, project_id: UUID | None = None) -> UUID:
    """Returns an unused chat of the member without messages. Creates one if there is none.

    An empty chat with files is not reused, because its files were uploaded for the next question. Nor is a chat with a
    title, metadata, tools or a thinking budget, because a program has prepared it.

    Args:
        actor: The member.
        scope: The part of the member's Drive to which the chat is limited.
        project_id: The member's project in which to put it (`projects.begin`).
    """
    person, workspace_id = actor.member_id, actor.own_workspace_id
    async with transaction(actor) as tx:
        await tx.lock(f"new-chat:{person}")
        invites = exists().where(col(models.ChatInvitation.chat_session_id) == col(models.ChatSession.id))
        others = aliased(models.ChatParticipant)
        has_others = exists().where(
            col(others.chat_session_id) == col(models.ChatSession.id), col(others.user_id) != person
        )
        empty = (
            select(models.ChatSession.id)
            .join(models.ChatParticipant, col(models.ChatParticipant.chat_session_id) == col(models.ChatSession.id))
            .where(
                ~col(models.ChatParticipant.listed),
                col(models.ChatParticipant.user_id) == person,
                ~col(models.ChatSession.begun),
                ~with_files(),
                ~invites,
                ~has_others,
                col(models.ChatSession.title_source) != "user",
                col(models.ChatSession.program_metadata) == {},
                col(models.ChatSession.tools).is_(None),
                col(models.ChatSession.thinking_tokens).is_(None),
                col(models.ChatSession.created_by) == person,
                col(models.ChatSession.workspace_id) == workspace_id,
            )
        )
        found = (await tx.session.exec(empty.limit(1))).first()
        if found is not None:
            scoped = sqlalchemy.update(models.ChatSession).where(
                col(models.ChatSession.id) == found, col(models.ChatSession.scope).is_distinct_from(scope.data())
            )
            moved = sqlalchemy.update(models.ChatParticipant).where(
                col(models.ChatParticipant.chat_session_id) == found,
                col(models.ChatParticipant.user_id) == person,
                col(models.ChatParticipant.project_id).is_distinct_from(project_id),
            )
            changed = (await tx.session.exec(scoped.values(scope=scope.data()))).rowcount
            if changed + (await tx.session.exec(moved.values(project_id=project_id))).rowcount:
                await notices.announce(tx, [found])
            return found
        chat = models.ChatSession(workspace_id=workspace_id, created_by=person, scope=scope.data())
        await add(tx, chat, project_id)
    return chat.id


async def add(tx: Transaction, chat: models.ChatSession, project_id: UUID | None = None) -> None:
    """Adds the row of a chat, whose creator takes part in it.

    Args:
        tx: A transaction of the creator.
        chat: The row.
        project_id: The creator's project in which to put the chat.
    """
    tx.session.add(chat)
    await tx.session.flush()
    tx.session.add(models.ChatParticipant(chat_session_id=chat.id, user_id=chat.created_by, project_id=project_id))
    await tx.session.flush()


def with_files() -> ColumnElement[bool]:
    """The condition that a chat has files."""
    return exists().where(col(models.ChatFile.chat_session_id) == col(models.ChatSession.id))


async def rename(actor: Actor, chat_id: UUID, title: str) -> str:
    """Renames a chat and returns the title as stored.

    Args:
        actor: A participant.
        chat_id: The chat.
        title: 1-120 characters; surrounding blanks are dropped.

    Raises:
        errors.Invalid: The title is too long, or has no visible character.
        errors.NotFound: The chat does not exist, or the actor does not take part in it.
    """
    title = checked_title(title)
    async with transaction(actor) as tx:
        await _change(tx, chat_id, {"title": title, "title_source": "user"})
        await notices.announce(tx, [chat_id])
    return title


def checked_title(title: str) -> str:
    """A title in the form in which it is stored, without surrounding blanks.

    Raises:
        errors.Invalid: It does not have 1-120 characters, or has no visible character.
    """
    stored = storable.name(title, TITLE_CHARACTERS)
    if stored is None:
        raise errors.Invalid(texts.english("errors.title_length", most=TITLE_CHARACTERS), field="title")
    return stored


def checked_tools(names: list[str] | None) -> list[str] | None:
    """The names of tools to which a chat may be limited: Leaf's own, and `<server>_<tool>` of a configured MCP server.

    Raises:
        errors.Invalid: There is no such tool.
    """
    servers = tuple(f"{server.name}_" for server in config.current().mcp_servers)
    for place, name in enumerate(names or ()):
        if name not in parts.TOOLS and not name.startswith(servers):
            raise errors.Invalid(texts.english("errors.no_such_tool", tool=name), field=f"tools[{place}]")
    return names


async def set_metadata(actor: Actor, chat_id: UUID, metadata: dict[str, Any]) -> None:
    """Replaces the metadata that a program keeps with a chat (`sites.metadata_of`).

    Raises:
        errors.NotFound: The chat does not exist, or the actor does not take part in it.
    """
    async with transaction(actor) as tx:
        await _change(tx, chat_id, {"program_metadata": metadata})


async def set_limits(
    actor: Actor, chat_id: UUID, limits: Limits, *, only: Collection[str] = ("tools", "thinking_tokens")
) -> None:
    """Sets the limits of the agent in a chat. A running answer keeps its limits.

    Args:
        actor: A participant.
        chat_id: The chat.
        limits: The limits.
        only: The names of the limits to set; the others stay as they are.

    Raises:
        errors.NotFound: The chat does not exist, or the actor does not take part in it.
    """
    async with transaction(actor) as tx:
        await _change(tx, chat_id, {name: getattr(limits, name) for name in only})


async def set_scope(actor: Actor, chat_id: UUID, scope: ChatScope) -> None:
    """Limits a chat to a part of the participants' Drives. A running answer keeps its scope.

    Raises:
        errors.NotFound: The chat does not exist, or the actor does not take part in it.
    """
    async with transaction(actor) as tx:
        await _change(tx, chat_id, {"scope": scope.data()})
        await notices.announce(tx, [chat_id])


async def set_generated_title(actor: Actor, chat_id: UUID, title: str) -> bool:
    """Sets a generated title, unless a participant has renamed the chat.

    Returns:
        Whether the title was set.
    """
    kept = storable.line(title, TITLE_CHARACTERS)[:TITLE_CHARACTERS]
    async with transaction(actor) as tx:
        values = {"title": kept, "title_source": "model", "updated_at": models.ChatSession.updated_at}
        in_place = (col(models.ChatSession.id) == chat_id, col(models.ChatSession.title_source) == "question")
        changed = await tx.session.exec(sqlalchemy.update(models.ChatSession).where(*in_place).values(values))
        if changed.rowcount:
            await notices.announce(tx, [chat_id])
    return bool(changed.rowcount)


async def set_approvals(actor: Actor, chat_id: UUID, asks: bool) -> None:
    """Sets whether answers in a chat ask for approval before they can send out text that they have read.

    A running answer keeps its setting.

    Raises:
        errors.NotFound: The chat does not exist, or the actor does not take part in it.
    """
    async with transaction(actor) as tx:
        await _change(tx, chat_id, {"approvals": asks})
        await notices.announce(tx, [chat_id])


async def _change(tx: Transaction, chat_id: UUID, values: dict[str, Any]) -> None:
    """Changes the row of a chat. The change does not count as activity, so the chat keeps its place in the list.

    Raises:
        errors.NotFound: The chat does not exist, or the actor does not take part in it.
    """
    await find(tx, chat_id)
    kept = {"updated_at": models.ChatSession.updated_at}
    await tx.session.exec(
        sqlalchemy.update(models.ChatSession).where(col(models.ChatSession.id) == chat_id).values(values | kept)
    )
