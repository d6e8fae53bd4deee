"""How the next answer is looked for: chosen in the composer, remembered by the browser and by each chat."""

import re

from playwright.async_api import expect

from tests.browser.visitor import Visit

QUESTION = "When does the night shift begin?"


async def test_a_mode_is_remembered_and_used(visit: Visit) -> None:
    """Over a reload, and by the chat; a cookie with anything else in it is not believed. # 002-06"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    picker = chat.page.get_by_role("button", name="Mode")
    await expect(picker).to_have_text("Quick")
    await picker.click()
    await chat.page.get_by_role("menuitemradio", name=re.compile("Adaptive")).click()
    await expect(picker).to_have_text("Adaptive")
    await chat.page.reload()
    await expect(picker).to_have_text("Adaptive")
    await chat.ask(QUESTION)
    await chat.finished()
    other = await ada.open("/dashboard")
    await expect(other.get_by_role("button", name="Mode")).to_have_text("Adaptive")
    # The chat keeps its own mode, whatever is chosen elsewhere.
    await other.get_by_role("button", name="Mode").click()
    await other.get_by_role("menuitemradio", name=re.compile("Quick")).click()
    await chat.page.reload()
    await expect(picker).to_have_text("Adaptive")
    cookies = {cookie["name"]: cookie for cookie in await ada.context.cookies()}
    await ada.context.add_cookies([{**cookies["searchMode"], "value": "../etc/passwd"}])  # pyright: ignore[reportArgumentType]
    await other.reload()
    await expect(other.get_by_role("button", name="Mode")).to_have_text("Quick")


async def test_a_related_question_is_asked_by_a_click(visit: Visit) -> None:
    """# 002-27"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(QUESTION)
    await chat.finished()
    related = chat.page.get_by_role("region", name="Related questions").get_by_role("button")
    await expect(related).to_have_count(3)
    text = await related.last.inner_text()
    await related.last.click()
    await expect(chat.questions).to_have_count(2)
    await expect(chat.questions.last).to_contain_text(text)
    await chat.finished()
    await expect(related).to_have_count(3)
