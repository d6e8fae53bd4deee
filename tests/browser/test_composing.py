"""Completions of a message while it is written: files of Drive, commands, files that come along."""

import re
from pathlib import Path

from playwright.async_api import Locator, Page, expect

from tests.browser.test_accessibility import check
from tests.browser.visitor import Chat, Visit
from tests.unit.test_scans import picture

BOX = 'textarea[name="message"]'
DROP = """([selector, files, folder]) => {
    const transfer = new DataTransfer();
    for (const [name, text] of files) transfer.items.add(new File([text], name));
    const target = document.querySelector(selector);
    const items = [...transfer.items].map((one, at) => ({
        kind: 'file', webkitGetAsEntry: () => ({isDirectory: at === folder}),
    }));
    for (const kind of ['dragover', 'drop']) {
        const event = new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: transfer});
        if (folder >= 0) Object.defineProperty(event, 'dataTransfer', {value: {
            types: ['Files'], items, files: transfer.files,
        }});
        target.dispatchEvent(event);
    }
}"""


def options(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Files in your Drive").get_by_role("option")


async def typed_name(chat: Chat, begun: str) -> None:
    await chat.box.press_sequentially(f"@{begun}", delay=20)
    await expect(options(chat.page).first).to_be_visible()


async def test_a_picture_that_comes_with_a_question_is_drawn_beside_it(visit: Visit) -> None:
    """Also after the page is loaded again; and the model that sees was shown it. # 001-26"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    page = chat.page
    file = {"name": "note.png", "mimeType": "image/png", "buffer": picture("Pallets wet, refused")}
    await page.locator('input[type="file"]').first.set_input_files([file])
    chips = page.get_by_role("list", name="Files with this message")
    await expect(chips.get_by_role("button", name="Remove note.png")).to_be_visible()
    await chat.ask("What is on note.png?")
    await chat.finished()
    for _ in range(2):
        came = chat.questions.last.get_by_role("list", name="Files sent with this message")
        shown = came.get_by_role("link", name="note.png").locator("img")
        await shown.scroll_into_view_if_needed()
        await expect(shown).to_have_js_property("complete", value=True)
        assert await shown.evaluate("image => image.naturalWidth") > 100
        await page.reload()


async def test_a_file_of_drive_is_named_by_typing_and_by_keys(visit: Visit) -> None:
    """It stands in the text, as a chip, in the question, and the answer reads it without searching. # 000-53, 000-46"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    page = chat.page
    await chat.box.press_sequentially("What does ")
    await typed_name(chat, "budget l")
    await expect(options(page)).to_have_count(1)
    await expect(chat.box).to_have_attribute("aria-activedescendant", re.compile("-0$"))
    await check(page)
    await page.keyboard.press("Enter")
    await expect(options(page)).to_have_count(0)
    await expect(chat.box).to_have_value("What does @Budget letter 2026 ")
    await expect(chat.box).to_be_focused()
    chips = page.get_by_role("list", name="Files with this message")
    await expect(chips).to_contain_text("Budget letter 2026")
    await page.reload()
    await expect(chat.box).to_have_value("What does @Budget letter 2026 ")
    await expect(chips).to_contain_text("Budget letter 2026")
    await chat.box.press("End")
    await chat.box.press_sequentially("ask for?")
    await page.keyboard.press("Enter")
    await chat.finished()
    await expect(chips).to_have_count(0)
    link = chat.questions.last.get_by_role("link", name="@Budget letter 2026")
    await expect(link).to_have_attribute("href", re.compile(r"^https://drive\.google\.com/open\?id="))
    await expect(chat.answer).to_contain_text("Budget letter 2026")
    await expect(chat.answer).not_to_contain_text("Searched")
    await page.reload()
    await expect(link).to_be_visible()
    await chat.questions.last.get_by_role("button", name="Edit message").click()
    edit = page.get_by_role("textbox", name="Your message")
    chips = chat.questions.last.get_by_role("list", name="Files with this message")
    await expect(chips).to_contain_text("Budget letter 2026")
    await edit.fill("Sum up @Budget letter 2026 and @")
    await edit.press_sequentially("operating", delay=20)
    # They have one name, and lie in two folders.
    await expect(options(page).locator(".choice-note")).to_contain_text(["Forecast 2026", "Budget 2026"])
    await page.keyboard.press("Enter")
    await expect(chips.get_by_role("listitem")).to_have_count(2)
    await chips.get_by_role("button", name="Remove Operating budget 2026").click()
    await expect(edit).to_have_value("Sum up @Budget letter 2026 and Operating budget 2026 ")
    await edit.press("Enter")
    await expect(page.get_by_text("2/2").first).to_be_visible()
    await chat.finished()
    await expect(link).to_be_visible()


async def test_escape_and_the_mouse_work_in_the_list_and_text_stays_text(visit: Visit) -> None:
    ada = await visit("ada")
    chat = await ada.new_chat()
    page = chat.page
    await typed_name(chat, "budget")
    await page.keyboard.press("Escape")
    await expect(options(page)).to_have_count(0)
    await chat.box.press_sequentially(" no")
    await chat.box.fill("")
    await typed_name(chat, "budget")
    await page.keyboard.press("ArrowDown")
    await expect(options(page).nth(1)).to_have_attribute("aria-selected", "true")
    name = await options(page).first.locator(".choice-name").inner_text()
    await options(page).first.click()
    await expect(chat.box).to_have_value(f"@{name} ")
    await page.get_by_role("button", name=f"Remove {name}").click()
    await expect(chat.box).to_have_value(f"{name} ")
    await chat.box.fill("me@example.org")
    await expect(page.get_by_role("listbox")).to_have_count(0)
    await chat.box.fill("")
    await chat.box.press_sequentially("@nosuchfileanywhere")
    await expect(page.get_by_text("No file in your Drive is called “nosuchfileanywhere”.")).to_be_visible()
    await chat.box.fill("")


async def test_a_drive_that_is_not_connected_or_fails_is_told(visit: Visit) -> None:
    ben = await visit("ben")
    await ben.disconnect()
    chat = await ben.new_chat()
    await chat.box.press_sequentially("@bud")
    await expect(chat.page.locator(".choices")).to_contain_text("Google Drive is not connected.")
    await expect(chat.page.get_by_role("link", name="Open integrations")).to_be_visible()
    await check(chat.page)
    await chat.box.fill("")
    await ben.connect()
    chat = await ben.new_chat()
    ben.leaf.fault(path="/drive/v3/files", status=500, times=20)
    await chat.box.press_sequentially("@bud")
    await expect(chat.page.locator(".choices")).to_contain_text("could not be searched")
    ben.leaf.clear_faults()
    await chat.box.press_sequentially("g")
    await expect(chat.page.get_by_role("option").first).to_be_visible()
    await ben.context.set_offline(True)
    await chat.box.press_sequentially("e")
    await expect(chat.page.locator(".choices")).to_contain_text("could not be searched")
    await ben.context.set_offline(False)
    await chat.box.fill("")


async def test_commands_open_at_the_beginning_of_a_message(visit: Visit) -> None:
    """A slash within a message is text."""
    chat = await (await visit("ada")).new_chat()
    page = chat.page
    commands = page.get_by_role("listbox", name="Commands").get_by_role("option")
    await chat.box.press_sequentially("/")
    await expect(commands.first).to_be_visible()
    await check(page)
    await chat.box.press_sequentially("adap")
    await expect(commands).to_have_count(1)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Mode", exact=True)).to_have_text("Adaptive")
    await expect(chat.box).to_have_value("")
    await chat.box.press_sequentially("/quick")
    await commands.first.click()
    await expect(page.get_by_role("button", name="Mode", exact=True)).to_have_text("Quick")
    await chat.box.press_sequentially("/files")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("heading", name="Files")).to_be_visible()
    await page.get_by_role("button", name="Close panel").click()
    await chat.box.press_sequentially("/nosuch thing")
    await expect(commands).to_have_count(0)
    await page.keyboard.press("Enter")
    await expect(chat.questions.locator(".bubble")).to_have_text("/nosuch thing")
    await chat.finished()


