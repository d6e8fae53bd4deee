"""Fixtures of the browser tests: one running Leaf for all of them, and a fresh browser context for each."""

import re
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from filelock import FileLock
from playwright.async_api import Browser, StorageState, async_playwright, expect

from tests import chromium
from tests.browser import questions
from tests.browser.contexts import Contexts, Lent
from tests.browser.guard import Guard
from tests.browser.product import ROOT, Product
from tests.browser.site import Shopkeeper
from tests.browser.visitor import Chat, Visit, Visitor

ADMINISTRATOR = "ada@sandbox.leaf.example"
AT_ONCE = "sandbox:sandbox-0"
"""The usual model without its 4 ms for a word: each piece of an answer is drawn anew, and most walks see its end."""
THRIFT = ("--renderer-process-limit=1", "--js-flags=--no-opt --no-maglev")
"""The tabs of one person share a process, which saves a sixth of what a page costs; and no page lives long enough to
earn back what its scripts' optimisation costs, which is another sixth."""
RESULTS = ROOT / "test-results"
_FAILED = pytest.StashKey[bool]()

# Ample on a machine with much else to do; a condition that holds is seen at once.
expect.set_options(timeout=40_000)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Lets fixtures see whether their test has failed."""
    report: pytest.TestReport = yield
    item.stash[_FAILED] = item.stash.get(_FAILED, False) or report.failed
    return report


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Leaf, started once; every process of it is gone in the end.

    Where several processes run the walks (`-n 2`), each has a Leaf of its own. The first of them compiles the pages,
    unless they are there from an earlier run, compiled of the same sources.
    """
    running = Product(
        model=AT_ONCE,
        settings={
            "LEAF_DAILY_TOKENS": f"{questions.BUDGET_TOKENS}",
            "LEAF_TOKEN_LIMIT": "10000000",
            "LEAF_REQUESTS_PER_MINUTE": "0",
            "LEAF_ADMINS": ADMINISTRATOR,
            "LEAF_GUESTS": "true",
            "LEAF_GUEST_QUESTIONS": "1000",
            # 60 s of CPU, and no walk looks for what has no word in common with its question.
            "LEAF_EMBEDDINGS": "off",
        },
        reads_texts=False,
    )

    def stop(*_: object) -> None:
        # A test run that is told to end must not leave a Leaf behind.
        running.stop()
        sys.exit(143)

    signal.signal(signal.SIGTERM, stop)
    try:
        with FileLock(tmp_path_factory.getbasetemp().parent / "pages.lock"):
            compiled = running.has_pages()
            if not compiled:
                running.start()
        if compiled:
            running.start_with_pages()
        yield running
    finally:
        running.stop()


@pytest_asyncio.fixture(scope="session")
async def chromium_browser() -> AsyncIterator[Browser]:
    """One Chromium for all tests."""
    path = chromium.find()
    assert path is not None, "no Chromium: run `make browser`"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=[*chromium.FLAGS, *THRIFT])
        yield browser
        await browser.close()


@pytest.fixture
def leaf(product: Product) -> Product:
    """The running Leaf without faults."""
    product.clear_faults()
    return product


@pytest.fixture
def slowly(leaf: Product) -> Iterator[None]:
    """Answers of 500 words, a word every 25 ms: time enough to look into the middle of one."""
    leaf.use_model("sandbox:sandbox-slow-25")
    yield
    leaf.use_model(None)


@pytest.fixture
def scripted(leaf: Product) -> Iterator[None]:
    """Answers follow the script in their question, a word every 25 ms."""
    leaf.use_model("sandbox:sandbox-script-25")
    yield
    leaf.use_model(None)


@pytest.fixture
def at_once(leaf: Product) -> Iterator[None]:
    """Answers follow the script in their question, without a pause: for walks that look at their end."""
    leaf.use_model("sandbox:sandbox-script-0")
    yield
    leaf.use_model(None)


@pytest.fixture
def unhurried(leaf: Product) -> Iterator[None]:
    """Answers of 500 words, a word every 40 ms: for tests that stop them, on machines that have much else to do."""
    leaf.use_model("sandbox:sandbox-slow-40")
    yield
    leaf.use_model(None)


