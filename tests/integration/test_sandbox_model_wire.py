"""The Sandbox model over HTTP, asked by the providers' own clients."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import anthropic
import httpx
import openai
import pytest
import uvicorn
from starlette.applications import Starlette

from sandbox.providers import routes

SEARCH_SCHEMA = {
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
}
CHAT_TOOLS: Any = [{"type": "function", "function": {"name": "search_files", "parameters": SEARCH_SCHEMA}}]
SEARCHED = {"queries": ["marketing budget 2026", "What is the marketing budget for 2026?"]}
QUESTION: Any = [{"role": "user", "content": "What is the marketing budget for 2026?"}]
HELLO: Any = [{"role": "user", "content": "hello"}]


def serve(app: Any = None) -> Iterator[str]:
    """The base address of a server in a thread, on a free port."""
    listening = socket.create_server(("127.0.0.1", 0))
    app = app or Starlette(routes=routes())
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join()
    listening.close()


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    yield from serve()


@pytest.fixture(autouse=True)
def empty_log(base: str) -> None:
    httpx.delete(f"{base}/sandbox/model/requests").raise_for_status()


@pytest.fixture
async def chat(base: str) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(base_url=f"{base}/openai/v1", api_key="any", max_retries=0) as client:
        yield client


@pytest.fixture
async def claude(base: str) -> AsyncIterator[anthropic.AsyncAnthropic]:
    async with anthropic.AsyncAnthropic(base_url=f"{base}/anthropic", api_key="any", max_retries=0) as client:
        yield client


def logged(base: str, **query: str) -> list[dict[str, Any]]:
    return httpx.get(f"{base}/sandbox/model/requests", params=query).raise_for_status().json()


async def until(condition: Callable[[], bool]) -> None:
    """Waits for a condition that the server's side makes true; each look at it is a request."""
    async with asyncio.timeout(10):
        while not await asyncio.to_thread(condition):
            continue


async def text_of(client: openai.AsyncOpenAI, model: str, messages: Any = HELLO) -> str:
    stream = await client.chat.completions.create(model=model, messages=messages, stream=True)
    return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])


async def test_a_chat_answer_is_streamed_word_by_word_and_ends_with_usage(chat: openai.AsyncOpenAI):
    stream = await chat.chat.completions.create(
        model="sandbox", messages=HELLO, stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    assert chunks[0].choices[0].delta.role == "assistant"
    deltas = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert len(deltas) > 20
    assert "Sandbox model" in "".join(deltas)
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == round(len("".join(deltas).split()) * 4 / 3)
    assert all(chunk.usage is None for chunk in chunks[:-1])


async def test_a_slow_answer_can_be_hurried_and_the_next_one_is_slow_again(chat: openai.AsyncOpenAI, base: str):
    """The rest of the answer comes at once; 500 words at a second each would take eight minutes."""
    for _ in range(2):
        stream = await chat.chat.completions.create(model="sandbox-slow-1000", messages=HELLO, stream=True)
        words = 0
        async with asyncio.timeout(20):
            async for chunk in stream:
                words += bool(chunk.choices and chunk.choices[0].delta.content)
                if words == 1:
                    hurry = await asyncio.to_thread(httpx.post, f"{base}/sandbox/model/hurry")
                    assert hurry.status_code == 204
        assert words >= 400


async def test_arguments_of_a_chat_tool_call_arrive_in_pieces(chat: openai.AsyncOpenAI):
    stream = await chat.chat.completions.create(model="sandbox", messages=QUESTION, tools=CHAT_TOOLS, stream=True)
    chunks = [chunk async for chunk in stream]
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks).startswith("I'll look in your Drive for")
    calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or []]
    assert calls[0].id
    assert calls[0].function
    assert calls[0].function.name == "search_files"
    pieces = [call.function.arguments for call in calls if call.function and call.function.arguments]
    assert len(pieces) > 1
    assert json.loads("".join(pieces)) == SEARCHED
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


async def test_a_chat_answer_without_streaming_is_one_object(chat: openai.AsyncOpenAI):
    completion = await chat.chat.completions.create(model="sandbox", messages=QUESTION, tools=CHAT_TOOLS)
    choice = completion.choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.tool_calls
    assert completion.usage
    assert completion.usage.total_tokens == completion.usage.prompt_tokens + completion.usage.completion_tokens


async def test_a_choice_of_no_tool_is_respected(chat: openai.AsyncOpenAI):
    completion = await chat.chat.completions.create(
        model="sandbox", messages=QUESTION, tools=CHAT_TOOLS, tool_choice="none"
    )
    assert not completion.choices[0].message.tool_calls


