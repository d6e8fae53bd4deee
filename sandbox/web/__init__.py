"""The sandbox's own web: a few pages on several topics, and a search over them.

`GET /search?q=…&format=json` follows SearXNG's Search API. Without `format`, it is a page for people. The pages are at
`/web/<site>/<name>`; one of them is a PDF. Their sources are `pages/<site>/<name>.md`, each with lines `key: value`, a
blank line, and Markdown.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from sandbox import context, pages, ranking, render

PER_PAGE = 10
ENGINE = "leaf sandbox"
_FOLDER = Path(__file__).parent / "pages"
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_BODY_WEIGHT = 0.7
_EXCERPT_CHARACTERS, _PARAGRAPH_CHARACTERS = 320, 40
"""The length of the longest excerpt, and the length below which a line counts as a heading or cell."""


@dataclass(frozen=True)
class WebPage:
    """A page of the web."""

    path: str
    """The path of the page below the sandbox's base URL."""
    site: str
    title: str
    description: str
    published: str
    """The day of publication, as YYYY-MM-DD."""
    markdown: str
    is_pdf: bool = False

    @property
    def parts(self) -> list[str]:
        """The Markdown of each page of a PDF. Each heading of the first level begins a page."""
        return [part for part in re.split(r"(?m)^(?=# )", self.markdown) if part.strip()]

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs and table rows of the text, without marks."""
        plain = _LINK.sub(r"\1", re.sub(r"(?m)^[#>*\s-]+|[*_`]|^\|[-:| ]+\|$", "", self.markdown))
        return [" ".join(block.replace("|", " ").split()) for block in plain.split("\n") if block.strip()]


@cache
def all_pages() -> tuple[WebPage, ...]:
    """The bundled pages, sorted by the paths of their sources."""
    return tuple(_read(path) for path in sorted(_FOLDER.glob("*/*.md")))


def _read(path: Path) -> WebPage:
    head, _, markdown = path.read_text("utf-8").partition("\n\n")
    values = dict(line.split(": ", 1) for line in head.splitlines())
    is_pdf = values.get("format") == "pdf"
    address = f"/web/{path.parent.name}/{path.stem}{'.pdf' if is_pdf else ''}"
    title = markdown.partition("\n")[0].removeprefix("# ").strip()
    return WebPage(address, values["site"], title, values["description"], values["published"], markdown.strip(), is_pdf)


def _ranked(query: str) -> list[tuple[float, WebPage]]:
    """The pages that contain words of a query, each with its score, the best first."""
    texts = [[(1.0, f"{page.title} {page.description}"), (_BODY_WEIGHT, page.markdown)] for page in all_pages()]
    scored = zip(ranking.scores(ranking.subject(query), texts), all_pages(), strict=True)
    return sorted((pair for pair in scored if pair[0]), key=lambda pair: (-pair[0], pair[1].path))


def _excerpt(query: str, page: WebPage) -> str:
    """The paragraph of a page that fits a query best, shortened."""
    paragraphs = [text for text in page.paragraphs[1:] if len(text) >= _PARAGRAPH_CHARACTERS] or [page.description]
    scores = ranking.scores(ranking.subject(query), [[(1.0, text)] for text in paragraphs])
    best = max(zip(scores, paragraphs, strict=False), key=lambda pair: pair[0])[1]
    return best if len(best) <= _EXCERPT_CHARACTERS else best[:_EXCERPT_CHARACTERS].rsplit(" ", 1)[0] + " …"


def routes() -> list[Route]:
    """The routes of the search, of the list of all pages, and of the pages."""
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
    found = _ranked(query)
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
        "url": base + page.path, "title": page.title, "content": _excerpt(query, page),
        "publishedDate": f"{page.published}T00:00:00", "engine": ENGINE, "engines": [ENGINE], "score": round(score, 3),
        "category": "general", "thumbnail": None, "template": "default.html",
    }  # fmt: skip


def _form(query: str) -> str:
    return (
        "<h1>The sandbox's web search</h1><p>It knows a few bundled pages, and not the internet.</p>"
        f'<form action="/search"><input name="q" aria-label="Search" value="{escape(query)}"></form>'
    )


def _list(request: Request) -> Response:
    return pages.page("The sandbox's web", _form("") + _shown(all_pages(), context.of(request).base_url), wide=True)


def _shown(found: Sequence[WebPage], base: str) -> str:
    rows = "".join(
        f'<li><span><a href="{escape(base + page.path)}">{escape(page.title)}</a><br>'
        f"<small>{escape(page.site)} · {escape(page.description)}</small></span></li>"
        for page in found
    )
    return f'<ul class="plain">{rows}</ul>' if rows else "<p>Nothing was found.</p>"


def _page(request: Request) -> Response:
    path = request.url.path
    page = next((one for one in all_pages() if one.path == path), None)
    if page is None:
        return pages.page(
            "Not found", "<h1>Not found</h1><p>This page of the sandbox's web does not exist.</p>", status=404
        )
    if page.is_pdf:
        return Response(render.pdf(page.parts), media_type="application/pdf")
    return HTMLResponse(_html(page, context.of(request).base_url), headers=pages.HEADERS)


def _html(page: WebPage, base: str) -> str:
    """A page as web sites have them, with a menu, a footer and links to related pages around the article."""
    others = [one for one in all_pages() if one.site == page.site and one != page]
    related = "".join(f'<li><a href="{escape(one.path)}">{escape(one.title)}</a></li>' for one in others)
    meta = (
        ("property", "og:title", page.title), ("property", "og:site_name", page.site),
        ("property", "og:description", page.description), ("name", "description", page.description),
        ("property", "article:published_time", page.published), ("property", "og:url", base + page.path),
    )  # fmt: skip
    head = "".join(f'<meta {kind}="{name}" content="{escape(value)}">' for kind, name, value in meta)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(page.title)} – {escape(page.site)}'
        f"</title>{head}<style>{pages.style()}</style></head><body>"
        f'<header><nav aria-label="Site"><a href="/web">All pages</a> <a href="/search">Search</a></nav></header>'
        f'<main class="wide"><p>{escape(page.site)}, {escape(page.published)}</p>'
        f"<article>{pages.markdown(page.markdown)}</article></main>"
        f"<aside><h2>More from {escape(page.site)}</h2><ul>{related}</ul></aside>"
        "<footer><p>A page of the sandbox: for trying Leaf out, and not on the internet.</p></footer></body></html>"
    )
