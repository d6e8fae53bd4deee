"""The requests that the widget API takes before Reflex does, and the rest that it leaves to it."""

import asyncio

import httpx
import pytest
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaf import config
from leaf.api.edge import guarded
from leaf.api.shutdown import Shutdown
from leaf.api.site import apart

OWN = "http://localhost:3000"
ASKS = {"access-control-request-method": "GET", "access-control-request-headers": "authorization"}


async def _everything_else(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("else")(scope, receive, send)


def application() -> ASGIApp:
    """As Reflex builds it: rules for origins around everything."""
    inner = CORSMiddleware(_everything_else, allow_origins=[OWN], allow_methods=["*"], allow_headers=["*"])
    return apart(inner, own=[OWN])


@pytest.mark.parametrize(
    ("method", "path", "headers", "is_ours"),
    [
        ("GET", "/api/site/openapi.json", {}, True),
        ("GET", "/api/site/no-such", {}, True),
        ("GET", "/api/sites", {}, False),
        ("OPTIONS", "/api/site/chats", {"origin": OWN, **ASKS}, False),
        ("GET", "/api/widget/openapi.json", {}, True),
        ("GET", "/api/no-such", {"authorization": "Bearer leaf_pk_x"}, True),
        ("GET", "/api/chats", {"authorization": "Bearer leaf_key_x"}, False),
        ("GET", "/api/chats", {}, False),
        ("GET", "/", {"authorization": "Bearer leaf_pk_x"}, False),
        ("OPTIONS", "/api/chats", {"origin": OWN, **ASKS}, False),
        ("OPTIONS", "/api/me", {"origin": "https://shop.example", **ASKS}, True),
    ],
)
async def test_requests_are_told_apart_by_their_key(
    method: str, path: str, headers: dict[str, str], is_ours: bool
) -> None:
    """# 003-04"""
    transport = httpx.ASGITransport(application())
    async with httpx.AsyncClient(transport=transport, base_url="https://leaf.example") as http:
        answer = await http.request(method, path, headers=headers)
    if is_ours:
        assert answer.headers["content-type"] == "application/json"
    else:
        assert answer.text in {"else", "OK"} or answer.json()["error"]["code"] == "origin_not_allowed"


async def test_the_edge_is_around_the_site_api_too() -> None:
    """HSTS and no stored answers, whichever of the two applications answers. # 004-26"""
    settings = config.Settings.model_construct(env="production")
    transport = httpx.ASGITransport(guarded(settings, Shutdown())(apart(_everything_else, own=[])))
    async with httpx.AsyncClient(transport=transport, base_url="https://leaf.example") as http:
        answers = [await http.get(path) for path in ("/api/site/no-such", "/api/me", "/")]
    assert {one.headers["strict-transport-security"] for one in answers} == {"max-age=31536000"}
    assert [one.headers.get("cache-control") for one in answers] == ["no-store", "no-store", None]


async def test_a_response_says_once_what_it_varies_by() -> None:
    """Reflex puts its rules for origins around the application more than once."""

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("page", headers={"vary": "accept-language, cookie"})(scope, receive, send)

    layers = CORSMiddleware(CORSMiddleware(page, allow_origins=[OWN]), allow_origins=[OWN])
    transport = httpx.ASGITransport(guarded(config.Settings.model_construct(env="development"), Shutdown())(layers))
    async with httpx.AsyncClient(transport=transport, base_url="https://leaf.example") as http:
        answer = await http.get("/auth/google/start", headers={"origin": OWN})
    assert answer.headers.get_list("vary") == ["accept-language, cookie, Origin"]


async def test_an_address_sends_so_much_at_a_time() -> None:
    """A further body is refused while others are on their way, and taken afterwards. # 004-25"""
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        begun.set()
        await go_on.wait()
        await PlainTextResponse("taken")(scope, receive, send)

    settings = config.Settings.model_construct(env="development", upload_mb_per_address=1)
    application = guarded(settings, Shutdown())(slow)
    here = httpx.AsyncClient(
        transport=httpx.ASGITransport(application, client=("192.0.2.7", 1)), base_url="http://leaf"
    )
    there = httpx.AsyncClient(
        transport=httpx.ASGITransport(application, client=("192.0.2.8", 1)), base_url="http://leaf"
    )
    async with here, there:
        first = asyncio.create_task(here.post("/api/imports", content=b"x" * 900_000))
        await begun.wait()
        refused = await here.post("/api/imports", content=b"x" * 900_000)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
        other = asyncio.create_task(there.post("/api/imports", content=b"x" * 900_000))
        go_on.set()
        assert [(await one).text for one in (first, other)] == ["taken", "taken"]
        assert (await here.post("/api/imports", content=b"x" * 900_000)).text == "taken"


@pytest.mark.parametrize(("version", "headers"), [("1.1", [(b"transfer-encoding", b"chunked")]), ("2", [])])
async def test_a_body_of_unknown_length_counts_as_the_largest_until_it_has_come(
    version: str, headers: list[tuple[bytes, bytes]]
) -> None:
    """A long answer to a small question takes nothing from the address's share. # 004-25"""
    read, go_on, comes = asyncio.Event(), asyncio.Event(), asyncio.Event()
    refusals: list[int] = []

    async def reading(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        read.set()
        await go_on.wait()

    async def body() -> Message:
        await comes.wait()
        return {"type": "http.request", "body": b"x", "more_body": False}

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            refusals.append(message["status"])

    settings = config.Settings.model_construct(env="development", upload_mb_per_address=60)
    application = guarded(settings, Shutdown())(reading)
    scope = {"type": "http", "http_version": version, "method": "POST", "path": "/api/chat", "headers": headers}
    first = asyncio.ensure_future(application({**scope, "client": ("192.0.2.7", 1)}, body, sent))
    await asyncio.sleep(0)
    await application({**scope, "client": ("192.0.2.7", 2)}, body, sent)
    assert refusals == [429]
    comes.set()
    await read.wait()
    second = asyncio.ensure_future(application({**scope, "client": ("192.0.2.7", 3)}, body, sent))
    go_on.set()
    await asyncio.gather(first, second)
    assert refusals == [429]


@pytest.mark.parametrize(
    ("version", "size", "reads", "closes"),
    [("1.1", 9_000, False, True), ("1.1", 9_000, True, False), ("1.1", 100, False, False), ("2", 9_000, False, False)],
)
async def test_a_body_that_nobody_has_read_closes_its_connection(
    version: str, size: int, *, reads: bool, closes: bool
) -> None:
    """A client that is not told would send its next request on a connection that has ended. # 004-25"""
    answers: list[Message] = []

    async def refusing(scope: Scope, receive: Receive, send: Send) -> None:
        if reads:
            await receive()
        await PlainTextResponse("no", 401)(scope, receive, send)

    async def body() -> Message:
        return {"type": "http.request", "body": b"x" * size, "more_body": False}

    async def sent(message: Message) -> None:
        answers.append(message)

    scope: Scope = {
        "type": "http", "http_version": version, "method": "POST", "path": "/api/chat", "client": ("192.0.2.7", 1),
        "headers": [(b"content-length", b"%d" % size)],
    }  # fmt: skip
    settings = config.Settings.model_construct(env="development", upload_mb_per_address=60)
    await guarded(settings, Shutdown())(refusing)(scope, body, sent)
    assert ((b"connection", b"close") in answers[0]["headers"]) is closes


async def test_a_request_with_several_hosts_is_refused() -> None:
    """A proxy and the application could go by different ones. # 002-04"""
    settings = config.Settings.model_construct(env="development")
    transport = httpx.ASGITransport(guarded(settings, Shutdown())(_everything_else))
    async with httpx.AsyncClient(transport=transport, base_url="http://leaf.example") as http:
        hosts = [("host", "leaf.example"), ("host", "evil.example")]
        refused = [await http.get(path, headers=hosts) for path in ("/", "/api/me", "/api/site/agent")]
        taken = await http.get("/", headers=hosts[:1])
    assert [(one.status_code, one.json()["error"]["code"]) for one in refused] == [(400, "invalid")] * 3
    assert taken.text == "else"
