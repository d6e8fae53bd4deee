"""Checks the settings. Each missing or malformed value is one line."""

import re
from typing import TYPE_CHECKING

from leaf import errors
from leaf.callers import tokens
from leaf.config import addresses, catalog, local, sentinels
from leaf.config.catalog import PROVIDERS, SANDBOX, why_not

if TYPE_CHECKING:
    from leaf.config.settings import Settings


SANDBOX_CLIENT_ID = "leaf-sandbox"
SANDBOX_CLIENT_SECRET = "leaf-sandbox-secret"  # noqa: S105 - the sandbox's public, fixed client, no secret
_TOKEN_CHARACTERS = 16
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LONG_WORDS = r"change|replace|placeholder|example|insert|sample|secret|password|\.{3}|<|>"
_WORDS = re.compile(_LONG_WORDS, re.IGNORECASE)
# Short words count only as whole words, and not in Leaf's own secrets, because random keys may contain them.
_ALL_WORDS = re.compile(_LONG_WORDS + r"|(?<![^-_ .])(?:your|todo|here|dummy|x{3,})(?![^-_ .])", re.IGNORECASE)
_SHORTEST_KEY = 8
_EMBEDDERS = ", ".join(catalog.EMBEDDERS)
_OTHER_URLS = frozenset({"database_url", "redis_url", "smtp_url"})
"""Settings with addresses that are not of the web."""
_NEEDED_IN_PRODUCTION = (
    "public_url", "database_url", "redis_url", "secret", "seal_keys", "google_client_id", "google_client_secret",
)  # fmt: skip


def problems_of(settings: "Settings") -> list[str]:
    """All problems of the settings, one line each; empty if Leaf can start."""
    problems = _of_addresses(settings)
    ids = [provider.id for provider in settings.sign_in_providers]
    if "google" in ids or len(set(ids)) < len(ids):
        problems.append("LEAF_SIGN_IN_PROVIDERS: ids must be different from each other and from google")
    if bool(settings.google_client_id) != bool(settings.google_client_secret):
        problems.append("GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET: set both, or neither for the sandbox")
    if settings.secret is not None and len(settings.secret) < 32:
        problems.append("LEAF_SECRET: must have at least 32 characters")
    if settings.data_dir.expanduser().exists() and not settings.data_dir.expanduser().is_dir():
        problems.append(f"LEAF_DATA_DIR: {settings.data_dir} is not a folder")
    if settings.sandbox_drive is not None and not settings.sandbox_drive.expanduser().is_dir():
        problems.append("LEAF_SANDBOX_DRIVE: is not a folder")
    problems += local.problems(settings.local_models)
    problems += _of_models(settings)
    problems += _of_embeddings(settings)
    problems += _of_seal_keys(settings)
    problems += settings.web_problems + settings.mcp_problems + settings.mail_problems
    problems += _of_traces(settings) + _of_operations(settings)
    if settings.env == "production":
        problems += _of_production(settings)
    return problems


def _of_addresses(settings: "Settings") -> list[str]:
    problems: list[str] = []
    for name, url, schemes in (
        ("DATABASE_URL", settings.database_url, ("postgresql", "postgres", "postgresql+psycopg")),
        ("REDIS_URL", settings.redis_url, ("redis", "rediss", "unix", *sentinels.SCHEMES)),
    ):
        if url is not None and url.partition("://")[0] not in schemes:
            problems.append(f"{name}: must start with {schemes[0]}://")
        elif url is not None and not addresses.has_usable_ports(url):
            problems.append(f"{name}: its port must be a number from 1 to 65535")
    if settings.redis_url is not None and not problems:
        try:
            sentinels.parsed(settings.redis_url)
        except ValueError:
            problems.append("REDIS_URL: must be redis+sentinel://host:port,host:port/name/database")
    web = [
        name for name in type(settings).model_fields if name.endswith(("_url", "_endpoint")) and name not in _OTHER_URLS
    ]
    wrong = [name for name in web if getattr(settings, name) and not addresses.is_web_address(getattr(settings, name))]
    problems += [f"{settings.variable(name)}: must be an http:// or https:// address" for name in wrong]
    if settings.public_url and "public_url" not in wrong and not addresses.is_origin(settings.public_url):
        problems.append("LEAF_URL: must end after the host and port; Leaf is served at the root of its host")
    return problems


def _of_models(settings: "Settings") -> list[str]:
    named = [
        ("LEAF_MODEL", settings.model),
        ("LEAF_BESIDE_MODEL", settings.beside_model),
        *(("LEAF_FALLBACK_MODELS", model) for model in settings.fallback_models),
    ]
    problems = [problem for setting, model in named if model for problem in _of_model(settings, setting, model)]
    if problems:
        return problems
    try:
        catalog.offered(settings)
    except errors.ConfigurationError as error:
        return [
            f"{problem}; set LEAF_MODEL, or the key of a provider" if "no provider" in problem else problem
            for problem in error.problems
        ]
    return []


