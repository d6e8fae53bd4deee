"""The edges of the HTTP API: preflights of other sites, and the policy for pages."""

from pathlib import Path

import httpx
import pytest
from pydantic_ai.messages import ToolReturnPart
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from leaf.agent import translate
from leaf.api.pages import served
from leaf.api.site import apart


async def _page(scope: Scope, receive: Receive, send: Send) -> None:
    await Response("page", media_type=scope["path"].removeprefix("/") or "text/html")(scope, receive, send)


def _client(app: ASGIApp) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url="http://leaf.example", transport=httpx.ASGITransport(app))


@pytest.mark.parametrize("path", ["/api/chat", "/api/search", "/api/nothing", "/api/chat/x/stream"])
async def test_a_preflight_of_another_site_is_refused_as_everything_else_is(path: str) -> None:
    """# 003-04"""
    app = apart(_page, own=["http://localhost:3000"])
    asks = {"access-control-request-method": "POST"}
    async with _client(app) as http:
        foreign = await http.options(path, headers=asks | {"origin": "https://shop.example"})
        own = await http.options(path, headers=asks | {"origin": "http://localhost:3000"})
    assert (foreign.status_code, foreign.json()["error"]["code"]) == (403, "origin_not_allowed")
    assert "access-control-allow-origin" not in foreign.headers
    assert own.text == "page"


async def test_the_policy_of_pages_is_sent_with_pages_and_files_alone(tmp_path: Path) -> None:
    """# 000-28"""
    (tmp_path / "index.html").write_text("<script>1</script>")
    async with _client(served(tmp_path, loopback=False)(_page)) as http:
        policies = {
            kind: "content-security-policy" in (await http.get(f"/{kind}")).headers
            for kind in ("text/html", "image/svg+xml", "text/event-stream", "application/x-ndjson", "application/json")
        }
    assert policies == {
        "text/html": True, "image/svg+xml": True, "text/event-stream": False, "application/x-ndjson": False,
        "application/json": False,
    }  # fmt: skip


async def test_scripts_and_styles_of_pages_are_kept_and_have_no_headers_of_pages(tmp_path: Path) -> None:
    """# 000-28"""

    async def file(scope: Scope, receive: Receive, send: Send) -> None:
        kind = "text/javascript" if scope["path"].endswith(".js") else "text/html"
        await Response("x", media_type=kind)(scope, receive, send)

    (tmp_path / "index.html").write_text("<script>1</script>")
    async with _client(served(tmp_path, loopback=False)(file)) as http:
        script, missing, worker = [await http.get(path) for path in ("/assets/a.js", "/assets/none", "/worker.js")]
    assert {"content-security-policy", "x-frame-options"}.isdisjoint(script.headers)
    assert "immutable" in script.headers["cache-control"]
    for answer in (script, missing, worker):
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert missing.headers["cache-control"] == "no-cache", "another version may have it"
    assert "content-security-policy" in missing.headers, "a page that says that there is no such file"
    assert "content-security-policy" in worker.headers, "a worker has the policy of its script"


@pytest.mark.parametrize(("status", "kind"), [(304, None), (404, "application/json"), (500, "text/plain")])
async def test_a_script_that_was_not_sent_is_not_kept_as_if_it_were(tmp_path: Path, status: int, kind: str) -> None:
    """A page that says that there is no such file may be unchanged, too. # 000-28"""

    async def fails(scope: Scope, receive: Receive, send: Send) -> None:
        await Response(status_code=status, media_type=kind)(scope, receive, send)

    async with _client(served(tmp_path, loopback=False)(fails)) as http:
        answer = await http.get("/assets/a.js")
    assert "immutable" not in answer.headers.get("cache-control", "")


def test_arguments_that_do_not_fit_a_tool_are_a_sentence() -> None:
    """# 000-28"""
    problems = [
        {"type": "missing", "loc": ("path",), "msg": "Field required", "input": {}},
        {"type": "int_type", "loc": ("rows", 2, "amount"), "msg": "Input should be a valid integer", "input": "x"},
    ]
    sentence = translate._misfit(problems)
    assert sentence == (
        "The arguments do not fit the tool: path: Field required; rows[2].amount: Input should be a valid integer."
    )
    assert translate._misfit([]) is None
    assert translate._misfit([{"type": "file"}]) is None
    assert translate._misfit("There is no such file.") is None


def test_a_tool_that_does_not_exist_is_a_sentence_without_the_names_of_others() -> None:
    """# 000-28"""
    told = "Unknown tool name: 'dig'. Available tools: 'read_file', 'search'"
    part = ToolReturnPart("dig", told, "c1", outcome="retried")
    assert str(translate._unknown(part)) == "There is no tool with the name dig here."
    assert translate._unknown(ToolReturnPart("dig", "Dig deeper.", "c1", outcome="retried")) is None
