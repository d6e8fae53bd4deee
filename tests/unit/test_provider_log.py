"""The stored requests to models: no secrets in any form, and no more than may be kept. # 003-38"""

import gzip
import json
import tracemalloc
import zlib
from typing import Any

import httpx2
import pytest

from leaf.agent import provider_log, responses, stream_merger
from leaf.agent.provider_log import HIDDEN, KEPT_BYTES, Exchange

KEY = "sk-proj-abcdefghijklmnop1234567890"
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJ1c2VySWQiOiJ1LTEifQ.c2lnbmF0dXJl"
HOOKS: Any = {"request": [provider_log.ask], "response": [responses.limit, provider_log.answer, stream_merger.merge]}


def _events(*data: object) -> bytes:
    return b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in data) + b"data: [DONE]\n\n"


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self):
        size = 7 if len(self._body) < KEPT_BYTES else KEPT_BYTES
        for start in range(0, len(self._body), size):
            yield self._body[start : start + size]


async def _exchange(body: bytes, sent: object = "", **headers: str) -> Exchange:
    """A request that a client with Leaf's hooks makes, whose response is read to its end."""

    def handle(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream", **headers}, stream=_Stream(body))

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(handle), event_hooks=HOOKS) as client:
        with provider_log.recording() as exchanges:
            address = f"https://user:pass@api.example/v1/chat?key={KEY}"
            await client.post(address, json=sent, headers={"authorization": f"Bearer {KEY}", "x-api-key": "short"})
    (exchange,) = exchanges
    return exchange


async def test_headers_and_the_addresss_query_are_not_kept() -> None:
    exchange = await _exchange(_events({"choices": []}), {"messages": [{"role": "user", "content": "Hi"}]})
    assert exchange.address == "POST https://api.example/v1/chat"
    assert json.loads(exchange.request) == {"messages": [{"role": "user", "content": "Hi"}]}
    assert (exchange.status, exchange.response_bytes > 0, exchange.latency_ms >= 0) == (200, True, True)
    kept = exchange.address + exchange.request + exchange.response
    assert KEY not in kept
    assert "short" not in kept


@pytest.mark.parametrize(
    "sent",
    [
        {"content": f"My key is {KEY}."}, {"content": f"Authorization: Bearer {'b' * 20}"},
        {"content": f"Authorization: Basic {'YmFzaWM6YmFzaWM='}"}, {"userToken": TOKEN}, {"content": f"I am {TOKEN}"},
        {"headers": {"Authorization": "whatever it is"}}, {"api_key": "plain"}, {"x": [{"client_secret": "plain"}]},
        {"arguments": json.dumps({"password": "plain", "q": "apples"})},
        {"content": "leaf_sign_abcdefghijklmnopqrstuvwxyz012345"}, {"cookie": "plain; leaf_session=x"},
        {"content": "https://user:plain@host.example/"}, {f"{KEY}": "a key as a name"},
    ],
    ids=str,
)  # fmt: skip
async def test_no_secret_is_kept(sent: dict[str, Any]) -> None:
    exchange = await _exchange(_events(sent), sent)
    for kept in (exchange.request, exchange.response, provider_log.redacted(json.dumps(sent)[:-1])):
        assert HIDDEN in kept
        for secret in (KEY, TOKEN, "b" * 20, "YmFzaWM", "whatever", "plain", "leaf_sign_abc"):
            assert secret not in kept, kept


