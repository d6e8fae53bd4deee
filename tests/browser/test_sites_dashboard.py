"""The dashboard of a website agent: a conversation is read while its answer is written."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.browser.product import Product
from tests.browser.visitor import Visit, Visitor

SHOP = "https://shop.example"


async def agent(person: Visitor, name: str = "Pear help") -> tuple[Page, str]:
    """An agent of a new site: its page, and its public key."""
    page = await person.open("/settings/sites")
    await page.get_by_label("Name of the site or company").fill(f"Shop of {name}")
    await page.get_by_role("button", name="Add a site").click()
    await page.get_by_label("Name of the agent").fill(name)
    await page.get_by_role("button", name="Create agent").click()
    await page.get_by_label("Allowed websites", exact=True).fill(SHOP)
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Saved.")).to_be_visible()
    await page.get_by_label("Name", exact=True).fill("Pages")
    await page.get_by_role("button", name="Create public key").click()
    return page, await page.locator(".public-key").inner_text()


@asynccontextmanager
async def shopper(leaf: Product, key: str) -> AsyncIterator[httpx.AsyncClient]:
    """A page of the site."""
    headers = {"authorization": f"Bearer {key}", "origin": SHOP, "x-leaf-session": uuid4().hex}
    async with httpx.AsyncClient(base_url=leaf.url, headers=headers, timeout=60) as http:
        yield http


async def test_what_is_json_in_the_form_is_kept_and_what_is_not_is_named(visit: Visit) -> None:
    """A form that is refused keeps every word that was typed into it. # 004-18"""
    ben = await visit("ben")
    page, key = await agent(ben, "Cherry help")
    schema, tools = page.get_by_label("Output schema"), page.get_by_label("Tools of your pages")
    await tools.fill('[{"name": "readCart"')
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Tools of your pages must be a JSON list.")).to_be_visible()
    await expect(tools).to_have_value('[{"name": "readCart"')
    await tools.fill('[{"name": "readCart", "description": "Reads the cart."}]')
    await schema.fill('{"type": "object", "properties": {"answer": {"type": "string"}}}')
    await page.get_by_label("Visitors may send files").check()
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Tools of your pages must be a JSON list.")).to_have_count(0)
    await expect(tools).to_have_value(re.compile(r'"version": 1,\s+"description": "Reads the cart."'))
    async with shopper(ben.leaf, key) as http:
        told = (await http.get("/api/agent")).json()
    assert told["attachments"]
    # Another save takes nothing away.
    await page.get_by_label("Temperature").fill("0.50")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_label("Temperature")).to_have_value("0.5")
    await page.reload()
    await expect(page.get_by_label("Temperature")).to_have_value("0.5")
    await expect(schema).to_have_value(re.compile(r'"answer": \{\s+"type": "string"'))
    await expect(tools).to_have_value(re.compile(r'"name": "readCart"'))
    await expect(page.get_by_label("Visitors may send files")).to_be_checked()
    await tools.fill(
        '[{"name": "readCart", "description": "Reads it.", "inputSchema": {"type": "object", "title": "New"}}]'
    )
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("readCart has version 1. Raise it")).to_be_visible()


