"""Sessions, theme, sidebar, phones."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.browser.visitor import Chat, Visit

FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 780},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
RECORD_CLASSES = """() => {
    window.classes = [];
    const note = () => window.classes.push([performance.now(), document.documentElement?.className ?? '']);
    new MutationObserver(note).observe(document, {attributes: true, childList: true, subtree: true});
}"""
PAINTED = "() => performance.getEntriesByName('first-paint').length > 0"
CLASSES_SINCE_PAINT = """() => {
    const paint = performance.getEntriesByName('first-paint')[0].startTime;
    const before = window.classes.filter(([at]) => at <= paint).map(([, name]) => name);
    const after = window.classes.filter(([at]) => at > paint).map(([, name]) => name);
    return [before[before.length - 1] ?? '', ...after];
}"""
OVERFLOW = "() => document.documentElement.scrollWidth - window.innerWidth"


async def test_another_session_can_be_signed_out(visit: Visit) -> None:
    """The other browser is then sent to the sign-in. # 000-05"""
    here, there = await visit(), await visit(user_agent=FIREFOX)
    here.account = there.account = "ben"
    page, other = await here.sign_in(), await there.sign_in()
    await page.goto(here.leaf.url + "/settings/sessions")
    await expect(page.get_by_text("This browser")).to_have_count(1)
    button = page.get_by_role("button", name=re.compile("Sign out Firefox"))
    await expect(button).to_have_count(1)
    await button.click()
    await expect(page.get_by_text("That browser is signed out.")).to_be_visible()
    await expect(button).to_have_count(0)
    await other.reload()
    await expect(other.get_by_role("button", name="Sign in with Google")).to_be_visible()
    await page.reload()
    await expect(page.get_by_text("This browser")).to_be_visible()


async def test_a_chosen_theme_stays_and_never_flashes(visit: Visit) -> None:
    """The class is there before the first paint, and does not change after it. # 002-41"""
    ada = await visit("ada")
    page = await ada.open("/settings/appearance")
    html = page.locator("html")
    for chosen, other in (("Dark", "light"), ("Light", "dark")):
        await page.get_by_role("radio", name=chosen).click()
        await expect(page.get_by_role("radio", name=chosen)).to_have_attribute("aria-checked", "true")
        await expect(html).to_have_class(re.compile(chosen.lower()))
        # The system says the opposite, so whatever shows the chosen theme remembers it.
        await page.emulate_media(color_scheme="light" if other == "light" else "dark")
        tab = await ada.context.new_page()
        await tab.emulate_media(color_scheme="light" if other == "light" else "dark")
        await tab.add_init_script(f"({RECORD_CLASSES})()")
        for path in ("/settings/appearance", "/dashboard", "/"):
            await tab.goto(ada.leaf.url + path)
            await expect(tab.locator("h1").first).to_be_visible()
            await tab.wait_for_function(PAINTED)
            seen = await tab.evaluate(CLASSES_SINCE_PAINT)
            assert seen
            assert all(chosen.lower() in name.split() and other not in name.split() for name in seen), seen
        await tab.close()
    await page.get_by_role("radio", name="System").click()


async def test_a_collapsed_sidebar_stays_collapsed(visit: Visit) -> None:
    """# 002-42"""
    ada = await visit("ada")
    page = await ada.open("/dashboard")
    sidebar = page.locator("nav#sidebar")
    await expect(sidebar.locator(".new-chat .word")).to_be_visible()
    wide = await _width(page)
    await sidebar.get_by_role("button", name="Toggle sidebar").click()
    await expect(sidebar.locator(".new-chat .word")).to_be_hidden()
    await page.wait_for_function("wide => document.getElementById('sidebar').offsetWidth < wide / 2", arg=wide)
    await page.reload()
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert await _width(page) < wide / 2
    await expect(sidebar.get_by_role("button", name="New chat", exact=True)).to_be_visible()
    await page.keyboard.press("Control+b")
    await expect(sidebar.locator(".new-chat .word")).to_be_visible()


