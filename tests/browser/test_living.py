"""An answer whose source changes: its mark, the comparison, and a second answer on a branch of the chat."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.product import Product
from tests.browser.scripts import script
from tests.browser.test_accessibility import check
from tests.browser.visitor import Visit

MARKED_SECONDS = 120
"""The longest time between the edit of a file and the mark in the chat."""
RENT = "The rent of the press house is 1,850 euros a month."


@pytest.fixture
def followed(leaf: Product) -> Iterator[None]:
    """A model that follows the script in its question, and an index that reads the texts of files."""
    leaf.use_model("sandbox:sandbox-script-40")
    with leaf.reading_texts():
        yield
    leaf.use_model(None)


@pytest_asyncio.fixture
async def lease(leaf: Product) -> AsyncIterator[str]:
    """The address of a file that exists in the sandbox's Drive during a test.

    Each test has its own folder. The sandbox derives ids from paths, and a path that is used again keeps its edits.
    """
    async with httpx.AsyncClient(base_url=leaf.sandbox_url, trust_env=False) as http:
        path = f"ada:/Leases {uuid4().hex[:8]}/Lease of the press house.txt"
        entry = {"path": path, "kind": "text", "text": f"# Lease\n\n{RENT}\n"}
        file_id = (await http.post("/sandbox/files", json=entry)).raise_for_status().json()["id"]
        yield f"{leaf.sandbox_url}/file/d/{file_id}/view"
        (await http.post(f"/sandbox/files/{file_id}", json={"trashed": True})).raise_for_status()


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("followed")
async def test_a_changed_source_is_marked_compared_and_asked_again(
    visit: Visit, leaf: Product, lease: str, tmp_path: Path
) -> None:
    """The comparison fits 1280 and 360 pixels in both themes. "Ask again" makes a second version of the answer."""
    chat = await (await visit("ada")).new_chat()
    read = {"text": "", "calls": [{"name": "read_drive_file", "arguments": {"file": lease}}]}
    await chat.ask(script(read, {"text": f'It is 1,850 euros.[^1]\n\n[^1]: "{RENT}" — [Lease]({lease})\n'}))
    await chat.finished()
    await expect(chat.answer.locator(".md button.cite-chip")).to_have_text(["1"])
    await expect(chat.page.locator(".living")).to_have_count(0)
    async with httpx.AsyncClient(base_url=leaf.sandbox_url, trust_env=False) as http:
        file_id = lease.split("/")[-2]
        edited = {"content": f"# Lease\n\n{RENT.replace('1,850', '1,990')}\n"}
        (await http.post(f"/sandbox/files/{file_id}", json=edited)).raise_for_status()
    # The mark appears without a reload.
    line = chat.answer.get_by_role("group", name=re.compile("1 of 1 source changed since"))
    await expect(line).to_be_visible(timeout=MARKED_SECONDS * 1000)
    await expect(chat.page.locator(".living-head")).to_contain_text("1 of 1 source changed since")
    chip = chat.answer.get_by_role("button", name="Source 1, changed since")
    await chip.hover()
    await expect(chat.page.get_by_role("tooltip")).to_contain_text("The file says this differently now.")
    await expect(chat.page.locator(".cite-card.moved .lucide-triangle-alert")).to_be_visible()
    mark = chat.page.get_by_role("navigation").get_by_role("img", name=re.compile("^1 of 1 source changed since "))
    await expect(mark.first).to_have_attribute("title", re.compile(r"^1 of 1 source changed since (\d+ \w+|\w+ \d+)$"))
    await chat.page.mouse.move(0, 0)
    asked = leaf.model_requests()
    await line.get_by_role("button", name="Compare").click()
    dialog = chat.page.get_by_role("dialog", name="What has changed in the sources")
    await expect(dialog.locator("del")).to_have_text("1,850")
    await expect(dialog.locator("ins")).to_have_text("1,990")
    await expect(dialog.locator("blockquote").last).to_contain_text(RENT.replace("1,850", "1,990"))
    await check(chat.page)
    for width, scheme in ((1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")):
        await chat.page.set_viewport_size({"width": width, "height": 860})
        await chat.page.emulate_media(color_scheme=scheme)
        await chat.page.screenshot(path=tmp_path / f"compared-{width}-{scheme}.png")
        assert await chat.page.evaluate("() => document.documentElement.scrollWidth") <= width
    await chat.page.set_viewport_size({"width": 1280, "height": 860})
    # After a reload the dialog is closed.
    await chat.page.reload()
    await expect(line).to_be_visible()
    await expect(dialog).to_have_count(0)
    await chat.page.screenshot(path=tmp_path / "marked-1280.png")
    assert len(leaf.model_requests()) == len(asked), "the comparison sends no request to the model"
    await line.get_by_role("button", name="Ask again").click()
    await expect(chat.answer.get_by_role("group", name="Versions")).to_contain_text("2")
    await chat.finished()
