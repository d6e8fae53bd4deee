"""The client for OpenAI's protocol: what it sends, and what that costs."""

import json
import sys
from typing import Any

import httpx2
import pytest

from leaf.agent.openai_client import Client

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
SENT = b'{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[]}'


def chat(length: int) -> list[dict[str, Any]]:
    return [{"role": ("user", "assistant")[place % 2], "content": f"Message {place}"} for place in range(length)]


async def _asked(path: str, length: int) -> tuple[dict[str, Any], int]:
    """The body of a request with so many messages, and the number of function calls that it took."""
    bodies: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append(request)
        return httpx2.Response(200, content=SENT, headers={"content-type": "application/json"})

    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    async with Client(api_key="sk-test", base_url="http://model.test/v1", http_client=http, max_retries=0) as client:
        # A limit of its own makes a copy of the client.
        resource: Any = client.with_options(timeout=5)
        create = resource.chat.completions.create if path == "chat" else resource.responses.create
        named = {"messages": chat(length)} if path == "chat" else {"input": chat(length)}
        sys.setprofile(count)
        try:
            await create(model="m", tools=[TOOL], extra_body={"think": False}, **named)
        finally:
            sys.setprofile(None)
    return json.loads(bodies[0].content), calls


@pytest.mark.parametrize(("path", "name"), [("chat", "messages"), ("responses", "input")])
async def test_a_long_chat_takes_no_more_calls_than_a_short_one(path: str, name: str) -> None:
    """The values of messages are not looked through one by one. # 001-27"""
    await _asked(path, 2)
    _, few = await _asked(path, 2)
    body, many = await _asked(path, 400)
    assert body == {"model": "m", "tools": [TOOL], "think": False, name: chat(400)}
    assert many < 1.5 * few, f"{many} calls for 400 messages, {few} for 2"