@pytest.mark.usefixtures("unhurried")
async def test_a_phone_has_a_drawer_and_a_whole_chat(visit: Visit) -> None:
    """No page scrolls sideways. # 002-42"""
    ada = await visit("ada", **PHONE)
    page = await ada.open("/dashboard")
    sidebar = page.locator("nav#sidebar")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await expect(sidebar).not_to_be_in_viewport()
    await page.get_by_role("button", name="Open sidebar").tap()
    await expect(sidebar).to_be_in_viewport()
    await page.keyboard.press("Escape")
    await expect(sidebar).not_to_be_in_viewport()
    await page.get_by_role("button", name="Open sidebar").tap()
    await sidebar.get_by_role("button", name="New chat", exact=True).tap()
    await page.wait_for_url("**/chat/*")
    await expect(sidebar).not_to_be_in_viewport()
    chat = Chat(page)
    await chat.box.fill("What is the marketing budget for 2026?")
    await page.get_by_role("button", name="Send", exact=True).tap()
    await chat.written(300)
    await expect(chat.box).to_be_in_viewport()
    assert await page.evaluate(OVERFLOW) <= 0
    await chat.stop_button.tap()
    await chat.finished("stopped")
    await chat.choose("Sources")
    panel = page.get_by_role("complementary")
    await expect(panel).to_be_in_viewport()
    assert await page.evaluate(OVERFLOW) <= 0
    await panel.get_by_role("button", name="Close panel").tap()
    for path in (
        "/",
        "/dashboard",
        "/settings",
        "/settings/integrations",
        "/settings/sessions",
        "/settings/appearance",
        "/archived",
        "/settings/answers",
        "/settings/data",
        "/feedback",
    ):
        await page.goto(ada.leaf.url + path)
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert await page.evaluate(OVERFLOW) <= 0, path


@pytest.mark.parametrize("language", ["en", "de"])
async def test_the_tabs_of_settings_are_one_row_on_a_narrow_phone(visit: Visit, language: str) -> None:
    """It scrolls; a keyboard reaches all of them, and the one that is open or focused is whole in sight. # 002-42"""
    ada = await visit("ada", **{**PHONE, "viewport": {"width": 360, "height": 740}}, locale=language)
    page = await ada.open("/settings")
    row = page.locator("nav.sections")
    tabs = row.get_by_role("link")
    await expect(tabs).to_have_count(12)
    await expect(tabs.first).to_be_in_viewport(ratio=0.99)
    assert len(set(await tabs.evaluate_all("(all) => all.map((one) => one.offsetTop)"))) == 1
    assert await row.evaluate("(one) => one.offsetHeight") <= 56
    assert await page.evaluate(OVERFLOW) <= 0
    await tabs.first.focus()
    for place in range(1, 12):
        await page.keyboard.press("Tab")
        await expect(tabs.nth(place)).to_be_focused()
        await expect(tabs.nth(place)).to_be_in_viewport(ratio=0.99)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile(r"/settings/data$"))
    await expect(tabs.last).to_have_attribute("aria-current", "page")
    await expect(tabs.last).to_be_in_viewport(ratio=0.99)
    # What an address opens is in sight, too, also when its text has become longer in another language.
    await page.goto(ada.leaf.url + "/settings/data")
    await expect(tabs.last).to_have_attribute("aria-current", "page")
    await expect(tabs.last).to_be_in_viewport(ratio=0.99)
    # And with larger letters.
    await page.goto(ada.leaf.url + "/settings/keys")
    await page.add_style_tag(content="html { font-size: 24px }")
    await expect(tabs.nth(9)).to_have_attribute("aria-current", "page")
    await tabs.nth(8).tap()
    await expect(tabs.nth(8)).to_have_attribute("aria-current", "page")
    await expect(tabs.nth(8)).to_be_in_viewport(ratio=0.99)
    assert len(set(await tabs.evaluate_all("(all) => all.map((one) => one.offsetTop)"))) == 1


async def _width(page: Page) -> int:
    return await page.evaluate("document.getElementById('sidebar').offsetWidth")
