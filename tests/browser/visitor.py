"""A person at a browser: signs in, connects Drive, asks."""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import BrowserContext, Locator, Page, expect

from tests.browser.guard import Guard
from tests.browser.product import Product

ANSWERED_MS = 60_000
MESSAGE = "Message"
ABOUT = re.compile("^(More about this chat|Mehr zu diesem Chat)$")
"""The menu in the header of a chat, in both languages."""


_TOLD = """
    INSERT INTO messages (chat_session_id, role, parts, user_id)
    SELECT id, 'user', %s, created_by FROM chat_sessions WHERE id = %s RETURNING id
"""
_ANSWERED = """
    INSERT INTO messages (chat_session_id, parent_id, role, workflow_run_id, parts, user_id)
    SELECT chat_session_id, id, 'assistant', gen_random_uuid(), %s, user_id FROM messages WHERE chat_session_id = %s
    RETURNING id
"""


@dataclass
class Visitor:
    """One browser context. `account` is the sandbox account that its person uses."""

    leaf: Product
    context: BrowserContext
    guard: Guard
    account: str = "ada"
    pages: list[Page] = field(default_factory=list)

    async def open(self, path: str = "/dashboard") -> Page:
        """A new tab with a page of Leaf."""
        page = await self.context.new_page()
        self.pages.append(page)
        await page.goto(self.leaf.url + path)
        return page

    async def allow(self, page: Page, *, decision: str = "Allow") -> None:
        """Answers the sandbox's consent page."""
        await expect(page.get_by_role("button", name=decision, exact=True)).to_be_visible()
        await page.locator(f'input[name="account"][value="{self.account}"]').check()
        await page.get_by_role("button", name=decision, exact=True).click()

    async def sign_in(self, page: Page | None = None) -> Page:
        """Signs in from the landing page, as a person does."""
        page = page or await self.open("/")
        await page.get_by_role("button", name="Sign in with Google").click()
        await self.allow(page)
        await page.wait_for_url(re.compile(r"/(dashboard|chat)"))
        return page

    async def connect(self, page: Page | None = None) -> Page:
        """Connects Drive in Settings."""
        page = page or await self.open("/settings/integrations")
        await page.get_by_role("button", name=re.compile(r"^(Connect|Reconnect)$")).click()
        await self.allow(page)
        await expect(page.get_by_text(re.compile("Google account:|This is the Drive of"))).to_be_visible()
        return page

    async def disconnect(self) -> None:
        """Makes sure that Drive is not connected."""
        await self.context.request.delete(f"{self.leaf.url}/api/integrations/google_drive")

    async def new_chat(self, page: Page | None = None) -> "Chat":
        """Opens an empty chat: on a page by the button in the sidebar, otherwise in a tab of its own."""
        if page is None:
            made = await self.context.request.post(f"{self.leaf.url}/api/chats", data={})
            chat = await self.chat(f"/chat/{(await made.json())['id']}")
            # The page knows its member and its chat.
            await expect(chat.page.locator("#sidebar .person-name")).not_to_be_empty()
        else:
            before = page.url
            await page.locator("nav").get_by_role("button", name="New chat", exact=True).click()
            await page.wait_for_url(lambda url: "/chat/" in url and url != before)
            await expect(page.get_by_role("article")).to_have_count(0)
            chat = Chat(page)
        await expect(chat.box).to_be_focused()
        return chat

    async def chat(self, path: str) -> "Chat":
        """A chat that is there already, in a tab of its own."""
        return Chat(await self.open(path))

    async def told(self, question: str, parts: str | list[dict[str, Any]] = "Yes.") -> str:
        """The path of a chat in which this was asked and answered, for walks about something else than that.

        It is written into the database: asking costs as much as a page.
        """
        made = await self.context.request.post(f"{self.leaf.url}/api/chats", data={})
        chat_id = (await made.json())["id"]
        await self.leaf.query(_TOLD, json.dumps([{"type": "text", "text": question, "state": "done"}]), chat_id)
        if isinstance(parts, str):
            parts = [{"type": "text", "text": parts, "state": "done"}]
        await self.leaf.query(_ANSWERED, json.dumps(parts), chat_id)
        await self.leaf.query(
            "UPDATE chat_sessions SET title = %s, begun = true, updated_at = now() WHERE id = %s RETURNING id",
            question, chat_id,
        )  # fmt: skip
        return f"/chat/{chat_id}"


