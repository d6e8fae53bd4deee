"""The files that Leaf keeps for a chat: seen as they are written, uploaded, with their history and changes."""

import json

from playwright.async_api import Locator, Page, expect

from tests.browser.product import Product
from tests.browser.visitor import Chat, Visit
from tests.uploads import pdf

PLAN = "notes/plan.md"
WRITE = {"name": "write_file", "arguments": {"path": PLAN, "content": "# Plan\n\nOne"}}
EDIT = {"name": "edit_file", "arguments": {"path": PLAN, "old": "One", "new": "Two"}}
SCRIPT = [
    {"text": "I write it down. ", "calls": [WRITE]},
    {"text": "And change it. ", "calls": [EDIT]},
    {"text": f"It is in {PLAN}."},
]
REPORT = pdf(["Annual report", "The harvest was 412 tonnes of apples."])


async def _opened(chat: Chat) -> Locator:
    await chat.choose("Files")
    return chat.page.get_by_role("complementary")


async def _choose(page: Page, *files: tuple[str, bytes]) -> None:
    given = [{"name": name, "mimeType": "application/octet-stream", "buffer": data} for name, data in files]
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("button", name="Upload files").click()
    await (await chooser.value).set_files(given)  # pyright: ignore[reportArgumentType]


async def test_a_file_is_seen_with_its_history_and_can_be_restored(visit: Visit, leaf: Product) -> None:
    """The panel that is open shows what an answer writes, at once. # 001-05 001-13 001-14 001-26"""
    chat = await (await visit("ada")).new_chat()
    page = chat.page
    panel = await _opened(chat)
    await expect(panel.get_by_text("No files yet.")).to_be_visible()
    leaf.use_model("sandbox:sandbox-script-0")
    try:
        await chat.ask(f"```json\n{json.dumps(SCRIPT)}\n```")
        await chat.finished()
    finally:
        leaf.use_model(None)
    await expect(chat.answer.get_by_text("Created notes/plan.md").first).to_be_visible()
    await panel.get_by_role("button", name="notes/plan.md").click()
    await expect(panel.get_by_role("heading", name="Plan", exact=True)).to_be_visible()
    await expect(panel.get_by_text("Two", exact=True)).to_be_visible()
    await panel.get_by_role("button", name="Changes").click()
    changes = panel.get_by_role("group", name="Changes")
    await expect(changes.locator(".removed")).to_have_text("3−Removed: One")
    await expect(changes.locator(".added")).to_have_text("3+Added: Two")
    await panel.get_by_role("button", name="Text", exact=True).click()
    await panel.get_by_role("button", name="Written by Leaf").click()
    await expect(panel.get_by_text("One", exact=True)).to_be_visible()
    await panel.get_by_role("button", name="Restore").click()
    await expect(panel.get_by_role("button", name="Restored by you")).to_be_visible()
    async with page.expect_download() as download:
        await panel.get_by_role("link", name="Download").click()
    assert (await (await download.value).path()).read_text() == "# Plan\n\nOne"
    await panel.get_by_role("button", name="All files").click()
    await expect(panel.get_by_role("link", name="Download all")).to_be_visible()


async def test_each_change_of_an_answer_is_undone_with_one_click(visit: Visit, leaf: Product) -> None:
    """A new file goes, a former version comes back, and so does a deleted file. # 001-05 001-13 001-14"""
    chat = await (await visit("ada")).new_chat()
    panel = await _opened(chat)
    delete = {"name": "delete_file", "arguments": {"path": PLAN}}
    leaf.use_model("sandbox:sandbox-script-0")

    async def ask(done: str, *calls: dict[str, object]) -> Locator:
        steps = [*({"text": "", "calls": [call]} for call in calls), {"text": "Done."}]
        await chat.ask(f"```json\n{json.dumps(steps)}\n```")
        await chat.finished()
        changed = chat.answer.get_by_role("list", name="Files that this answer has changed")
        await expect(changed.get_by_text(done)).to_be_visible()
        return changed.get_by_role("button", name=f"Undo: {done}")

    try:
        await (await ask("Created notes/plan.md", WRITE, EDIT)).click()
        await expect(chat.answer.get_by_text("Undone", exact=True)).to_be_visible()
        await expect(panel.get_by_text("Deleted files (1)")).to_be_visible()
        await ask("Created notes/plan.md", WRITE)
        await panel.get_by_role("button", name="notes/plan.md").click()
        undo = await ask("Edited notes/plan.md", EDIT)
        await expect(panel.get_by_text("Two", exact=True)).to_be_visible()
        await undo.click()
        await expect(panel.get_by_text("One", exact=True)).to_be_visible()
        undo = await ask("Deleted notes/plan.md", delete)
        await expect(panel.get_by_text("This file was deleted.")).to_be_visible()
        await undo.click()
        await expect(panel.get_by_text("One", exact=True)).to_be_visible()
    finally:
        leaf.use_model(None)


