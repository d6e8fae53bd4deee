"""Asking the questions as a page does, and what comes of each."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from leaf import parts
from leaf.db import Actor, models, transaction
from leaf.services import chats, conversations
from tests.acceptance.readers import reading
from tests.eval import cases, judging
from tests.eval.cases import Case
from tests.eval.system import System

ANSWER_SECONDS = 900.0


@dataclass(frozen=True)
class Result:
    """The result of one question."""

    id: str
    category: str
    right: bool
    problems: list[str]
    text: str
    cited: list[str]
    precision: float | None
    recall: float | None
    quotes: int
    unverified: int
    tools: list[str]
    """The tools that were called, in their order."""
    steps: int
    """Requests to the model."""
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """The cost; None if the model's price is unknown."""
    seconds: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


async def ask_all(
    system: System,
    questions: Sequence[Case],
    *,
    at_once: int = 4,
    told: Callable[[Result], None] = lambda _: None,
    known: Mapping[str, str] | None = None,
) -> list[Result]:
    """Asks all questions, several of them at the same time; the results are in the order of the questions.

    Args:
        system: The services.
        questions: The questions.
        at_once: The number of questions that are asked at the same time.
        told: Is called with each result.
        known: The paths of the files of the Drive by their ids; None for those of the sample.
    """
    places = asyncio.Semaphore(at_once)

    async def one(case: Case) -> Result:
        async with places:
            result = await ask(system, case, known)
        told(result)
        return result

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(case)) for case in questions]
    return [task.result() for task in tasks]


async def ask(system: System, case: Case, known: Mapping[str, str] | None = None) -> Result:
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
    verdict = judging.judge(case, status, row.parts, known)
    return Result(
        id=case.id,
        category=case.category,
        right=verdict.right,
        problems=[*verdict.problems],
        text="\n\n".join(part["text"] for part in row.parts if part["type"] == "text"),
        cited=[*verdict.cited],
        precision=verdict.precision,
        recall=verdict.recall,
        quotes=verdict.quotes,
        unverified=verdict.unverified,
        tools=[parts.tool_name(part) for part in row.parts if parts.is_tool(part)],
        steps=row.requests or 0,
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
