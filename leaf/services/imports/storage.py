"""Storage of imported chats. Each chat is stored in the transaction that counts it."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

import sqlalchemy
from sqlalchemy import exc, func
from sqlmodel import col, select

from leaf import citations, errors
from leaf.db import models
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.parts import portable
from leaf.parts.portable import format as portable_format
from leaf.services import chats
from leaf.services.imports.work import WITHOUT_DATA, Overtaken
from leaf.services.library.scope import ChatScope

log = logging.getLogger(__name__)

MOST_PROBLEMS: Final = 50
_TITLE_CHARACTERS: Final = 60

ToTurn = Callable[[str, str], list[dict[str, Any]]]
"""Converts the texts of a question and its answer to the form that models receive on later turns."""


@dataclass(frozen=True)
class Incoming:
    """A chat that can be imported."""

    read: portable.Read
    key: str
    """The digest that identifies the chat (`portable.digest`)."""


@dataclass(frozen=True)
class Refusal:
    """A chat that cannot be imported. `code` is the reason."""

    title: str
    code: str


async def keep(actor: Actor, import_id: UUID, place: int, found: Incoming | Refusal, *, to_turn: ToTurn) -> None:
    """Stores one chat of a file, or counts it as known or refused.

    Args:
        actor: The new owner of the chat, in a workspace.
        import_id: The import.
        place: Index of the chat in the file, from 0.
        found: The chat, or the reason for its refusal.
        to_turn: Converts a turn to the form that models receive.

    Raises:
        Overtaken: Another worker has processed this chat.
        errors.NotFound: The import does not exist for this member.
    """
    async with transaction(actor) as tx:
        query = select(models.Import).options(WITHOUT_DATA).where(col(models.Import.id) == import_id)
        row = errors.found((await tx.session.exec(query.with_for_update())).one_or_none(), "import")
        if row.status != "running" or row.done != place:
            raise Overtaken(import_id)
        refusal = await _add_unless_known(tx, row, found, to_turn) if isinstance(found, Incoming) else found
        if refusal is not None:
            row.refused += 1
            if len(row.problems) < MOST_PROBLEMS:
                row.problems = [*row.problems, {"title": refusal.title, "code": refusal.code}]
        row.done = place + 1
        row.updated_at = models.utc_now()
        tx.session.add(row)


async def _add_unless_known(tx: Transaction, row: models.Import, found: Incoming, to_turn: ToTurn) -> Refusal | None:
    """Creates a chat unless the member has it. Returns a refusal if the database does not accept the chat."""
    if await _is_known(tx, found):
        row.known += 1
        return None
    try:
        async with tx.session.begin_nested():
            await _add(tx, found, to_turn)
    except exc.DBAPIError as error:
        if error.connection_invalidated:
            raise
        log.warning("import %s: a chat could not be stored: %s", row.id, type(error.orig).__name__)
        return Refusal(found.read.chat.title, "not_stored")
    row.imported += 1
    row.left_out += found.read.left_out
    return None


async def _is_known(tx: Transaction, found: Incoming) -> bool:
    """Whether the member has this chat: as the result of an earlier import, or as the chat that was exported."""
    imported = select(models.ChatSession.id).where(
        col(models.ChatSession.created_by) == tx.actor.user_id,
        col(models.ChatSession.imported_key) == found.key,
        col(models.ChatSession.deleted_at).is_(None),
    )
    if (await tx.session.exec(imported)).first() is not None:
        return True
    ids = [_uuid(one.id) for one in found.read.chat.messages]
    if found.read.origin != "leaf" or None in ids:
        return False
    # The policies limit the query to chats that the member may read, so that ids reveal nothing about other members.
    query = select(func.count()).select_from(models.Message).where(col(models.Message.id).in_(ids))
    return (await tx.session.exec(query)).one() == len(ids)


async def _add(tx: Transaction, found: Incoming, to_turn: ToTurn) -> None:
    chat, now = found.read.chat, models.utc_now()
    row = models.ChatSession(
        workspace_id=tx.actor.own_workspace_id,
        created_by=tx.actor.member_id,
        title=chat.title or _first_words(chat),
        title_source="user",
        imported_from=found.read.origin,
        imported_key=found.key,
        created_at=min(chat.created_at, now),
        scope=ChatScope.of(chat.scope).data(),
    )
    await chats.add(tx, row)
    ids = {one.id: uuid4() for one in chat.messages}
    rows = _rows(chat, row.id, row.created_by, ids, now, to_turn)
    await tx.execute(sqlalchemy.insert(models.Message.__table__), rows)  # pyright: ignore[reportAttributeAccessIssue]
    # The inserted messages have set `updated_at` to the present time.
    changed = sqlalchemy.update(models.ChatSession).where(col(models.ChatSession.id) == row.id)
    await tx.session.exec(changed.values(updated_at=min(chat.updated_at, now)))
    if chat.branch is not None and chat.branch in ids:
        tree = chats.Tree((ids[one.id], ids[one.parent] if one.parent else None) for one in chat.messages)
        await chats.store_branch(tx, row.id, tree.choice(ids[chat.branch]))


def _rows(
    chat: portable.Chat, chat_id: UUID, person: UUID, ids: dict[str, UUID], now: datetime, to_turn: ToTurn
) -> list[dict[str, Any]]:
    texts: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    for one in chat.messages:
        made = portable.stored(one)
        texts[one.id] = _text(made.parts)
        is_answer = one.role == "assistant"
        rows.append(
            {
                "id": ids[one.id],
                "chat_session_id": chat_id,
                "parent_id": ids[one.parent] if one.parent is not None else None,
                "role": MessageRole(one.role),
                "status": MessageStatus(made.status),
                "parts": made.parts,
                "metadata": {},
                "user_id": person,
                # An answer must name a run; no run has this id.
                "workflow_run_id": uuid4() if is_answer else None,
                "model": one.model or None,
                "model_messages": to_turn(texts[one.parent or ""], texts[one.id]) if is_answer else None,
                "error_text": made.error or None,
                "created_at": min(one.at, now),
                "updated_at": now,
            }
        )
    return rows


def _text(parts: list[dict[str, Any]]) -> str:
    return "\n\n".join(citations.shown(part["text"]) for part in parts if part["type"] == "text").strip()


def _first_words(chat: portable.Chat) -> str | None:
    first = next((part for part in chat.messages[0].parts if isinstance(part, portable_format.Text)), None)
    words = " ".join(first.text.split())[:_TITLE_CHARACTERS] if first is not None else ""
    return words.strip() or None


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
