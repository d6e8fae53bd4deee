"""Brave Search (api-dashboard.search.brave.com): Web Search."""

from typing import Any

from leaf import config
from leaf.agent.web import services
from leaf.agent.web.results import Result, entries, listed, result
from leaf.agent.web.services import Service

MAX_COUNT = 20
MAX_WORDS = 50


def service(settings: config.Settings) -> Service:
    """Brave, with the key of the settings."""
    headers = {"X-Subscription-Token": settings.brave_api_key or "", "Accept": "application/json"}
    return Service("Brave Search", settings.brave_base_url, headers, "BRAVE_API_KEY")


async def search(settings: config.Settings, query: str, limit: int, *, excerpts: bool) -> list[Result]:
    """Pages for a query."""
    brave = service(settings)
    params = {
        "q": " ".join(query.split()[:MAX_WORDS]), "count": str(min(limit, MAX_COUNT)), "text_decorations": "false",
        "result_filter": "web", **({"extra_snippets": "true"} if excerpts else {}),
    }  # fmt: skip
    answer = await services.ask(brave, "GET", "/res/v1/web/search", params=params)
    try:
        # Nothing found is an answer without the part `web`.
        found = entries(answer["web"]["results"] if "web" in answer or answer["type"] != "search" else [])
    except (KeyError, TypeError):
        raise services.unreadable(brave) from None
    return listed((_result(one) for one in found), limit)


def _result(one: dict[str, Any]) -> Result | None:
    further = one.get("extra_snippets")
    texts = [one.get("description"), *(further if isinstance(further, list) else [])]
    snippet = " … ".join(text for text in texts if isinstance(text, str))
    return result(one.get("title"), one.get("url"), snippet, one.get("page_age") or one.get("age"))
