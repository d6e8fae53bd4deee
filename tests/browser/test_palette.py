"""The command palette, the search, and the shortcuts."""

import re

from playwright.async_api import Page, expect

from tests.browser import questions
from tests.browser.product import Product
from tests.browser.test_accessibility import check
from tests.browser.visitor import Chat, Visit

SAID = "The <b>medlar</b> harvest <img src=x onerror=alert(1)> was late."


async def _open(page: Page) -> None:
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("combobox", name="Search chats and commands")).to_be_focused()


async def _answered(chat: Chat, leaf: Product, question: str, answer: str) -> None:
    questions.answer_with(leaf, answer)
    await chat.ask(question)
    await chat.finished()


async def test_what_was_said_is_found_and_opened_at_its_message(visit: Visit, leaf: Product) -> None:
    """A text that looks like HTML is shown as text. # 003-27"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    await _answered(
        chat, leaf, "What of the quinces?", "The <b>medlar</b> harvest <img src=x onerror=alert(1)> was late."
    )
    for number in range(3):
        await _answered(chat, leaf, f"And then {number}?", "Much more happened. " * 60)
    page, path = chat.page, chat.path
    await page.goto(leaf.url + "/dashboard")
    await expect(page.locator("nav#sidebar li.chat-row").first).to_be_visible()
    await _open(page)
    await page.keyboard.type("medlar harv")
    option = page.get_by_role("option").filter(has_text="medlar")
    await expect(option).to_contain_text(SAID)
    assert await option.locator("mark").all_inner_texts() == ["medlar", "harvest"]
    await expect(option).to_have_attribute("aria-selected", "true")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile(rf"{path}#message-"))
    answer = page.get_by_role("article", name="Leaf").first
    await expect(answer).to_be_in_viewport()
    await expect(answer).to_have_class(re.compile("sought"))
    assert await page.locator("#thread").evaluate("(thread) => thread.scrollTop < thread.scrollHeight / 2")


async def test_the_palette_is_used_by_keys_alone(visit: Visit) -> None:
    """A list box under a field, from which the focus does not go; Esc gives it back. # 002-42"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    page = chat.page
    await _open(page)
    field = page.get_by_role("combobox")
    selected = page.locator('[role="option"][aria-selected="true"]')
    await expect(selected).to_have_count(1)
    first = await selected.inner_text()
    await page.keyboard.press("ArrowDown")
    await expect(selected).not_to_have_text(first)
    named = await selected.get_attribute("id")
    await expect(field).to_have_attribute("aria-activedescendant", str(named))
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Tab")
    await expect(field).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.locator("dialog.palette")).to_be_hidden()
    await expect(chat.box).to_be_focused()
    await _open(page)
    await check(page)
    await page.keyboard.type("dark th")
    await expect(selected).to_have_text("Dark theme")
    await page.keyboard.press("Enter")
    await expect(page.locator("html")).to_have_class(re.compile("dark"))
    await expect(chat.box).to_be_focused()
    await _open(page)
    await check(page)
    await page.keyboard.press("Escape")
    await _open(page)
    await page.keyboard.type("zzzzqqq")
    await expect(page.get_by_text("Nothing was found.")).to_be_visible()
    await page.keyboard.press("Escape")
    await _open(page)
    await page.keyboard.type("archived")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("/archived$"))


async def test_shortcuts_and_their_sheet(visit: Visit) -> None:
    """No shortcut fires while somebody types, except those with Ctrl. # 000-46"""
    ada = await visit("ada")
    await ada.told("What of the quinces?")
    chat = await ada.new_chat()
    page = chat.page
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
    await chat.box.press("?")
    await expect(chat.box).to_have_value("?")
    await expect(sheet).to_be_hidden()
    await chat.box.fill("")
    await chat.box.press("Control+/")
    await expect(sheet).to_contain_text("New chat")
    await page.keyboard.press("Escape")
    await expect(sheet).to_be_hidden()
    await page.goto(ada.leaf.url + "/settings")
    await expect(page.get_by_role("main")).to_contain_text("Ada Lindqvist")
    await page.locator("#main").focus()
    await page.keyboard.press("?")
    await expect(sheet).to_be_visible()
    await page.keyboard.press("Escape")
    await page.keyboard.press("Control+b")
    await expect(page.locator("html")).to_have_attribute("data-rail", "true")
    await page.keyboard.press("Control+b")
    await page.keyboard.press("Control+Shift+O")
    await page.wait_for_url("**/chat/*")
    await expect(chat.box).to_be_focused()
    links = page.locator("nav#sidebar a.chat-link")
    await expect(links.first).to_be_visible()
    await page.keyboard.press("Control+Alt+ArrowDown")
    await expect(links.first).to_have_attribute("aria-current", "page")
