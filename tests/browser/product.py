"""Leaf as `make run` starts it, for browsers: the pages, a worker, PostgreSQL, Redis and the sandbox, in a folder of
their own. Its processes can be killed and started again, one by one.
"""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import psutil
import psycopg
from filelock import FileLock
from psycopg.rows import dict_row

from leaf.config import build

ROOT = Path(__file__).parents[2]
PAGES = ".web-tests"
"""Where the pages are compiled; kept from run to run, and never that of a running Leaf."""
MODEL = "sandbox:sandbox"
"""Quick; `Product.use_model` takes another one for a while."""
SERVICES = ("TAVILY_", "BRAVE_", "EXA_", "FIRECRAWL_", "JINA_", "SEARXNG_")
"""Prefixes of the developer's own keys for web search."""
_START_SECONDS = 240
_END_SECONDS = 25
_HURRY_SECONDS = 10
_READY = "Leaf is ready at"

_OTHER_MODEL = """
    CREATE TABLE test_model (name text);
    GRANT SELECT ON test_model TO PUBLIC;
    CREATE FUNCTION test_model() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        NEW.model := coalesce((SELECT name FROM test_model), NEW.model);
        RETURN NEW;
    END $$;
    CREATE TRIGGER test_model BEFORE INSERT OR UPDATE OF model ON messages
        FOR EACH ROW WHEN (NEW.role = 'assistant') EXECUTE FUNCTION test_model();
"""

