"""The catalog of models: the settings and facts of models, and the choice of the model that answers.

Models are named by ids, `provider:name`. The tables of models and of their facts are in `config/models`, and
genai-prices has further facts.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from leaf import errors, texts
from leaf.config import local, sources

SANDBOX = "sandbox"
SANDBOX_MODEL = "sandbox:sandbox"


@dataclass(frozen=True)
class Provider:
    """A provider of models.

    Args:
        label: The name that people see.
        needs: The required settings. Each need is a list of alternatives, of which one is enough.
    """

    label: str
    needs: tuple[tuple[str, ...], ...] = ()

    def missing(self, settings: "ModelSettings") -> list[str]:
        """The environment variables that are missing. Of alternatives, only the first is named."""
        return [settings.variable(need[0]) for need in self.needs if not any(map(settings.has, need))]


PROVIDERS: dict[str, Provider] = {
    SANDBOX: Provider("Sandbox"),
    "gateway": Provider("AI Gateway", (("ai_gateway_api_key",),)),
    "openai": Provider("OpenAI", (("openai_api_key",),)),
    "openai-chat": Provider("OpenAI (Chat Completions)", (("openai_api_key",),)),
    "anthropic": Provider("Anthropic", (("anthropic_api_key",),)),
    "anthropic-vertex": Provider("Anthropic on Vertex AI", (("anthropic_vertex_project_id",),)),
    "google": Provider("Google", (("google_api_key", "google_generative_ai_api_key"),)),
    "openai-compatible": Provider(
        "OpenAI-compatible", (("openai_compatible_api_key",), ("openai_compatible_base_url",))
    ),
    "ollama": Provider("Ollama", (("ollama_base_url",),)),
    local.PROVIDER: Provider("Model server"),
}

EMBEDDERS: Final = ("openai", "google", "gateway", "openai-compatible", "ollama", local.PROVIDER)
"""The providers with models that make vectors."""


class ModelSettings(sources.EnvironmentSettings):
    """The keys and addresses of providers, and the models that replace those of the tables."""

    env: Literal["development", "production"] = Field("development", validation_alias="LEAF_ENV")
    model: str = Field("", validation_alias="LEAF_MODEL")
    """One model for all answers, as `provider:name`. If it is not set, the table of models decides."""
    models_file: Path | None = Field(None, validation_alias="LEAF_MODELS_FILE")
    """A table of models that replaces config/models/default.toml."""
    cloud: bool = Field(False, validation_alias="LEAF_CLOUD")
    """Whether Leaf serves the public. If so, it uses config/models/cloud.toml, and the models for speed for
    everybody.
    """
    beside_model: str = Field("", validation_alias="LEAF_BESIDE_MODEL")
    """The model that writes titles and related questions, as `provider:name`."""
    fallbacks: str = Field("", validation_alias="LEAF_FALLBACK_MODELS")
    """The models that answer if the first one cannot, comma-separated, in the order in which they are tried."""
    openai_api_key: str | None = Field(None, repr=False, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(None, validation_alias="OPENAI_BASE_URL")
    anthropic_api_key: str | None = Field(None, repr=False, validation_alias="ANTHROPIC_API_KEY")
    anthropic_base_url: str | None = Field(None, validation_alias="ANTHROPIC_BASE_URL")
    anthropic_vertex_project_id: str | None = Field(None, validation_alias="ANTHROPIC_VERTEX_PROJECT_ID")
    """The Google Cloud project of Anthropic's models on Vertex AI. Access uses Google's own credentials."""
    anthropic_vertex_base_url: str | None = Field(None, validation_alias="ANTHROPIC_VERTEX_BASE_URL")
    cloud_ml_region: str = Field("global", validation_alias="CLOUD_ML_REGION")
    google_api_key: str | None = Field(None, repr=False, validation_alias="GOOGLE_API_KEY")
    google_base_url: str | None = Field(None, validation_alias="GOOGLE_BASE_URL")
    google_generative_ai_api_key: str | None = Field(None, repr=False, validation_alias="GOOGLE_GENERATIVE_AI_API_KEY")
    """Another name of GOOGLE_API_KEY."""
    ai_gateway_api_key: str | None = Field(None, repr=False, validation_alias="AI_GATEWAY_API_KEY")
    ai_gateway_base_url: str | None = Field(None, validation_alias="AI_GATEWAY_BASE_URL")
    openai_compatible_api_key: str | None = Field(None, repr=False, validation_alias="OPENAI_COMPATIBLE_API_KEY")
    openai_compatible_base_url: str | None = Field(None, validation_alias="OPENAI_COMPATIBLE_API_BASE_URL")
    ollama_base_url: str | None = Field(None, validation_alias="OLLAMA_BASE_URL")
    local_models: str = Field("", validation_alias="LEAF_LOCAL_MODELS")
    """The addresses at which Leaf looks for model servers, comma-separated, or `off`. If it is not set, the default
    addresses of this machine are used in development, and none in production.
    """
    step_limit: int = Field(50, ge=1, le=100, validation_alias="LEAF_STEP_LIMIT")
    """The maximum number of requests to the model in one answer. A mode may have a lower limit."""

    @property
    def model_servers(self) -> dict[str, str]:
        """The base URLs at which Leaf looks for model servers, by host and port."""
        return local.base_urls(self.local_models, development=self.env == "development")

    @property
    def fallback_models(self) -> tuple[str, ...]:
        """The models that answer if the first one cannot, in the order in which they are tried."""
        return tuple(model.strip() for model in self.fallbacks.split(",") if model.strip())


def why_not(settings: ModelSettings, model_id: str) -> str:
    """The reason why a model cannot be used; empty if it can."""
    name = model_id.partition(":")[0]
    provider = PROVIDERS.get(name)
    if provider is None:
        return texts.english("failures.no_provider", name=name, providers=", ".join(PROVIDERS))
    if name == SANDBOX and settings.env == "production":
        return texts.english("failures.no_sandbox")
    if name == local.PROVIDER:
        return _why_not_local(settings, model_id)
    missing = provider.missing(settings)
    return texts.english("failures.not_set", count=len(missing), variables=", ".join(missing)) if missing else ""


def _why_not_local(settings: ModelSettings, model_id: str) -> str:
    address, _ = local.parts(model_id)
    if address in settings.model_servers:
        return ""
    return texts.english("failures.no_server", address=address) if address else texts.english("failures.no_such_server")


def address_of(settings: ModelSettings, model_id: str) -> str:
    """The host and port of a model's self-hosted server; empty for a provider's own servers."""
    provider = model_id.partition(":")[0]
    urls = {
        "openai": settings.openai_base_url,
        "openai-chat": settings.openai_base_url,
        "openai-compatible": settings.openai_compatible_base_url,
        "ollama": settings.ollama_base_url,
    }
    return local.parts(model_id)[0] or urlsplit(urls.get(provider) or "").netloc.rpartition("@")[2]


FOLDER = Path(__file__).parents[2] / "config" / "models"

ModelId = Annotated[str, Field(pattern=r"^[a-z][a-z-]*:\S+$", max_length=200)]
Candidates = tuple[ModelId, ...]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ByKind(_Strict):
    """The models of a mode. Each list is in the order in which the models are tried."""

    speed: Candidates = ()
    quality: Candidates = ()


class SideModels(_Strict):
    """The models that write titles and related questions."""

    title: Candidates = ()
    related: Candidates = ()


class Table(_Strict):
    """The table of models."""

    default: Candidates = ()
    quick: ByKind = ByKind()
    adaptive: ByKind = ByKind()
    beside: SideModels = SideModels()

    @property
    def every(self) -> list[str]:
        """All models of the table, each once, in the order of the table."""
        modes = (self.quick.speed, self.quick.quality, self.adaptive.speed, self.adaptive.quality)
        return list(dict.fromkeys(chain(*modes, self.default, self.beside.title, self.beside.related)))


def table(file: Path | None, *, cloud: bool) -> Table:
    """The current table: that of this deployment (`file`, from LEAF_MODELS_FILE), or else Leaf's own for the public
    (LEAF_CLOUD) or for others.

    Raises:
        errors.ConfigurationError: The file is missing or malformed.
    """
    return _read(file.expanduser() if file is not None else FOLDER / ("cloud.toml" if cloud else "default.toml"))


@lru_cache(maxsize=8)
def _read(path: Path) -> Table:
    return sources.read(path, Table, "LEAF_MODELS_FILE")


class Mode(StrEnum):
    """The effort of the search for an answer."""

    QUICK = "quick"
    ADAPTIVE = "adaptive"


class Kind(StrEnum):
    """The property by which a model is chosen."""

    SPEED = "speed"
    QUALITY = "quality"


STEPS: Final = {Mode.QUICK: 20, Mode.ADAPTIVE: 50}
"""The maximum number of requests to the model in one answer, for each mode. LEAF_STEP_LIMIT may set less."""


@dataclass(frozen=True)
class Choice:
    """The mode and kind of an answer, and the model that writes it."""

    mode: Mode
    kind: Kind
    model: str
    """`provider:name`."""


def steps(settings: ModelSettings, mode: Mode) -> int:
    """The maximum number of requests to the model in one answer."""
    return min(STEPS[mode], settings.step_limit)


def chosen(mode: str | None, kind: str | None) -> tuple[Mode, Kind]:
    """The mode and kind for the values that a browser sends. Unknown values become the default."""
    return (
        Mode(mode) if mode in set(Mode) else Mode.QUICK,
        Kind(kind) if kind in set(Kind) else Kind.SPEED,
    )


def candidates(settings: ModelSettings, mode: Mode, kind: Kind) -> list[str]:
    """The models that could answer, the best one first. Some may not be enabled.

    The order is: the requested mode and kind, the other kind of that mode, the other mode in the same order of kinds,
    and the default models.
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


