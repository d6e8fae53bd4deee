"""Sharing by a link, and a chat of two: each opened in browsers of their own. # 002-33, 002-55, 000-67"""

import re

import pytest
from playwright.async_api import Page, expect

from tests.browser import questions
from tests.browser.visitor import Chat, Visit


async def _dialog(chat: Chat) -> Page:
    """Opens the dialog."""
    await chat.page.get_by_role("button", name="Share", exact=True).click()
    await expect(chat.page.get_by_role("dialog").get_by_role("heading", name="Share this chat")).to_be_visible()
    return chat.page


async def test_a_link_is_made_opened_by_a_stranger_and_taken_back(visit: Visit) -> None:
    """The preview is the page that a stranger gets; updating adds what came since. # 002-33, 002-55"""
    ada, nobody = await visit("ada"), await visit()
    chat = await ada.new_chat()
    await chat.ask(questions.about_contracts(ada.leaf))
    await chat.finished()
    page = await _dialog(chat)
    dialog = page.get_by_role("dialog")
    await dialog.get_by_text("What others will see").click()
    seen = dialog.frame_locator("iframe").get_by_role("main")
    await expect(seen).to_contain_text("Who signed the packaging agreement?")
    previewed = await seen.inner_text()
    await dialog.get_by_role("button", name="Create link").click()
    address = await dialog.get_by_label("Address of the link").input_value()
    assert re.fullmatch(re.escape(ada.leaf.url) + r"/share/[\w-]{32}", address)
    await dialog.get_by_label("Expires").select_option("7")
    await expect(dialog.get_by_text("Expires on")).to_be_visible()

    shared = await nobody.open(address.removeprefix(ada.leaf.url))
    main = shared.get_by_role("main")
    assert await main.inner_text() == previewed
    assert await shared.locator("script").count() == 0
    assert await shared.evaluate("() => getComputedStyle(document.body).fontFamily.includes('Inter')"), "it has a style"
    assert "ada" not in (await shared.content()).lower().replace("canada", "")
    await shared.get_by_role("link", name="1", exact=True).first.click()
    await expect(shared.locator("li:target")).to_be_visible()

    await page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()
    await chat.ask(questions.PLAIN)
    await chat.finished()
    await shared.reload()
    await expect(main.locator(".question")).to_have_count(1)
    # A page that knows nothing of what was chosen in this one.
    await page.reload()
    await _dialog(chat)
    await dialog.get_by_role("button", name="Update link").click()
    await expect(dialog.get_by_role("button", name="Update link")).to_have_count(0)
    await expect(dialog.get_by_label("Expires")).to_have_value("kept")
    await expect(dialog.get_by_text("Expires on")).to_be_visible()
    await shared.reload()
    await expect(main.locator(".question")).to_have_count(2)

    path = chat.path
    await page.goto(ada.leaf.url + "/settings/shared")
    listed = page.get_by_role("main").get_by_role("listitem").filter(has=page.locator(f'a[href="{path}"]'))
    await listed.get_by_role("button", name=re.compile("^Stop sharing")).click()
    await expect(listed).to_have_count(0)
    nobody.guard.allow("404")
    await shared.reload()
    await expect(main).to_contain_text("There is nothing here")


@pytest.mark.usefixtures("slowly")
async def test_two_people_watch_one_answer_until_one_is_removed(visit: Visit) -> None:
    """Each sees who asked; a removed participant sees no more, even of an answer being written. # 000-67"""
    ada, ben = await visit("ada"), await visit("ben")
    hers = await ada.new_chat()
    ada.leaf.use_model(None)
    await hers.ask(questions.PLAIN)
    await hers.finished()
    home = await ben.open()
    await expect(home.get_by_role("button", name="New chat", exact=True).first).to_be_visible()
    page = await _dialog(hers)
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("E-mail address").fill(await _address(ben.leaf.url, home))
    await dialog.get_by_role("button", name="Invite").click()
    await expect(dialog.get_by_text("Invited", exact=True)).to_be_visible()
    await page.keyboard.press("Escape")

    await home.get_by_role("button", name="Accept").locator("visible=true").click()
    await home.wait_for_url(f"**{hers.path}")
    his = Chat(home)
    await expect(his.answers).to_have_count(1)
    ada.leaf.use_model("sandbox:sandbox-slow-200")
    await his.ask("Tell me about the garden, please.")
    await his.written(80)
    await hers.written(80)
    await expect(hers.page.locator(".asker").last).to_have_text(re.compile("^Ben"))
    await expect(his.page.locator(".asker").first).to_have_text(re.compile("^Ada"))

    await _dialog(hers)
    await dialog.get_by_role("button", name=re.compile("^Remove Ben")).click()
    await expect(home.get_by_text("This chat does not exist, or you have no access to it.")).to_be_visible()
    await expect(his.answers).to_have_count(0)
    await page.keyboard.press("Escape")
    await hers.finished("stopped")


async def _address(url: str, page: Page) -> str:
    """The e-mail address of the member who is signed in there."""
    other = await page.context.new_page()
    await other.goto(url + "/settings")
    found = other.locator(".facts dd").nth(1)
    await expect(found).to_contain_text("@")
    address = await found.inner_text()
    await other.close()
    return address
