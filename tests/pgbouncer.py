"""Which PgBouncer the tests put before PostgreSQL: PGBOUNCER_PATH, this machine's, or Debian's, unpacked into .venv.

`python -m tests.pgbouncer` finds one, and fetches Debian's where apt-get can be used. Nothing is installed or started.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg

from tests import debian

FOLDER = debian.SHARE / "pgbouncer"
PACKAGES = ("pgbouncer", "libevent-2.1-7", "libevent-2.1-7t64", "libc-ares2")
"""The program, and the libraries that it is linked with and that not every machine has."""


def find() -> str | None:
    """The path of a PgBouncer that runs, if there is one."""
    places = f"{os.environ.get('PATH', '')}:/usr/sbin:{FOLDER}/usr/sbin"
    named = os.environ.get("PGBOUNCER_PATH") or shutil.which("pgbouncer", path=places)
    return named if named and _runs(named) else None


def environment() -> dict[str, str]:
    """The environment in which it finds what was fetched with it."""
    return debian.environment(FOLDER)


def _runs(path: str) -> bool:
    try:
        return subprocess.run([path, "--version"], env=environment(), capture_output=True, check=False).returncode == 0
    except OSError:
        return False


class Pooler:
    """A PgBouncer in transaction mode, on a Unix socket and a port of loopback.

    Args:
        folder: Where its configuration, socket and log are; other users must be able to read there.
        port: The port, also the one in the socket's name.
        user: The role of PostgreSQL with which it signs in; it takes every client at its word.
        size: The connections to PostgreSQL, at most.
    """

    def __init__(self, folder: Path, port: int, *, user: str, size: int = 20, mode: str = "transaction") -> None:
        self._folder, self.port, self._user, self._size, self._mode = folder, port, user, size, mode
        self._process: subprocess.Popen[bytes] | None = None
        self._server = ""

    @property
    def pids(self) -> list[int]:
        """The process, if it runs."""
        return [] if self._process is None else [self._process.pid]

    def url(self, database: str) -> str:
        """The address of a database through it."""
        return f"postgresql://{self._user}@127.0.0.1:{self.port}/{database}"

    def serve(self, host: str, port: int = 5432) -> None:
        """Puts it before another server, at once where it runs: connections to the one before are given up."""
        self._server = f"host={host} port={port}"
        (self._folder / "users.txt").write_text(f'"{self._user}" ""\n')
        statements = "max_prepared_statements = 200" if version() >= (1, 21) else ""
        (self._folder / "pgbouncer.ini").write_text(f"""
[databases]
* = {self._server} user={self._user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = trust
auth_file = {self._folder}/users.txt
admin_users = {self._user}
pool_mode = {self._mode}
default_pool_size = {self._size}
max_client_conn = 2000
{statements}
server_login_retry = 1
server_connect_timeout = 3
query_wait_timeout = 5
log_connections = 0
log_disconnections = 0
""")
        if self._process is not None and self._process.poll() is None:
            self._command("RELOAD", "RECONNECT")

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        program = find()
        assert program is not None, "no PgBouncer: run `make pgbouncer`"
        with (self._folder / "pgbouncer.log").open("ab") as log:
            self._process = subprocess.Popen(
                [program, str(self._folder / "pgbouncer.ini")],
                env=environment(),
                # PgBouncer refuses to run as root.
                user="nobody" if os.geteuid() == 0 else None,
                cwd="/",
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - one system call, before any thread exists in the child
            )
        deadline = time.monotonic() + 10
        while not self._answers():
            assert self._process.poll() is None, (self._folder / "pgbouncer.log").read_text()
            assert time.monotonic() < deadline, "PgBouncer does not answer"
            time.sleep(0.02)

    def _answers(self) -> bool:
        try:
            self._command("SHOW VERSION")
        except psycopg.OperationalError:
            return False
        return True

    def _command(self, *commands: str) -> None:
        with psycopg.connect(self.url("pgbouncer"), autocommit=True, prepare_threshold=None) as connection:
            for command in commands:
                connection.execute(command.encode())

    def stop(self) -> None:
        """Ends it at once, with all connections."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)
            self._process = None


def version() -> tuple[int, ...]:
    """The version of PgBouncer, such as (1, 18, 0)."""
    program = find()
    assert program is not None, "no PgBouncer: run `make pgbouncer`"
    told = subprocess.run([program, "--version"], env=environment(), capture_output=True, text=True, check=True).stdout
    return tuple(map(int, told.split()[1].split(".")))


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def main() -> None:
    """Makes sure that there is one."""
    missing = "The tests of pooled connections need PgBouncer: install it, or name it in PGBOUNCER_PATH."
    debian.provide("Pooler", find, lambda: debian.fetch("pgbouncer", lambda: PACKAGES, find), missing)


if __name__ == "__main__":
    main()
