"""The search services and page readers as their documentation describes them, on loopback.

Each wants its own key in its own place, refuses in its own words, and repeats the key in its refusals, as some do.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from leaf import config

KEY = "key-that-nobody-may-see-7f3a"
FOUND = [
    (f"Page {number}", f"https://site{number}.example.com/{number}", f"About pears, {number}.")
    for number in range(1, 4)
]
Fault = Callable[[str], Response]


@dataclass
class Providers:
    """All of them; `faults` are the answers to come in place of the real ones."""

    url: str = ""
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    """Path, and the parameters or body."""
    faults: list[Fault] = field(default_factory=list[Fault])
    key: str = KEY
    led_to: str = ""
    """Where every page that is read has led to."""

    def settings(self, **chosen: Any) -> config.Settings:
        """Settings that lead to these services."""
        urls = {f"{name}_base_url": self.url for name in ("tavily", "brave", "exa", "firecrawl", "jina")}
        keys = {f"{name}_api_key": KEY for name in ("tavily", "brave", "exa", "firecrawl", "jina")}
        return config.Settings(_env_file=None, **{"searxng_url": f"{self.url}/searxng", **urls, **keys, **chosen})

    async def refusal(self, request: Request, given: str | None, name: str) -> Response | None:
        """Keeps what was asked; the answer to come in place of the real one, or that of a wrong key."""
        body = await request.json() if request.method == "POST" else dict(request.query_params)
        self.asked.append((request.url.path, body))
        if self.faults:
            return self.faults.pop(0)(name)
        return None if given == self.key else refused(401)(name)


def refused(status: int, headers: dict[str, str] | None = None, **more: Any) -> Fault:
    """A refusal in the words of each service."""

    def answer(name: str) -> Response:
        text = f"Refused with {KEY}"
        bodies: dict[str, Any] = {
            "tavily": {"detail": {"error": text}},
            "brave": {"type": "ErrorResponse", "error": {"id": "1", "status": status, "detail": text, "code": "X"}},
            "exa": {"requestId": "1", "error": text, "tag": "X"},
            "firecrawl": {"success": False, "error": text},
            "jina": {"data": None, "code": status, "name": "Refused", "status": status * 100, "message": text},
            "searxng": {"error": text},
        }
        body = bodies[name] | more
        if "code" in more and name == "brave":
            body["error"]["code"] = more["code"]
        return JSONResponse(body, status, headers)

    return answer


def raw(body: str, kind: str = "application/json") -> Fault:
    return lambda _name: Response(body, 200, media_type=kind)


VIDEO = {
    "type": "video_result", "title": "Pears, filmed", "url": "https://films.example.com/1", "age": "1 May",
    "description": "How pears grow.", "thumbnail": {"src": "https://x.example.com/y.png"},
}  # fmt: skip
PICTURE = {
    "type": "image_result", "title": "A pear", "url": "https://pictures.example.com/pear", "source": "x",
    "thumbnail": {"src": "https://x.example.com/t.png"}, "properties": {"url": "https://x.example.com/p.png"},
}  # fmt: skip


def app(providers: Providers) -> Starlette:  # noqa: C901 - a function for each service
    def bearer(request: Request) -> str:
        return request.headers.get("authorization", "").removeprefix("Bearer ")

    async def tavily(request: Request) -> Response:
        no = await providers.refusal(request, bearer(request), "tavily")
        found = [{"title": t, "url": u, "content": s, "score": 0.9, "raw_content": None} for t, u, s in FOUND]
        return no or JSONResponse({
            "query": "q", "answer": None, "images": [{"url": "https://x.example.com/y.png"}], "results": found,
            "response_time": 0.5, "request_id": "1",
        })  # fmt: skip

    async def tavily_extract(request: Request) -> Response:
        no = await providers.refusal(request, bearer(request), "tavily")
        url = (providers.asked[-1][1]["urls"])[0]
        page = {"url": providers.led_to or url, "raw_content": "# A PDF\n\nThe text of the PDF.", "images": []}
        failed = {"url": url, "error": "Failed to fetch url"}
        broken = "broken" in url
        return no or JSONResponse({"results": [] if broken else [page], "failed_results": [failed] if broken else []})

    async def brave(request: Request) -> Response:
        no = await providers.refusal(request, request.headers.get("x-subscription-token"), "brave")
        found = [
            {"title": t, "url": u, "description": f"<strong>{s}</strong>", "extra_snippets": ["More &amp; more."],
             "page_age": "2026-01-02T03:04:05", "profile": {"img": "https://x.example.com/y.png"}} for t, u, s in FOUND
        ]  # fmt: skip
        nothing = providers.asked[-1][1]["q"] == "nothing"
        found_part: dict[str, Any] = {} if nothing else {"web": {"type": "search", "results": found}}
        if "videos" in request.query_params["result_filter"]:
            found_part["videos"] = {"type": "videos", "results": [VIDEO, {"title": "No address"}, "x"]}
        return no or JSONResponse({"type": "search", "query": {"original": "q"}, **found_part})

    async def brave_images(request: Request) -> Response:
        no = await providers.refusal(request, request.headers.get("x-subscription-token"), "brave")
        return no or JSONResponse({"type": "images", "results": [PICTURE]})

    async def exa(request: Request) -> Response:
        no = await providers.refusal(request, request.headers.get("x-api-key"), "exa")
        found = [
            {
                "id": u,
                "title": t,
                "url": u,
                "text": s,
                "summary": "Written by a model.",
                "publishedDate": "2026-01-02T00:00:00.000Z",
                "image": "x",
            }
            for t, u, s in FOUND
        ]
        return no or JSONResponse({"requestId": "1", "results": found, "costDollars": {"total": 0.005}})

    async def firecrawl(request: Request) -> Response:
        no = await providers.refusal(request, bearer(request), "firecrawl")
        found = [{"title": t, "url": u, "description": s, "position": n} for n, (t, u, s) in enumerate(FOUND, 1)]
        return no or JSONResponse({"success": True, "data": {"web": found, "images": []}, "creditsUsed": 2})

    async def searxng(request: Request) -> Response:
        no = await providers.refusal(request, providers.key, "searxng")
        if request.query_params.get("format") != "json":
            return Response("<html>", media_type="text/html")
        found = [
            {"title": t, "url": u, "content": s, "engine": "x", "publishedDate": None, "img_src": "y"}
            for t, u, s in FOUND
        ]
        return no or JSONResponse({"query": "q", "number_of_results": 3, "results": found, "unresponsive_engines": []})

    async def jina(request: Request) -> Response:
        no = await providers.refusal(request, bearer(request), "jina")
        url = providers.led_to or providers.asked[-1][1]["url"]
        data = {"title": "A PDF", "url": url, "content": "The text of the PDF.", "usage": {"tokens": 5}}
        return no or JSONResponse({"code": 200, "status": 20000, "data": data, "meta": {}})

    return Starlette(routes=[
        Route("/search", _by_key(tavily, exa), methods=["POST"]), Route("/extract", tavily_extract, methods=["POST"]),
        Route("/res/v1/web/search", brave), Route("/res/v1/images/search", brave_images),
        Route("/v2/search", firecrawl, methods=["POST"]),
        Route("/searxng/search", searxng), Route("/", jina, methods=["POST"]),
    ])  # fmt: skip


def _by_key(tavily: Any, exa: Any) -> Any:
    """Tavily and Exa have the same path; the place of the key distinguishes them."""

    async def answer(request: Request) -> Response:
        return await (exa if "x-api-key" in request.headers else tavily)(request)

    return answer


@contextmanager
def running() -> Iterator[Providers]:
    """All of them on one port, in a thread."""
    providers = Providers()
    settings = uvicorn.Config(app(providers), port=0, log_level="error", lifespan="off", ws="none")
    listener = settings.bind_socket()
    providers.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        deadline = time.monotonic() + 20
        while not server.started:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield providers
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
