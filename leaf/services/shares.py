"""Public links to chats. Only the owner of a chat can create and revoke them.

A link shows the chat as it was when the link was created or last updated. The SQL functions `leaf_shared_content` (for
a chat) and `leaf_shared_parts` (for a message) choose the content. `alembic/schema.sql` has their present source, and a
migration changes it. `passages.shared` removes quotes that may no longer be shown, and `leaf.api.shared.page` draws the
rest.
"""

import re
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import sqlalchemy
from sqlalchemy import text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.dialects.postgresql import UUID as UUID_TYPE
from sqlalchemy.orm import defer
from sqlmodel import col, select

from leaf import errors, texts
from leaf.citations import redaction
from leaf.db import models
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.services import chats, passages, security
from leaf.telemetry.metrics import instruments

LIFETIMES_DAYS = (0, 7, 30)
"""The possible lifetimes of a link in days; 0 for a link that lasts until it is revoked."""
DEFAULT_DAYS = 0
MOST_MESSAGES = 5000
_TOKEN_BYTES = 24
_WITHOUT_CONTENT = defer(col(models.ChatShare.content))  # pyright: ignore[reportArgumentType] - a mapped column
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,64}")


@dataclass(frozen=True)
class Share:
    """A link with the data that its owner may see."""

    id: UUID
    chat_id: UUID
    title: str
    token: str
    created_at: datetime
    shared_at: datetime
    expires_at: datetime | None
    message_ids: tuple[UUID, ...]

    @property
    def expired(self) -> bool:
        """Whether the lifetime of the link has ended."""
        return self.expires_at is not None and self.expires_at <= models.utc_now()


@dataclass(frozen=True)
class Shared:
    """The content of a link.

    Each message has `role`, `status`, `at`, `texts`, `citations`, `charts` and `coverage`, and may have `conflicts`,
    `comparisons` and `asked`. A citation has `moved` if its source no longer contains the quoted text.
    """

    title: str
    content: list[dict[str, Any]]
    shared_at: datetime


@dataclass(frozen=True)
class Offer:
    """The state of the share dialog."""

    share: Share | None
    messages: int
    """The number of messages that a link would show if it were created or updated now."""
    is_outdated: bool
    """Whether updating the link now would change which messages it shows."""


async def read(token: str) -> Shared:
    """The content of a link, for everyone who has the link.

    Args:
        token: The token in the address.

    Raises:
        errors.NotFound: The link is unknown, revoked or expired. The error is the same for all three.
    """
    if not _TOKEN.fullmatch(token):
        raise errors.NotFound
    statement = text("SELECT title, content, shared_at FROM leaf_shared_chat(:token)").columns(content=JSONB)
    async with transaction(Actor.system(), read_only=True) as tx:
        row = (await tx.execute(statement, {"token": token})).one_or_none()
        by = (await tx.call("leaf_shared_by", token)).one_or_none()
        moved = {(one.at, one.n) for one in await tx.call("leaf_shared_moved", token)}
    if row is None or by is None:
        raise errors.NotFound
    content = await passages.shared(Actor.worker_for(by.user_id, by.workspace_id), row.content)
    return Shared(row.title, [_with_moved(one, moved) for one in content], row.shared_at)


def _with_moved(message: dict[str, Any], moved: Collection[tuple[datetime, int]]) -> dict[str, Any]:
    """A message with `moved` set on citations whose source has changed. Withheld citations are never marked."""
    at = datetime.fromisoformat(message["at"])
    return message | {
        "citations": [
            one | {"moved": True} if (at, one["n"]) in moved and one.get("reason") not in redaction.TEXTS else one
            for one in message["citations"]
        ]
    }


