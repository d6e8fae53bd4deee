"""Tabs while Redis or PostgreSQL fail over to the other server: answers go on in them, and nobody reloads a page."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.async_api import StorageState, expect

from tests.acceptance.workers import Crew
from tests.browser import questions
from tests.browser.product import Product, free_port
from tests.browser.scripts import script
from tests.browser.visitor import Chat, Visit, words
from tests.scale.system import DATABASE, ScaledStack

FAILED_OVER_MS = 120_000
"""The answer takes 60 s unless it is hurried."""
LONG = " ".join(f"word{number}" for number in range(1000))


class Twofold(Product):
    """Leaf on a PostgreSQL with a standby, behind PgBouncer, and on a Redis that Sentinels watch."""

    stack: ScaledStack

    @property
    def database_url(self) -> str:
        return self.stack.postgres.url(DATABASE)

    @property
    def sandbox_url(self) -> str:
        return self.stack.sandbox.url


@pytest.fixture(scope="module")
def twofold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twofold]:
    """All of it, started once."""
    folder = Path(tempfile.mkdtemp(prefix="leafc-", dir="/tmp"))  # socket paths are short
    folder.chmod(0o755)
    stack = ScaledStack(folder)
    stack.start()
    crew = Crew(stack)
    # Each name stands once: the ones of the stack count, but for these.
    kept = {"PORT", "LEAF_MODEL", "REFLEX_WEB_WORKDIR"}
    settings = {name: value for name, value in stack.environment().items() if name not in kept}
    running = Twofold(directory=folder, port=free_port(), model="sandbox:sandbox-script-60", settings=settings)
    running.stack = stack
    try:
        crew.hire()
        with FileLock(tmp_path_factory.getbasetemp().parent / "pages.lock"):
            if running.has_pages():
                running.start_with_pages()
            else:
                running.start()
        yield running
    finally:
        crew.stop()
        running.stop()
        stack.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def leaf(twofold: Twofold) -> Twofold:
    """The Leaf that `visit` goes to, with all servers."""
    twofold.stack.ensure()
    return twofold


@pytest.fixture(scope="module")
def signed_in() -> dict[str, StorageState]:
    """Nobody has signed in to this Leaf."""
    return {}


async def _untouched(chat: Chat) -> bool:
    return bool(await chat.page.evaluate("() => window.untouched === true"))


async def _in_both_tabs(visit: Visit, leaf: Twofold, strike: Callable[[], object]) -> None:
    ada = await visit("ada")
    one = await ada.new_chat()
    other = await ada.chat(one.path)
    await one.ask(script({"text": LONG}))
    for chat in (one, other):
        await chat.written(200)
        await chat.page.evaluate("() => { window.untouched = true }")
    await expect(one.stop_button).to_be_visible()
    await asyncio.to_thread(strike)
    await leaf.hurry()
    texts = [await chat.finished(timeout_ms=FAILED_OVER_MS) for chat in (one, other)]
    rows = await questions.stored(leaf, one.id)
    assert rows[-1]["status"] == "completed"
    assert questions.text_of(rows[-1]["parts"]) == LONG
    assert [words(text) for text in texts] == [words(LONG), words(LONG)]
    await one.ask(script({"text": LONG}))
    await other.written(100)
    await expect(other.questions).to_have_count(2)
    assert await _untouched(one)
    assert await _untouched(other)
    await one.stop_button.click()
    await one.finished("stopped")
    await other.finished("stopped")


async def test_tabs_go_on_when_redis_fails_over(visit: Visit, leaf: Twofold) -> None:
    """The answer under way is whole in both tabs, and the next one is written and read. # 000-24"""
    await _in_both_tabs(visit, leaf, leaf.stack.redis.kill_primary)


async def test_tabs_go_on_when_postgresql_fails_over(visit: Visit, leaf: Twofold) -> None:
    """The answer under way is whole in both tabs, and the next one is written and read. # 000-24"""
    await _in_both_tabs(visit, leaf, lambda: leaf.stack.fail_over(2.0))
