"""A draft belongs to the chat in the address bar and to the person who typed it, however slow the line is."""

import re
from dataclasses import dataclass

import pytest_asyncio
from playwright.async_api import FilePayload, Page, expect

from tests.browser import questions
from tests.browser.line import Line
from tests.browser.product import Product
from tests.browser.visitor import Chat, Visit, Visitor

KEPT = "JSON.stringify(localStorage)"


@dataclass
class Two:
    """A tab of Ada's on a slow line, in the first of two chats."""

    chat: Chat
    line: Line
    first: str
    second: str

    @property
    def page(self) -> Page:
        return self.chat.page

    async def turn_to(self, path: str) -> None:
        """Opens a chat from the sidebar; Leaf receives this when the line is released."""
        self.line.hold()
        await self.page.locator(f'nav#sidebar a[href="{path}"]').click()
        await self.page.wait_for_url("**" + path)

    async def shown(self, title: str) -> None:
        """Waits until Leaf has sent the chat of the address."""
        self.line.let_go()
        await expect(self.page.get_by_role("heading", level=1)).to_have_text(title)


FIRST, SECOND = "The first of two chats", "The second of two chats"


@pytest_asyncio.fixture
async def two(visit: Visit) -> Two:
    ada = await visit("ada", own=True)
    paths = [await ada.told(title) for title in (SECOND, FIRST)]
    line = Line(0.1)
    await line.lay(ada.context)
    two = Two(await ada.chat(paths[1]), line, paths[1], paths[0])
    await two.shown(FIRST)
    for path in paths:
        await expect(two.page.locator(f'nav#sidebar a[href="{path}"]')).to_be_visible()
    return two


async def test_what_is_typed_at_once_stays_in_the_chat_that_was_opened(two: Two) -> None:
    """# 000-46"""
    await two.chat.box.fill("For the first")
    await two.turn_to(two.second)
    await expect(two.chat.box).to_be_focused()
    await two.page.keyboard.type("For the second")
    await two.shown(SECOND)
    await expect(two.chat.box).to_have_value("For the second")
    await two.turn_to(two.first)
    await expect(two.chat.box).to_have_value("For the first")
    await two.shown(FIRST)
    await expect(two.chat.box).to_have_value("For the first")
    await two.turn_to(two.second)
    await expect(two.chat.box).to_have_value("For the second")


async def test_a_message_goes_to_the_chat_in_the_address(two: Two, leaf: Product) -> None:
    """Also when it is sent before Leaf has sent that chat. # 000-46"""
    await two.turn_to(two.second)
    await expect(two.chat.box).to_be_focused()
    await two.page.keyboard.type("Said quickly")
    await two.page.keyboard.press("Enter")
    two.line.let_go()
    await expect(two.chat.questions.locator(".bubble")).to_have_text([SECOND, "Said quickly"])
    await expect(two.chat.box).to_have_value("")
    await two.chat.finished()
    stored = {path: await questions.stored(leaf, path.removeprefix("/chat/")) for path in (two.first, two.second)}
    assert "Said quickly" not in str(stored[two.first])
    assert "Said quickly" in str(stored[two.second])


async def test_a_late_acknowledgement_clears_its_own_draft_alone(two: Two) -> None:
    await two.chat.send("Sent from the first")
    await two.page.locator(f'nav#sidebar a[href="{two.second}"]').click()
    await two.page.wait_for_url("**" + two.second)
    await expect(two.chat.box).to_be_focused()
    await two.page.keyboard.type("Begun in the second")
    await two.shown(SECOND)
    # The message has arrived once its chat is at the top of the list.
    await expect(two.page.locator("nav#sidebar a.chat-link").first).to_have_attribute("href", two.first)
    await expect(two.chat.box).to_have_value("Begun in the second")
    await two.turn_to(two.first)
    await two.shown(FIRST)
    await expect(two.chat.questions.locator(".bubble")).to_have_text([FIRST, "Sent from the first"])
    await expect(two.chat.box).to_have_value("")
    await two.chat.finished()


async def test_a_page_that_has_no_socket_yet_keeps_and_sends_what_is_typed(two: Two) -> None:
    """Neither the loading of the page nor Leaf's first messages change the text. # 000-46"""
    two.line.hold()
    await two.page.goto(two.page.url.replace(two.first, two.second))
    await expect(two.chat.box).to_be_focused()
    await two.page.keyboard.type("Sent too early")
    await two.page.keyboard.press("Enter")
    await expect(two.chat.box).to_have_value("Sent too early")
    two.line.let_go()
    await expect(two.chat.questions.locator(".bubble")).to_have_text([SECOND, "Sent too early"])
    await expect(two.chat.box).to_have_value("")
    await two.chat.finished()
    two.line.hold()
    await two.page.goto(re.sub(r"/chat/.*", "/dashboard", two.page.url))
    await two.chat.box.press_sequentially("Typed too early")
    two.line.let_go()
    await expect(two.page.locator("nav#sidebar a.chat-link").first).to_be_visible()
    await expect(two.chat.box).to_have_value("Typed too early")
    await two.page.reload()
    await expect(two.chat.box).to_have_value("Typed too early")
    await two.chat.box.fill("")


