"""A turn as the model knows it: pydantic-ai `ModelMessages`, kept as JSON beside the parts that people see."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    UserPromptPart,
    repair_messages,
)
from pydantic_ai.usage import RunUsage, UsageLimits

from leaf import config
from leaf.agent.context import Summary, Turn, Window
from leaf.services import runs, summaries

BROKEN_OFF = "[This answer was not finished.]"


@dataclass(frozen=True)
class Usage:
    """What a turn used, over all of its requests. `cost_usd` is None where the price of the model is not known."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: Decimal | None


def history(turns: Sequence[list[dict[str, Any]]]) -> list[ModelMessage]:
    """The messages of earlier turns, the oldest first."""
    return [message for turn in turns for message in ModelMessagesTypeAdapter.validate_python(turn)]


def window(task: runs.Assignment, lengths: Sequence[int]) -> Window:
    """What a run sees of its chat.

    Args:
        task: The run's assignment.
        lengths: How many messages each of its earlier turns has.
    """
    return Window(
        task.model,
        [Turn(message_id, length) for message_id, length in zip(task.turns, lengths, strict=True)],
        Summary(task.summary.message_id, task.summary.text) if task.summary is not None else None,
        store=summaries.ChatSummaries(task.actor, task.chat_id),
    )


def from_json(messages: bytes) -> list[ModelMessage]:
    """Messages from what `to_json` gave."""
    return ModelMessagesTypeAdapter.validate_json(messages)


def to_json(messages: Sequence[ModelMessage]) -> bytes:
    """Messages as JSON text."""
    return ModelMessagesTypeAdapter.dump_json(list(messages))


def to_python(messages: Sequence[ModelMessage]) -> list[dict[str, Any]]:
    """Messages as JSON-able values."""
    return ModelMessagesTypeAdapter.dump_python(list(messages), mode="json")


def asked(question: str) -> list[ModelMessage]:
    """A turn that has only its question."""
    return [ModelRequest(parts=[UserPromptPart(question)])]


def closed(messages: list[ModelMessage]) -> list[ModelMessage]:
    """A turn that another question can follow: open tool calls answered, and a response at its end.

    Two requests in a row would be merged into one, and the turns could not be told apart any more.
    """
    messages = repair_messages(messages)
    if not messages or isinstance(messages[-1], ModelRequest):
        messages.append(ModelResponse(parts=[TextPart(BROKEN_OFF)]))
    return messages


def limits() -> UsageLimits:
    """What one turn may use, by the settings."""
    settings = config.current()
    return UsageLimits(
        request_limit=settings.step_limit,
        total_tokens_limit=settings.token_limit,
        cost_limit=settings.cost_limit_usd,
    )


def used(turn: Sequence[ModelMessage]) -> RunUsage:
    """What a turn has used so far, where an earlier worker or try began it."""
    spent = RunUsage()
    for message in turn:
        if isinstance(message, ModelResponse):
            spent.incr(message.usage)
            spent.requests += 1
    return spent


def limit_reached(turn: Sequence[ModelMessage]) -> str:
    """Which of the limits a turn has come to: steps, tokens or cost."""
    settings, spent = config.current(), used(turn)
    if spent.requests >= settings.step_limit:
        return "steps"
    if settings.token_limit is not None and spent.total_tokens > settings.token_limit:
        return "tokens"
    return "cost"


def usage(messages: Sequence[ModelMessage], model_id: str) -> Usage:
    """The usage of a turn, summed over its responses.

    Args:
        messages: The turn.
        model_id: `provider:name`; the sandbox costs nothing.
    """
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    cost: Decimal | None = Decimal(0)
    for response in responses:
        price = Decimal(0) if model_id.startswith("sandbox:") else _price(response)
        cost = None if cost is None or price is None else cost + price
    return Usage(
        input_tokens=sum(response.usage.input_tokens for response in responses),
        output_tokens=sum(response.usage.output_tokens for response in responses),
        cache_read_tokens=sum(response.usage.cache_read_tokens for response in responses),
        cache_write_tokens=sum(response.usage.cache_write_tokens for response in responses),
        cost_usd=cost,
    )


def _price(response: ModelResponse) -> Decimal | None:
    # Anthropic's stream that fails before it begins leaves an empty name.
    if not response.model_name:
        return Decimal(0) if response.usage.total_tokens == 0 else None
    try:
        return response.cost().total_price
    except (LookupError, ValueError):
        return None
