"""Somebody without an account: asks, reloads, signs in to keep the chat; and what is not there for them."""

import re

from playwright.async_api import Page, expect

from tests.browser.product import Product
from tests.browser.test_accessibility import check
from tests.browser.test_web import QUESTION
from tests.browser.visitor import ANSWERED_MS, Chat, Visit, Visitor


async def _enter(visitor: Visitor) -> Chat:
    """From the landing page into a guest's chat."""
    page = await visitor.open("/")
    await page.get_by_role("button", name="Try without an account").click()
    await page.wait_for_url("**/guest")
    chat = Chat(page)
    await expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    return chat


async def _rows(leaf: Product) -> dict[str, int]:
    """How many rows each table has, but for those that the index of members' Drives fills meanwhile."""
    names = await leaf.query(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND NOT starts_with(tablename, 'drive_')"
    )
    return {
        name: (await leaf.query(f'SELECT count(*) AS n FROM "{name}"'))[0]["n"]  # noqa: S608 - the database's own names
        for name in sorted(row["tablename"] for row in names)
    }


async def _sign_in_to_keep(visitor: Visitor, page: Page) -> Chat:
    await page.get_by_role("button", name="Sign in to keep this chat").click()
    await visitor.allow(page)
    await page.wait_for_url("**/chat/*")
    return Chat(page)


async def test_a_guest_asks_reloads_in_mid_answer_and_signs_in_to_keep_the_chat(visit: Visit, leaf: Product) -> None:
    """Nothing is in the database until then, and all of it afterwards. # 002-32 003-31"""
    guest = await visit(None)
    guest.account = "ben"
    before = await _rows(leaf)
    leaf.fault(path="^/search", status=None, times=1, delay_seconds=6)
    chat = await _enter(guest)
    await expect(
        chat.page.get_by_text("Not kept: this chat is deleted 24 hours after your last question")
    ).to_be_visible()
    await chat.ask(QUESTION)
    await expect(chat.answer.locator(".step-text", has_text="Searching the web for").first).to_be_visible(
        timeout=ANSWERED_MS
    )
    await chat.page.reload()
    await expect(chat.answer.locator(".step-text", has_text="Searching the web for").first).to_be_visible(
        timeout=ANSWERED_MS
    )
    text = await chat.finished()
    assert text
    # Rows of others may go meanwhile, but none comes.
    assert [table for table, count in (await _rows(leaf)).items() if count > before[table]] == []
    second = Chat(await guest.open("/guest"))
    assert await second.finished() == text
    kept = await _sign_in_to_keep(guest, chat.page)
    await expect(kept.questions.first).to_contain_text(QUESTION)
    assert await kept.finished() == text
    await expect(kept.page.locator("nav").get_by_text(QUESTION[:20]).first).to_be_visible()
    await expect(second.page.get_by_role("heading", name="This chat is no longer here.")).to_be_visible()
    await second.page.goto(f"{leaf.url}/guest")
    await second.page.wait_for_url("**/dashboard")


async def test_what_guests_may_not_do_is_not_there(visit: Visit, leaf: Product) -> None:
    """No list of chats, no files, no sharing, no Drive: it says so, and leads to the sign-in."""
    guest = await visit(None)
    chat = await _enter(guest)
    page = chat.page
    await chat.ask("What is in my Drive?")
    await chat.finished()
    await expect(chat.answer).to_contain_text("I cannot look into a Google Drive here")
    offered = page.get_by_role("region", name="Related questions")
    await expect(offered.get_by_role("button")).to_have_count(3)
    await expect(offered).not_to_contain_text(re.compile("Drive|file"))
    for name in (re.compile("^Files"), "Share", "Search", "Sources", "Mode"):
        await expect(page.get_by_role("button", name=name, exact=isinstance(name, str))).to_have_count(0)
    await expect(page.locator("nav")).to_have_count(0)
    await check(page)
    await page.set_viewport_size({"width": 360, "height": 740})
    assert await page.evaluate("document.documentElement.scrollWidth") == 360
    await expect(page.get_by_role("button", name="Sign in to keep this chat")).to_be_in_viewport(ratio=1)
    await page.get_by_role("button", name="Start a new chat; this one is deleted").click()
    await expect(chat.answers).to_have_count(0)
    await expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    assert leaf.url in page.url


async def test_whoever_is_no_guest_is_led_to_where_one_becomes_one(visit: Visit) -> None:
    stranger = await visit(None)
    page = await stranger.open("/guest")
    await expect(page.get_by_role("button", name="Try without an account")).to_be_visible()
