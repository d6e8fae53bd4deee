"""Files and versions that an answer has compared: the card, side by side and one below the other, and behind a link."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal
from uuid import uuid4

import httpx
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from tests.browser.product import Product
from tests.browser.test_accessibility import check
from tests.browser.visitor import Visit

SIZES: tuple[tuple[int, Literal["light", "dark"]], ...] = (
    (1280, "light"), (1280, "dark"), (360, "light"), (360, "dark"),
)  # fmt: skip
PIER = (
    "Mooring contract\n\n1. Berth\nThe berth has a length of 14 m.\n\n2. Fee\nThe yearly fee is €2,400, due in January."
    "\n\n3. Notice\nThe contract may be ended with a notice period of 3 months.\n"
)
PLANS = {
    "Mooring contract north": PIER,
    "Mooring contract south": PIER.replace("€2,400", "€2,650").replace("14 m", "12 m").replace(
        "3 months", "a quarter"
    ) + "\n4. Power\nEach berth has a power socket.\n",
    "Mooring contract east": PIER.replace("€2,400", "€2,900"),
}  # fmt: skip


@pytest_asyncio.fixture
async def contracts(leaf: Product) -> AsyncIterator[list[str]]:
    """The addresses of three files, of which the first one has an earlier version, for the length of a test."""
    async with httpx.AsyncClient(base_url=leaf.sandbox_url, trust_env=False) as http:
        ids: list[str] = []
        folder = uuid4().hex[:8]
        for name, text in PLANS.items():
            entry = {
                "path": f"ada:/Piers {folder}/{name}",
                "kind": "doc",
                "text": text,
                "modified": "2026-05-03T09:00:00Z",
            }
            ids.append((await http.post("/sandbox/files", json=entry)).raise_for_status().json()["id"])
        edited = {"content": PIER.replace("€2,400", "€2,500"), "by": "ben"}
        (await http.post(f"/sandbox/files/{ids[0]}", json=edited)).raise_for_status()
        yield [f"{leaf.sandbox_url}/document/d/{one}/edit" for one in ids]
        for one in ids:
            (await http.post(f"/sandbox/files/{one}", json={"trashed": True})).raise_for_status()


async def test_two_files_are_shown_side_by_side_and_three_in_a_table(
    visit: Visit, leaf: Product, contracts: list[str], tmp_path: Path
) -> None:
    """Each difference has both passages, and the differing words are marked by more than a colour."""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(f"Compare {contracts[0]} and {contracts[1]}")
    await chat.finished()
    card = chat.answer.locator("details.compared")
    summary = card.locator("summary")
    await expect(summary).to_contain_text("Compared Mooring contract north and Mooring contract south")
    await expect(summary).to_contain_text("4 differences")
    await summary.focus()
    await chat.page.keyboard.press("Enter")
    fee = card.get_by_role("listitem").filter(has_text="2. Fee")
    await expect(fee.locator(".compared-value")).to_have_text(["€2,500", "€2,650"])
    await expect(fee.get_by_role("insertion")).to_have_text(["€2,500,", "€2,650,"])
    await expect(fee.get_by_role("insertion").first).to_have_css("text-decoration-line", "underline")
    power = card.get_by_role("listitem").filter(has_text="4. Power")
    await expect(power.get_by_text("Not there")).to_be_visible()
    await check(chat.page)
    await _pictures(chat.page, tmp_path, "page", fee)
    await chat.page.set_viewport_size({"width": 1280, "height": 1100})
    await card.locator(".artifact-open").click()
    side = chat.page.locator("#artifact")
    await expect(side.get_by_role("listitem").filter(has_text="2. Fee")).to_contain_text("€2,650")
    await chat.page.screenshot(path=tmp_path / "side.png")
    await side.get_by_role("button", name="Close panel").click()
    await _shared(chat.page, visit, leaf, tmp_path)
    await chat.page.set_viewport_size({"width": 1280, "height": 1100})
    await chat.ask(f"Compare {contracts[0]} and {contracts[1]} and {contracts[2]}")
    await chat.finished()
    await expect(chat.page.locator("details.compared")).to_have_count(2)
    last = chat.page.locator("details.compared").last
    await last.locator("summary").click()
    table = last.get_by_role("table")
    await expect(table.get_by_role("columnheader")).to_have_text([*PLANS])
    fees = table.get_by_role("row").filter(has_text="2. Fee")
    await expect(fees.locator(".compared-value")).to_have_text(["€2,500", "€2,650", "€2,900"])
    await check(chat.page)
    await _pictures(chat.page, tmp_path, "table", None)


async def test_a_version_is_named_by_its_date_and_who_wrote_it(
    visit: Visit, contracts: list[str], tmp_path: Path
) -> None:
    """“What changed in …” compares the current version with the one before it."""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(f"What has changed in {contracts[0]}?")
    await chat.finished()
    card = chat.answer.locator("details.compared")
    await expect(card.locator("summary")).to_contain_text("north, version of 3 May 2026")
    await expect(card.locator("summary")).to_contain_text("north, current version")
    await card.locator("summary").click()
    await expect(card.locator(".compared-value")).to_have_text(["€2,400", "€2,500"])
    quotes = chat.answer.locator(".cite")
    await expect(quotes.first).to_be_visible()
    await expect(chat.answer).not_to_contain_text("not found")
    await _pictures(chat.page, tmp_path, "version", None)


async def _shared(page: Page, visit: Visit, leaf: Product, folder: Path) -> None:
    await page.set_viewport_size({"width": 1280, "height": 900})
    await page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Create link").click()
    address = await dialog.get_by_label("Address of the link").input_value()
    await dialog.get_by_role("button", name="Close").click()
    reader = await visit()
    reader.guard.allow("Blocked script execution")
    shared = await reader.open(address.removeprefix(leaf.url))
    card = shared.locator("details.compared")
    await card.locator("summary").click()
    await expect(card.get_by_role("listitem").filter(has_text="2. Fee")).to_contain_text("€2,650")
    await _pictures(shared, folder, "shared", card.get_by_role("listitem").first)


async def _pictures(page: Page, folder: Path, name: str, row: Locator | None) -> None:
    """Takes the pictures; the sides of a row stand beside each other where there is room, else one below the other."""
    for width, scheme in SIZES:
        await page.set_viewport_size({"width": width, "height": 1100})
        await page.emulate_media(color_scheme=scheme)
        await page.locator("details.compared").last.scroll_into_view_if_needed()
        await page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
        assert await page.evaluate("() => document.documentElement.scrollWidth") <= width
        if row is not None:
            first, second = [await one.bounding_box() for one in await row.locator(".compared-side").all()]
            assert first is not None
            assert second is not None
            assert (first["y"] == second["y"]) is (width > 360)