async def test_a_browser_that_knows_nobody_yet_sends_a_message_once(two: Two) -> None:
    """Also where Enter is pressed again because no reply has come. # 000-28"""
    await two.page.context.add_init_script("localStorage.removeItem('leaf:person')")
    two.line.hold()
    await two.page.goto(two.page.url.replace(two.first, two.second))
    await expect(two.chat.box).to_be_focused()
    await two.page.keyboard.type("Sent twice too early")
    await two.page.keyboard.press("Enter")
    await expect(two.page.locator("#composer-hint")).not_to_be_empty()
    await two.page.keyboard.press("Enter")
    two.line.let_go()
    await expect(two.chat.questions.locator(".bubble")).to_have_text([SECOND, "Sent twice too early"])
    await expect(two.chat.box).to_have_value("")
    await two.chat.finished()
    await two.page.reload()
    await expect(two.chat.questions.locator(".bubble")).to_have_text([SECOND, "Sent twice too early"])


async def _sign_out(page: Page) -> None:
    await page.get_by_role("button", name="Your menu").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await expect(page.get_by_role("button", name="Sign in with Google")).to_be_visible()


async def _sign_in(visitor: Visitor, page: Page, account: str, name: str) -> None:
    visitor.account = account
    await visitor.sign_in(page)
    await expect(page.get_by_role("heading", level=1)).to_contain_text(name)


async def test_nobody_sees_the_drafts_of_another_person(visit: Visit) -> None:
    """A sign-out forgets them; a session that just ends leaves them to their writer. # 000-40"""
    visitor = await visit()
    page = await visitor.open("/")
    box = Chat(page).box
    await _sign_in(visitor, page, "ada", "Ada")
    await box.fill("Ada's secret")
    await visitor.context.clear_cookies()
    await page.goto(visitor.leaf.url + "/dashboard")
    await expect(page.get_by_role("button", name="Sign in with Google")).to_be_visible()
    await _sign_in(visitor, page, "ben", "Ben")
    await expect(box).to_have_value("")
    await box.fill("Ben's secret")
    await page.reload()
    await expect(box).to_have_value("Ben's secret")
    await visitor.context.clear_cookies()
    await page.goto(visitor.leaf.url + "/dashboard")
    await _sign_in(visitor, page, "ada", "Ada")
    await expect(box).to_have_value("Ada's secret")
    await _sign_out(page)
    assert "secret" not in await page.evaluate(KEPT)
    await _sign_in(visitor, page, "ben", "Ben")
    await expect(box).to_have_value("")


async def test_the_draft_of_a_deleted_chat_is_forgotten(two: Two) -> None:
    await two.chat.box.fill("Half a secret")
    assert "Half a secret" in await two.page.evaluate(KEPT)
    row = two.page.locator("nav#sidebar li.chat-row").filter(has=two.page.locator(f'a[href="{two.first}"]'))
    await row.hover()
    await row.get_by_role("button", name=re.compile("^Options for")).click()
    await two.page.get_by_role("menuitem", name="Delete").click()
    await two.page.wait_for_url("**/dashboard")
    await expect(row).to_have_count(0)
    # It is kept for as long as the deletion can be taken back.
    await two.page.wait_for_function(f"() => !({KEPT}).includes('Half a secret')")


async def test_a_draft_outlives_the_chat_that_was_opened_for_its_file(visit: Visit, leaf: Product) -> None:
    """A chat without a question is deleted after a week; a tab that is still open gives the words back. # 000-46"""
    ada = await visit("ada")
    page = await ada.open()
    chat = Chat(page)
    await chat.box.fill("What does the attached note say?")
    note = FilePayload(name="note.txt", mimeType="text/plain", buffer=b"Bring pears.")
    await page.get_by_label("Files to upload").first.set_input_files(note)
    await page.wait_for_url("**/chat/*")
    await expect(page.locator(".composer .chip-name")).to_have_text("note.txt")
    await expect(page.locator(".composer .chip .turning")).to_have_count(0)
    await expect(chat.box).to_have_value("What does the attached note say?")
    # Leaf has sent the chat that was opened.
    await expect(page.locator(".welcome-title")).to_be_visible()
    aged = "UPDATE {} SET updated_at = now() - interval '8 days' WHERE {} = %s RETURNING 1"
    await leaf.query(aged.format("chat_files", "chat_session_id"), chat.id)
    await leaf.query(aged.format("chat_sessions", "id"), chat.id)
    assert await leaf.query("SELECT leaf_delete_unasked_chats(interval '7 days', 100) AS gone") == [{"gone": 1}]
    gone = chat.path
    await chat.box.press("Enter")
    left = page.get_by_role("region", name="Your unsent message is still here, without its files")
    await expect(left).to_contain_text("What does the attached note say?")
    await page.reload()
    await left.get_by_role("button", name="Continue in a new chat").click()
    await page.wait_for_url("**/dashboard")
    await expect(chat.box).to_have_value("What does the attached note say?")
    await page.goto(leaf.url + gone)
    await expect(page.get_by_role("heading", name="This chat does not exist")).to_be_visible()
    await expect(left).to_have_count(0)
