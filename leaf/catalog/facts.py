"""What is known of a model: one table, `config/models/facts.toml`, and behind it the library of prices."""

import tomllib
from decimal import Decimal
from functools import cache, lru_cache

from pydantic import BaseModel, ConfigDict, Field

from leaf.catalog.tables import FOLDER

_GENAI_PROVIDERS = {
    "openai": "openai",
    "openai-chat": "openai",
    "anthropic": "anthropic",
    "anthropic-vertex": "anthropic",
    "google": "google",
}


class Facts(BaseModel):
    """What is known of a model. `label` is empty where it has no other name than its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str = ""
    context_tokens: int | None = Field(None, ge=1000)
    """How much it reads and writes in one request."""
    reasoning: bool = False
    """Whether it thinks before it answers."""
    input_usd: Decimal | None = Field(None, ge=0)
    """US dollars per million tokens that it reads, where the library of prices does not know the model."""
    output_usd: Decimal | None = Field(None, ge=0)


@cache
def _facts() -> dict[str, Facts]:
    with (FOLDER / "facts.toml").open("rb") as file:
        return {name: Facts.model_validate(entry) for name, entry in tomllib.load(file).items()}


@lru_cache(maxsize=256)
def facts(model_id: str) -> Facts:
    """What is known of a model.

    Args:
        model_id: `provider:name`.
    """
    known = _facts()
    provider, _, name = model_id.partition(":")
    if provider == "sandbox":
        # Its stand-ins differ in how they behave, not in what they are.
        return known["sandbox:sandbox"].model_copy(update={"label": ""})
    return known.get(model_id) or known.get(name) or Facts.model_validate({})


@lru_cache(maxsize=256)
def context_tokens(model_id: str) -> int:
    """How much a model reads and writes in one request, in tokens.

    Args:
        model_id: `provider:name`.
    """
    told = facts(model_id).context_tokens or _context_of_library(model_id)
    return told or _facts()["other"].context_tokens or 128_000


def _context_of_library(model_id: str) -> int | None:
    from genai_prices.data import providers

    provider, _, name = model_id.partition(":")
    if provider == "gateway":
        maker, _, name = name.partition("/")
        ids = {maker, {"xai": "x-ai"}.get(maker, maker)}
    else:
        ids = {_GENAI_PROVIDERS.get(provider, "")}
    for one in providers:
        if one.id not in ids:
            continue
        found = one.find_model(name)
        if found is not None:
            return found.context_window
    return None
