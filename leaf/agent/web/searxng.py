"""SearXNG (docs.searxng.org): the Search API, in JSON. The sandbox's search speaks it, too."""

from typing import Any

from pydantic_ai.exceptions import ToolFailed

from leaf import config
from leaf.agent.web import services
from leaf.agent.web.results import Result, entries, listed, result
from leaf.agent.web.services import Service


async def search(settings: config.Settings, query: str, limit: int, *, excerpts: bool) -> list[Result]:  # noqa: ARG001
    """Pages for a query; a SearXNG knows no excerpts but its own."""
    return await _search(Service("SearXNG", settings.searxng_url or ""), query, limit)


async def search_sandbox(settings: config.Settings, query: str, limit: int) -> list[Result]:
    """Pages of the sandbox's own small web."""
    return await _search(Service("The sandbox's search", settings.sandbox_url or ""), query, limit)


async def _search(searxng: Service, query: str, limit: int) -> list[Result]:
    answer = await services.ask(searxng, "GET", "/search", params={"q": query, "format": "json", "pageno": "1"})
    try:
        found = entries(answer["results"])
    except (KeyError, TypeError):
        raise services.unreadable(searxng) from None
    broken = answer.get("unresponsive_engines")
    if not found and isinstance(broken, list) and broken:
        raise ToolFailed(f"{searxng.label} got no answer from the {len(broken)} search engines that it asks.")
    return listed((_result(one) for one in found), limit)


def _result(one: dict[str, Any]) -> Result | None:
    return result(one.get("title"), one.get("url"), one.get("content"), one.get("publishedDate"))
