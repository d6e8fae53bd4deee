"""Which model answers, and what it is called."""

from dataclasses import dataclass

from leaf import catalog, config, errors
from leaf.catalog import Choice, Kind, Mode


@dataclass(frozen=True)
class ModelInfo:
    """A model: `id` is `provider:name`."""

    id: str
    label: str


def current() -> ModelInfo:
    """The model that answers where nothing else is asked for."""
    return info(catalog.select(config.current(), Mode.QUICK, Kind.SPEED).model)


def select(mode: Mode, kind: Kind) -> Choice:
    """The model that answers what somebody asks."""
    return catalog.select(config.current(), mode, kind)


def kinds_differ() -> bool:
    """Whether the types mean different models here: else nobody has to choose between them."""
    settings = config.current()
    return any(
        catalog.select(settings, mode, Kind.SPEED).model != catalog.select(settings, mode, Kind.QUALITY).model
        for mode in Mode
    )


def offered() -> list[ModelInfo]:
    """The models that somebody may choose for an answer, the usual one first."""
    return [info(model_id) for model_id in catalog.offered(config.current())]


def chosen(model_id: str) -> ModelInfo:
    """The model that was asked for by name.

    Raises:
        errors.NotFound: It is not offered, or its provider is not enabled.
    """
    for model in offered():
        if model.id == model_id:
            return model
    raise errors.NotFound("model")


def info(model_id: str) -> ModelInfo:
    """A model with its name."""
    return ModelInfo(model_id, label_of(model_id))


def label_of(model_id: str) -> str:
    """What a model is called on a page; the sandbox's stand-ins all say what they are."""
    provider, _, name = model_id.partition(":")
    if provider != "sandbox":
        return catalog.facts(model_id).label or name.rpartition("/")[2]
    kind = name.removeprefix("sandbox").strip("-")
    return f"Sandbox model ({kind})" if kind else "Sandbox model"