async def preview(actor: Actor, chat_id: UUID) -> Shared:
    """The content that a link would have if it were created now.

    Raises:
        errors.NotFound: The chat does not exist for this member.
        errors.Forbidden: The member is not the owner.
    """
    statement = text("SELECT leaf_shared_content(:chat, :ids) AS content").bindparams(
        sqlalchemy.bindparam("ids", type_=ARRAY(UUID_TYPE()))
    )
    async with transaction(actor, read_only=True) as tx:
        chat = await chats.find_owned(tx, chat_id)
        ids = await finished_path(tx, chat_id)
        made = statement.columns(content=JSONB)
        row = (await tx.execute(made, {"chat": chat_id, "ids": ids})).one()
    return Shared(chats.title_of(chat), await passages.shared(actor, row.content), models.utc_now())


async def offer(actor: Actor, chat_id: UUID) -> Offer:
    """The link to a chat, if there is one, and the number of messages that could be shared now.

    Raises:
        errors.NotFound: The chat does not exist for this member.
        errors.Forbidden: The member is not the owner.
    """
    async with transaction(actor, read_only=True) as tx:
        chat = await chats.find_owned(tx, chat_id)
        ids = await finished_path(tx, chat_id)
        row = await _of_chat(tx, chat_id)
    share = _share(row, chats.title_of(chat)) if row is not None else None
    return Offer(share, len(ids), is_outdated=share is not None and share.message_ids != tuple(ids))


async def share(actor: Actor, chat_id: UUID, *, lasts_days: int | None = None) -> Share:
    """Creates the link to a chat, or updates the content of the existing one.

    Args:
        actor: The owner of the chat.
        chat_id: The chat.
        lasts_days: The lifetime from now, one of `LIFETIMES_DAYS`. None leaves the expiry of an existing link
            unchanged; a new link then never expires.

    Raises:
        errors.NotFound: The chat does not exist for this member.
        errors.Forbidden: The member is not the owner.
        errors.Conflict: The chat has no content that can be shared.
        errors.Invalid: The lifetime is unknown, or the chat is too long.
    """
    expires_at = None if lasts_days is None else _end(lasts_days)
    async with transaction(actor) as tx:
        chat = await chats.find_owned(tx, chat_id, lock=True)
        ids = await finished_path(tx, chat_id)
        if not ids:
            raise errors.Conflict(texts.english("sharing.refused_empty"))
        if len(ids) > MOST_MESSAGES:
            raise errors.Invalid(texts.english("sharing.refused_too_long", count=MOST_MESSAGES))
        row = await _of_chat(tx, chat_id, lock=True)
        if row is None:
            row = models.ChatShare(
                chat_session_id=chat_id, created_by=chat.created_by, token=secrets.token_urlsafe(_TOKEN_BYTES),
                message_ids=ids, expires_at=expires_at,
            )  # fmt: skip
            tx.session.add(row)
            await tx.session.flush()
            await security.note(tx, security.Kind.LINK_MADE, str(chat_id))
        else:
            # Write `message_ids` even if it has not changed. The trigger `chat_shares_content` then copies the content
            # again, because an answer may have been written again.
            values: dict[str, Any] = {"message_ids": ids} | ({} if lasts_days is None else {"expires_at": expires_at})
            await tx.session.exec(
                sqlalchemy.update(models.ChatShare).where(col(models.ChatShare.id) == row.id).values(values)
            )
        await tx.session.refresh(row, ["message_ids", "expires_at", "shared_at"])
    instruments.count_feature("share")
    return _share(row, chats.title_of(chat))


async def set_end(actor: Actor, share_id: UUID, *, lasts_days: int) -> Share:
    """Changes the end of a link. Its content stays.

    Args:
        actor: The owner of the link.
        share_id: The link.
        lasts_days: One of `LIFETIMES_DAYS` from now.

    Raises:
        errors.NotFound: The link does not exist for this member.
        errors.Invalid: The lifetime is unknown.
    """
    async with transaction(actor) as tx:
        query = select(models.ChatShare).where(col(models.ChatShare.id) == share_id).options(_WITHOUT_CONTENT)
        row = errors.found((await tx.session.exec(query.with_for_update())).one_or_none(), "link")
        row.expires_at = _end(lasts_days)
        await tx.session.flush()
        await tx.session.refresh(row, ["title", "shared_at"])
        chat = await chats.find(tx, row.chat_session_id)
    return _share(row, chats.title_of(chat))