def select(settings: ModelSettings, mode: Mode, kind: Kind, *, speed_only: bool = False) -> Choice:
    """Chooses the model that answers.

    Raises:
        errors.ConfigurationError: No provider is enabled. Leaf does not start in this case.
    """
    if speed_only or settings.cloud:
        kind = Kind.SPEED
    model = _first_enabled(settings, candidates(settings, mode, kind))
    if model is None and settings.env == "development" and not settings.model:
        # A start without any key uses the model of the sandbox.
        model = SANDBOX_MODEL
    if model is None:
        raise errors.ConfigurationError(["LEAF_MODEL: no provider of a model is enabled"])
    return Choice(mode, kind, model)


def side_model(settings: ModelSettings, purpose: str) -> str:
    """The model that writes titles or related questions, by its purpose: `title` or `related`."""
    if settings.beside_model:
        return settings.beside_model
    if settings.model.startswith("sandbox:"):
        # The sandbox has models that fail or wait. They must do so only for answers.
        return SANDBOX_MODEL
    if settings.model:
        return settings.model
    listed = getattr(table(settings.models_file, cloud=settings.cloud).beside, purpose)
    return _first_enabled(settings, listed) or select(settings, Mode.QUICK, Kind.SPEED).model


def offered(settings: ModelSettings) -> list[str]:
    """The enabled models that may be requested by name, the default one first."""
    usual = select(settings, Mode.QUICK, Kind.SPEED).model
    listed = () if settings.model else table(settings.models_file, cloud=settings.cloud).every
    found = [
        server.id_of(model) for server in local.found() for model in server.models if model.calls_tools is not False
    ]
    named = (usual, *settings.fallback_models, *(() if settings.cloud else (*listed, *found)))
    return [model for model in dict.fromkeys(named) if not why_not(settings, model)]


