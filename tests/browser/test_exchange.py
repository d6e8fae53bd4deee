"""Chats as files: a chat is taken away in three ways, and chats come from Leaf's files and ChatGPT's."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pypdfium2
from playwright.async_api import Page, expect

from tests.browser.product import Product
from tests.browser.test_accessibility import check
from tests.browser.visitor import Chat, Visit

TURNS = 30
"""More messages than a page has at first (`leaf.state.attendance.LAST_MESSAGES`)."""
IMPORTED_MS = 180_000
LONG_LINE = "value = " + " + ".join(f"term_{number}" for number in range(40)) + "  # END-OF-LINE"


def conversation(title: str, turns: int) -> dict[str, Any]:
    """A conversation as ChatGPT exports it, one question after the other."""
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    above = "root"
    for number in range(turns):
        answer = f"Answer {number} with [a link](https://example.org/page-{number}).\n\n```python\n{LONG_LINE}\n```"
        for role, text in (("user", f"Question {number}?"), ("assistant", answer)):
            key = f"{role}-{number}"
            message = {
                "author": {"role": role}, "create_time": 1_700_000_000 + number,
                "content": {"content_type": "text", "parts": [text]}, "metadata": {"model_slug": "gpt-4o"},
            }  # fmt: skip
            mapping[key] = {"id": key, "parent": above, "children": [], "message": message}
            above = key
    return {
        "title": title, "create_time": 1_700_000_000, "update_time": 1_700_000_100, "mapping": mapping,
        "current_node": above,
    }  # fmt: skip


def archive(*conversations: dict[str, Any]) -> bytes:
    with zipfile.ZipFile(held := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("conversations.json", json.dumps(conversations))
        made.writestr("user.json", "{}")
    return held.getvalue()


async def choose(page: Page, name: str, data: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    await page.locator(".upload-zone input[type=file]").set_input_files(file)  # pyright: ignore[reportArgumentType]


async def saved(page: Page, item: str, folder: Path) -> Path:
    """The file that the open chat's menu exports."""
    await Chat(page).open_menu()
    async with page.expect_download() as started:
        await page.get_by_role("menuitem", name=item).click()
    download = await started.value
    path = folder / download.suggested_filename
    await download.save_as(path)
    return path


async def _open(page: Page, title: str) -> None:
    """Opens an imported chat through the search: the list sorts it by its own date, below newer chats."""
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("combobox")).to_be_focused()
    await page.keyboard.type(title)
    await page.get_by_role("option").filter(has_text=title).first.click()


def pages_of(pdf: bytes) -> list[str]:
    document = pypdfium2.PdfDocument(pdf)
    return [page.get_textpage().get_text_bounded() for page in document]


async def test_chats_of_chatgpt_come_in_and_leave_as_files_and_on_paper(
    visit: Visit, leaf: Product, tmp_path: Path
) -> None:
    """The page of imports fits a phone, in both themes. # 003-35"""
    ada = await visit("ada", color_scheme="dark")
    page = await ada.open("/settings/import")
    await expect(page.get_by_role("heading", name="Import")).to_be_visible()
    broken = {"title": "Broken one", "mapping": 5}
    await choose(page, "chatgpt.zip", archive(conversation("Long talk: a/b", TURNS), broken))
    # It goes on without the tab.
    await page.goto(leaf.url + "/dashboard")
    await page.goto(leaf.url + "/settings/import")
    listed = page.get_by_role("list", name="Imports")
    await expect(listed).to_contain_text("1 chat imported · 1 could not be imported", timeout=IMPORTED_MS)
    await listed.get_by_text("Not imported").click()
    await expect(listed).to_contain_text("Broken one Leaf does not know its format.")
    await check(page)
    await choose(page, "again.zip", archive(conversation("Long talk: a/b", TURNS)))
    await expect(listed).to_contain_text("1 already here", timeout=IMPORTED_MS)
    await choose(page, "photo.png", b"\x89PNG")
    await expect(listed).to_contain_text("Not a JSON or ZIP file.", timeout=IMPORTED_MS)
    await listed.get_by_role("button", name="Dismiss photo.png").click()
    await expect(listed).not_to_contain_text("photo.png")
    await page.set_viewport_size({"width": 360, "height": 740})
    await expect(listed).to_be_visible()
    assert await page.evaluate("() => document.documentElement.scrollWidth") <= 360
    await check(page)
    await page.set_viewport_size({"width": 1280, "height": 860})

    await _open(page, "Long talk")
    await expect(page.get_by_text("Imported from ChatGPT.")).to_be_attached()
    await expect(Chat(page).questions).to_have_count(TURNS)
    text = (await saved(page, "Export as Markdown", tmp_path)).read_text()
    assert text.startswith("# Long talk: a/b\n")
    assert text.count("## Question") == TURNS
    file = await saved(page, "Export as JSON", tmp_path)
    assert file.name == "Long talk a b.json"
    assert len(json.loads(file.read_text())["messages"]) == TURNS * 2

    told = await page.evaluate("() => new Promise((done) => { window.print = () => done('printed'); "
                               "document.querySelector('header [aria-haspopup=menu]').click(); "
                               "[...document.querySelectorAll('[role=menuitem]')].find((one) => "
                               "one.textContent === 'Print or save as PDF').click(); })")  # fmt: skip
    assert told == "printed"
    sheets = pages_of(await page.pdf())
    whole = "\n".join(sheets)
    missing = [n for n in range(TURNS) if f"Question {n}?" not in whole or f"Answer {n} with" not in whole]
    assert not missing, "messages that nobody has scrolled to are printed, too"
    assert whole.count("END-OF-LINE") == TURNS, "no line of code is cut off"
    assert "(https://example.org/page-7)" in whole.replace("\r\n", "")
    for words in ("New chat", "Ask anything", "Export", "Files", "Leaf can be wrong"):
        assert words not in whole, f"{words} is the page's, not the chat's"

    ben = await visit("ben")
    page = await ben.open("/settings/import")
    await choose(page, file.name, file.read_bytes())
    await expect(page.get_by_role("list", name="Imports")).to_contain_text("1 chat imported", timeout=IMPORTED_MS)
    await _open(page, "Long talk")
    await expect(page.get_by_text("Imported from a file of Leaf.")).to_be_attached()
    await expect(Chat(page).questions).to_have_count(TURNS)
