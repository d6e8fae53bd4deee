"""The database goes away and comes back."""

# ruff: noqa: PT012 - a transaction's block is what is tried, and it has more than one line

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from sqlalchemy import make_url, select, text

from leaf import config, errors
from leaf.db import Actor, session, transaction
from tests.conftest import MakeUser
from tests.postgres import PostgresServer


class Wire:
    """A TCP port in front of the server's socket: it can be cut, and it can fall silent."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._writers: set[asyncio.StreamWriter] = set()
        self._conversations: set[asyncio.Task[None]] = set()
        self._talking = asyncio.Event()
        self._talking.set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def connect(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        await asyncio.gather(*self._conversations)

    def fall_silent(self) -> None:
        self._talking.clear()

    def talk(self) -> None:
        self._talking.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._conversations.add(asyncio.current_task())
        far_reader, far_writer = await asyncio.open_unix_connection(self._socket)
        self._writers |= {writer, far_writer}
        await asyncio.gather(self._copy(reader, far_writer), self._copy(far_reader, writer))
        self._writers -= {writer, far_writer}
        self._conversations.discard(asyncio.current_task())

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while block := await reader.read(65_536):
                await self._talking.wait()
                writer.write(block)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()


@pytest_asyncio.fixture
async def wire(
    postgres: PostgresServer, settings: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Wire]:
    """The database of the settings, at the other end of a wire."""
    wire = Wire(postgres.socket)
    await wire.connect()
    database = make_url(str(settings.database_url)).database
    url = f"postgresql://postgres@127.0.0.1:{wire.port}/{database}?sslmode=disable&gssencmode=disable"
    monkeypatch.setattr(config, "_current", settings.model_copy(update={"database_url": url}))
    monkeypatch.setattr(session, "_OPEN_SECONDS", 1)
    yield wire
    wire.talk()
    await session.dispose()
    await wire.cut()


async def _ping() -> int | None:
    async with transaction(Actor.system()) as tx:
        return await tx.session.scalar(text("SELECT 1"))


async def test_a_database_that_is_down_is_told_and_found_again(wire: Wire) -> None:
    assert await _ping() == 1
    await wire.cut()
    for _ in range(3):
        with pytest.raises(errors.DatabaseUnavailable):
            await _ping()
    await wire.connect()
    assert await _ping() == 1


async def test_a_database_that_restarts_between_two_transactions_is_not_noticed(wire: Wire) -> None:
    """Neither by one that comes after it nor by several at once, which find a lost connection each."""
    for count in (1, 8):
        await asyncio.gather(*[_ping() for _ in range(8)])
        await wire.cut()
        await wire.connect()
        assert await asyncio.gather(*[_ping() for _ in range(count)]) == [1] * count


async def test_a_silent_database_is_given_up_after_some_seconds_and_found_again(wire: Wire) -> None:
    # On a busy machine not all connections are there at once.
    while await asyncio.gather(*[_ping() for _ in range(12)], return_exceptions=True) != [1] * 12:
        pass
    wire.fall_silent()
    started = time.monotonic()
    # More than the pool holds, so that a slot lost by any of them would be missed below.
    outcomes = await asyncio.gather(*[_ping() for _ in range(30)], return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {errors.DatabaseUnavailable}
    assert time.monotonic() - started < 10
    wire.talk()
    while await asyncio.gather(*[_ping() for _ in range(30)], return_exceptions=True) != [1] * 30:
        pass


async def test_a_connection_lost_on_the_way_is_told_and_its_callbacks_are_dropped(wire: Wire) -> None:
    ran: list[str] = []

    async def callback() -> None:
        ran.append("callback")

    with pytest.raises(errors.DatabaseUnavailable):
        async with transaction(Actor.system()) as tx:
            tx.after_commit(callback)
            await wire.cut()
    await wire.connect()
    with pytest.raises(errors.DatabaseUnavailable):
        async with transaction(Actor.system()) as tx:
            tx.after_commit(callback)
            await wire.cut()
            await tx.session.scalar(select(1))
    await wire.connect()
    assert await _ping() == 1
    assert ran == []


async def test_without_a_free_connection_it_is_told_rather_than_waited_for(
    make_user: MakeUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await make_user("Ada")
    monkeypatch.setattr(session, "_OPEN_SECONDS", 1)
    holding, release = asyncio.Semaphore(0), asyncio.Event()

    async def hold() -> None:
        async with transaction(ada):
            holding.release()
            await release.wait()

    holders = [asyncio.create_task(hold()) for _ in range(20)]
    for _ in holders:
        await holding.acquire()
    with pytest.raises(errors.DatabaseUnavailable):
        await _ping()
    release.set()
    await asyncio.gather(*holders)
    assert await _ping() == 1
