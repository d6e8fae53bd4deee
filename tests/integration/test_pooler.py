"""Several servers of PostgreSQL, one of which takes writes, and PgBouncer before them in transaction mode."""

# ruff: noqa: PT012 - a transaction's block is what is tried, and it has more than one line

import asyncio
from collections.abc import Iterator
from uuid import UUID

import pytest
from sqlalchemy import func, make_url, select, text

from leaf import config, errors
from leaf.db import Actor, migrate, session, transaction
from leaf.db.models import Document, IntegrationProvider
from tests import scratch
from tests.acceptance.web import free_port
from tests.conftest import MakeUser
from tests.pgbouncer import Pooler, version
from tests.postgres import PostgresServer

SERVERS = 2
"""Connections of the pooler to PostgreSQL: fewer than Leaf has to the pooler."""


@pytest.fixture
def pooler(postgres: PostgresServer) -> Iterator[Pooler]:
    """A PgBouncer before the suite's server."""
    folder = scratch.folder("leaf-pgb-")
    folder.chmod(0o755)
    made = Pooler(folder, free_port(), user="postgres", size=SERVERS)
    made.serve(str(postgres.socket_folder))
    made.start()
    yield made
    made.stop()


@pytest.fixture
def pooled(pooler: Pooler, settings: config.Settings, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of the test's database through the pooler, which the settings name."""
    url = pooler.url(str(make_url(str(settings.database_url)).database))
    monkeypatch.setattr(config, "_current", settings.model_copy(update={"database_url": url}))
    return url


def _document(actor: Actor, file_id: str) -> Document:
    return Document(
        user_id=actor.user_id, provider=IntegrationProvider.GOOGLE_DRIVE, file_id=file_id, revision="1", name="Plan",
        mime_type="text/plain", kind="text", body={"segments": [], "notes": []},
    )  # fmt: skip


async def _state() -> tuple[UUID | None, int, int]:
    """The person of a transaction, its process of PostgreSQL, and that which the client was told."""
    async with transaction(Actor.system()) as tx:
        person, pid = (await tx.execute("SELECT leaf_user_id(), pg_backend_pid()")).one()
        raw = await (await tx.session.connection()).get_raw_connection()
        assert raw.driver_connection is not None
        return person, pid, raw.driver_connection.info.backend_pid


async def test_more_transactions_than_the_pooler_has_connections_run_through_it(
    pooled: str, make_user: MakeUser
) -> None:
    """Each statement often enough to be prepared, each transaction on whichever connection is free."""
    ada, ben = await make_user("Ada"), await make_user("Ben")

    async def add(actor: Actor, place: int) -> None:
        for number in range(session._PREPARE_AFTER + 4):
            async with transaction(actor) as tx:
                tx.session.add(_document(actor, f"{place}-{number}"))
                await tx.session.flush()
                assert await tx.session.scalar(select(func.count()).select_from(Document))

    await asyncio.gather(*(add(actor, place) for place in range(6) for actor in (ada, ben)))
    for actor in (ada, ben):
        async with transaction(actor) as tx:
            owners = (await tx.execute("SELECT DISTINCT user_id, count(*) OVER () FROM documents")).all()
        assert owners == [(actor.user_id, 6 * (session._PREPARE_AFTER + 4))]
    states = await asyncio.gather(*[_state() for _ in range(12)])
    assert len({pid for _, pid, _ in states}) <= SERVERS
    assert not {pid for _, pid, _ in states} & {told for _, _, told in states}, "PostgreSQL is reached directly"
    assert {person for person, _, _ in states} == {None}, "a person's transaction has left its person behind"


async def test_no_statement_is_left_behind_on_a_connection_of_the_pooler(
    pooled: str, postgres: PostgresServer, make_user: MakeUser
) -> None:
    """Unless the pooler itself prepares it, under a name of its own."""
    ada = await make_user("Ada")
    for _ in range(session._PREPARE_AFTER + 4):
        async with transaction(ada) as tx:
            await tx.session.scalar(select(func.count()).select_from(Document))
    async with transaction(ada) as tx:
        names = (await tx.execute("SELECT name FROM pg_prepared_statements")).scalars().all()
    assert [name for name in names if not name.startswith("PGBOUNCER_")] == []
    assert bool(names) == (version() >= (1, 21))


async def test_a_database_behind_the_pooler_is_migrated_once(pooler: Pooler, postgres: PostgresServer) -> None:
    name = postgres.create_database()
    try:
        for _ in range(3):
            await asyncio.to_thread(migrate.upgrade, pooler.url(name))
    finally:
        pooler.stop()
        postgres.drop_database(name)


async def test_a_pooler_that_restarts_is_found_again(pooled: str, pooler: Pooler, make_user: MakeUser) -> None:
    ada = await make_user("Ada")
    pooler.stop()
    with pytest.raises(errors.DatabaseUnavailable):
        await _state()
    pooler.start()
    async with transaction(ada) as tx:
        tx.session.add(_document(ada, "afterwards"))


async def test_a_connection_whose_server_only_reads_now_is_thrown_away(
    settings: config.Settings, make_user: MakeUser
) -> None:
    """As after a failover that left it open; an error of a transaction that was to read alone is another matter."""
    ada = await make_user("Ada")
    engine = await session._engine()
    async with engine.connect() as connection:
        await connection.execute(text("SET default_transaction_read_only = on"))
    with pytest.raises(errors.DatabaseUnavailable):
        async with transaction(ada) as tx:
            tx.session.add(_document(ada, "lost"))
    async with transaction(ada) as tx:
        tx.session.add(_document(ada, "kept"))
    before = (await _state())[1]
    with pytest.raises(Exception, match="read-only"):
        async with transaction(ada, read_only=True) as tx:
            tx.session.add(_document(ada, "refused"))
            await tx.session.flush()
    assert (await _state())[1] == before


async def test_of_several_servers_the_one_that_takes_writes_is_used(
    pooler: Pooler, postgres: PostgresServer, settings: config.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is away and one that only reads are passed over, by the program and by its migrations."""
    database = str(make_url(str(settings.database_url)).database)
    reading = Pooler(scratch.folder("leaf-pgb-"), free_port(), user="reader", size=SERVERS)
    reading._folder.chmod(0o755)
    reading.serve(str(postgres.socket_folder))
    url = f"postgresql://postgres@127.0.0.1:{free_port()},127.0.0.1:{reading.port},127.0.0.1:{pooler.port}/{database}"
    postgres.execute("CREATE ROLE reader LOGIN SUPERUSER")
    postgres.execute("ALTER ROLE reader SET default_transaction_read_only = on")
    try:
        reading.start()
        url += "?target_session_attrs=read-write"
        monkeypatch.setattr(config, "_current", settings.model_copy(update={"database_url": url}))
        migrate.upgrade(url)
        async with transaction(Actor.system()) as tx:
            user = (await tx.execute("SELECT session_user")).scalar_one()
        assert user == "postgres"
        await session.dispose()
    finally:
        reading.stop()
        postgres.execute("DROP ROLE reader")


async def test_a_pooler_that_lends_connections_for_single_statements_is_refused_at_the_start(
    postgres: PostgresServer, settings: config.Settings
) -> None:
    """With what PgBouncer says, not with a traceback."""
    folder = scratch.folder("leaf-pgb-")
    folder.chmod(0o755)
    single = Pooler(folder, free_port(), user="postgres", size=SERVERS, mode="statement")
    single.serve(str(postgres.socket_folder))
    single.start()
    try:
        with pytest.raises(errors.ConfigurationError, match="statement pooling"):
            await asyncio.to_thread(migrate.upgrade, single.url(str(make_url(str(settings.database_url)).database)))
    finally:
        single.stop()
