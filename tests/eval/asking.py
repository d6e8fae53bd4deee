"""Asking the questions as a page does."""

import asyncio
import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from uuid import UUID

from leaf.db import Actor, models, transaction
from leaf.services import chats, conversations
from tests.acceptance.readers import reading
from tests.eval import cases
from tests.eval.cases import Case
from tests.eval.system import System
from tests.eval.transcript import Answer, Set

ANSWER_SECONDS = 900.0


async def ask_all(
    system: System,
    questions: Sequence[Case],
    *,
    of: Set = "sample",
    at_once: int = 4,
    told: Callable[[Case, Answer], None],
) -> list[Answer]:
    """Asks all questions, several of them at the same time; the answers are in the order of the questions.

    Args:
        system: The services.
        questions: The questions.
        of: The set that they belong to.
        at_once: The number of questions that are asked at the same time.
        told: Is called with each answer.
    """
    places = asyncio.Semaphore(at_once)

    async def one(case: Case) -> Answer:
        async with places:
            answer = await ask(system, case, of)
        told(case, answer)
        return answer

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(case)) for case in questions]
    return [task.result() for task in tasks]


async def ask(system: System, case: Case, of: Set) -> Answer:
    """Asks one question in a chat of its own, after those before it."""
    actor = system.actors[case.account]
    chat_id: UUID | None = None
    began, status, run_id = time.monotonic(), "", None
    for text in case.asks:
        began = time.monotonic()
        # A chat without messages is opened again by whoever wants a new one.
        async with system.sending:
            chat_id = chat_id or await chats.new(actor)
            turn = await conversations.ask(actor, chat_id, cases.asked(text, str(system.stack.settings.sandbox_url)))
        run_id = turn.assistant.run_id
        async with reading(actor, run_id) as reader:
            stored = await reader.end(seconds=ANSWER_SECONDS)
        status = stored.status
    seconds = time.monotonic() - began
    row = await _row(actor, run_id)
    return Answer(
        of=of,
        id=case.id,
        asked=[*case.asks],
        status=str(status),
        parts=[dict(part) for part in row.parts],
        requests=row.requests or 0,
        input_tokens=row.input_tokens or 0,
        output_tokens=row.output_tokens or 0,
        cost_usd=float(row.cost_usd) if isinstance(row.cost_usd, Decimal) else None,
        seconds=round(seconds, 2),
    )


async def _row(actor: Actor, run_id: UUID | None) -> models.Message:
    from sqlmodel import col, select

    async with transaction(actor, read_only=True) as tx:
        query = select(models.Message).where(col(models.Message.workflow_run_id) == run_id)
        return (await tx.session.exec(query.where(col(models.Message.role) == models.MessageRole.ASSISTANT))).one()
