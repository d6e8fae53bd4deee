"""`python -m tests.image.walk FOLDER`: starts the services of deploy/compose.yaml, with the image that is built in a
folder, and walks through them. It wants a network namespace of its own, from which nothing leads out.

First everything starts as in production, with keys that open nothing. Then the same image runs beside a sandbox, which
is no part of it: Ada signs in, connects her Drive and asks.
"""

import asyncio
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg
from playwright.async_api import async_playwright, expect
from psycopg import sql

from leaf.callers import tokens
from leaf.config.embedded import redis_server
from tests import chromium
from tests.browser import questions
from tests.browser.guard import Guard
from tests.browser.visitor import Visitor
from tests.image import compose, container, layers
from tests.image.container import Container
from tests.postgres import BINARIES

SANDBOX_PORT = 4000
_START_SECONDS = 120.0
_HOSTS = "127.0.0.1 localhost postgres redis\n"


@dataclass
class Walk:
    """The services of the compose file, in a folder for their data and logs."""

    built: layers.Built
    layers: Path
    folder: Path
    services: Mapping[str, dict[str, Any]]
    url: str = "http://localhost:3000"
    sandbox_url: str = f"http://127.0.0.1:{SANDBOX_PORT}"
    running: list[Container] = field(default_factory=list[Container])

    def start(self, name: str, **variables: str) -> Container:
        """Starts a service of the image."""
        hosts = self.folder / "added" / "etc" / "hosts"
        hosts.parent.mkdir(parents=True, exist_ok=True)
        hosts.write_text(_HOSTS)
        log = self.folder / f"{name}-{len(self.running)}.log"
        started = container.start(
            self.built,
            self.layers,
            self.services[name],
            name=name,
            log=log,
            variables=variables,
            added=self.folder / "added",
        )
        self.running.append(started)
        return started

    def wait_healthy(self, web: Container) -> None:
        """Waits until the image's own check, run in the container, finds it healthy."""
        check = self.built.image.health
        _until(lambda: container.entered(web, *check).returncode == 0, web)

    def stop(self) -> None:
        """Ends what still runs."""
        for one in self.running:
            if one.process.poll() is None:
                one.kill()


def main() -> None:
    """Walks, and says how long each part took."""
    _without_network()
    folder = Path(sys.argv[1])
    built = layers.Builder(folder).build(*layers.files())
    variables = production()
    place = Path(tempfile.mkdtemp(prefix="leaf-image-", dir="/tmp"))
    place.chmod(0o755)
    walk = Walk(built, folder, place, compose.services(variables))
    with ExitStack() as ending:
        ending.callback(shutil.rmtree, place, ignore_errors=True)
        ending.enter_context(postgres(walk.services["postgres"], place))
        ending.enter_context(redis(walk.services["redis"], place))
        ending.callback(walk.stop)
        with timed("migrations"):
            migrate = walk.start("migrate")
            assert migrate.finished(seconds=_START_SECONDS) == 0, migrate.said()
        try:
            as_in_production(walk)
            with_sandbox(walk)
        except BaseException:
            for one in walk.running:
                sys.stderr.write(f"The end of the log of {one.log.stem}:\n{one.said()[-2000:]}\n")
            raise


def _without_network() -> None:
    """Has the loopback interface, and one that leads nowhere: without that, browsers believe that they are offline."""
    for command in (
        "link set lo up", "link add nowhere0 type veth peer name nowhere1", "addr add 192.0.2.1/32 dev nowhere0",
        "link set nowhere0 up", "link set nowhere1 up",
    ):  # fmt: skip
        subprocess.run(["ip", *command.split()], check=True)


def production() -> dict[str, str]:
    """A file `.env` as docs/configuration.md asks for it, with fresh secrets, and keys of nobody."""
    return {
        "LEAF_URL": "https://leaf.example.org",
        "LEAF_SECRET": secrets.token_urlsafe(48),
        "LEAF_SEAL_KEYS": f"k1:{tokens.new_seal_key()}",
        "GOOGLE_CLIENT_ID": f"{secrets.randbelow(10**12)}-{secrets.token_hex(16)}.apps.googleusercontent.com",
        "GOOGLE_CLIENT_SECRET": f"GOCSPX-{secrets.token_urlsafe(21)}",
        "ANTHROPIC_API_KEY": f"sk-ant-{secrets.token_urlsafe(32)}",
        "POSTGRES_PASSWORD": secrets.token_hex(16),
    }


def as_in_production(walk: Walk) -> None:
    """Web process and worker start as the compose file says, serve the pages, and end."""
    with timed("production: start until healthy"):
        web, worker = walk.start("web"), walk.start("worker")
        walk.wait_healthy(web)
    page = httpx.get(f"{walk.url}/", trust_env=False)
    assert page.status_code == 200, web.said()[-2000:]
    assert "/assets/" in page.text
    for one in (web, worker):
        _check_confinement(walk, one)
    sys.stdout.write(f"  memory: web {_megabytes(web)} MB, worker {_megabytes(worker)} MB (PSS)\n")
    for one in (worker, web):
        _stop(one)


def _check_confinement(walk: Walk, one: Container) -> None:
    """Each process is the image's user, has no capability and can get none, and can write to no file of the image."""
    expected = container.user_of(walk.built)[0]
    assert expected != 0
    for process in (one.first, *one.first.children(recursive=True)):
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
        assert set(status["Uid"].split()) == {str(expected)}, status
        assert int(status["CapEff"], 16) == int(status["CapBnd"], 16) == 0, status
        assert status["NoNewPrivs"] == "1", status
    for path in ("/leaf/x", "/leaf/.web/x", "/x", "/usr/bin/x"):
        refused = container.entered(one, "touch", path)
        assert "Read-only file system" in refused.stderr, (path, refused)
    for program in ("node", "npm", "sandbox"):
        found = container.entered(one, "sh", "-c", f"command -v {program} || ls -d /leaf/{program}")
        assert found.returncode != 0, (program, found.stdout)


