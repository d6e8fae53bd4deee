"""The editor of examples/editor in a browser: Leaf reads and changes its document, also over a broken network."""

import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest_asyncio
from playwright.async_api import BrowserContext, Page, Route, async_playwright, expect

from leaf.db import Actor
from leaf.services import api_keys
from tests import chromium
from tests.acceptance.stack import REPOSITORY, Stack, start_process, until
from tests.acceptance.web import Web

READ = {"text": "I read. ", "calls": [{"name": "readDocument", "arguments": {}}]}
PATIENCE_MS = 30_000


def replace(old: str, new: str, revision: int) -> dict[str, Any]:
    arguments = {"old": old, "new": new, "revision": revision}
    return {"text": "I write. ", "calls": [{"name": "replaceText", "arguments": arguments}]}


@pytest_asyncio.fixture
async def editor(stack: Stack, webs: list[Web], worker: None, ada: Actor) -> AsyncIterator[str]:
    """The editor's own server, in front of a running Leaf."""
    _, key = await api_keys.create(ada, "Editor", ["read", "write"], lasts_days=30)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    script = REPOSITORY / "examples" / "editor" / "serve.py"
    serving = start_process(
        [sys.executable, str(script), str(port)],
        stack.folder / "editor" / "log",
        {**os.environ, "LEAF_URL": webs[0].url, "LEAF_KEY": key},
    )
    url = f"http://127.0.0.1:{port}"
    try:
        async with httpx.AsyncClient(trust_env=False) as http:

            async def answers() -> bool:
                try:
                    return (await http.get(url)).status_code == 200
                except httpx.TransportError:
                    return False

            await until(answers, what="the editor is served")
        yield url
    finally:
        serving.kill()
        serving.wait()


@asynccontextmanager
async def browsing() -> AsyncIterator[BrowserContext]:
    path = chromium.find()
    assert path is not None, "no Chromium: run `make browser`"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(chromium.FLAGS))
        try:
            yield await browser.new_context()
        finally:
            await browser.close()


async def ask(page: Page, *steps: dict[str, Any]) -> None:
    await page.get_by_label("Ask about this document").fill(f"```json\n{json.dumps(steps)}\n```")
    await page.get_by_role("button", name="Ask").click()


async def ends(page: Page, text: str) -> None:
    await expect(page.locator("#status")).to_have_text("Done.", timeout=PATIENCE_MS)
    await expect(page.get_by_label("Document", exact=True)).to_have_value(text)


async def kept(page: Page) -> dict[str, Any]:
    return json.loads(await page.evaluate("() => localStorage.editor"))


async def test_a_document_is_read_and_changed_and_every_call_is_carried_out_once(editor: str) -> None:
    """# 004-13, 004-14, 004-19, 004-22, 004-23, 004-28, 004-29"""
    async with browsing() as context:
        page = await context.new_page()
        await page.goto(editor)
        await ask(page, READ, replace("quick", "slow", 1), READ, {"text": "It is slow."})
        await ends(page, "The slow fox.\n")
        await expect(page.locator("#answer")).to_contain_text("It is slow.")
        found = await kept(page)
        assert (found["revision"], len(found["calls"])) == (2, 3)
        assert [call["result"].get("text") for call in found["calls"].values()] == [
            "The quick fox.\n", None, "The slow fox.\n"
        ]  # fmt: skip
        await _the_network_drops_in_mid_call(page)
        await _the_page_is_loaded_anew_while_a_call_is_open(page)
        await _two_tabs(context, page, editor)
        await _the_user_types_meanwhile(page)


async def _the_network_drops_in_mid_call(page: Page) -> None:
    """The result arrives, and its answer is lost: it is handed in again, and counts once."""
    lost: list[str] = []

    async def lose(route: Route) -> None:
        if len(lost) < 2:
            answer = await route.fetch()
            lost.append(f"{answer.status}")
            await route.abort("connectionreset")
        else:
            await route.continue_()

    await page.route("**/api/hooks/*", lose)
    await ask(page, replace("slow", "red", 2), {"text": "It is red."})
    await ends(page, "The red fox.\n")
    assert lost == ["204", "204"]
    assert (await kept(page))["revision"] == 3
    await page.unroute("**/api/hooks/*")


async def _the_page_is_loaded_anew_while_a_call_is_open(page: Page) -> None:
    """The tool has run and nobody knows: the page knows it by its journal, and hands it in."""
    await page.route("**/api/hooks/*", lambda route: route.abort("internetdisconnected"))
    await ask(page, replace("red", "blue", 3), {"text": "It is blue."})
    await expect(page.get_by_label("Document", exact=True)).to_have_value("The blue fox.\n", timeout=PATIENCE_MS)
    await expect(page.locator("#status")).to_have_text("Waiting for your browser to run replaceText")
    await page.unroute("**/api/hooks/*")
    await page.reload()
    await ends(page, "The blue fox.\n")
    await expect(page.locator("#answer")).to_contain_text("It is blue.")
    assert (await kept(page))["revision"] == 4


async def _two_tabs(context: BrowserContext, page: Page, editor: str) -> None:
    """The first one cannot reach Leaf any more, and the second one takes the call over; then both are there."""
    await page.route("**/claim", lambda route: route.abort("internetdisconnected"))
    await ask(page, replace("blue", "green", 4), READ, {"text": "It is green."})
    await expect(page.locator("#status")).to_have_text(
        "Waiting for your browser to run replaceText", timeout=PATIENCE_MS
    )
    second = await context.new_page()
    await second.goto(editor)
    await expect(second.get_by_label("Document", exact=True)).to_have_value("The green fox.\n", timeout=PATIENCE_MS)
    await page.unroute("**/claim")
    await ends(second, "The green fox.\n")
    await ends(page, "The green fox.\n")
    assert (await kept(page))["revision"] == 5
    await second.close()


async def _the_user_types_meanwhile(page: Page) -> None:
    """Either typing is blocked, or it stops the answer, as the chosen policy says."""
    slow = {"text": "This is said slowly. " * 60}
    document = page.get_by_label("Document", exact=True)
    await ask(page, slow)
    await expect(page.locator("#answer")).to_contain_text("said slowly", timeout=PATIENCE_MS)
    await expect(document).not_to_be_editable()
    await expect(page.get_by_text("You cannot type while Leaf works.")).to_be_visible()
    # Something else that is asked meanwhile takes its place.
    await ask(page, {"text": "Something else. "}, {"text": "no"})
    await expect(page.locator("#answer")).to_have_text("Something else. ", timeout=PATIENCE_MS)
    await expect(page.locator("#status")).to_have_text("Done.", timeout=PATIENCE_MS)
    await ask(page, slow)
    await expect(page.locator("#answer")).to_contain_text("said slowly", timeout=PATIENCE_MS)
    await page.get_by_label("typing stops Leaf").check()
    await expect(page.get_by_text("When you type, Leaf stops.")).to_be_visible()
    await expect(document).to_be_editable()
    await document.fill("Mine.")
    await expect(page.locator("#status")).to_have_text("You have typed, so Leaf has stopped.", timeout=PATIENCE_MS)
    # What is asked now is answered: nothing of the old run is in its way, and what was typed is what is read.
    await ask(page, READ, {"text": "I have it."})
    await ends(page, "Mine.")
    assert list((await kept(page))["calls"].values())[-1]["result"]["text"] == "Mine."
