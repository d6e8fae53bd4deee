"""Pages in the reader's language, by their browser or by their choice."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.browser.visitor import Visit

UNTOLD = "() => document.documentElement.dataset.untold === undefined"


async def told(page: Page) -> None:
    """Waits until a page is shown in its reader's language."""
    await page.wait_for_function(UNTOLD)


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


@pytest.mark.parametrize("path", ["/", "/dashboard", "/settings/integrations", "/usage"])
async def test_nothing_is_shown_in_another_language_before(visit: Visit, path: str) -> None:
    """A page that was built in English is hidden until it is told in German, and hydrates without a complaint."""
    ada = await visit("ada" if path != "/" else None, locale="de-DE")
    page = await ada.context.new_page()
    await page.add_init_script(
        """() => {
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
    }""".replace("() => {", "(() => {", 1)
        + ")()"
    )
    await page.goto(ada.leaf.url + path)
    await told(page)
    await expect(page.locator("h1").first).to_be_visible()
    assert set(await page.evaluate("() => window.shownTexts")) <= {"Zum Inhalt springen"}
