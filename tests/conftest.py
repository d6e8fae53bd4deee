"""Fixtures for every kind of test: a PostgreSQL server of the suite's own, a fresh database, settings, people."""

import gc
import os
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from functools import cache
from typing import Any
from uuid import UUID

import httpcore2
import httpx._transports.default as httpx_transports
import pytest
import pytest_asyncio
from hypothesis import settings
from sqlalchemy import func, select

from leaf import config
from leaf.callers import tokens
from leaf.db import Actor, migrate, models, session, transaction
from leaf.documents import isolation
from tests.postgres import PostgresServer, running_postgres

settings.register_profile("leaf", deadline=None)
settings.load_profile("leaf")
"""Examples may take their time on a busy machine; a test has its own limit."""

# Tests start some hundred processes of Python: without bytecode each compiles 2,600 modules for itself.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Each client of httpx reads all certificates anew, which is most of what a request to a stand-in costs.
httpx_transports.create_ssl_context = cache(httpx_transports.create_ssl_context)
httpcore2.default_ssl_context = cache(httpcore2.default_ssl_context)

# Tests wait for each file that is read, and share the machine with other tests and nothing that matters more.
isolation.BACKGROUND_NICE = 0

MakeUser = Callable[[str], Awaitable[Actor]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="write the golden request bodies anew (tests/golden)")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects no garbage while modules are imported, and looks through none of them afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file stays in one of the processes that run the tests (`-n 2`), and so do files that share servers.

    Every second process begins at the end of the list, and helps the others when its half is done: `make test` lists
    first the acceptance tests, which wait much, then the short unit tests, and last the integration tests, which
    compute. So not every process starts the servers of acceptance tests, and all end at about the same time.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "tests/acceptance of web processes" if file in SHARE_WEB_PROCESSES else file

        def _assign_work_unit(self, node: Any) -> None:
            if self.nodes.index(node) % 2:
                self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
            super()._assign_work_unit(node)

    return Scheduler(config, log)


SHARE_WEB_PROCESSES = {f"tests/acceptance/test_{name}.py" for name in ("aisdk", "editor", "examples")}


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The suite's own server; copies of the suite that run at the same time have one each."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def template_database(postgres: PostgresServer) -> str:
    """The name of the database that the migrations have run in, once; nobody may stay connected to it."""
    name = postgres.create_database()
    migrate.upgrade(postgres.url(name))
    return name


@pytest.fixture
def database_url(postgres: PostgresServer, template_database: str) -> Iterator[str]:
    """The address of a fresh, migrated database, as its owner."""
    name = postgres.create_database(template_database)
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of the developer's own shell have no say in tests."""
    for field in config.Settings.model_fields.values():
        monkeypatch.delenv(str(field.validation_alias), raising=False)


@pytest_asyncio.fixture
async def settings(
    database_url: str, no_environment: None, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[config.Settings]:
    """Settings that name a fresh database and fresh secrets, installed for the length of a test."""
    made = config.Settings(
        _env_file=None,
        database_url=database_url,
        secret=secrets.token_urlsafe(32),
        seal_keys=f"test:{tokens.new_seal_key()}",
    )
    # Through monkeypatch, so that the settings from before come back, whatever they were.
    monkeypatch.setattr(config, "_current", made)
    yield made
    await session.dispose()


@pytest.fixture
def make_user(settings: config.Settings) -> MakeUser:
    """Signs a person in by first name, as the identity provider's callback does; the same name is the same person."""

    return sign_in


async def sign_in(name: str) -> Actor:
    """Signs somebody in, in the database of the settings that are installed."""
    email = f"{name.lower()}@example.org"
    async with transaction(Actor.system()) as tx:
        signed_in = func.leaf_sign_in("google", f"subject-of-{name}", email, f"{name} Example", name, None)
        user_id = await tx.session.scalar(select(signed_in))
    assert isinstance(user_id, UUID)
    async with transaction(Actor.user(user_id)) as tx:
        workspace_id = await tx.session.scalar(select(models.WorkspaceMember.workspace_id))
    return Actor.user(user_id, workspace_id)
