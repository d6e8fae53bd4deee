"""The header of a chat: its title, Share, and a menu with everything else."""

import re

from playwright.async_api import expect

from tests.browser import questions
from tests.browser.test_accessibility import check
from tests.browser.visitor import Visit

ITEMS = [
    "Files", "Sources", "Limit where Leaf looks", "Move to project", "Confirm before sending data out",
    "Export as Markdown", "Export as JSON", "Print or save as PDF", "Rename", "Archive", "Delete",
]  # fmt: skip


async def test_a_header_has_a_title_share_and_one_menu(visit: Visit) -> None:
    """At every width and in both themes; a phone has the ways to the other chats beside them. # 002-42"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(questions.PLAIN)
    await chat.finished()
    header = chat.page.locator("header")
    for width, around in ((1280, [[], []]), (360, [["Open sidebar"], ["New chat"]])):
        await chat.page.set_viewport_size({"width": width, "height": 780})
        await chat.page.reload()
        await chat.finished()
        await expect(header.get_by_role("heading", level=1)).to_be_visible()
        buttons = [await one.get_attribute("aria-label") for one in await header.get_by_role("button").all()]
        assert buttons == [*around[0], "Share", "More about this chat", *around[1]]
        await chat.open_menu()
        items = chat.page.locator('header [role^="menuitem"]')
        await expect(items).to_have_text(ITEMS)
        for item in await items.all():
            await expect(item).to_be_in_viewport()
        await expect(chat.page.get_by_role("menuitemcheckbox")).to_be_checked()
        await check(chat.page)
        await chat.page.keyboard.press("Escape")
        await expect(chat.evidence).to_have_text(re.compile(r"^\d sources? · \d+ read"))
        assert await chat.page.evaluate("() => document.documentElement.scrollWidth") <= width


async def test_a_chat_is_renamed_archived_and_deleted_by_its_menu(visit: Visit) -> None:
    """# 003-19 000-44"""
    ada = await visit("ada")
    chat = await ada.chat(await ada.told("How much notice is asked for?"))
    await chat.finished()
    await chat.choose("Confirm before sending data out")
    await chat.page.get_by_role("dialog").get_by_role("button", name="Turn off").click()
    await chat.open_menu()
    await expect(chat.page.get_by_role("menuitemcheckbox")).not_to_be_checked()
    await chat.page.keyboard.press("Escape")
    await chat.choose("Rename")
    await chat.page.get_by_role("dialog").get_by_role("textbox").fill("About notice")
    await chat.page.keyboard.press("Enter")
    await expect(chat.page.get_by_role("heading", level=1)).to_have_text("About notice")
    await chat.choose("Archive")
    await expect(chat.page.get_by_text("The chat was archived.")).to_be_visible()
    row = chat.page.locator(f'#sidebar a[href="{chat.path}"]')
    await expect(row).to_have_count(0)
    await chat.page.reload()
    await chat.choose("Restore")
    await expect(row).to_have_count(1)
    await chat.choose("Delete")
    await expect(chat.page.get_by_text("The chat was deleted.")).to_be_visible()
    await chat.page.wait_for_url("**/dashboard")
