"""Which model answers a question: by mode and type, among those whose provider is enabled."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from leaf import errors
from leaf.catalog.providers import SANDBOX_MODEL, why_not
from leaf.catalog.tables import table

if TYPE_CHECKING:
    from leaf.config.settings import Settings


class Mode(StrEnum):
    """How an answer is looked for."""

    QUICK = "quick"
    ADAPTIVE = "adaptive"


class Kind(StrEnum):
    """What matters more of a model."""

    SPEED = "speed"
    QUALITY = "quality"


STEPS: Final = {Mode.QUICK: 20, Mode.ADAPTIVE: 50}
"""Requests to the model in one answer, at most; LEAF_STEP_LIMIT may be less."""


@dataclass(frozen=True)
class Choice:
    """What was asked for, and the model that answers it."""

    mode: Mode
    kind: Kind
    model: str
    """`provider:name`."""


def steps(settings: "Settings", mode: Mode) -> int:
    """How many requests to the model an answer may take."""
    return min(STEPS[mode], settings.step_limit)


def chosen(mode: str | None, kind: str | None) -> tuple[Mode, Kind]:
    """A mode and a type from what a browser sends; what it does not know is the usual one."""
    return (
        Mode(mode) if mode in set(Mode) else Mode.QUICK,
        Kind(kind) if kind in set(Kind) else Kind.SPEED,
    )


def candidates(settings: "Settings", mode: Mode, kind: Kind) -> list[str]:
    """The models that could answer, the best one first: enabled or not.

    The order is: the mode and type that were asked for, the other type of that mode, the other mode in the same
    order of types, and the default.
    """
    if settings.model:
        return [settings.model]
    found = table(settings.models_file, cloud=settings.cloud)
    modes = {Mode.QUICK: found.quick, Mode.ADAPTIVE: found.adaptive}
    ordered = [
        model
        for one in (mode, *(other for other in Mode if other is not mode))
        for wanted in (kind, *(other for other in Kind if other is not kind))
        for model in getattr(modes[one], wanted.value)
    ]
    return list(dict.fromkeys((*ordered, *found.default)))


def select(settings: "Settings", mode: Mode, kind: Kind, *, speed_only: bool = False) -> Choice:
    """The model that answers.

    Args:
        settings: What is enabled.
        mode: What was asked for.
        kind: What was asked for.
        speed_only: Whether the asker gets the models for speed whatever they ask for, as guests do.

    Raises:
        errors.ConfigurationError: No provider is enabled; Leaf does not start so.
    """
    if speed_only or settings.cloud:
        kind = Kind.SPEED
    model = _first_enabled(settings, candidates(settings, mode, kind))
    if model is None and settings.env == "development" and not settings.model:
        # A newcomer without a key gets the sandbox's stand-in; nobody else does.
        model = SANDBOX_MODEL
    if model is None:
        raise errors.ConfigurationError(["LEAF_MODEL: no provider of a model is enabled"])
    return Choice(mode, kind, model)


def beside(settings: "Settings", purpose: str) -> str:
    """The model of what is written beside an answer.

    Args:
        settings: What is enabled.
        purpose: `title` or `related`.
    """
    if settings.beside_model:
        return settings.beside_model
    if settings.model.startswith("sandbox:"):
        # Its stand-ins that fail or dawdle are about answers.
        return SANDBOX_MODEL
    if settings.model:
        return settings.model
    listed = getattr(table(settings.models_file, cloud=settings.cloud).beside, purpose)
    return _first_enabled(settings, listed) or select(settings, Mode.QUICK, Kind.SPEED).model


def offered(settings: "Settings") -> list[str]:
    """The models that somebody may ask for by name, the usual one first."""
    usual = select(settings, Mode.QUICK, Kind.SPEED).model
    listed = () if settings.model else table(settings.models_file, cloud=settings.cloud).every
    named = (usual, *settings.fallback_models, *(() if settings.cloud else listed))
    return [model for model in dict.fromkeys(named) if not why_not(settings, model)]


def _first_enabled(settings: "Settings", models: Iterable[str]) -> str | None:
    return next((model for model in models if not why_not(settings, model)), None)
