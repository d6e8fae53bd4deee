"""The widget on a page of another origin, under a policy that allows nothing but Leaf's scripts and requests."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from typing import Any

import jwt
import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, Route, expect

from sandbox.providers import texts
from tests.browser import questions
from tests.browser.axe import violations
from tests.browser.product import Product
from tests.browser.site import Shopkeeper, Site, open_site
from tests.browser.test_hostile import HARMLESS
from tests.browser.visitor import Visit, words

ANSWERED_MS = 60_000


@pytest_asyncio.fixture
async def site(leaf: Product, shopkeeper: Shopkeeper) -> AsyncIterator[Site]:
    """A site."""
    async with open_site(leaf, shopkeeper) as made:
        yield made


class Widget:
    """The widget of a page. Playwright looks into open shadow roots by itself."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.launcher = page.locator("leaf-chat .launcher")
        self.panel = page.get_by_role("dialog")
        self.box = self.panel.get_by_role("textbox")
        self.answers = self.panel.locator(".answer")
        self.questions = self.panel.locator(".question")
        self.rows = self.panel.locator(".rows > li")
        self.thread = self.panel.get_by_role("region", name="Messages")
        self.status = self.panel.get_by_role("status")

    def button(self, name: str) -> Locator:
        return self.panel.get_by_role("button", name=name, exact=True)

    async def open(self) -> None:
        await self.launcher.click()
        await expect(self.box).to_be_focused()

    async def ask(self, text: str) -> None:
        await self.box.fill(text)
        await self.box.press("Enter")

    async def written(self, characters: int) -> str:
        """The text of the last answer, once it has this many characters."""
        last = self.answers.last.locator(".md").first
        await expect(last).to_have_text(_longer(characters), timeout=ANSWERED_MS)
        return await last.inner_text()

    async def finished(self) -> str:
        await expect(self.answers.last.locator(".foot.last .sign").first).to_be_visible(timeout=ANSWERED_MS)
        return "\n".join(await self.answers.last.locator(".md").all_inner_texts())


def _longer(characters: int) -> Any:
    return re.compile(rf"^[\s\S]{{{characters},}}$")


async def stored_answer(leaf: Product) -> str:
    """The text of the newest answer as it is stored."""
    rows = await leaf.query(
        "SELECT parts FROM messages WHERE role = 'assistant' AND status = 'completed' ORDER BY created_at DESC LIMIT 1"
    )
    return "\n\n".join(part["text"] for part in rows[0]["parts"] if part["type"] == "text")


@pytest.mark.usefixtures("slowly")
async def test_a_visitor_asks_and_goes_on_after_a_reload_in_mid_answer(visit: Visit, leaf: Product, site: Site) -> None:
    """Under a strict policy; then another chat, the list, and a chat that is gone for good.

    # 003-07, 003-16, 003-20, 003-21, 003-22, 003-23, 003-24, 003-43
    """
    person = await visit()
    page = await person.context.new_page()
    widget = Widget(page)
    await page.goto(site.page())
    await widget.open()
    await expect(widget.panel.get_by_text("Hello! Ask me about anything.")).to_be_visible()
    assert await violations(widget.page) == []

    await widget.ask("Where is my parcel, and **why**?")
    await expect(widget.status).to_have_text("The answer is being written.")
    before = await widget.written(60)
    await page.reload()
    again = await widget.written(len(before) + 20)
    assert words(again)[: len(words(before)) - 1] == words(before)[:-1]
    await expect(widget.questions.locator(".bubble")).to_have_text("Where is my parcel, and **why**?")
    await leaf.hurry()
    whole = await widget.finished()
    await expect(widget.status).to_have_text("The answer is complete.")
    assert words(whole) == words(await stored_answer(leaf))
    assert await widget.answers.count() == 1
    assert await leaf.query("SELECT context FROM widget_chats WHERE context->>'pageUrl' LIKE %s", f"{site.url}%")

    await widget.button("New chat").click()
    await expect(widget.questions).to_have_count(0)
    await widget.button("Where is my parcel?").click()
    await widget.written(10)
    await widget.button("Stop the answer").click()
    await expect(widget.panel.get_by_text("The answer was stopped.").first).to_be_visible()

    await widget.button("Earlier chats").click()
    await expect(widget.rows).to_have_count(2)
    assert await violations(widget.page) == []
    await widget.rows.nth(1).get_by_role("button").first.click()
    assert words(await widget.finished()) == words(whole)

    await _archives_while_the_list_is_read_again(widget)
    await expect(widget.status).to_have_text("The chat is archived.")
    await expect(widget.rows).to_have_count(1)
    await widget.button("Archived chats").click()
    await expect(widget.rows).to_have_count(1)
    assert await violations(widget.page) == []
    await widget.rows.first.get_by_role("button", name=re.compile("^Restore ")).click()
    await expect(widget.panel.get_by_text("No archived chats.")).to_be_visible()
    await widget.button("Current chats").click()
    await expect(widget.rows).to_have_count(2)
    await widget.rows.nth(1).get_by_role("button", name=re.compile("^Delete ")).click()
    await widget.button("Delete").click()
    await expect(widget.rows).to_have_count(1)
    await widget.button("Back to the chat").click()
    await expect(widget.questions).to_have_count(0)

    other = await visit()
    stranger = Widget(await other.context.new_page())
    await stranger.page.goto(site.page())
    await stranger.open()
    await stranger.button("Earlier chats").click()
    await expect(stranger.panel.get_by_text("No chats yet.")).to_be_visible()


