"""The settings, their environment variables and their defaults; docs/configuration.md lists them."""

from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_settings import SettingsConfigDict

from leaf import catalog, errors, tokens
from leaf.config.client_tools import ClientToolSettings
from leaf.config.guests import GuestSettings
from leaf.config.mcp import McpSettings
from leaf.config.operations import OperationsSettings
from leaf.config.problems import parse_seal_keys, problems_of
from leaf.config.tenants import TenantSettings
from leaf.config.tracing import TracingSettings
from leaf.config.web import WebSettings


class SignInProvider(BaseModel):
    """An OpenID Connect provider that people may sign in with, beside Google."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9-]{1,30}$")
    label: str = Field(min_length=1, max_length=40)
    issuer: str = Field(pattern=r"^https?://")
    client_id: str = Field(min_length=1)
    client_secret: str = Field(min_length=1, repr=False)


class Settings(
    WebSettings,
    McpSettings,
    TracingSettings,
    OperationsSettings,
    GuestSettings,
    ClientToolSettings,
    TenantSettings,
):
    """Leaf's settings. Every field's environment variable is its alias; docs/configuration.md lists them."""

    model_config = SettingsConfigDict(frozen=True, populate_by_name=True, extra="ignore", env_file=".env")

    env: Literal["development", "production"] = Field("development", validation_alias="LEAF_ENV")
    port: int = Field(3000, ge=1, le=65535, validation_alias="PORT")
    """The port of the pages."""
    backend_port: int | None = Field(None, ge=1, le=65535, validation_alias="LEAF_BACKEND_PORT")
    """The port of the web process behind the development server; a free one is chosen where it is not set."""
    public_url: str | None = Field(None, validation_alias="LEAF_URL")
    """Where people open Leaf, such as https://leaf.example; OAuth redirects are built from it."""
    data_dir: Path = Field(Path(".leaf"), validation_alias="LEAF_DATA_DIR")
    """Where embedded services keep their data."""
    pages_dir: Path = Field(Path(".web"), validation_alias="REFLEX_WEB_WORKDIR")
    """Where Reflex compiles the pages; Reflex reads the same variable."""
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", validation_alias="LEAF_LOG_LEVEL")
    log_format: Literal["text", "json"] = Field("text", validation_alias="LEAF_LOG_FORMAT")
    """How a line of the log is written: for people, or as a JSON object."""

    database_url: str | None = Field(None, repr=False, validation_alias="DATABASE_URL")
    redis_url: str | None = Field(None, repr=False, validation_alias="REDIS_URL")
    embedded_worker: bool = Field(True, validation_alias="LEAF_EMBEDDED_WORKER")
    """Whether the web process starts a worker beside itself where Redis is embedded."""

    secret: str | None = Field(None, repr=False, validation_alias="LEAF_SECRET")
    """Signs OAuth state; at least 32 characters. Made and kept in the data directory in development."""
    seal_keys: str | None = Field(None, repr=False, validation_alias="LEAF_SEAL_KEYS")
    """Fernet keys that seal OAuth tokens, `id:key`, comma-separated, the newest first."""
    session_days: int = Field(30, ge=1, le=365, validation_alias="LEAF_SESSION_DAYS")
    """Days without a visit after which a browser session ends."""

    admins: str = Field("", validation_alias="LEAF_ADMINS")
    """E-mail addresses of this Leaf's administrators, comma-separated, as they sign in with them."""
    google_client_id: str | None = Field(None, validation_alias="GOOGLE_CLIENT_ID")
    google_client_secret: str | None = Field(None, repr=False, validation_alias="GOOGLE_CLIENT_SECRET")
    sign_in_providers: tuple[SignInProvider, ...] = Field((), validation_alias="LEAF_SIGN_IN_PROVIDERS")
    """Further OpenID Connect providers, as a JSON array; each is one more button on the landing page."""
    sandbox_url: str | None = Field(None, validation_alias="LEAF_SANDBOX_URL")
    """Base URL of a running sandbox; where it is not set and one is needed, Leaf starts its own."""
    sandbox_drive: Path | None = Field(None, validation_alias="LEAF_SANDBOX_DRIVE")
    """A local folder that the sandbox serves as the Drive, in place of the sample."""
    sandbox_token_seconds: int = Field(3600, ge=1, le=86_400, validation_alias="LEAF_SANDBOX_TOKEN_SECONDS")
    """Lifetime of the sandbox's access tokens, in seconds."""

    model: str = Field("", validation_alias="LEAF_MODEL")
    """`provider:name`: one model for all answers. Where it is not set, the table of models decides (`leaf.catalog`)."""
    models_file: Path | None = Field(None, validation_alias="LEAF_MODELS_FILE")
    """A table of models of one's own, in place of config/models/default.toml."""
    cloud: bool = Field(False, validation_alias="LEAF_CLOUD")
    """Whether Leaf serves the public: config/models/cloud.toml, and the models for speed for everybody."""
    beside_model: str = Field("", validation_alias="LEAF_BESIDE_MODEL")
    """`provider:name` of the model that writes titles and related questions."""
    fallbacks: str = Field("", validation_alias="LEAF_FALLBACK_MODELS")
    """Models that answer when the first one cannot, comma-separated, in the order in which they are tried."""
    openai_api_key: str | None = Field(None, repr=False, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(None, validation_alias="OPENAI_BASE_URL")
    anthropic_api_key: str | None = Field(None, repr=False, validation_alias="ANTHROPIC_API_KEY")
    anthropic_base_url: str | None = Field(None, validation_alias="ANTHROPIC_BASE_URL")
    anthropic_vertex_project_id: str | None = Field(None, validation_alias="ANTHROPIC_VERTEX_PROJECT_ID")
    """The Google Cloud project of Anthropic's models on Vertex AI; Google's own credentials open it."""
    anthropic_vertex_base_url: str | None = Field(None, validation_alias="ANTHROPIC_VERTEX_BASE_URL")
    cloud_ml_region: str = Field("global", validation_alias="CLOUD_ML_REGION")
    google_api_key: str | None = Field(None, repr=False, validation_alias="GOOGLE_API_KEY")
    google_base_url: str | None = Field(None, validation_alias="GOOGLE_BASE_URL")
    google_generative_ai_api_key: str | None = Field(None, repr=False, validation_alias="GOOGLE_GENERATIVE_AI_API_KEY")
    """The same as GOOGLE_API_KEY under its other name."""
    ai_gateway_api_key: str | None = Field(None, repr=False, validation_alias="AI_GATEWAY_API_KEY")
    ai_gateway_base_url: str | None = Field(None, validation_alias="AI_GATEWAY_BASE_URL")
    openai_compatible_api_key: str | None = Field(None, repr=False, validation_alias="OPENAI_COMPATIBLE_API_KEY")
    openai_compatible_base_url: str | None = Field(None, validation_alias="OPENAI_COMPATIBLE_API_BASE_URL")
    ollama_base_url: str | None = Field(None, validation_alias="OLLAMA_BASE_URL")

    allowed_tools: str = Field("", validation_alias="LEAF_ALLOWED_TOOLS")
    """Tools that the agent may use, comma-separated; all of its mode where none are named."""
    disallowed_tools: str = Field("", validation_alias="LEAF_DISALLOWED_TOOLS")
    """Tools that the agent may not use, comma-separated."""
    ask_question: bool = Field(False, validation_alias="LEAF_ASK_QUESTION")
    """Whether the model is offered the tool that asks the user something in the middle of an answer."""

    titles: bool = Field(True, validation_alias="LEAF_TITLES")
    """Whether a model writes the titles of new chats; else they are named by their first question."""
    related_questions: bool = Field(True, validation_alias="LEAF_RELATED_QUESTIONS")
    """Whether a model writes questions that could follow, after each answer."""

    step_limit: int = Field(50, ge=1, le=100, validation_alias="LEAF_STEP_LIMIT")
    """Requests to the model in one answer, at most; a mode may have fewer."""
    context_tokens: int | None = Field(None, ge=500, validation_alias="LEAF_CONTEXT_TOKENS")
    """Tokens that a request to a model may have with its answer, at most; what the model takes where it is not set."""
    thinking: Literal["default", "off", "low", "medium", "high"] = Field("default", validation_alias="LEAF_THINKING")
    """How much models think before they answer; `default` leaves it to their provider."""
    model_silence_seconds: float = Field(120, gt=0, validation_alias="LEAF_MODEL_SILENCE_SECONDS")
    """Seconds without a word from the model after which its request is given up."""
    tool_seconds: float = Field(120, gt=0, validation_alias="LEAF_TOOL_SECONDS")
    """Seconds after which a tool call is ended; the model is told."""
    run_seconds: float = Field(1800, gt=0, validation_alias="LEAF_RUN_SECONDS")
    """Seconds after which an answer ends with what it has."""
    token_limit: int | None = Field(None, ge=1, validation_alias="LEAF_TOKEN_LIMIT")
    """Tokens that one answer may use, input and output together; no limit where it is not set."""
    cost_limit_usd: Decimal | None = Field(None, gt=0, validation_alias="LEAF_COST_LIMIT_USD")
    """US dollars that one answer may cost; no limit where it is not set. Models without a known price are not held."""
    daily_tokens: int | None = Field(None, ge=1, validation_alias="LEAF_DAILY_TOKENS")
    """Tokens that one person may use in a day (UTC), input and output together; no limit where it is not set."""
    monthly_tokens: int | None = Field(None, ge=1, validation_alias="LEAF_MONTHLY_TOKENS")
    daily_usd: Decimal | None = Field(None, gt=0, validation_alias="LEAF_DAILY_USD")
    """US dollars that one person may use in a day (UTC). Models without a known price count as nothing."""
    monthly_usd: Decimal | None = Field(None, gt=0, validation_alias="LEAF_MONTHLY_USD")
    requests_per_minute: int | None = Field(None, ge=1, le=10_000, validation_alias="LEAF_REQUESTS_PER_MINUTE")
    """Questions that one person may ask within any minute; no limit where it is not set."""
    worker_jobs: int = Field(50, ge=1, le=1000, validation_alias="LEAF_WORKER_JOBS")
    """Answers that one worker writes at the same time, at most."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        problems = problems_of(self)
        if problems:
            raise errors.ConfigurationError(problems)
        return self

    @property
    def url(self) -> str:
        """Where people open Leaf, without a slash at the end."""
        return (self.public_url or f"http://localhost:{self.port}").rstrip("/")

    @property
    def administrators(self) -> frozenset[str]:
        """The e-mail addresses of the administrators, in small letters."""
        return frozenset(one.strip().casefold() for one in self.admins.split(",") if one.strip())

    @property
    def uses_sandbox_google(self) -> bool:
        """Whether Google is the sandbox."""
        return not self.google_client_id

    @property
    def fallback_models(self) -> tuple[str, ...]:
        """The models that answer when the first one cannot."""
        return tuple(model.strip() for model in self.fallbacks.split(",") if model.strip())

    @property
    def uses_sandbox(self) -> bool:
        """Whether any part of the sandbox is needed."""
        used = (*catalog.offered(self), *(catalog.beside(self, purpose) for purpose in ("title", "related")))
        return self.uses_sandbox_google or any(model.startswith("sandbox:") for model in used)

    @property
    def google_key(self) -> str:
        """The key of Google's models, under whichever of its names."""
        return self.google_api_key or self.google_generative_ai_api_key or ""

    @property
    def secrets(self) -> frozenset[str]:
        """Keys and secrets, as they are taken out of logs and traces."""
        named = [
            name for name in type(self).model_fields if name.endswith(("_key", "_keys", "secret", "metrics_token"))
        ]
        values = [str(getattr(self, name) or "") for name in named]
        values += [provider.client_secret for provider in self.sign_in_providers]
        values += [pair.partition(":")[2] for pair in (self.seal_keys or "").split(",")]
        return frozenset(value for value in values if len(value) > 8)

    @property
    def secure_cookies(self) -> bool:
        """Whether cookies carry the Secure attribute."""
        return self.url.startswith("https://")

    @property
    def signing_secret(self) -> str:
        """The signing secret; `leaf.embedded` provides one in development.

        Raises:
            errors.ConfigurationError: None is set yet.
        """
        if self.secret is None:
            raise errors.ConfigurationError(["LEAF_SECRET: is missing"])
        return self.secret

    @property
    def sealer(self) -> tokens.Sealer:
        """Seals OAuth tokens with the configured keys.

        Raises:
            errors.ConfigurationError: No key is set yet.
        """
        if self.seal_keys is None:
            raise errors.ConfigurationError(["LEAF_SEAL_KEYS: is missing"])
        return _sealer(self.seal_keys)


@lru_cache(maxsize=8)
def _sealer(seal_keys: str) -> tokens.Sealer:
    # Not kept by the settings themselves: a copy with other keys would take it over.
    return tokens.Sealer(parse_seal_keys(seal_keys))
