"""How long a page and a chat take to open, and what their length costs afterwards."""

import asyncio
import json
from statistics import median
from typing import Any
from uuid import UUID, uuid4

import psycopg
from playwright.async_api import Page

from tests.bench.figures import Figures
from tests.bench.page import Scenario, Tab
from tests.bench.provider import token
from tests.bench.system import System, between

LONG_CHAT, VERY_LONG_CHAT = 200, 1000
LAST_WORDS = "The last words of message"
_INTERACTIVE = "document.querySelector('textarea') && document.body.textContent.includes('Ada Lindqvist')"
"""The composer is there, and the server has said who is signed in."""


async def opening(system: System, figures: Figures) -> None:
    """A chat with 200 messages, and a page that a browser has never seen."""
    chat = await asyncio.to_thread(long_chat, system)
    for _ in range(figures.rounds):
        visitor = await system.visitor(of=system.ada)
        page = await visitor.context.new_page()
        cdp = await page.context.new_cdp_session(page)
        scripts = Scripts()
        cdp.on("Network.responseReceived", scripts.begun)
        cdp.on("Network.loadingFinished", scripts.ended)
        await cdp.send("Network.enable")
        await page.goto(system.leaf.url + "/dashboard")
        ready = await _shown(page, _INTERACTIVE)
        figures.note("page cold to interactive", ready / 1000, "s", 0.9)
        figures.note("JavaScript on the wire", scripts.size / 1000, "kB", 450)
        await page.goto(system.leaf.url + f"/chat/{chat}")
        last = "document.body.textContent.includes('The last words of message 199.')"
        figures.note("open a chat with 200 messages", await _shown(page, last) / 1000, "s", 0.6)
        await visitor.context.close()


SCROLL = """() => new Promise((done) => {
    const thread = document.getElementById('thread'), gaps = [];
    let before = performance.now();
    const next = (now) => {
        gaps.push(now - before);
        before = now;
        thread.scrollTop -= 400;
        if (gaps.length < 240 && thread.scrollTop > 0) requestAnimationFrame(next);
        else done(gaps.slice(1).sort((a, b) => a - b));
    };
    requestAnimationFrame(next);
})"""
"""Scrolls upwards, 400 pixels with each frame; gives the milliseconds between frames, the shortest first."""


async def very_long(system: System, figures: Figures) -> None:
    """A chat with 1,000 messages: opened, and scrolled through as soon as its last message is there."""
    chat = await asyncio.to_thread(long_chat, system, VERY_LONG_CHAT)
    words = f"{LAST_WORDS} {VERY_LONG_CHAT - 1}."
    last = f"document.body.textContent.includes('{words}')"
    for _ in range(figures.rounds):
        page = await system.ada.context.new_page()
        frames = await Frames.of(page, words)
        await page.goto(system.leaf.url + f"/chat/{chat}")
        shown_ms = await _shown(page, last)
        figures.note("open a chat with 1,000 messages", shown_ms / 1000, "s", 1.0)
        asked_ms, came_ms, size = frames.first()
        figures.note("of it until the page asks for its chat", asked_ms, "ms")
        figures.note("of it until the last messages have come", came_ms - asked_ms, "ms")
        figures.note("of it until the last one is painted", shown_ms - came_ms, "ms")
        figures.note("bytes of the last messages", size / 1000, "kB")
        gaps: list[float] = await page.evaluate(SCROLL)
        figures.note("bytes of all messages", frames.size / 1000, "kB")
        figures.note("scrolling through it: median time of a frame", median(gaps), "ms")
        figures.note("scrolling through it: 95th percentile", gaps[int(len(gaps) * 0.95)], "ms", 50)
        figures.note("scrolling through it: longest frame", gaps[-1], "ms")
        await page.close()


