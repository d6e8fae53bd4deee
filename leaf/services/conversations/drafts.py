"""Changes to conversations in the database: one transaction that holds the lock of the chat."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import update
from sqlmodel import col, exists, func, select

from leaf import errors, texts
from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services import chats, runs, security, usage
from leaf.services.conversations.store import Draft, Queued, Quota, sent_already

MOST_QUEUED = 20
"""The number of messages of a person that may wait in a chat."""


T = TypeVar("T")


class DatabaseDraft(Draft):
    """A chat of the database that is open for a change.

    Args:
        tx: A transaction that holds the lock of the actor's budget and of the chat.
        chat: The chat.
        quota: Counted by `admit`.
        outage: The reason why no run can begin, found before the transaction.
    """

    def __init__(
        self,
        tx: Transaction,
        chat: models.ChatSession,
        quota: Quota | None = None,
        outage: errors.RedisUnavailable | None = None,
    ) -> None:
        super().__init__(chat.id)
        self.tx = tx
        self.chat = chat
        self.allowance = usage.Allowance()
        self._quota = quota
        self._outage = outage

    def title(self, text: str) -> str:
        # A trigger gives a chat without a title the beginning of the question.
        return self.chat.title or " ".join(text[:1_000].split())[:80]

    async def is_busy(self) -> bool:
        return await runs.is_busy(self.tx, self.chat_id)

    async def require_new(self, message_id: UUID | None) -> None:
        if message_id is not None and await chat_of_message(self.tx, message_id) is not None:
            raise sent_already()

    async def require_files(self, paths: Sequence[str]) -> None:
        if not paths:
            return
        query = select(models.ChatFile.path).where(
            col(models.ChatFile.chat_session_id) == self.chat_id,
            col(models.ChatFile.path).in_(paths),
            ~col(models.ChatFile.deleted),
        )
        if {*paths} - {*(await self.tx.session.exec(query)).all()}:
            raise errors.NotFound("file")

    async def require_last(self, message_id: UUID, refusal: str) -> None:
        query = select(exists().where(col(models.Message.parent_id) == message_id))
        if (await self.tx.session.exec(query)).one():
            raise errors.Conflict(refusal)

    async def row(self, message_id: UUID) -> models.Message | None:
        row = await self.tx.session.get(models.Message, message_id)
        return row if row is not None and row.chat_session_id == self.chat_id else None

    async def waiting(self) -> Sequence[models.Message]:
        query = select(models.Message).where(
            col(models.Message.chat_session_id) == self.chat_id,
            col(models.Message.status) == MessageStatus.WAITING,
            col(models.Message.user_id) == self.tx.actor.user_id,
        )
        return (await self.tx.session.exec(query)).all()

    async def end(self) -> UUID | None:
        end = await chats.end_of_path(self.tx, self.chat_id)
        query = select(models.Message.status).where(col(models.Message.id) == end)
        if (await self.tx.session.exec(query)).one_or_none() is MessageStatus.WAITING:
            raise errors.Conflict(texts.english("sharing.refused_waits"))
        return end

    async def admit(self, *, is_question: bool = True) -> None:
        if self._outage is not None:
            raise self._outage
        chats.require_room(self.chat)
        self.allowance = await usage.allowance(self.tx, self.tx.actor)
        if is_question:
            await usage.throttle(self.tx.actor)
        if self._quota is not None:
            await self._quota.take()

    async def queue(self, row: models.QueuedMessage) -> Queued:
        mine = select(func.count()).where(*queue_of(self.tx.actor, self.chat_id))
        if (await self.tx.session.exec(mine)).one() >= MOST_QUEUED:
            raise errors.Invalid(texts.english("errors.queue_full", most=MOST_QUEUED), field="text")
        await usage.throttle(self.tx.actor)
        self.tx.session.add(row)
        return Queued(row.id, row.chat_session_id, row.parts)

    async def note_page(self, page: Mapping[str, Any]) -> None:
        if not page:
            return
        row = await self.tx.session.get(models.WidgetChat, self.chat_id)
        if row is not None and (changed := {**row.context, **page}) != row.context:
            statement = update(models.WidgetChat).where(col(models.WidgetChat.chat_session_id) == self.chat_id)
            await self.tx.session.exec(statement.values(context=changed))

    async def store(self, *rows: models.Message) -> None:
        self.tx.session.add_all(rows)
        await self.tx.session.flush()

    async def show(self, message_id: UUID) -> None:
        await chats.look_at(self.tx, self.chat_id, message_id)

    async def stay(self) -> None:
        await self.tx.call("leaf_stay_on_branches", self.chat_id)

    def begin(self, answer: models.Message) -> None:
        answer.reserved_tokens, answer.reserved_usd = self.allowance.tokens, self.allowance.usd
        super().begin(answer)

    async def announce(self) -> None:
        """Enqueues the run and notifies open pages with the commit; the lists of all participants show a run."""
        topics = [events.chat(self.chat_id)]
        if self.begun is not None:
            query = select(models.ChatParticipant.user_id).where(
                col(models.ChatParticipant.chat_session_id) == self.chat_id
            )
            topics += [events.user(user_id) for user_id in (await self.tx.session.exec(query)).all()]
            self.tx.after_commit(runs.enqueue, self.begun)
        self.tx.after_commit(events.publish, topics)
        for callback in self.callbacks:
            self.tx.after_commit(callback)


async def change(
    actor: Actor,
    work: Callable[[DatabaseDraft], Awaitable[T]],
    *,
    chat_id: UUID | None = None,
    message_id: UUID | None = None,
    quota: Quota | None = None,
) -> T:
    """Makes one change to a chat, in one transaction (`store.Store.change`)."""
    # A message that only waits is stored without Redis, too. No transaction is open during the question.
    outage = await runs.outage()
    try:
        async with transaction(actor) as tx:
            # The person before the chat, as everywhere: two transactions would wait for each other otherwise.
            await usage.lock(tx, actor)
            if chat_id is None and message_id is not None:
                chat_id = await chat_of_message(tx, message_id)
            if chat_id is None:
                raise errors.NotFound("message")
            draft = DatabaseDraft(tx, await chats.find(tx, chat_id, lock=True), quota, outage)
            result = await work(draft)
            await draft.announce()
    except errors.LimitReached as error:
        await security.limit_reached(actor, error.code)
        raise
    return result


async def chat_of_message(tx: Transaction, message_id: UUID) -> UUID | None:
    """The chat of a message that is stored or queued; None where there is none for this person."""
    for table in (models.Message, models.QueuedMessage):
        query = select(col(table.chat_session_id)).where(col(table.id) == message_id)
        if (found := (await tx.session.exec(query)).one_or_none()) is not None:
            return found
    return None


def queue_of(actor: Actor, chat_id: UUID) -> tuple[Any, ...]:
    """The condition for a person's own messages that wait in a chat."""
    return col(models.QueuedMessage.chat_session_id) == chat_id, col(models.QueuedMessage.user_id) == actor.user_id
