"""Tools that run in a visitor's page: their site declares them, the page carries them out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from jobs import reaper
from leaf import errors
from leaf.db import Actor
from leaf.services import conversations, sites
from tests.integration.people import person
from tests.integration.test_api_chat import program
from tests.integration.test_client_tools import CALLS_READ, EDIT, READ, ada, script, work
from tests.integration.web_fixtures import World
from tests.integration.widget_pages import Site, asked, begun, frames_of, refusal

__all__ = ["ada"]

NOW = {"text": "as it is now"}


@pytest.fixture
async def site(ada: Actor) -> Site:
    return await Site.make(ada, client_tools=[READ, EDIT])


@asynccontextmanager
async def worker() -> AsyncIterator[list[UUID]]:
    """Writes all waiting answers with the model's stand-in."""
    answered: list[UUID] = []

    async def loop() -> None:
        while True:
            for run_id in await conversations.unfinished(timedelta(0)):
                if run_id not in answered:
                    answered.append(run_id)
                    await work(run_id)
            await asyncio.sleep(0.02)

    task = asyncio.create_task(loop())
    try:
        yield answered
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def carried_out(page: Any, message: str, call: str, outcome: dict[str, Any]) -> None:
    """Claims a call and hands in what came of it, twice as over a bad network."""
    claim = await page.post(f"/api/messages/{message}/calls/{call}/claim", json={"tab": "one"})
    assert claim.status_code == 200, claim.text
    for _ in range(2):
        done = await page.post(f"/api/hooks/{claim.json()['hookToken']}", json={"toolCallId": call, **outcome})
        assert (done.status_code, done.content) == (204, b"")


async def test_a_page_carries_out_what_its_agents_site_has_declared(site: Site) -> None:
    """Two calls of one answer; what is stored is what was streamed. # 004-06, 004-14, 003-16"""
    edits = {"text": "I edit. ", "calls": [{"name": "editDocument", "arguments": {"text": "new"}}]}
    async with site.page() as page, worker():
        chat = await begun(page)
        frames = await asked(page, chat, script(CALLS_READ, edits, {"text": "Done."}))
        assert [frame["type"] for frame in frames if frame["type"] != "text"] == ["start", "tool_call", "done"]
        assert frames[-1]["status"] == "waiting"
        for tool, outcome in (("readDocument", {"result": NOW}), ("editDocument", {"error": "It is locked."})):
            stored = (await page.get(f"/api/chats/{chat}")).json()
            (call,) = stored["waiting"]["calls"]
            assert (stored["answer"], call["toolName"]) == (None, tool)
            await carried_out(page, stored["waiting"]["messageId"], call["toolCallId"], outcome)
            frames = frames_of((await page.get(f"/api/chats/{chat}/stream")).text)
        stored = (await page.get(f"/api/chats/{chat}")).json()
    assert (frames[-1]["type"], frames[-1]["status"], stored["waiting"]) == ("done", "completed", None)
    told = [{name: value for name, value in frame.items() if name not in {"id", "type"}}
            for frame in frames if frame["type"].startswith("tool_")]  # fmt: skip
    kept = [{name: value for name, value in event.items() if name.startswith("tool") or name == "error"}
            for event in stored["events"] if event["eventType"].startswith("tool_")]  # fmt: skip
    assert told == kept
    assert [(one.get("toolInput"), one.get("toolResult"), one.get("error")) for one in kept] == [
        ({}, None, None), (None, NOW, None), ({"text": "new"}, None, None), (None, None, "It is locked."),
    ]  # fmt: skip
    texts = [event["content"] for event in stored["events"] if event["eventType"] == "message"][1:]
    assert "".join(frame.get("delta", "") for frame in frames) == "".join(texts) == "I look. I edit. Done."


