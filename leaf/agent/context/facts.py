"""How much a model can be sent at once."""

from functools import cache
from typing import Any

from genai_prices.data_snapshot import get_snapshot

from leaf import config

UNKNOWN_TOKENS = 32_000
"""The context of a model that nobody knows: few are smaller."""
SANDBOX_TOKENS = 128_000
ANSWER_TOKENS = 8_000
"""Room that is left for the answer, at most."""
_PROVIDERS = {"openai-chat": "openai"}


def context_tokens(model_id: str) -> int:
    """The context of a model in tokens, input and output together.

    Args:
        model_id: `provider:name`. LEAF_CONTEXT_TOKENS, where it is set, holds for every model and is never exceeded.
    """
    settings = config.current()
    known = SANDBOX_TOKENS if model_id.startswith("sandbox:") else _known(model_id)
    return min(known, settings.context_tokens or known)


def answer_tokens(context: int) -> int:
    """How much of a context is left for the answer."""
    return min(ANSWER_TOKENS, context // 4)


@cache
def _known(model_id: str) -> int:
    provider, _, name = model_id.partition(":")
    ids: dict[str, Any] = {"provider_id": _PROVIDERS.get(provider, provider), "provider_api_url": None}
    try:
        _, model = get_snapshot().find_provider_model(name, None, **ids)
    except LookupError:
        return UNKNOWN_TOKENS
    return model.context_window or UNKNOWN_TOKENS
