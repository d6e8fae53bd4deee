"""Guests: an answer that survives without a database, and a chat that becomes somebody's."""

import asyncio
import time
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from uuid import UUID, uuid4

import psycopg
import pytest
import pytest_asyncio
from psycopg.sql import SQL, Identifier

from jobs import reaper, registry
from leaf import config, errors, redis
from leaf.config.catalog import Mode
from leaf.db import Actor
from leaf.db.actor import Guest as Identity
from leaf.services import chats, conversations, guests
from tests.acceptance.readers import QUESTION, SLOW, reading
from tests.acceptance.stack import Stack, until
from tests.acceptance.workers import Crew

ABOUT = "What is in the water we drink?"


def guest_of(actor: Actor) -> Identity:
    assert actor.guest_identity is not None
    return actor.guest_identity


class Guest:
    """A guest who asks."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.actor = Actor.guest(Identity(uuid4(), uuid4(), f"test {uuid4()}"))
        self.identity = guest_of(self.actor)

    @contextmanager
    def settings(self, model: str) -> Generator[None]:
        """Guests are let in for the length of the block."""
        before = config.current()
        config.install(self.stack.settings.model_copy(update={"guests": True, "model": model}))
        try:
            yield
        finally:
            config.install(before)

    async def ask(self, text: str, model: str = "sandbox:sandbox", mode: Mode = Mode.QUICK) -> UUID:
        """Asks; returns the run that answers."""
        with self.settings(model):
            await conversations.ask(self.actor, self.identity.chat_id, text, mode=mode)
        chat = await guests.read(self.identity)
        run_id = chat.rows[-1].workflow_run_id
        assert run_id is not None
        return run_id


@pytest_asyncio.fixture
async def guest(stack: Stack) -> AsyncIterator[Guest]:
    config.install(stack.settings.model_copy(update={"guests": True}))
    yield Guest(stack)
    config.install(stack.settings)


def rows_of(stack: Stack) -> dict[str, int]:
    """How many rows each table has."""
    url = str(stack.settings.database_url).replace("+psycopg", "")
    found: dict[str, int] = {}
    with psycopg.connect(url, autocommit=True) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (name,) in names:
            row = connection.execute(SQL("SELECT count(*) FROM {}").format(Identifier(name))).fetchone()
            found[name] = row[0] if row else 0
    return found


@pytest.mark.usefixtures("worker")
async def test_a_guests_answer_leaves_no_row_in_any_table(guest: Guest, stack: Stack) -> None:
    """# 002-32"""
    before = rows_of(stack)
    run_id = await guest.ask(ABOUT)
    async with reading(guest.actor, run_id) as reader:
        stored = await reader.end()
    assert stored.status == "completed"
    assert stored.parts == reader.parts
    assert reader.text
    assert rows_of(stack) == before
    with pytest.raises(errors.NotFound):
        await conversations.result(Guest(stack).actor, run_id)


async def test_another_worker_goes_on_with_a_guests_answer(crew: Crew, guest: Guest) -> None:
    """# 000-24"""
    await crew.of(2)
    run_id = await guest.ask(QUESTION, SLOW)
    async with reading(guest.actor, run_id) as reader:
        await reader.until(lambda reader: reader.words > 10)
        await crew.lose_writer_of(run_id)
        stored = await reader.end()
    assert stored.status == "completed"
    assert stored.parts == reader.parts

    async def nothing_is_active() -> bool:
        return not await registry.attempts()

    await until(nothing_is_active)


@pytest.mark.usefixtures("worker")
async def test_whoever_signs_in_keeps_the_chat_once_and_nobody_else(guest: Guest, stranger: Actor, ben: Actor) -> None:
    """# 003-31: with its messages under their ids, its parts and what models are sent of it."""
    run_id = await guest.ask(ABOUT)
    async with reading(guest.actor, run_id) as reader:
        await reader.end()
    before = (await guests.read(guest.identity)).as_chat(guest.identity.chat_id)
    assert await asyncio.gather(*(guests.keep(stranger, guest.identity) for _ in range(3))) == [before.id] * 3
    assert await guests.keep(ben, guest.identity) is None
    assert await guests.kept_by(ben, guest.identity) is None
    assert await guests.kept_by(stranger, guest.identity) == before.id
    kept = await chats.open(stranger, before.id)
    assert [(one.id, one.role, one.status, one.parts) for one in kept.messages] == [
        (one.id, one.role, one.status, one.parts) for one in before.messages
    ]
    assert [row.id for row in (await chats.page(stranger)).rows] == [before.id]
    with pytest.raises(errors.NotFound):
        await chats.open(ben, before.id)
    with pytest.raises(errors.Conflict):
        await guest.ask("And in the air?")
    await conversations.ask(stranger, before.id, "And what did I ask first?")


@pytest.mark.usefixtures("worker")
async def test_an_answer_that_is_being_written_ends_in_the_chat_that_keeps_it(guest: Guest, stranger: Actor) -> None:
    """The sign-in takes as long as it takes: the run goes on, and its end finds the chat where it is by then."""
    run_id = await guest.ask(QUESTION, SLOW)
    async with reading(guest.actor, run_id) as reader:
        await reader.until(lambda reader: reader.words > 10)
        assert await guests.keep(stranger, guest.identity) == guest.identity.chat_id
        assert (await conversations.result(stranger, run_id)).unfinished
    async with reading(stranger, run_id) as reader:
        stored = await reader.end()
    assert stored.status == "completed"
    assert stored.parts == reader.parts


async def test_guests_are_answered_while_the_database_is_away(crew: Crew, guest: Guest, stack: Stack) -> None:
    """# 002-32: nothing is written, so nothing is missed."""
    await crew.of(1)
    stack.stop_postgres()
    try:
        run_id = await guest.ask(ABOUT)
        async with reading(guest.actor, run_id) as reader:
            stored = await reader.end()
        assert stored.status == "completed"
    finally:
        stack.start_postgres()


async def test_a_guests_answer_whose_workers_die_again_and_again_ends_and_can_be_asked_for_anew(
    crew: Crew, guest: Guest
) -> None:
    """# 000-32"""
    await crew.of(1)
    with crew.away():
        run_id = await guest.ask(ABOUT)
        await registry.add(run_id, reaper.ATTEMPTS)
        await reaper.reap({})
        given_up = await conversations.result(guest.actor, run_id)
        assert (given_up.status, given_up.error_code) == ("error", "worker_died")
    await conversations.retry(guest.actor, given_up.id)
    again = (await guests.read(guest.identity)).rows[-1].workflow_run_id
    async with reading(guest.actor, again) as reader:
        assert (await reader.end()).status == "completed"


async def test_a_guests_run_whose_job_was_lost_is_found(crew: Crew, guest: Guest) -> None:
    """As after a loss of the queue: the reaper compares what is unfinished with what is being written."""
    await crew.of(1)
    with crew.away():
        run_id = await guest.ask(ABOUT)
        for key in [key async for key in redis.client().scan_iter(f"arq:*{run_id}*")]:
            await redis.client().delete(key)
        await redis.client().delete("arq:queue")
        await redis.client().zadd("leaf:guests:unfinished", {str(run_id): time.time() - 60})
        assert await conversations.unfinished(reaper.ORPHAN_AGE) == [run_id]
    await reaper.compare({})
    async with reading(guest.actor, run_id) as reader:
        assert (await reader.end()).status == "completed"
