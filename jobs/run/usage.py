"""The usage of a run: tokens and dollars for the database, and the limits of one answer.

A `turn` consists of the model's messages from the question on. `dropped` are replies of this run that broke off and
were requested again. They cost tokens, but do not count as steps.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.usage import RunUsage, UsageLimits

from jobs.run import turns
from leaf import config
from leaf.agent import modes, pricing
from leaf.agent.context import costs
from leaf.config.catalog import Mode
from leaf.parts.summaries import Summary
from leaf.services import usage as ledger
from leaf.services.runs import Assignment
from leaf.services.usage import Allowance, Usage

Limit = Literal["steps", "tokens", "cost", "time", "token budget", "usd budget"]
"""The limits that may end an answer before it is complete."""


def of_messages(messages: Sequence[ModelMessage], model_id: str) -> Usage:
    """The usage of messages, summed over their responses. A model of the sandbox costs nothing."""
    return sum((_of_response(response, model_id) for response in _responses(messages)), Usage())


def _of_response(response: ModelResponse, model_id: str) -> Usage:
    return Usage(
        response.usage.input_tokens,
        response.usage.output_tokens,
        response.usage.cache_read_tokens,
        response.usage.cache_write_tokens,
        pricing.of_response(response, model_id),
        _thinking_tokens(response),
        # The response that `turns.closed` adds to an interrupted turn was written by no model, so it is not counted.
        requests=int(response.model_name is not None),
    )


def of_answer(task: Assignment, turn: Sequence[ModelMessage], dropped: Sequence[ModelResponse] = ()) -> Usage:
    """The usage of an answer: the stored sum of its earlier runs plus the usage of this run."""
    if task.waited is None:
        return of_messages([*dropped, *turn], task.model)
    own = _responses(turn)[len(_responses(turns.waited(task.waited.model_messages))) :]
    return task.waited.used + of_messages([*dropped, *own], task.model)


def for_limits(
    task: Assignment,
    turn: Sequence[ModelMessage],
    dropped: Sequence[ModelResponse] = (),
    summaries: Sequence[Summary] = (),
) -> RunUsage:
    """The usage of an answer over all of its runs, as pydantic-ai counts it for `UsageLimits`.

    It includes the summaries of earlier turns that this run has made.
    """
    spent = of_turn(turn, task.model, dropped)
    costs.add(spent, summaries)
    if task.waited is not None:
        in_turn = of_turn(turns.waited(task.waited.model_messages), task.model)
        stored = task.waited.used
        spent.input_tokens += max(0, stored.input_tokens - in_turn.input_tokens)
        spent.output_tokens += max(0, stored.output_tokens - in_turn.output_tokens)
    return spent


def of_turn(turn: Sequence[ModelMessage], model_id: str, dropped: Sequence[ModelResponse] = ()) -> RunUsage:
    """The usage of one turn as pydantic-ai counts it. `model_id` is the first model that was asked."""
    spent = RunUsage()
    replies = _responses(turn)
    spent.requests = len(replies)
    for response in (*replies, *dropped):
        spent.incr(response.usage)
        if response.usage.cost is None and (cost := pricing.of_response(response, model_id)) is not None:
            spent.cost = (spent.cost or 0) + cost
    return spent


def limits(mode: Mode, allowance: Allowance, model_id: str) -> UsageLimits:
    """The limits of one turn: those of its mode, of the settings, and of the asker's budgets."""
    settings = config.current()
    tokens = [limit for limit in (settings.token_limit, allowance.tokens) if limit is not None]
    cost = [limit for limit in (settings.cost_limit_usd, allowance.usd) if limit is not None]
    return UsageLimits(
        request_limit=modes.steps(mode),
        total_tokens_limit=min(tokens, default=None),
        # Free models have no limit of cost, because pydantic-ai knows no price for them and would warn.
        cost_limit=None if pricing.is_free(model_id) else min(cost, default=None),
    )


def limit_reached(turn: Sequence[ModelMessage], spent: RunUsage, mode: Mode, allowance: Allowance) -> Limit:
    """The limit that has ended a turn. `spent` is the usage of the answer (`for_limits`)."""
    settings = config.current()
    if len(_responses(turn)) >= modes.steps(mode):
        return "steps"
    if settings.token_limit is not None and spent.total_tokens > settings.token_limit:
        return "tokens"
    if allowance.tokens is not None and spent.total_tokens > allowance.tokens:
        return "token budget"
    if settings.cost_limit_usd is not None and (spent.cost or 0) > settings.cost_limit_usd:
        return "cost"
    return "cost" if allowance.usd is None else "usd budget"


def ends_at(task: Assignment, began: float) -> float:
    """The time at which an incomplete answer is ended (Unix time, seconds). Its first worker has begun at `began`."""
    ends = began + config.current().run_seconds
    return ends if task.ends_at is None else min(ends, task.ends_at)


def is_overdue(task: Assignment) -> bool:
    """Whether an answer that uses client tools is past its deadline."""
    return task.ends_at is not None and task.ends_at <= time.time()


async def enter(
    task: Assignment, purpose: Literal["title", "related", "plan"], model_id: str, response: ModelResponse
) -> None:
    """Records a side request (title, related questions, plan) in the ledger of usage, if the audience is billed."""
    if task.actor.audience.is_billed:
        used = replace(of_messages([response], model_id), requests=1)
        entry = ledger.Entry(task.run_id, purpose, model_id, **vars(used))
        await ledger.record(task.actor, entry, chat_id=task.chat_id, message_id=task.message_id)


def _responses(messages: Sequence[ModelMessage]) -> list[ModelResponse]:
    return [message for message in messages if isinstance(message, ModelResponse)]


def _thinking_tokens(response: ModelResponse) -> int:
    usage = response.usage
    details = (usage.details.get(name, 0) for name in ("reasoning_tokens", "thinking_tokens", "thoughts_tokens"))
    return usage.output_reasoning_tokens or max(details)
