"""Gifts of the page around a widget: tokens that end, and tools that run there."""

import asyncio
import json
import time
from typing import Any

import jwt
import pytest
from playwright.async_api import expect

from leaf.sites.identity import LEEWAY_SECONDS
from tests.browser.axe import violations
from tests.browser.product import Product
from tests.browser.scripts import script
from tests.browser.site import Site
from tests.browser.test_widget import ANSWERED_MS, Widget, site
from tests.browser.visitor import Visit

__all__ = ["site"]

MOUNT = """() => { document.querySelector("leaf-chat")?.remove();
  window.chat = LeafChat.mount({ apiKey: "%s", ...window.given }); }"""


async def test_a_session_outlives_its_tokens(visit: Visit, leaf: Product, site: Site) -> None:
    """A page whose function gives the next one, and a page that sets one when it is told to. # 003-09, 003-10"""
    given: list[float] = []

    def signed(lasts_seconds: float) -> str:
        given.append(time.time() + lasts_seconds)
        return jwt.encode({"sub": "customer-9", "exp": int(given[-1])}, site.secret, "HS256")

    async def ended() -> None:
        await asyncio.sleep(max(0.0, int(given[-1]) + LEEWAY_SECONDS + 0.5 - time.time()))

    person = await visit()
    person.guard.allow(r"status of 401")
    widget = Widget(await person.context.new_page())
    short, long = 8 - LEEWAY_SECONDS, 600
    await widget.page.expose_function("signed", lambda: signed(long if given else short))
    await widget.page.goto(site.page())
    await expect(widget.launcher).to_be_visible()
    await widget.page.evaluate("window.given = { userToken: () => window.signed() }")
    await widget.page.evaluate(MOUNT % site.key)
    await widget.open()
    await widget.ask("Before it ends")
    await widget.finished()
    assert len(given) == 1
    await ended()
    await widget.ask("After it has ended")
    await expect(widget.answers).to_have_count(2)
    await widget.finished()
    assert len(given) == 2, "one new token was asked for"

    await widget.page.evaluate("([first, next]) => { window.given = { userToken: first }; window.next = next; }",
                               [signed(short), signed(long)])  # fmt: skip
    given.pop()
    await widget.page.evaluate(MOUNT % site.key)
    await widget.page.evaluate(
        "() => window.chat.addEventListener('leaf-token-needed', () => { window.chat.userToken = window.next; })"
    )
    await expect(widget.questions).to_have_count(2, timeout=ANSWERED_MS)
    await ended()
    await widget.ask("And once more")
    await expect(widget.answers).to_have_count(3)
    await widget.finished()
    assert await leaf.query("SELECT 1 FROM visitors WHERE kind = 'signed'")
    chats = await leaf.query(
        "SELECT 1 FROM widget_chats w JOIN messages m USING (chat_session_id) WHERE m.role = 'user'"
    )
    assert len(chats) >= 3


@pytest.mark.usefixtures("scripted")
async def test_tools_run_in_the_page_also_after_a_reload_and_in_one_tab(
    visit: Visit, leaf: Product, site: Site
) -> None:
    """The site has declared them; the page says what they do. # 004-14, 004-19, 004-28"""
    tools: list[dict[str, Any]] = [
        {"name": "readCart", "version": 2, "description": "", "inputSchema": {"type": "object"}, "outputSchema": None}
    ]
    await leaf.query(
        "UPDATE agents SET client_tools = %s WHERE %s = ANY (origins) RETURNING id", json.dumps(tools), site.url
    )
    person = await visit()
    person.guard.allow(r"status of 409")
    widget = Widget(await person.context.new_page())
    ran: list[str] = []
    opened = asyncio.Event()

    async def read(call: str) -> Any:
        ran.append(call)
        if len(ran) == 2:
            opened.set()
            await asyncio.sleep(3600)
        return {"items": len(ran)}

    given = "window.given = { tools: { readCart: { version: 2, run: (_, call) => window.read(call.toolCallId) } } }"
    await widget.page.expose_function("read", read)
    await widget.page.goto(site.page())
    await expect(widget.launcher).to_be_visible()
    await widget.page.evaluate(given)
    await widget.page.evaluate(MOUNT % site.key)
    await widget.open()
    calls = {"text": "I look. ", "calls": [{"name": "readCart", "arguments": {}}]}
    await widget.ask(script(calls, calls, {"text": "That is all."}))
    async with asyncio.timeout(ANSWERED_MS / 1000):
        await opened.wait()
    assert await violations(widget.page) == []
    other = Widget(await person.context.new_page())
    await other.page.goto(site.page())
    await other.launcher.click()
    await expect(other.questions).to_have_count(1)

    await widget.page.reload()
    await expect(widget.launcher).to_be_visible()
    await widget.page.evaluate(given)
    await widget.page.evaluate("() => Object.assign(document.querySelector('leaf-chat'), window.given)")
    for each in (widget, other):
        await expect(each.answers.last.get_by_text("That is all.")).to_be_visible(timeout=ANSWERED_MS)
    assert len(ran) == 3
    assert ran[1] == ran[2] != ran[0], "the open call was carried out by the tab that had it"
    called = "SELECT parts FROM messages WHERE role = 'assistant' AND jsonb_path_exists(parts, %s)"
    rows = await leaf.query(called, '$[*] ? (@.type == "tool-readCart")')
    outputs = [part["output"] for part in rows[0]["parts"] if part["type"] == "tool-readCart"]
    assert outputs == [{"items": 1}, {"items": 3}]