def _of_model(settings: "Settings", setting: str, model: str) -> list[str]:
    provider, separator, name = model.partition(":")
    if not separator or not name or provider not in PROVIDERS:
        return [f"{setting}: must be provider:name, where provider is one of {', '.join(PROVIDERS)}"]
    if provider == local.PROVIDER and (reason := why_not(settings, model)):
        return [f"{setting}: {reason}"]
    missing = PROVIDERS[provider].missing(settings)
    if missing:
        return [f"{variable}: is missing; {setting}={model} needs it" for variable in missing]
    if settings.env == "production" and provider == SANDBOX:
        return [f"{setting}: names no real model; {why_not(settings, model)}"]
    return []


def _of_embeddings(settings: "Settings") -> list[str]:
    name = settings.embeddings
    if name in {"local", "off"}:
        return []
    if name.partition(":")[0] not in catalog.EMBEDDERS:
        return [f"LEAF_EMBEDDINGS: must be local, off, or provider:name, where provider is one of {_EMBEDDERS}"]
    return _of_model(settings, "LEAF_EMBEDDINGS", name)


def _of_seal_keys(settings: "Settings") -> list[str]:
    if settings.seal_keys is None:
        return []
    try:
        sealer = tokens.Sealer(parse_seal_keys(settings.seal_keys))
        sealer.open(sealer.seal("probe"))
    except (ValueError, IndexError, errors.ConfigurationError):
        return ["LEAF_SEAL_KEYS: must be id:key, comma-separated, each key from `make seal-key`"]
    return []


def _of_production(settings: "Settings") -> list[str]:
    missing = [name for name in _NEEDED_IN_PRODUCTION if not getattr(settings, name)]
    problems = [f"{settings.variable(name)}: is missing" for name in missing]
    if settings.public_url and not settings.public_url.startswith("https://"):
        problems.append("LEAF_URL: must start with https:// in production")
    if settings.secret and is_simple(settings.secret):
        problems.append("LEAF_SECRET: is too simple; use the output of `make secret`")
    if settings.seal_keys and any(is_simple(pair.partition(":")[2]) for pair in settings.seal_keys.split(",")):
        problems.append("LEAF_SEAL_KEYS: is too simple; use the output of `make seal-key`")
    foreign = [
        name for name in type(settings).model_fields if name.startswith("google_client_") or name.endswith("_api_key")
    ]
    copied = [name for name in foreign if getattr(settings, name) and is_placeholder(getattr(settings, name))]
    problems += [f"{settings.variable(name)}: is a placeholder" for name in copied]
    if settings.seal_keys and any(pair.strip().startswith("local:") for pair in settings.seal_keys.split(",")):
        problems.append("LEAF_SEAL_KEYS: holds the key of a development copy; use the output of `make seal-key`")
    if settings.google_client_id == SANDBOX_CLIENT_ID or settings.google_client_secret == SANDBOX_CLIENT_SECRET:
        problems.append("GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET: are those of the sandbox")
    refused = [name for name in ("sandbox_url", "sandbox_drive") if getattr(settings, name)]
    return [*problems, *(f"{settings.variable(name)}: is refused in production" for name in refused)]


def parse_seal_keys(value: str) -> tuple[tuple[str, str], ...]:
    """The ids and keys of LEAF_SEAL_KEYS, in order.

    Raises:
        ValueError: The value is empty, or an id or key is missing.
    """
    pairs = [pair.strip().partition(":") for pair in value.split(",") if pair.strip()]
    if not pairs or not all(key_id and key for key_id, _, key in pairs):
        raise ValueError(value)
    return tuple((key_id, key) for key_id, _, key in pairs)


def _of_operations(settings: "Settings") -> list[str]:
    problems: list[str] = []
    if settings.metrics_token is not None and len(settings.metrics_token) < _TOKEN_CHARACTERS:
        problems.append(f"LEAF_METRICS_TOKEN: must have at least {_TOKEN_CHARACTERS} characters")
    try:
        trusted = settings.proxies
    except ValueError:
        return [*problems, "LEAF_TRUSTED_PROXIES: must be networks such as 10.0.0.0/8, comma-separated"]
    if any(network.prefixlen == 0 for network in trusted):
        problems.append("LEAF_TRUSTED_PROXIES: must not be every address there is")
    return problems


def _of_traces(settings: "Settings") -> list[str]:
    if all(_HEADER.fullmatch(name) and value for name, value in settings.trace_headers.items()):
        return []
    return ["OTEL_EXPORTER_OTLP_HEADERS: must be name=value, comma-separated"]


def is_placeholder(value: str) -> bool:
    """Whether a provider's key was copied from an example or typed only to pass a check."""
    text = value.strip()
    # Secrets of Google begin with this prefix, which must not count.
    return len(text) < _SHORTEST_KEY or bool(_ALL_WORDS.search(text.removeprefix("GOCSPX-"))) or len(set(text)) < 5


def is_simple(secret: str) -> bool:
    """Whether one of Leaf's own secrets does not look random. It has few different characters, a word, or a
    repetition.
    """
    return len(set(secret)) < 12 or bool(_WORDS.search(secret)) or _repeats(secret)


def _repeats(text: str) -> bool:
    """Whether a text consists of repetitions of a shorter text. The last repetition may be cut off."""
    return any(text == (text[:size] * len(text))[: len(text)] for size in range(1, len(text) // 2 + 1))
