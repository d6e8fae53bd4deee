"""Usage: under an answer, on the Usage page, and when there is nothing left."""

from collections.abc import AsyncIterator

import psycopg
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser import questions
from tests.browser.product import Product
from tests.browser.visitor import Chat, Visit

PAST = """
    INSERT INTO usage_entries (
        run_id, purpose, user_id, day, model, requests, input_tokens, output_tokens, cache_read_tokens, cost_usd
    )
    SELECT gen_random_uuid(), 'answer', u.id, current_date - age, model, 4, 9000 * (1 + (age * 7) % 5), 1200, 3000, usd
    FROM users u, generate_series(1, 29) age,
        (VALUES ('openai:gpt-5.2', 0.0412), ('openai-chat:a-local-model-with-a-long-name', NULL)) AS m (model, usd)
    WHERE u.email LIKE 'ada%' AND age % 4 <> 0
"""


@pytest_asyncio.fixture
async def past(leaf: Product) -> AsyncIterator[None]:
    """Ada has used something on most days of the last month, some of it with an unknown price."""
    with psycopg.connect(leaf.database_url, autocommit=True) as connection:
        connection.execute(PAST)
        yield
        connection.execute("DELETE FROM usage_entries WHERE day < current_date")


async def test_an_answer_tells_what_it_has_used_to_whoever_asks(answered: Chat) -> None:
    """The keyboard opens it as well; a second press hides it. # 001-22"""
    button = answered.answer.get_by_role("button", name="Details")
    await expect(button).to_have_attribute("aria-expanded", "false")
    await button.focus()
    await answered.page.keyboard.press("Enter")
    told = answered.answer.locator(".spent")
    await expect(told).to_contain_text("Sandbox model")
    await expect(told).to_contain_text("read from the cache")
    await expect(told).to_contain_text("Nothing: the sandbox's model is free")
    await expect(told).to_contain_text("seconds")
    await expect(button).to_have_attribute("aria-expanded", "true")
    await button.click()
    await expect(told).to_have_count(0)


async def test_the_usage_page_shows_days_models_chats_and_budgets(answered: Chat, leaf: Product, past: None) -> None:
    """Nothing is cut off on a phone. # 001-22, 000-68"""
    page = answered.page
    for width in (1280, 360):
        await page.set_viewport_size({"width": width, "height": 800})
        await page.goto(f"{leaf.url}/usage")
        await _assert_whole(page)


async def _assert_whole(page: Page) -> None:
    await expect(page.get_by_role("heading", name="By model")).to_be_visible()
    limits = page.locator("section", has=page.get_by_role("heading", name="Limits"))
    await expect(limits).to_contain_text("of 1,000,000,000 tokens used")
    await expect(limits).to_contain_text("Resets: 00:00 UTC (in ")
    bars = page.locator(".chart").first.locator("rect")
    await expect(bars).to_have_count(30)
    heights = await bars.evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert 110 < max(heights) <= 130
    assert heights.count(0) == 7
    models = page.get_by_role("region", name="By model")
    await expect(models.get_by_role("row", name="gpt-5.2")).to_contain_text("$")
    await expect(models.get_by_role("row", name="a-local-model")).to_contain_text("price unknown")
    await expect(page.get_by_role("region", name="By chat").get_by_role("row", name="Deleted chats")).to_be_visible()
    await page.get_by_text("Show the days as a table").click()
    await expect(page.get_by_role("table").first.get_by_role("row")).to_have_count(31)
    sideways = "() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
    assert await page.evaluate(sideways) == 0
    for part in (page.locator(".page-column"), *await page.locator(".figures-frame").all()):
        assert await part.evaluate("one => one.scrollWidth - one.clientWidth") == 0


async def test_the_usage_page_is_found_from_settings_and_from_ones_menu(visit: Visit, answered: Chat) -> None:
    ada = await visit("ada")
    page = await ada.open("/settings")
    await page.get_by_role("navigation", name="Settings").get_by_role("link", name="Usage").click()
    await expect(page.get_by_role("heading", name="Usage", level=2)).to_be_visible()
    await page.get_by_role("region", name="By chat").get_by_role("link").first.click()
    await page.wait_for_url("**/chat/*")
    # The address changes before the page does, and takes its menu along.
    await expect(Chat(page).box).to_be_visible()
    await page.get_by_role("button", name="Your menu").click()
    await page.get_by_role("menuitem", name="Usage").click()
    await expect(page.get_by_role("heading", name="Usage", level=2)).to_be_visible()


async def test_a_question_over_the_budget_stays_in_the_box_and_says_why(visit: Visit, leaf: Product) -> None:
    """On a chat and on the dashboard. # 002-05, 000-68"""
    ben = await visit("ben")
    chat = await ben.new_chat()
    with psycopg.connect(leaf.database_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO usage_entries (run_id, purpose, user_id, model, input_tokens) "
            "SELECT gen_random_uuid(), 'title', id, 'm', %s FROM users WHERE email LIKE 'ben%%'",
            [questions.BUDGET_TOKENS],
        )
        try:
            for page in (chat.page, await ben.open("/dashboard")):
                box = page.get_by_role("textbox", name="Message")
                await box.fill(questions.PLAIN)
                await box.press("Enter")
                told = page.get_by_role("alert").filter(has_text="You have used up today's 1,000,000,000 tokens")
                await expect(told).to_contain_text("Ask again after 00:00 UTC (in ")
                await expect(box).to_have_value(questions.PLAIN)
                send = page.get_by_role("button", name="Send", exact=True)
                await expect(send).to_have_attribute("aria-busy", "false")
        finally:
            connection.execute("DELETE FROM usage_entries WHERE purpose = 'title'")
    await expect(chat.answers).to_have_count(0)
