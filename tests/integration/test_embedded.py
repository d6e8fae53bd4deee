"""Leaf's own PostgreSQL and Redis, started by processes of their own: at once, again, after a kill, in odd places."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import psutil
import psycopg
import pytest
import redis
from sqlalchemy import make_url

from leaf import config, errors
from leaf.config.embedded import processes
from leaf.db import migrate

ROOT = Path(__file__).parent.parent.parent
PROGRAM = """
import json, os, sys
from leaf import config, errors
from leaf.config import embedded
try:
    services = embedded.start(config.load(), os.environ.get("TEST_ROLE", "tool"), migrate=lambda url: None)
except errors.ConfigurationError as error:
    sys.exit(error.message)
settings = services.settings
names = ("database_url", "redis_url", "secret", "seal_keys")
named = {name: getattr(settings, name) for name in names}
print(json.dumps({**named, "worker": services.worker is not None}), flush=True)
sys.stdin.readline()
services.stop()
"""


def environment(directory: Path, **variables: str) -> dict[str, str]:
    """No settings of the developer's, and no sandbox: it is as slow to start as all the rest."""
    known = {str(field.validation_alias) for field in config.Settings.model_fields.values()}
    inherited = {name: value for name, value in os.environ.items() if name not in known}
    own = {"PYTHONPATH": str(ROOT), "LEAF_DATA_DIR": str(directory), "LEAF_SANDBOX_URL": "http://127.0.0.1:9"}
    # As in make, the Node.js of the environment comes first.
    own["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**inherited, **own, **variables}


class Starter:
    """A process that starts the services, and stops them when it is told to or when the tests are gone."""

    started_by_test: ClassVar[list["Starter"]] = []

    def __init__(self, directory: Path, **variables: str) -> None:
        self.directory = directory
        self.started_by_test.append(self)
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], env=environment(directory, **variables), cwd="/",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def started(self) -> dict[str, Any]:
        """The settings that it names."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            pytest.fail(f"did not start: {self.process.communicate(timeout=60)[1][-3000:]}")
        return json.loads(line)

    def end(self) -> str:
        """Ends it as Ctrl-C would; what it wrote to stderr."""
        return self.process.communicate("stop\n", timeout=60)[1]

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=60)

    @classmethod
    def kill_all(cls) -> None:
        """Ends those that a failed test has left, so that they do not fail the next one with their open pipes."""
        while cls.started_by_test:
            starter = cls.started_by_test.pop()
            if starter.process.returncode is None:
                starter.kill()


def identities(directory: Path) -> dict[str, processes.Identity | None]:
    """The servers of a data directory that run."""
    return {name: processes.read_note(directory / "run" / f"{name}.json") for name in ("postgres", "redis")}


def clean_up(directory: Path) -> None:
    """Ends the processes that a failed test has left."""
    for identity in identities(directory).values() if directory.is_dir() else ():
        if identity is not None:
            identity.stop(seconds=10, first=signal.SIGINT)


@contextmanager
def cleaned_up(directory: Path) -> Iterator[Path]:
    """A data directory of which nothing runs after the block."""
    try:
        yield directory
    finally:
        Starter.kill_all()
        clean_up(directory)


@pytest.fixture
def directory() -> Iterator[Path]:
    """A data directory at a short path, with nothing in it."""
    with tempfile.TemporaryDirectory(prefix="leaf-e", dir="/tmp") as folder, cleaned_up(Path(folder) / "data") as data:
        yield data


@pytest.fixture(scope="module")
def used_folder() -> Iterator[Path]:
    """The folder of the data directory that tests use one after the other."""
    with tempfile.TemporaryDirectory(prefix="leaf-e", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def used_directory(used_folder: Path) -> Iterator[Path]:
    """A data directory with a database from before: a first start takes three times as long as a later one."""
    with cleaned_up(used_folder / "data") as data:
        yield data


def write(settings: dict[str, Any], value: str) -> None:
    """Leaves something in both, and waits until a kill of either would not lose it.

    While the disk is slow, Redis answers before it has written (`appendfsync everysec` promises two seconds).
    """
    with psycopg.connect(plain(settings["database_url"]), autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (value text)")
        connection.execute("INSERT INTO kept VALUES (%s)", (value,))
    with redis.Redis.from_url(settings["redis_url"]) as client:
        client.rpush("kept", value)
        end = time.monotonic() + 20
        while client.info("persistence")["aof_buffer_length"]:
            assert time.monotonic() < end, "Redis has not written its log"


def read(settings: dict[str, Any]) -> tuple[list[str], list[str]]:
    with psycopg.connect(plain(settings["database_url"])) as connection:
        rows = [row[0] for row in connection.execute("SELECT value FROM kept")]
    with redis.Redis.from_url(settings["redis_url"]) as client:
        return rows, [value.decode() for value in client.lrange("kept", 0, -1)]


def plain(url: str) -> str:
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def test_two_that_start_at_once_share_one_of_each(directory: Path) -> None:
    """The first that ends leaves them to the other; the last one takes them along and leaves no process."""
    first, second = Starter(directory), Starter(directory)
    settings = first.started()
    assert second.started() == settings
    write(settings, "one")
    running = identities(directory)
    assert all(running.values())
    third = Starter(directory)
    assert third.started() == settings
    assert identities(directory) == running
    for starter in (first, third):
        assert starter.end() == ""
        assert identities(directory) == running
    assert read(settings) == (["one"], ["one"])
    assert second.end() == ""
    assert not [identity for identity in running.values() if identity and identity.alive]
    assert not [
        process for process in psutil.process_iter(["cmdline"]) if str(directory) in str(process.info["cmdline"])
    ]


@pytest.mark.parametrize("first", ["few", "all"])
def test_services_end_with_their_last_user_whatever_it_needs(used_directory: Path, first: str) -> None:
    """One user has a Redis of its own and the other one's too: whichever ends last stops everything."""
    everything = Starter(used_directory)
    redis_url = everything.started()["redis_url"]
    fewer = Starter(used_directory, REDIS_URL=redis_url)
    fewer.started()
    order = [fewer, everything] if first == "few" else [everything, fewer]
    order[0].end()
    assert None not in identities(used_directory).values()
    order[1].end()
    assert set(identities(used_directory).values()) == {None}


