"""Web search with the configured service."""

from dataclasses import dataclass
from typing import Literal

from pydantic_ai.exceptions import ToolFailed

from leaf import config, texts
from leaf.agent.web import providers
from leaf.agent.web.results import Result

Kind = Literal["optimized", "general"]

_PROVIDERS = {
    "tavily": providers.search_tavily,
    "brave": providers.search_brave,
    "exa": providers.search_exa,
    "firecrawl": providers.search_firecrawl,
    "searxng": providers.search_searxng,
}
SANDBOX_NOTE = (
    "These results come from the sandbox's own small web, a few bundled pages, and not from the internet. "
    "Say so in your answer."
)


@dataclass(frozen=True)
class Found:
    """The results of a search, the best first, and the service that returned them."""

    provider: str
    results: list[Result]
    note: str | None = None


def is_available(settings: config.Settings) -> bool:
    """Returns whether a search service is configured, or the sandbox's search is available in development."""
    return settings.search_provider_for("optimized") is not None or _has_sandbox(settings)


def _has_sandbox(settings: config.Settings) -> bool:
    return settings.env == "development" and bool(settings.sandbox_url)


async def search(settings: config.Settings, query: str, kind: Kind, limit: int) -> Found:
    """Searches with the service that is configured for a kind of search.

    Args:
        settings: The settings with the services.
        query: A few words.
        kind: `optimized` returns long excerpts of each page; `general` returns the results that people see.
        limit: Maximum number of results.

    Raises:
        ToolFailed: No service is configured, or the service failed. The message says why.
    """
    provider = settings.search_provider_for(kind)
    if provider is not None:
        results = await _PROVIDERS[provider](settings, query, limit, excerpts=kind == "optimized")
        return Found(provider, results)
    if not _has_sandbox(settings):
        raise ToolFailed(texts.english("refusals.no_search"))
    return Found("sandbox", await providers.search_sandbox(settings, query, limit), SANDBOX_NOTE)
