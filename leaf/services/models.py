"""Which model answers, and what it is called."""

from dataclasses import dataclass

from leaf import config


@dataclass(frozen=True)
class ModelInfo:
    """A model: `id` is `provider:name`."""

    id: str
    label: str


def current() -> ModelInfo:
    """The model that new answers are written by."""
    model_id = config.current().model
    return ModelInfo(model_id, label_of(model_id))


def label_of(model_id: str) -> str:
    """What a model is called on a page; the sandbox's stand-ins all say what they are."""
    provider, _, name = model_id.partition(":")
    return "Sandbox model" if provider == "sandbox" else name
