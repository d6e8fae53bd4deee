"""An edit of a question that is being typed stays, even if the question changes meanwhile."""

import pytest
from playwright.async_api import Locator, expect

from tests.browser.test_branches import edit, says, switch
from tests.browser.visitor import Chat, Visit

MINE = "Which of them keep until May?"
STORED = "Object.keys(localStorage).filter((name) => name.includes(':edit:')).length"


def box(chat: Chat) -> Locator:
    return chat.page.get_by_role("textbox", name="Your message")


async def begin(chat: Chat, question: Locator, text: str) -> None:
    await question.get_by_role("button", name="Edit message").click()
    await expect(box(chat)).to_be_focused()
    await box(chat).fill(text)


@pytest.mark.usefixtures("at_once")
async def test_it_stays_when_another_tab_asks_the_question_in_another_way(visit: Visit) -> None:
    """With its caret, and it can be sent. # 003-36, 000-42"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    for text in ("Apples.", "Pears."):
        await chat.ask(says(text))
        await chat.finished()
    other = await ada.chat(chat.path)
    await other.finished()
    await begin(chat, chat.questions.nth(1), MINE)
    for _ in range(4):
        await chat.page.keyboard.press("ArrowLeft")
    await edit(other, other.questions.nth(1), says("Plums."))
    await expect(other.answer).to_contain_text("Plums.")
    await other.finished()
    await expect(chat.answer).to_contain_text("Plums.")
    await expect(box(chat)).to_have_value(MINE)
    await expect(box(chat)).to_be_focused()
    await chat.page.keyboard.type("14 ")
    await expect(box(chat)).to_have_value("Which of them keep until 14 May?")
    asked = says("Quinces.")
    await box(chat).fill(asked)
    await chat.page.keyboard.press("Enter")
    await expect(chat.answer).to_contain_text("Quinces.")
    await expect(box(chat)).to_have_count(0)
    await expect(switch(chat.questions.nth(1))).to_contain_text("3/3")
    assert await chat.page.evaluate(STORED) == 0


async def test_it_outlives_a_reload_until_it_is_given_up(visit: Visit) -> None:
    """# 000-42"""
    ada = await visit("ada")
    chat = await ada.chat(await ada.told("Which keep?", "Apples."))
    await chat.finished()
    await begin(chat, chat.questions.first, MINE)
    await chat.page.reload()
    await expect(box(chat)).to_have_value(MINE)
    # It does not take the focus of the composer.
    await expect(chat.page.locator('textarea[name="message"]')).to_be_focused()
    await chat.page.get_by_role("button", name="Cancel").click()
    await expect(box(chat)).to_have_count(0)
    await chat.page.reload()
    await chat.finished()
    await expect(box(chat)).to_have_count(0)
    assert await chat.page.evaluate(STORED) == 0
