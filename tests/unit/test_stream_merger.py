"""Text that comes together is merged, and nothing else about a provider's stream changes."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf.agent import stream_merger
from leaf.streams.window import window_seconds


def _chat(delta: dict[str, Any], reason: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return b"data: " + json.dumps({"id": "c", "choices": [choice], **more}).encode()


def _merged(*events: bytes) -> list[bytes]:
    return stream_merger.merged([(event, stream_merger.text_of(event)) for event in events])


def _data(event: bytes) -> dict[str, Any]:
    return json.loads(event.partition(b"data: ")[2])


def test_the_text_of_events_in_a_row_becomes_one():
    found = _merged(_chat({"content": "Wor"}), _chat({"content": "ds, \n\ndata: "}), _chat({"content": "und Ö"}))
    assert [_data(event) for event in found] == [_data(_chat({"content": "Words, \n\ndata: und Ö"}))]


@pytest.mark.parametrize(
    "other",
    [
        _chat({"role": "assistant", "content": ""}),
        _chat({}, "stop"),
        _chat({"content": "!"}, "stop"),
        _chat({"tool_calls": [{"index": 0, "function": {"arguments": "{"}}]}),
        _chat({"content": "x"}, usage={"total_tokens": 1}),
        b'data: {"id": "c", "choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": null}]}',
        b'data: {"id": "other", "choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": null}]}',
        b"data: [DONE]",
        b": a comment",
        b'data: {"id": "c", "choices": [{"delta": {"content": "br',
        b"event: error\ndata: {}",
    ],
)
def test_anything_else_stays_in_its_place(other: bytes):
    found = _merged(_chat({"content": "a"}), _chat({"content": "b"}), other, _chat({"content": "c"}))
    assert found[1] == other
    assert [_data(found[0]), _data(found[2])] == [_data(_chat({"content": "ab"})), _data(_chat({"content": "c"}))]


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (r"cut \ud83d", "cut \ufffd"),
        (r"\ude00 cut", "\ufffd cut"),
        (r"\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        (r"\ud83d\ude00 and \\ud83d", "\U0001f600 and \\ud83d"),
        (r"\\\ud83d", "\\\ufffd"),
        (r"\uD83D\uDE00\uDE00", "\U0001f600\ufffd"),
    ],
)
async def test_half_a_character_ends_no_answer(sent: str, read: str):
    """No UTF-8 can hold it, and so no chunk: gateways cut texts where they count in halves."""
    event = b'data: {"id": "c", "choices": [{"index": 0, "delta": {"content": "' + sent.encode() + b'"}}]}\n\n'
    found = b"".join([piece async for piece in (await _response(_Pieces([event]))).aiter_raw()])
    assert _data(found.strip())["choices"][0]["delta"]["content"] == read
    assert found.decode()


def test_openais_newer_protocol_keeps_its_numbers_rising():
    def event(number: int, delta: str, item: str = "m") -> bytes:
        kind = "response.output_text.delta"
        data = {"type": kind, "item_id": item, "content_index": 0, "delta": delta, "sequence_number": number}
        return f"event: {kind}\ndata: {json.dumps(data)}".encode()

    found = _merged(event(4, "a"), event(5, "b"), event(6, "c", "other"))
    assert [(_data(one)["delta"], _data(one)["sequence_number"]) for one in found] == [("ab", 5), ("c", 6)]
    assert found[0].startswith(b"event: response.output_text.delta\n")


def test_anthropics_text_and_thinking_are_kept_apart():
    def event(kind: str, name: str, text: str) -> bytes:
        data = {"type": "content_block_delta", "index": 0, "delta": {"type": kind, name: text}}
        return f"event: content_block_delta\ndata: {json.dumps(data)}".encode()

    thinking = [event("thinking_delta", "thinking", one) for one in "ab"]
    text = [event("text_delta", "text", one) for one in "cd"]
    signature = event("signature_delta", "signature", "s")
    found = [_data(one)["delta"] for one in _merged(*thinking, signature, *text)]
    assert found == [
        {"type": "thinking_delta", "thinking": "ab"},
        {"type": "signature_delta", "signature": "s"},
        {"type": "text_delta", "text": "cd"},
    ]


class _Pieces(httpx2.AsyncByteStream):
    def __init__(self, pieces: list[bytes], error: Exception | None = None) -> None:
        self.pieces, self.error, self.closed = pieces, error, False

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        for piece in self.pieces:
            yield piece
        if self.error is not None:
            raise self.error

    async def aclose(self) -> None:
        self.closed = True


async def _response(stream: _Pieces, **headers: str) -> httpx2.Response:
    response = httpx2.Response(200, headers={"content-type": "text/event-stream", **headers}, stream=stream)
    await stream_merger.merge(response)
    return response


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=30), st.integers(1, 40))
def test_however_a_stream_is_cut_its_text_is_the_same(words: list[str], size: int):
    whole = b"".join(_chat({"content": word}) + b"\n\n" for word in words) + b"data: [DONE]\n\n"
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]

    async def read() -> bytes:
        response = await _response(_Pieces(pieces))
        return b"".join([piece async for piece in response.aiter_raw()])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream_merger, "window_seconds", lambda *_: 0.0)
        events = asyncio.run(read()).split(b"\n\n")
    assert events[-2:] == [b"data: [DONE]", b""]
    assert "".join(_data(event)["choices"][0]["delta"]["content"] for event in events[:-2]) == "".join(words)


def test_pieces_leave_within_a_frame_with_few_streams_and_are_larger_with_many():
    seconds = [window_seconds(streams, stream_merger.STREAM_SECONDS) for streams in (1, 2, 6, 10, 80, 200)]
    assert [round(one * 1000) for one in seconds] == [16, 24, 50, 50, 50, 120]


async def test_a_stream_whose_lines_end_otherwise_is_passed_on_as_it_comes():
    pieces = [b"data: {}\r\n\r\n", b"data: [DONE]\r\n\r\n"]
    assert [piece async for piece in (await _response(_Pieces(pieces))).aiter_raw()] == pieces


async def test_a_stream_that_breaks_off_breaks_off_behind_its_last_word():
    cut = _Pieces([_chat({"content": "a"}) + b"\n\n", b"data: {"], httpx2.ReadError("gone"))
    response = await _response(cut)
    pieces = response.aiter_raw()
    assert await anext(pieces) == _chat({"content": "a"}) + b"\n\n"
    with pytest.raises(httpx2.ReadError):
        await anext(pieces)
    await response.aclose()
    assert cut.closed


@pytest.mark.parametrize("headers", [{"content-type": "application/json"}, {"content-encoding": "gzip"}])
async def test_other_responses_are_left_alone(headers: dict[str, str]):
    stream = _Pieces([b"x"])
    response = httpx2.Response(200, headers={"content-type": "text/event-stream", **headers}, stream=stream)
    await stream_merger.merge(response)
    assert response.stream is stream
