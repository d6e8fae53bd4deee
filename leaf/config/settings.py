"""The settings, their environment variables and their defaults; docs/configuration.md lists them."""

import math
import os
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, Self
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_settings import SettingsConfigDict

from leaf import callers, errors
from leaf.callers import tokens
from leaf.config import catalog
from leaf.config.catalog import ModelSettings
from leaf.config.mail import MailSettings
from leaf.config.mcp import McpSettings
from leaf.config.problems import parse_seal_keys, problems_of
from leaf.config.web import WebSettings

OFF: Final = "off"
LOCAL: Final = "local"
LOCAL_VECTORS: Final = "local:universal-sentence-encoder-multilingual-3"
_CGROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")


class SignInProvider(BaseModel):
    """An OpenID Connect provider with which people may sign in, in addition to Google."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9-]{1,30}$")
    label: str = Field(min_length=1, max_length=40)
    issuer: str = Field(pattern=r"^https?://")
    client_id: str = Field(min_length=1)
    client_secret: str = Field(min_length=1, repr=False)
    verifies_email: bool = False
    """Whether it verifies that an e-mail address belongs to the person. Otherwise LEAF_ADMINS does not apply to its
    addresses.
    """


class Settings(
    ModelSettings,
    WebSettings,
    McpSettings,
    MailSettings,
):
    """Leaf's settings. Every field's environment variable is its alias; docs/configuration.md lists them."""

    model_config = SettingsConfigDict(frozen=True, populate_by_name=True, extra="ignore", env_file=".env")

    port: int = Field(3000, ge=1, le=65535, validation_alias="PORT")
    """The port of the pages."""
    host: str = Field("", validation_alias="HOST")
    """The address on which to listen; see `listens_on`."""
    web_processes: int | None = Field(None, ge=1, le=64, validation_alias="LEAF_WEB_PROCESSES")
    """The number of web processes of one start in production; by default the number of cores."""
    backend_port: int | None = Field(None, ge=1, le=65535, validation_alias="LEAF_BACKEND_PORT")
    """The port of the web process behind the development server; by default a free port."""
    public_url: str | None = Field(None, validation_alias="LEAF_URL")
    """The address at which people open Leaf, such as https://leaf.example. OAuth redirects are built from it."""
    data_dir: Path = Field(Path(".leaf"), validation_alias="LEAF_DATA_DIR")
    """The folder with the data of embedded services."""
    pages_dir: Path = Field(Path(".web"), validation_alias="REFLEX_WEB_WORKDIR")
    """The folder of the compiled pages. Reflex reads the same variable."""
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", validation_alias="LEAF_LOG_LEVEL")
    log_format: Literal["text", "json"] = Field("text", validation_alias="LEAF_LOG_FORMAT")
    """The format of log lines: text for people, or JSON objects."""

    database_url: str | None = Field(None, repr=False, validation_alias="DATABASE_URL")
    redis_url: str | None = Field(None, repr=False, validation_alias="REDIS_URL")
    embedded_worker: bool = Field(True, validation_alias="LEAF_EMBEDDED_WORKER")
    """Whether the web process also starts a worker if Redis or PostgreSQL is embedded."""

    secret: str | None = Field(None, repr=False, validation_alias="LEAF_SECRET")
    """The secret that signs OAuth state; at least 32 characters. In development, it is generated and stored in the data
    directory.
    """
    seal_keys: str | None = Field(None, repr=False, validation_alias="LEAF_SEAL_KEYS")
    """Fernet keys that seal OAuth tokens, as `id:key`, comma-separated, the newest first."""
    session_days: int = Field(30, ge=1, le=365, validation_alias="LEAF_SESSION_DAYS")
    """The number of days without a visit after which a browser session ends."""

    admins: str = Field("", validation_alias="LEAF_ADMINS")
    """The e-mail addresses with which this Leaf's administrators sign in, comma-separated."""
    google_client_id: str | None = Field(None, validation_alias="GOOGLE_CLIENT_ID")
    google_client_secret: str | None = Field(None, repr=False, validation_alias="GOOGLE_CLIENT_SECRET")
    google_testing: bool = Field(False, validation_alias="LEAF_GOOGLE_TESTING")
    """Whether Google's app is in the state Testing, in which access to a Drive ends after seven days. Leaf detects this
    by itself if Google reports the end of a grant.
    """
    sign_in_providers: tuple[SignInProvider, ...] = Field((), validation_alias="LEAF_SIGN_IN_PROVIDERS")
    """Further OpenID Connect providers, as a JSON array. Each has a button on the landing page."""
    sandbox_url: str | None = Field(None, validation_alias="LEAF_SANDBOX_URL")
    """The base URL of a running sandbox. If it is not set and a sandbox is needed, Leaf starts its own."""
    sandbox_drive: Path | None = Field(None, validation_alias="LEAF_SANDBOX_DRIVE")
    """A local folder that the sandbox serves as the Drive instead of the sample."""
    sandbox_token_seconds: int = Field(3600, ge=1, le=86_400, validation_alias="LEAF_SANDBOX_TOKEN_SECONDS")
    """The lifetime of the sandbox's access tokens, in seconds."""

    allowed_tools: str = Field("", validation_alias="LEAF_ALLOWED_TOOLS")
    """The tools that the agent may use, comma-separated; by default all tools of the mode."""
    disallowed_tools: str = Field("", validation_alias="LEAF_DISALLOWED_TOOLS")
    """The tools that the agent may not use, comma-separated."""
    ask_question: bool = Field(False, validation_alias="LEAF_ASK_QUESTION")
    """Whether the model can use the tool that asks the reader a question during an answer."""

    titles: bool = Field(True, validation_alias="LEAF_TITLES")
    """Whether a model writes the titles of new chats. Otherwise, the first question is the title."""
    related_questions: bool = Field(True, validation_alias="LEAF_RELATED_QUESTIONS")
    """Whether a model writes related questions after each answer."""

    context_tokens: int | None = Field(None, ge=500, validation_alias="LEAF_CONTEXT_TOKENS")
    """The maximum number of tokens of a request to a model and its answer; by default the limit of the model."""
    thinking: Literal["default", "off", "low", "medium", "high"] = Field("default", validation_alias="LEAF_THINKING")
    """The effort of reasoning before an answer; `default` leaves it to the provider."""
    model_silence_seconds: float = Field(120, gt=0, validation_alias="LEAF_MODEL_SILENCE_SECONDS")
    """The number of seconds without data from the model after which its request is cancelled."""
    tool_seconds: float = Field(120, gt=0, validation_alias="LEAF_TOOL_SECONDS")
    """The number of seconds after which a tool call is cancelled, with an error for the model."""
    run_seconds: float = Field(1800, gt=0, validation_alias="LEAF_RUN_SECONDS")
    """The number of seconds after which an answer ends, even if it is incomplete."""
    token_limit: int | None = Field(None, ge=1, validation_alias="LEAF_TOKEN_LIMIT")
    """The maximum number of tokens of one answer, input and output together; by default no limit."""
    cost_limit_usd: Decimal | None = Field(None, gt=0, validation_alias="LEAF_COST_LIMIT_USD")
    """The maximum cost of one answer in US dollars; by default no limit. Models without a known price have no limit."""
    daily_tokens: int | None = Field(None, ge=1, validation_alias="LEAF_DAILY_TOKENS")
    """The maximum number of tokens of one person in a day (UTC), input and output together; by default no limit."""
    monthly_tokens: int | None = Field(None, ge=1, validation_alias="LEAF_MONTHLY_TOKENS")
    daily_usd: Decimal | None = Field(None, gt=0, validation_alias="LEAF_DAILY_USD")
    """The maximum cost of one person in a day (UTC), in US dollars. Models without a known price count as free."""
    monthly_usd: Decimal | None = Field(None, gt=0, validation_alias="LEAF_MONTHLY_USD")
    requests_per_minute: int = Field(30, ge=0, le=10_000, validation_alias="LEAF_REQUESTS_PER_MINUTE")
    """The maximum number of questions of one person within any minute; 0 for no limit."""
    worker_jobs: int = Field(50, ge=1, le=1000, validation_alias="LEAF_WORKER_JOBS")
    """The maximum number of answers that one worker writes at the same time."""
    queue: str = Field("leaf.queue.arq_queue", validation_alias="LEAF_QUEUE")
    """The module that implements the job queue (`leaf.queue.Queue`). Its worker runs the jobs of `jobs.functions`."""

    index: bool = Field(True, validation_alias="LEAF_INDEX")
    """Whether workers read members' Drives in advance, so that the texts can be searched."""
    drive_units_per_minute: int = Field(325_000, ge=1_000, validation_alias="LEAF_DRIVE_UNITS_PER_MINUTE")
    """The number of units of the Drive API that Google allows one account per minute. The index uses less than 80
    percent.
    """
    drive_units_per_day: int = Field(400_000_000, ge=1_000_000, validation_alias="LEAF_DRIVE_UNITS_PER_DAY")
    """The number of units that Google allows the project per day. The index uses less than 80 percent."""
    embeddings: str = Field("local", validation_alias="LEAF_EMBEDDINGS")
    """The model that makes vectors of passages: `local`, `provider:name`, or `off` for none."""

    guests: bool = Field(False, validation_alias="LEAF_GUESTS")
    """Whether people may chat without an account. The database stores nothing of such a chat."""
    guest_questions: int = Field(10, ge=1, le=10_000, validation_alias="LEAF_GUEST_QUESTIONS")
    """The maximum number of questions of one guest within 24 hours."""
    guest_address_questions: int | None = Field(None, ge=1, le=100_000, validation_alias="LEAF_GUEST_ADDRESS_QUESTIONS")
    """The maximum number of questions that all guests of one client address may ask within 24 hours; by default the
    limit of one guest.
    """
    guest_hours: int = Field(24, ge=1, le=168, validation_alias="LEAF_GUEST_HOURS")
    """The number of hours after the last question for which Redis keeps a guest's chat."""
    guest_chats: int = Field(200, ge=1, le=100_000, validation_alias="LEAF_GUEST_CHATS")
    """The maximum number of guests' chats that are kept at the same time."""

    sites: bool = Field(True, validation_alias="LEAF_TENANTS")
    """Whether members can create sites, and whether public keys of sites are accepted."""
    site_monthly_tokens: int | None = Field(None, ge=1, validation_alias="LEAF_TENANT_MONTHLY_TOKENS")
    """The maximum number of tokens of all visitors of one site in a month (UTC). The site may set less."""
    site_monthly_usd: Decimal | None = Field(None, gt=0, validation_alias="LEAF_TENANT_MONTHLY_USD")
    """The maximum cost of all visitors of one site in a month (UTC), in US dollars. The site may set less."""
    provider_log_days: int = Field(7, ge=1, le=90, validation_alias="LEAF_PROVIDER_LOG_DAYS")
    """The number of days for which requests to models and the responses are kept, for agents with provider logs
    enabled.
    """

    client_tool_seconds: float = Field(60, gt=0, le=86_400, validation_alias="LEAF_CLIENT_TOOL_SECONDS")
    """The time limit in seconds of a call of a client tool (a tool that runs at the caller). After it, the answer ends
    with an error.
    """
    client_run_seconds: float = Field(600, gt=0, le=86_400, validation_alias="LEAF_CLIENT_RUN_SECONDS")
    """The time limit in seconds of an answer with client tools, including waiting."""
    client_lease_seconds: float = Field(15, gt=0, le=3600, validation_alias="LEAF_CLIENT_LEASE_SECONDS")
    """The number of seconds for which a browser tab's claim of a call is valid. The tab may renew it."""
    tool_planner: bool = Field(True, validation_alias="LEAF_TOOL_PLANNER")
    """Whether a planner chooses which client tools are offered, and after each result whether to continue."""
    client_calls_per_minute: int = Field(240, ge=1, le=100_000, validation_alias="LEAF_CLIENT_CALLS_PER_MINUTE")
    """The maximum number of claims and results of client calls that one person may send within any minute."""

    metrics_token: str | None = Field(None, repr=False, validation_alias="LEAF_METRICS_TOKEN")
    """The bearer token for `/metrics`; at least 16 characters."""
    feature_counts: bool = Field(True, validation_alias="LEAF_FEATURE_COUNTS")
    """Whether `/metrics` counts members' use of features, without content and without names."""
    metrics_loopback: bool = Field(False, validation_alias="LEAF_METRICS_LOOPBACK")
    """Whether requests from this machine that do not come through a proxy may read `/metrics` without a token."""
    cold_days: int = Field(180, ge=0, le=3650, validation_alias="LEAF_COLD_DAYS")
    """The number of days without activity after which a conversation's content moves to cold storage; 0 for never."""
    chat_mb: int = Field(50, ge=1, le=1000, validation_alias="LEAF_CHAT_MB")
    """The maximum size of one conversation's messages in the database, in megabytes. Alerts begin at 80 percent."""
    audit_days: int = Field(180, ge=7, le=3650, validation_alias="LEAF_AUDIT_DAYS")
    """The number of days for which security events are kept."""
    trusted_proxies: str = Field("", validation_alias="LEAF_TRUSTED_PROXIES")
    """The networks of trusted proxies (CIDR, comma-separated). Only their `X-Forwarded-For` is used."""

    sockets_per_address: int = Field(300, ge=1, le=100_000, validation_alias="LEAF_SOCKETS_PER_ADDRESS")
    """The maximum number of open pages of one client address at one web process."""
    upload_mb_per_address: int = Field(200, ge=1, le=100_000, validation_alias="LEAF_UPLOAD_MB_PER_ADDRESS")
    """The maximum size of simultaneous uploads from one client address to one web process, in megabytes."""

    otlp_endpoint: str | None = Field(None, validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT")
    """The base address of a collector for OTLP over HTTP. `/v1/traces` is added to it."""
    otlp_headers: str = Field("", repr=False, validation_alias="OTEL_EXPORTER_OTLP_HEADERS")
    """The headers of requests to the collector, as `name=value`, comma-separated, URL-encoded."""
    trace_content: bool = Field(False, validation_alias="LEAF_TRACE_CONTENT")
    """Whether traces contain the texts of questions, documents and answers."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        problems = problems_of(self)
        if problems:
            raise errors.ConfigurationError(problems)
        return self

    @property
    def url(self) -> str:
        """The address at which people open Leaf, without a slash at the end."""
        return (self.public_url or f"http://localhost:{self.port}").rstrip("/")

    @property
    def listens_on(self) -> str:
        """The address on which to listen. If HOST is not an address (shells may set it to a name), it is loopback in
        development and all addresses in production.
        """
        if callers.is_address(self.host):
            return self.host
        return "0.0.0.0" if self.env == "production" else "127.0.0.1"  # noqa: S104 - containers are reached from outside

    @property
    def processes(self) -> int:
        """The number of web processes of one start. It is 1 without Redis, through which the processes find each
        other's sockets.
        """
        if self.redis_url is None or self.env != "production":
            return 1
        return self.web_processes or usable_cores()

    @property
    def administrators(self) -> frozenset[str]:
        """The e-mail addresses of the administrators, in lower case."""
        return frozenset(one.strip().casefold() for one in self.admins.split(",") if one.strip())

    @property
    def vector_model(self) -> str:
        """The name of the embedding model, which is stored with each vector; empty if no vectors are made."""
        if not self.index or self.embeddings == OFF:
            return ""
        return LOCAL_VECTORS if self.embeddings == LOCAL else self.embeddings

    @property
    def uses_sandbox_google(self) -> bool:
        """Whether the sandbox replaces Google."""
        return not self.google_client_id

    @property
    def uses_sandbox(self) -> bool:
        """Whether any part of the sandbox is needed."""
        used = (*catalog.offered(self), *(catalog.side_model(self, purpose) for purpose in ("title", "related")))
        return self.uses_sandbox_google or any(model.startswith("sandbox:") for model in used)

    @property
    def google_key(self) -> str:
        """The key of Google's models, from either of its two variables; empty if none is set."""
        return self.google_api_key or self.google_generative_ai_api_key or ""

    @property
    def secrets(self) -> frozenset[str]:
        """The keys and secrets that are removed from logs and traces."""
        named = [
            name for name in type(self).model_fields if name.endswith(("_key", "_keys", "secret", "metrics_token"))
        ]
        values = [str(getattr(self, name) or "") for name in named]
        values += [provider.client_secret for provider in self.sign_in_providers]
        values += [pair.partition(":")[2] for pair in (self.seal_keys or "").split(",")]
        if (server := self.mail_server) is not None:
            values += [self.smtp_url or "", server.password]
        return frozenset(value for value in values if len(value) > 8)

    @property
    def secure_cookies(self) -> bool:
        """Whether cookies carry the Secure attribute."""
        return self.url.startswith("https://")

    @property
    def signing_secret(self) -> str:
        """The signing secret. In development, `leaf.config.embedded` provides one.

        Raises:
            errors.ConfigurationError: No secret is set yet.
        """
        if self.secret is None:
            raise errors.ConfigurationError(["LEAF_SECRET: is missing"])
        return self.secret

    @property
    def sealer(self) -> tokens.Sealer:
        """The object that seals OAuth tokens with the configured keys.

        Raises:
            errors.ConfigurationError: No key is set yet.
        """
        if self.seal_keys is None:
            raise errors.ConfigurationError(["LEAF_SEAL_KEYS: is missing"])
        return _sealer(self.seal_keys)

    @property
    def questions_per_address(self) -> int:
        """The maximum number of questions that all guests of one client address may ask within 24 hours."""
        return self.guest_address_questions or self.guest_questions

    @property
    def proxies(self) -> tuple[callers.Network, ...]:
        """The networks whose `X-Forwarded-For` is trusted."""
        return callers.networks(self.trusted_proxies)

    @property
    def trace_headers(self) -> dict[str, str]:
        """The headers of requests to the collector of traces, by lower-case name."""
        pairs = (pair.partition("=") for pair in self.otlp_headers.split(",") if pair.strip())
        return {name.strip().lower(): unquote(value.strip()) for name, _, value in pairs}


@lru_cache(maxsize=8)
def _sealer(seal_keys: str) -> tokens.Sealer:
    # The cache is here and not in the settings, because a copy of the settings with other keys would inherit it.
    return tokens.Sealer(parse_seal_keys(seal_keys))


def usable_cores(cgroups: Path = _CGROUPS, own: Path = _OWN_GROUP) -> int:
    """The number of cores that this process may use, at least 1. It is limited by the CPU affinity and by cgroup v2.

    Args:
        cgroups: The folder of the hierarchy of control groups.
        own: The file with the control group of this process (cgroups(7)).
    """
    limits = [float(_of_affinity()), *_core_quotas(cgroups, own)]
    return max(1, math.ceil(min(limits)))


def _of_affinity() -> int:
    if hasattr(os, "sched_getaffinity"):  # Only Linux has it.
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _core_quotas(cgroups: Path, own: Path) -> list[float]:
    """The limits in cores (`cpu.max`) of the process's control group and its parent groups; empty if there are none."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return []
    path = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if path is None:
        return []
    group = cgroups / path
    found = (_core_quota(folder / "cpu.max") for folder in (group, *group.parents) if folder.is_relative_to(cgroups))
    return [quota for quota in found if quota is not None]


def _core_quota(file: Path) -> float | None:
    try:
        most, period = file.read_text().split()
        return int(most) / int(period)
    except (OSError, ValueError, ZeroDivisionError):  # `max` is not a number and means no limit
        return None
