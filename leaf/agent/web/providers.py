"""The services that search the web and read pages. Each is called according to its documentation.

Brave Search (api-dashboard.search.brave.com, Web Search), Exa (exa.ai/docs, Search with contents), Firecrawl
(docs.firecrawl.dev, Search version 2), SearXNG (docs.searxng.org, Search API in JSON; the sandbox's search has the same
API), Tavily (docs.tavily.com, Search and Extract) and Jina Reader (jina.ai/reader, a page or PDF as Markdown, rendered
by a browser).
"""

import asyncio
from dataclasses import replace
from typing import Any

from pydantic_ai.exceptions import ToolFailed

from leaf import config, texts
from leaf.agent.web.results import SNIPPET_CHARACTERS, Extract, Form, Result, entries, listed, result
from leaf.agent.web.services import Service, ask, unreadable
from leaf.parts.objects import list_of, object_of

BRAVE_RESULTS = 20
BRAVE_WORDS = 50
MEDIA_RESULTS = 3
"""The number of videos, and of pictures, after the pages of a general search."""
PLAIN_CHARACTERS = 400
"""The length of the texts that are requested from Exa if no long excerpts are needed."""
EXTRACT_SECONDS = 45
FIRECRAWL_SECONDS = 40


async def search_brave(settings: config.Settings, query: str, limit: int, *, excerpts: bool) -> list[Result]:
    """Searches with Brave. A general search also returns a few videos and pictures, after the pages."""
    headers = {"X-Subscription-Token": settings.brave_api_key or "", "Accept": "application/json"}
    brave = Service("Brave Search", settings.brave_base_url, headers, "BRAVE_API_KEY")
    params = {
        "q": " ".join(query.split()[:BRAVE_WORDS]), "count": str(min(limit, BRAVE_RESULTS)),
        "text_decorations": "false",
        **({"result_filter": "web", "extra_snippets": "true"} if excerpts else {"result_filter": "web,videos"}),
    }  # fmt: skip
    pictures = asyncio.create_task(_brave_pictures(brave, params["q"])) if not excerpts else None
    try:
        answer = await ask(brave, "GET", "/res/v1/web/search", params=params)
    except BaseException:
        if pictures is not None:
            pictures.cancel()
        raise
    try:
        # An answer without results has no field `web`.
        found = entries(answer["web"]["results"] if "web" in answer or answer["type"] != "search" else [])
    except (KeyError, TypeError):
        raise unreadable(brave) from None
    pages = listed((_brave_result(one) for one in found), limit)
    if pictures is None:
        return pages
    media = [*_media(answer.get("videos"), "video"), *await pictures]
    return listed([*pages, *media], len(pages) + len(media))


async def _brave_pictures(brave: Service, query: str) -> list[Result]:
    """Pictures, with the addresses of the pages that show them; empty if Brave's image search fails."""
    params = {"q": query, "count": str(MEDIA_RESULTS), "safesearch": "strict"}
    try:
        return _media(await ask(brave, "GET", "/res/v1/images/search", params=params), "picture")
    except ToolFailed:
        return []


def _media(answer: Any, form: Form) -> list[Result]:
    """The videos or pictures in a part of Brave's answer; empty if the part is missing."""
    found: Any = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(found, list):
        return []
    made = (result(one.get("title"), one.get("url"), one.get("description"), one.get("age")) for one in entries(found))
    return [replace(one, form=form) for one in listed(made, MEDIA_RESULTS)]


def _brave_result(one: dict[str, Any]) -> Result | None:
    given = [one.get("description"), *list_of(one.get("extra_snippets"))]
    snippet = " … ".join(text for text in given if isinstance(text, str))
    return result(one.get("title"), one.get("url"), snippet, one.get("page_age") or one.get("age"))


async def search_exa(settings: config.Settings, query: str, limit: int, *, excerpts: bool) -> list[Result]:
    exa = Service("Exa", settings.exa_base_url, {"x-api-key": settings.exa_api_key or ""}, "EXA_API_KEY")
    characters = SNIPPET_CHARACTERS if excerpts else PLAIN_CHARACTERS
    contents = {"text": {"maxCharacters": characters}}
    body = {"query": query, "numResults": limit, "type": "auto", "contents": contents}
    found = _results(exa, await ask(exa, "POST", "/search", json=body))
    return listed((_exa_result(one) for one in found), limit)


def _exa_result(one: dict[str, Any]) -> Result | None:
    # The field `summary` is not used, because a model writes it, and its words are not on the page.
    text = one.get("text") or " … ".join(map(str, list_of(one.get("highlights"))))
    return result(one.get("title"), one.get("url"), text, one.get("publishedDate"))


