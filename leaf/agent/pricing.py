"""Prices of replies, from pydantic-ai's prices, or else from Leaf's own table (`config/models/facts.toml`)."""

from decimal import Decimal

from pydantic_ai.messages import ModelResponse

from leaf import config
from leaf.config import catalog

_MILLION = Decimal(1_000_000)


def is_free(model_id: str) -> bool:
    """Returns whether a model is free. Only the sandbox's models are."""
    return model_id.startswith("sandbox:")


def of_response(response: ModelResponse, model_id: str) -> Decimal | None:
    """Returns the price of a reply in US dollars; None if it is unknown.

    A fallback may have answered in place of the model.
    """
    if is_free(model_id):
        return Decimal(0)
    # The provider was interrupted before it reported any usage. Counting nothing keeps the sum of the others known.
    if response.usage.unmeasured_requests:
        return Decimal(0)
    # The name is empty if Anthropic's stream fails before it begins.
    if not response.model_name:
        return Decimal(0) if response.usage.total_tokens == 0 else None
    try:
        return response.cost().total_price
    except (LookupError, ValueError):
        return _by_table(response, _answering_model(response.model_name, model_id))


def _answering_model(name: str, model_id: str) -> str:
    """Returns the id of the model that answered. Providers add dates to names, and small servers return any name."""
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
    # Cached tokens are priced like other input, so the price is never too low.
    return (usage.input_tokens * known.input_usd + usage.output_tokens * known.output_usd) / _MILLION
