"""The part of a chat that fits into the context of its model: earlier turns, their summary, and the known limits."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol
from uuid import UUID

from leaf import config
from leaf.config import catalog

ANSWER_TOKENS = 8_000
"""The maximum number of tokens that are reserved for the answer."""
LEAST_TOKENS = 250
"""The smallest limit that `narrow` sets. No model has a smaller context."""


@dataclass(frozen=True)
class Turn:
    """An earlier turn: the id of its answer, and the number of the run's messages that belong to it."""

    message_id: UUID
    messages: int


@dataclass(frozen=True)
class Summary:
    """A summary that replaces all turns up to and including the one with this answer."""

    message_id: UUID | None
    """The last answer that the summary covers; None until the summary is part of a window."""
    text: str = ""
    by_model: bool = True
    """Whether a model wrote the text. Otherwise it consists of first lines, because no model was available."""
    model: str | None = None
    """`provider:name` of the model that wrote the text."""
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
        """Stores the summary of the turns up to and including an answer."""
        ...


@dataclass
class Window:
    """The part of a chat that a run can see. It changes during the run, when a summary replaces turns."""

    model_id: str
    """`provider:name` of the model that is requested first."""
    turns: Sequence[Turn] = ()
    """The earlier turns at the beginning of the run's messages, the oldest first."""
    summary: Summary | None = None
    """The summary that replaces every turn before `turns` and the first `covered` entries of `turns`."""
    covered: int = 0
    """The number of entries at the beginning of `turns` that the summary replaces."""
    store: SummaryStore | None = None
    limit: int | None = None
    """The maximum number of tokens, lowered each time the provider refuses a request as too long; None before that."""
    estimated: int = 0
    """Estimated tokens of the last request."""
    sent: int = 0
    """Estimated tokens of the last request, corrected by the provider's earlier counts."""
    summaries: list[Summary] = field(default_factory=list[Summary])
    """The summaries that this run has made, for the accounting of usage (purpose "summary")."""

    @property
    def tokens(self) -> int:
        """The maximum number of tokens of a request together with its answer."""
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
    """Returns the context of a model in tokens, input and output together.

    If LEAF_CONTEXT_TOKENS is set, it is an upper limit for every model.
    """
    settings = config.current()
    known = catalog.context_tokens(model_id)
    return min(known, settings.context_tokens or known)


def answer_tokens(context: int) -> int:
    """Returns the number of tokens of a context that are reserved for the answer."""
    return min(ANSWER_TOKENS, context // 4)