@pytest.mark.parametrize(
    ("urls", "starts"),
    [
        ({}, True),
        ({"REDIS_URL": "redis://127.0.0.1:1"}, True),
        ({"DATABASE_URL": "postgresql://leaf@127.0.0.1:1/leaf"}, True),
        ({"REDIS_URL": "redis://127.0.0.1:1", "LEAF_EMBEDDED_WORKER": "false"}, False),
        ({"REDIS_URL": "redis://127.0.0.1:1", "DATABASE_URL": "postgresql://leaf@127.0.0.1:1/leaf"}, False),
    ],
)
def test_a_web_process_starts_a_worker_where_anything_is_embedded(
    used_directory: Path, urls: dict[str, str], starts: bool
) -> None:
    """With REDIS_URL alone a question waited without end."""
    web = Starter(used_directory, TEST_ROLE="web", **urls)
    assert web.started()["worker"] == starts
    web.end()
    assert set(identities(used_directory).values()) == {None}


def test_a_kill_is_no_obstacle(directory: Path) -> None:
    """Neither of the starter alone nor of everything; data and secrets are kept, and nobody counts the dead."""
    starter = Starter(directory)
    settings = starter.started()
    write(settings, "one")
    running = identities(directory)
    starter.kill()
    again = Starter(directory)
    assert again.started() == settings
    assert identities(directory) == running, "what still runs is found"
    write(settings, "two")
    again.kill()
    for identity in running.values():
        assert identity is not None
        identity.send(signal.SIGKILL)
        assert identity.wait(20)
    last = Starter(directory)
    assert last.started() == settings
    assert read(settings) == (["one", "two"], ["one", "two"])
    assert last.end() == ""
    assert identities(directory) == {"postgres": None, "redis": None}, "the killed do not hold the services"


