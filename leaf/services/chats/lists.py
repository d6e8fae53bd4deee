"""Lists of chats: full pages first, then only the changes."""

import base64
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, func, or_, tuple_
from sqlmodel import col, select
from sqlmodel.sql.expression import Select

from leaf import errors, texts
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.services.chats.shapes import ChatRow
from leaf.services.chats.tree import Tree
from leaf.services.library import quotes, standings
from leaf.services.library.standings import SourceChanges

PAGE = 50
"""Default number of rows in a page."""
MOST_ROWS = 200
MOST_CHANGES = 200
"""Maximum number of changes that are reported. After more changes, the lists are read again."""
_OVERLAP = timedelta(seconds=10)
"""Changes of the last seconds are read again, because a change is dated before its transaction ends."""


class Shelf(StrEnum):
    """The part of a participant's list in which a chat appears."""

    CHATS = "chats"
    PINNED = "pinned"
    ARCHIVED = "archived"


@dataclass(frozen=True)
class Page:
    """Chats of one shelf, the most recently active first."""

    rows: list[ChatRow]
    cursor: str = ""
    """The cursor of the next page; empty on the last page."""


@dataclass(frozen=True)
class Lists:
    """The lists with which a page of the app starts."""

    pinned: list[ChatRow]
    chats: Page
    until: datetime
    """The time of the reading. Later changes have to be read with `news`."""


@dataclass(frozen=True)
class Changes:
    """The current rows of changed chats, on any shelf."""

    rows: list[ChatRow]
    gone: list[UUID]
    """Ids of deleted chats."""
    until: datetime


@dataclass(frozen=True)
class Cursor:
    """The position after the last row of a page."""

    active_at: datetime
    chat_id: UUID

    def __str__(self) -> str:
        position = json.dumps([self.active_at.isoformat(), str(self.chat_id)])
        return base64.urlsafe_b64encode(position.encode()).decode()

    @classmethod
    def parse(cls, written: str) -> "Cursor":
        """Decodes the cursor of an earlier page.

        Raises:
            errors.Invalid: The text is not a cursor.
        """
        try:
            active_at, chat_id = json.loads(base64.urlsafe_b64decode(written.encode()))
            return cls(datetime.fromisoformat(active_at).astimezone(UTC), UUID(chat_id))
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            raise errors.Invalid(texts.english("errors.list_place"), field="after") from None


async def page(
    actor: Actor,
    shelf: Shelf = Shelf.CHATS,
    *,
    project_id: UUID | None = None,
    after: str = "",
    limit: int = PAGE,
) -> Page:
    """A page of the member's chats that have at least one question.

    Args:
        actor: The member.
        shelf: The shelf to read.
        project_id: Reads the chats of this project instead, pinned or not, except archived ones.
        after: The cursor of the previous page; empty for the first page.
        limit: Maximum number of rows, 1-200.

    Raises:
        errors.Invalid: The cursor is malformed.
        errors.NotFound: The project is not the member's.
    """
    cursor = Cursor.parse(after) if after else None
    async with transaction(actor, read_only=True) as tx:
        if project_id is not None:
            await require_project(tx, project_id)
        return await read_page(tx, shelf, project_id=project_id, after=cursor, limit=limit)


async def require_project(tx: Transaction, project_id: UUID) -> None:
    """Checks that a project belongs to the actor.

    Raises:
        errors.NotFound: It does not exist, or belongs to somebody else.
    """
    if (await tx.session.exec(select(models.Project.id).where(col(models.Project.id) == project_id))).first() is None:
        raise errors.NotFound("project")


async def read_page(
    tx: Transaction,
    shelf: Shelf,
    *,
    project_id: UUID | None = None,
    after: Cursor | None = None,
    limit: int = PAGE,
) -> Page:
    """A page of the chats of the transaction's actor; arguments as in `page`."""
    limit = max(1, min(limit, MOST_ROWS))
    active_at, chat_id = col(models.ChatParticipant.active_at), col(models.ChatParticipant.chat_session_id)
    where = _on(shelf) if project_id is None else _in(project_id)
    query = _mine(tx, *where).order_by(active_at.desc(), chat_id.desc()).limit(limit + 1)
    if after is not None:
        query = query.where(tuple_(active_at, chat_id) < tuple_(after.active_at, after.chat_id))
    rows = await _rows(tx, (await tx.session.exec(query)).all())
    more = len(rows) > limit
    rows = rows[:limit]
    return Page(rows, str(Cursor(rows[-1].updated_at, rows[-1].id)) if more else "")


async def read_lists(tx: Transaction) -> Lists:
    """The pinned chats and the first page of the other chats of the transaction's actor."""
    until = await _now(tx)
    pinned = await read_page(tx, Shelf.PINNED, limit=MOST_ROWS)
    return Lists(pinned.rows, await read_page(tx, Shelf.CHATS), until)


async def read_changes(tx: Transaction, since: datetime) -> Changes | None:
    """The changes in the lists of the transaction's actor; None if there are too many, so that the lists must be read.

    Args:
        tx: A transaction of the member.
        since: `until` of the previous reading.
    """
    until = await _now(tx)
    since -= _OVERLAP
    changed_at = col(models.ChatParticipant.changed_at)
    query = _mine(tx, and_(changed_at >= since, col(models.ChatParticipant.listed))).limit(MOST_CHANGES + 1)
    rows = await _rows(tx, (await tx.session.exec(query.order_by(changed_at.desc()))).all())
    gone = (await tx.call("leaf_deleted_chats", since)).scalars().all()
    if len(rows) + len(gone) > MOST_CHANGES:
        return None
    return Changes(rows, [*gone], until)


