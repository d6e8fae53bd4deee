"""The third stage: the answer is checked, its ending is chosen, and all chunks except the last are written."""

import dataclasses
import logging
import time
from dataclasses import dataclass
from decimal import Decimal

from pydantic_ai.exceptions import UsageLimitExceeded

from jobs.run import checks, endings, related, turns, usage
from jobs.run.endings import Ending
from jobs.run.state import Result, Run
from leaf import config, errors, parts, texts
from leaf.agent import modes, translate
from leaf.agent.translate import Failure
from leaf.db.models import utc_now
from leaf.parts import Chunk
from leaf.services import integrations, runs
from leaf.services import usage as ledger
from leaf.services.usage import Usage

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Conclusion:
    """The outcome to store, and the chunk that readers may see only after it is stored."""

    outcome: runs.Outcome
    last: Chunk
    """The `finish` chunk."""


async def conclude(run: Run, result: Result) -> Conclusion:
    """Writes the end of a run, except its last chunk."""
    if result.waits_for is None:
        run.messages = [*run.history, *turns.closed(run.turn)]
    used = usage.of_answer(run.task, run.turn, run.journal.dropped)
    whole = result.error is None and not result.stopped and result.waits_for is None
    await _append(run, await checks.checked(run.task, run.fold.parts, run.history, whole=whole))
    closing = await _ending(run, result, used)
    await run.writer.append(closing.chunks[:-1])
    for chunk in closing.chunks:
        run.fold.apply(chunk)
    outcome = dataclasses.replace(
        endings.outcome(closing, run.fold.message, turns.to_python(run.turn), used),
        duration_ms=round((time.time() - run.journal.began) * 1000),
        first_text_ms=run.timing.first_text_ms,
        responses=turns.responses(run.turn),
    )
    return Conclusion(outcome, closing.chunks[-1])


async def _ending(run: Run, result: Result, used: Usage) -> Ending:
    fold, error = run.fold, result.error
    if result.waits_for is not None:
        return endings.waiting(fold, result.waits_for, used)
    if result.stopped:
        return _out_of_time(run, used) if run.stop.out_of_time else endings.stopped(fold)
    if isinstance(error, UsageLimitExceeded):
        return await _limited(run, used)
    if error is not None:
        return endings.failed(fold, _failure(run, error))
    await _add_related_questions(run)
    return endings.completed(fold, translate.finish_reason(run.turn[-1]), used, run.task)


def _out_of_time(run: Run, used: Usage) -> Ending:
    if usage.is_overdue(run.task):
        return endings.failed(run.fold, _failure(run, runs.explanation(runs.RUN_TIMEOUT, "")))
    return endings.limited(run.fold, "time", used, steps=modes.steps(run.task.mode))


async def _limited(run: Run, used: Usage) -> Ending:
    task = run.task
    spent = usage.for_limits(task, run.turn, run.journal.dropped, run.window.summaries)
    limit = usage.limit_reached(run.turn, spent, task.mode, task.allowance)
    if limit in {"token budget", "usd budget"}:
        text = await _budget_notice(task, "tokens" if limit == "token budget" else "usd", used)
        return endings.partial(run.fold, "budget", text, used)
    return endings.limited(run.fold, limit, used, steps=modes.steps(task.mode))


async def _budget_notice(task: runs.Assignment, unit: ledger.Unit, used: Usage) -> str:
    """A sentence for the asker: how much of the budget is left, and when it resets.

    Args:
        task: The assignment of the run.
        unit: The unit of the budget that has ended the answer.
        used: The usage of the answer, which is not in the ledger yet.
    """
    if not task.actor.audience.sees_budget:
        # Site visitors are not told about the budget of the site.
        return texts.english("budgets.answer_site")
    own = Decimal(used.input_tokens + used.output_tokens) if unit == "tokens" else used.cost_usd or Decimal(0)
    try:
        standings = [one.after(own) for one in await ledger.standings(task.actor) if one.unit == unit]
    except errors.DatabaseUnavailable:
        standings = []
    least = min(standings, key=lambda standing: standing.left, default=None)
    return texts.english("budgets.answer_unknown") if least is None else ledger.ended(least, utc_now())


def _failure(run: Run, error: Exception) -> Failure:
    # With the model's id, the text of a failure may name the address of a model server.
    failure = translate.explain(error, run.task.model if run.task.actor.audience.sees_models else "")
    if failure.code == "internal_error":
        log.error("run %s failed", run.task.run_id, exc_info=error)
    else:
        log.warning("run %s failed: %s (%s)", run.task.run_id, failure.code, type(error).__name__)
    return failure


async def _add_related_questions(run: Run) -> None:
    """Adds related questions after a complete answer.

    A checkpoint is written first, so that a worker that takes over does not write the answer again.
    """
    text = parts.answer_text(run.fold.message)
    if not config.current().related_questions or not text or not run.task.actor.audience.related_questions:
        return
    drive = await _drive(run)
    if drive in {"trouble", "error"} or parts.drive_failed(run.fold.parts):
        return  # Leaf could not answer them either.
    await run.journal.checkpoint(run.messages)
    async for chunk in related.questions(run.task, text, run.stop.requested, has_files=drive == "connected"):
        await _append(run, [chunk])


async def _drive(run: Run) -> integrations.State:
    """The state of the asker's Drive; `connected` if the database does not answer."""
    if not run.task.actor.audience.has_drive:
        return "none"
    try:
        return integrations.state_of(await integrations.cards(run.task.actor))
    except errors.DatabaseUnavailable:
        return "connected"


async def _append(run: Run, chunks: list[Chunk]) -> None:
    for chunk in chunks:
        run.fold.apply(chunk)
    if chunks:
        await run.writer.append(chunks)
