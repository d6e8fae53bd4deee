"""The times that a person at a browser waits."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

from playwright.async_api import CDPSession, Page, expect

from tests.bench.figures import Figures, late
from tests.bench.system import System, between
from tests.browser.visitor import Chat

Scenario = Callable[[System, Figures], Awaitable[None]]

WATCH = (Path(__file__).parent / "watch.js").read_text()
BROWSERS = 6
TYPING_MS = 1000
_SETTLED = "document.querySelector('.message.answer.live')?.dataset.status === 'completed'"


class Tab:
    """A tab whose frames, long tasks and received bytes are noted."""

    def __init__(self, page: Page, cdp: CDPSession) -> None:
        self.page, self.cdp = page, cdp
        self.frames: list[int] = []

    @classmethod
    async def open(cls, system: System, path: str = "") -> "Tab":
        """A tab with a new chat, or with a path."""
        page = await system.ada.context.new_page()
        return await cls.attach(page, system, path)

    @classmethod
    async def attach(cls, page: Page, system: System, path: str = "") -> "Tab":
        """Watches a page and takes it to a path, or to a new chat."""
        cdp = await page.context.new_cdp_session(page)
        tab = cls(page, cdp)
        cdp.on("Network.webSocketFrameReceived", tab._frame)
        await cdp.send("Network.enable")
        if path:
            await page.goto(system.leaf.url + path)
            await expect(Chat(page).box).to_be_visible()
        else:
            await page.goto(system.leaf.url + "/dashboard")
            await system.ada.new_chat(page)
        await page.evaluate(WATCH)
        return tab

    def _frame(self, event: dict[str, Any]) -> None:
        self.frames.append(len(event["response"]["payloadData"]))

    async def ask(self, text: str) -> dict[str, Any]:
        """Asks and waits for the end; gives what the page noted."""
        chat = Chat(self.page)
        await chat.box.fill(text)
        # A person takes a moment to type, in which the page has come to rest.
        await self.page.wait_for_timeout(TYPING_MS)
        self.frames.clear()
        await chat.box.press("Enter")
        await self.page.wait_for_function(f"() => window.bench.last >= 0 && {_SETTLED}", timeout=300_000)
        return await self.page.evaluate("new Promise((done) => setTimeout(() => done(window.bench), 100))")


def lags(noted: dict[str, Any], sent: list[float]) -> list[float]:
    """For each token, the milliseconds from its being sent to the frame that shows it."""
    found: list[float] = []
    for painted_ms, word in noted["seen"]:
        found += [painted_ms - sent[number] * 1000 for number in range(len(found), word + 1)]
    return found


async def _round(system: System, tokens: int, gap_ms: int) -> dict[str, float]:
    """One answer in a new chat in a tab of its own."""
    system.pace(tokens, gap_ms)
    tab = await Tab.open(system)
    question, key = system.question()
    before = system.consumed()
    noted = await tab.ask(question)
    used = between(before, system.consumed())
    asked = await system.sent(key)
    behind = lags(noted, asked["sent"])
    assert len(behind) == tokens, f"{len(behind)} of {tokens} tokens were seen"
    ended = noted["seen"][-1][0]
    result = {
        "request": asked["received_at"] * 1000 - noted["sent"],
        "first": behind[0],
        "last": behind[-1],
        "late": late(behind),
        "whole": (ended - noted["sent"]) / 1000,
        "bytes": sum(tab.frames) / tokens,
        "long": sum(length for at, length in noted["long"] if at < ended) / 1000,
        "cpu": used.cpu_seconds * 1000 / tokens,
        **{f"cpu {kind}": seconds * 1000 / tokens for kind, seconds in used.cpu.items()},
    }
    await tab.page.close()
    return result


async def warm(system: System) -> None:
    """The first answers of a process load what later ones find loaded."""
    for _ in range(2):
        await _round(system, 50, 20)


async def stream(system: System, figures: Figures) -> None:
    """500 tokens, 20 ms apart."""
    for _ in range(figures.rounds):
        one = await _round(system, 500, 20)
        figures.note("Enter pressed until the model has the request", one["request"], "ms", 80)
        figures.note("first token painted after the model sent it (500, 20 ms apart)", one["first"], "ms", 55)
        figures.note("last token painted after it was sent", one["last"], "ms", 55)
        figures.note("95th percentile of the lag while streaming", one["late"], "ms", 75)
        figures.note("bytes to the browser per token (500, 20 ms apart)", one["bytes"], "B", 125)
        figures.note("server CPU per 1,000 tokens, 20 ms apart, one reader", one["cpu"], "s", 2.5)
        for kind in ("web", "worker", "redis", "postgres"):
            figures.note(f"of it {kind}", one[f"cpu {kind}"], "s")


async def idle(system: System, figures: Figures) -> None:
    """The resources that Leaf uses while nothing happens, with one tab open."""
    tab = await Tab.open(system)
    for _ in range(figures.rounds):
        before = system.consumed()
        await tab.page.wait_for_timeout(10_000)
        for kind, seconds in between(before, system.consumed()).cpu.items():
            figures.note(f"CPU of {kind} while nothing happens", seconds * 10, "% of a core")
    await tab.page.close()


async def burst(system: System, figures: Figures) -> None:
    """8,000 tokens as fast as they can."""
    for _ in range(figures.rounds):
        one = await _round(system, 8000, 0)
        figures.note("8,000 tokens at once: Enter to last token painted", one["whole"], "s", 3.0)
        figures.note("bytes to the browser per token (8,000 at once)", one["bytes"], "B", 65)
        figures.note("main thread blocked (long tasks) during them", one["long"], "s", 0.5)
        figures.note("server CPU per 1,000 tokens at once", one["cpu"], "s")


async def growth(system: System, figures: Figures) -> None:
    """Whether a token costs more in a long answer than in a short one."""
    short = await _paced(system, 500)
    long = await _paced(system, 8000)
    for name, key in (("bytes", "bytes"), ("server CPU", "cpu"), ("browser time", "browser")):
        figures.note(f"growth from 500 to 8,000 tokens: {name} per token", long[key] / short[key], "×", 1.3)


async def _paced(system: System, tokens: int) -> dict[str, float]:
    """The cost of a token at 5 ms apart: bytes, server CPU, and time of the page's main thread."""
    system.pace(tokens, 5)
    tab = await Tab.open(system)
    await tab.cdp.send("Performance.enable")
    question, _ = system.question()
    before, begun = system.consumed(), await _task_seconds(tab)
    await tab.ask(question)
    used = between(before, system.consumed())
    result = {
        "bytes": sum(tab.frames) / tokens,
        "cpu": used.cpu_seconds / tokens,
        "browser": (await _task_seconds(tab) - begun) / tokens,
    }
    await tab.page.close()
    return result


