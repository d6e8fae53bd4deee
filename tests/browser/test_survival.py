"""Failures that answers and pages survive: workers, web process, Redis and PostgreSQL go away in the middle of it."""

import asyncio
import re

import pytest
from playwright.async_api import expect

from tests.browser import questions
from tests.browser.guard import RECONNECTING
from tests.browser.product import Product
from tests.browser.site import Shopkeeper, open_site
from tests.browser.test_widget import Widget
from tests.browser.visitor import Chat, Visit, words

RETURNED_MS = 60_000
SILENT_MS = 75_000
"""A page notices after 25 s that its web process is silent, and says so once nobody has answered it for 20 s more."""
TAKEN_OVER_MS = 120_000
"""The end of a lease, the start of a worker, and some of the text once more."""
DEAD_SECONDS = 60
"""A killed worker is known to be dead after 17 s; the rest is for the loading of pages."""


@pytest.fixture
def service_workers() -> bool:
    """Pages without their server come from the service worker."""
    return True


async def _assert_as_stored(leaf: Product, chat: Chat, text: str) -> None:
    rows = await questions.stored(leaf, chat.id)
    assert rows[-1]["status"] == "completed"
    assert words(text) == words(questions.drawn(questions.text_of(rows[-1]["parts"])))


async def _stop(chat: Chat) -> None:
    await chat.stop_button.click()
    await chat.finished("stopped")


@pytest.mark.usefixtures("slowly")
async def test_an_answer_goes_on_when_its_worker_is_killed(visit: Visit, leaf: Product) -> None:
    """The page stays open all the time; no word is lost or shown twice. # 000-24"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(questions.PLAIN)
    before = await chat.written(250)
    leaf.kill("worker")
    await chat.written(len(before) + 100, timeout_ms=TAKEN_OVER_MS)
    await leaf.hurry()
    text = await chat.finished()
    await _assert_as_stored(leaf, chat, text)
    await chat.page.reload()
    assert await chat.finished() == text


@pytest.mark.usefixtures("slowly")
async def test_a_page_reconnects_by_itself_when_the_web_process_was_killed(visit: Visit, leaf: Product) -> None:
    """In the middle of an answer, which then is complete. # 000-24 000-32"""
    ada = await visit("ada")
    ada.guard.allow(*RECONNECTING)
    chat = await ada.new_chat()
    await chat.ask(questions.PLAIN)
    await chat.written(200)
    leaf.kill_web()
    await expect(chat.page.get_by_text("Reconnecting…").first).to_be_visible(timeout=RETURNED_MS)
    await chat.box.fill("typed while it was away")
    await asyncio.to_thread(leaf.start_web)
    await expect(chat.page.locator(".reconnecting")).to_have_count(0, timeout=RETURNED_MS)
    await leaf.hurry()
    text = await chat.finished()
    await _assert_as_stored(leaf, chat, text)
    await expect(chat.box).to_have_value("typed while it was away")
    await _send_until_taken(chat)
    await expect(chat.questions).to_have_count(2)
    await _stop(chat)


async def test_a_page_leaves_a_web_process_that_says_nothing_any_more(visit: Visit, leaf: Product) -> None:
    """Nobody has closed its connection, as when a machine is cut off from its network. # 000-24 000-32"""
    ada = await visit("ada")
    ada.guard.allow(*RECONNECTING)
    chat = await ada.new_chat()
    with leaf.web_frozen():
        await expect(chat.page.get_by_text("Reconnecting…").first).to_be_visible(timeout=SILENT_MS)
    await expect(chat.page.locator(".reconnecting")).to_have_count(0, timeout=RETURNED_MS)
    await chat.ask(questions.PLAIN)
    await chat.finished()


async def test_a_question_that_no_worker_takes_says_so_to_everybody(
    visit: Visit, leaf: Product, shopkeeper: Shopkeeper
) -> None:
    """On the page and in the widget; an administrator is led to the reason. Then it is answered. # 001-21"""
    ada, ben, visitor = await visit("ada"), await visit("ben"), await visit()
    chat, other = await ada.new_chat(), await ben.new_chat()
    async with open_site(leaf, shopkeeper) as site:
        widget = Widget(await visitor.context.new_page())
        await widget.page.goto(site.page())
        await widget.open()
        with leaf.without("worker"):
            await chat.ask(questions.PLAIN)
            await other.ask(questions.PLAIN)
            await widget.ask("Where is my parcel?")
            note = "Waiting for a worker. Your question is kept, and answered as soon as one is free."
            await expect(other.answer.get_by_text(note)).to_be_visible()
            await expect(other.page.get_by_role("link", name="Why?")).to_have_count(0)
            await expect(widget.thread.get_by_text("Your question is waiting. It is saved")).to_be_visible()
            await expect(widget.status).to_contain_text("Your question is waiting.")
            await expect(chat.answer.get_by_text(note)).to_be_visible()
            await expect(chat.answer.get_by_text("Still working")).to_have_count(0)
            await chat.page.get_by_role("link", name="Why?").click()
            alerts = chat.page.get_by_role("list", name="Alerts")
            await expect(alerts).to_be_visible()
            async with asyncio.timeout(DEAD_SECONDS):
                # Until then it counts as busy, and the page shows the alerts of its loading.
                while "questions wait" not in await alerts.inner_text():
                    await chat.page.reload()
                    await expect(alerts).to_be_visible()
        await widget.finished()
        await expect(widget.thread.get_by_text("Your question is waiting.")).to_be_hidden()
        await other.finished()
        await chat.page.go_back()
        await chat.finished()


async def test_without_redis_chats_open_and_a_message_is_kept(visit: Visit, leaf: Product) -> None:
    """Sending says that it should be tried again, and works once Redis is back. # 000-34 000-59"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(questions.PLAIN)
    text = await chat.finished()
    with leaf.without("redis"):
        await chat.page.reload()
        assert await chat.finished() == text
        await chat.send("What about the lease?")
        await expect(chat.page.get_by_role("alert").filter(has_text="again")).to_be_visible()
        await expect(chat.box).to_have_value("What about the lease?")
        await expect(chat.questions).to_have_count(1)
    await _send_until_taken(chat)
    await expect(chat.questions).to_have_count(2)
    await chat.finished()


@pytest.mark.usefixtures("unhurried")
async def test_without_postgresql_a_page_says_so_and_recovers_by_itself(visit: Visit, leaf: Product) -> None:
    """# 002-40"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    with leaf.without("postgres"):
        page = await ada.open("/dashboard")
        away = page.get_by_role("heading", name="Leaf cannot be reached at the moment")
        await expect(away).to_be_visible()
    await expect(page.get_by_role("heading", name="Hello, Ada")).to_be_visible(timeout=RETURNED_MS)
    await expect(away).to_have_count(0)
    await chat.page.reload()
    await chat.ask(questions.PLAIN)
    await chat.written(100)
    await _stop(chat)


async def _send_until_taken(chat: Chat) -> None:
    """Sends what stands in the box, again and again as a person would, until it is taken."""
    button = chat.page.get_by_role("button", name=re.compile("^(Send|Stop)$"))
    async with asyncio.timeout(RETURNED_MS / 1000):
        while await chat.box.input_value():
            await chat.box.press("Enter")
            await expect(button).not_to_have_attribute("aria-busy", "true")
