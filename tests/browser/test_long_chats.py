"""A chat of many messages: its end is there first, and what stands above it is missed by nobody."""

import json
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from playwright.async_api import Page, expect

from tests.browser.product import Product
from tests.browser.visitor import Chat, Visit

MESSAGES = 300
NOTE_ORDER = """() => {
    window.opened = {first: 0, most: 0};
    new MutationObserver(() => {
        const count = document.querySelectorAll('.thread-content .message').length;
        window.opened.first ||= count;
        window.opened.most = Math.max(window.opened.most, count);
    }).observe(document, {childList: true, subtree: true});
}"""
FROM_END = "(one) => Math.abs(one.scrollHeight - one.scrollTop - one.clientHeight)"
DRAWN = """(texts) => {
    const all = [...document.querySelectorAll('.message')].map((one) => one.textContent);
    return texts.every((text) => all.filter((one) => one.includes(text)).length === 1);
}"""


def fill(leaf: Product, chat_id: str, count: int = MESSAGES) -> list[UUID]:
    """Puts messages into a chat that has none, by SQL; gives their ids."""
    ids = [uuid4() for _ in range(count)]
    with psycopg.connect(leaf.database_url) as connection:
        row = connection.execute("SELECT created_by FROM chat_sessions WHERE id = %s", (chat_id,)).fetchone()
        assert row is not None
        for number, message_id in enumerate(ids):
            answers = number % 2 == 1
            text = f"Answer {number}. " + "Apples keep for months. " * 20 if answers else f"Question {number}?"
            parts: list[dict[str, Any]] = [{"type": "text", "text": text, "state": "done"}]
            connection.execute(
                "INSERT INTO messages (id, chat_session_id, parent_id, role, workflow_run_id, parts, user_id)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s)",
                (
                    message_id,
                    chat_id,
                    ids[number - 1] if number else None,
                    "assistant" if answers else "user",
                    uuid4() if answers else None,
                    json.dumps(parts),
                    row[0],
                ),
            )
    return ids


async def whole(page: Page, count: int = MESSAGES) -> None:
    """Waits until all messages have their places."""
    await expect(page.locator(".thread-content .message")).to_have_count(count)
    await expect(page.locator(".earlier-room")).to_have_count(0)


@pytest.fixture
async def long(visit: Visit, leaf: Product) -> tuple[Chat, list[UUID]]:
    """A chat of many messages, not opened yet, in a tab that shows another page."""
    ada = await visit("ada")
    chat = await ada.new_chat()
    chat_id = chat.id
    ids = fill(leaf, chat_id)
    await chat.page.close()
    page = await ada.context.new_page()
    await page.add_init_script(f"({NOTE_ORDER})()")
    await page.goto(f"{leaf.url}/chat/{chat_id}")
    return Chat(page), ids


async def test_the_end_comes_first_and_all_of_it_is_there_in_the_end(long: tuple[Chat, list[UUID]]) -> None:
    """In order, at the last message, and for a search of the page. # 000-42"""
    chat, ids = long
    await whole(chat.page)
    opened = await chat.page.evaluate("window.opened")
    assert 0 < opened["first"] < MESSAGES
    order = await chat.page.locator(".thread-content .message").evaluate_all("(all) => all.map((one) => one.id)")
    assert order == [f"message-{message_id}" for message_id in ids]
    await expect(chat.answer).to_be_in_viewport()
    assert await chat.page.locator("#thread").evaluate(FROM_END) < 40
    await chat.page.wait_for_function(DRAWN, arg=["Answer 1. ", "Question 100?"])
    # Asking on and looking back leave what is there where it is.
    await chat.ask("One more?")
    await chat.finished()
    await whole(chat.page, MESSAGES + 2)
    await expect(chat.page.locator(".thread-content .message").first).to_contain_text("Question 0?")


async def test_an_address_leads_to_a_message_far_up(visit: Visit, leaf: Product) -> None:
    """# 003-36"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    ids = fill(leaf, chat.id)
    page = await ada.context.new_page()
    await page.goto(f"{leaf.url}/chat/{chat.id}#message-{ids[41]}")
    sought = page.locator(f"[id='message-{ids[41]}']")
    await expect(sought).to_be_in_viewport()
    await whole(page)
    await expect(sought).to_be_in_viewport()
    await expect(sought).to_contain_text("Answer 41.")


async def test_who_scrolls_up_at_once_stays_where_they_are(long: tuple[Chat, list[UUID]]) -> None:
    """Messages above that are loaded do not push away the ones that are read. # 000-42"""
    chat, ids = long
    read = chat.page.locator(f"[id='message-{ids[MESSAGES - 11]}']")
    await read.wait_for()
    await chat.page.locator("#thread").hover()
    await read.evaluate("(one) => one.scrollIntoView({block: 'start'})")
    await whole(chat.page)
    await chat.page.wait_for_function(DRAWN, arg=["Answer 1. "])
    await expect(read).to_be_in_viewport()
    await expect(read).to_contain_text(f"Answer {MESSAGES - 11}.")
