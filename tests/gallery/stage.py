"""Where scenes are played: a running Leaf, a Chromium, and people who have signed in to it."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from weakref import WeakKeyDictionary

from playwright.async_api import Browser, CDPSession, Page, StorageState, expect
from psycopg.types.json import Jsonb

from sandbox import sample_drive
from tests.browser import questions
from tests.browser.guard import Guard
from tests.browser.product import Product
from tests.browser.test_sidebar import furnish
from tests.browser.visitor import Chat, Visitor

ANSWERED_MS = 90_000
WIDE, NARROW = (1280, 860), (360, 740)
Scheme = Literal["light", "dark"]
_fingers: WeakKeyDictionary[Page, CDPSession] = WeakKeyDictionary()
"""Tabs can be touched for as long as the session lasts that has said so."""
TITLES = (
    "Notice periods of all leases", "Harvest of 2025 by orchard", "Questions for the auditor",
    "Cold store in Riverbend",
    "Summary of the March meeting", "Who approves purchases?", "Packaging prices since 2021", "Budget of marketing",
    "Frost damage, what insurers want", "Plan for the open day", "Suppliers without a contract", "Onboarding checklist",
    "Apple varieties and their yield", "Water rights", "Draft of the annual letter", "Energy use by building",
)  # fmt: skip


@dataclass
class Stage:
    """The tools of scenes. Contexts of people are closed by `clear`."""

    leaf: Product
    browser: Browser
    signed_in: dict[str, StorageState] = field(default_factory=dict[str, StorageState])
    visitors: list[Visitor] = field(default_factory=list[Visitor])

    async def visit(self, account: str | None = "ada") -> Visitor:
        """A browser of Ada's (who has connected Drive), of Ben's (who has not), or of a stranger's."""
        if account is not None and account not in self.signed_in:
            await self._sign_in(account)
        context = await self.browser.new_context(
            viewport={"width": WIDE[0], "height": WIDE[1]},
            color_scheme="light",
            locale="en-GB",
            timezone_id="Europe/Berlin",
            storage_state=self.signed_in[account] if account else None,
        )
        context.set_default_timeout(30_000)
        visitor = Visitor(self.leaf, context, Guard(), account or "ada")
        self.visitors.append(visitor)
        return visitor

    async def _sign_in(self, account: str) -> None:
        context = await self.browser.new_context()
        visitor = Visitor(self.leaf, context, Guard(), account)
        await visitor.sign_in()
        if account == "ada":
            await visitor.connect()
        self.signed_in[account] = await context.storage_state()
        await context.close()

    async def clear(self) -> None:
        """After a scene: no tab is open, no fault is left, and the chats are those that everybody begins with."""
        for visitor in self.visitors:
            await visitor.context.close()
        self.visitors.clear()
        self.leaf.clear_faults()
        self.leaf.use_model(None)
        await self.leaf.query("DELETE FROM chat_sessions RETURNING id")
        await self.leaf.query("DELETE FROM chat_shares RETURNING 1")

    async def furnish(self, visitor: Visitor, count: int = len(TITLES)) -> None:
        """Gives a person chats of several days."""
        await furnish(visitor, count, hours_apart=13)
        for number in range(1, count + 1):
            title = TITLES[(number - 1) % len(TITLES)]
            await self.leaf.query(
                "UPDATE chat_sessions SET title = %s WHERE title = %s RETURNING 1", title, f"Chat {number}"
            )

    @asynccontextmanager
    async def model(self, name: str) -> AsyncGenerator[None]:
        """Answers are written by another of the sandbox's models for the length of a block."""
        self.leaf.use_model(f"sandbox:{name}")
        try:
            yield
        finally:
            self.leaf.use_model(None)

    async def asked(self, question: str, *steps: dict[str, Any], title: str = "", pace_ms: int = 0) -> Chat:
        """A chat of Ada's in which a question is answered by a script, told as if it were the question's own answer."""
        ada = await self.visit()
        await self.furnish(ada, 6)
        chat = await ada.new_chat()
        return await self.go_on(chat, question, *steps, title=title, pace_ms=pace_ms)

    async def go_on(self, chat: Chat, question: str, *steps: dict[str, Any], title: str = "", pace_ms: int = 0) -> Chat:
        """Asks in a chat; the page is opened anew with the question in place of the script."""
        async with self.model(f"sandbox-script-{pace_ms}" if pace_ms else "sandbox-script"):
            # An address that stands in the question may be opened; this one is to be asked about; and backticks end it.
            script = json.dumps(steps).replace("unknown.", "\\u0075nknown.").replace("`", "\\u0060")
            await chat.ask(f"{question}\n```json\n{script}\n```")
            if not pace_ms:
                await expect(chat.page.locator(".message.answer.live")).not_to_have_attribute(
                    "aria-busy", "true", timeout=ANSWERED_MS
                )
            await self._retell(chat, question, title)
            # Until the server has said that it has the message, it is a draft.
            await expect(chat.box).to_have_value("")
        await chat.page.reload()
        await expect(chat.answer).to_be_visible()
        await expect(chat.page.locator("nav#sidebar li.chat-row").first).to_be_attached()
        return chat

    async def _retell(self, chat: Chat, question: str, title: str) -> None:
        part = {"type": "text", "text": question, "state": "done"}
        await self.leaf.query(
            "UPDATE messages SET parts = %s WHERE role = 'user' AND chat_session_id = %s"
            " AND position = (SELECT max(position) FROM messages WHERE role = 'user' AND chat_session_id = %s)"
            " RETURNING id",
            Jsonb([part]),
            chat.id,
            chat.id,
        )
        if title:
            await self.leaf.query("UPDATE chat_sessions SET title = %s WHERE id = %s RETURNING id", title, chat.id)

    def file(self, path: str) -> str:
        """The address of a file of the sample Drive."""
        return f"{self.leaf.sandbox_url}/file/d/{sample_drive.id_of(path)}/view"

    def folder(self, path: str) -> str:
        """The address of a folder of the sample Drive."""
        return questions.folder(self.leaf, path)


async def show(page: Page, scheme: Scheme, size: tuple[int, int]) -> None:
    """Brings a tab to a theme and a size; what is narrow is touched with fingers."""
    if size == NARROW and page not in _fingers:
        _fingers[page] = await page.context.new_cdp_session(page)
        # Telling a tab that it cannot be touched would take the mouse from it as well: what is wide comes first.
        await _fingers[page].send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    await page.set_viewport_size({"width": size[0], "height": size[1]})
    await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    if not await page.locator("script").count():
        return  # A page that may run nothing has no frames to wait for.
    # Two frames: what follows the width has followed it, and has been drawn.
    await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def step(name: str, arguments: dict[str, Any], text: str = "", thought: str = "") -> dict[str, Any]:
    """A reply of a script that calls a tool."""
    return {"text": text, "reasoning": thought, "calls": [{"name": name, "arguments": arguments}]}


def says(text: str) -> dict[str, Any]:
    """A reply of a script that is text."""
    return {"text": text}
