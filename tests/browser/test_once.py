"""A message is stored once, also where its page was left before it knew that it was."""

import re

from playwright.async_api import Page, expect

from tests.browser import questions
from tests.browser.line import Line
from tests.browser.product import Product
from tests.browser.visitor import Chat, Visit

STORED = "SELECT parts FROM messages WHERE role = 'user' AND parts::text LIKE %s"
KEPT = "Object.keys(localStorage).filter((name) => name.startsWith('leaf:draft:')).length"


async def _stored(page: Page, leaf: Product, text: str, count: int = 1) -> None:
    """Waits until so many questions with a text are stored."""
    for _ in range(100):
        if len(await leaf.query(STORED, f"%{text}%")) == count:
            return
        await page.wait_for_timeout(50)
    raise AssertionError("it was not stored")


async def test_a_message_whose_page_was_loaded_anew_is_no_draft(visit: Visit, leaf: Product) -> None:
    """# 000-42"""
    ada = await visit("ada", own=True)
    line = Line(0)
    await line.lay(ada.context)
    chat = await ada.new_chat()
    questions.answer_with(leaf, "Until May.")
    line.mute = True
    await chat.send("How long do apples keep in a cellar?")
    await _stored(chat.page, leaf, "keep in a cellar")
    await expect(chat.box).to_have_value(re.compile("cellar"))
    line.mute = False
    await chat.page.reload()
    await chat.finished()
    await expect(chat.box).to_have_value("")
    await expect(chat.questions).to_have_count(1)
    await chat.page.wait_for_function(f"() => {KEPT} === 0")


async def test_nothing_is_sent_twice_by_whoever_does_not_wait(visit: Visit, leaf: Product) -> None:
    """In a chat, and where a new one begins. # 000-42"""
    ada = await visit("ada", own=True)
    line = Line(0)
    await line.lay(ada.context)
    page = await ada.open("/dashboard")
    chat = Chat(page)
    await expect(page.locator("nav#sidebar li.chat-row").first).to_be_visible()
    # Its drafts are kept once it knows whose they are.
    await page.wait_for_function("() => localStorage.getItem('leaf:person')")
    questions.answer_with(leaf, "In May.")
    line.mute = True
    await chat.send("When do quinces blossom here?")
    await _stored(page, leaf, "quinces blossom")
    # What asks after it is held back: Enter is pressed before there is an answer. Nor has the page that goes heard one.
    line.hold()
    await page.reload(wait_until="commit")
    line.mute = False
    await expect(chat.box).to_have_value(re.compile("quinces"))
    await chat.box.press("Enter")
    line.let_go()
    await page.wait_for_url("**/chat/*")
    await chat.finished()
    await expect(chat.questions).to_have_count(1)
    await _stored(page, leaf, "quinces blossom")
    await page.goto(f"{leaf.url}/dashboard")
    await expect(chat.box).to_have_value("")
    # The same words are another message, once it is known that the first one was taken.
    questions.answer_with(leaf, "In May.")
    await chat.send("When do quinces blossom here?")
    await page.wait_for_url("**/chat/*")
    await _stored(page, leaf, "quinces blossom", 2)