async def test_files_are_dropped_and_come_with_the_message(visit: Visit) -> None:
    """They are refused in words, stand with the draft and the question, and are files of the chat. The chat is listed
    once something was asked. # 000-46, 002-45
    """
    ada = await visit("ada")
    ada.guard.allow("415")
    chat = await ada.new_chat()
    page = chat.page
    chips = page.get_by_role("list", name="Files with this message")
    await page.evaluate(DROP, [BOX, [["minutes.md", "We meet on Friday."]], -1])
    await expect(chips.get_by_role("button", name="Remove minutes.md")).to_be_visible()
    await page.evaluate(DROP, [BOX, [["picture.png", "\u0089PNG\u0000\u0001"], ["folder", ""]], 1])
    await expect(page.get_by_role("alert").filter(has_text="A folder cannot be attached")).to_be_visible()
    await expect(chips.locator(".chip.failed")).to_contain_text("picture.png")
    await check(page)
    await page.get_by_role("button", name="Dismiss picture.png").click()
    await page.reload()
    await expect(chips).to_contain_text("minutes.md")
    listed = page.locator(f"nav#sidebar a[href='{chat.path}']")
    known = await (await ada.context.request.get(f"{ada.leaf.url}/api/chats")).text()
    assert chat.id not in known
    await expect(listed).to_have_count(0)
    await chat.ask("When do we meet?")
    await expect(listed).to_have_count(1)
    await expect(chips).to_have_count(0)
    came = chat.questions.last.get_by_role("list", name="Files sent with this message")
    await expect(came.get_by_role("link", name="minutes.md")).to_be_visible()
    await chat.finished()
    await page.reload()
    await expect(came).to_contain_text("minutes.md")


