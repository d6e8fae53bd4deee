"""Firecrawl (docs.firecrawl.dev): Search, version 2."""

from typing import Any

from leaf import config
from leaf.agent.web import services
from leaf.agent.web.results import Result, entries, listed, result
from leaf.agent.web.services import Service


def service(settings: config.Settings) -> Service:
    """Firecrawl, with the key of the settings."""
    headers = {"Authorization": f"Bearer {settings.firecrawl_api_key or ''}"}
    return Service("Firecrawl", settings.firecrawl_base_url, headers, "FIRECRAWL_API_KEY")


async def search(settings: config.Settings, query: str, limit: int, *, excerpts: bool) -> list[Result]:
    """Pages for a query; with excerpts, Firecrawl reads each of them, which takes longer."""
    firecrawl = service(settings)
    body: dict[str, Any] = {"query": query, "limit": limit, "sources": [{"type": "web"}], "timeout": 30_000}
    if excerpts:
        body["scrapeOptions"] = {"formats": [{"type": "markdown"}], "onlyMainContent": True}
    answer = await services.ask(firecrawl, "POST", "/v2/search", json=body, seconds=40)
    try:
        if answer["success"] is not True:
            raise services.unreadable(firecrawl)
        found = entries(answer["data"].get("web", []))
    except (KeyError, TypeError, AttributeError):
        raise services.unreadable(firecrawl) from None
    return listed((_result(one) for one in found), limit)


def _result(one: dict[str, Any]) -> Result | None:
    about = one.get("metadata")
    known: dict[str, Any] = about if isinstance(about, dict) else {}
    title, url = one.get("title") or known.get("title"), one.get("url") or known.get("sourceURL")
    return result(title, url, one.get("markdown") or one.get("description"), known.get("publishedTime"))
