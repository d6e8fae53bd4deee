"""From `provider:name` to a pydantic-ai model; one HTTP client per model and process."""

import asyncio
from collections.abc import Callable

import httpx2
import openai
from pydantic_ai.models import Model

from leaf import config, errors
from leaf.agent import merging
from leaf.agent.context import NativeModel

RETRIES = 3
"""Tries again within one request, by the providers' own clients: on 408, 409, 429 and 5xx before an answer begins."""
_CONNECT_SECONDS = 20.0
_HOOKS = {"response": [merging.merge]}


_clients: list[httpx2.AsyncClient] = []


def _kept(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    _clients.append(client)
    return client


async def close() -> None:
    """Closes the connections to the providers."""
    _built.clear()
    await asyncio.gather(*(client.aclose() for client in _clients), return_exceptions=True)
    _clients.clear()


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
    model = NativeModel(builder(name, settings), plain=provider == "openai-chat" and bool(settings.openai_base_url))
    _built[model_id] = (settings, model)
    return model


def _timeout() -> httpx2.Timeout:
    # None for reading: the job notices a provider that is silent, and a timer here would be set anew with each token.
    return httpx2.Timeout(_CONNECT_SECONDS, read=None)


def _openai_client(base_url: str | None, key: str | None) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        api_key=key or "",
        base_url=base_url or "https://api.openai.com/v1",
        max_retries=RETRIES,
        timeout=_timeout(),
        http_client=_kept(openai.DefaultAioHttpClient(event_hooks=_HOOKS)),
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
    import anthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = anthropic.AsyncAnthropic(
        api_key=settings.anthropic_api_key,
        base_url=settings.anthropic_base_url or "https://api.anthropic.com",
        max_retries=RETRIES,
        timeout=_timeout(),
        http_client=_kept(anthropic.DefaultAioHttpClient(event_hooks=_HOOKS)),
    )
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))


def _google(name: str, settings: config.Settings) -> Model:
    from google.genai.types import HttpRetryOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    retries = HttpRetryOptions(attempts=RETRIES + 1)
    provider = GoogleProvider(
        api_key=settings.google_api_key or "",
        base_url=settings.google_base_url,
        http_client=_kept(httpx2.AsyncClient(timeout=_timeout())),
        retry_options=retries,
    )
    return GoogleModel(name, provider=provider)


_BUILDERS: dict[str, Callable[[str, config.Settings], Model]] = {
    "sandbox": _sandbox,
    "openai": _openai_responses,
    "openai-chat": _openai_chat,
    "anthropic": _anthropic,
    "google": _google,
}

_built: dict[str, tuple[config.Settings, Model]] = {}
