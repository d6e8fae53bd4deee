"""Settings: the only reader of the environment.

`current()` gives the settings of this process. Where no URL or key is set, `leaf.embedded` starts its own services and
installs a copy of the settings that names them (`install`).
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from leaf import addresses, errors, tokens

SANDBOX_CLIENT_ID = "leaf-sandbox"
SANDBOX_CLIENT_SECRET = "leaf-sandbox-secret"  # noqa: S105 - the sandbox's public, fixed client, no secret
SANDBOX_MODEL = "sandbox:sandbox"
MODEL_PROVIDERS = ("sandbox", "openai", "openai-chat", "anthropic", "google")

_MODEL_KEYS = {
    "openai": ("openai_api_key", "OPENAI_API_KEY"),
    "openai-chat": ("openai_api_key", "OPENAI_API_KEY"),
    "anthropic": ("anthropic_api_key", "ANTHROPIC_API_KEY"),
    "google": ("google_api_key", "GOOGLE_API_KEY"),
}


class SignInProvider(BaseModel):
    """An OpenID Connect provider that people may sign in with, beside Google."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9-]{1,30}$")
    label: str = Field(min_length=1, max_length=40)
    issuer: str = Field(pattern=r"^https?://")
    client_id: str = Field(min_length=1)
    client_secret: str = Field(min_length=1, repr=False)


