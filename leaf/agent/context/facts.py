"""How much a model can be sent at once."""

from leaf import catalog, config

ANSWER_TOKENS = 8_000
"""Room that is left for the answer, at most."""


def context_tokens(model_id: str) -> int:
    """The context of a model in tokens, input and output together.

    Args:
        model_id: `provider:name`. LEAF_CONTEXT_TOKENS, where it is set, holds for every model and is never exceeded.
    """
    settings = config.current()
    known = catalog.context_tokens(model_id)
    return min(known, settings.context_tokens or known)


def answer_tokens(context: int) -> int:
    """How much of a context is left for the answer."""
    return min(ANSWER_TOKENS, context // 4)