class Frames:
    """When a page's socket got the messages of a chat, counted from the navigation."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._begun = 0.0
        self._sent_at: list[float] = []
        self._came_at: tuple[float, int] | None = None
        self.size = 0
        """Bytes of everything that held messages."""

    @classmethod
    async def of(cls, page: Page, words: str) -> "Frames":
        """The entries of a page that has not gone anywhere yet and is to show these words."""
        noted = cls(words)
        cdp = await page.context.new_cdp_session(page)
        cdp.on("Network.requestWillBeSent", noted._requested)
        cdp.on("Network.webSocketFrameSent", noted._sent)
        cdp.on("Network.webSocketFrameReceived", noted._came)
        await cdp.send("Network.enable")
        return noted

    def first(self) -> tuple[float, float, int]:
        """Milliseconds until the last event before the words was sent and until they came, and the bytes with them."""
        assert self._came_at is not None, "the words came in no message"
        came, size = self._came_at
        asked = max((at for at in self._sent_at if at < came), default=came)
        return (asked - self._begun) * 1000, (came - self._begun) * 1000, size

    def _requested(self, event: dict[str, Any]) -> None:
        self._begun = self._begun or event["timestamp"]

    def _sent(self, event: dict[str, Any]) -> None:
        # Pings of Socket.IO are one digit.
        if len(event["response"]["payloadData"]) > 1:
            self._sent_at.append(event["timestamp"])

    def _came(self, event: dict[str, Any]) -> None:
        payload = event["response"]["payloadData"]
        if LAST_WORDS in payload:
            self.size += len(payload)
        if self._came_at is None and self._words in payload:
            self._came_at = event["timestamp"], len(payload)


class Scripts:
    """The JavaScript that a page loads, in bytes on the wire."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self.size = 0.0

    def begun(self, event: dict[str, Any]) -> None:
        """A response has come."""
        if event["type"] == "Script" or event["response"]["mimeType"].endswith("javascript"):
            self._known.add(event["requestId"])

    def ended(self, event: dict[str, Any]) -> None:
        """A response is complete."""
        if event["requestId"] in self._known:
            self.size += event["encodedDataLength"]


async def _shown(page: Page, condition: str) -> float:
    """Milliseconds from the start of the navigation to the frame after a condition has come true."""
    return await page.evaluate(
        f"""new Promise((done) => {{
            const look = () => ({condition})
                ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
                : requestAnimationFrame(look);
            look();
        }})"""
    )


async def lengths(system: System, figures: Figures) -> None:
    """Whether a turn costs more in a chat with 200 messages than in an empty one."""
    chat = await asyncio.to_thread(long_chat, system)
    system.pace(100, 20)
    found: dict[str, dict[str, list[float]]] = {"": {}, f"/chat/{chat}": {}}
    for path, figure in found.items():
        for _ in range(figures.rounds):
            tab = await Tab.open(system, path)
            # Until the chat itself has come: it is no part of the turn.
            await tab.page.wait_for_timeout(2000)
            question, key = system.question()
            before = system.consumed()
            noted = await tab.ask(question)
            used = between(before, system.consumed())
            asked = await system.sent(key)
            figure.setdefault("bytes", []).append(sum(tab.frames))
            figure.setdefault("cpu", []).append(used.cpu_seconds)
            figure.setdefault("request", []).append(asked["received_at"] * 1000 - noted["sent"])
            await tab.page.close()
    short, long = found.values()
    for name, unit in (("bytes", "B"), ("cpu", "s"), ("request", "ms")):
        figures.note(f"a turn in an empty chat: {name}", median(short[name]), unit)
        figures.note(f"a turn in a chat of 200 messages: {name}", median(long[name]), unit)


def long_chat(system: System, count: int = LONG_CHAT) -> UUID:
    """A chat of Ada's with so many messages, put into the database."""
    actor, (chat,) = system.chats(1)
    words = "".join(token(number) for number in range(120))
    before: UUID | None = None
    with psycopg.connect(system.leaf.database_url) as connection:
        for number in range(count):
            role = "assistant" if number % 2 else "user"
            text = f"{words}\n\nThe last words of message {number}." if number % 2 else f"Question {number}?"
            parts: list[dict[str, Any]] = [{"type": "text", "text": text, "state": "done"}]
            run_id, message_id = uuid4() if number % 2 else None, uuid4()
            asked = {"part_kind": "user-prompt", "content": f"Question {number - 1}?"}
            sent = [
                {"kind": "request", "parts": [asked]},
                {"kind": "response", "parts": [{"part_kind": "text", "content": text}]},
            ]
            connection.execute(
                "INSERT INTO messages (id, chat_session_id, parent_id, role, workflow_run_id, parts, user_id,"
                " model_messages, requests) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
                (
                    message_id, chat, before, role, run_id, json.dumps(parts), actor.user_id,
                    json.dumps(sent) if number % 2 else None, 1 if number % 2 else None,
                ),
            )  # fmt: skip
            before = message_id
    return chat


SCENARIOS: dict[str, Scenario] = {"opening": opening, "very_long": very_long, "lengths": lengths}
