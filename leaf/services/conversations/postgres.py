"""What a worker does with a run: learns what to answer, and stores the answer. Pages and routes never come here."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import text as sql
from sqlmodel import col, select

from leaf import catalog, client_tools, parts
from leaf.catalog import Mode
from leaf.client_tools import Declared
from leaf.db import models
from leaf.db.models import MessageRole, MessageStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.redis import events
from leaf.services import chats, participants, preferences, summaries, usage
from leaf.services.runs import calling, choosing, queueing
from leaf.services.runs.waiting import Waited, waited
from leaf.visiting import PublicAgent, Visit


@dataclass(frozen=True)
class Assignment:
    """What a worker needs to write an answer."""

    actor: Actor
    run_id: UUID
    message_id: UUID
    chat_id: UUID
    model: str
    mode: Mode
    details: dict[str, Any]
    """What the answer says of itself from its beginning on: mode, type and model."""
    question: str
    untitled: bool
    """Whether its chat has no title yet but the question's first words."""
    waited: Waited | None
    """Where it goes on from, if it had stopped to wait for its reader."""
    history: list[list[dict[str, Any]]]
    """The `model_messages` of earlier turns, the oldest first, without those that the summary covers."""
    turns: list[UUID] = field(default_factory=list[UUID])
    """The answers of these turns."""
    summary: chats.Summary | None = None
    """Stands for the turns before them."""
    approvals: bool = True
    """Whether calls that could send something out wait for the asker."""
    earlier_tools: frozenset[str] = frozenset()
    """The tools of the turns that the summary covers."""
    asked: list[parts.Part] = field(default_factory=list[parts.Part])
    """The parts of the question: its words, the files that it names, and those that came with it."""
    clicked: frozenset[str] = frozenset()
    """The questions that the asker sent by a click on what an answer offered: their words are a model's."""
    instructions: str = ""
    """What the asker wants the agent to be told with every question."""
    tools: Declared | None = None
    """Tools that run at the caller."""
    ends_at: float | None = None
    """When an answer with such tools is ended (Unix time, seconds)."""
    allowance: usage.Allowance = field(default_factory=usage.Allowance)
    """What is set aside for it of the asker's budgets."""
    visit: Visit | None = None
    """The tenant's agent that answers, and the page of the visitor who asks; None where Leaf itself answers."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended. Token counts are of the whole answer; `cost_usd` is None where the price is not known."""

    status: MessageStatus
    parts: list[dict[str, Any]]
    details: dict[str, Any]
    model_messages: list[dict[str, Any]]
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    thinking_tokens: int = 0
    requests: int = 0
    duration_ms: int | None = None
    first_text_ms: int | None = None
    cost_usd: Decimal | None = None
    error_code: str | None = None
    error_text: str | None = None


async def assignment(run_id: UUID) -> Assignment | None:
    """What a worker needs for a run; None where the run is gone or has ended."""
    async with transaction(Actor.system(), read_only=True) as tx:
        connection = await tx.session.connection()
        owner = (await connection.execute(sql("SELECT leaf_run_owner(:run)"), {"run": run_id})).scalar_one_or_none()
        if owner is None:
            return None
        await tx.go_on_as(Actor.worker_for(owner))
        query = select(models.Message).where(col(models.Message.workflow_run_id) == run_id)
        answer = (await tx.session.exec(query)).one_or_none()
        if answer is None or answer.status not in chats.UNFINISHED:
            return None
        chat = await chats.find(tx, answer.chat_session_id)
        # What stands on other branches is nothing that this answer knows of.
        path = (await chats.grow(tx, chat.id)).path(answer.id)[:-1]
        summary, covered = await summaries.newest(tx, chat, path)
        earlier = select(models.Message).where(chats.among(path[covered:])).order_by(col(models.Message.position))
        messages = (await tx.session.exec(earlier)).all()
        earlier_tools = await _tools_of(tx, path[:covered])
        offering = await _offering(tx, path)
        preferred = await preferences.find(tx)
        workspace_id = await participants.workspace_of(tx, chat.id)
        # What one of several has read is not sent out because another one has turned the questions off.
        asks = chat.approvals or len(await participants.read(tx, chat.id)) > 1
        visit = await _visit(tx, chat.id)
    questions = [_text(m) for m in messages if m.role is MessageRole.USER]
    model, details = choosing.model_of(answer)
    return Assignment(
        actor=Actor("worker", owner, workspace_id),
        run_id=run_id,
        message_id=answer.id,
        chat_id=chat.id,
        model=model,
        mode=catalog.chosen(answer.details.get("searchMode"), None)[0],
        details=details,
        question=questions[-1],
        asked=next(m.parts for m in reversed(messages) if m.role is MessageRole.USER),
        untitled=chat.title_source == "question",
        waited=waited(answer, details),
        tools=client_tools.stored(answer.client_tools),
        ends_at=calling.ends_at(answer).timestamp() if answer.client_tools is not None else None,
        history=[m.model_messages for m in messages if m.model_messages],
        allowance=_allowance(answer),
        turns=[m.id for m in messages if m.model_messages],
        summary=summary,
        approvals=asks,
        earlier_tools=earlier_tools,
        instructions=preferred.instructions,
        clicked=parts.clicked(questions, offering),
        visit=visit,
    )


