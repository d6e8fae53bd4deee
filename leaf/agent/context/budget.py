"""Shortens a request to the context window of its model before it is sent. The stored messages do not change."""

import logging
import math

from pydantic_ai.exceptions import FallbackExceptionGroup, ModelContextWindowExceededError, ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import ModelRequestContext

from leaf import config, errors
from leaf.agent.context import compaction, cuts, estimates, references
from leaf.agent.context.cuts import Turns
from leaf.agent.context.window import Window, answer_tokens
from leaf.config import catalog
from leaf.parts.summaries import Summary

log = logging.getLogger(__name__)

ROUNDING = 0.15
"""Cuts are rounded up to a multiple of this share of the budget, so that the prefix of requests seldom changes."""
KEPT_BY_COMPACTION = 0.5
"""The share of the budget that may be in use after a summary, so that the next summary is not needed soon."""
LEAST_TOKENS = 120
"""The minimum number of tokens for messages, however long the instructions and tools are."""
_OVERFLOWS = (
    "exceed context limit",  # Anthropic, if request and `max_tokens` together are too long.
    "exceed_context_size_error",  # llama.cpp
    "exceeds the available context size",
    "with context length of only",  # LM Studio
    "greater than the context length",
)
"""Parts of error messages for requests that are too long, as far as pydantic-ai does not recognise them."""


class ContextTooSmall(Exception):
    """The context window of the model's server is too small for the instructions and tools of every request."""

    def __init__(self, tokens: int, needed: int) -> None:
        super().__init__(f"the context window has {tokens} tokens, and {needed} are needed")
        self.tokens, self.needed = tokens, needed


async def fit(window: Window, request: ModelRequestContext, extra_tokens: int = 0) -> None:
    """Replaces the messages of a request by messages that fit into the context window.

    Args:
        window: The part of the chat that the run can see. Turns that a summary replaces are recorded in it.
        request: The request with all messages of the run. It is changed in place.
        extra_tokens: The tokens that the request needs in addition to its messages, such as those of pictures.
    """
    messages = request.messages
    scale = estimates.scale(messages, window.model_id)
    overhead = estimates.of_parameters(request.model_request_parameters) + extra_tokens
    room = window.tokens / scale - answer_tokens(window.tokens) / scale - overhead
    served = catalog.served_tokens(window.model_id)
    if room < LEAST_TOKENS and served is not None and served <= window.tokens:
        # Ollama would truncate such a request without an error.
        needed = int((overhead + LEAST_TOKENS) * scale * 4 / 3)
        raise ContextTooSmall(served, math.ceil(needed / 1000) * 1000)
    budget = max(LEAST_TOKENS, int(room))
    turns = _by_turn(window, messages)
    kept = _fitted(window, turns, budget)
    size = estimates.of_messages(kept)
    if size > budget and len(turns) > 1:
        await _compact(window, request, turns, budget)
        kept = _fitted(window, _by_turn(window, messages), budget)
        size = estimates.of_messages(kept)
    if size > budget:
        kept = cuts.squeezed(kept, budget)
        size = estimates.of_messages(kept)
    request.messages = kept
    window.estimated = size + overhead
    window.sent = int(window.estimated * scale)


def record_estimate(window: Window, response: ModelResponse) -> None:
    """Stores the estimate for a request in the metadata of its response, which corrects later estimates."""
    if window.estimated:
        estimates.record(response, window.model_id, window.estimated)


def is_too_long(error: Exception) -> bool:
    """Returns whether a provider has refused a request because it was too long."""
    if isinstance(error, FallbackExceptionGroup):
        return any(is_too_long(one) for one in error.exceptions)
    if isinstance(error, ModelContextWindowExceededError):
        return True
    if not isinstance(error, ModelHTTPError):
        return False
    body = str(error.body).lower()
    return error.status_code == 413 or (error.status_code in {400, 500} and any(words in body for words in _OVERFLOWS))


def _by_turn(window: Window, messages: list[ModelMessage]) -> Turns:
    """Returns the messages of each turn that no summary covers. The last turn is the current one."""
    turns: Turns = []
    begin = 0
    for turn in window.turns:
        turns.append(messages[begin : begin + turn.messages])
        begin += turn.messages
    return [*turns[window.covered :], messages[begin:]]


def _fitted(window: Window, turns: Turns, budget: int) -> list[ModelMessage]:
    summary = compaction.as_messages(window.summary.text) if window.summary is not None else []
    excess = estimates.of_messages(summary) + estimates.of_messages(cuts.flat(turns)) - budget
    return [*summary, *cuts.flat(cuts.pruned(turns, excess, int(budget * ROUNDING)))]


async def _compact(window: Window, request: ModelRequestContext, turns: Turns, budget: int) -> None:
    """Summarises as many of the oldest turns as necessary, and stores the summary if the chat has a store."""
    tokens = min(compaction.SUMMARY_TOKENS, max(60, budget // 5))
    # Turns are measured as they would be sent, without the results and thinking that can be cut.
    short = cuts.pruned(turns, estimates.of_messages(cuts.flat(turns)), 1)
    sizes = [estimates.of_messages(turn) for turn in short]
    allowed = budget * KEPT_BY_COMPACTION - tokens
    count = next((n for n in range(1, len(turns)) if sum(sizes[n:]) <= allowed), len(turns) - 1)
    window.summary = await _summary(window, request, turns[:count], tokens)
    window.covered += count
    window.summaries.append(window.summary)
    if window.store is None:
        return
    try:
        await window.store(window.summary)
    except errors.LeafError as error:
        # The answer continues without the database. This run has the summary, and the next run makes a new summary.
        log.warning("a summary could not be stored: %s", error.code)


async def _summary(window: Window, request: ModelRequestContext, turns: Turns, tokens: int) -> Summary:
    """A summary of turns together with the summary before them, in at most `tokens` tokens."""
    earlier = window.summary.text if window.summary is not None else None
    message_id = window.turns[window.covered + len(turns) - 1].message_id
    seconds = min(compaction.SUMMARY_SECONDS, config.current().model_silence_seconds / 2)
    room = (window.tokens - answer_tokens(window.tokens)) // 2
    text = compaction.transcript(earlier, turns, room)
    written = await compaction.written(request.model, text, model_id=window.model_id, tokens=tokens, seconds=seconds)
    if written is None:
        return Summary(message_id, compaction.mechanical(earlier, turns, tokens))
    found, usage, cost = written
    text = references.cut(found, tokens * 4)
    return Summary(message_id, text, window.model_id, usage.input_tokens, usage.output_tokens, cost)
