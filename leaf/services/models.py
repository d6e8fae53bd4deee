"""The models that answer, their names, and the choice of one for a question."""

import asyncio
from dataclasses import dataclass

from leaf import config, errors
from leaf.config import catalog, local
from leaf.config.catalog import Choice, Kind, Mode


@dataclass(frozen=True)
class ModelInfo:
    """A model. `id` is `provider:name`."""

    id: str
    label: str
    server: str = ""
    """Name and address of a self-hosted model server; empty for a model of a provider."""


def current() -> ModelInfo:
    """The default model."""
    return info(catalog.select(config.current(), Mode.QUICK, Kind.SPEED).model)


def select(mode: Mode, kind: Kind, *, speed_only: bool = False) -> Choice:
    """The model for a question. `speed_only` is set for audiences that cannot choose a model."""
    return catalog.select(config.current(), mode, kind, speed_only=speed_only)


def kinds_differ() -> bool:
    """Whether the kinds select different models here; otherwise there is nothing to choose."""
    settings = config.current()
    return any(
        catalog.select(settings, mode, Kind.SPEED).model != catalog.select(settings, mode, Kind.QUALITY).model
        for mode in Mode
    )


@dataclass(frozen=True)
class Offer:
    """The model and its costs for a mode and kind."""

    mode: Mode
    kind: Kind
    model: ModelInfo
    steps: int
    """Maximum number of requests to the model in one answer."""
    price: catalog.Price | None
    """The price; None if it is unknown."""


async def offers() -> list[Offer]:
    """The models and costs of all modes and kinds."""
    settings = config.current()
    choices = [catalog.select(settings, mode, kind) for mode in Mode for kind in Kind]
    # The first call loads the library of prices, which takes a while.
    prices = await asyncio.to_thread(lambda: [catalog.price(choice.model) for choice in choices])
    return [
        Offer(one.mode, one.kind, info(one.model), catalog.steps(settings, one.mode), price)
        for one, price in zip(choices, prices, strict=True)
    ]


def offered() -> list[ModelInfo]:
    """The models that a member may choose for an answer, the default first."""
    return [info(model_id) for model_id in catalog.offered(config.current())]


def chosen(model_id: str) -> ModelInfo:
    """The model that a request names.

    Raises:
        errors.NotFound: The model is not offered, or its provider is not enabled.
    """
    if not may_be_chosen(model_id):
        raise errors.NotFound("model")
    return info(model_id)


def may_be_chosen(model_id: str) -> bool:
    """Whether a request may name a model.

    A request may name a model of a self-hosted server even while the server is down. The answer then says that the
    server has stopped or does not have the model.
    """
    settings = config.current()
    if model_id in catalog.offered(settings):
        return True
    return not settings.cloud and bool(local.parts(model_id)[1]) and not catalog.why_not(settings, model_id)


def info(model_id: str) -> ModelInfo:
    """The name and server of a model."""
    address, name = local.parts(model_id)
    server = next((one.label for one in local.found() if one.address == address), "")
    return ModelInfo(model_id, name if address else label_of(model_id), f"{server} · {address}".lstrip(" ·"))


def label_of(model_id: str) -> str:
    """The name of a model on pages. Stand-ins of the sandbox are named by their kind."""
    provider, _, name = model_id.partition(":")
    if provider != "sandbox":
        return catalog.facts(model_id).label or name.rpartition("/")[2]
    kind = name.removeprefix("sandbox").strip("-")
    return f"Sandbox model ({kind})" if kind else "Sandbox model"
