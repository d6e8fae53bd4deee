"""The services of Leaf, as real processes in one folder: PostgreSQL, Redis, and the sandbox of Google and model."""

import asyncio
import ctypes
import gc
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString

import httpx
import psycopg

from leaf import config
from leaf.callers import tokens
from leaf.config.embedded import postgres, processes, redis_server
from leaf.db import Actor, migrate

REPOSITORY = Path(__file__).parents[2]
DEADLINE_SECONDS = 60.0
START_SECONDS = 120.0
"""A process imports for seconds, and several of them start on two cores at once."""
PROVIDER_KEY = "sk-acceptance-" + secrets.token_hex(16)
"""The key of every model provider in these tests; it must turn up nowhere."""

AGREEMENT = """\
# Transport agreement with Halden Haulage

## Rates

A pallet from Aldermere to the depot in the north costs EUR 21.50.

## Cold chain

Lorries are cooled to 2 degrees before loading. The driver hands over the temperature record.

## Term

From 1 January 2026, open-ended, to be ended with two months' notice.
"""
"""The file that the questions of these tests are about."""


async def until(
    condition: Callable[[], Any] | Callable[[], Awaitable[Any]], *, seconds: float = DEADLINE_SECONDS, what: str = ""
) -> Any:
    """Waits until the condition gives something true, and returns that; fails the test when it does not in time."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if isinstance(value, Awaitable):
            value = await value
        if value:
            return value
        assert time.monotonic() < deadline, f"not within {seconds} s: {what or condition}"
        await asyncio.sleep(0.02)


def start_process(
    command: list[str],
    log: Path,
    environment: dict[str, str] | None = None,
    *,
    folder: Path | None = None,
    source: Path = REPOSITORY,
    group: int | None = None,
) -> "subprocess.Popen[bytes]":
    """Starts a process of Leaf's, by default in the folder of its log, where no .env of the developer's own is.

    Args:
        command: The program and its arguments.
        log: Where it writes what it has to say.
        environment: Variables besides those of the tests.
        folder: Where it is started.
        source: The folder of the sources that it runs, where they are those of another version.
        group: The group that it runs as; only root may name one.
    """
    log.parent.mkdir(exist_ok=True)
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            cwd=folder or log.parent,
            env={**os.environ, **(environment or {}), "PYTHONPATH": str(source), "PYTHONUNBUFFERED": "1"},
            group=group,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            # Ctrl-C reaches the tests alone, and they end the process when they are through.
            start_new_session=True,
            preexec_fn=_end_with_parent,  # noqa: PLW1509 - one system call, before any thread exists in the child
        )


def _end_with_parent() -> None:
    """Has Linux end the process where the tests are killed without a chance to do so themselves."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Stack:
    """The services of one suite, by their folder; each can be stopped, killed and started again on the same data."""

    settings: config.Settings
    sandbox: "Sandbox"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._guardian = subprocess.Popen(
            [sys.executable, "-m", "tests.acceptance.guardian", str(folder)],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        self.ada: Actor | None = None
        """The member who has signed in and connected a Drive, once for all tests."""
        self.whole_texts: dict[str, str] = {}

    def start(self) -> config.Settings:
        """Starts all services, migrates the database, and returns settings that name them."""
        # The last user of a data directory ends its services: that must not be a worker that a test ends.
        processes.register(self.folder, "tool")
        with _children_live_on():
            database_url = postgres.start(self.folder)
            redis_url = redis_server.start(self.folder)
        migrate.upgrade(database_url)
        self.sandbox = Sandbox(self._drive(), self.folder)
        sandbox_url = self.sandbox.url
        self.settings = config.Settings(
            _env_file=None,
            data_dir=self.folder,
            database_url=database_url,
            redis_url=redis_url,
            sandbox_url=sandbox_url,
            model="sandbox:sandbox",
            titles=False,
            requests_per_minute=0,
            related_questions=False,
            secret=secrets.token_urlsafe(32),
            seal_keys=f"test:{tokens.new_seal_key()}",
            **self._providers(sandbox_url),
        )
        self._log_statements()
        return self.settings

    def _providers(self, sandbox_url: str) -> dict[str, Any]:
        """The settings of model providers."""
        return {
            "openai_api_key": PROVIDER_KEY,
            "openai_base_url": f"{sandbox_url}/openai/v1",
            "anthropic_api_key": PROVIDER_KEY,
            "anthropic_base_url": f"{sandbox_url}/anthropic",
        }

    def _drive(self) -> Path | None:
        """A Drive of two files, so that these tests do not depend on what the sample holds."""
        folder = self.folder / "drive"
        folder.mkdir()
        (folder / "Transport agreement with Halden Haulage.md").write_text(AGREEMENT)
        table = "| Item | Count |\n|---|---|\n| Banners | 2 |\n| Crates | 6 |\n"
        (folder / "Packing list.txt").write_text(f"Two banners, six crates of Northwind Crisp, one till.\n\n{table}")
        return folder

    @contextmanager
    def model(self, name: str) -> Iterator[None]:
        """Questions that are asked in the block are answered by this model."""
        config.install(self.settings.model_copy(update={"model": name}))
        try:
            yield
        finally:
            config.install(self.settings)

    def ensure(self) -> None:
        """Starts again what a test has left stopped."""
        if not postgres.is_running(self.folder):
            self.start_postgres()
        if not redis_server.is_running(self.folder):
            self.start_redis()

    index = False
    """Whether workers that start keep the index of Drives; its calls of Google would count as those of answers."""

    def stop(self) -> None:
        """Ends all services, and removes the folder."""
        if hasattr(self, "sandbox"):
            self.sandbox.stop()
        self._guardian.communicate()

    def environment(self) -> dict[str, str]:
        """The variables by which a worker finds this stack."""
        fields = config.Settings.model_fields.items()
        values = {str(field.validation_alias): getattr(self.settings, name) for name, field in fields}
        told = {
            variable: str(value) for variable, value in values.items() if isinstance(value, str | int | float | Path)
        }
        return told | {"LEAF_INDEX": str(self.index).lower()}

    def start_postgres(self) -> None:
        with _children_live_on():
            postgres.start(self.folder)

    def stop_postgres(self) -> None:
        postgres.stop(self.folder)

    def execute(self, statement: LiteralString, *values: object) -> list[tuple[Any, ...]]:
        """Asks the database as its owner, who sees everybody's rows."""
        with psycopg.connect(str(self.settings.database_url).replace("+psycopg", ""), autocommit=True) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def start_redis(self) -> None:
        with _children_live_on():
            redis_server.start(self.folder)

    def stop_redis(self) -> None:
        redis_server.stop(self.folder)

    def kill_redis(self) -> None:
        """Kills Redis without a chance to write anything."""
        identity = processes.read_note(self.folder / "run" / "redis.json")
        assert identity is not None
        identity.send(signal.SIGKILL)
        assert identity.wait(5)

    @property
    def _log(self) -> Path:
        return self.folder / "log" / "postgres.log"

    def _log_statements(self) -> None:
        self.execute("ALTER SYSTEM SET log_statement = 'mod'")
        self.execute("SELECT pg_reload_conf()")

    def log_position(self) -> int:
        """Where PostgreSQL's log ends at the moment."""
        return self._log.stat().st_size

    def writes_since(self, position: int) -> list[str]:
        """The INSERT, UPDATE and DELETE statements that PostgreSQL was sent since, by anybody, in order."""
        with self._log.open("rb") as log:
            log.seek(position)
            # Further lines of a statement begin with a tab.
            lines = log.read().decode(errors="replace").replace("\n\t", " ").splitlines()
        statements = [
            line.partition("execute ")[2] or line.partition("statement: ")[2] for line in lines if "LOG:" in line
        ]
        return [statement.partition(": ")[2] or statement for statement in statements if statement]


_LIMITS = httpx.Limits(keepalive_expiry=2)
"""A connection is given up before the sandbox does so, which would cut off a request."""
_OF_THE_INDEX = re.compile(r"/drive/v3/(?:changes|drives\?)|pageSize=1000")


class Sandbox:
    """The sandbox's process: the requests that it has seen, and the faults that it is to have."""

    def __init__(self, drive: Path | None, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._http = httpx.Client(base_url=self.url, trust_env=False, timeout=10, limits=_LIMITS)
        options = ["--port", str(port), "--state", str(folder / "sandbox")]
        options += [] if drive is None else ["--drive", str(drive)]
        self._process = start_process([sys.executable, "-m", "sandbox", *options], folder / "log" / "sandbox.log")
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self._process.poll() is None, (folder / "log" / "sandbox.log").read_text()
            assert time.monotonic() < deadline, "the sandbox does not answer"
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            return self._http.get("/health").is_success
        except httpx.TransportError:
            return False

    def stop(self) -> None:
        """Ends the process."""
        self._http.close()
        self._process.kill()
        self._process.wait()

    def forget(self) -> None:
        """Empties the logs and takes the faults back."""
        for path in ("/sandbox/past", "/sandbox/model/requests"):
            self._http.delete(path).raise_for_status()

    def fault(self, path: str, status: int | None, times: int = 1, **further: Any) -> None:
        """Has the next requests whose path matches fail."""
        fault = {"path": path, "status": status, "times": times, **further}
        self._http.post("/sandbox/faults", json=fault).raise_for_status()

    def asked(self, *, deltas: bool = False) -> list[dict[str, Any]]:
        """The requests to the model."""
        return self._http.get("/sandbox/model/requests", params={"deltas": int(deltas)}).raise_for_status().json()

    def requests(self, path: str = "") -> list[dict[str, Any]]:
        """The requests to Google whose path begins so."""
        seen = self._http.get("/sandbox/requests").raise_for_status().json()["requests"]
        return [request for request in seen if request["path"].startswith(path)]

    def drive_calls(self, account: str | None = None) -> list[str]:
        """The calls of the Drive API, in the order in which they came, without those by which the index follows it.

        Args:
            account: The address of the account whose grant they have; None for all.
        """
        requests = [one for one in self.requests("/drive/") if account in {None, one["account"]}]
        calls = [f"{request['path']}?{request['query']}" for request in requests]
        return [call for call in calls if not _OF_THE_INDEX.search(call)]

    def downloads(self, account: str | None = None) -> list[str]:
        """The Drive calls that fetched the content of a file."""
        return [call for call in self.drive_calls(account) if "alt=media" in call or "/export" in call]

    def remove_access(self, account: str) -> None:
        """Removes Leaf's access, as a person does on the page of their Google account."""
        page = httpx.Client(base_url=self.url, trust_env=False)
        with page:
            page.post("/account", data={"account": account, "do": "choose"})
            page.post("/account", data={"account": account, "do": "remove", "client_id": config.SANDBOX_CLIENT_ID})


@contextmanager
def _children_live_on() -> Iterator[None]:
    """The services outlive the objects that started them, which Python warns about and which is meant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        gc.collect()
