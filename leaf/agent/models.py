"""Creates pydantic-ai models from ids of the form `provider:name`, with one HTTP client per model and process."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

import httpx2
import openai
from pydantic_ai.embeddings import EmbeddingModel
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIResponsesModelSettings
from pydantic_ai.settings import ModelSettings

from leaf import config, errors, texts
from leaf.agent import openai_client, provider_log, responses, schemas, stream_merger
from leaf.agent.context import OwnThinkingModel
from leaf.config import catalog, local

if TYPE_CHECKING:
    from pydantic_ai.providers.google import GoogleProvider

CLIENT_RETRIES = 3
"""The number of times that a provider's client repeats a request, on 408, 409, 429 and 5xx before an answer begins."""
_CONNECT_SECONDS = 20.0
_GATEWAY = "https://ai-gateway.vercel.sh/v1"
_ANSWER_TOKENS = 8_000
"""The number of tokens for the answer in addition to the thinking budget."""
# The log has to see the unpacked response, and all its events, so its hook comes between the limit and the merger.
_LOG_HOOKS = {"request": [provider_log.ask], "response": [responses.limit, provider_log.answer]}
_HOOKS = {**_LOG_HOOKS, "response": [*_LOG_HOOKS["response"], stream_merger.merge]}


_clients: list[httpx2.AsyncClient] = []


