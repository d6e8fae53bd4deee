"""The catalog of models: their facts, from `config/models/facts.toml` and genai-prices, and the choice of a model."""

import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from leaf.config import local
from leaf.config.models import (
    FOLDER,
    PROVIDERS,
    SANDBOX,
    STEPS,
    Choice,
    Kind,
    Mode,
    Table,
    address_of,
    candidates,
    chosen,
    offered,
    select,
    side_model,
    steps,
    table,
    why_not,
)

_GENAI_PROVIDERS = {"openai-chat": "openai", "anthropic-vertex": "anthropic", "xai": "x-ai"}
"""Names of providers that differ in genai-prices."""
_OWN_SERVERS = {local.PROVIDER, "ollama", "openai-compatible"}


class Facts(BaseModel):
    """The facts of a model. `label` is empty if the model's id is its only name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str = ""
    context_tokens: int | None = Field(None, ge=1000)
    """The maximum number of tokens that it reads and writes in one request."""
    reasoning: bool = False
    """Whether it reasons before it answers."""
    pictures: bool | None = None
    """Whether it reads pictures; None if the table does not know."""
    input_usd: Decimal | None = Field(None, ge=0)
    """US dollars per million input tokens, for models that genai-prices does not know."""
    output_usd: Decimal | None = Field(None, ge=0)


@dataclass(frozen=True)
class Price:
    """The price of a model in US dollars per million input tokens and per million output tokens."""

    input_usd: Decimal
    output_usd: Decimal


@cache
def _facts() -> dict[str, Facts]:
    with (FOLDER / "facts.toml").open("rb") as file:
        return {name: Facts.model_validate(entry) for name, entry in tomllib.load(file).items()}


@lru_cache(maxsize=256)
def facts(model_id: str) -> Facts:
    """The facts of a model.

    Args:
        model_id: `provider:name`.
    """
    known = _facts()
    provider, _, name = model_id.partition(":")
    if provider == "sandbox":
        # The models of the sandbox differ only in behaviour.
        return known.get(model_id) or known["sandbox:sandbox"].model_copy(update={"label": ""})
    return known.get(model_id) or known.get(name) or Facts.model_validate({})


def context_tokens(model_id: str) -> int:
    """The maximum number of tokens that a model reads and writes in one request.

    Args:
        model_id: `provider:name`.
    """
    return served_tokens(model_id) or _known_context(model_id)


def sees(model_id: str) -> bool | None:
    """Whether a model reads pictures; None if neither Leaf nor its server knows.

    Args:
        model_id: `provider:name`.
    """
    known = facts(model_id).pictures
    found = local.model(model_id)
    if known is None and found is not None:
        known = found.sees
    # A self-hosted server mostly has a model that cannot read pictures, and may ignore a picture without an error.
    return False if known is None and model_id.partition(":")[0] in _OWN_SERVERS else known


def served_tokens(model_id: str) -> int | None:
    """The context window in tokens that the model's server has reported; None if it is unknown."""
    found = local.model(model_id)
    return found.context_tokens if found is not None else None


@lru_cache(maxsize=256)
def _known_context(model_id: str) -> int:
    known = facts(model_id).context_tokens or _context_of_library(model_id)
    return known or _facts()["other"].context_tokens or 32_000


@lru_cache(maxsize=256)
def price(model_id: str) -> Price | None:
    """The price of a model; None if it is unknown.

    The first call loads genai-prices, which takes up to a second, so it should run in a thread.

    Args:
        model_id: `provider:name`.
    """
    if model_id.startswith(("sandbox:", f"{local.PROVIDER}:")):
        return Price(Decimal(0), Decimal(0))
    known = facts(model_id)
    if known.input_usd is not None and known.output_usd is not None:
        return Price(known.input_usd, known.output_usd)
    model = _of_library(model_id)
    prices = model.get_prices(datetime.now(UTC)) if model is not None else None
    if prices is None or prices.input_mtok is None or prices.output_mtok is None:
        return None
    return Price(_base(prices.input_mtok), _base(prices.output_mtok))


def _base(given: Any) -> Decimal:
    """The price of short requests, for models with a higher price for long requests."""
    return Decimal(getattr(given, "base", given))


def _context_of_library(model_id: str) -> int | None:
    model = _of_library(model_id)
    return model.context_window if model is not None else None


def _of_library(model_id: str) -> Any:
    """The entry of a model in genai-prices; None if there is none."""
    from genai_prices.data_snapshot import get_snapshot

    provider, _, name = model_id.partition(":")
    if provider == "gateway":
        provider, _, name = name.partition("/")
    ids: dict[str, Any] = {"provider_id": _GENAI_PROVIDERS.get(provider, provider), "provider_api_url": None}
    try:
        _, model = get_snapshot().find_provider_model(name, None, **ids)
    except LookupError:
        return None
    return model
