"""Queued messages for the end of an answer, as their writer sees them."""

import pytest
from playwright.async_api import Locator, expect

from tests.browser.test_accessibility import check
from tests.browser.visitor import Chat, Visit


def queue(chat: Chat) -> Locator:
    return chat.page.get_by_role("region", name="Queued messages")


async def test_messages_wait_and_are_changed_removed_and_sent_in_turn(visit: Visit) -> None:
    """In every tab, after a reload, and when all tabs are closed. # 000-25"""
    ada = await visit("ada")
    ada.leaf.use_model("sandbox:sandbox-silent")
    chat = await ada.new_chat()
    await chat.ask("First of several")
    items = queue(chat).get_by_role("listitem")
    for number, text in enumerate(("Secnd", "Third", "Never"), 1):
        await chat.send(text)
        await expect(items).to_have_count(number)
    await expect(queue(chat)).to_contain_text("3 messages queued")
    other = await ada.chat(chat.path)
    await expect(queue(other).get_by_role("listitem")).to_have_count(3)
    await check(chat.page)
    await items.nth(0).get_by_role("button", name="Edit this message").click()
    edit = chat.page.get_by_role("textbox", name="Queued message")
    await edit.fill("Second")
    await edit.press("Enter")
    await expect(items.nth(0)).to_contain_text("Second")
    await expect(items.nth(0).get_by_role("button", name="Edit this message")).to_be_focused()
    await items.nth(2).get_by_role("button", name="Remove this message").click()
    await expect(queue(other).get_by_role("listitem")).to_have_count(2)
    await other.page.reload()
    await expect(queue(other)).to_contain_text("Second")
    ada.leaf.use_model(None)
    await chat.stop_button.click()
    await chat.finished("stopped")
    await items.nth(0).get_by_role("button", name="Send now").click()
    await expect(items).to_have_count(1)
    path = chat.path
    for tab in (chat, other):
        await tab.page.close()
    again = await ada.chat(path)
    await expect(again.questions.locator(".bubble")).to_have_text(
        ["First of several", "Second", "Third"], timeout=60_000
    )
    await expect(queue(again)).to_have_count(0)
    await again.finished()


@pytest.mark.usefixtures("unhurried")
async def test_after_a_stop_the_queue_waits_and_says_so(visit: Visit) -> None:
    ada = await visit("ada")
    chat = await ada.new_chat()
    await chat.ask("An answer that is stopped")
    await chat.send("After that")
    await expect(queue(chat)).to_contain_text("1 message queued")
    await chat.stop_button.click()
    await chat.finished("stopped")
    await expect(queue(chat)).to_contain_text("The answer was stopped.")
    await check(chat.page)
    ada.leaf.use_model(None)
    await queue(chat).get_by_role("button", name="Send now").click()
    await expect(chat.questions).to_have_count(2)
    await expect(queue(chat)).to_have_count(0)
    await chat.finished()
