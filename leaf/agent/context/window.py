"""The part of a chat that fits into the context of its model: earlier turns, their summary, and the known limits."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from leaf import config
from leaf.config import catalog
from leaf.parts.summaries import Summary

ANSWER_TOKENS = 8_000
"""The maximum number of tokens that are reserved for the answer."""
LEAST_TOKENS = 250
"""The smallest limit that `narrow` sets. No model has a smaller context."""


@dataclass(frozen=True)
class Turn:
    """An earlier turn: the id of its answer, and the number of the run's messages that belong to it."""

    message_id: UUID
    messages: int


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
    store: Callable[[Summary], Awaitable[None]] | None = None
    """Stores a summary; None if the chat keeps none."""
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