async def revoke(actor: Actor, share_id: UUID) -> None:
    """Revokes a link. A new link to the chat will have another address.

    Raises:
        errors.NotFound: The link does not exist for this member.
    """
    mine = col(models.ChatShare.id) == share_id
    async with transaction(actor) as tx:
        gone = await tx.session.exec(sqlalchemy.delete(models.ChatShare).where(mine))
        if not gone.rowcount:
            raise errors.NotFound("link")
        await security.note(tx, security.Kind.LINK_REVOKED, str(share_id))


async def listed(actor: Actor) -> list[Share]:
    """The member's links, the most recently shared first, with the present titles of their chats."""
    async with transaction(actor, read_only=True) as tx:
        query = (
            select(models.ChatShare, models.ChatSession)
            .join(models.ChatSession, col(models.ChatSession.id) == col(models.ChatShare.chat_session_id))
            .order_by(col(models.ChatShare.shared_at).desc(), col(models.ChatShare.id))
            .options(_WITHOUT_CONTENT)
        )
        rows = (await tx.session.exec(query)).all()
    return [_share(row, chats.title_of(chat)) for row, chat in rows]


async def finished_path(tx: Transaction, chat_id: UUID) -> list[UUID]:
    """The ids of the messages in finished turns of the actor's branch, in order, as a link would show them.

    Args:
        tx: A transaction of a participant.
        chat_id: The chat.

    Raises:
        errors.NotFound: The chat does not exist for this member.
    """
    path = await chats.selected_path(tx, chat_id)
    query = select(models.Message.id, models.Message.role, models.Message.status).where(chats.among(path))
    found = {row[0]: (MessageRole(row[1]), MessageStatus(row[2])) for row in (await tx.session.exec(query)).all()}
    return _finished_messages([(message_id, *found[message_id]) for message_id in path if message_id in found])


_ENDED = {MessageStatus.COMPLETED, MessageStatus.STOPPED, MessageStatus.ERROR}


def _finished_messages(rows: Sequence[tuple[UUID, MessageRole, MessageStatus]]) -> list[UUID]:
    """The messages of finished turns. A question without a finished answer is left out."""
    kept: list[UUID] = []
    for place, (message_id, role, status) in enumerate(rows):
        following = rows[place + 1] if place + 1 < len(rows) else None
        if role is MessageRole.USER:
            if following is not None and following[2] in _ENDED:
                kept.append(message_id)
        elif status in _ENDED:
            kept.append(message_id)
    return kept


async def _of_chat(tx: Transaction, chat_id: UUID, *, lock: bool = False) -> models.ChatShare | None:
    """The link to a chat; None if there is none. With `lock`, nobody can revoke it before the transaction ends."""
    query = select(models.ChatShare).where(col(models.ChatShare.chat_session_id) == chat_id).options(_WITHOUT_CONTENT)
    return (await tx.session.exec(query.with_for_update() if lock else query)).one_or_none()


def _end(lasts_days: int) -> datetime | None:
    if lasts_days not in LIFETIMES_DAYS:
        raise errors.Invalid(texts.english("sharing.refused_days"), field="lasts_days")
    return models.utc_now() + timedelta(days=lasts_days) if lasts_days else None


def _share(row: models.ChatShare, title: str) -> Share:
    return Share(
        id=row.id,
        chat_id=row.chat_session_id,
        title=title,
        token=row.token,
        created_at=row.created_at,
        shared_at=row.shared_at,
        expires_at=row.expires_at,
        message_ids=tuple(row.message_ids),
    )
