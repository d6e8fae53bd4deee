"""Sharing, and dialogs that ask first."""

from playwright.async_api import Page, expect

from tests.browser.visitor import Chat
from tests.gallery.scene import Chapter
from tests.gallery.scenes.answers import about_notice
from tests.gallery.scenes.displays import MARKDOWN, MATHS
from tests.gallery.stage import Stage, says

chapter = Chapter("Sharing and asking first")


async def _dialog(chat: Chat) -> Page:
    await chat.page.locator("header").get_by_role("button", name="Share", exact=True).click()
    await expect(chat.page.get_by_role("dialog").get_by_role("heading", name="Share this chat")).to_be_visible()
    return chat.page


@chapter.scene("share", "Sharing a chat")
async def _share(stage: Stage) -> Page:
    return await _dialog(await about_notice(stage))


async def _link(stage: Stage, chat: Chat) -> str:
    page = await _dialog(chat)
    await page.get_by_role("dialog").get_by_role("button", name="Create link").click()
    field = page.get_by_role("dialog").get_by_label("Address of the link")
    await expect(field).to_be_visible()
    return (await field.input_value()).removeprefix(stage.leaf.url)


@chapter.scene("share-link", "A link, its preview, and somebody who was invited")
async def _shared(stage: Stage) -> Page:
    chat = await about_notice(stage)
    await _link(stage, chat)
    dialog = chat.page.get_by_role("dialog")
    await dialog.get_by_label("E-mail address").fill("somebody@example.org")
    await dialog.get_by_role("button", name="Invite").click()
    await expect(dialog.get_by_text("Invited", exact=True)).to_be_visible()
    await dialog.get_by_text("What others will see").click()
    await expect(dialog.frame_locator("iframe").get_by_role("main")).to_be_visible()
    return chat.page


@chapter.scene("shared-page", "What a link shows")
async def _page(stage: Stage) -> Page:
    chat = await about_notice(stage)
    return await (await stage.visit(None)).open(await _link(stage, chat))


@chapter.scene("shared-page-rich", "What a link shows of tables, formulas and diagrams")
async def _rich(stage: Stage) -> Page:
    chat = await stage.asked("How did the orchards do?", says(f"{MATHS}\n{MARKDOWN}"), title="How the orchards did")
    return await (await stage.visit(None)).open(await _link(stage, chat))


@chapter.scene("shared-page-ended", "A link that is no more")
async def _ended(stage: Stage) -> Page:
    return await (await stage.visit(None)).open("/share/" + "A" * 32)


@chapter.scene("rename", "A chat is renamed")
async def _rename(stage: Stage) -> Page:
    chat = await about_notice(stage)
    await chat.choose("Rename")
    await expect(chat.page.get_by_role("dialog")).to_be_visible()
    return chat.page


@chapter.scene("deleted-undo", "A chat was deleted, and can come back")
async def _deleted(stage: Stage) -> Page:
    ada = await stage.visit()
    await stage.furnish(ada, 8)
    page = await ada.open()
    row = page.locator("nav#sidebar li.chat-row").nth(1)
    await row.hover()
    await row.get_by_role("button").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await expect(page.get_by_role("button", name="Undo")).to_be_visible()
    return page