async def _visit(tx: Transaction, chat_id: UUID) -> Visit | None:
    """The agent that answers in a visitor's chat as it is set now, and what the visitor's page says of itself."""
    query = sql("SELECT agent, context FROM leaf_agent_of_chat(:chat)")
    row = (await (await tx.session.connection()).execute(query, {"chat": chat_id})).one_or_none()
    return Visit(PublicAgent.of(row.agent), row.context) if row is not None else None


def _text(question: models.Message) -> str:
    return "".join(str(part.get("text", "")) for part in question.parts)


async def _offering(tx: Transaction, message_ids: Sequence[UUID]) -> list[parts.Part]:
    """The parts of some messages that offer something to click on."""
    query = sql(
        "SELECT part FROM messages, jsonb_array_elements(parts) AS part "
        "WHERE id = ANY(:path) AND part ->> 'type' = ANY(:types)"
    )
    given = {"path": [*message_ids], "types": list(parts.OFFERING)}
    rows = await (await tx.session.connection()).execute(query, given)
    return [row.part for row in rows]


async def _tools_of(tx: Transaction, message_ids: Sequence[UUID]) -> frozenset[str]:
    """The names of all tools that were called in some messages, or that models are told were called in them.

    What comes from a file of chats is only in the latter: it was read, though no part of its message says so.
    """
    if not message_ids:
        return frozenset()
    query = sql(
        "SELECT DISTINCT coalesce(part ->> 'toolName', substr(part ->> 'type', 6)) AS tool "
        "FROM messages, jsonb_array_elements(parts) AS part "
        "WHERE id = ANY(:covered) AND (part ->> 'type' LIKE 'tool-%' OR part ->> 'type' = 'dynamic-tool') "
        "UNION SELECT part ->> 'tool_name' FROM messages, "
        "jsonb_path_query(model_messages, '$[*].parts[*] ? (@.part_kind == \"tool-return\")') AS part "
        "WHERE id = ANY(:covered) AND requests IS NULL"  # Leaf's own answers are long, and their parts say it all.
    )
    rows = await (await tx.session.connection()).execute(query, {"covered": [*message_ids]})
    return frozenset(row.tool for row in rows)


def _allowance(answer: models.Message) -> usage.Allowance:
    """What a run may use; one that goes on counts what was used before it had to wait."""
    tokens, usd = answer.reserved_tokens, answer.reserved_usd
    if answer.answers is not None:
        used = (answer.input_tokens or 0) + (answer.output_tokens or 0)
        tokens = None if tokens is None else tokens + used
        usd = None if usd is None else usd + (answer.cost_usd or 0)
    return usage.Allowance(tokens, usd)