async def test_a_long_text_that_is_pasted_can_become_a_file(visit: Visit) -> None:
    ada = await visit("ada")
    chat = await ada.new_chat()
    text = "A line of a long text.\n" * 600
    await chat.page.evaluate(
        """([selector, text]) => {
            const box = document.querySelector(selector), transfer = new DataTransfer();
            transfer.setData('text/plain', text);
            box.focus();
            const event = new ClipboardEvent('paste', {clipboardData: transfer, bubbles: true, cancelable: true});
            if (box.dispatchEvent(event)) document.execCommand('insertText', false, text);
        }""",
        [BOX, text],
    )
    await expect(chat.box).to_have_value(text)
    await chat.page.get_by_role("button", name="Attach it as a file instead").click()
    await expect(chat.box).to_have_value("")
    chips = chat.page.get_by_role("list", name="Files with this message")
    await expect(chips.get_by_role("button", name="Remove Pasted text.txt")).to_be_visible()


async def test_a_file_on_the_dashboard_opens_a_chat_for_itself_and_the_text(visit: Visit, tmp_path: Path) -> None:
    ada = await visit("ada")
    page = await ada.open("/dashboard")
    box = page.get_by_role("textbox", name="Message")
    await box.fill("What is in this?")
    file = tmp_path / "agenda.md"
    file.write_text("One: budget.")
    async with page.expect_file_chooser() as chooser:
        await page.get_by_role("button", name="Attach files").click()
    await (await chooser.value).set_files(file)
    await page.wait_for_url("**/chat/*")
    await expect(box).to_have_value("What is in this?")
    chips = page.get_by_role("list", name="Files with this message")
    await expect(chips.get_by_role("button", name="Remove agenda.md")).to_be_visible()


async def test_the_lists_lie_within_the_window(visit: Visit) -> None:
    ada = await visit("ada")
    chat = await ada.new_chat()
    for width in (360, 1280):
        await chat.page.set_viewport_size({"width": width, "height": 420})
        await chat.box.press_sequentially("/")
        await inside(chat.page)
        await chat.box.fill("")
        await typed_name(chat, "b")
        await inside(chat.page)
        await chat.box.fill("")


async def inside(page: Page) -> None:
    box = await page.locator(".choices").bounding_box()
    size = page.viewport_size
    assert box is not None
    assert size is not None
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert box["y"] + box["height"] <= size["height"]


VOICE = """
    window.spoken = [];
    Object.defineProperty(window, 'speechSynthesis', {value: {
        speak: (one) => window.spoken.push([one.lang, one.text]), cancel: () => window.spoken.push('cancel'),
    }});
    window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
"""


async def test_an_answer_is_read_aloud_without_marks_and_stopped(answered: Chat) -> None:
    """The browser's own voice reads the answer's words, not its Markdown."""
    page = answered.page
    await page.add_init_script(VOICE)
    await page.reload()
    await answered.finished()
    await answered.answer.get_by_role("button", name="Read aloud").click()
    spoken = [one for one in await page.evaluate("() => window.spoken") if one != "cancel"]
    assert {language for language, _ in spoken} == {"en"}
    text = " ".join(words for _, words in spoken)
    assert len(text) > 40
    assert not re.search(r"[*`#\[\]|]", text), text
    assert all(len(words) <= 220 for _, words in spoken)
    await answered.answer.get_by_role("button", name="Stop reading aloud").click()
    assert (await page.evaluate("() => window.spoken"))[-1] == "cancel"
    await expect(answered.answer.get_by_role("button", name="Read aloud")).to_be_visible()


async def test_a_browser_without_voices_is_offered_none(answered: Chat) -> None:
    await answered.page.add_init_script("delete window.speechSynthesis; delete Window.prototype.speechSynthesis;")
    await answered.page.reload()
    await answered.finished()
    await expect(answered.answer.get_by_role("button", name="Regenerate")).to_be_visible()
    await expect(answered.answer.get_by_role("button", name="Read aloud")).to_have_count(0)


async def test_the_pickers_say_what_they_cost(visit: Visit) -> None:
    chat = await (await visit("ada")).new_chat()
    await chat.page.get_by_role("button", name="Mode", exact=True).click()
    quick = chat.page.get_by_role("menuitemradio", name="Quick")
    await expect(quick).to_contain_text("up to 20 steps")
    await expect(quick).to_contain_text("Sandbox model (0) · free")
    await check(chat.page)