def test_notes_about_other_processes_are_not_believed(directory: Path) -> None:
    """After a restart of the machine a pid may be anybody's: nobody is taken for a server, and nobody is killed."""
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        note = json.dumps({"pid": bystander.pid, "started": 1_000_000.0})
        for name in ("redis", "postgres", "sandbox", "users/1"):
            path = directory / "run" / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(note)
        (directory / "run" / "users" / "2.json").write_text("{half a no")
        (directory / "postgres.new-killed").mkdir()
        (directory / "postgres.new-killed" / "PG_VERSION").write_text("18\n")
        (directory / "secrets.new").write_text("{half a fi")
        first = Starter(directory)
        first.started()
        first.end()
        stale = f"{bystander.pid}\n{directory / 'postgres'}\n1000000\n5432\n\n\n"
        (directory / "postgres" / "postmaster.pid").write_text(stale)
        second = Starter(directory)
        write(second.started(), "one")
        assert second.end() == ""
        assert bystander.poll() is None
        assert sorted(path.name for path in directory.glob("postgres*")) == ["postgres"]
        assert (directory / "secrets.json").stat().st_mode & 0o077 == 0
    finally:
        bystander.communicate(b"\n", timeout=20)


@pytest.mark.parametrize("name", ["a path with spaces, 100%25 #odd? & ünïcode", "long-" + "x" * 120])
def test_a_data_directory_may_be_anywhere(directory: Path, name: str) -> None:
    """Unix sockets allow some hundred bytes and PostgreSQL no comma: then they lie elsewhere."""
    odd = directory / name
    starter = Starter(odd)
    try:
        settings = starter.started()
        write(settings, "one")
        assert read(settings) == (["one"], ["one"])
        assert starter.end() == ""
    finally:
        starter.kill()
        clean_up(odd)
        for server in ("postgres", "redis"):
            shutil.rmtree(processes.socket_directory(odd, server), ignore_errors=True)


def refused(directory: Path, **options: Any) -> str:
    """The output of a start that cannot succeed."""
    finished = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment(directory), cwd="/", input="", capture_output=True, text=True,
        check=False, timeout=120, **options,
    )  # fmt: skip
    assert finished.returncode == 1, finished.stdout
    assert "Traceback" not in finished.stderr
    lines = finished.stderr.strip().splitlines()
    assert lines[0] == "Leaf cannot start:"
    return "\n".join(lines[1:])


@contextmanager
def mounted(directory: Path, options: str) -> Iterator[None]:
    """A small file system of its own at a path; skips the test where this user may not make one."""
    directory.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(directory)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not mount a small file system")
    try:
        yield
    finally:
        clean_up(directory)
        subprocess.run(["umount", str(directory)], check=True)


def test_a_folder_that_cannot_be_written_is_named(directory: Path) -> None:
    """With what to do about it."""
    directory.mkdir()
    directory.chmod(0o555)
    if os.access(directory, os.W_OK):
        pytest.skip("nothing is forbidden to this user; test_a_read_only_file_system_is_named holds for it")
    said = refused(directory)
    assert str(directory) in said
    assert "permission denied" in said
    assert "LEAF_DATA_DIR" in said


def test_a_read_only_file_system_is_named(directory: Path) -> None:
    """Which not even root can write to."""
    with mounted(directory, "size=1m,ro"):
        said = refused(directory)
    assert str(directory) in said
    assert "read-only file system" in said
    assert "LEAF_DATA_DIR" in said


def test_a_file_in_the_way_is_named(directory: Path) -> None:
    directory.write_text("I am a file")
    for tried in (directory, directory / "below"):
        said = refused(tried)
        assert str(directory) in said
        assert "LEAF_DATA_DIR" in said


