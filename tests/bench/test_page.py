"""How far a page is behind the model, and what a long answer costs on the socket."""

import re
from typing import Any

from playwright.async_api import Page, WebSocket

from tests.bench.conftest import Report
from tests.browser.conftest import chromium_browser, leaf, product, signed_in, visit
from tests.browser.product import Product
from tests.browser.visitor import Visit

__all__ = ["chromium_browser", "leaf", "product", "signed_in", "visit"]

QUESTIONS = 20
LAST_WORDS = "That was all, truly."
SOCKET_BYTES = 500_000
# Notes when the text of the newest answer first appears, and when the last words are there (Unix times in seconds).
WATCH = """(lastWords) => {
    window.seen = {answers: 0, first: 0, last: 0};
    const look = () => {
        const answers = document.querySelectorAll('[role=article][aria-label="Leaf"]');
        const texts = answers.length ? [...answers[answers.length - 1].querySelectorAll('.md')] : [];
        const now = Date.now() / 1000;
        if (answers.length !== window.seen.answers) window.seen = {answers: answers.length, first: 0, last: 0};
        if (!window.seen.first && texts.some((one) => one.textContent.trim())) window.seen.first = now;
        if (!window.seen.last && texts.length && texts[texts.length - 1].textContent.includes(lastWords))
            window.seen.last = now;
    };
    new MutationObserver(look).observe(document.body, {childList: true, subtree: true, characterData: true});
    document.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') window.sent = Date.now() / 1000;
    }, true);
}"""


async def _times(page: Page) -> dict[str, float]:
    return await page.evaluate("({sent: window.sent, ...window.seen})")


def _requests(running: Product, since: float) -> list[dict[str, Any]]:
    """What the model was asked since a time, where it has answered."""
    return [entry for entry in running.model_requests() if entry["deltas"] and entry["received_at"] > since]


async def test_a_long_answer_is_cheap_and_the_page_keeps_up(visit: Visit, leaf: Product, report: Report) -> None:
    """2,000 words: less than half a megabyte, the last words at once. # 000-33"""
    ada = await visit("ada")
    received: list[int] = []

    def on_socket(socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: received.append(len(payload)))

    ada.context.on("page", lambda page: page.on("websocket", on_socket))
    chat = await ada.new_chat()
    await chat.page.evaluate(WATCH, LAST_WORDS)
    leaf.use_model("sandbox:sandbox-long")
    try:
        before = sum(received)
        await chat.ask("Write something long")
        text = await chat.finished()
    finally:
        leaf.use_model(None)
    socket_bytes = sum(received) - before
    times = await _times(chat.page)
    lag = times["last"] - _requests(leaf, times["sent"])[-1]["last_delta_at"]
    report(f"the last of 2,000 words after the model's ({socket_bytes / 1e6:.2f} MB on the socket)", [lag, lag])
    assert len(re.findall(r"\w+", text)) > 1900
    assert 0 < socket_bytes < SOCKET_BYTES


async def test_the_first_word_comes_at_once(visit: Visit, leaf: Product, report: Report) -> None:
    """From Enter to the model, and from the model to the page. # 000-33"""
    ada = await visit("ada")
    chat = await ada.new_chat()
    await chat.page.evaluate(WATCH, LAST_WORDS)
    asked: list[float] = []
    shown: list[float] = []
    for number in range(QUESTIONS):
        await chat.ask(f"hello {number}")
        await chat.finished()
        times = await _times(chat.page)
        requests = _requests(leaf, times["sent"])
        asked.append(requests[0]["received_at"] - times["sent"])
        # A request that led to a tool call has no text.
        begun = [entry["first_delta_at"] for entry in requests if entry["first_delta_at"] <= times["first"]]
        shown.append(times["first"] - begun[-1])
    report("from Enter to the model's request", asked)
    report("the first word on the page after the model's", shown)
    assert len(shown) == QUESTIONS
