"""Names, headings and contrast for screen readers and weak eyes, on every page and in both themes."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.visitor import Chat, Visit

PAGES = (
    "/", "/dashboard", "/archived", "/settings", "/settings/integrations", "/settings/sessions", "/settings/appearance",
    "/settings/answers", "/settings/shared", "/settings/keys", "/settings/sites",
    "/settings/data", "/usage", "/admin", "/feedback",
    "/files", "/files/my-drive", "/goodbye", "/no-such-page",
)  # fmt: skip
STRUCTURE = """() => {
    const shown = (one) => one.checkVisibility({visibilityProperty: true});
    const nameOf = (one) => (one.getAttribute('aria-label') || '').trim()
        || (one.getAttribute('aria-labelledby') || '').split(/\\s+/)
            .map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim()
        || [...(one.labels ?? [])].map((label) => label.textContent).join(' ').trim()
        || (one.matches('input, textarea, select') ? '' : one.textContent.trim());
    const problems = [];
    for (const one of document.querySelectorAll(
        'button, a[href], input:not([type=hidden]), textarea, select, summary, [role=button], [role=menuitem],'
        + ' [role=menuitemradio], [role=radio], dialog, nav, aside, [role=region], [role=img]'))
        if (!nameOf(one)) problems.push('without a name: ' + one.outerHTML.slice(0, 160));
    for (const one of document.querySelectorAll('img:not([alt])')) problems.push('without alt: ' + one.outerHTML);
    const headings = [...document.querySelectorAll('h1')].filter(shown);
    if (headings.length !== 1) problems.push('h1: ' + headings.map((one) => one.textContent).join(' | '));
    const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
    for (const id of new Set(ids.filter((one, at) => ids.indexOf(one) !== at))) problems.push('twice: #' + id);
    for (const one of document.querySelectorAll('[aria-describedby], [aria-controls], [aria-labelledby]'))
        for (const name of ['aria-describedby', 'aria-controls', 'aria-labelledby'])
            for (const id of (one.getAttribute(name) ?? '').split(/\\s+/).filter(Boolean))
                if (!document.getElementById(id)) problems.push(name + ' leads nowhere: ' + id);
    if (document.querySelectorAll('main').length !== 1) problems.push('main: not one');
    if (!document.documentElement.lang) problems.push('no language');
    if (!document.title.trim()) problems.push('no title');
    if (document.querySelector('[tabindex]:not([tabindex="0"], [tabindex="-1"])')) problems.push('positive tabindex');
    if (document.querySelector('a button, button a, button button, a a')) problems.push('controls within controls');
    for (const one of document.querySelectorAll('[aria-hidden=true]'))
        if (one.matches('a, button, input, [tabindex="0"]') || one.querySelector('a, button, input, [tabindex="0"]'))
            problems.push('hidden but reachable: ' + one.outerHTML.slice(0, 120));
    return problems;
}"""
# The contrast of every visible piece of text (WCAG 2, 1.4.3), with backgrounds that shine through put on one another.
CONTRAST = """() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgba = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
    const light = (colour) => {
        const [r, g, b] = colour.slice(0, 3).map((one) => one / 255)
            .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (one) => {
        const layers = [];
        for (let at = one; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
        return layers.reduceRight((below, layer) => over(layer, below), rgba('Canvas'));
    };
    const problems = new Map();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode.textContent.trim(), one = walker.currentNode.parentElement;
        if (!text || !one || one.closest('script, style, [aria-hidden=true], .unseen, dialog:not([open])')) continue;
        if (!one.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
        const style = getComputedStyle(one);
        if (style.webkitTextFillColor === 'rgba(0, 0, 0, 0)' || style.backgroundClip === 'text') continue;
        const below = ground(one), colour = over(rgba(style.color), below);
        const [bright, dark] = [light(colour), light(below)].sort((a, b) => b - a);
        const ratio = (bright + 0.05) / (dark + 0.05);
        const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        if (ratio < (large ? 3 : 4.5))
            problems.set(one.className || one.tagName, `${ratio.toFixed(2)}: ${text.slice(0, 50)}`);
    }
    return [...problems].map(([name, problem]) => `${name}: ${problem}`);
}"""


async def check(page: Page) -> None:
    """Looks at a page in both colour schemes; transitions are off, so that colours are final."""
    await page.add_style_tag(
        content="*, *::before, *::after { transition: none !important; animation: none !important }"
    )
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme)  # pyright: ignore[reportArgumentType]
        await page.wait_for_function(
            "(scheme) => document.documentElement.classList.contains(scheme)"
            " || matchMedia(`(prefers-color-scheme: ${scheme})`).matches",
            arg=scheme,
        )
        assert await page.evaluate(STRUCTURE) == []
        assert await page.evaluate(CONTRAST) == [], scheme


async def test_every_page_has_names_one_heading_and_contrast(visit: Visit, subtests: pytest.Subtests) -> None:
    ada = await visit("ada")
    ada.guard.allow("404.*/no-such-page")
    stranger = await visit()
    tabs = {True: await stranger.open("/"), False: await ada.open("/dashboard")}
    for path in PAGES:
        page = tabs[path == "/"]
        with subtests.test(path=path):
            await page.goto(ada.leaf.url + path)
            await expect(page.get_by_role("heading", level=1)).to_be_visible()
            await check(page)


async def test_an_answered_chat_has_names_one_heading_and_contrast(answered: Chat) -> None:
    """With steps and the panel opened, and with the menu."""
    page = answered.page
    await answered.answer.locator("details.steps summary").first.click()
    await answered.answer.locator("details.step summary").first.click()
    # Until the output is there, it moves what stands below it, and a button that moves under the hand is not clicked.
    await expect(answered.answer.get_by_role("heading", name="Output").first).to_be_visible()
    await answered.answer.get_by_role("button", name="Details").click()
    await expect(answered.answer.get_by_text("Requests to the model")).to_be_visible()
    await answered.open_menu()
    await check(page)
    await page.keyboard.press("Escape")
    await answered.choose("Sources")
    await expect(page.get_by_role("complementary")).to_be_visible()
    await check(page)
    await page.get_by_role("button", name="Your menu").click()
    await expect(page.get_by_role("menuitem", name="Sign out")).to_be_visible()
    await expect(page.get_by_role("menuitem").first).to_be_focused()
    await check(page)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Your menu")).to_be_focused()


async def test_a_failed_and_a_missing_chat_have_names_one_heading_and_contrast(visit: Visit) -> None:
    ada = await visit("ada")
    chat = await ada.new_chat()
    await check(chat.page)
    ada.leaf.fault(path="chat/completions", status=400, reason="badRequest", times=1)
    await chat.ask("This will fail")
    await chat.finished("error")
    await check(chat.page)
    page = await ada.open("/chat/nothing-here")
    await expect(page.get_by_role("heading", level=1)).to_contain_text("does not exist")
    await expect(page.locator("#sidebar .person-name")).to_have_text("Ada Lindqvist")
    await check(page)


async def test_the_dialog_that_shares_a_chat_has_names_one_heading_and_contrast(answered: Chat) -> None:
    """With a link, its preview, and somebody who was invited."""
    page = answered.page
    await page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Create link").click()
    await expect(dialog.get_by_label("Address of the link")).to_be_visible()
    await dialog.get_by_label("E-mail address").fill("nobody@example.org")
    await dialog.get_by_role("button", name="Invite").click()
    await expect(dialog.get_by_text("Invited", exact=True)).to_be_visible()
    await check(page)
    await dialog.get_by_text("What others will see").click()
    await expect(dialog.frame_locator("iframe").get_by_role("main")).to_be_visible()
    await check(page)