async def test_a_visitor_sends_files_where_the_site_lets_them(visit: Visit, leaf: Product, site: Site) -> None:
    person = await visit()
    person.guard.allow(r"status of 415")
    widget = Widget(await person.context.new_page())
    await widget.page.goto(site.page())
    await widget.open()
    await expect(widget.button("Attach a file")).to_be_hidden()
    await leaf.query("UPDATE agents SET attachments = true WHERE %s = ANY (origins) RETURNING id", site.url)
    await widget.page.reload()
    await expect(widget.button("Attach a file")).to_be_visible()
    picker = widget.panel.locator("input[type=file]")
    await picker.set_input_files(
        [{"name": "order.txt", "mimeType": "text/plain", "buffer": b"It left on Monday."},
         {"name": "other.txt", "mimeType": "text/plain", "buffer": b"Something else."}]
    )  # fmt: skip
    await expect(widget.panel.locator(".files li:not([aria-busy])")).to_have_count(2)
    await picker.set_input_files([{"name": "a.exe", "mimeType": "application/octet-stream", "buffer": b"MZ\x90\0\3\0"}])
    await expect(widget.panel.get_by_role("alert")).to_contain_text("This file cannot be sent.")
    await widget.button("Remove other.txt").click()
    assert await violations(widget.page) == []
    await widget.ask("What is in it?")
    await expect(widget.panel.locator(".files li")).to_have_count(0)
    await widget.finished()
    await expect(widget.questions.last).to_contain_text("order.txt")
    rows = await leaf.query("SELECT parts FROM messages WHERE role = 'user' ORDER BY created_at DESC LIMIT 1")
    assert "order.txt" in str(rows[0]["parts"])
    assert "other.txt" not in str(rows[0]["parts"])


async def test_as_a_module_within_the_page(visit: Visit, site: Site) -> None:
    """`import` from another origin under a strict policy, and a place of the page's own. # 003-20"""
    page = await (await visit()).context.new_page()
    await page.goto(f"{site.url}/")
    await page.evaluate(
        """async ([from, apiKey]) => {
            const { mount } = await import(`${from}/widget.mjs`);
            mount({ apiKey, mode: "inline", parent: document.body.appendChild(document.createElement("section")) });
        }""",
        [site.leaf.url, site.key],
    )
    widget = page.locator("section > leaf-chat")
    await expect(widget.get_by_text("Hello! Ask me about anything.")).to_be_visible()
    await expect(widget.get_by_role("dialog")).to_have_count(0)
    await expect(widget.locator(".launcher")).to_have_count(0)
    await widget.get_by_role("textbox").fill("Where is my parcel?")
    await widget.get_by_role("textbox").press("Enter")
    await expect(widget.locator(".answer .foot.last .sign").first).to_be_visible(timeout=ANSWERED_MS)


async def test_the_first_view_greets_and_an_answer_names_its_sources(visit: Visit, leaf: Product, site: Site) -> None:
    """Without a greeting of its own, and with six questions; the titles are there after a reload, too."""
    text = "Damsons can be sent back within 37 days of their delivery."
    body = json.dumps({"segments": [{"part": "all", "title": None, "text": text}]})
    await leaf.query(
        "INSERT INTO agent_files (tenant_id, agent_id, title, kind, size_bytes, characters, sha256, body) "
        "SELECT tenant_id, id, 'Our returns', 'text', 58, 58, 'x', %s FROM agents WHERE %s = ANY (origins) "
        "RETURNING id",
        body, site.url,
    )  # fmt: skip
    suggestions = [f"Question {number}?" for number in range(5)] + ["Within how many days can damsons be sent back?"]
    await leaf.query(
        "UPDATE agents SET welcome = '', suggestions = %s WHERE %s = ANY (origins) RETURNING id", suggestions, site.url
    )
    widget = Widget(await (await visit()).context.new_page())
    await widget.page.goto(site.page())
    await widget.open()
    await expect(widget.panel.get_by_text("Hello! How can I help you?")).to_be_visible()
    await expect(widget.panel.locator(".suggestions button")).to_have_count(6)
    await widget.button(suggestions[-1]).click()
    await expect(widget.answers.last).to_contain_text("37 days", timeout=ANSWERED_MS)
    await widget.finished()
    await expect(widget.answers.last.locator(".tools")).to_contain_text("From: Our returns")
    await widget.page.reload()
    await expect(widget.answers.last.locator(".tools")).to_contain_text("From: Our returns")
    assert await violations(widget.page) == []
