"""Which model answers, and what it is called."""

from dataclasses import dataclass

from leaf import config, errors


@dataclass(frozen=True)
class ModelInfo:
    """A model: `id` is `provider:name`."""

    id: str
    label: str


def current() -> ModelInfo:
    """The model that new answers are written by."""
    model_id = config.current().model
    return ModelInfo(model_id, label_of(model_id))


def offered() -> list[ModelInfo]:
    """The models that somebody may choose for an answer, the usual one first."""
    settings = config.current()
    ids = dict.fromkeys((settings.model, *settings.fallback_models))
    return [ModelInfo(model_id, label_of(model_id)) for model_id in ids]


def chosen(model_id: str | None) -> ModelInfo:
    """The model that was asked for, or the usual one.

    Raises:
        errors.Invalid: It is not offered.
    """
    for model in offered():
        if model.id == (model_id or model.id):
            return model
    raise errors.Invalid("This model is not offered.", field="model")


def label_of(model_id: str) -> str:
    """What a model is called on a page; the sandbox's stand-ins all say what they are."""
    provider, _, name = model_id.partition(":")
    if provider != "sandbox":
        return name
    kind = name.removeprefix("sandbox").strip("-")
    return f"Sandbox model ({kind})" if kind else "Sandbox model"