async def search_firecrawl(settings: config.Settings, query: str, limit: int, *, excerpts: bool) -> list[Result]:
    """Searches with Firecrawl. For excerpts, Firecrawl reads each page, which takes longer."""
    headers = {"Authorization": f"Bearer {settings.firecrawl_api_key or ''}"}
    firecrawl = Service("Firecrawl", settings.firecrawl_base_url, headers, "FIRECRAWL_API_KEY")
    body: dict[str, Any] = {"query": query, "limit": limit, "sources": [{"type": "web"}], "timeout": 30_000}
    if excerpts:
        body["scrapeOptions"] = {"formats": [{"type": "markdown"}], "onlyMainContent": True}
    answer = await ask(firecrawl, "POST", "/v2/search", json=body, seconds=FIRECRAWL_SECONDS)
    try:
        if answer["success"] is not True:
            raise unreadable(firecrawl)
        found = entries(answer["data"].get("web", []))
    except (KeyError, TypeError, AttributeError):
        raise unreadable(firecrawl) from None
    return listed((_firecrawl_result(one) for one in found), limit)


def _firecrawl_result(one: dict[str, Any]) -> Result | None:
    known = object_of(one.get("metadata"))
    title, url = one.get("title") or known.get("title"), one.get("url") or known.get("sourceURL")
    return result(title, url, one.get("markdown") or one.get("description"), known.get("publishedTime"))


async def search_searxng(settings: config.Settings, query: str, limit: int, *, excerpts: bool) -> list[Result]:  # noqa: ARG001
    """Searches with SearXNG, which cannot return long excerpts."""
    return await _search_searxng(Service("SearXNG", settings.searxng_url or ""), query, limit)


async def search_sandbox(settings: config.Settings, query: str, limit: int) -> list[Result]:
    return await _search_searxng(Service("The sandbox's search", settings.sandbox_url or ""), query, limit)


async def _search_searxng(searxng: Service, query: str, limit: int) -> list[Result]:
    answer = await ask(searxng, "GET", "/search", params={"q": query, "format": "json", "pageno": "1"})
    found = _results(searxng, answer)
    broken = answer.get("unresponsive_engines")
    if not found and isinstance(broken, list) and broken:
        raise ToolFailed(texts.english("refusals.no_engines", name=searxng.label, count=len(broken)))
    pages = (result(one.get("title"), one.get("url"), one.get("content"), one.get("publishedDate")) for one in found)
    return listed(pages, limit)


def _tavily(settings: config.Settings) -> Service:
    headers = {"Authorization": f"Bearer {settings.tavily_api_key or ''}"}
    return Service("Tavily", settings.tavily_base_url, headers, "TAVILY_API_KEY")


async def search_tavily(settings: config.Settings, query: str, limit: int, *, excerpts: bool) -> list[Result]:
    """Searches with Tavily. A search with long excerpts costs twice as much."""
    tavily = _tavily(settings)
    body = {"query": query, "max_results": limit, "search_depth": "advanced" if excerpts else "basic"}
    found = _results(tavily, await ask(tavily, "POST", "/search", json=body))
    pages = (result(one.get("title"), one.get("url"), one.get("content"), one.get("published_date")) for one in found)
    return listed(pages, limit)


async def extract_tavily(settings: config.Settings, url: str) -> Extract:
    """Returns the text and the final address of a page that Tavily has read. Tavily returns no title.

    Raises:
        ToolFailed: Tavily refuses, or cannot read the page.
    """
    tavily = _tavily(settings)
    body = {"urls": [url], "extract_depth": "advanced", "format": "markdown"}
    pages = _results(tavily, await ask(tavily, "POST", "/extract", json=body, seconds=EXTRACT_SECONDS))
    page = next(iter(pages), {})
    text, final = page.get("raw_content"), page.get("url")
    if not isinstance(text, str) or not text.strip():
        raise ToolFailed(texts.english("refusals.service_page", name=tavily.label))
    return Extract(text, url=final if isinstance(final, str) else "")


async def extract_jina(settings: config.Settings, url: str) -> Extract:
    """Returns the text, title and final address of a page that Jina Reader has read. The key for Jina is optional.

    Raises:
        ToolFailed: Jina refuses, or cannot read the page.
    """
    headers = {"Accept": "application/json", "X-Retain-Images": "none"}
    if settings.jina_api_key:
        headers["Authorization"] = f"Bearer {settings.jina_api_key}"
    jina = Service("Jina Reader", settings.jina_base_url, headers, "JINA_API_KEY")
    answer = await ask(jina, "POST", "/", json={"url": url}, seconds=EXTRACT_SECONDS)
    data = answer.get("data")
    if not isinstance(data, dict):
        raise unreadable(jina)
    title, text, final = data.get("title"), data.get("content"), data.get("url")
    if not isinstance(text, str) or not text.strip():
        raise ToolFailed(texts.english("refusals.service_page", name=jina.label))
    return Extract(text, title if isinstance(title, str) else "", final if isinstance(final, str) else "")


def _results(service: Service, answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the list `results` of an answer.

    Raises:
        ToolFailed: The answer has no such list.
    """
    try:
        return entries(answer["results"])
    except (KeyError, TypeError):
        raise unreadable(service) from None