async def _archives_while_the_list_is_read_again(widget: Widget) -> None:
    """A click takes effect even if the list is read again during it, without a change."""
    page, pressed = widget.page, asyncio.Event()
    chats = re.compile(r"/api/site/chats\?")

    async def answer_once_pressed(route: Route) -> None:
        await pressed.wait()
        await route.continue_()

    await page.route(chats, answer_once_pressed)
    await widget.button("Earlier chats").click()
    await widget.rows.nth(1).get_by_role("button", name=re.compile("^Archive ")).hover()
    await page.mouse.down()
    async with page.expect_response(chats) as read:
        pressed.set()
    await (await read.value).finished()
    await page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    await page.mouse.up()
    await page.unroute(chats)


async def test_the_widget_works_by_keyboard_on_a_phone_and_from_right_to_left(visit: Visit, site: Site) -> None:
    """# 003-24"""
    person = await visit(viewport={"width": 360, "height": 640}, color_scheme="dark", reduced_motion="reduce")
    page = await person.context.new_page()
    widget = Widget(page)
    await page.goto(site.page(lang="ar", dir="rtl", language="de"))
    await expect(widget.launcher).to_be_visible()
    await page.get_by_role("button", name="Buy").focus()
    await page.keyboard.press("Tab")
    await expect(widget.launcher).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(widget.box).to_be_focused()
    box = await widget.panel.bounding_box()
    assert box is not None
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 360, 640)
    await page.keyboard.type("مرحبا, wo ist mein Paket?")
    await page.keyboard.press("Enter")
    await widget.finished()
    await expect(widget.status).to_have_text("Die Antwort ist fertig.")
    assert await page.evaluate("document.documentElement.scrollWidth") <= 360
    assert await violations(widget.page) == []

    # A thumb that is pressed keeps the focus.
    thumb = widget.button("Gute Antwort")
    await thumb.focus()
    await page.keyboard.press("Enter")
    await expect(thumb).to_have_attribute("aria-pressed", "true")
    await expect(thumb).to_be_focused()
    await widget.box.focus()

    # Everything can be reached, and the focus stays within the panel, which covers the page.
    names: list[str] = []
    for _ in range(12):
        await page.keyboard.press("Tab")
        names.append(
            await page.evaluate("document.querySelector('leaf-chat').shadowRoot.activeElement?.ariaLabel ?? ''")
        )
    assert {"Frühere Chats", "Neuer Chat", "Chat schließen", "Nachrichten", "Frage stellen"} <= {*names}, names
    assert "Buy" not in names
    await page.keyboard.press("Escape")
    await expect(widget.panel).to_be_hidden()
    await expect(widget.launcher).to_be_focused()


