"""Everything around a message while it is written: menus, files, queued messages; and the chat of a guest."""

from playwright.async_api import Page, expect

from tests.browser.test_composing import BOX, DROP
from tests.browser.visitor import Chat
from tests.gallery.scene import Chapter
from tests.gallery.stage import Stage

chapter = Chapter("Writing a message")


async def _empty(stage: Stage, account: str = "ada") -> Chat:
    visitor = await stage.visit(account)
    await stage.furnish(visitor, 6)
    return await visitor.new_chat()


@chapter.scene("composer-commands", "Commands behind a slash")
async def _commands(stage: Stage) -> Page:
    chat = await _empty(stage)
    await chat.box.press_sequentially("/")
    await expect(chat.page.get_by_role("listbox", name="Commands").get_by_role("option").first).to_be_visible()
    return chat.page


@chapter.scene("composer-names", "Files of Drive behind an @")
async def _names(stage: Stage) -> Page:
    chat = await _empty(stage)
    await chat.box.press_sequentially("What changed in @bu", delay=20)
    await expect(chat.page.get_by_role("listbox", name="Files in your Drive").get_by_role("option")).not_to_have_count(
        0
    )
    return chat.page


@chapter.scene("composer-names-unconnected", "An @ without a Drive")
async def _no_drive(stage: Stage) -> Page:
    chat = await _empty(stage, "ben")
    await chat.box.press_sequentially("@bud")
    await expect(chat.page.get_by_role("link", name="Open integrations")).to_be_visible()
    return chat.page


@chapter.scene("composer-files", "Files that come with a message, and one that cannot")
async def _files(stage: Stage) -> Page:
    chat = await _empty(stage)
    page = chat.page
    await chat.box.press_sequentially("Compare them with @budget l", delay=20)
    await page.get_by_role("listbox", name="Files in your Drive").get_by_role("option").first.click()
    files = [
        ["minutes.md", "We meet on Friday."],
        ["What the insurers of all our orchards have said since 2021.md", "Frost."],
        ["picture.png", "\u0089PNG\u0000\u0001"],
    ]
    await page.evaluate(DROP, [BOX, files, -1])
    chips = page.get_by_role("list", name="Files with this message")
    await expect(chips.get_by_role("button", name="Remove minutes.md")).to_be_visible()
    await expect(chips.locator(".chip.failed")).to_contain_text("picture.png")
    return page


async def _modes_opened(page: Page) -> None:
    """The menu closes when the window changes."""
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Mode").click()
    await expect(page.get_by_role("menuitemradio", name="Adaptive")).to_be_visible()


@chapter.scene("composer-mode", "Modes, and what they cost", _modes_opened)
async def _mode(stage: Stage) -> Page:
    return (await _empty(stage)).page


@chapter.scene("queue", "Queued messages for the end of an answer")
async def _queue(stage: Stage) -> Page:
    chat = await _empty(stage)
    async with stage.model("sandbox-silent"):
        await chat.ask("How much notice does the packaging agreement ask for?")
        items = chat.page.get_by_role("region", name="Queued messages").get_by_role("listitem")
        for number, text in enumerate(
            (
                "And the lease of the cold store?",
                "List both with their dates in a table, the earlier one first, and say what has to be done until then.",
            ),
            1,
        ):
            await chat.send(text)
            await expect(items).to_have_count(number)
    return chat.page


async def _guest(stage: Stage) -> Chat:
    page = await (await stage.visit(None)).open("/")
    await page.get_by_role("button", name="Try without an account").click()
    await page.wait_for_url("**/guest")
    await expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    return Chat(page)


@chapter.scene("guest", "A chat without an account")
async def _as_guest(stage: Stage) -> Page:
    return (await _guest(stage)).page


@chapter.scene("guest-answer", "A guest was answered")
async def _guest_answered(stage: Stage) -> Page:
    chat = await _guest(stage)
    await chat.ask("What is in my Drive?")
    await chat.finished()
    return chat.page
