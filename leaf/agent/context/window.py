"""The part of a chat that fits into the context of its model: earlier turns, their summary, and the known limits."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol
from uuid import UUID

from leaf import config
from leaf.config import catalog

ANSWER_TOKENS = 8_000
"""Largest room that is reserved for the answer, in tokens."""
LEAST_TOKENS = 250
"""The least limit that `narrow` sets: no model has a smaller context."""


@dataclass(frozen=True)
class Turn:
    """An earlier turn: the id of its answer, and how many messages of the run belong to it."""

    message_id: UUID
    messages: int


@dataclass(frozen=True)
class Summary:
    """A summary that replaces all turns up to and including the one with this answer."""

    message_id: UUID | None
    """The last answer that it covers; `None` if the summary could not be stored."""
    text: str = ""
    by_model: bool = True
    """Whether a model wrote it; otherwise it is made of first lines, because no model was available."""
    model: str | None = None
    """`provider:name` of the model that wrote it."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: Decimal | None = None


class SummaryStore(Protocol):
    """Stores summaries (`leaf.services.summaries.ChatSummaries`)."""

    async def keep(
        self,
        message_id: UUID,
        text: str,
        *,
        model: str | None,
        input_tokens: int,
        output_tokens: int,
        cost_usd: Decimal | None,
    ) -> None:
        """Keeps the summary of the turns up to an answer."""
        ...


@dataclass
class Window:
    """The part of a chat that a run can see. It changes during the run, when a summary replaces turns."""

    model_id: str
    """`provider:name` of the model that is requested first."""
    turns: Sequence[Turn] = ()
    """The earlier turns at the beginning of the run's messages, the oldest first."""
    summary: Summary | None = None
    """It replaces every turn before `turns`, and the first `covered` entries of `turns`."""
    covered: int = 0
    """The number of entries at the beginning of `turns` that the summary replaces."""
    store: SummaryStore | None = None
    limit: int | None = None
    """Maximum tokens of a request, lowered after the provider refused a longer one; None before."""
    estimated: int = 0
    """Estimated tokens of the last request."""
    sent: int = 0
    """Estimated tokens of the last request, corrected by the provider's earlier counts."""
    summaries: list[Summary] = field(default_factory=list[Summary])
    """Summaries of this run, for the accounting of usage (purpose "summary")."""

    @property
    def tokens(self) -> int:
        """Largest number of tokens of a request, its answer included."""
        known = context_tokens(self.model_id)
        return min(known, self.limit or known)

    def narrow(self) -> bool:
        """Halves the limit after a provider has refused a request as too long.

        Returns:
            Whether the limit could be lowered.
        """
        smaller = min(self.tokens, self.sent or self.tokens) // 2
        if smaller < LEAST_TOKENS:
            return False
        self.limit = smaller
        return True


def context_tokens(model_id: str) -> int:
    """Return the context of a model in tokens, input and output together.

    Args:
        model_id: `provider:name`. If LEAF_CONTEXT_TOKENS is set, it is an upper limit for every model.
    """
    settings = config.current()
    known = catalog.context_tokens(model_id)
    return min(known, settings.context_tokens or known)


def answer_tokens(context: int) -> int:
    """Return the number of tokens of a context that are reserved for the answer."""
    return min(ANSWER_TOKENS, context // 4)
