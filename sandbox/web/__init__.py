"""A web of the sandbox's own: a few pages about several topics, and a search over them.

`GET /search?q=…&format=json` speaks SearXNG's Search API; without a format it is a page for people. The pages are at
`/web/<site>/<name>`; one of them is a PDF.
"""

from html import escape

from markdown_it import MarkdownIt
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from sandbox import context, pages, render
from sandbox.web import library, ranking
from sandbox.web.library import WebPage

__all__ = ["routes"]

PER_PAGE = 10
ENGINE = "leaf sandbox"


def routes() -> list[Route]:
    """The search, the list of all pages, and the pages."""
    return [
        Route("/search", _search, methods=["GET"]),
        Route("/web", _list, methods=["GET"]),
        Route("/web/{site}/{name}", _page, methods=["GET"]),
    ]


def _search(request: Request) -> Response:
    query = request.query_params.get("q", "").strip()
    kind = request.query_params.get("format", "html")
    if not query:
        return JSONResponse({"error": "No query"}, 400) if kind == "json" else pages.page("Search", _form(""))
    base = context.of(request).base_url
    number = request.query_params.get("pageno", "1")
    first = (int(number) - 1) * PER_PAGE if number.isdecimal() and int(number) > 0 else 0
    found = ranking.ranked(query, library.pages())
    if kind != "json":
        return pages.page("Search", _form(query) + _shown([page for _, page in found[:PER_PAGE]], base), wide=True)
    results = [_result(page, score, query, base) for score, page in found[first : first + PER_PAGE]]
    answer = {
        "query": query, "number_of_results": len(found), "results": results, "answers": [], "corrections": [],
        "infoboxes": [], "suggestions": [], "unresponsive_engines": [],
    }  # fmt: skip
    return JSONResponse(answer)


def _result(page: WebPage, score: float, query: str, base: str) -> dict[str, object]:
    return {
        "url": base + page.path, "title": page.title, "content": ranking.excerpt(query, page),
        "publishedDate": f"{page.published}T00:00:00", "engine": ENGINE, "engines": [ENGINE], "score": round(score, 3),
        "category": "general", "thumbnail": None, "template": "default.html",
    }  # fmt: skip


def _form(query: str) -> str:
    return (
        "<h1>The sandbox's web search</h1><p>It knows a few bundled pages, and not the internet.</p>"
        f'<form action="/search"><input name="q" aria-label="Search" value="{escape(query)}"></form>'
    )


def _list(request: Request) -> Response:
    return pages.page("The sandbox's web", _form("") + _shown(library.pages(), context.of(request).base_url), wide=True)


def _shown(found: list[WebPage], base: str) -> str:
    rows = "".join(
        f'<li><span><a href="{escape(base + page.path)}">{escape(page.title)}</a><br>'
        f"<small>{escape(page.site)} · {escape(page.description)}</small></span></li>"
        for page in found
    )
    return f'<ul class="plain">{rows}</ul>' if rows else "<p>Nothing was found.</p>"


def _page(request: Request) -> Response:
    path = request.url.path
    page = next((one for one in library.pages() if one.path == path), None)
    if page is None:
        return pages.page(
            "Not found", "<h1>Not found</h1><p>This page of the sandbox's web does not exist.</p>", status=404
        )
    if page.is_pdf:
        return Response(render.pdf(page.parts), media_type="application/pdf")
    return HTMLResponse(_html(page, context.of(request).base_url), headers=pages.HEADERS)


def _html(page: WebPage, base: str) -> str:
    """A page as web sites make them: with a menu, a footer, and links to its neighbours around the article."""
    article = MarkdownIt("commonmark", {"html": False}).enable("table").render(page.markdown)
    others = [one for one in library.pages() if one.site == page.site and one != page]
    related = "".join(f'<li><a href="{escape(one.path)}">{escape(one.title)}</a></li>' for one in others)
    meta = (
        ("property", "og:title", page.title), ("property", "og:site_name", page.site),
        ("property", "og:description", page.description), ("name", "description", page.description),
        ("property", "article:published_time", page.published), ("property", "og:url", base + page.path),
    )  # fmt: skip
    head = "".join(f'<meta {kind}="{name}" content="{escape(value)}">' for kind, name, value in meta)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(page.title)} – {escape(page.site)}'
        f"</title>{head}<style>{pages.STYLE}</style></head><body>"
        f'<header><nav aria-label="Site"><a href="/web">All pages</a> <a href="/search">Search</a></nav></header>'
        f'<main class="wide"><p>{escape(page.site)}, {escape(page.published)}</p><article>{article}</article></main>'
        f"<aside><h2>More from {escape(page.site)}</h2><ul>{related}</ul></aside>"
        "<footer><p>A page of the sandbox: for trying Leaf out, and not on the internet.</p></footer></body></html>"
    )