class Settings(BaseSettings):
    """Leaf's settings. Every field's environment variable is its alias; the README's table lists them."""

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

    model: str = Field(SANDBOX_MODEL, validation_alias="LEAF_MODEL")
    """`provider:name`; the provider is one of sandbox, openai, openai-chat, anthropic, google."""
    openai_api_key: str | None = Field(None, repr=False, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(None, validation_alias="OPENAI_BASE_URL")
    anthropic_api_key: str | None = Field(None, repr=False, validation_alias="ANTHROPIC_API_KEY")
    anthropic_base_url: str | None = Field(None, validation_alias="ANTHROPIC_BASE_URL")
    google_api_key: str | None = Field(None, repr=False, validation_alias="GOOGLE_API_KEY")

    step_limit: int = Field(10, ge=1, le=100, validation_alias="LEAF_STEP_LIMIT")
    """Requests to the model in one answer, at most."""
    worker_jobs: int = Field(50, ge=1, le=1000, validation_alias="LEAF_WORKER_JOBS")
    """Answers that one worker writes at the same time, at most."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        problems = [*self._problems()]
        if self.env == "production":
            problems += self._production_problems()
        if problems:
            raise errors.ConfigurationError(problems)
        return self

    def _problems(self) -> list[str]:
        problems = self._address_problems()
        ids = [provider.id for provider in self.sign_in_providers]
        if "google" in ids or len(set(ids)) < len(ids):
            problems.append("LEAF_SIGN_IN_PROVIDERS: ids must be different from each other and from google")
        if bool(self.google_client_id) != bool(self.google_client_secret):
            problems.append("GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET: set both, or neither for the sandbox")
        if self.secret is not None and len(self.secret) < 32:
            problems.append("LEAF_SECRET: must have at least 32 characters")
        if self.data_dir.expanduser().exists() and not self.data_dir.expanduser().is_dir():
            problems.append(f"LEAF_DATA_DIR: {self.data_dir} is not a folder")
        if self.sandbox_drive is not None and not self.sandbox_drive.expanduser().is_dir():
            problems.append("LEAF_SANDBOX_DRIVE: is not a folder")
        problems += self._model_problems()
        problems += self._seal_key_problems()
        return problems

    def _address_problems(self) -> list[str]:
        problems: list[str] = []
        for name, url, schemes in (
            ("DATABASE_URL", self.database_url, ("postgresql", "postgres", "postgresql+psycopg")),
            ("REDIS_URL", self.redis_url, ("redis", "rediss", "unix")),
        ):
            if url is not None and url.partition("://")[0] not in schemes:
                problems.append(f"{name}: must start with {schemes[0]}://")
            elif url is not None and not addresses.has_usable_port(url):
                problems.append(f"{name}: its port must be a number from 1 to 65535")
        for name, url in (
            ("LEAF_URL", self.public_url),
            ("LEAF_SANDBOX_URL", self.sandbox_url),
            ("OPENAI_BASE_URL", self.openai_base_url),
            ("ANTHROPIC_BASE_URL", self.anthropic_base_url),
        ):
            if url and not addresses.is_web_address(url):
                problems.append(f"{name}: must be an http:// or https:// address")
        if self.public_url and addresses.is_web_address(self.public_url) and not addresses.is_origin(self.public_url):
            problems.append("LEAF_URL: must end behind the host and port; Leaf is served at the root of its host")
        return problems

    def _model_problems(self) -> list[str]:
        provider, separator, name = self.model.partition(":")
        if not separator or not name or provider not in MODEL_PROVIDERS:
            return [f"LEAF_MODEL: must be provider:name, where provider is one of {', '.join(MODEL_PROVIDERS)}"]
        if provider in _MODEL_KEYS:
            field, variable = _MODEL_KEYS[provider]
            if not str(getattr(self, field) or "").strip():
                return [f"{variable}: is missing; LEAF_MODEL={self.model} needs it"]
        return []

    def _seal_key_problems(self) -> list[str]:
        if self.seal_keys is None:
            return []
        try:
            sealer = tokens.Sealer(_seal_keys(self.seal_keys))
            sealer.open(sealer.seal("probe"))
        except (ValueError, IndexError, errors.ConfigurationError):
            return ["LEAF_SEAL_KEYS: must be id:key, comma-separated, each key from `make seal-key`"]
        return []

    def _production_problems(self) -> list[str]:
        needed = {
            "LEAF_URL": self.public_url, "DATABASE_URL": self.database_url, "REDIS_URL": self.redis_url,
            "LEAF_SECRET": self.secret, "LEAF_SEAL_KEYS": self.seal_keys,
            "GOOGLE_CLIENT_ID": self.google_client_id, "GOOGLE_CLIENT_SECRET": self.google_client_secret,
        }  # fmt: skip
        problems = [f"{name}: is missing" for name, value in needed.items() if not value]
        if self.public_url and not self.public_url.startswith("https://"):
            problems.append("LEAF_URL: must start with https:// in production")
        if self.secret and (len(set(self.secret)) < 12 or "change" in self.secret.lower()):
            problems.append("LEAF_SECRET: is too simple; use the output of `make secret`")
        if self.seal_keys and any(pair.strip().startswith("local:") for pair in self.seal_keys.split(",")):
            problems.append("LEAF_SEAL_KEYS: holds the key of a development copy; use the output of `make seal-key`")
        if self.google_client_id == SANDBOX_CLIENT_ID or self.google_client_secret == SANDBOX_CLIENT_SECRET:
            problems.append("GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET: are those of the sandbox")
        if self.model.startswith("sandbox:"):
            problems.append("LEAF_MODEL: is missing; the sandbox model is refused in production")
        for name, value in (("LEAF_SANDBOX_URL", self.sandbox_url), ("LEAF_SANDBOX_DRIVE", self.sandbox_drive)):
            if value:
                problems.append(f"{name}: is refused in production")
        return problems

    @property
    def url(self) -> str:
        """Where people open Leaf, without a slash at the end."""
        return (self.public_url or f"http://localhost:{self.port}").rstrip("/")

    @property
    def uses_sandbox_google(self) -> bool:
        """Whether Google is the sandbox."""
        return not self.google_client_id

    @property
    def uses_sandbox(self) -> bool:
        """Whether any part of the sandbox is needed."""
        return self.uses_sandbox_google or self.model.startswith("sandbox:")

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


def _seal_keys(value: str) -> tuple[tuple[str, str], ...]:
    pairs = [pair.strip().partition(":") for pair in value.split(",") if pair.strip()]
    if not pairs or not all(key_id and key for key_id, _, key in pairs):
        raise ValueError(value)
    return tuple((key_id, key) for key_id, _, key in pairs)


@lru_cache(maxsize=8)
def _sealer(seal_keys: str) -> tokens.Sealer:
    # Not kept by the settings themselves: a copy with other keys would take it over.
    return tokens.Sealer(_seal_keys(seal_keys))


def load() -> Settings:
    """The settings of the environment (and of a file `.env` in the working directory).

    Raises:
        errors.ConfigurationError: Something is missing or malformed; one line per problem.
    """
    try:
        return Settings()  # pyright: ignore[reportCallIssue]
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, problem['loc']))}: {problem['msg'].lower()}" for problem in error.errors()]
        raise errors.ConfigurationError(problems) from None
    except SettingsError as error:
        raise errors.ConfigurationError([f"{_variable(str(error))}: is not valid JSON"]) from None


def _variable(message: str) -> str:
    """The environment variable of the field that a message of pydantic-settings quotes."""
    for name, field in Settings.model_fields.items():
        if f'"{name}"' in message or f'"{field.validation_alias}"' in message:
            return str(field.validation_alias)
    return "Settings"


_current: Settings | None = None


def current() -> Settings:
    """The settings of this process, loaded at the first call."""
    global _current
    if _current is None:
        _current = load()
    return _current


def install(settings: Settings) -> None:
    """Replaces the settings of this process: embedded services and tests do this, nobody else.

    The sandbox speaks plain HTTP on loopback. For it, this sets what oauthlib wants to be told before it does so, and
    keeps a proxy that is set for the outside world out of the way.
    """
    global _current
    _current = settings
    if settings.uses_sandbox_google:
        os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
    if settings.uses_sandbox:
        spared = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
        if "127.0.0.1" not in spared and spared.strip() != "*":
            spared = ",".join(filter(None, (spared, "127.0.0.1", "localhost")))
        os.environ["no_proxy"] = os.environ["NO_PROXY"] = spared
