"""What a run knows of its chat's length: its earlier turns, their summary, and what its model has refused."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol
from uuid import UUID

from leaf import catalog, config

ANSWER_TOKENS = 8_000
"""Largest room that is reserved for the answer, in tokens."""
LEAST_TOKENS = 250
"""No model has a smaller context than this."""


@dataclass(frozen=True)
class Turn:
    """An earlier turn: its answer, and how many of the run's messages it has."""

    message_id: UUID
    messages: int


@dataclass(frozen=True)
class Summary:
    """What stands for the turns up to an answer, this one included."""

    message_id: UUID | None
    """The last answer that it covers; none of a summary that could not be stored."""
    text: str = ""
    by_model: bool = True
    """False of one that was put together from first lines, because no model could be asked."""
    model: str | None = None
    """`provider:name` of the model that wrote it."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: Decimal | None = None


class SummaryStore(Protocol):
    """Where summaries are kept (`leaf.services.summaries.ChatSummaries`)."""

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
    """What of a chat a run can see. Changes while the run goes on: turns leave, and a summary takes their place."""

    model_id: str
    """`provider:name` of the model that is asked first."""
    turns: Sequence[Turn] = ()
    """The earlier turns that the run's messages begin with, the oldest first."""
    summary: Summary | None = None
    """Stands for everything before them, and for the first `covered` of them."""
    covered: int = 0
    store: SummaryStore | None = None
    limit: int | None = None
    """Tokens of a request that the provider will take, where it has refused a longer one."""
    estimated: int = 0
    """Tokens of the last request, as they were estimated."""
    sent: int = 0
    """The same, corrected by what the provider has counted before."""
    summaries: list[Summary] = field(default_factory=list[Summary])
    """Those that were made in this run, for whoever keeps count of what is spent (purpose "summary")."""

    @property
    def tokens(self) -> int:
        """Tokens that a request may have, its answer included."""
        known = context_tokens(self.model_id)
        return min(known, self.limit or known)

    def narrow(self) -> bool:
        """The provider has refused a request as too long: the next one has half. False where nothing can leave."""
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