def test_a_full_disk_is_told(directory: Path) -> None:
    """And once there is space again, the start succeeds: nothing half-made is in the way."""
    with mounted(directory, "size=2m,mode=755"):
        assert re.search("no space( is)? left on (the )?device", refused(directory).lower())
        subprocess.run(["mount", "-o", "remount,size=400m", str(directory)], check=True)
        starter = Starter(directory)
        write(starter.started(), "one")
        assert starter.end() == ""


def test_a_port_that_is_taken_is_told_before_the_start(tmp_path: Path) -> None:
    """With the next one, instead of a page that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        finished = subprocess.run(
            [sys.executable, "-m", "leaf", "preflight"], env=environment(tmp_path, PORT=str(port)), cwd=tmp_path,
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
    assert finished.returncode == 1
    assert (
        finished.stderr.strip() == f"Port {port} is taken by another program. Choose another: PORT={port + 1} make run"
    )


def test_pages_that_are_being_served_are_not_compiled_anew(tmp_path: Path) -> None:
    """A second start in the same folder is told so before it builds; one that was killed is not in the way."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]

    def preflight() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "leaf", "preflight"], env=environment(tmp_path, PORT=str(port)), cwd=tmp_path,
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip

    server = processes.spawn(["sleep", "60"], log=tmp_path / "log", note=tmp_path / "note")
    identity = processes.Identity.of(server.pid)
    assert identity is not None
    processes.write_note(processes.pages_note(tmp_path / ".web", server.pid), identity)
    refused = preflight()
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"process {server.pid}" in refused.stderr
    assert f"REFLEX_WEB_WORKDIR=.web-{port} PORT={port} make run" in refused.stderr
    server.kill()
    server.wait()
    assert preflight().returncode == 0


def test_a_first_start_names_no_command_of_reflex(tmp_path: Path) -> None:
    """The logger is the one with which Reflex writes it, and its other lines are left as they are."""
    script = (
        "import rxconfig; from reflex.reflex import logger\n"
        "logger.error('Initialized leaf. Run `uv run reflex run` to start the app.')\n"
        "logger.error('Initialized leaf.')\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script], env=environment(tmp_path), cwd=ROOT, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    said = finished.stdout + finished.stderr
    assert (finished.returncode, "uv run" in said, said.count("Initialized leaf.")) == (0, False, 1), said


def test_a_database_that_is_not_there_is_said_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with pytest.raises(errors.ConfigurationError) as refused:
        migrate.upgrade(f"postgresql://leaf:the-password@127.0.0.1:{port}/leaf")
    (said,) = refused.value.problems
    assert "\n" not in said
    assert said.startswith("DATABASE_URL: the database cannot be reached")
    assert str(port) in said
    assert "the-password" not in said


def test_what_has_died_is_started_again(used_directory: Path) -> None:
    """The process that uses a server starts it again, at each of its checks."""
    program = PROGRAM.replace(
        "sys.stdin.readline()\n", "while sys.stdin.readline() == 'look\\n': print(services.revive(), flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=environment(used_directory), cwd="/", stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        settings = json.loads(process.stdout.readline())
        write(settings, "one")
        victim = identities(used_directory)["redis"]
        assert victim is not None
        victim.send(signal.SIGKILL)
        assert victim.wait(20)
        process.stdin.write("look\nlook\n")
        process.stdin.flush()
        assert [process.stdout.readline().strip() for _ in range(2)] == ["True", "False"]
        assert read(settings) == (["one"], ["one"])
    finally:
        with suppress(subprocess.TimeoutExpired):
            process.communicate("stop\n", timeout=60)
        process.kill()


def test_an_identity_is_one_process_only() -> None:
    """Its pid alone is not enough, and an ended process that nobody has waited for is dead."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    identity = processes.Identity.of(process.pid)
    assert identity is not None
    assert identity.alive
    assert not processes.Identity(identity.pid, identity.started - 60).alive
    assert process.stdin is not None
    process.stdin.close()
    assert identity.wait(20)
    assert processes.Identity.of(process.pid) is None
    began = time.monotonic()
    identity.stop(seconds=10)
    assert time.monotonic() - began < 5
    process.wait()
