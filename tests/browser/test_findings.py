"""The parts of a question and sources that disagree, on the page and behind a link; both themes, 1280 and 360."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.product import Product
from tests.browser.test_accessibility import check
from tests.browser.visitor import Visit

SIZES: tuple[tuple[int, Literal["light", "dark"]], ...] = (
    (1280, "light"), (1280, "dark"), (360, "light"), (360, "dark"),
)  # fmt: skip
RENT = "Rent from 2027 is €12,000"
TEXTS = {
    "Lease of the cider house.txt": ("2026-05-03T09:00:00Z", f"Lease of the cider house\n\n{RENT}.\n"),
    "Amendment.txt": (
        "2026-09-09T09:00:00Z", "Amendment to the lease of the cider house\n\nFrom 2027 on the rent is €13,500.\n",
    ),
}  # fmt: skip


@pytest.fixture
def scripted(leaf: Product) -> None:
    leaf.use_model("sandbox:sandbox-script-40")


@pytest_asyncio.fixture
async def papers(leaf: Product) -> AsyncIterator[list[str]]:
    """The addresses of two files that disagree, for the length of a test."""
    async with httpx.AsyncClient(base_url=leaf.sandbox_url, trust_env=False) as http:
        ids: list[str] = []
        folder = uuid4().hex[:8]
        for name, (modified, text) in TEXTS.items():
            entry = {"path": f"ada:/Papers {folder}/{name}", "kind": "text", "text": text, "modified": modified}
            ids.append((await http.post("/sandbox/files", json=entry)).raise_for_status().json()["id"])
        yield [f"{leaf.sandbox_url}/file/d/{one}/view" for one in ids]
        for one in ids:
            (await http.post(f"/sandbox/files/{one}", json={"trashed": True})).raise_for_status()


@pytest.mark.usefixtures("scripted")
async def test_an_unanswered_part_and_a_disagreement_are_shown(
    visit: Visit, leaf: Product, papers: list[str], tmp_path: Path
) -> None:
    """The answer has one half and one side; the program names the other half and shows the other side."""
    chat = await (await visit("ada")).new_chat()
    calls = [{"name": "read_drive_file", "arguments": {"file": one}} for one in papers]
    said = f'The rent is €12,000.[^1]\n\n[^1]: "{RENT}" — [Lease]({papers[0]})\n'
    steps = json.dumps([{"text": "", "calls": calls}, {"text": said}])
    await chat.ask(f"What is the rent from 2027? And who is the landlord?\n\n```json\n{steps}\n```")
    await chat.finished()
    asked = chat.answer.get_by_role("list", name="The parts of the question")
    await expect(asked.get_by_role("listitem")).to_have_text(
        ["What is the rent from 2027?Answered", "And who is the landlord?Not answered"]
    )
    conflict = chat.answer.get_by_role("region", name="Sources disagree")
    await expect(conflict.get_by_role("listitem")).to_have_count(2)
    await expect(conflict.locator("summary").nth(0)).to_have_text("€12,000Lease of the cider house.txt3 May 2026")
    await expect(conflict.locator("summary").nth(1)).to_have_text("€13,500Amendment.txt9 September 2026newer")
    await conflict.locator("summary").nth(1).click()
    await expect(conflict.get_by_text("From 2027 on the rent is €13,500.")).to_be_visible()
    await check(chat.page)
    await _pictures(chat.page, tmp_path, "page")
    await _shared(chat.page, visit, leaf, tmp_path)
    await chat.answer.get_by_role("button", name="Ask this part").click()
    await expect(chat.page.locator(".message.question").last).to_contain_text("And who is the landlord?")


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
    conflict = shared.get_by_role("region", name="Sources disagree")
    await expect(conflict.get_by_role("listitem")).to_have_count(2)
    await conflict.locator("summary").nth(0).click()
    await expect(conflict.get_by_text(RENT)).to_be_visible()
    await expect(shared.get_by_role("list", name="The parts of the question")).to_contain_text("Not answered")
    await _pictures(shared, folder, "shared")


async def _pictures(page: Page, folder: Path, name: str) -> None:
    for width, scheme in SIZES:
        await page.set_viewport_size({"width": width, "height": 1100})
        await page.emulate_media(color_scheme=scheme)
        await page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
        assert await page.evaluate("() => document.documentElement.scrollWidth") <= width
