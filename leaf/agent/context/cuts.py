"""Cuts in a request that is too long. Pure.

The order of the cuts is: thinking of earlier turns, long tool results and arguments of earlier turns, long tool results
and arguments of the running turn. Within each of these, the oldest are cut first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from leaf.agent.context import estimates, references, thinking

Turns = list[list[ModelMessage]]
"""Messages by turn. The last turn is the running one."""
BULKY_TOKENS = 150
"""Results and arguments up to this length are not cut."""
LEAST_CUT_TOKENS = 60


@dataclass(frozen=True)
class _Change:
    """A shorter message, the position of the message that it replaces, and the number of saved tokens."""

    turn: int
    index: int
    message: ModelMessage
    saved: int


def pruned(turns: Turns, excess: int, step: int) -> Turns:
    """Returns turns that are shorter by the excess, as far as possible, or unchanged turns if it is not positive.

    The excess is rounded up, so that the cuts, and the prefix of the requests, stay the same for several requests. The
    providers' caches can then be used.

    Args:
        turns: All turns.
        excess: The number of tokens to cut.
        step: The excess is rounded up to a multiple of this number of tokens.
    """
    if excess <= 0:
        return turns
    excess = -(-excess // max(step, 1)) * max(step, 1)
    turns = [[*turn] for turn in turns]
    for change in _changes(turns):
        turns[change.turn][change.index] = change.message
        excess -= change.saved
        if excess <= 0:
            break
    return turns


def _changes(turns: Turns) -> Iterator[_Change]:
    # The caller makes the changes while this runs, so the second loop sees the messages without thinking.
    for number, turn in enumerate(turns[:-1]):
        for index, message in enumerate(turn):
            if isinstance(message, ModelResponse) and any(isinstance(part, ThinkingPart) for part in message.parts):
                yield _change(number, index, message, thinking.without_thinking(message))
    for number, turn in enumerate(turns):
        running = number == len(turns) - 1
        # The model has just requested the newest results, so they are not cut.
        for index in range(len(turn) - 1 if running else len(turn)):
            shorter = _without_bulk(turn[index], calls_of(turn))
            if shorter is not None:
                yield _change(number, index, turn[index], shorter)


def _change(turn: int, index: int, before: ModelMessage, after: ModelMessage) -> _Change:
    return _Change(turn, index, after, estimates.of_messages([before]) - estimates.of_messages([after]))


def calls_of(turn: Sequence[ModelMessage]) -> dict[str, ToolCallPart]:
    return {
        part.tool_call_id: part
        for message in turn
        if isinstance(message, ModelResponse)
        for part in message.parts
        if isinstance(part, ToolCallPart)
    }


def _without_bulk(message: ModelMessage, calls: dict[str, ToolCallPart]) -> ModelMessage | None:
    """Returns the message without its long results and arguments; None if it has none."""

    def shorter(part: Any) -> Any:
        if estimates.of_part(part) <= BULKY_TOKENS:
            return part
        if type(part) is ToolReturnPart:
            return references.of_result(part, calls.get(part.tool_call_id))
        return references.of_call(part) if type(part) is ToolCallPart else part

    parts = [shorter(part) for part in message.parts]
    if all(new is old for new, old in zip(parts, message.parts, strict=True)):
        return None
    return replace(message, parts=parts)


def squeezed(messages: Sequence[ModelMessage], budget: int) -> list[ModelMessage]:
    """Returns messages that are cut to a budget of tokens, as a last resort.

    The longest texts are cut first, and each cut is marked. If that is not enough, the oldest rounds of the running
    turn are removed. A round is a reply with its calls and their results.
    """
    squeezed = [*messages]
    # A cut shortens a text to half at most, and short texts are not cut, so the loop ends.
    while (excess := estimates.of_messages(squeezed) - budget) > 0:
        if not _cut_longest(squeezed, excess):
            break
    first = thinking.last_question(squeezed) + 1
    while estimates.of_messages(squeezed) > budget and len(squeezed) - first > 2:
        del squeezed[first : first + 2]
    return squeezed


def _cut_longest(messages: list[ModelMessage], excess: int) -> bool:
    sizes = [
        (estimates.of_part(part), index, number)
        for index, message in enumerate(messages)
        for number, part in enumerate(message.parts)
        if isinstance(part, UserPromptPart | TextPart | ToolReturnPart)
    ]
    if not sizes:
        return False
    tokens, index, number = max(sizes)
    if tokens <= LEAST_CUT_TOKENS:
        return False
    part: Any = messages[index].parts[number]
    # If two texts are long, neither is removed completely.
    share = max(LEAST_CUT_TOKENS / 2, tokens - excess * 1.2 - LEAST_CUT_TOKENS, tokens / 2) / tokens
    shorter = _cut_part(part, share)
    if estimates.of_part(shorter) >= tokens:
        return False
    parts: list[Any] = [*messages[index].parts]
    parts[number] = shorter
    messages[index] = replace(messages[index], parts=parts)
    return True


def _cut_part(part: Any, share: float) -> Any:
    if isinstance(part, ToolReturnPart):
        characters = int(len(part.model_response_str()) * share)
        return replace(part, content=references.cut_value(part.content, characters))
    content = part.content
    if not isinstance(content, str):
        content = "\n".join(piece for piece in content if isinstance(piece, str))
    return replace(part, content=references.cut(content, int(len(content) * share)))


def flat(turns: Turns) -> list[ModelMessage]:
    return [message for turn in turns for message in turn]
