"""A turn as the model knows it: pydantic-ai `ModelMessages`, kept as JSON beside the parts that people see."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Literal

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    repair_messages,
)
from pydantic_ai.usage import RunUsage, UsageLimits

from jobs import keeping
from leaf import config
from leaf.agent import modes, pricing
from leaf.agent.context import Summary, Turn, Window
from leaf.agent.context.compaction import IMPORTED_TURN
from leaf.agent.continuation import GO_ON
from leaf.catalog import Mode
from leaf.services import runs
from leaf.services.usage import Allowance, Usage

Limit = Literal["steps", "tokens", "cost", "time", "token budget", "usd budget"]
"""What may end an answer before it is done."""

_IMPORTED = "[A turn of a chat that was imported from a file: what was asked then, and what was answered.]"
BROKEN_OFF = "[This answer was not finished.]"


def history(turns: Sequence[list[dict[str, Any]]]) -> list[ModelMessage]:
    """The messages of earlier turns, the oldest first."""
    return [message for turn in turns for message in _whole(ModelMessagesTypeAdapter.validate_python(turn))]


def waited(turn: list[dict[str, Any]]) -> list[ModelMessage]:
    """The messages of a turn that waits for its reader, with the calls that are open."""
    return ModelMessagesTypeAdapter.validate_python(turn)


def stopped(turn: list[dict[str, Any]]) -> list[ModelMessage]:
    """The messages of a turn that was stopped, as the model is sent them to go on; none where it had said nothing."""
    messages: list[ModelMessage] = ModelMessagesTypeAdapter.validate_python(turn)
    last = messages[-1] if messages else None
    if isinstance(last, ModelResponse) and [part for part in last.parts if part != TextPart(BROKEN_OFF)] == []:
        messages.pop()
    if messages and isinstance(messages[-1], ModelResponse):
        messages.append(ModelRequest(parts=[UserPromptPart(GO_ON)]))
    return messages


def _whole(turn: list[ModelMessage]) -> list[ModelMessage]:
    """A turn that was left while it waited ends with calls that nobody will answer."""
    return turn if is_whole(turn) else closed(turn)


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
        store=keeping.Shelves.of(task).summaries,
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


def imported(question: str, answer: str) -> list[dict[str, Any]]:
    """A turn that comes from a file, as the model is sent it on later turns.

    Nobody who asks here has said or written it: it is what a tool has returned, so that no words in it count as the
    user's own, and whatever it holds is known to be somebody else's (`leaf.agent.approval`).
    """
    call_id = "imported"
    return to_python(
        [
            ModelRequest(parts=[UserPromptPart(_IMPORTED)]),
            ModelResponse(parts=[ToolCallPart(IMPORTED_TURN, {}, call_id)]),
            ModelRequest(parts=[ToolReturnPart(IMPORTED_TURN, {"question": question, "answer": answer}, call_id)]),
            ModelResponse(parts=[TextPart("[This turn was imported.]")]),
        ]
    )


def closed(messages: list[ModelMessage]) -> list[ModelMessage]:
    """A turn that another question can follow: open tool calls answered, and a response at its end.

    Two requests in a row would be merged into one, and the turns could not be told apart any more.
    """
    messages = repair_messages(messages)
    if not messages or isinstance(messages[-1], ModelRequest):
        messages.append(ModelResponse(parts=[TextPart(BROKEN_OFF)]))
    return messages


def calls(message: ModelMessage) -> Sequence[ToolCallPart]:
    """The tool calls of a message; none of a request."""
    return message.tool_calls if isinstance(message, ModelResponse) else ()


def is_whole(turn: Sequence[ModelMessage]) -> bool:
    """Whether a turn has come to its end: the model has answered, and asks for nothing more."""
    last = turn[-1] if turn else None
    return isinstance(last, ModelResponse) and not last.tool_calls


def limits(mode: Mode, allowance: Allowance, model_id: str) -> UsageLimits:
    """What one turn may use, by its mode, the settings, and what is set aside for it of the asker's budgets."""
    settings = config.current()
    tokens = [limit for limit in (settings.token_limit, allowance.tokens) if limit is not None]
    cost = [limit for limit in (settings.cost_limit_usd, allowance.usd) if limit is not None]
    return UsageLimits(
        request_limit=modes.steps(mode),
        total_tokens_limit=min(tokens, default=None),
        # The sandbox costs nothing, and pydantic-ai would warn that it cannot tell.
        cost_limit=None if pricing.is_free(model_id) else min(cost, default=None),
    )


def used(turn: Sequence[ModelMessage], model_id: str, given_up: Sequence[ModelResponse] = ()) -> RunUsage:
    """What a turn has used so far, where an earlier worker or try began it.

    Args:
        turn: Its messages.
        model_id: `provider:name` of the model that was asked first.
        given_up: Replies that broke off and were asked for again: they were paid for, and are no steps.
    """
    spent = RunUsage()
    replies = [message for message in turn if isinstance(message, ModelResponse)]
    spent.requests = len(replies)
    for response in (*replies, *given_up):
        spent.incr(response.usage)
        if response.usage.cost is None and (cost := pricing.of_response(response, model_id)) is not None:
            spent.cost = (spent.cost or 0) + cost
    return spent


def limit_reached(turn: Sequence[ModelMessage], spent: RunUsage, mode: Mode, allowance: Allowance) -> Limit:
    """Which of the limits a turn has come to.

    Args:
        turn: Its messages.
        spent: What it has used.
        mode: How many steps it may have.
        allowance: What was set aside for it.
    """
    settings, steps = config.current(), sum(isinstance(message, ModelResponse) for message in turn)
    if steps >= modes.steps(mode):
        return "steps"
    if settings.token_limit is not None and spent.total_tokens > settings.token_limit:
        return "tokens"
    if allowance.tokens is not None and spent.total_tokens > allowance.tokens:
        return "token budget"
    if settings.cost_limit_usd is not None and (spent.cost or 0) > settings.cost_limit_usd:
        return "cost"
    return "cost" if allowance.usd is None else "usd budget"


def usage(messages: Sequence[ModelMessage], model_id: str) -> Usage:
    """The usage of a turn, summed over its responses.

    Args:
        messages: The turn.
        model_id: `provider:name`; the sandbox costs nothing.
    """
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    cost: Decimal | None = Decimal(0)
    for response in responses:
        price = pricing.of_response(response, model_id)
        cost = None if cost is None or price is None else cost + price
    return Usage(
        input_tokens=sum(response.usage.input_tokens for response in responses),
        output_tokens=sum(response.usage.output_tokens for response in responses),
        cache_read_tokens=sum(response.usage.cache_read_tokens for response in responses),
        cache_write_tokens=sum(response.usage.cache_write_tokens for response in responses),
        cost_usd=cost,
        thinking_tokens=sum(_thinking(response) for response in responses),
        # What closes a turn that broke off is nobody's reply.
        requests=sum(1 for response in responses if response.model_name is not None),
    )


def _thinking(response: ModelResponse) -> int:
    usage = response.usage
    told = (usage.details.get(name, 0) for name in ("reasoning_tokens", "thinking_tokens", "thoughts_tokens"))
    return usage.output_reasoning_tokens or max(told)