def _tracked(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    _clients.append(client)
    return client


async def close() -> None:
    """Closes the connections to the providers."""
    _built.clear()
    _embedders.clear()
    await asyncio.gather(*(client.aclose() for client in _clients), return_exceptions=True)
    _clients.clear()


def request_settings(chat_id: UUID, thinking_tokens: int | None = None) -> ModelSettings:
    """Returns the settings of a run's requests: thinking, prompt caching, and storage at the provider.

    Each provider uses the settings that it knows. OpenAI does not store responses (`store` is false). Instead, it
    returns the reasoning of its models encrypted, and the next request sends it again. A conversation then continues as
    with the id of the previous response.

    Args:
        chat_id: The chat. Requests of one chat have the same prefix, so the id is the key of their cached prompts.
        thinking_tokens: The thinking budget of a request, for providers that support one (Anthropic, Google).
    """
    settings = OpenAIResponsesModelSettings(cache=True, openai_store=False, openai_prompt_cache_key=f"leaf-{chat_id}")
    thinking = config.current().thinking
    if thinking == "off":
        settings["thinking"] = False
    elif thinking != "default":
        settings["thinking"] = thinking
        # The reasoning of OpenAI's models is readable only as a summary, and OpenAI gives summaries only to verified
        # organisations. A summary is therefore requested only if the effort of thinking is configured.
        settings["openai_reasoning_summary"] = "auto"
    if thinking_tokens is None:
        return settings
    from pydantic_ai.models.anthropic import AnthropicModelSettings
    from pydantic_ai.models.google import GoogleModelSettings

    # Anthropic counts thinking as a part of the maximum length of the answer.
    room = thinking_tokens + _ANSWER_TOKENS
    budgeted = AnthropicModelSettings(
        anthropic_thinking={"type": "enabled", "budget_tokens": thinking_tokens}, max_tokens=room
    )
    google = GoogleModelSettings(google_thinking_config={"include_thoughts": True, "thinking_budget": thinking_tokens})
    return cast("ModelSettings", {**settings, **budgeted, **google})


def chain(model_id: str) -> Model:
    """Returns the model of an id, followed by the fallback models (LEAF_FALLBACK_MODELS).

    Raises:
        errors.Unavailable: A provider is unknown, or its key is missing.
    """
    settings = config.current()
    fallbacks = list(settings.fallback_models)
    if model_id in fallbacks:
        # If a fallback model is requested by its name, its first fallback is the default model.
        fallbacks.insert(0, catalog.select(settings, catalog.Mode.QUICK, catalog.Kind.SPEED).model)
    others = [build(other) for other in dict.fromkeys(fallbacks) if other != model_id]
    if not others:
        return build(model_id)
    from pydantic_ai.models.fallback import FallbackModel

    return FallbackModel(build(model_id), *others)


def build(model_id: str) -> Model:
    """Returns the model of an id such as `openai:gpt-5.2` or `sandbox:sandbox`.

    Raises:
        errors.Unavailable: The provider is unknown, or its key is missing.
    """
    settings = config.current()
    built = _built.get(model_id)
    if built is not None and built[0] is settings:
        return built[1]
    reason = catalog.why_not(settings, model_id)
    if reason:
        # An answer may wait for days, and its model may be removed meanwhile.
        raise errors.Unavailable(texts.english("failures.model_gone", reason=reason))
    provider, _, name = model_id.partition(":")
    # Servers that are merely compatible with OpenAI lack its special settings.
    plain = provider == local.PROVIDER or (provider == "openai-chat" and bool(settings.openai_base_url))
    builder = _BUILDERS.get(provider)
    made = builder(name, settings) if builder is not None else _openai_model(provider, name, settings)
    schemas.make_once(made.profile)
    sees = catalog.sees(model_id)
    if sees is None:
        sees = made.profile.get("supports_image_input", True)
    model = OwnThinkingModel(made, plain=plain, sees=sees)
    _built[model_id] = (settings, model)
    return model


def build_embedder(model_id: str) -> EmbeddingModel:
    """Returns the embedding model of an id such as `openai:text-embedding-3-small`.

    Raises:
        errors.Unavailable: The provider is unknown, or its key is missing.
    """
    from pydantic_ai.embeddings.google import GoogleEmbeddingModel
    from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
    from pydantic_ai.providers.openai import OpenAIProvider

    settings = config.current()
    built = _embedders.get(model_id)
    if built is not None and built[0] is settings:
        return built[1]
    if reason := catalog.why_not(settings, model_id):
        raise errors.Unavailable(texts.english("failures.vectors_gone", reason=reason))
    provider, _, name = model_id.partition(":")
    if provider == "google":
        model: EmbeddingModel = GoogleEmbeddingModel(name, provider=_google_provider(settings))
    else:
        served, *address_and_key = _server(provider, name, settings)
        client = _openai_client(*address_and_key)
        model = OpenAIEmbeddingModel(served, provider=OpenAIProvider(openai_client=client))
    _embedders[model_id] = (settings, model)
    return model


def _timeout() -> httpx2.Timeout:
    # There is no read timeout, because it would start again with each token. The job notices a silent provider.
    return httpx2.Timeout(_CONNECT_SECONDS, read=None)


def _openai_client(base_url: str | None, key: str | None) -> openai.AsyncOpenAI:
    return openai_client.Client(
        api_key=key or "",
        base_url=base_url or "https://api.openai.com/v1",
        max_retries=CLIENT_RETRIES,
        timeout=_timeout(),
        # A redirect would take the question to a host that nobody has configured.
        http_client=_tracked(openai.DefaultAioHttpClient(event_hooks=_HOOKS, follow_redirects=False)),
    )


def _server(provider: str, name: str, settings: config.Settings) -> tuple[str, str | None, str | None]:
    """The name of a model at a server with one of OpenAI's protocols, and the address and key of that server."""
    match provider:
        case "sandbox":
            return name, f"{settings.sandbox_url}/openai/v1", "sandbox"
        case "gateway":
            return name, settings.ai_gateway_base_url or _GATEWAY, settings.ai_gateway_api_key
        case "openai-compatible":
            return name, settings.openai_compatible_base_url, settings.openai_compatible_api_key
        case "ollama":
            return name, settings.ollama_base_url, "ollama"
        case local.PROVIDER:
            address, _, served = name.partition("/")
            return served, f"{settings.model_servers[address]}/v1", "local"
        case _:
            return name, settings.openai_base_url, settings.openai_api_key


def _openai_model(provider: str, name: str, settings: config.Settings) -> Model:
    """A model at a server with one of OpenAI's protocols. Only `openai` uses the newer one, Responses."""
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers import infer_provider_class
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    served, *address_and_key = _server(provider, name, settings)
    client = _openai_client(*address_and_key)
    if provider == "openai-compatible":
        return OpenAIChatModel(served, provider=OpenAICompatibleProvider(provider, openai_client=client))
    # Ollama's profiles describe the open models, which any server may serve.
    profiles = {"gateway": "vercel", "ollama": "ollama", local.PROVIDER: "ollama"}
    known: Any = infer_provider_class(profiles.get(provider, "openai"))
    kind = OpenAIResponsesModel if provider == "openai" else OpenAIChatModel
    return kind(served, provider=known(openai_client=client))


def _anthropic(name: str, settings: config.Settings) -> Model:
    import anthropic

    key, base_url = settings.anthropic_api_key, settings.anthropic_base_url or "https://api.anthropic.com"
    return _of_anthropic(name, partial(anthropic.AsyncAnthropic, api_key=key, base_url=base_url))


def _anthropic_vertex(name: str, settings: config.Settings) -> Model:
    from anthropic.lib.vertex import AsyncAnthropicVertex

    # The client finds Google's own credentials: a key file, a machine's account, or the sign-in of gcloud.
    client = partial(
        AsyncAnthropicVertex,
        project_id=settings.anthropic_vertex_project_id or "",
        region=settings.cloud_ml_region,
        base_url=settings.anthropic_vertex_base_url,
    )
    return _of_anthropic(name, client)


def _of_anthropic(name: str, client: Callable[..., Any]) -> Model:
    import anthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    http_client = _tracked(anthropic.DefaultAioHttpClient(event_hooks=_HOOKS, follow_redirects=False))
    made = client(max_retries=CLIENT_RETRIES, timeout=_timeout(), http_client=http_client)
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=made))


def _google(name: str, settings: config.Settings) -> Model:
    from pydantic_ai.models.google import GoogleModel

    return GoogleModel(name, provider=_google_provider(settings))


def _google_provider(settings: config.Settings) -> "GoogleProvider":
    from google.genai.types import HttpRetryOptions
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleProvider(
        api_key=settings.google_key,
        base_url=settings.google_base_url,
        http_client=_tracked(httpx2.AsyncClient(timeout=_timeout(), event_hooks=_LOG_HOOKS)),
        retry_options=HttpRetryOptions(attempts=CLIENT_RETRIES + 1),
    )


_BUILDERS: dict[str, Callable[[str, config.Settings], Model]] = {
    "anthropic": _anthropic,
    "anthropic-vertex": _anthropic_vertex,
    "google": _google,
}
"""The providers with a protocol of their own; all others have one of OpenAI's."""
_built: dict[str, tuple[config.Settings, Model]] = {}
_embedders: dict[str, tuple[config.Settings, EmbeddingModel]] = {}