@dataclass
class Chat:
    """A tab that shows a chat."""

    page: Page

    @property
    def path(self) -> str:
        return "/chat/" + self.id

    @property
    def id(self) -> str:
        return self.page.url.partition("/chat/")[2].partition("?")[0]

    @property
    def box(self) -> Locator:
        return self.page.get_by_role("textbox", name=MESSAGE)

    @property
    def questions(self) -> Locator:
        return self.page.get_by_role("article", name="You")

    @property
    def answers(self) -> Locator:
        return self.page.get_by_role("article", name="Leaf")

    @property
    def answer(self) -> Locator:
        """The last answer."""
        return self.answers.last

    @property
    def stop_button(self) -> Locator:
        return self.page.get_by_role("button", name="Stop", exact=True)

    @property
    def retry_button(self) -> Locator:
        return self.answer.get_by_role("button", name="Retry")

    async def choose(self, name: str) -> None:
        """Chooses an item of the menu in the header."""
        await self.open_menu()
        await self.page.get_by_role("menu", name=ABOUT).locator('[role^="menuitem"]').filter(has_text=name).click()

    async def open_menu(self) -> None:
        await self.page.get_by_role("button", name=ABOUT).click()

    @property
    def evidence(self) -> Locator:
        """The line under the last answer that says what it rests on."""
        return self.answer.locator(".rests")

    async def open_sources(self) -> Locator:
        """Opens the panel from that line."""
        await self.evidence.locator("[data-opens-panel]").click()
        panel = self.page.get_by_role("complementary")
        await expect(panel).to_be_visible()
        return panel

    async def choose_mode(self, name: str) -> None:
        """Quick or Adaptive, in the composer."""
        await self.page.get_by_role("button", name="Mode", exact=True).click()
        await self.page.get_by_role("menuitemradio", name=name).click()
        await expect(self.page.get_by_role("button", name="Mode", exact=True)).to_have_text(name)

    async def send(self, text: str) -> None:
        await self.box.fill(text)
        await self.box.press("Enter")

    async def ask(self, text: str) -> None:
        """Sends a question and waits until its answer is on the page, finished or not."""
        count = await self.answers.count()
        await self.send(text)
        await expect(self.answers).to_have_count(count + 1)

    async def written(self, characters: int, *, timeout_ms: int = ANSWERED_MS) -> str:
        """Waits until so much of the answer's text is there; gives what is there then."""
        await self.page.wait_for_function(
            """([selector, wanted]) => {
                const all = document.querySelectorAll(selector);
                const last = all[all.length - 1];
                const text = last ? [...last.querySelectorAll('.md')].map((one) => one.textContent).join('') : '';
                return text.length >= wanted;
            }""",
            arg=['article[aria-label="Leaf"], [role=article][aria-label="Leaf"]', characters],
            timeout=timeout_ms,
            polling=50,
        )
        return await self.text()

    async def finished(self, status: str = "completed", *, timeout_ms: int = ANSWERED_MS) -> str:
        """Waits for the end of the last answer; gives its text."""
        await expect(self.page.locator(".message.answer.live")).to_have_attribute(
            "data-status", status, timeout=timeout_ms
        )
        return await self.text()

    async def text(self) -> str:
        """The text of the last answer as it is drawn, without steps and buttons."""
        return "\n".join(await self.answer.locator(".md").all_inner_texts())

    async def steps(self) -> Locator:
        return self.answer.locator("details.steps")


Visit = Callable[..., Awaitable[Visitor]]


def words(text: str) -> list[str]:
    """The words of a text, for comparisons that do not mind how it is laid out."""
    return re.findall(r"[^\W_]+", text)