async def test_a_signed_user_has_their_chats_everywhere_and_keeps_what_was_said_before(
    visit: Visit, site: Site
) -> None:
    """# 003-09, 003-10, 003-31"""
    token = jwt.encode({"sub": "customer-7", "exp": int(time.time()) + 600}, site.secret, "HS256")
    first = await visit()
    widget = Widget(await first.context.new_page())
    await widget.page.goto(site.page())
    await widget.open()
    await widget.ask("Said before signing in")
    await widget.finished()
    await widget.page.goto(site.page(user_token=token))
    await widget.button("Earlier chats").click()
    await expect(widget.rows).to_have_count(1)

    second = await visit()
    elsewhere = Widget(await second.context.new_page())
    await elsewhere.page.goto(site.page(user_token=token))
    await elsewhere.open()
    await elsewhere.button("Earlier chats").click()
    await elsewhere.rows.first.get_by_role("button").first.click()
    await expect(elsewhere.questions.locator(".bubble")).to_have_text("Said before signing in")


async def test_an_answer_runs_and_loads_nothing_and_hides_no_address(visit: Visit, leaf: Product, site: Site) -> None:
    """On Leaf's own demo page of the widget. Markdown is drawn, and HTML stays text. # 003-24, 000-35"""
    person = await visit()
    widget = Widget(await person.context.new_page())
    await widget.page.goto(f"{leaf.url}/widget-demo?key={site.key}&theme=dark")
    await widget.open()
    questions.answer_with(leaf, f"{texts.hostile()}\n# A heading\n\n- **one**\n- [two](https://leaf.example/two)\n")
    await widget.ask("Show me everything")
    await widget.finished()
    answer = widget.answers.last
    await expect(answer).to_contain_text("<script>window.leafHacked = true</script>")
    await expect(answer.locator("h3")).to_have_text("A heading")
    await expect(answer.locator("li strong")).to_have_text("one")
    await expect(answer.locator("table th").first).to_have_text("Column")
    assert await answer.locator("a").evaluate_all("all => all.map((one) => [one.href, one.rel])") == [
        ["https://leaf.example/two", "noopener noreferrer nofollow ugc"]
    ]
    assert await answer.evaluate(HARMLESS) == []
    assert await widget.page.evaluate("window.leafHacked === undefined")
    assert await violations(widget.page) == []


async def test_a_link_that_may_hold_text_of_documents_asks_before_it_opens(
    visit: Visit, leaf: Product, site: Site
) -> None:
    """With the whole address. The site's own pages open at once. # 000-35"""
    person = await visit()
    page = await person.context.new_page()
    widget = Widget(page)
    await page.goto(site.page())
    address = "https://evil.example/in?word=trays%20of%20plum"
    asked: list[str] = []
    await person.context.route(
        re.compile("//evil\\.example"), lambda route: (asked.append(route.request.url), route.fulfill(body="x"))[1]
    )
    await widget.open()
    questions.answer_with(leaf, f"[Sign in to **Drive**]({address}), or see [our shop]({site.url}/shop).")
    await widget.ask("Where do I sign in?")
    await widget.finished()
    answer = widget.answers.last
    await expect(answer.locator(".md a:visible")).to_have_text(["our shop"])
    await answer.get_by_role("button", name="Sign in to Drive").click()
    question = page.get_by_role("dialog", name="This link leads to another website:")
    await expect(question).to_contain_text(address)
    assert await violations(widget.page) == []
    await page.keyboard.press("Escape")
    await expect(question).to_be_hidden()
    await expect(widget.box).to_be_visible()
    assert asked == []
    await answer.get_by_role("button", name="Sign in to Drive").click()
    async with person.context.expect_page() as opened:
        await question.get_by_role("link", name="Open").click()
    await (await opened.value).wait_for_load_state()
    assert asked == [address]
    person.guard.requests.remove(address)
