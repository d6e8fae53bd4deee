"""Conversations of members and site visitors, stored in the database (`store.Store`)."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlmodel import col, select

from leaf import audiences, errors, parts
from leaf.config import catalog
from leaf.db import models
from leaf.db.models import MessageRole, MessageStatus, utc_now
from leaf.db.session import Actor, Transaction, transaction
from leaf.google import links
from leaf.parts import client_tools, question_files
from leaf.parts.summaries import Summary
from leaf.redis import events
from leaf.services import chats, knowledge, participants, usage
from leaf.services.chats import open  # noqa: A004 - one of the store's functions
from leaf.services.conversations import queue
from leaf.services.conversations.drafts import change, chat_of_message
from leaf.services.conversations.store import Turn, id_of
from leaf.services.library.scope import ChatScope
from leaf.services.runs import Assignment, Outcome, calls
from leaf.services.runs import answer as answers
from leaf.sites import NO_SITE, SiteAgent, SiteChat

__all__ = [
    "active", "announce", "assignment", "change", "ended", "finish", "message_id", "open", "require", "result", "sent",
    "unfinished",
]  # fmt: skip


async def require(actor: Actor, chat_id: UUID) -> None:
    """Raises errors.NotFound if the actor has no such chat."""
    async with transaction(actor, read_only=True) as tx:
        await chats.find(tx, chat_id)


async def result(actor: Actor, run_id: UUID) -> chats.Message:
    """The stored answer of a run.

    Raises:
        errors.NotFound: The person has no such run. Every access to a run is checked here.
    """
    async with transaction(actor, read_only=True) as tx:
        query = select(models.Message).where(col(models.Message.workflow_run_id) == run_id)
        row = errors.found((await tx.session.exec(query)).one_or_none(), "answer")
    return chats.message_of(row)


async def active(actor: Actor, chat_id: UUID) -> Turn | None:
    """The turn whose answer is being written in a chat, on any branch; None while no answer is being written.

    Raises:
        errors.NotFound: The actor has no such chat.
    """
    async with transaction(actor, read_only=True) as tx:
        chat = await chats.find(tx, chat_id)
        query = select(models.Message).where(
            col(models.Message.chat_session_id) == chat_id, col(models.Message.status).in_(chats.UNFINISHED)
        )
        answer = (await tx.session.exec(query.limit(1))).first()
        if answer is None:
            return None
        asked = await tx.session.get_one(models.Message, answer.parent_id)
    return Turn(chats.message_of(asked), chats.message_of(answer), chats.title_of(chat), chat_id, asked.parent_id)


async def ended(actor: Actor, chat_id: UUID, within: timedelta) -> chats.Message | None:
    """The newest answer of a chat, by its last change; None if that is longer ago than `within`.

    Raises:
        errors.NotFound: The actor has no such chat.
    """
    async with transaction(actor, read_only=True) as tx:
        await chats.find(tx, chat_id)
        query = (
            select(models.Message)
            .where(
                col(models.Message.chat_session_id) == chat_id,
                col(models.Message.role) == MessageRole.ASSISTANT,
                col(models.Message.updated_at) > utc_now() - within,
            )
            .order_by(col(models.Message.updated_at).desc())
            .limit(1)
        )
        row = (await tx.session.exec(query)).first()
    return chats.message_of(row) if row is not None else None


def message_id(actor: Actor, key: object) -> UUID | None:
    """The id of a message that the person's page sends under a key."""
    return id_of(actor.user_id, key) if actor.user_id is not None else None


async def sent(actor: Actor, key: str) -> UUID | None:
    """The chat of the stored or queued message that was sent under a key; None if this person has no such message."""
    found = message_id(actor, key)
    if found is None:
        return None
    async with transaction(actor, read_only=True) as tx:
        return await chat_of_message(tx, found)


