"""An answer from the web: its progress, its links, and the pages behind a step."""

import re

from playwright.async_api import expect

from tests.browser.product import Product
from tests.browser.visitor import ANSWERED_MS, Visit

QUESTION = "Search the web: how strong must updrafts be for hail of 5 cm?"


async def test_a_web_search_shows_its_progress_and_its_results_as_links(visit: Visit, leaf: Product) -> None:
    """# 001-19 002-14"""
    leaf.fault(path="^/search", status=None, times=1, delay_seconds=3)
    chat = await (await visit("ada")).new_chat()
    await chat.ask(QUESTION)
    searching = chat.answer.locator(".step-text", has_text="Searching the web for").first
    await expect(searching).to_be_visible(timeout=ANSWERED_MS)
    text = await chat.finished()
    assert "one of 5 cm more than 100 km/h" in text
    page = f"{leaf.sandbox_url}/web/weather-book/how-hail-forms"
    cited = chat.answer.get_by_role("link", name="1", exact=True)
    await expect(cited).to_have_attribute("href", page)
    group = chat.answer.locator(".steps").first
    await expect(group.locator("summary").first).to_contain_text("Searched the web for")
    steps = group.locator("li > details.step")
    await expect(steps).to_have_count(1)
    await expect(steps.first).to_contain_text("results in the sandbox's web")
    # It is not the only call of its answer: the page is read, too.
    await expect(steps.first).not_to_have_attribute("open", "")
    await steps.first.locator("summary").click()
    links = steps.first.locator(".page-links a")
    await expect(links.first).to_have_attribute("href", page)
    await expect(links.first).to_have_attribute("rel", re.compile("noopener"))
    async with chat.page.context.expect_page() as opened:
        await links.first.click()
    document = await opened.value
    await expect(document.get_by_role("heading", level=1).first).to_have_text("How hail forms")
