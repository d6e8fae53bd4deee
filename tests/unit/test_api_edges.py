"""The edges of the HTTP API: preflights of other sites, and the policy for pages."""

import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic_ai.messages import ToolReturnPart
from reflex_base.registry import RegistrationContext
from reflex_base.utils.form import FORM_DATA_ENTRIES_KEY
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaf import errors
from leaf.agent import translate
from leaf.api import http as leaf_http
from leaf.api import routing
from leaf.api.pages import served
from leaf.api.site import apart
from leaf.api.turns import files
from leaf.api.turns.body import SentPart
from leaf.state import sockets
from leaf.state.account import AccountState
from leaf.state.preferences import PreferencesState


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
    sentence = translate._arguments_reason(problems)
    assert sentence == (
        "The arguments do not fit the tool: path: Field required; rows[2].amount: Input should be a valid integer."
    )
    assert translate._arguments_reason([]) is None
    assert translate._arguments_reason([{"type": "file"}]) is None
    assert translate._arguments_reason("There is no such file.") is None


def test_a_tool_that_does_not_exist_is_a_sentence_without_the_names_of_others() -> None:
    """# 000-28"""
    told = "Unknown tool name: 'dig'. Available tools: 'read_file', 'search'"
    part = ToolReturnPart("dig", told, "c1", outcome="retried")
    assert str(translate._unknown_tool_reason(part)) == "There is no tool with the name dig here."
    assert translate._unknown_tool_reason(ToolReturnPart("dig", "Dig deeper.", "c1", outcome="retried")) is None


@pytest.mark.parametrize(
    ("header", "is_accepted"),
    [
        ("application/x-ndjson", True),
        ("text/event-stream;q=0.5, Application/X-NDJSON; q=0.1", True),
        ("application/x-ndjson;q=0", False),
        ("text/event-stream, application/x-ndjson; Q=0.000", False),
        ("application/x-ndjsonp, */*", False),
        ("", False),
    ],
)
def test_a_value_with_the_weight_zero_is_not_accepted(header: str, is_accepted: bool) -> None:
    """# 002-01"""
    request = Request({"type": "http", "headers": [(b"accept", header.encode())]})
    assert leaf_http.accepts(request, "accept", "application/x-ndjson") is is_accepted


@pytest.mark.parametrize(
    "url",
    [
        "data:text/plain;base64,aGVsbG8=",
        "data:text/plain;base64,aGVsbG8",
        "DATA:text/plain;BASE64,aGVs%0abG8",
        "data:text/plain;charset=utf-8; base64,aGVs bG8=",
        "data:,h%65l%6C%6f",
        "Data:text/plain,hello",
    ],
)
def test_data_addresses_are_read_as_browsers_read_them(url: str) -> None:
    """# 002-01"""
    assert files.decoded(SentPart(type="file", url=url))[1] == b"hello"


@pytest.mark.parametrize("url", ["data:;base64,aGVsb", "data:;base64,!!", "data:,", "data:;base64,====", "data:hello"])
def test_other_data_addresses_are_refused(url: str) -> None:
    """# 002-01"""
    with pytest.raises(errors.Invalid):
        files.decoded(SentPart(type="file", url=url))


@pytest.mark.parametrize("body", ["%41" * 3_300_000, "%4" * 5_000_000, "%zz" * 3_300_000])
def test_a_file_of_escapes_is_decoded_in_little_time(body: str) -> None:
    """# 000-50"""
    begun = time.thread_time()
    files.decoded(SentPart(type="file", url=f"data:,{body}"))
    assert time.thread_time() - begun < 1.5


@pytest.mark.parametrize(
    ("value", "kind", "is_one"),
    [
        ({"name": "x"}, dict[str, str], True),
        ({"name": "x", "a heading with an id": None}, dict[str, str], True),
        ({"name": {"deep": 5}}, dict[str, Any], True),
        ([{"name": "x"}], list[dict[str, str]], True),
        ([None], list[dict[str, str]], False),
        ({"name": None}, dict[str, str | None], True),
        ("x", dict[str, str], False),
    ],
)
def test_the_values_in_an_argument_of_an_event_have_its_types(value: object, kind: object, is_one: bool) -> None:
    """Reflex would print values of other types. # 000-28"""
    assert sockets._is_of(value, kind) is is_one  # pyright: ignore[reportPrivateUsage]


def test_of_a_form_only_texts_are_taken() -> None:
    """Handlers ended in tracebacks over other values. # 000-28"""
    handlers = RegistrationContext.get().event_handlers
    name = next(name for name, one in handlers.items() if one.handler.fn is AccountState.rename.fn)
    form = {"name": "Ada", "dialog": None, "switch": True, "number": 5, "list": ["x"], "object": {"x": "x"}}
    # Browsers send the fields of a form in their order.
    for sent in (form, {FORM_DATA_ENTRIES_KEY: [*map(list, form.items())]}):
        event = sockets._readable({"name": name, "payload": {"form": sent}})  # pyright: ignore[reportPrivateUsage]
        assert event is not None
        assert event["payload"] == {"form": {"name": "Ada"}}
    for malformed in (5, "xyz", [5], [[[], "x"]], [["x"]]):
        event = {"name": name, "payload": {"form": {FORM_DATA_ENTRIES_KEY: malformed}}}
        assert sockets._readable(event) is None  # pyright: ignore[reportPrivateUsage]


def test_of_the_vars_of_a_browser_only_stored_texts_are_taken() -> None:
    """Handlers ended in tracebacks over names of no state. # 000-28"""
    handlers = RegistrationContext.get().event_handlers
    name = next(name for name in handlers if name.endswith("update_vars_internal"))
    density = f"{PreferencesState.get_full_name()}.density"
    sent = {density: "compact", f"{density}x": "x", "no.such": "x", "": "x", f"{density}.x": "x"}
    for one, kept in ((sent, {density: "compact"}), ({density: {"x": 1}}, {}), ({density: None}, {})):
        event = sockets._readable({"name": name, "payload": {"vars": one}})  # pyright: ignore[reportPrivateUsage]
        assert event is not None
        assert event["payload"] == {"vars": kept}


async def test_a_body_that_breaks_off_is_refused_and_no_fault() -> None:
    """A chunk of a wrong form also ends a body, and each fault is logged with all of its calls. # 002-01"""
    pieces = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> Message:
        return next(pieces)

    request = Request({"type": "http", "headers": []}, receive)
    with pytest.raises(errors.Invalid):
        await Request(request.scope, routing.bounded(request, 100)).body()
