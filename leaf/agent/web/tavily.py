"""Tavily (docs.tavily.com): Search and Extract."""

from typing import Any

from pydantic_ai.exceptions import ToolFailed

from leaf import config
from leaf.agent.web import services
from leaf.agent.web.results import Extract, Result, entries, listed, result
from leaf.agent.web.services import Service


def service(settings: config.Settings) -> Service:
    """Tavily, with the key of the settings."""
    headers = {"Authorization": f"Bearer {settings.tavily_api_key or ''}"}
    return Service("Tavily", settings.tavily_base_url, headers, "TAVILY_API_KEY")


async def search(settings: config.Settings, query: str, limit: int, *, excerpts: bool) -> list[Result]:
    """Pages for a query; with long excerpts it costs twice as much."""
    tavily = service(settings)
    body = {"query": query, "max_results": limit, "search_depth": "advanced" if excerpts else "basic"}
    answer = await services.ask(tavily, "POST", "/search", json=body)
    try:
        found = entries(answer["results"])
    except (KeyError, TypeError):
        raise services.unreadable(tavily) from None
    return listed((_result(one) for one in found), limit)


def _result(one: dict[str, Any]) -> Result | None:
    return result(one.get("title"), one.get("url"), one.get("content"), one.get("published_date"))


async def extract(settings: config.Settings, url: str) -> Extract:
    """The text of a page (Tavily gives no title), and where it was in the end.

    Raises:
        ToolFailed: Tavily refuses, or cannot read the page.
    """
    tavily = service(settings)
    body = {"urls": [url], "extract_depth": "advanced", "format": "markdown"}
    answer = await services.ask(tavily, "POST", "/extract", json=body, seconds=45)
    try:
        pages = entries(answer["results"])
    except (KeyError, TypeError):
        raise services.unreadable(tavily) from None
    page = next(iter(pages), {})
    text, final = page.get("raw_content"), page.get("url")
    if not isinstance(text, str) or not text.strip():
        raise ToolFailed("Tavily could not read this page.")
    return Extract(text, url=final if isinstance(final, str) else "")
