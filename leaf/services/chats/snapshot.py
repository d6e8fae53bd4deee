"""Snapshots of a chat: the tree of its messages, and the contents along the participants' paths."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast
from uuid import UUID

from sqlalchemy import ColumnElement, Uuid, any_, exists, inspect, literal
from sqlalchemy import select as core_select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import col, select

from leaf import errors
from leaf.db import models
from leaf.db.session import Transaction
from leaf.services.chats.shapes import Chat, Message, Summary, message_of, title_of
from leaf.services.chats.sizes import percent_used
from leaf.services.chats.tree import Tree
from leaf.services.library.scope import ChatScope

_Found = tuple[UUID, UUID | None, datetime, bool]
"""A message id, its parent, the time of its last change, and whether a summary ends with it."""

_NOT_SHOWN = "model_messages"
"""The messages sent to models, which are about as large as the message itself."""


def among(ids: Iterable[UUID]) -> ColumnElement[bool]:
    """A condition for messages with these ids; tens of thousands of ids travel as one parameter."""
    return col(models.Message.id) == any_(literal([*ids], ARRAY(Uuid)))


async def messages(tx: Transaction, condition: ColumnElement[bool]) -> list[Message]:
    """Messages without the columns that pages do not show."""
    columns = inspect(models.Message).columns
    shown = (column.label(name) for name, column in columns.items() if name != _NOT_SHOWN)
    found = await tx.execute(core_select(*shown).where(condition))
    # A row has the attributes of the model.
    return [message_of(cast("models.Message", row)) for row in found]


class Snapshot:
    """A chat at one moment."""

    def __init__(self, tx: Transaction, chat: models.ChatSession, found: Sequence[_Found]) -> None:
        self.tree = Tree((message_id, parent_id) for message_id, parent_id, _, _ in found)
        self._tx = tx
        self._chat = chat
        self._updated = {message_id: at for message_id, _, at, _ in found}
        self._summarised = {message_id for message_id, _, _, is_summarised in found if is_summarised}

    @classmethod
    async def begin(cls, tx: Transaction, chat: models.ChatSession) -> "Snapshot":
        """Reads the ids of all messages of a chat, without their contents.

        Args:
            tx: A transaction of a participant.
            chat: The chat, as found by the transaction's actor.
        """
        summarised = exists().where(col(models.ChatSummary.message_id) == col(models.Message.id))
        query = (
            select(models.Message.id, models.Message.parent_id, models.Message.updated_at, summarised)
            .where(col(models.Message.chat_session_id) == chat.id)
            .order_by(col(models.Message.position))
        )
        return cls(tx, chat, (await tx.session.exec(query)).all())

    async def chats(
        self, tips: Iterable[UUID | None], known: Iterable[Chat], *, last: int | None = None
    ) -> dict[UUID | None, Chat]:
        """The chat along the paths to some messages.

        Args:
            tips: The ends of the paths.
            known: The chat from earlier readings.
            last: Number of messages to read at the end of a path that is at least twice as long.
        """
        paths = {tip: self.tree.path(tip) for tip in tips}
        above = {
            tip: len(path) - last if last is not None and len(path) >= 2 * last else 0 for tip, path in paths.items()
        }
        paths = {tip: path[above[tip] :] for tip, path in paths.items()}
        before = [chat for chat in known if chat.id == self._chat.id]
        kept = {one.id: one for chat in before for one in chat.messages if self._updated.get(one.id) == one.updated_at}
        changed = [*{message_id for path in paths.values() for message_id in path if message_id not in kept}]
        if changed:
            kept |= {one.id: one for one in await messages(self._tx, among(changed))}
        if any(message_id not in kept for message_id in changed):
            # Deleted between the two queries.
            raise errors.NotFound("chat")
        people = await self._people()
        found = {tip: await self._chat_along(path, kept, before, people) for tip, path in paths.items()}
        return {tip: replace(chat, above=above[tip]) if above[tip] else chat for tip, chat in found.items()}

    async def _chat_along(
        self, path: list[UUID], kept: dict[UUID, Message], before: list[Chat], people: dict[UUID, str]
    ) -> Chat:
        chat = self._chat
        last = next((message_id for message_id in reversed(path) if message_id in self._summarised), None)
        summary = await self._summary(last, before) if last is not None else None
        versions = {message_id: self.tree.versions(message_id) for message_id in path}
        return Chat(
            chat.id,
            title_of(chat),
            chat.used_drive,
            [kept[message_id] for message_id in path],
            chat.approvals,
            summary,
            {message_id: several for message_id, several in versions.items() if len(several) > 1},
            people,
            chat.imported_from or "",
            chat.program_metadata,
            chat.tools,
            chat.thinking_tokens,
            percent_used(chat),
            ChatScope.of(chat.scope),
        )

    async def _people(self) -> dict[UUID, str]:
        """The participants' names by their ids."""
        return {row.user_id: row.name for row in await self._tx.call("leaf_participants", self._chat.id)}

    async def _summary(self, message_id: UUID, before: list[Chat]) -> Summary | None:
        """The summary that ends with an answer; it never changes."""
        for chat in before:
            if chat.summary is not None and chat.summary.message_id == message_id:
                return chat.summary
        query = select(models.ChatSummary.text).where(col(models.ChatSummary.message_id) == message_id)
        text_of = (await self._tx.session.exec(query)).one_or_none()
        return Summary(message_id, text_of) if text_of is not None else None