async def test_uploads_are_asked_about_and_edited(visit: Visit, leaf: Product) -> None:
    """From the upload to the diff. # 001-04 001-06 001-13 001-14 001-26"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    page = chat.page
    panel = await _opened(chat)
    prices = b"Name,Price\nApple,2\nFormula,=1+1\n"
    await _choose(
        page, ("report.pdf", REPORT), ("prices.csv", prices), ("list.md", b"# List\n\n- pears\n"), ("x.gif", b"GIF89a")
    )
    uploads = panel.get_by_role("list", name="Uploads")
    await expect(uploads.get_by_text("Not uploaded: This is a picture")).to_be_visible()
    ada.guard.allow("status of 415")
    for name in ("report.pdf", "prices.csv", "list.md"):
        await expect(panel.get_by_role("button", name=name)).to_be_visible()
    await panel.get_by_role("button", name="Dismiss x.gif").click()
    await expect(uploads.get_by_role("listitem")).to_have_count(0)

    await panel.get_by_role("button", name="prices.csv").click()
    await expect(panel.get_by_role("cell", name="=1+1")).to_be_visible()
    await panel.get_by_role("button", name="All files").click()
    await panel.get_by_role("button", name="report.pdf").click()
    await expect(panel.get_by_role("heading", name="page 2")).to_be_visible()
    async with page.expect_download() as download:
        await panel.get_by_role("link", name="Download").click()
    assert (await (await download.value).path()).read_bytes() == REPORT

    await chat.ask("How many tonnes of apples was the harvest in the file report.pdf?")
    assert "412 tonnes" in await chat.finished()
    await panel.get_by_role("button", name="All files").click()
    await panel.get_by_role("button", name="list.md").click()
    leaf.use_model("sandbox:sandbox-script-0")
    try:
        added = {"path": "list.md", "old": "- pears", "new": "- pears\n- plums"}
        steps = [{"text": "", "calls": [{"name": "edit_file", "arguments": added}]}, {"text": "Plums are on it."}]
        await chat.ask(f"Add plums to list.md\n\n```json\n{json.dumps(steps)}\n```")
        await chat.finished()
    finally:
        leaf.use_model(None)
    await expect(panel.get_by_role("button", name="Edited by Leaf")).to_be_visible()
    await expect(chat.answer.get_by_role("group", name="Changes").locator(".added")).to_have_text("4+Added: - plums")


async def test_files_that_are_dropped_are_uploaded(visit: Visit) -> None:
    """Several at once; one that is too large is told before it is sent, and a folder once it could not be. # 001-26"""
    ada = await visit("ada")
    ada.guard.allow("415")
    chat = await ada.new_chat()
    panel = await _opened(chat)
    await chat.page.locator(".upload-zone").evaluate(
        """zone => {
            const data = new DataTransfer();
            data.items.add(new File(["# One"], "one.md"));
            data.items.add(new File([new Uint8Array(20000001)], "big.txt"));
            data.items.add(new File(["two"], "two.txt"));
            data.items.add(new File([new Uint8Array(9)], "Plans"));
            const isDirectory = (one) => one.name === "Plans";
            const items = [...data.files].map((one) => ({
                kind: "file", webkitGetAsEntry: () => ({isDirectory: isDirectory(one)}),
            }));
            Object.defineProperty(data, "items", {value: items});
            zone.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
        }"""
    )
    for name in ("one.md", "two.txt"):
        await expect(panel.get_by_role("button", name=name)).to_be_visible()
    await expect(panel.get_by_text("Not uploaded: The file is larger than 20 MB.")).to_be_visible()
    await expect(panel.locator(".upload").filter(has_text="Plans")).to_contain_text("Not uploaded")