def _first_enabled(settings: ModelSettings, models: Iterable[str]) -> str | None:
    return next((model for model in models if not why_not(settings, model)), None)


_GENAI_PROVIDERS = {"openai-chat": "openai", "anthropic-vertex": "anthropic", "xai": "x-ai"}
"""Names of providers that differ in genai-prices."""
_OWN_SERVERS = {local.PROVIDER, "ollama", "openai-compatible"}


class Facts(_Strict):
    """The facts of a model. `label` is empty if the model's id is its only name."""

    label: str = ""
    context_tokens: int | None = Field(None, ge=1000)
    """The maximum number of tokens that it reads and writes in one request."""
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
    """The facts of a model."""
    known = _facts()
    provider, _, name = model_id.partition(":")
    if provider == "sandbox":
        # The models of the sandbox differ only in behaviour.
        return known.get(model_id) or known["sandbox:sandbox"].model_copy(update={"label": ""})
    return known.get(model_id) or known.get(name) or Facts.model_validate({})


def context_tokens(model_id: str) -> int:
    """The maximum number of tokens that a model reads and writes in one request."""
    return served_tokens(model_id) or _known_context(model_id)


def sees(model_id: str) -> bool | None:
    """Whether a model reads pictures; None if neither Leaf nor its server knows."""
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
    known = facts(model_id).context_tokens or getattr(_of_library(model_id), "context_window", None)
    return known or _facts()["other"].context_tokens or 32_000


@lru_cache(maxsize=256)
def price(model_id: str) -> Price | None:
    """The price of a model; None if it is unknown.

    The first call loads genai-prices, which takes up to a second, so it should run in a thread.
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