# Reads everything about a run except the messages on its path, in one statement.
_RUN_SETTINGS = """
    SELECT
        (SELECT s.instructions FROM user_settings s WHERE s.user_id = :person) AS instructions,
        (
            SELECT p.instructions FROM projects p JOIN chat_participants c ON c.project_id = p.id
            WHERE c.chat_session_id = :chat AND c.user_id = :person
        ) AS project_instructions,
        (SELECT count(*) FROM chat_participants c WHERE c.chat_session_id = :chat) > 1 AS is_shared,
        EXISTS (
            SELECT FROM watches w WHERE w.question_id = :question AND w.user_id = :person AND w.kind = 'appear'
                AND w.ended_at IS NULL
        ) AS awaits,
        leaf_workspace_in(:chat) AS workspace_id, site.agent, site.context
    FROM (VALUES (1)) AS one LEFT JOIN leaf_agent_of_chat(:chat) AS site ON true
"""


async def assignment(run_id: UUID) -> Assignment | None:
    """Everything that a worker needs for a run; None if the run is gone or has ended."""
    async with transaction(Actor.system(), read_only=True) as tx:
        owner = (await tx.call("leaf_run_owner", run_id)).scalar_one_or_none()
        if owner is None:
            return None
        await tx.go_on_as(Actor.worker_for(owner))
        found = await _answer_of(tx, run_id)
        if found is None or found[0].status not in chats.UNFINISHED:
            return None
        answer, chat = found
        values = {"chat": chat.id, "person": owner, "question": answer.parent_id}
        run_settings = (await tx.execute(_RUN_SETTINGS, values)).one()
        scope = ChatScope.of(chat.scope)
        # A run gets only the branch of its answer. With a scope, all questions of the path are read, because the files
        # that they name are allowed.
        path = (await tx.call("leaf_path", answer.id, [*parts.OFFERING], bool(scope))).all()
        site = await _site(tx, run_settings)
    seen = [one for one in path if not one.covered]
    asked = [one.parts for one in seen if one.role == MessageRole.USER]
    turns = [one for one in seen if one.model_messages]
    summarised = next((one for one in path if one.summary is not None), None)
    offering = [part for one in path for part in one.offers or ()]
    own = [one.parts for one in path if one.parts and one.user_id == owner] if scope else []
    questions = [parts.question_text(one) for one in asked]
    model, details = answers.model_of(answer)
    audience = audiences.MEMBER if site is NO_SITE else audiences.SITE_VISITOR
    return Assignment(
        actor=Actor.worker_for(owner, run_settings.workspace_id, audience=audience),
        run_id=run_id,
        message_id=answer.id,
        chat_id=chat.id,
        model=model,
        mode=catalog.chosen(answer.details.get("searchMode"), None)[0],
        details=details,
        question=questions[-1],
        asked=asked[-1],
        untitled=chat.title_source == "question",
        waited=answers.waited(answer, details),
        tools=client_tools.stored(answer.client_tools),
        ends_at=calls.ends_at(answer).timestamp() if answer.client_tools is not None else None,
        history=[one.model_messages for one in turns],
        allowance=_allowance(answer),
        turns=[one.id for one in turns],
        summary=Summary(summarised.id, summarised.summary) if summarised is not None else None,
        # In a shared chat, a participant must not turn off the approvals for the files of others.
        approvals=chat.approvals or run_settings.is_shared,
        earlier_tools=frozenset(summarised.tools) if summarised is not None else frozenset(),
        instructions=run_settings.instructions or "",
        project_instructions=run_settings.project_instructions or "",
        awaits=run_settings.awaits,
        suggested=parts.suggested(questions, offering),
        scope=scope,
        linked=_linked(own, offering),
        site=site,
        chat_tools=frozenset(chat.tools) if chat.tools is not None else None,
        thinking_tokens=chat.thinking_tokens,
    )


async def _answer_of(tx: Transaction, run_id: UUID) -> tuple[models.Message, models.ChatSession] | None:
    """The answer of a run, and its chat."""
    query = (
        select(models.Message, models.ChatSession)
        .join(models.ChatSession, col(models.ChatSession.id) == col(models.Message.chat_session_id))
        .where(col(models.Message.workflow_run_id) == run_id)
    )
    return (await tx.session.exec(query)).one_or_none()


def _linked(questions: Sequence[list[parts.Part]], offering: Sequence[parts.Part]) -> frozenset[str]:
    """The ids of files and folders that questions link to or mention. Links in suggested questions do not count."""
    texts = [parts.question_text(asked) for asked in questions]
    suggested = parts.suggested(texts, offering)
    linked = {link.id for words in texts if words not in suggested for link in links.named(words)}
    mentioned = {one.id for asked in questions for one in question_files.mentions_of(asked)}
    return frozenset(linked | mentioned)


