"""The page *Files*, and a chat about one of its folders."""

import asyncio
import re
from collections.abc import Iterator

import pytest
from playwright.async_api import Page, expect

from tests.browser.product import Product
from tests.browser.visitor import Chat, Visit

LISTED_SECONDS = 60


async def _listed(page: Page, name: str) -> None:
    """Waits until the index knows a folder: the page shows it as it is when it is opened."""
    async with asyncio.timeout(LISTED_SECONDS):
        while not await page.get_by_role("link", name=name, exact=True).count():
            await page.reload()
            await expect(page.get_by_role("textbox", name="Name", exact=True)).to_be_visible()
            await expect(page.locator(".library-head [role=status]")).to_be_visible()


@pytest.fixture
def indexing(leaf: Product) -> Iterator[None]:
    """The index reads the texts of files, and lists them as always."""
    with leaf.reading_texts():
        yield


@pytest.mark.usefixtures("indexing")
async def test_a_folder_is_found_asked_about_and_named_in_the_receipt(visit: Visit) -> None:
    """# 000-63"""
    ada = await visit("ada")
    page = await ada.open("/dashboard")
    await page.locator("#sidebar").get_by_role("link", name="Files", exact=True).click()
    stop = page.get_by_role("link", name="Stop keeping it")
    await expect(stop).to_have_attribute("href", "/settings/integrations")
    await expect(stop).to_have_css("text-decoration-line", "underline")
    rows = await page.locator(".library-list > li").evaluate_all("rows => rows.map((row) => row.clientHeight)")
    assert len({*rows}) == 1, "a row with a button is as high as one without"
    await page.get_by_role("link", name="My Drive", exact=True).click()
    await page.wait_for_url("**/files/my-drive")
    await _listed(page, "Contracts")
    await page.get_by_role("link", name="Contracts", exact=True).click()
    await expect(page.get_by_role("navigation", name="Where you are")).to_contain_text("My Drive")
    await page.get_by_role("button", name="Ask about this folder").click()
    await page.wait_for_url(re.compile("/chat/"))
    chat, scope = Chat(page), page.get_by_role("region", name="Where Leaf looks in this chat")
    await expect(scope.get_by_text("Contracts", exact=True)).to_be_visible()
    await chat.ask("What does the airship cost?")
    await chat.finished()
    await expect(chat.evidence).to_contain_text(re.compile(r"Looked in \d+ of \d+ files"))
    panel = await chat.open_sources()
    await expect(panel.get_by_text("Searched in: Contracts")).to_be_visible()
    await panel.get_by_role("button", name="Close").click()
    await scope.get_by_role("button", name="Remove Contracts").click()
    await expect(scope).to_have_count(0)
