"""Exa (exa.ai/docs): Search with contents."""

from typing import Any

from leaf import config
from leaf.agent.web import services
from leaf.agent.web.results import SNIPPET_CHARACTERS, Result, entries, listed, result
from leaf.agent.web.services import Service


def service(settings: config.Settings) -> Service:
    """Exa, with the key of the settings."""
    return Service("Exa", settings.exa_base_url, {"x-api-key": settings.exa_api_key or ""}, "EXA_API_KEY")


async def search(settings: config.Settings, query: str, limit: int, *, excerpts: bool) -> list[Result]:
    """Pages for a query."""
    exa = service(settings)
    characters = SNIPPET_CHARACTERS if excerpts else 400
    body = {
        "query": query, "numResults": limit, "type": "auto", "contents": {"text": {"maxCharacters": characters}},
    }  # fmt: skip
    answer = await services.ask(exa, "POST", "/search", json=body)
    try:
        found = entries(answer["results"])
    except (KeyError, TypeError):
        raise services.unreadable(exa) from None
    return listed((_result(one) for one in found), limit)


def _result(one: dict[str, Any]) -> Result | None:
    marked = one.get("highlights")
    # Its summary is written by a model: words that stand on no page.
    text = one.get("text") or (" … ".join(map(str, marked)) if isinstance(marked, list) else "")
    return result(one.get("title"), one.get("url"), text, one.get("publishedDate"))
