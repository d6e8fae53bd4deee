"""Changes to conversations in the database. Each change is one transaction that holds the lock of the chat."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from sqlalchemy import union_all, update
from sqlmodel import col, exists, func, select

from leaf import errors, texts
from leaf.db import models
from leaf.db.models import MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services import chats, preferences, runs, security, usage
from leaf.services.conversations.store import Draft, NamedChat, Queued, Quota, sent_already
from leaf.services.files.store import Store, lock_of
from leaf.services.files.uploads import Upload, put
from leaf.services.library.scope import ChatScope

MOST_QUEUED = 20
"""The largest number of queued messages of one person in a chat."""

# The statuses are literals, so that the planner can use the partial index of open answers.
_CHAT_STATE = """
    SELECT
        leaf_is_participant(:chat) AS takes_part,
        EXISTS (
            SELECT FROM messages m WHERE m.chat_session_id = :chat AND m.status IN ('pending', 'streaming')
        ) AS busy,
        EXISTS (
            SELECT FROM messages m WHERE m.chat_session_id = :chat AND m.status = 'waiting' AND m.user_id = :person
        ) AS waits,
        (
            SELECT p.branch_id FROM chat_participants p WHERE p.chat_session_id = :chat AND p.user_id = :person
        ) AS branch_id,
        ARRAY (SELECT p.user_id FROM chat_participants p WHERE p.chat_session_id = :chat) AS people,
        newest.id AS newest_id, newest.is_others AS newest_is_others, newest.metadata AS details,
        chosen.search_mode, chosen.model_type
    FROM (VALUES (1)) AS one
    LEFT JOIN user_settings chosen ON chosen.user_id = :person
    LEFT JOIN LATERAL (
        SELECT m.id, m.metadata, m.status = 'waiting' AND m.user_id IS DISTINCT FROM :person AS is_others
        FROM messages m WHERE m.chat_session_id = :chat ORDER BY m.position DESC LIMIT 1
    ) newest ON true
"""

T = TypeVar("T")


@dataclass
class _ChatState:
    """The state of a chat before a change, for its actor. It cannot change while the chat is locked."""

    takes_part: bool
    """Whether the actor still takes part. The chat may have been deleted while the change waited for its lock."""
    busy: bool = False
    """Whether an answer is being written."""
    waits: bool = False
    """Whether an answer waits for a reply of the actor."""
    branch_id: UUID | None = None
    people: Sequence[UUID] = ()
    """The participants."""
    newest_id: UUID | None = None
    """The newest message."""
    newest_is_others: bool | None = None
    """Whether the newest message waits for a reply of another participant."""
    details: dict[str, Any] | None = None
    """The details of the newest message."""
    search_mode: str | None = None
    model_type: str | None = None


class DatabaseDraft(Draft):
    """A chat of the database that is open for a change.

    Args:
        tx: A transaction that holds the lock of the actor's budget and of the chat.
        chat: The chat.
        quota: The quota in which `admit` counts the question.
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
        self._state: _ChatState | None = None

    async def _read_state(self) -> _ChatState:
        """The state of the chat before the change, read once.

        Raises:
            errors.NotFound: The actor no longer takes part in the chat.
        """
        if self._state is None:
            values = {"chat": self.chat_id, "person": self.tx.actor.user_id}
            self._state = _ChatState(**(await self.tx.execute(_CHAT_STATE, values)).mappings().one())
        if not self._state.takes_part:
            raise errors.NotFound("chat")
        return self._state

    def title(self, text: str) -> str:
        # If a chat has no title, a trigger stores the beginning of the question as its title.
        return self.chat.title or " ".join(text[:1_000].split())[:80]

    async def is_busy(self) -> bool:
        return (await self._read_state()).busy

    async def preferred(self) -> preferences.Preferences:
        found = await self._read_state()
        return preferences.of(found.search_mode, found.model_type)

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

    async def keep(self, uploads: Sequence[Upload]) -> list[str]:
        store = Store(self.tx, self.chat_id, self.tx.actor.user_id)
        return [(await put(store, one)).path for one in uploads]

    async def require_last(self, message_id: UUID, refusal: str) -> None:
        query = select(exists().where(col(models.Message.parent_id) == message_id))
        if (await self.tx.session.exec(query)).one():
            raise errors.Conflict(refusal)

    async def row(self, message_id: UUID) -> models.Message | None:
        row = await self.tx.session.get(models.Message, message_id)
        return row if row is not None and row.chat_session_id == self.chat_id else None

    async def details_of(self, message_id: UUID) -> dict[str, Any]:
        found = await self._read_state()
        if message_id == found.newest_id:
            return found.details or {}
        query = select(models.Message.details).where(
            col(models.Message.id) == message_id, col(models.Message.chat_session_id) == self.chat_id
        )
        return {**((await self.tx.session.exec(query)).one_or_none() or {})}

    async def waiting(self) -> Sequence[models.Message]:
        if not (await self._read_state()).waits:
            return ()
        query = select(models.Message).where(
            col(models.Message.chat_session_id) == self.chat_id,
            col(models.Message.status) == MessageStatus.WAITING,
            col(models.Message.user_id) == self.tx.actor.user_id,
        )
        return (await self.tx.session.exec(query)).all()

    async def end(self) -> UUID | None:
        found = await self._read_state()
        end, is_others = found.newest_id, bool(found.newest_is_others)
        if found.branch_id is not None:
            end = (await chats.tree_of(self.tx, self.chat_id)).tip(found.branch_id)
            waits = col(models.Message.id) == end, col(models.Message.status) == MessageStatus.WAITING
            others = col(models.Message.user_id).is_distinct_from(self.tx.actor.user_id)
            is_others = (await self.tx.session.exec(select(exists().where(*waits, others)))).one()
        if is_others:
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

    async def limit_to(self, scope: ChatScope | None) -> None:
        if scope is not None:
            changed = update(models.ChatSession).where(col(models.ChatSession.id) == self.chat_id)
            await self.tx.session.exec(changed.values(scope=scope.data()))

    async def note_page(self, page: Mapping[str, Any]) -> None:
        if not page:
            return
        row = await self.tx.session.get(models.SiteChat, self.chat_id)
        if row is not None and (changed := {**row.context, **page}) != row.context:
            statement = update(models.SiteChat).where(col(models.SiteChat.chat_session_id) == self.chat_id)
            await self.tx.session.exec(statement.values(context=changed))

    async def store(self, *rows: models.Message) -> None:
        self.tx.session.add_all(rows)
        await self.tx.session.flush()

    async def show(self, message_id: UUID) -> None:
        await chats.store_branch(self.tx, self.chat_id, message_id)

    async def stay(self) -> None:
        await self.tx.call("leaf_stay_on_branches", self.chat_id)

    def begin(self, answer: models.Message) -> None:
        answer.reserved_tokens, answer.reserved_usd = self.allowance.tokens, self.allowance.usd
        super().begin(answer)

    async def announce(self) -> None:
        """Enqueues the run and notifies open pages after the commit.

        A run also changes the lists of chats of all participants.
        """
        topics = [events.chat(self.chat_id)]
        if self.begun is not None:
            topics += [events.chats_of(user_id) for user_id in (await self._read_state()).people]
            self.tx.after_commit(runs.enqueue, self.begun)
        self.tx.after_commit(events.publish, topics)
        for callback in self.callbacks:
            self.tx.after_commit(callback)


