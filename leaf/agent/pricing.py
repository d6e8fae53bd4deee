"""Prices of replies, from the library of prices or else from Leaf's own table (`config/models/facts.toml`)."""

from decimal import Decimal

from pydantic_ai.messages import ModelResponse

from leaf import config
from leaf.config import catalog

_MILLION = Decimal(1_000_000)


def is_free(model_id: str) -> bool:
    """Return whether a model costs nothing; this holds for the sandbox's models."""
    return model_id.startswith("sandbox:")


def of_response(response: ModelResponse, model_id: str) -> Decimal | None:
    """Return the price of a reply in US dollars, or `None` if it is unknown.

    Args:
        response: The reply.
        model_id: `provider:name` of the model that was requested first; a fallback may have answered for it.
    """
    if is_free(model_id):
        return Decimal(0)
    # A provider that is interrupted before it has reported anything leaves what the others cost.
    if response.usage.unmeasured_requests:
        return Decimal(0)
    # Anthropic's stream leaves an empty name if it fails before it begins.
    if not response.model_name:
        return Decimal(0) if response.usage.total_tokens == 0 else None
    try:
        return response.cost().total_price
    except (LookupError, ValueError):
        return _by_table(response, _answering_model(response.model_name, model_id))


def _answering_model(name: str, model_id: str) -> str:
    """Return the model that answered. Providers add a date to the name, and small servers return any name."""
    others = [model for model in config.current().fallback_models if model != model_id]
    known = [model for model in (model_id, *others) if name.startswith(model.partition(":")[2])]
    if known:
        return max(known, key=len)
    return f":{name}" if others else model_id


def _by_table(response: ModelResponse, model_id: str) -> Decimal | None:
    known = catalog.facts(model_id)
    if known.input_usd is None or known.output_usd is None:
        return None
    usage = response.usage
    # Cached tokens are priced as normal input: the price is at most too high.
    return (usage.input_tokens * known.input_usd + usage.output_tokens * known.output_usd) / _MILLION