async def test_the_responses_api_streams_text_and_a_call(chat: openai.AsyncOpenAI):
    tools: Any = [{"type": "function", "name": "search_files", "parameters": SEARCH_SCHEMA, "strict": False}]
    async with chat.responses.stream(model="sandbox-reasoning", input=QUESTION, tools=tools) as stream:
        events = [event async for event in stream]
        final = await stream.get_final_response()
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert [item.type for item in final.output] == ["reasoning", "message", "function_call"]
    assert sum(event.type == "response.function_call_arguments.delta" for event in events) > 1
    assert sum(event.type == "response.output_text.delta" for event in events) > 5
    assert final.output_text.startswith("I'll look in your Drive for")
    assert final.usage
    assert final.usage.output_tokens > 0


async def test_the_responses_api_answers_whole_and_refuses_to_remember(chat: openai.AsyncOpenAI):
    assert "Sandbox model" in (await chat.responses.create(model="sandbox", input="hello")).output_text
    with pytest.raises(openai.BadRequestError, match="keeps no responses"):
        await chat.responses.create(model="sandbox", input="hello", previous_response_id="resp_1")


async def test_anthropics_messages_stream_text_thoughts_and_a_call(claude: anthropic.AsyncAnthropic):
    tools: Any = [{"name": "search_files", "input_schema": SEARCH_SCHEMA}]
    async with claude.messages.stream(
        model="sandbox-reasoning", max_tokens=1000, messages=QUESTION, tools=tools
    ) as stream:
        kinds = [event.type for event in [event async for event in stream]]
        final = await stream.get_final_message()
    assert [block.type for block in final.content] == ["thinking", "text", "tool_use"]
    assert final.content[2].type == "tool_use"
    assert final.content[2].input == SEARCHED
    assert kinds.count("input_json") > 1
    assert final.stop_reason == "tool_use"
    assert final.usage.output_tokens > 5


async def test_anthropics_messages_answer_whole(claude: anthropic.AsyncAnthropic):
    message = await claude.messages.create(model="sandbox", max_tokens=100, messages=HELLO)
    assert message.content[0].type == "text"
    assert "Sandbox model" in message.content[0].text
    assert message.stop_reason == "end_turn"


