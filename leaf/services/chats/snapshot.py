"""Snapshots of a chat: the tree of its messages, and the contents along the participants' paths."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import cast
from uuid import UUID

from sqlalchemy import ColumnElement, Uuid, any_, inspect, literal
from sqlalchemy import select as core_select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import col, select

from leaf import errors
from leaf.db import models
from leaf.db.session import Transaction
from leaf.parts.summaries import Summary
from leaf.services.chats.shapes import Chat, Message, message_of, title_of
from leaf.services.chats.sizes import percent_used
from leaf.services.chats.tree import Outline, Tree
from leaf.services.library.scope import ChatScope

_LATE = timedelta(minutes=10)
"""The longest delay with which a change becomes visible after a change with a later time. Transactions are shorter, and
the clocks of machines differ by less."""
_NOT_SHOWN = "model_messages"
"""The column with the messages sent to models, which is about as large as the message itself."""


def among(ids: Iterable[UUID]) -> ColumnElement[bool]:
    """The condition for messages with these ids. All ids are one array parameter, as there may be many thousands."""
    return col(models.Message.id) == any_(literal([*ids], ARRAY(Uuid)))


async def messages(tx: Transaction, condition: ColumnElement[bool]) -> list[Message]:
    """The messages that meet a condition. The column that pages do not show is not read."""
    columns = inspect(models.Message).columns
    shown = (column.label(name) for name, column in columns.items() if name != _NOT_SHOWN)
    found = await tx.execute(core_select(*shown).where(condition))
    # A row has the attributes of the model.
    return [message_of(cast("models.Message", row)) for row in found]


class Snapshot:
    """A chat at one moment."""

    def __init__(self, tx: Transaction, chat: models.ChatSession, outline: Outline, known: list[Chat]) -> None:
        self._tx = tx
        self._chat = chat
        self._outline = outline
        self._known = known

    @property
    def tree(self) -> Tree:
        """The messages as a tree."""
        return self._outline.tree

    @classmethod
    async def begin(cls, tx: Transaction, chat: models.ChatSession, known: Iterable[Chat] = ()) -> "Snapshot":
        """Reads which messages a chat has, without their contents.

        Args:
            tx: A transaction of a participant.
            chat: The chat, as found by the transaction's actor.
            known: Chats from earlier reads. If this chat is among them, only the changes since then are read.
        """
        before = [one for one in known if one.id == chat.id]
        outline = next((one.outline for one in before if one.outline is not None), Outline())
        since = outline.latest - _LATE if outline.latest is not None else None
        found = await tx.call("leaf_tree", chat.id, since)
        changed = [(row.id, row.parent_id, row.updated_at, row.summarised) for row in found]
        return cls(tx, chat, outline.extended(changed), before)

    async def chats(self, tips: Iterable[UUID | None], *, last: int | None = None) -> dict[UUID | None, Chat]:
        """The chat along each of several paths, by the last message of the path.

        Args:
            tips: The ends of the paths.
            last: The number of messages to read at the end of a path. A path shorter than twice this number is read
                whole.

        Raises:
            errors.NotFound: A message was deleted between two queries.
        """
        paths = {tip: self.tree.path(tip) for tip in tips}
        above = {
            tip: len(path) - last if last is not None and len(path) >= 2 * last else 0 for tip, path in paths.items()
        }
        paths = {tip: path[above[tip] :] for tip, path in paths.items()}
        updated = self._outline.updated
        kept = {one.id: one for chat in self._known for one in chat.messages if updated.get(one.id) == one.updated_at}
        changed = [*{message_id for path in paths.values() for message_id in path if message_id not in kept}]
        if changed:
            kept |= {one.id: one for one in await messages(self._tx, among(changed))}
        if any(message_id not in kept for message_id in changed):
            # Deleted between the two queries.
            raise errors.NotFound("chat")
        people = await self._people()
        found = {tip: await self._chat_along(path, kept, people) for tip, path in paths.items()}
        return {tip: replace(chat, above=above[tip]) if above[tip] else chat for tip, chat in found.items()}

    async def _chat_along(self, path: list[UUID], kept: dict[UUID, Message], people: dict[UUID, str]) -> Chat:
        chat, summarised = self._chat, self._outline.summarised
        last = next((message_id for message_id in reversed(path) if message_id in summarised), None)
        summary = await self._summary(last) if last is not None else None
        return Chat(
            chat.id,
            title_of(chat),
            chat.used_drive,
            [kept[message_id] for message_id in path],
            chat.approvals,
            summary,
            self.tree.versions(path),
            people,
            chat.imported_from or "",
            chat.program_metadata,
            chat.tools,
            chat.thinking_tokens,
            percent_used(chat),
            ChatScope.of(chat.scope),
            outline=self._outline,
        )

    async def _people(self) -> dict[UUID, str]:
        """The participants' names by their ids."""
        return {row.user_id: row.name for row in await self._tx.call("leaf_participants", self._chat.id)}

    async def _summary(self, message_id: UUID) -> Summary | None:
        """The summary that ends with an answer. A known summary is reused, because summaries never change."""
        for chat in self._known:
            if chat.summary is not None and chat.summary.message_id == message_id:
                return chat.summary
        query = select(models.ChatSummary.text).where(col(models.ChatSummary.message_id) == message_id)
        text = (await self._tx.session.exec(query)).one_or_none()
        return Summary(message_id, text) if text is not None else None
