"""Acting on messages: asked in another way, answered once more, gone on with, and taken into a chat of its own."""

import pytest
from playwright.async_api import Locator, expect

from tests.browser.product import Product
from tests.browser.scripts import script
from tests.browser.test_accessibility import check
from tests.browser.visitor import Chat, Visit

RETURNED_MS = 60_000


def says(text: str) -> str:
    return script({"text": text})


def switch(message: Locator) -> Locator:
    return message.get_by_role("group", name="Versions")


async def edit(chat: Chat, question: Locator, text: str) -> None:
    """Asks a question in another way, by the keyboard alone."""
    button = question.get_by_role("button", name="Edit message")
    await button.focus()
    await chat.page.keyboard.press("Enter")
    box = question.get_by_role("textbox", name="Your message")
    await expect(box).to_be_focused()
    await box.fill(text)
    await chat.page.keyboard.press("Enter")


@pytest.mark.usefixtures("slowly")
async def test_an_answer_that_was_stopped_goes_on_in_its_place(visit: Visit, leaf: Product) -> None:
    """# 000-48"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask("Tell me about apples.")
    had = (await chat.written(40))[:30]
    await chat.stop_button.click()
    await chat.finished("stopped")
    before = len(await chat.text())
    await chat.answer.get_by_role("button", name="Continue").click()
    await expect(chat.stop_button).to_be_visible()
    leaf.use_model(None)
    await chat.written(before + 20)
    await leaf.hurry()
    text = await chat.finished()
    assert text.startswith(had)
    assert len(text) > before
    await expect(chat.answers).to_have_count(1)
    await expect(switch(chat.answer)).to_have_count(0)


@pytest.mark.usefixtures("at_once")
async def test_a_question_is_edited_and_both_branches_can_be_looked_at(visit: Visit) -> None:
    """# 002-44, 003-36, 001-17"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    await chat.ask(says("Apples keep for months."))
    await expect(chat.answer).to_contain_text("Apples keep", timeout=RETURNED_MS)
    await chat.finished()
    await chat.ask(says("Pears do not."))
    await expect(chat.answer).to_contain_text("Pears do not", timeout=RETURNED_MS)
    await chat.finished()
    first = chat.questions.first
    await first.get_by_role("button", name="Edit message").click()
    await expect(first.get_by_role("textbox")).to_have_value(says("Apples keep for months."))
    await check(chat.page)
    await chat.page.keyboard.press("Escape")
    await expect(first.get_by_role("button", name="Edit message")).to_be_focused()
    await edit(chat, first, says("Plums are eaten at once."))
    await expect(chat.answer).to_contain_text("Plums are eaten", timeout=RETURNED_MS)
    await chat.finished()
    await expect(chat.questions).to_have_count(1)
    await expect(chat.box).to_be_focused()
    await expect(switch(chat.questions.first)).to_contain_text("2/2")
    await check(chat.page)
    await switch(chat.questions.first).get_by_role("button", name="Previous version").press("Enter")
    await expect(chat.questions).to_have_count(2)
    await expect(chat.answers.first).to_contain_text("Apples keep")
    await expect(chat.answer).to_contain_text("Pears do not")
    await expect(switch(chat.questions.first)).to_contain_text("1/2")
    await expect(switch(chat.questions.first).get_by_role("button", name="Next version")).to_be_focused()
    await chat.page.reload()
    await expect(chat.answer).to_contain_text("Pears do not")
    await chat.answer.get_by_role("button", name="Regenerate").click()
    await expect(switch(chat.answer)).to_contain_text("2/2", timeout=RETURNED_MS)
    await chat.finished()
    await switch(chat.answer).get_by_role("button", name="Previous version").click()
    await expect(switch(chat.answer)).to_contain_text("1/2")
    await expect(chat.answer).to_contain_text("Pears do not")
    old = chat.path
    await chat.answers.first.hover()
    await chat.answers.first.get_by_role("button", name="Fork from here").click()
    await chat.page.wait_for_url(lambda url: "/chat/" in url and old not in url)
    await expect(chat.page.get_by_role("heading", level=1)).to_contain_text("(fork)")
    await expect(chat.questions).to_have_count(1)
    await expect(chat.answer).to_contain_text("Apples keep")
    await chat.ask(says("In the fork."))
    await expect(chat.answer).to_contain_text("In the fork.", timeout=RETURNED_MS)
    way_back = chat.page.get_by_role("link", name="Open the original chat")
    await expect(way_back).to_have_attribute("href", old)
    await expect(chat.answers.first.get_by_text("Everything above was copied.")).to_be_visible()
    await chat.page.goto(chat.page.url.replace(chat.path, old))
    await expect(chat.questions).to_have_count(2)