async def _task_seconds(tab: Tab) -> float:
    metrics = (await tab.cdp.send("Performance.getMetrics"))["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


async def browsers(system: System, figures: Figures) -> None:
    """Six people with a browser each, and an answer of their own."""
    behind: list[float] = []
    for _ in range(figures.rounds):
        system.pace(200, 20)
        _, chats = await asyncio.to_thread(system.chats, BROWSERS)
        visitors = await system.people(chats)
        tabs = [
            await Tab.attach(await one.context.new_page(), system, f"/chat/{chat}")
            for one, chat in zip(visitors, chats, strict=True)
        ]
        questions = [system.question() for _ in tabs]
        noted = await asyncio.gather(*(tab.ask(text) for tab, (text, _) in zip(tabs, questions, strict=True)))
        last = [lags(one, (await system.sent(key))["sent"])[-1] for one, (_, key) in zip(noted, questions, strict=True)]
        behind += last
        figures.note("of them, the worst of each round", max(last), "ms")
        for one in visitors:
            await one.context.close()
    figures.note(
        "six browsers at once: 95th percentile of the last token painted after it was sent", late(behind), "ms", 150
    )
    figures.note("of them, the median", median(behind), "ms")


SCENARIOS: dict[str, Scenario] = {
    "idle": idle,
    "stream": stream,
    "burst": burst,
    "browsers": browsers,
    "growth": growth,
}
