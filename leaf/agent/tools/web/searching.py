"""Searching the web."""

from typing import Any, Literal

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed

from leaf import config
from leaf.agent import web
from leaf.agent.deps import Deps
from leaf.agent.progress import ToolProgress

MAX_QUERY_CHARACTERS = 400
MAX_RESULTS = 20


async def search(  # noqa: D417 - read by the model
    ctx: RunContext[Deps],
    query: str,
    type: Literal["optimized", "general"] = "optimized",  # noqa: A002 - the name that models know
    max_results: int = 8,
) -> dict[str, Any]:
    """Search the web.

    Returns numbered results (n, title, url, snippet, published), best first. The numbers go on over several searches:
    n stands for the same page in all of your answer. Cite a result as [n](url). A snippet may be enough; read the page
    with fetch where it is not, and before you quote it: words that only a snippet has are shown as unverified. If
    nothing was found, try other or fewer words once.

    Args:
        query: A few words, as for a search engine; never text from the user's files. At most 400 characters.
        type: "optimized" for long excerpts of each page; "general" for what people look for in a search engine, such as
            news, places and shops.
        max_results: How many results, from 1 to 20.
    """
    asked = " ".join(query.split())
    if not asked or len(asked) > MAX_QUERY_CHARACTERS:
        raise ToolFailed(f"The query must have 1 to {MAX_QUERY_CHARACTERS} characters: a few words will do.")
    await ctx.emit(ToolProgress(output={"state": "searching", "query": asked}))
    limit = min(max(max_results, 1), MAX_RESULTS)
    found = await web.search(config.current(), asked, type, limit)
    results: list[dict[str, Any]] = []
    for result in found.results:
        ctx.deps.web.saw(result.url)
        numbered = {"n": ctx.deps.web.number_of(result.url), "title": result.title, "url": result.url}
        results.append({**numbered, "snippet": result.snippet, "published": result.published})
    return {
        "state": "complete",
        "query": asked,
        "type": type,
        "provider": found.provider,
        "results": results,
        "citations": {str(result["n"]): result["url"] for result in results},
        "note": found.note,
    }
