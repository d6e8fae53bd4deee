"""PostgreSQL twice: one that takes writes, and a standby that has confirmed each commit before it is one."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psycopg

from tests.acceptance.web import free_port
from tests.postgres import BINARIES, INITDB, end_with_parent

USER = "postgres"
_START_SECONDS = 60
_OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "wal_sender_timeout": "5s",
    "wal_receiver_timeout": "5s",
    # Processes are killed here, and no machine: what the system was given to write is written.
    "fsync": "off",
    "full_page_writes": "off",
}


class Replicated:
    """The two servers, by their places 0 and 1.

    Args:
        folder: Where their data and logs are; other users must be able to pass through.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ports = [free_port(), free_port()]
        self._processes: list[subprocess.Popen[bytes] | None] = [None, None]
        self._primary = 0
        # PostgreSQL refuses to run as root.
        self._user = "nobody" if os.geteuid() == 0 else None

    @property
    def port(self) -> int:
        """The port of the one that takes writes."""
        return self._ports[self._primary]

    @property
    def pids(self) -> list[int]:
        """The servers that run."""
        return [process.pid for process in self._processes if process is not None and process.poll() is None]

    def url(self, database: str) -> str:
        """The address of a database at the one that takes writes."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def start(self, database: str) -> None:
        """Makes both and a database."""
        self._run("initdb", "-D", str(self._made(0)), *INITDB.split())
        self._serve(0)
        self._execute(self._ports[0], f"CREATE DATABASE {database}")
        self._follow(1)

    def fail_over(self, away_seconds: float) -> None:
        """Kills the one that takes writes with all its processes, and promotes the other after a time.

        Args:
            away_seconds: The time that whoever watches over them takes to notice.
        """
        self._kill(self._primary)
        time.sleep(away_seconds)
        self.promote()

    def promote(self) -> None:
        """Has the standby take writes."""
        self._primary = 1 - self._primary
        self._execute(self.port, "SELECT pg_promote()")

    def end_standby(self) -> None:
        """Kills the server that does not take writes, or no longer should."""
        self._kill(1 - self._primary)

    def whole(self) -> None:
        """Makes a server that is gone anew, as the standby of the other."""
        other = 1 - self._primary
        process = self._processes[other]
        if process is None or process.poll() is not None:
            self._follow(other)

    def stop(self) -> None:
        """Ends both at once."""
        for place in (0, 1):
            self._kill(place)

    def _made(self, place: int) -> Path:
        folder = self._folder / f"postgres-{place}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        if self._user is not None:
            shutil.chown(folder, self._user)
        return folder

    def _follow(self, place: int) -> None:
        data, name = self._made(place), f"standby{place}"
        source = f"host=127.0.0.1 port={self.port} user={USER} application_name={name}"
        self._run("pg_basebackup", "-D", str(data), "-d", source, "-R", "-c", "fast", "-X", "stream", "--no-sync")
        # It came along with the copy, and would make the standby wait for one of its own once it is promoted.
        written = data / "postgresql.auto.conf"
        lines = [line for line in written.read_text().splitlines() if not line.startswith("synchronous_standby_names")]
        written.write_text("\n".join([*lines, ""]))
        self._serve(place)
        self._until_streaming(name)
        # From here on a commit is one when the standby has it: otherwise a failover could lose an answer.
        self._execute(self.port, f"ALTER SYSTEM SET synchronous_standby_names = '{name}'", "SELECT pg_reload_conf()")

    def _serve(self, place: int) -> None:
        port, data = self._ports[place], self._folder / f"postgres-{place}"
        options = [f"--{name}={value}" for name, value in {**_OPTIONS, "port": str(port)}.items()]
        with (self._folder / "log" / f"postgres-{place}.log").open("ab") as log:
            process = subprocess.Popen(
                [BINARIES / "postgres", "-D", data, *options], user=self._user, cwd="/", stdout=log, stderr=log,
                start_new_session=True,
                preexec_fn=end_with_parent,  # noqa: PLW1509 - one system call, before any thread exists in the child
            )  # fmt: skip
        self._processes[place] = process
        ready = [BINARIES / "pg_isready", "-h", "127.0.0.1", "-p", str(port), "-t", "1"]
        deadline = time.monotonic() + _START_SECONDS
        while subprocess.run(ready, check=False, capture_output=True).returncode != 0:
            assert process.poll() is None, Path(log.name).read_text()
            assert time.monotonic() < deadline, f"PostgreSQL does not start on port {port}"
            time.sleep(0.05)

    def _until_streaming(self, name: str) -> None:
        deadline = time.monotonic() + _START_SECONDS
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            statement = "SELECT state FROM pg_stat_replication WHERE application_name = %s"
            while connection.execute(statement, (name,)).fetchone() != ("streaming",):
                assert time.monotonic() < deadline, "the standby does not follow"
                time.sleep(0.05)

    def _kill(self, place: int) -> None:
        process = self._processes[place]
        if process is None or process.poll() is not None:
            return
        # The server and all of its children, which are of its session, as when a machine is gone.
        children = subprocess.run(
            ["ps", "-o", "pid=", "-s", str(process.pid)], capture_output=True, text=True, check=False
        ).stdout.split()
        process.send_signal(signal.SIGKILL)
        for child in map(int, children):
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        process.wait()

    def _execute(self, port: int, *statements: str) -> None:
        with psycopg.connect(f"postgresql://{USER}@127.0.0.1:{port}/postgres", autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [BINARIES / program, *arguments], user=self._user, cwd="/", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{program}: {done.stderr}"