async def test_errors_have_the_shape_of_their_provider(base: str, chat: openai.AsyncOpenAI):
    with pytest.raises(openai.NotFoundError) as missing:
        await text_of(chat, "gpt-nothing")
    assert missing.value.code == "model_not_found"
    async with httpx.AsyncClient(base_url=base) as plain:
        body = {"model": "sandbox", "messages": HELLO}
        answer = await plain.post("/openai/v1/chat/completions", json=body)
        assert answer.status_code == 401
        assert answer.json()["error"]["type"] == "invalid_request_error"
        answer = await plain.post("/anthropic/v1/messages", json=body)
        assert (answer.status_code, answer.json()["error"]["type"]) == (401, "authentication_error")
        key = {"x-api-key": "any"}
        answer = await plain.post("/anthropic/v1/messages", json=body, headers=key)
        assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")
        assert "max_tokens" in answer.json()["error"]["message"]
        assert (await plain.get("/openai/v1/models")).status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b'"text"', b"{}", b'{"model": "sandbox"}', b'{"model": "sandbox", "messages": []}',
        b'{"model": "sandbox", "messages": [{"role": "king", "content": "x"}]}', b"\xff\xfe", b"[" * 100_000,
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/openai/v1/chat/completions", "/openai/v1/responses", "/anthropic/v1/messages"])
async def test_a_malformed_body_is_refused(base: str, path: str, body: bytes):
    async with httpx.AsyncClient(base_url=base) as plain:
        answer = await plain.post(path, content=body, headers={"authorization": "Bearer any"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]


async def test_half_a_surrogate_pair_does_no_harm(base: str):
    body = '{"model": "sandbox", "messages": [{"role": "user", "content": "What is \\ud800 worth?"}], "tools": []}'
    headers = {"authorization": "Bearer any"}
    async with httpx.AsyncClient(base_url=base) as plain:
        assert (await plain.post("/openai/v1/chat/completions", content=body, headers=headers)).status_code == 200
        unknown = await plain.post(
            "/openai/v1/chat/completions", content=body.replace("sandbox", "\\ud800"), headers=headers
        )
    assert unknown.status_code == 404
    assert len(logged(base)) == 2


async def test_models_are_listed(chat: openai.AsyncOpenAI):
    names = [model.id async for model in chat.models.list()]
    assert {"sandbox", "sandbox-slow", "sandbox-hostile"} <= set(names)


async def test_sandbox_fail_always_fails(chat: openai.AsyncOpenAI, claude: anthropic.AsyncAnthropic):
    for _ in range(2):
        with pytest.raises(openai.InternalServerError, match="always fails"):
            await text_of(chat, "sandbox-fail")
        with pytest.raises(anthropic.InternalServerError, match="always fails"):
            await claude.messages.create(model="sandbox-fail", max_tokens=10, messages=HELLO)


async def test_sandbox_flaky_fails_once_and_then_works(base: str, chat: openai.AsyncOpenAI):
    """The model for trying retries. # 000-31"""
    for _ in range(2):
        with pytest.raises(openai.InternalServerError):
            await text_of(chat, "sandbox-flaky")
        assert "Sandbox model" in await text_of(chat, "sandbox-flaky")
    assert [entry["status"] for entry in logged(base)] == [503, 200, 503, 200]


async def test_sandbox_cut_breaks_the_stream_after_some_text(base: str, chat: openai.AsyncOpenAI):
    stream = await chat.chat.completions.create(model="sandbox-cut", messages=HELLO, stream=True)
    seen: list[str] = []

    async def read() -> None:
        async for chunk in stream:
            seen.append(chunk.choices[0].delta.content or "")
            assert chunk.choices[0].finish_reason is None

    with pytest.raises((openai.APIConnectionError, httpx.RemoteProtocolError)):
        await read()
    assert len(seen) > 5
    assert logged(base)[0]["finish"] == "cut"


async def test_sandbox_cut_breaks_an_answer_in_one_piece_too(chat: openai.AsyncOpenAI):
    with pytest.raises((openai.APIConnectionError, httpx.RemoteProtocolError)):
        await chat.chat.completions.create(model="sandbox-cut", messages=HELLO)


async def test_the_pace_is_given_by_the_name(base: str, chat: openai.AsyncOpenAI):
    await text_of(chat, "sandbox-20")
    entry = logged(base, deltas="1")[0]
    steps = [b - a for a, b in zip(entry["delta_times"], entry["delta_times"][1:], strict=False)]
    # Words are sent on a schedule: a late one makes up for it, so the mean is what the name says, or above.
    assert sum(steps) / len(steps) >= 0.019
    assert entry["received_at"] <= entry["first_delta_at"] < entry["last_delta_at"] <= entry["finished_at"]


async def test_sandbox_slow_answers_at_length(base: str, chat: openai.AsyncOpenAI):
    assert len((await text_of(chat, "sandbox-slow-0")).split()) >= 500
    async with await chat.chat.completions.create(model="sandbox-slow", messages=HELLO, stream=True) as stream:
        async for chunk in stream:
            if chunk.choices[0].delta.content:
                break
    await until(lambda: logged(base)[1]["finish"] == "disconnected")
    assert logged(base)[1]["deltas"] < 250


async def test_sandbox_loop_asks_for_a_tool_for_ever(chat: openai.AsyncOpenAI):
    messages: list[Any] = [*QUESTION]
    for _ in range(12):
        choice = (
            await chat.chat.completions.create(model="sandbox-loop", messages=messages, tools=CHAT_TOOLS)
        ).choices[0]
        assert choice.message.tool_calls
        call = choice.message.tool_calls[0]
        messages += [
            choice.message,
            {"role": "tool", "tool_call_id": call.id, "content": '{"query": "x", "files": []}'},
        ]
    assert '"round 12"' in call.function.arguments


async def test_sandbox_reasoning_thinks_first(chat: openai.AsyncOpenAI):
    stream = await chat.chat.completions.create(model="sandbox-reasoning", messages=HELLO, stream=True)
    deltas = [chunk.choices[0].delta async for chunk in stream]
    kinds = ["think" if getattr(d, "reasoning_content", None) else "text" for d in deltas[1:-1]]
    assert kinds == sorted(kinds, reverse=True)
    assert {"think", "text"} == set(kinds)


async def test_sandbox_silent_says_nothing_until_the_caller_leaves(base: str, chat: openai.AsyncOpenAI):
    stream = await chat.chat.completions.create(model="sandbox-silent", messages=HELLO, stream=True)
    assert logged(base)[0]["finish"] is None
    left_at = time.time()
    await stream.close()
    await until(lambda: logged(base)[0]["finish"] == "disconnected")
    assert logged(base)[0]["first_delta_at"] is None
    assert logged(base)[0]["finished_at"] - left_at < 2


async def test_sandbox_silent_is_silent_in_every_protocol(base: str, claude: anthropic.AsyncAnthropic):
    asking = asyncio.ensure_future(claude.messages.create(model="sandbox-silent", max_tokens=10, messages=HELLO))
    await until(lambda: bool(logged(base)))
    assert not asking.done()
    asking.cancel()
    await until(lambda: logged(base)[0]["finish"] == "disconnected")


async def test_sandbox_hostile_writes_what_a_page_must_not_run(chat: openai.AsyncOpenAI):
    text = await text_of(chat, "sandbox-hostile")
    for danger in ("<script>", "onerror=", "![A remote image](https://", "(javascript:", "<iframe", "data:text/html"):
        assert danger in text


async def test_the_log_tells_what_was_asked(base: str, chat: openai.AsyncOpenAI):
    await chat.chat.completions.create(model="sandbox", messages=QUESTION, tools=CHAT_TOOLS)
    entry = logged(base)[0]
    assert entry["model"] == "sandbox"
    assert entry["messages"] == 1
    assert entry["tools"] == ["search_files"]
    assert entry["finish"] == "tool_calls"
    assert "delta_times" not in entry
    async with httpx.AsyncClient() as plain:
        assert (await plain.delete(f"{base}/sandbox/model/requests")).status_code == 204
    assert logged(base) == []