async def lists_or_changes(tx: Transaction, since: datetime | None) -> Lists | Changes:
    """The changes since an earlier reading. At the first reading, or after too many changes, the full lists."""
    changes = await read_changes(tx, since) if since is not None else None
    return changes if changes is not None else await read_lists(tx)


async def news(actor: Actor, since: datetime | None) -> Lists | Changes:
    """`lists_or_changes` in a transaction of its own."""
    async with transaction(actor, read_only=True) as tx:
        return await lists_or_changes(tx, since)


def _mine(tx: Transaction, *where: ColumnElement[bool]) -> Select[models.ChatParticipant, models.ChatSession, bool]:
    # The join uses the primary key, so it reads at most as many chats as there are rows in the result.
    return (
        select(models.ChatParticipant, models.ChatSession, _MOVED)
        .join(models.ChatSession, col(models.ChatSession.id) == col(models.ChatParticipant.chat_session_id))
        .where(col(models.ChatParticipant.user_id) == tx.actor.user_id, *where)
    )


_CITED, _SEEN = models.Citation, models.VisibleFile
_MOVED = exists(
    select(_CITED.n)
    .where(
        col(_CITED.chat_session_id) == col(models.ChatParticipant.chat_session_id),
        col(_CITED.quoted_at) > func.now() - quotes.FOLLOWED_FOR,
        or_(
            col(_CITED.state) != "stands",
            col(_CITED.unchecked).is_not(None),
            exists(
                select(_SEEN.file_id).where(
                    col(_SEEN.user_id) == col(models.ChatParticipant.user_id),
                    col(_SEEN.file_id) == col(_CITED.file_id),
                    ~col(_SEEN.can_download),
                )
            ),
        ),
    )
    .correlate(models.ChatParticipant)
)
"""Whether a source of any answer has changed, could not be checked, or is closed to the participant. Only chats
for which this is true are examined further.
"""

_Found = tuple[models.ChatParticipant, models.ChatSession, bool]


async def _rows(tx: Transaction, found: Sequence[_Found]) -> list[ChatRow]:
    """The rows of chats, with a summary of their changed sources."""
    moved = await _moved(tx, {chat.id: mine.branch_id for mine, chat, is_moved in found if is_moved})
    return [_row(mine, chat, moved.get(chat.id)) for mine, chat, _ in found]


async def _moved(tx: Transaction, branches: Mapping[UUID, UUID | None]) -> dict[UUID, SourceChanges]:
    """A summary of the changed sources of chats, on the branches that the transaction's actor has selected."""
    if not branches:
        return {}
    query = (
        select(models.Message.chat_session_id, models.Message.id, models.Message.parent_id)
        .where(col(models.Message.chat_session_id).in_(branches))
        .order_by(col(models.Message.chat_session_id), col(models.Message.position))
    )
    messages: dict[UUID, list[tuple[UUID, UUID | None]]] = defaultdict(list)
    for chat_id, message_id, parent_id in (await tx.session.exec(query)).all():
        messages[chat_id].append((message_id, parent_id))
    trees = {chat_id: Tree(of) for chat_id, of in messages.items()}
    paths = {chat_id: tree.path(tree.tip(branches[chat_id])) for chat_id, tree in trees.items()}
    found = await standings.of_messages(tx, [one for path in paths.values() for one in path])
    together = {
        chat_id: standings.combined(found[one] for one in path if one in found) for chat_id, path in paths.items()
    }
    return {chat_id: moved for chat_id, moved in together.items() if moved is not None}


def _on(shelf: Shelf) -> list[ColumnElement[bool]]:
    """The condition for chats on a shelf, in the form of the partial indexes of the table."""
    archived, pinned = col(models.ChatParticipant.archived_at), col(models.ChatParticipant.pinned_at)
    if shelf is Shelf.ARCHIVED:
        where = [archived.is_not(None)]
    else:
        where = [archived.is_(None), pinned.is_not(None) if shelf is Shelf.PINNED else pinned.is_(None)]
    return [and_(col(models.ChatParticipant.listed), *where)]


def _in(project_id: UUID) -> list[ColumnElement[bool]]:
    mine = models.ChatParticipant
    return [and_(col(mine.project_id) == project_id, col(mine.listed), col(mine.archived_at).is_(None))]


def _row(mine: models.ChatParticipant, chat: models.ChatSession, moved: SourceChanges | None) -> ChatRow:
    return ChatRow(
        chat.id,
        chat.title or "",
        mine.active_at,
        running=chat.running,
        waiting=chat.waiting,
        unread=chat.answered_at is not None and chat.answered_at > mine.read_at,
        pinned=mine.pinned_at is not None,
        archived=mine.archived_at is not None,
        created_at=chat.created_at,
        changed_at=mine.changed_at,
        project_id=mine.project_id,
        moved=moved,
    )


async def _now(tx: Transaction) -> datetime:
    found: datetime = (await tx.execute(select(func.clock_timestamp()))).scalar_one()
    return found