async def _site(tx: Transaction, run_settings: Any) -> SiteChat:
    """The agent, the page's context and the titles of the sources of a site's chat; `NO_SITE` for any other chat."""
    if run_settings.agent is None:
        return NO_SITE
    agent = SiteAgent.of(run_settings.agent)
    return SiteChat(agent, run_settings.context, tuple(one.title for one in await knowledge.sources(tx, agent.id)))


def _allowance(answer: models.Message) -> usage.Allowance:
    """The allowance of a run. If it continues an answer, the usage of the runs before it is added to the allowance."""
    tokens, usd = answer.reserved_tokens, answer.reserved_usd
    if answer.answers is not None:
        used = (answer.input_tokens or 0) + (answer.output_tokens or 0)
        tokens = None if tokens is None else tokens + used
        usd = None if usd is None else usd + (answer.cost_usd or 0)
    return usage.Allowance(tokens, usd)


async def finish(task: Assignment, outcome: Outcome) -> bool:
    """Stores the outcome and the usage of a run in one transaction. The usage is stored even if the answer is gone.

    If the answer is completed, the same transaction sends the next queued message of its chat (decision 0029).

    Returns:
        False if the answer is gone, was finished before, or now belongs to another run.
    """
    while True:
        with suppress(queue.QueueChanged):
            return await _finish(task, outcome)


async def _finish(task: Assignment, outcome: Outcome) -> bool:
    """Tries once to store the outcome of a run (`finish`).

    Raises:
        queue.QueueChanged: The next queued message is from another writer. Nothing was stored; try again.
    """
    async with transaction(task.actor) as tx:
        writer = await queue.writer_of_next(tx, task.chat_id) if outcome.status is MessageStatus.COMPLETED else None
        if writer is not None:
            # All transactions lock the budget before the chat. Otherwise two of them could deadlock.
            await usage.lock(tx, Actor.worker_for(writer))
        # Lock the chat before the answer, as a deletion does, so that the two cannot deadlock. Read the answer only
        # after that, because a deletion may have removed it meanwhile.
        locked = select(models.ChatSession).where(col(models.ChatSession.id) == task.chat_id).with_for_update()
        chat = (await tx.session.exec(locked)).one_or_none()
        query = (
            select(models.Message)
            .where(col(models.Message.workflow_run_id) == task.run_id)
            .where(col(models.Message.status).in_(chats.UNFINISHED))
        )
        row = (await tx.session.exec(query)).one_or_none() if chat is not None else None
        if chat is None or row is None:
            await usage.enter(tx, task.actor, _entry(task, outcome), chat_id=task.chat_id, message_id=task.message_id)
            return False
        answers.settle(row, task.model, outcome)
        if outcome.status is MessageStatus.COMPLETED:
            await queue.follow_up(tx, chat, writer)
    return True


def _entry(task: Assignment, outcome: Outcome) -> usage.Entry:
    """The usage of this run alone. The usage of earlier runs was entered when the answer began to wait."""
    own = outcome.used.since(task.waited.used) if task.waited is not None else outcome.used
    return usage.Entry(
        task.run_id, "answer", task.model, **vars(own), duration_ms=outcome.duration_ms,
        first_text_ms=outcome.first_text_ms, failed=outcome.status is MessageStatus.ERROR,
    )  # fmt: skip


async def announce(task: Assignment) -> None:
    """Notifies open pages of the end of a run."""
    if task.actor.user_id is None:
        return
    async with transaction(task.actor, read_only=True) as tx:
        people = {one.user_id for one in await participants.read(tx, task.chat_id)} | {task.actor.user_id}
    await events.publish([events.chat(task.chat_id), *(events.chats_of(one) for one in people)])


async def unfinished(older_than: timedelta) -> list[UUID]:
    """Ids of unfinished runs that began at least `older_than` ago, the oldest first."""
    async with transaction(Actor.system()) as tx:
        return [row.run_id for row in await tx.call("leaf_unfinished_runs", older_than)]