async def change(
    actor: Actor,
    work: Callable[[DatabaseDraft], Awaitable[T]],
    *,
    chat: UUID | NamedChat | None = None,
    message_id: UUID | None = None,
    quota: Quota | None = None,
    with_files: bool = False,
) -> T:
    """Makes one change to a chat, in one transaction (`store.Store.change`)."""
    # Redis is checked before the transaction, which must not wait for it. Without Redis, a message can still be queued.
    outage = await runs.outage()
    try:
        async with transaction(actor) as tx:
            # All transactions lock the budget before the chat. Otherwise two of them could deadlock.
            await usage.lock(tx, actor)
            if with_files and isinstance(chat, UUID):
                # All transactions lock the files before the chat.
                await tx.lock(lock_of(chat))
            draft = DatabaseDraft(tx, await _locked(tx, chat, message_id), quota, outage)
            result = await work(draft)
            await draft.announce()
    except errors.LimitReached as error:
        await security.limit_reached(actor, error.code)
        raise
    return result


async def _locked(tx: Transaction, chat: UUID | NamedChat | None, message_id: UUID | None) -> models.ChatSession:
    """The chat of a change, locked.

    Raises:
        errors.NotFound: The actor has no such chat.
    """
    if isinstance(chat, NamedChat):
        found = await chats.locked(tx, chat.name)
        if found is None and chat.may_begin:
            found, _ = await chats.create(tx, chat.name)
        if found is None:
            raise errors.NotFound("chat")
        return found
    chat_id = await chat_of_message(tx, message_id) if chat is None and message_id is not None else chat
    if chat_id is None:
        raise errors.NotFound("message")
    return await chats.find(tx, chat_id, lock=True)


async def chat_of_message(tx: Transaction, message_id: UUID) -> UUID | None:
    """The chat of a stored or queued message; None if this person has no such message."""
    stored, queued = (
        select(col(table.chat_session_id)).where(col(table.id) == message_id)
        for table in (models.Message, models.QueuedMessage)
    )
    return (await tx.execute(union_all(stored, queued))).scalars().first()


def queue_of(actor: Actor, chat_id: UUID) -> tuple[Any, ...]:
    """The condition for a person's own queued messages in a chat."""
    return col(models.QueuedMessage.chat_session_id) == chat_id, col(models.QueuedMessage.user_id) == actor.user_id
