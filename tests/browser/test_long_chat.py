"""A chat that has outgrown its model says so, and shows what the model is sent in the place of its beginning."""

from playwright.async_api import expect

from tests.browser.product import Product
from tests.browser.visitor import Visit

LONG = "Tell me about the cold store in Riverbend and its lease. " * 70


async def test_the_line_opens_and_shows_the_summary(visit: Visit, leaf: Product) -> None:
    """# 001-18"""
    ben = await visit("ben")
    # What the index has read by now would go into the answers, and make them longer.
    await ben.disconnect()
    chat = await ben.new_chat()
    leaf.use_model("sandbox:sandbox-narrow")
    try:
        for number in range(4):
            await chat.ask(f"Hello {number}. {LONG}")
            await chat.finished()
    finally:
        leaf.use_model(None)
    page = chat.page
    line = page.get_by_text("Earlier messages were summarised")
    await expect(line).to_have_count(1)
    summary = page.locator(".summary-text")
    await expect(summary).to_be_hidden()
    await line.click()
    await expect(summary).to_contain_text("cold store")
    await page.reload()
    await expect(line).to_be_visible()