@pytest.mark.parametrize("size", [2, 10])
@pytest.mark.parametrize(
    "made",
    [
        lambda piece: {"id": "c", "choices": [{"index": 0, "delta": {"content": piece}}]},
        lambda piece: {"type": "response.output_text.delta", "item_id": "i", "delta": piece},
        lambda piece: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}},
        lambda piece: {"type": "response.function_call_arguments.delta", "item_id": "i", "delta": piece},
        lambda piece: {
            "type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": piece}
        },
        lambda piece: {
            "id": "c", "choices": [{"index": 0, "delta": {"tool_calls": [
                {"index": 0, "function": {"arguments": piece}}
            ]}}],
        },
    ],
)  # fmt: skip
async def test_a_secret_that_comes_in_pieces_is_no_secret_that_is_kept(made: Any, size: int) -> None:
    text = f'{{"q": "{KEY} and {TOKEN}"}}'
    pieces = [made(text[start : start + size]) for start in range(0, len(text), size)]
    exchange = await _exchange(_events(*pieces))
    assert HIDDEN in exchange.response
    joined = exchange.response.replace('"', "").replace(" ", "")
    assert "abcdefghij" not in joined
    assert "c2lnbmF0" not in joined


async def test_what_is_long_is_cut_and_says_so() -> None:
    long = "x" * (3 * provider_log.READ_BYTES)
    exchange = await _exchange(_events({"t": long}), {"content": "ü" * KEPT_BYTES})
    assert len(exchange.request.encode()) <= KEPT_BYTES + 3
    assert len(exchange.response.encode()) <= KEPT_BYTES + 3
    assert exchange.request.endswith("…")
    assert exchange.response.endswith("…")
    assert exchange.response_bytes > len(long)
    assert exchange.request_bytes > KEPT_BYTES


@pytest.mark.parametrize(
    ("body", "encoding", "kept"),
    [
        (gzip.compress(b'{"error": "busy", "token": "plain"}'), "gzip", '{"error": "busy", "token": "[redacted]"}'),
        (b"\xff\x00{", "identity", "\ufffd{"), (b"[" * 5000, "", "[" * 5000), (b"", "", ""),
    ],
    ids=["gzip", "no-text", "deep", "nothing"],
)  # fmt: skip
async def test_whatever_comes_is_kept_as_text(body: bytes, encoding: str, kept: str) -> None:
    exchange = await _exchange(body, **({"content-encoding": encoding} if encoding else {}))
    assert (exchange.status, exchange.response) == (200, kept)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "gzip, gzip"])
async def test_a_packed_response_is_read_up_to_the_limit_of_its_unpacked_size(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit counted packed bytes: a megabyte became a gigabyte. # 001-21"""
    monkeypatch.setattr(responses, "MOST_BYTES", 2_000_000)
    body = zlib.compress(bytes(50_000_000)) if encoding == "deflate" else gzip.compress(bytes(50_000_000))
    body = gzip.compress(body) if encoding.endswith(", gzip") else body
    tracemalloc.start()
    try:
        with pytest.raises(httpx2.ReadError):
            await _exchange(body, **{"content-encoding": encoding})
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


async def test_events_of_a_packed_response_are_merged() -> None:
    """They were passed on one by one, because the merger could not read them. # 002-25"""
    deltas = [{"id": "c", "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in "abc"]
    response = httpx2.Response(
        200,
        headers={"content-type": "text/event-stream", "content-encoding": "gzip"},
        stream=_Stream(gzip.compress(_events(*deltas))),
    )
    await responses.limit(response)
    await stream_merger.merge(response)
    made = [piece async for piece in response.aiter_bytes()]
    assert b'"content":"bc"' in b"".join(made)


async def test_nothing_is_noted_of_others() -> None:
    """Requests outside the block, or in the block of another run, are not recorded."""
    client = httpx2.AsyncClient(
        transport=httpx2.MockTransport(lambda _: httpx2.Response(200, stream=_Stream(b"{}"))), event_hooks=HOOKS
    )
    async with client:
        await client.post("https://api.example/")
        with provider_log.recording() as mine:
            with provider_log.recording() as other:
                await client.post("https://api.example/")
            for _ in range(provider_log.MOST + 5):
                await client.post("https://api.example/")
        await client.post("https://api.example/")
    assert (len(mine), len(other)) == (provider_log.MOST, 1)