async def test_nobody_else_carries_it_out(site: Site, ada: Actor) -> None:
    """Neither another browser, nor another site's page, nor the member who has declared the tool. # 003-03, 004-05"""
    other = await Site.make(await person("ben"), "Bakery", "https://bakery.example", client_tools=[READ])
    async with site.page() as page, worker(), site.page() as browser, other.page() as elsewhere, program(ada) as member:
        chat = await begun(page)
        await begun(browser)
        await begun(elsewhere)
        await asked(page, chat, script(CALLS_READ, {"text": "Done."}))
        waiting = (await page.get(f"/api/chats/{chat}")).json()["waiting"]
        call = waiting["calls"][0]["toolCallId"]
        path = f"/api/messages/{waiting['messageId']}/calls/{call}/claim"
        token = (await page.post(path, json={"tab": "one", "version": 3})).json()["hookToken"]
        for stranger in (browser, elsewhere, member):
            assert (await stranger.post(path, json={"tab": "two"})).status_code == 404
            handed = await stranger.post(f"/api/hooks/{token}", json={"toolCallId": call, "result": NOW})
            assert handed.status_code == 404
        assert refusal(await page.post(path, json={"tab": "two"})) == (409, "call_claimed")
        assert refusal(await page.post(path, json={"tab": "one", "version": 2})) == (409, "tool_version")
        assert (await page.get(f"/api/chats/{chat}")).json()["waiting"] == waiting


async def test_a_page_that_does_not_come_back_ends_the_answer(site: Site, world: World) -> None:
    """# 004-10, 003-39"""
    async with site.page() as page, worker():
        chat = await begun(page)
        frames = await asked(page, chat, script(CALLS_READ, {"text": "Never."}))
        world.sql("UPDATE messages SET client_due_at = now() WHERE id = %s::uuid", frames[0]["messageId"])
        await reaper.expire({})
        frames = frames_of((await page.get(f"/api/chats/{chat}/stream")).text)
        stored = (await page.get(f"/api/chats/{chat}")).json()
    assert [(one["type"], one.get("errorType")) for one in frames[-2:]] == [("error", "tool-timeout"), ("done", None)]
    assert (stored["events"][-1]["errorType"], stored["waiting"]) == ("tool-timeout", None)


async def test_something_else_can_be_asked_instead(site: Site) -> None:
    """# 004-22"""
    async with site.page() as page, worker():
        chat = await begun(page)
        await asked(page, chat, script(CALLS_READ, {"text": "Never."}))
        frames = await asked(page, chat, script({"text": "Yes."}))
        stored = (await page.get(f"/api/chats/{chat}")).json()
    assert (frames[-1]["status"], stored["waiting"], stored["answer"]) == ("completed", None, None)


async def test_members_declare_tools_and_a_version_means_one_thing(site: Site, ada: Actor) -> None:
    """# 004-18, 003-44"""
    path = f"/api/agents/{site.agent_id}/tools"
    async with program(ada) as http, program(await person("ben")) as stranger, program(ada, "read") as reader:
        tools = (await http.get(path)).json()["tools"]
        assert [(tool["name"], tool["version"]) for tool in tools] == [("readDocument", 3), ("editDocument", 1)]
        assert (await http.put(path, json={"tools": tools})).status_code == 204
        changed = [{**tools[0], "outputSchema": None}, tools[1]]
        refused = await http.put(path, json={"tools": changed})
        assert (refused.status_code, "version 3. Raise it" in refused.text) == (400, True)
        assert (await http.put(path, json={"tools": [{**tools[0], "version": 2}]})).status_code == 400
        raised = [{**changed[0], "version": 4}]
        for other in (stranger, reader):
            assert (await other.put(path, json={"tools": raised})).status_code in {403, 404}
        assert (await stranger.get(path)).status_code == 404
        assert (await http.put(path, json={"tools": raised})).status_code == 204
        assert [tool["version"] for tool in (await http.get(path)).json()["tools"]] == [4]
        for wrong in ([{"name": "search"}], [{"name": "a"}, {"name": "a"}], [{"name": "a b"}], "none", [None]):
            assert (await http.put(path, json={"tools": wrong})).status_code == 400, wrong
    with pytest.raises(errors.Invalid):
        await sites.change_agent(ada, site.agent_id, {"client_tools": [{"name": "a", "inputSchema": {"type": 5}}]})


async def test_a_preflight_of_a_site_may_ask_for_these_routes(site: Site) -> None:
    async with site.page(authorization="", access_control_request_method="POST") as page:
        for path in ("/api/hooks/token", "/api/messages/m/calls/c/claim"):
            answer = await page.options(path)
            assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (204, site.origin)
