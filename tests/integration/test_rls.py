"""Row-level security, table by table, as the app role: another person sees and changes nothing. # 000-40

The tables are those of the models; `test_database_rules` holds that the database has no others.
"""

# ruff: noqa: S608 - the names of tables and columns are the models' own

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import psycopg
import pytest
import pytest_asyncio
from psycopg.types.json import Jsonb
from sqlalchemy import exc, text
from sqlalchemy.dialects.postgresql import JSONB

from leaf import config
from leaf.callers import tokens
from leaf.db import Actor, Transaction, session, transaction
from leaf.db.models import Base
from tests.conftest import sign_in
from tests.integration.rls_world import TABLES, Person, Rows, furnish, rows_of
from tests.postgres import PostgresServer

_KEYS = {
    "id": uuid4,
    "workflow_run_id": uuid4,
    "token_hash": lambda: uuid4().hex,
    "subject": lambda: uuid4().hex,
    "revision": lambda: uuid4().hex,
    "token": lambda: uuid4().hex,
    "key": lambda: uuid4().hex,
}
every_table = pytest.mark.parametrize("table", TABLES)


@dataclass(frozen=True)
class World:
    """Two people; `adas` is everything that was stored before Ben came."""

    ada: Person
    ben: Person
    adas: Rows
    database_url: str

    def adas_now(self, table: str) -> list[dict[str, Any]]:
        return [row for row in rows_of(self.database_url, [table])[table] if row in self.adas[table]]


def _settings(url: str) -> config.Settings:
    return config.Settings(
        _env_file=None, database_url=url, secret=tokens.new("test"), seal_keys=f"test:{tokens.new_seal_key()}"
    )


@pytest_asyncio.fixture(scope="module")
async def furnished(postgres: PostgresServer, template_database: str) -> AsyncIterator[tuple[str, World]]:
    """The database and its people, made once; tests have copies."""
    name = postgres.create_database(template_database)
    url = postgres.url(name)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(config, "_current", _settings(url))
        ada = await furnish(await sign_in("Ada"))
        adas = rows_of(url)
        ben = await furnish(await sign_in("Ben"))
        await session.dispose()
    yield name, World(ada, ben, adas, url)
    postgres.drop_database(name)


@pytest.fixture
def database_url(postgres: PostgresServer, furnished: tuple[str, World]) -> Iterator[str]:
    name = postgres.create_database(furnished[0])
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture
def world(furnished: tuple[str, World], settings: config.Settings, database_url: str) -> World:
    return replace(furnished[1], database_url=database_url)


@pytest_asyncio.fixture(scope="module")
async def shared(postgres: PostgresServer, furnished: tuple[str, World]) -> AsyncIterator[config.Settings]:
    """One copy for the tests that change nothing, and the connections to it."""
    name = postgres.create_database(furnished[0])
    yield _settings(postgres.url(name))
    await session.dispose()
    postgres.drop_database(name)


@pytest.fixture
def unchanged(
    furnished: tuple[str, World], shared: config.Settings, no_environment: None, monkeypatch: pytest.MonkeyPatch
) -> World:
    """The world of a test that changes nothing, if row-level security holds."""
    monkeypatch.setattr(config, "_current", shared)
    return replace(furnished[1], database_url=str(shared.database_url))


async def _seen(tx: Transaction, table: str) -> list[dict[str, Any]]:
    statement = text(f"SELECT to_jsonb(t) AS row FROM {table} t").columns(row=JSONB)
    return list(await tx.session.scalars(statement))


async def _try(tx: Transaction, statement: str, **values: object) -> str | None:
    """The SQLSTATE with which a statement was refused, or none."""
    try:
        async with tx.session.begin_nested():
            await tx.session.execute(text(statement), values)
    except exc.DBAPIError as error:
        return getattr(error.orig, "sqlstate", None)
    return None


@every_table
async def test_a_person_sees_all_their_rows_and_another_sees_none(unchanged: World, table: str) -> None:
    """# 000-40, 000-41"""
    assert unchanged.adas[table], f"furnish() makes no row in {table}: add one, or this table is not tested"
    async with transaction(unchanged.ada.actor) as tx:
        assert sorted(map(str, await _seen(tx, table))) == sorted(map(str, unchanged.adas[table]))
    async with transaction(unchanged.ben.actor) as tx:
        seen = await _seen(tx, table)
    assert seen
    assert [row for row in seen if row in unchanged.adas[table]] == []


@every_table
async def test_a_worker_sees_what_its_asker_sees(unchanged: World, table: str) -> None:
    async with transaction(Actor.worker_for(unchanged.ada.user_id)) as tx:
        assert sorted(map(str, await _seen(tx, table))) == sorted(map(str, unchanged.adas[table]))


@every_table
async def test_without_a_person_nothing_is_seen_or_changed(unchanged: World, table: str) -> None:
    """An unset setting is NULL on a new connection and an empty string on a pooled one; both mean nobody."""
    async with transaction(Actor.system()) as tx:
        assert await tx.session.scalar(text("SELECT current_setting('app.user_id', true)")) == ""
        assert await _seen(tx, table) == []
        await _try(tx, f"DELETE FROM {table}")
    with psycopg.connect(unchanged.database_url) as connection:
        connection.execute("SET ROLE leaf_app")
        assert connection.execute("SELECT current_setting('app.user_id', true)").fetchone() == (None,)
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert unchanged.adas_now(table) == unchanged.adas[table]


@every_table
async def test_another_person_inserts_no_row_in_somebody_elses_name(unchanged: World, table: str) -> None:
    """Ada's own rows, with keys of their own, so that nothing but the policies can refuse them."""
    known = Base.metadata.tables[table].columns
    columns = [one for one in unchanged.adas[table][0] if one != "position" and known[one].computed is None]
    values = [f":{column}" if column in _KEYS else f"row.{column}" for column in columns]
    statement = (
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} "
        f"FROM jsonb_populate_record(NULL::{table}, :row) row"
    )
    async with transaction(unchanged.ben.actor) as tx:
        for row in unchanged.adas[table]:
            keys = {column: make() for column, make in _KEYS.items() if column in columns}
            # The parent of the message is ada's: a trigger would find none for ben, and refuse first.
            alone = row | {"parent_id": None} if table == "messages" else row
            assert await _try(tx, statement, row=Jsonb(alone), **keys) == "42501"
    assert unchanged.adas_now(table) == unchanged.adas[table]


@every_table
async def test_another_person_changes_no_row(world: World, table: str) -> None:
    """Each column is tried by itself, since rights to update are given by column."""
    async with transaction(world.ben.actor) as tx:
        for column in world.adas[table][0]:
            refused = await _try(tx, f"UPDATE {table} SET {column} = DEFAULT")
            # Refused outright, or of effect on Ben's own row alone, where NOT NULL or a CHECK may refuse the default.
            assert refused in {None, "42501", "428C9", "23502", "23514"}, column
    assert world.adas_now(table) == world.adas[table]


@every_table
async def test_another_person_deletes_no_row(world: World, table: str) -> None:
    async with transaction(world.ben.actor) as tx:
        assert await _try(tx, f"DELETE FROM {table}") in {None, "42501"}
    assert world.adas_now(table) == world.adas[table]
