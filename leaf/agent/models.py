"""From `provider:name` to a pydantic-ai model; one HTTP client per model and process."""

from collections.abc import Callable

from openai import AsyncOpenAI
from pydantic_ai.models import Model

from leaf import config, errors

RETRIES = 3
"""Tries again within one request, by the providers' own clients: on 408, 409, 429 and 5xx before an answer begins."""
_GRACE_SECONDS = 5.0
"""The job notices a silent provider; the clients' own timeouts come later, and are for what it cannot see."""


def chain(model_id: str) -> Model:
    """The model of an id, and behind it those that answer when it cannot (LEAF_FALLBACK_MODELS).

    Raises:
        errors.ConfigurationError: A provider is unknown, or its key is missing.
    """
    others = [build(other) for other in config.current().fallback_models if other != model_id]
    if not others:
        return build(model_id)
    from pydantic_ai.models.fallback import FallbackModel

    return FallbackModel(build(model_id), *others)


def build(model_id: str) -> Model:
    """The model of an id such as `openai:gpt-5.2` or `sandbox:sandbox`.

    Raises:
        errors.ConfigurationError: The provider is unknown, or its key is missing.
    """
    settings = config.current()
    built = _built.get(model_id)
    if built is not None and built[0] is settings:
        return built[1]
    provider, _, name = model_id.partition(":")
    builder = _BUILDERS.get(provider)
    if builder is None or not name:
        raise errors.ConfigurationError([f"LEAF_MODEL: {model_id!r} names no known provider"])
    model = builder(name, settings)
    _built[model_id] = (settings, model)
    return model


def _timeout() -> float:
    return config.current().model_silence_seconds + _GRACE_SECONDS


def _openai_client(base_url: str | None, key: str | None) -> AsyncOpenAI:
    return AsyncOpenAI(
        api_key=key or "",
        base_url=base_url or "https://api.openai.com/v1",
        max_retries=RETRIES,
        timeout=_timeout(),
    )


def _sandbox(name: str, settings: config.Settings) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = _openai_client(f"{settings.sandbox_url}/openai/v1", "sandbox")
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


def _openai_responses(name: str, settings: config.Settings) -> Model:
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = _openai_client(settings.openai_base_url, settings.openai_api_key)
    return OpenAIResponsesModel(name, provider=OpenAIProvider(openai_client=client))


def _openai_chat(name: str, settings: config.Settings) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = _openai_client(settings.openai_base_url, settings.openai_api_key)
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


def _anthropic(name: str, settings: config.Settings) -> Model:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(
        api_key=settings.anthropic_api_key,
        base_url=settings.anthropic_base_url or "https://api.anthropic.com",
        max_retries=RETRIES,
        timeout=_timeout(),
    )
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))


def _google(name: str, settings: config.Settings) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(name, provider=GoogleProvider(api_key=settings.google_api_key or ""))


_BUILDERS: dict[str, Callable[[str, config.Settings], Model]] = {
    "sandbox": _sandbox,
    "openai": _openai_responses,
    "openai-chat": _openai_chat,
    "anthropic": _anthropic,
    "google": _google,
}

_built: dict[str, tuple[config.Settings, Model]] = {}
