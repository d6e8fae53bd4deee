"""Notices of pages: once, where it is true, and beside what one wants to use."""

import re

import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.test_integrations import CONNECT, PATH
from tests.browser.visitor import Visit, Visitor

CONNECTED, DENIED = "Google Drive is connected.", "You declined at Google"
# Every notice and red banner that the tab has shown so far, over all pages that were loaded in it.
RECORD = """() => {
    const told = () => JSON.parse(sessionStorage.getItem('test:told') ?? '[]');
    const add = (one) => sessionStorage.setItem('test:told', JSON.stringify([...told(), one.textContent]));
    new MutationObserver((changes) => {
        for (const change of changes) for (const node of change.addedNodes) {
            if (node.nodeType !== 1) continue;
            const within = [...node.querySelectorAll('.notice, .banner.error')];
            for (const one of node.matches('.notice, .banner.error') ? [node, ...within] : within) add(one);
        }
    }).observe(document, {childList: true, subtree: true});
}"""
LEAVES = """(act) => document.getAnimations().filter((one) => one.animationName === 'leave').map((one) => {
    const { duration } = one.effect.getTiming();
    if (act) one.finish();
    return duration;
})"""
TOLD = "JSON.parse(sessionStorage.getItem('test:told') ?? '[]')"


@pytest_asyncio.fixture
async def ben(visit: Visit) -> Visitor:
    """Signed in, without a Drive; what his tabs tell is recorded."""
    ben = await visit("ben", own=True)
    await ben.disconnect()
    await ben.context.add_init_script(f"({RECORD})()")
    return ben


async def _loaded(page: Page, state: str) -> None:
    """Leaf has sent the page's cards, and with them whatever it had to tell."""
    await expect(page.locator("section.card").get_by_text(state, exact=True)).to_be_visible()


async def test_a_connection_is_told_once(ben: Visitor) -> None:
    """Neither a reload nor another page tells it again. # 000-11"""
    page = await ben.connect()
    await expect(page.get_by_text(CONNECTED)).to_be_visible()
    await expect(page).to_have_url(ben.leaf.url + PATH)
    await page.reload()
    await _loaded(page, "Connected")
    await page.get_by_role("link", name="Leaf, all chats").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Ben")
    await page.goto(ben.leaf.url + PATH)
    await _loaded(page, "Connected")
    await page.get_by_role("button", name="Disconnect").click()
    await page.get_by_role("dialog").get_by_role("button", name="Disconnect").click()
    await expect(page.get_by_text("Google Drive is disconnected.")).to_be_visible()
    await page.reload()
    await _loaded(page, "Not connected")
    assert await page.evaluate(TOLD) == [CONNECTED, "Google Drive is disconnected."]


async def test_an_address_alone_connects_nothing(ben: Visitor) -> None:
    page = await ben.open(PATH + "?connected=google_drive")
    await _loaded(page, "Not connected")
    await expect(page).to_have_url(ben.leaf.url + PATH)
    # Leaf has answered the page's question by the time that it has sent another page.
    await page.get_by_role("link", name="Sessions").click()
    await expect(page.get_by_text("This browser")).to_be_visible()
    assert await page.evaluate(TOLD) == []


async def test_a_denial_is_gone_with_the_next_page(ben: Visitor) -> None:
    """And with a reload of this one. # 000-12"""
    page = await ben.open(PATH)

    async def visit_another() -> None:
        await page.get_by_role("link", name="Profile").click()
        await expect(page.get_by_role("heading", level=2, name="Profile")).to_be_visible()

    for leave in (page.reload, visit_another):
        await page.get_by_role("button", name=CONNECT).click()
        await ben.allow(page, decision="Deny")
        await expect(page.get_by_text(DENIED)).to_be_visible()
        await expect(page).to_have_url(ben.leaf.url + PATH)
        await leave()
        await page.get_by_role("navigation", name="Settings").get_by_role("link", name="Integrations").click()
        await _loaded(page, "Not connected")
        await expect(page.get_by_text(DENIED)).to_have_count(0)
    assert len(await page.evaluate(TOLD)) == 2


async def test_a_refused_sign_in_is_told_once(visit: Visit) -> None:
    """# 000-03"""
    stranger = await visit()
    page = await stranger.open("/?problem=denied&next=/chat/1")
    await expect(page.get_by_text("You declined at Google")).to_be_visible()
    await expect(page.get_by_text("you are taken to the page you asked for")).to_be_visible()
    await expect(page).to_have_url(re.compile(r"/\?next=[^&]+$"))
    await page.reload()
    await expect(page.get_by_text("you are taken to the page you asked for")).to_be_visible()
    await expect(page.get_by_text("You declined at Google")).to_have_count(0)


async def test_a_notice_covers_no_control(visit: Visit) -> None:
    """Neither the header's nor the panel's. # 000-56"""
    ada = await visit("ada")
    await ada.told("A chat that goes")
    chat = await ada.chat(await ada.told("A chat that stays"))
    await chat.finished()
    page = chat.page
    row = page.locator("nav#sidebar li.chat-row").filter(has_text="A chat that goes")
    await row.hover()
    await row.get_by_role("button", name=re.compile("^Options for")).click()
    await page.get_by_role("menuitem", name="Delete").click()
    notice = page.get_by_text("The chat was deleted.")
    await expect(notice).to_be_visible()
    await notice.hover()
    await chat.choose("Sources")
    await page.get_by_role("button", name="Close panel").click(trial=True)
    await expect(notice).to_be_visible()


async def test_a_notice_goes_away_by_itself_but_not_while_it_is_pointed_at_or_has_the_focus(visit: Visit) -> None:
    """Also where the reader wants no motion. # 000-44"""
    for motion in ("no-preference", "reduce"):
        ada = await visit("ada", reduced_motion=motion)
        await ada.told(f"A chat with {motion}")
        page = await ada.open()
        row = page.locator("nav#sidebar li.chat-row").filter(has_text=f"A chat with {motion}")
        await row.hover()
        await row.get_by_role("button", name=re.compile("^Options for")).click()
        await page.get_by_role("menuitem", name="Delete").click()
        notice = page.get_by_text("The chat was deleted.")
        await page.mouse.move(0, 0)
        await expect(notice).to_be_visible()
        assert await page.evaluate(LEAVES, False) == [8000]
        await notice.hover()
        assert await page.evaluate(LEAVES, False) == []
        await page.mouse.move(0, 0)
        await page.get_by_role("button", name="Undo").focus()
        assert await page.evaluate(LEAVES, False) == []
        await page.evaluate("document.activeElement.blur()")
        assert await page.evaluate(LEAVES, True) == [8000]
        await expect(notice).to_have_count(0)
