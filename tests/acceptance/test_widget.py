"""The widget API through all processes: web over HTTP, Redis, and a worker that may die."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest_asyncio

from leaf.db import Actor
from leaf.services import sites
from tests.acceptance.stack import Sandbox, Stack
from tests.acceptance.web import Web
from tests.acceptance.workers import Crew

SHOP = "https://shop.example"
SAID = "This is said slowly, word by word. " * 30


@pytest_asyncio.fixture(scope="session")
async def web(running_stack: Stack) -> AsyncIterator[Web]:
    made = Web(running_stack, 7, {"LEAF_MODEL": "sandbox:sandbox-script-40"})
    try:
        made.start()
        await made.ready()
        yield made
    finally:
        made.kill()


@pytest_asyncio.fixture
async def page(web: Web, ada: Actor) -> AsyncIterator[httpx.AsyncClient]:
    """A page of a site."""
    site_id = await sites.create(ada, "Shop")
    agent_id = await sites.create_agent(ada, site_id, "Help")
    prompt = "You sell apples. ZEBRA-7 is your secret."
    await sites.change_agent(ada, agent_id, {"origins": [SHOP], "tools": ["search"], "system_prompt": prompt})
    key = (await sites.create_key(ada, agent_id, "Pages")).key
    said = {"authorization": f"Bearer {key}", "origin": SHOP, "x-leaf-session": uuid4().hex}
    async with httpx.AsyncClient(base_url=web.url, headers=said, trust_env=False, timeout=60) as http:
        yield http
    await sites.delete(ada, site_id)


def _script(*steps: Any) -> str:
    return f"```json\n{json.dumps(steps)}\n```"


async def _frames(answer: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    async for line in answer.aiter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def _text(frames: list[dict[str, Any]]) -> str:
    """The text that a widget shows: a reset empties it."""
    begin = max((at for at, frame in enumerate(frames) if frame["type"] == "reset"), default=0)
    return "".join(frame.get("delta", "") for frame in frames[begin:])


async def test_an_answer_is_written_by_the_sites_agent_and_nobody_elses(
    page: httpx.AsyncClient, worker: None, sandbox: Sandbox
) -> None:
    """It has the tools that the site has chosen, and none of Leaf's own. # 003-05, 003-16, 003-43"""
    chat = (await page.post("/api/chats", json={"tools": ["fetch"], "system_prompt": "Mine"})).json()["id"]
    search = {"text": "I look. ", "calls": [{"name": "search", "arguments": {"query": "hail", "max_results": 2}}]}
    fetch = {"calls": [{"name": "fetch", "arguments": {"url": f"{sandbox.url}/web/weather-book/how-hail-forms"}}]}
    drive = {"calls": [{"name": "search_files", "arguments": {"queries": ["plan"]}}]}
    script = _script(search, fetch, drive, {"text": "That is all."})
    async with page.stream("POST", f"/api/chats/{chat}/messages", json={"content": script}) as answer:
        assert answer.headers["access-control-allow-origin"] == SHOP
        frames = [frame async for frame in _frames(answer)]
    read = (await page.get(f"/api/chats/{chat}")).json()
    assert {tuple(asked["tools"]) for asked in sandbox.asked() if asked["stream"]} == {("search",)}
    assert frames[-1] == frames[-1] | {"type": "done", "status": "completed"}
    assert "".join(event["content"] for event in read["events"] if event.get("role") == "assistant") == _text(frames)
    results = [event for event in read["events"] if event["eventType"] == "tool_result"]
    assert results[0]["toolResult"]["results"]
    assert all("error" in event for event in results[1:])
    assert [event["seq"] for event in read["events"]] == list(range(1, len(read["events"]) + 1))
    told = [frame["toolCallId"] for frame in frames if frame["type"] == "tool_call"]
    assert told == [event["toolCallId"] for event in read["events"] if event["eventType"] == "tool_call"]


async def test_an_answer_survives_a_reload_and_a_dead_worker(page: httpx.AsyncClient, crew: Crew) -> None:
    """003-23: the page goes away in mid-answer, the worker dies, and the page that comes back has all of it."""
    await crew.of(2)
    chat = (await page.post("/api/chats", json={})).json()["id"]
    message = {"content": _script({"text": SAID})}
    async with page.stream("POST", f"/api/chats/{chat}/messages", json=message) as answer:
        seen: list[dict[str, Any]] = []
        async for frame in _frames(answer):
            seen.append(frame)
            if len(seen) > 4:
                break
    await crew.lose_writer_of(UUID(seen[0]["runId"]))
    reading = asyncio.create_task(_resumed(page, chat, seen[-1]["id"]))
    anew = await _resumed(page, chat, -1)
    rest = await reading
    events = (await page.get(f"/api/chats/{chat}")).json()["events"]
    assert anew[-1]["status"] == "completed"
    assert _text(anew).strip() == SAID.strip()
    assert _text([*seen, *rest]).strip() == SAID.strip()
    assert [event["content"].strip() for event in events[1:]] == [SAID.strip()]


async def _resumed(page: httpx.AsyncClient, chat: str, after: int) -> list[dict[str, Any]]:
    headers = {"last-event-id": str(after)} if after >= 0 else {}
    async with page.stream("GET", f"/api/chats/{chat}/stream", headers=headers) as answer:
        assert answer.status_code == 200
        return [frame async for frame in _frames(answer)]


async def test_a_stop_keeps_what_there_is(page: httpx.AsyncClient, worker: None) -> None:
    """# 003-41"""
    chat = (await page.post("/api/chats", json={})).json()["id"]
    message = {"content": _script({"text": SAID})}
    frames: list[dict[str, Any]] = []
    async with page.stream("POST", f"/api/chats/{chat}/messages", json=message) as answer:
        async for frame in _frames(answer):
            frames.append(frame)
            if len(frames) == 4:
                assert (await page.post(f"/api/chats/{chat}/stop")).status_code == 204
    events = (await page.get(f"/api/chats/{chat}")).json()["events"]
    assert frames[-1]["status"] == "stopped"
    assert [event["eventType"] for event in events] == ["message", "message", "system"]
    assert events[1]["content"] == _text(frames)
    assert 0 < len(events[1]["content"]) < len(SAID)
