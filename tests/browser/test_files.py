"""The files that Leaf keeps for a chat: seen as they are written, with their history."""

import json

from playwright.async_api import expect

from tests.browser.product import Product
from tests.browser.visitor import Visit

PLAN = "notes/plan.md"
WRITE = {"name": "write_file", "arguments": {"path": PLAN, "content": "# Plan\n\nOne"}}
EDIT = {"name": "edit_file", "arguments": {"path": PLAN, "old": "One", "new": "Two"}}
SCRIPT = [
    {"text": "I write it down. ", "calls": [WRITE]},
    {"text": "And change it. ", "calls": [EDIT]},
    {"text": f"It is in {PLAN}."},
]


async def test_a_file_is_seen_with_its_history_and_can_be_restored(visit: Visit, leaf: Product) -> None:
    """The panel that is open shows what an answer writes, at once. # 001-05 001-13 001-26"""
    chat = await (await visit("ada")).new_chat()
    page = chat.page
    await page.get_by_role("button", name="Files", exact=True).click()
    panel = page.get_by_role("complementary")
    await expect(panel.get_by_text("There are no files yet.")).to_be_visible()
    leaf.use_model("sandbox:sandbox-script")
    try:
        await chat.ask(f"```json\n{json.dumps(SCRIPT)}\n```")
        await chat.finished()
    finally:
        leaf.use_model(None)
    await expect(chat.answer.get_by_text("Created notes/plan.md").first).to_be_visible()
    await panel.get_by_role("button", name="notes/plan.md").click()
    await expect(panel.get_by_role("heading", name="Plan", exact=True)).to_be_visible()
    await expect(panel.get_by_text("Two", exact=True)).to_be_visible()
    await panel.get_by_role("button", name="Written by Leaf").click()
    await expect(panel.get_by_text("One", exact=True)).to_be_visible()
    await panel.get_by_role("button", name="Restore").click()
    await expect(panel.get_by_role("button", name="Restored by you")).to_be_visible()
    async with page.expect_download() as download:
        await panel.get_by_role("link", name="Download").click()
    assert (await (await download.value).path()).read_text() == "# Plan\n\nOne"
    await panel.get_by_role("button", name="All files").click()
    await expect(panel.get_by_role("link", name="Download all")).to_be_visible()