def with_sandbox(walk: Walk) -> None:
    """The image beside a sandbox: what it is given in place of Google and a model are addresses alone."""
    variables = {
        "LEAF_ENV": "development", "LEAF_URL": walk.url, "LEAF_SANDBOX_URL": walk.sandbox_url,
        "GOOGLE_CLIENT_ID": "", "GOOGLE_CLIENT_SECRET": "", "ANTHROPIC_API_KEY": "", "LEAF_MODEL": "sandbox:sandbox",
    }  # fmt: skip
    with sandbox(walk.folder):
        with timed("with a sandbox: start until healthy"):
            web, worker = walk.start("web", **variables), walk.start("worker", **variables)
            walk.wait_healthy(web)
        asyncio.run(_ask(walk))
        for one in (worker, web):
            _stop(one)


async def _ask(walk: Walk) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium.find(), args=list(chromium.FLAGS))
        expect.set_options(timeout=40_000)
        guard = Guard()
        context = await browser.new_context(viewport={"width": 1280, "height": 860})
        guard.watch(context)
        ada = Visitor(walk, context, guard)  # pyright: ignore[reportArgumentType] - its addresses are all that is used
        with timed("signed in and connected Drive"):
            await ada.sign_in()
            await ada.connect()
        with timed("asked and answered from Drive"):
            chat = await ada.new_chat()
            await chat.ask(questions.about_contracts(walk))  # pyright: ignore[reportArgumentType]
            answer = await chat.finished()
        rests_on = await chat.evidence.inner_text()
        sys.stdout.write(f"  answer: {answer.strip()!r}\n  rests on: {rests_on}\n")
        assert "source" in rests_on
        assert not guard.unexpected(), guard.unexpected()
        assert not guard.strangers(), guard.strangers()
        await browser.close()


@contextmanager
def postgres(service: dict[str, Any], folder: Path) -> Generator[None]:
    """PostgreSQL from the tests' own binaries, made as the service's image makes it."""
    environment = service["environment"]
    data, password = folder / "postgres", folder / "password"
    account = pwd.getpwnam("nobody")
    data.mkdir(mode=0o700)
    os.chown(data, account.pw_uid, account.pw_gid)
    password.write_text(environment["POSTGRES_PASSWORD"])
    password.chmod(0o644)
    user = environment["POSTGRES_USER"]
    made = [BINARIES / "initdb", "-D", data, f"--username={user}", f"--pwfile={password}", "--auth=scram-sha-256"]
    made += ["--encoding=utf8", "--locale=C.UTF-8", *environment["POSTGRES_INITDB_ARGS"].split()]
    subprocess.run(made, user="nobody", cwd="/", check=True, capture_output=True)
    command = [BINARIES / "postgres", "-D", data, f"--unix_socket_directories={data}", "--listen_addresses=127.0.0.1"]
    # Its fast shutdown; SIGTERM would wait for its clients.
    with _process(command, folder / "postgres.log", user="nobody", last=signal.SIGINT) as started:
        url = f"postgresql://{user}:{environment['POSTGRES_PASSWORD']}@127.0.0.1/postgres"
        _until(lambda: _accepts(url), started)
        with psycopg.connect(url, autocommit=True) as connection:
            name = sql.Identifier(environment["POSTGRES_DB"])
            connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        yield


@contextmanager
def redis(service: dict[str, Any], folder: Path) -> Generator[None]:
    """Redis with the service's own arguments."""
    data = folder / "redis"
    data.mkdir()
    command = [redis_server.program(), *service["command"][1:], "--dir", str(data), "--bind", "127.0.0.1"]
    with _process(command, folder / "redis.log"):
        yield


@contextmanager
def sandbox(folder: Path) -> Generator[None]:
    """The stand-ins for Google and a model, as a process of this machine."""
    state = folder / "sandbox"
    state.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "sandbox", "--port", str(SANDBOX_PORT), "--state", str(state)]
    with _process(command, folder / "sandbox.log", folder=compose.ROOT) as started:
        health = f"http://127.0.0.1:{SANDBOX_PORT}/health"
        _until(lambda: _answers(health), started)
        yield


@contextmanager
def _process(
    command: list[Any],
    log: Path,
    *,
    last: signal.Signals = signal.SIGTERM,
    user: str | None = None,
    folder: Path = Path("/"),
) -> Generator[Container]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True, user=user, cwd=folder)
    try:
        yield Container(log.stem, process, log, 10.0)
    finally:
        process.send_signal(last)
        process.wait(30)


@contextmanager
def timed(what: str) -> Generator[None]:
    """Prints how long a block took."""
    began = time.monotonic()
    yield
    sys.stdout.write(f"  {time.monotonic() - began:6.1f} s  {what}\n")
    sys.stdout.flush()


def _stop(one: Container) -> None:
    status, seconds = one.stop()
    sys.stdout.write(
        f"  {seconds:6.1f} s  {one.name} ends after SIGTERM (within {one.grace_seconds:.0f} s), status {status}\n"
    )
    assert status == 0, one.said()[-3000:]


def _megabytes(one: Container) -> int:
    processes = [one.first, *one.first.children(recursive=True)]
    return round(sum(psutil.Process(process.pid).memory_full_info().pss for process in processes) / 1e6)


def _accepts(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5, trust_env=False).is_success
    except httpx.HTTPError:
        return False


def _until(condition: Callable[[], bool], one: Container) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not condition():
        if one.process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{one.name} does not start:\n{one.said()[-4000:]}")
        time.sleep(0.1)


if __name__ == "__main__":
    main()