@pytest.mark.usefixtures("slowly")
async def test_a_conversation_is_read_while_its_answer_is_written(visit: Visit) -> None:
    """Its text grows on the member's page, and what is stored is what they saw. # 003-26, 003-28"""
    cyd = await visit("ben")
    page, key = await agent(cyd)
    async with shopper(cyd.leaf, key) as http:
        chat = (await http.post("/api/chats", json={"context": {"pageUrl": f"{SHOP}/pears"}})).json()["id"]
        asking = asyncio.create_task(http.post(f"/api/chats/{chat}/messages", json={"content": "Are pears green?"}))
        try:
            await page.get_by_role("link", name="Chats and usage").click()
            await expect(page.get_by_role("link", name="Export as JSON")).to_be_visible()
            row = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="Read", exact=True))
            async with asyncio.timeout(30):
                while not await row.count():
                    await page.reload()
                    await expect(page.get_by_role("link", name="Export as JSON")).to_be_visible()
            await expect(row).to_contain_text("In progress")
            await row.get_by_role("link", name="Read", exact=True).click()
            await expect(page.get_by_text("An answer is being written…")).to_be_visible()
            answer = page.locator(".event-answer")
            await expect(answer).to_contain_text(re.compile(r"\w+ \w+ \w+"))
            first = await answer.inner_text()
            await expect(answer).not_to_have_text(first)
            assert (await answer.inner_text()).startswith(first[:20])
            # Nothing can be done here but to read.
            await expect(page.locator("#main").get_by_role("textbox")).to_have_count(0)
            await cyd.leaf.hurry()
            await expect(page.get_by_text("An answer is being written…")).to_have_count(0)
            await expect(page.locator(".transcript > li").last).to_contain_text("tokens in")
            assert (await answer.inner_text()).startswith(first[:20])
        finally:
            assert "event: done" in (await asking).text
        # A second question comes to the open page by itself.
        asking = asyncio.create_task(http.post(f"/api/chats/{chat}/messages", json={"content": "And ripe ones?"}))
        await expect(page.get_by_text("And ripe ones?")).to_be_visible()
        await expect(page.get_by_text("An answer is being written…")).to_be_visible()
        await cyd.leaf.hurry()
        await asking
        await expect(answer).to_have_count(2)
        address = page.url
    ada = await visit("ada")
    other = await ada.open(address.removeprefix(ada.leaf.url))
    await expect(other.get_by_text("This chat does not exist, or you have no access to it.")).to_be_visible()
    stranger = await visit()
    nobody = await stranger.open(address.removeprefix(ada.leaf.url))
    await nobody.wait_for_url(re.compile(r"/\?next="))


async def test_use_is_drawn_and_requests_to_the_model_are_shown(visit: Visit) -> None:
    """Charts with a table, over 7, 30 and 90 days; an alert; what the model was asked, once it is kept. # 003-38"""
    ben = await visit("ben")
    page, key = await agent(ben, "Plum help")
    await page.get_by_label("Log requests to the model").check()
    await page.get_by_label("Messages of all visitors per day").fill("1")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Saved.").last).to_be_visible()
    async with shopper(ben.leaf, key) as http:
        chat = (await http.post("/api/chats", json={})).json()["id"]
        secret = "sk-proj-abcdefghijklmnop1234567890"
        asked = await http.post(f"/api/chats/{chat}/messages", json={"content": f"Are plums blue? My key is {secret}"})
        assert "event: done" in asked.text
    # Whoever has the page open is told at once.
    alert = "Plum help has answered all messages that its visitors may send today (UTC): 100 percent."
    await expect(page.get_by_text(alert).first).to_be_visible()
    await page.get_by_role("link", name="Chats and usage").click()
    await expect(page.locator("#main .banner.warning")).to_contain_text(alert)
    charts = page.locator("figure.chart")
    await expect(charts.filter(has_text="Answered messages")).to_contain_text("1 in the last 30 days, most on")
    for name in ("Tokens", "Visitors", "Seconds to the first word, median", "Seconds to the whole answer, median"):
        await expect(charts.filter(has_text=name)).to_be_visible()
    await expect(charts.first.locator("rect")).to_have_count(30)
    await page.get_by_role("button", name="90 days").click()
    await expect(charts.first.locator("rect")).to_have_count(90)
    await page.get_by_role("button", name="7 days").click()
    await expect(charts.first.locator("rect")).to_have_count(7)
    await page.get_by_text("Show the days as a table").click()
    await expect(page.locator("table.figures tbody tr")).to_have_count(7)
    await expect(page.locator("table.figures tbody tr").first.locator("td").first).to_have_text("1")
    await page.get_by_role("link", name="Read", exact=True).click()
    await expect(page.get_by_role("heading", name="Requests to the model")).to_be_visible()
    await page.get_by_role("button", name="Show", exact=True).click()
    texts = page.locator(".provider-text")
    await expect(texts.first).to_contain_text("Are plums blue? My key is [redacted]")
    await expect(texts.last).to_contain_text("data: ")
    assert secret not in "".join(await texts.all_inner_texts())
    await page.get_by_role("button", name="Hide", exact=True).click()
    await expect(texts).to_have_count(0)
