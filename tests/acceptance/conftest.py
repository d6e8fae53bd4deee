"""The whole of Leaf but its pages: services and workers as processes, and people who are signed in over HTTP."""

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
import pytest_asyncio
from sqlalchemy import func, select

from leaf import config, errors, redis
from leaf.agent import models as agent_models
from leaf.config.catalog import Mode
from leaf.db import Actor, models, session, transaction
from leaf.services import api_keys, chats, conversations
from tests.acceptance import people
from tests.acceptance.readers import reading
from tests.acceptance.stack import Sandbox, Stack, until
from tests.acceptance.web import Web
from tests.acceptance.workers import Crew

Ask = Callable[..., Awaitable[conversations.Turn]]
WholeText = Callable[[Actor, str], Awaitable[str]]


@pytest.fixture(scope="session")
def running_stack() -> Iterator[Stack]:
    """The services that all acceptance tests of a session share."""
    folder = Path(tempfile.mkdtemp(prefix="leaf-a", dir="/tmp"))  # socket paths are short
    folder.chmod(0o755)
    stack = Stack(folder)
    try:
        stack.start()
        yield stack
    finally:
        stack.stop()


@pytest_asyncio.fixture(scope="session")
async def webs(running_stack: Stack) -> AsyncIterator[list[Web]]:
    """Two web processes, whose questions are answered as they themselves say."""
    found = [Web(running_stack, number, {"LEAF_MODEL": "sandbox:sandbox-script-20"}) for number in (1, 2)]
    try:
        for web in found:
            web.start()
        for web in found:
            await web.ready()
        yield found
    finally:
        for web in found:
            web.kill()


@pytest.fixture(scope="session")
def running_crew(running_stack: Stack) -> Iterator[Crew]:
    """The workers of the session."""
    crew = Crew(running_stack)
    try:
        crew.hire()
        crew.hire()
        yield crew
    finally:
        crew.stop()


@pytest_asyncio.fixture(scope="session")
async def connections(running_stack: Stack) -> AsyncIterator[None]:
    """Leaf's connections to the database, which stay from test to test with the statements compiled for them."""
    yield
    await session.dispose()


@pytest_asyncio.fixture
async def stack(running_stack: Stack, connections: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stack]:
    """The services, all of them running, which the settings of this process name; the sandbox remembers nothing."""
    running_stack.ensure()
    running_stack.sandbox.forget()
    # Through monkeypatch, so that the settings from before come back, whatever they were.
    monkeypatch.setattr(config, "_current", None)
    config.install(running_stack.settings)
    yield running_stack
    running_stack.ensure()
    await _leave_nothing_running()
    await agent_models.close()
    await redis.close()


@pytest.fixture
def sandbox(stack: Stack) -> Sandbox:
    """Google and the model, as the tests look at them."""
    return stack.sandbox


@pytest.fixture
def crew(stack: Stack, running_crew: Crew) -> Crew:
    """The workers, of whom there may be any number."""
    return running_crew


@pytest_asyncio.fixture
async def worker(crew: Crew) -> None:
    """A worker is ready."""
    await crew.of(1)


@pytest.fixture
async def indexing(stack: Stack, crew: Crew) -> AsyncIterator[None]:
    """A worker that keeps the index of Drives, until the end of the test; then the index is empty again."""
    stack.index = True
    worker = crew.hire()
    stack.index = False
    await crew.of(1)
    yield
    worker.terminate()
    await until(lambda: not worker.alive)
    stack.execute("TRUNCATE drive_feeds, drive_sight, drive_texts CASCADE")


@pytest_asyncio.fixture
async def ada(stack: Stack) -> Actor:
    """Ada, who sees nearly all of the sample Drive; her Drive was connected over HTTP once for all tests."""
    if stack.ada is None:
        stack.ada = await people.sign_in("ada")
        stack.sandbox.forget()
    for key in await api_keys.listed(stack.ada):
        # Of an earlier test: a member has 50 keys at most.
        await api_keys.revoke(stack.ada, key.id)
    return stack.ada


@pytest_asyncio.fixture
async def ben(stack: Stack) -> Actor:
    """Ben, whose Drive is connected anew for each test that asks for him: they revoke and break it."""
    actor = await people.sign_in("ben")
    stack.sandbox.forget()
    return actor


@pytest_asyncio.fixture
async def stranger(stack: Stack) -> Actor:
    """Somebody who has just signed in for the first time, and has connected nothing."""
    subject = uuid4().hex
    async with transaction(Actor.system()) as tx:
        signed_in = func.leaf_sign_in("google", subject, f"{subject}@example.org", "Sam Example", "Sam", None)
        user_id = await tx.session.scalar(select(signed_in))
    assert isinstance(user_id, UUID)
    async with transaction(Actor.user(user_id)) as tx:
        workspace_id = await tx.session.scalar(select(models.WorkspaceMember.workspace_id))
    return Actor.user(user_id, workspace_id)


@pytest.fixture
def ask(stack: Stack) -> Ask:
    """Asks a question of a model, in a new chat or in the one given."""

    async def ask(
        actor: Actor,
        question: str,
        *,
        model: str = "sandbox:sandbox",
        chat_id: UUID | None = None,
        mode: Mode = Mode.QUICK,
    ) -> conversations.Turn:
        with stack.model(model):
            return await conversations.ask(actor, chat_id or await chats.new(actor), question, mode=mode)

    return ask


@pytest.fixture
def whole_text(stack: Stack, ask: Ask) -> WholeText:
    """The text of the long answer to a question when nothing goes wrong."""

    async def whole_text(actor: Actor, question: str) -> str:
        if question not in stack.whole_texts:
            turn = await ask(actor, question, model="sandbox:sandbox-slow-0")
            async with reading(actor, turn.assistant.run_id) as reader:
                await reader.end()
            stack.whole_texts[question] = reader.text
        return stack.whole_texts[question]

    return whole_text


async def _leave_nothing_running() -> None:
    """Stops the runs that a failed test left, which would keep the workers of the next one busy."""
    left = await conversations.unfinished(timedelta(0))
    for run_id in left:
        with suppress(errors.LeafError):
            task = await conversations.assignment(run_id)
            if task is not None:
                await conversations.stop(task.actor, run_id)
