"""Pages in the reader's language, by their browser or by their choice."""

import re

import pytest
from playwright.async_api import Page, expect

from leaf import texts
from tests.browser import questions
from tests.browser.product import Product
from tests.browser.visitor import Chat, Visit

LOOK = """(() => {
    window.shownTexts = [];
    const look = () => {
        const body = document.body;
        if (body && getComputedStyle(body).visibility === "visible") {
            const link = document.querySelector(".skip-link");
            if (link) window.shownTexts.push(link.textContent);
        }
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
})()"""
TRANSLATED = "() => document.documentElement.dataset.untranslated === undefined"


NOT_YET = "#none"
"""The parts of pages that are in English still, as the files that `tests/unit/test_texts.py` lists."""
SHOWN = """(notYet) => {
    const found = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const quiet = "script, style, .md, .bubble, .chat-name, .chat-title";
        if (!node.parentElement.closest(quiet) && !node.parentElement.closest(notYet)) found.push(node.textContent);
    }
    for (const element of document.querySelectorAll("*")) {
        for (const name of ["aria-label", "title", "placeholder", "alt"]) {
            if (element.getAttribute(name) && !element.closest(notYet)) found.push(element.getAttribute(name));
        }
    }
    return found.map((text) => text.trim()).filter(Boolean);
}"""


def english_only() -> set[str]:
    """Texts that can stand on an English page and on no German one."""
    english, german = texts.catalogue("en"), texts.catalogue("de")
    whole = {text for text in english.values() if isinstance(text, str) and not texts.parameters(text)}
    return whole - {text for text in german.values() if isinstance(text, str)}


async def left_in_english(page: Page) -> set[str]:
    """The texts of a page and the names of its elements that are English."""
    shown = set(await page.evaluate(SHOWN, NOT_YET))
    english = english_only()
    return {text for text in shown if text in english or text[:1].lower() + text[1:] in english}


async def told(page: Page) -> None:
    """Waits until a page is shown in its reader's language."""
    await page.wait_for_function(TRANSLATED)


async def test_a_page_is_in_the_language_of_the_browser(visit: Visit) -> None:
    """Its title, its `lang`, its buttons."""
    ada = await visit("ada", locale="de-DE")
    page = await ada.open("/settings")
    await expect(page.get_by_role("heading", name="Einstellungen")).to_be_visible()
    await expect(page.locator("html")).to_have_attribute("lang", "de")
    await expect(page.get_by_role("button", name="Abmelden").first).to_be_visible()
    await expect(page).to_have_title("Einstellungen · Leaf")


async def test_a_choice_counts_more_than_the_browser(visit: Visit) -> None:
    """It stays, here and on the server, and holds at once."""
    ada = await visit("ada", locale="de-DE")
    page = await ada.open("/settings/appearance")
    await page.get_by_label("Sprache").select_option("en")
    await expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    await expect(page.locator("html")).to_have_attribute("lang", "en")
    await page.reload()
    await expect(page.get_by_label("Language")).to_have_value("en")
    await page.get_by_label("Language").select_option("auto")
    await expect(page.get_by_role("heading", name="Einstellungen")).to_be_visible()


async def test_the_server_says_it_in_the_same_language(visit: Visit) -> None:
    """A choice holds for what the server says without the page being loaded again."""
    ada = await visit("ada")
    page = await ada.open("/settings/appearance")
    await page.get_by_label("Language").select_option("de")
    await expect(page.get_by_role("heading", name="Einstellungen")).to_be_visible()
    await page.get_by_role("link", name="Sitzungen").click()
    await expect(page.get_by_text(re.compile("Chrome auf Linux")).first).to_be_visible()
    await expect(page.get_by_text("Jetzt aktiv").first).to_be_visible()


async def test_nothing_is_shown_in_another_language_before(visit: Visit, subtests: pytest.Subtests) -> None:
    """A page that was built in English is hidden until it is shown in German, and hydrates without a complaint."""
    ada, stranger = await visit("ada", locale="de-DE"), await visit(locale="de-DE")
    tabs = {True: await stranger.context.new_page(), False: await ada.context.new_page()}
    for page in tabs.values():
        await page.add_init_script(LOOK)
    for path in ("/", "/dashboard", "/settings/integrations", "/usage"):
        page = tabs[path == "/"]
        with subtests.test(path=path):
            await page.goto(ada.leaf.url + path)
            await told(page)
            await expect(page.locator("h1").first).to_be_visible()
            assert set(await page.evaluate("() => window.shownTexts")) <= {"Zum Inhalt springen"}


async def test_no_word_of_a_page_is_left_in_english(visit: Visit, subtests: pytest.Subtests) -> None:
    """Neither texts nor names of elements."""
    ada, stranger = await visit("ada", locale="de-DE"), await visit(locale="de-DE")
    ada.guard.allow("404")
    page = await ada.context.new_page()
    for path in (
        "/dashboard", "/settings", "/settings/integrations", "/settings/sessions", "/settings/appearance", "/usage",
        "/chat/none", "/nowhere",
    ):  # fmt: skip
        with subtests.test(path=path):
            await page.goto(ada.leaf.url + path)
            await _assert_german(page)
    await _assert_german(await stranger.open("/"))


async def _assert_german(page: Page) -> None:
    await told(page)
    await expect(page.locator("html")).to_have_attribute("lang", "de")
    await page.wait_for_load_state("networkidle")
    assert not await left_in_english(page)


async def test_a_chat_is_in_the_readers_language(visit: Visit, leaf: Product) -> None:
    """Steps, actions, panels and what is read aloud; a text in the composer stays where the language changes."""
    ada = await visit("ada", locale="de-DE")
    page = await ada.open("/dashboard")
    await page.locator("nav [data-new-chat]").click()
    await page.wait_for_url("**/chat/*")
    chat = Chat(page)
    box = page.get_by_role("textbox", name="Nachricht")
    await box.fill(questions.about_contracts(leaf))
    await box.press("Enter")
    await chat.finished()
    await expect(chat.answer.locator(".step-head").first).to_contain_text(
        re.compile("gelesen|gesucht|durchsucht|aufgelistet")
    )
    await expect(page.locator("#live-region")).to_have_text("Leaf hat geantwortet.")
    await expect(chat.evidence).to_contain_text(re.compile(r"\d gelesen"))
    await chat.open_sources()
    await expect(page.get_by_role("heading", name="Quellen")).to_be_visible()
    await chat.choose("Dateien")
    await expect(page.get_by_text("Noch keine Dateien. Laden Sie welche hoch")).to_be_visible()
    assert not await left_in_english(page)
    await box.fill("Noch nicht gesendet")
    other = await ada.open("/settings/appearance")
    await other.get_by_label("Sprache").select_option("en")
    await expect(other.get_by_role("heading", name="Settings")).to_be_visible()
    await page.reload()
    await expect(chat.box).to_have_value("Noch nicht gesendet")
    await expect(chat.evidence).to_contain_text(re.compile(r"\d read"))
