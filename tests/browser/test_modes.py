"""Modes and models of answers: chosen in the composer, remembered by the browser and by each chat."""

import re

from playwright.async_api import Locator, expect

from leaf import __version__
from tests import model_server
from tests.browser.product import Product
from tests.browser.visitor import Visit

QUESTION = "When does the night shift begin?"


LINES = """one => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size;
}"""
"""The lines of an element's text."""


async def test_a_mode_is_remembered_and_used(visit: Visit) -> None:
    """The browser and the chat keep it over a reload; a cookie with another value is ignored. # 002-06"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    picker = chat.page.get_by_role("button", name="Mode", exact=True)
    await expect(picker).to_have_text("Quick")
    await picker.click()
    await chat.page.get_by_role("menuitemradio", name=re.compile("Adaptive")).click()
    await expect(picker).to_have_text("Adaptive")
    await chat.page.reload()
    await expect(picker).to_have_text("Adaptive")
    await chat.ask(QUESTION)
    await chat.finished()
    other = await ada.open("/dashboard")
    await expect(other.get_by_role("button", name="Mode", exact=True)).to_have_text("Adaptive")
    # The chat keeps its mode when another chat gets another one.
    await other.get_by_role("button", name="Mode", exact=True).click()
    await other.get_by_role("menuitemradio", name=re.compile("Quick")).click()
    await chat.page.reload()
    await expect(picker).to_have_text("Adaptive")
    cookies = {cookie["name"]: cookie for cookie in await ada.context.cookies()}
    await ada.context.add_cookies([{**cookies["searchMode"], "value": "../etc/passwd"}])  # pyright: ignore[reportArgumentType]
    await other.reload()
    await expect(other.get_by_role("button", name="Mode", exact=True)).to_have_text("Quick")


async def test_a_model_of_this_machine_is_tried_chosen_and_kept_by_its_chat(visit: Visit, leaf: Product) -> None:
    """An administrator sees the model, the version, the keys, and later why the model is off. # 000-65, 002-52"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    administration = await ada.open("/admin")
    await expect(administration.get_by_role("heading", name=f"Leaf {__version__}")).to_be_visible()
    await administration.set_viewport_size({"width": 360, "height": 800})
    event = administration.get_by_role("rowheader", name="The administration was opened").first
    assert await event.evaluate("one => one.scrollWidth <= one.clientWidth") is True
    assert await event.evaluate(LINES) <= 3, "words are whole"
    await administration.set_viewport_size({"width": 1280, "height": 800})
    rows = administration.get_by_role("row")
    usual, parrot = rows.filter(has_text="sandbox:sandbox"), rows.filter(has_text="parrot:3b")
    with model_server.running("ollama", port=leaf.model_port) as server:
        await administration.get_by_role("button", name="Look for local models").click()
        await expect(parrot).to_contain_text("On")
        await expect(usual).to_contain_text("On, default")
        await parrot.get_by_role("button", name="Try parrot:3b").click()
        await expect(parrot.get_by_role("status")).to_have_text(re.compile(r"Answered in [\d.]+ s\."))
        await administration.get_by_text("Keys", exact=True).click()
        await expect(rows.filter(has_text="OPENAI_API_KEY")).to_contain_text("Not set")

        await chat.page.reload()
        picker = chat.page.get_by_role("button", name="Model")
        await picker.click()
        await chat.page.get_by_role("menuitemradio", name=re.compile("^parrot:3b")).click()
        await expect(picker).to_have_text("parrot:3b")
        await chat.ask(QUESTION)
        assert model_server.ANSWER in await chat.finished()
        # The chat keeps its model when another chat gets another one.
        other = (await ada.new_chat()).page
        await other.get_by_role("button", name="Model").click()
        await other.get_by_role("menuitemradio", name="Default").click()
        await chat.page.reload()
        await expect(picker).to_have_text("parrot:3b")
    await administration.get_by_role("button", name="Look for local models").click()
    await expect(parrot).to_contain_text(f"Off: {server.address} does not answer")


async def test_a_long_name_of_a_model_leaves_send_its_place_on_a_phone(visit: Visit, leaf: Product) -> None:
    """Menus keep a distance from the edge. # 000-65, 002-42"""
    name = "qwen3-coder-with-a-long-name:30b-a3b-instruct-q4_K_M"
    ada = await visit("ada", viewport={"width": 360, "height": 760})
    page = (await ada.new_chat()).page
    administration = await ada.open("/admin")
    with model_server.running("ollama", port=leaf.model_port) as server:
        server.models = [name]
        await administration.get_by_role("button", name="Look for local models").click()
        await expect(administration.get_by_role("row").filter(has_text=name)).to_contain_text("On")
        await page.reload()
        picker, send = page.get_by_role("button", name="Model"), page.get_by_role("button", name="Send", exact=True)
        await picker.click()
        menu = page.get_by_role("menu", name="Model")
        await expect(menu).to_be_visible()
        assert await _right(menu) <= 352
        await menu.get_by_role("menuitemradio", name=name).click()
        await expect(picker).to_have_text(name)
        assert await _right(picker) <= await send.evaluate("(one) => one.getBoundingClientRect().left")
        assert await _right(send) <= await _right(page.locator("form.composer"))
    await administration.get_by_role("button", name="Look for local models").click()


async def _right(one: Locator) -> float:
    return await one.evaluate("(one) => one.getBoundingClientRect().right")


async def test_a_related_question_is_asked_by_a_click(visit: Visit) -> None:
    """# 002-27"""
    chat = await (await visit("ada")).new_chat()
    await chat.ask(QUESTION)
    await chat.finished()
    related = chat.page.get_by_role("region", name="Related questions").get_by_role("button")
    await expect(related).to_have_count(3)
    text = await related.last.inner_text()
    await related.last.click()
    await expect(chat.questions).to_have_count(2)
    await expect(chat.questions.last).to_contain_text(text)
    await chat.finished()
    await expect(related).to_have_count(3)