_UNREAD_TEXTS = """
    CREATE TABLE test_reads_texts ();
    ALTER FUNCTION leaf_unread_drives(integer, integer) RENAME TO test_unread_drives;
    CREATE FUNCTION leaf_unread_drives(most integer, present_reader integer)
    RETURNS TABLE(user_id uuid, workspace_id uuid) LANGUAGE sql STABLE SECURITY DEFINER AS $$
        SELECT * FROM test_unread_drives(most, present_reader) WHERE EXISTS (SELECT FROM test_reads_texts)
    $$;
"""


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Product:
    """A running Leaf. `url` is where its pages are."""

    directory: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="leafb-", dir="/tmp")))
    port: int = field(default_factory=free_port)
    model: str = MODEL
    settings: dict[str, str] = field(default_factory=dict[str, str])
    """Further environment variables."""
    model_port: int = field(default_factory=free_port)
    """The port at which it looks for a model server of this machine (`tests.model_server`)."""
    pages: str = PAGES
    """Where its pages are compiled, from the root of the project."""
    reads_texts: bool = True
    """Whether the index reads the 331 files of the sample Drive: 20 s of CPU, of which most walks see nothing."""
    _web: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def sandbox_url(self) -> str:
        return f"http://127.0.0.1:{json.loads((self.directory / 'sandbox' / 'port.json').read_text())}"

    @property
    def database_url(self) -> str:
        return f"postgresql://leaf@/leaf?host={quote(str(self.directory / 'run' / 'postgres'), safe='')}"

    @property
    def log(self) -> Path:
        return self.directory / "web.log"

    def environment(self) -> dict[str, str]:
        """The variables that the Makefile exports, without the settings of the developer's own shell."""
        tools = Path(sys.executable).parent
        shared = tools.parent / "share"
        foreign = ("LEAF_", "GOOGLE_", "OPENAI_", "ANTHROPIC_", *SERVICES, "REFLEX_", "DATABASE_URL", "REDIS_URL")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        return kept | {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "PORT": str(self.port),
            "PYTHONUNBUFFERED": "1",
            "REFLEX_BACKEND_ONLY": "true",
            "REFLEX_USE_NPM": "1",
            "REFLEX_CHECK_LATEST_VERSION": "0",
            "REFLEX_TELEMETRY_ENABLED": "false",
            "REFLEX_DIR": str(shared / "reflex"),
            "REFLEX_WEB_WORKDIR": self.pages,
            "npm_config_omit_lockfile_registry_resolved": "true",
            "npm_config_cache": str(shared / "npm"),
            "npm_config_update_notifier": "false",
            "LEAF_DATA_DIR": str(self.directory),
            "LEAF_MODEL": self.model,
            # A request of its own at the same time as the answer's: a fault would hit one or the other.
            "LEAF_TITLES": "false",
            "LEAF_LOCAL_MODELS": f"127.0.0.1:{self.model_port}",
            **self.settings,
        }

    def start(self) -> None:
        """Compiles the pages if they are not there, and starts everything, by the commands of `make run`."""
        command = [sys.executable, "-m", "leaf", "preflight", "--pages"]
        subprocess.run(command, cwd=ROOT, env=self.environment(), check=True)
        self._spawn("reflex", "run", "--env", "prod")
        self._prepare()

    def has_pages(self) -> bool:
        """Whether an earlier run has compiled the pages of the present sources; they serve any port."""
        return build.is_current(ROOT / self.pages)

    def start_with_pages(self) -> None:
        """Starts everything with the pages that are there."""
        self.start_web()
        self._prepare()

    def _prepare(self) -> None:
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            connection.execute(_OTHER_MODEL)
            if not self.reads_texts:
                connection.execute(_UNREAD_TEXTS)

    @contextmanager
    def reading_texts(self) -> Iterator[None]:
        """The index reads files for the length of a block, where the product has been told not to."""
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            connection.execute("INSERT INTO test_reads_texts DEFAULT VALUES")
            try:
                yield
            finally:
                connection.execute("TRUNCATE test_reads_texts")

    def use_model(self, name: str | None) -> None:
        """Answers that are asked for from now on are written by this model; None: by the one that Leaf was told.

        The web process notes with each answer which model writes it, and the worker goes by that. A trigger in this
        database changes the note, where another test would need a restart with another LEAF_MODEL.
        """
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            connection.execute("TRUNCATE test_model")
            if name is not None:
                connection.execute("INSERT INTO test_model VALUES (%s)", (name,))

    def start_web(self) -> None:
        """Starts the web process with the pages that are compiled already; other services are found or started."""
        self._spawn(sys.executable, "-m", "tests.serve", str(self.port))

    def _spawn(self, *command: str) -> None:
        """Starts a web process in a process group of its own, and waits until it says that it is ready."""
        before = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as output:
            self._web = subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_SECONDS
        while _READY not in self.said(before):
            if self._web.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Leaf does not start:\n{self.said(before)[-3000:]}")
            time.sleep(0.05)

    def said(self, since_bytes: int = 0) -> str:
        """The output of the web process."""
        return self.log.read_bytes()[since_bytes:].decode(errors="replace")

    def kill_web(self) -> None:
        """Ends the web process as `kill -9` does; the services beside it stay."""
        assert self._web is not None
        os.killpg(self._web.pid, signal.SIGKILL)
        self._web.wait(10)
        self._web = None

    @contextmanager
    def web_frozen(self) -> Iterator[None]:
        """For the length of a block the web process says nothing, and its connections stay open."""
        assert self._web is not None
        os.killpg(self._web.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self._web.pid, signal.SIGCONT)

    def kill(self, name: str) -> None:
        """`kill -9` for the worker, redis, postgres or sandbox; the web process starts it again."""
        notes = [*(self.directory / "run").glob(f"{name}.json"), *(self.directory / "run").glob(f"{name}-*.json")]
        for note in notes:
            _kill_tree(int(json.loads(note.read_text())["pid"]))

    @contextmanager
    def without(self, name: str) -> Iterator[None]:
        """For the length of a block a service is dead, and nobody can start it again."""
        with FileLock(self.directory / "lock"):
            self.kill(name)
            yield

    def stop(self) -> None:
        """Ends all processes, running or not, and removes the folder."""
        try:
            if self._web is not None:
                _end(self._web)
                self._web = None
        finally:
            left = self.processes()
            for process in left:
                process.kill()
            psutil.wait_procs(left, timeout=10)
            shutil.rmtree(self.directory, ignore_errors=True)

    def processes(self) -> list[psutil.Process]:
        """The processes that belong to this folder."""
        found: list[psutil.Process] = []
        for process in psutil.process_iter():
            try:
                mine = any(str(self.directory) in word for word in process.cmdline())
                mine = mine or process.environ().get("LEAF_DATA_DIR") == str(self.directory)
            except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
                continue
            if mine and process.pid != os.getpid():
                found.append(process)
        return found

    async def query(self, statement: str, *values: Any) -> list[dict[str, Any]]:
        """Rows of the database, as its owner sees them."""
        return await asyncio.to_thread(self._query, statement, values)

    def _query(self, statement: str, values: tuple[Any, ...]) -> list[dict[str, Any]]:
        with psycopg.connect(self.database_url, row_factory=dict_row) as connection:
            return connection.execute(statement, values).fetchall()  # pyright: ignore[reportArgumentType, reportCallIssue]

    def fault(self, **fault: Any) -> None:
        """Orders a fault of the sandbox (`sandbox.faults`)."""
        httpx.post(f"{self.sandbox_url}/sandbox/faults", json=fault, trust_env=False).raise_for_status()

    def clear_faults(self) -> None:
        httpx.delete(f"{self.sandbox_url}/sandbox/faults", trust_env=False).raise_for_status()

    async def hurry(self) -> None:
        """Lets the answers that are being written end at once, with what they have yet to ask the model.

        An answer that asks it again after its first words would be slow once more: so that is told to the sandbox until
        they have ended, or for as long as an answer of another test may wait for something else.
        """
        written = "status IN ('pending', 'streaming')"
        ids = [row["id"] for row in await self.query(f"SELECT id FROM messages WHERE {written}")]  # noqa: S608
        deadline = time.monotonic() + _HURRY_SECONDS
        async with httpx.AsyncClient(trust_env=False) as client:
            while True:
                (await client.post(f"{self.sandbox_url}/sandbox/model/hurry")).raise_for_status()
                left = await self.query(f"SELECT 1 FROM messages WHERE {written} AND id = ANY (%s)", ids)  # noqa: S608
                if not left or time.monotonic() > deadline:
                    return
                await asyncio.sleep(0.1)

    def model_requests(self, *, deltas: bool = False) -> list[dict[str, Any]]:
        """The requests to the sandbox's model, and the times of its answers (Unix times)."""
        address = f"{self.sandbox_url}/sandbox/model/requests?deltas={int(deltas)}"
        return httpx.get(address, trust_env=False).raise_for_status().json()


def _kill_tree(pid: int) -> None:
    try:
        processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=10)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends a process group: politely, then not."""
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)
