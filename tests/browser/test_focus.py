"""Where the focus is after something that had it has gone, and what a second click does."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser import questions
from tests.browser.product import Product
from tests.browser.test_settings import PHONE
from tests.browser.visitor import Chat, Visit


async def _assert_returns(page: Page, opener: str) -> None:
    """Esc and the panel's close button both return the focus to the opener."""
    control, panel = page.locator(opener), page.get_by_role("complementary")
    close = panel.get_by_role("button", name="Close panel")
    await control.press("Enter")
    await expect(close).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(panel).to_have_count(0)
    await expect(control).to_be_focused()
    await control.click()
    await expect(close).to_be_focused()
    await close.click()
    await expect(panel).to_have_count(0)
    await expect(control).to_be_focused()


ANSWER = ".message.answer.live .rests [data-opens-panel]"


async def test_whoever_closes_the_sources_goes_on_where_they_were_opened(answered: Chat) -> None:
    """# 000-56"""
    await _assert_returns(answered.page, ANSWER)


@pytest.mark.parametrize("device", [{}, PHONE], ids=["computer", "phone"])
async def test_the_menu_of_a_chat_gets_the_focus_back(visit: Visit, answered: Chat, device: dict[str, Any]) -> None:
    """# 002-42"""
    ada = await visit("ada", **device)
    chat = await ada.chat(answered.path)
    await chat.finished()
    menu = chat.page.get_by_role("button", name="More about this chat")
    close = chat.page.get_by_role("complementary").get_by_role("button", name="Close panel")
    for way in ("Escape", "Enter"):
        await menu.press("Enter")
        await chat.page.get_by_role("menuitem", name="Sources").press("Enter")
        await expect(close).to_be_focused()
        await chat.page.keyboard.press(way)
        await expect(close).to_have_count(0)
        await expect(menu).to_be_focused()
    await _assert_returns(chat.page, ANSWER)


@pytest.mark.usefixtures("unhurried")
async def test_the_focus_is_in_the_message_box_after_stop(visit: Visit) -> None:
    """Stop works by pointer and by keyboard. # 000-46"""
    chat = await (await visit("ada")).new_chat()
    for press in (chat.stop_button.click, lambda: chat.stop_button.press("Enter")):
        await chat.ask(questions.PLAIN)
        await chat.written(30)
        await press()
        await chat.finished("stopped")
        await expect(chat.box).to_be_focused()


async def _failed(chat: Chat, leaf: Product) -> None:
    leaf.fault(path="chat/completions", status=400, reason="badRequest", times=1)
    await chat.ask(questions.PLAIN)
    await chat.finished("error")


@pytest.mark.usefixtures("unhurried")
async def test_a_retry_by_the_keyboard_leads_to_the_message_box(visit: Visit, leaf: Product) -> None:
    """# 000-46"""
    chat = await (await visit("ada")).new_chat()
    await _failed(chat, leaf)
    await chat.retry_button.press("Enter")
    await expect(chat.box).to_be_focused()
    await chat.written(30)
    await expect(chat.box).to_be_focused()
    await expect(chat.box).to_have_value("")
    await chat.stop_button.click()
    await chat.finished("stopped")


@pytest.mark.usefixtures("unhurried")
async def test_a_double_click_retries_once_and_without_an_error(visit: Visit, leaf: Product) -> None:
    """# 000-48"""
    chat = await (await visit("ada")).new_chat()
    await _failed(chat, leaf)
    await chat.retry_button.dblclick()
    await chat.written(30)
    await expect(chat.page.locator(".notice.error")).to_have_count(0)
    await chat.stop_button.click()
    await chat.finished("stopped")
    assert len(await questions.stored(leaf, chat.id)) == 2