async def finish(task: Assignment, outcome: Outcome) -> bool:
    """The one UPDATE at the end of a run; what it used is entered with it, and also where the answer is gone.

    With an answer that is done the next message that waits in its chat is sent, by the same transaction (decision
    0029).

    Returns:
        False where the answer is gone, was finished by somebody else, or belongs to another run by now.
    """
    while True:
        with suppress(queueing.QueueChanged):
            return await _finish(task, outcome)


async def _finish(task: Assignment, outcome: Outcome) -> bool:
    """Raises queueing.QueueChanged where it has to be tried again; nothing has changed then."""
    async with transaction(task.actor) as tx:
        writer = await queueing.writer_of_next(tx, task.chat_id) if outcome.status is MessageStatus.COMPLETED else None
        if writer is not None:
            # The person before the chat, as everybody does: each would wait for the other else.
            await usage.lock(tx, writer)
        query = (
            select(models.Message)
            .join(models.ChatSession, col(models.ChatSession.id) == col(models.Message.chat_session_id))
            .where(col(models.Message.workflow_run_id) == task.run_id)
            .where(col(models.Message.status).in_(chats.UNFINISHED))
            # First the chat, as a deletion does: each would wait for the other else.
            .with_for_update(of=models.ChatSession)
        )
        row = (await tx.session.exec(query)).one_or_none()
        if row is None:
            await usage.enter(tx, task.actor, _entry(task, outcome), chat_id=task.chat_id, message_id=task.message_id)
            return False
        settle(row, task.model, outcome)
        if outcome.status is MessageStatus.COMPLETED:
            chat = await tx.session.get_one(models.ChatSession, row.chat_session_id)
            await queueing.follow_up(tx, chat, writer)
    return True


def settle(row: models.Message, model: str, outcome: Outcome) -> None:
    """Writes how a run ended into the row of its answer.

    Args:
        row: The row.
        model: `provider:name` of the model that answered.
        outcome: How it ended.
    """
    row.status = outcome.status
    row.parts = outcome.parts
    row.details = outcome.details
    row.model = model
    row.model_messages = outcome.model_messages
    row.input_tokens, row.output_tokens = outcome.input_tokens, outcome.output_tokens
    row.cache_read_tokens, row.cache_write_tokens = outcome.cache_read_tokens, outcome.cache_write_tokens
    row.thinking_tokens, row.requests = outcome.thinking_tokens, outcome.requests
    row.duration_ms, row.cost_usd = outcome.duration_ms, outcome.cost_usd
    row.first_text_ms = outcome.first_text_ms
    row.answers = None
    calling.await_next(row)
    row.error_code, row.error_text = outcome.error_code, outcome.error_text


def _entry(task: Assignment, outcome: Outcome) -> usage.Entry:
    """What this run alone has used: of those before it, it was entered when the answer began to wait."""
    whole = usage.Usage(
        outcome.input_tokens,
        outcome.output_tokens,
        outcome.cache_read_tokens,
        outcome.cache_write_tokens,
        outcome.cost_usd,
        outcome.thinking_tokens,
        outcome.requests,
    )
    own = whole.since(task.waited.used) if task.waited is not None else whole
    return usage.Entry(
        task.run_id, "answer", task.model, **vars(own), duration_ms=outcome.duration_ms,
        first_text_ms=outcome.first_text_ms, failed=outcome.status is MessageStatus.ERROR,
    )  # fmt: skip


async def announce(task: Assignment) -> None:
    """Tells open pages that the run has ended."""
    if task.actor.user_id is None:
        return
    async with transaction(task.actor, read_only=True) as tx:
        people = {one.user_id for one in await participants.read(tx, task.chat_id)} | {task.actor.user_id}
    await events.publish([events.chat(task.chat_id), *(events.user(one) for one in people)])


async def unfinished(older_than: timedelta) -> list[UUID]:
    """Runs that the database holds for unfinished, whose runs began so long ago, the oldest first."""
    async with transaction(Actor.system()) as tx:
        connection = await tx.session.connection()
        rows = await connection.execute(sql("SELECT run_id FROM leaf_unfinished_runs(:age)"), {"age": older_than})
        return [row.run_id for row in rows]