@pytest.fixture(scope="session")
def shopkeeper(product: Product) -> Iterator[Shopkeeper]:
    """The process that makes sites."""
    process = Shopkeeper(product)
    yield process
    process.close()


@pytest.fixture(scope="session")
def signed_in() -> dict[str, StorageState]:
    """Cookies of sign-ins, so that not every test repeats one."""
    return {}


@pytest.fixture
def service_workers() -> bool:
    """Whether browsers have service workers. Each new context would keep all files of the pages for a time without a
    network, so only walks about such times have them.
    """
    return False


@pytest_asyncio.fixture(scope="session")
async def contexts(chromium_browser: Browser) -> Contexts:
    """The browser contexts that stay from test to test."""
    return Contexts(chromium_browser)


@pytest_asyncio.fixture
async def visit(
    leaf: Product,
    contexts: Contexts,
    signed_in: dict[str, StorageState],
    service_workers: bool,
    request: pytest.FixtureRequest,
) -> AsyncIterator[Visit]:
    """Gives visitors: `await visit("ada")` is signed in and has connected Drive, `visit("ben")` is signed in only,
    `visit()` is a stranger. Further arguments are Playwright's for a context. Visits with the same arguments share
    contexts from test to test; `own=True` asks for one that is made for this test alone.
    """
    visitors: list[tuple[Visitor, Lent]] = []

    async def make(account: str | None = None, *, own: bool = False, **options: Any) -> Visitor:
        if account is not None and account not in signed_in:
            signed_in[account] = await _sign_in(leaf, contexts.browser, account)
        state = signed_in[account] if account else None
        lent = await contexts.lend(state, own=own or service_workers, serves=service_workers, options=options)
        visitor = Visitor(leaf, lent.context, Guard(), account or "ada")
        visitor.guard.watch(lent.context)
        visitors.append((visitor, lent))
        return visitor

    yield make
    if request.node.stash.get(_FAILED, False):
        await _keep(visitors, leaf, request.node.name)
    for visitor, lent in visitors:
        await contexts.take_back(lent, visitor.guard.origins())
        visitor.guard.leave(lent.context)
    for visitor, _ in visitors:
        assert not visitor.guard.unexpected(), visitor.guard.unexpected()
        assert not visitor.guard.strangers(), visitor.guard.strangers()


async def _sign_in(leaf: Product, browser: Browser, account: str) -> StorageState:
    context = await browser.new_context()
    visitor = Visitor(leaf, context, Guard(), account)
    await visitor.sign_in()
    if account == "ada":
        await visitor.connect()
    state = await context.storage_state()
    await context.close()
    return state


async def _keep(visitors: list[tuple[Visitor, Lent]], leaf: Product, name: str) -> None:
    """Keeps pictures of what a failed test saw."""
    folder = Path(RESULTS) / re.sub(r"[^\w-]+", "-", name)
    folder.mkdir(parents=True, exist_ok=True)
    for number, (visitor, lent) in enumerate(visitors):
        for tab, page in enumerate(lent.pages):
            await page.screenshot(path=folder / f"{number}-{tab}.png")
        (folder / f"{number}-problems.txt").write_text("\n".join(visitor.guard.problems))
    for log in (leaf.log, *leaf.directory.glob("log/*.log")):
        (folder / log.name).write_bytes(log.read_bytes()[-20_000:])


@pytest.fixture(scope="session")
def kept_chats() -> dict[str, str]:
    """Paths of chats that several tests look at."""
    return {}


@pytest_asyncio.fixture
async def answered(visit: Visit, leaf: Product, kept_chats: dict[str, str]) -> Chat:
    """A tab of Ada's with a finished answer that rests on files."""
    ada = await visit("ada")
    if "answered" not in kept_chats:
        chat = await ada.new_chat()
        await chat.ask(questions.about_contracts(leaf))
        await chat.finished()
        kept_chats["answered"] = chat.path
    chat = await ada.chat(kept_chats["answered"])
    await chat.finished()
    return chat
