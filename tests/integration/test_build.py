"""A start that finds its pages compiled serves them as they are."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from leaf import __main__ as commands_of_leaf
from leaf.config import build
from tests.integration.test_embedded import ROOT, environment

PAGE = "<title>Leaf</title><p>Compiled by an earlier start.</p>"
_SOURCES = "from leaf.config import build; print(build.sources())"


def run(*arguments: str, **variables: str) -> str:
    """The output of one of Leaf's programs."""
    finished = subprocess.run(
        [sys.executable, *arguments], env=variables, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return finished.stdout.strip()


def answers(http: httpx.Client) -> bool:
    try:
        return http.get("/api/health").is_success
    except httpx.TransportError:
        return False


@pytest.fixture
def settings(tmp_path: Path) -> Mapping[str, str]:
    """The environment of a Leaf whose pages stand in a folder of its own."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    (tmp_path / "pages" / "build" / "client").mkdir(parents=True)
    (tmp_path / "pages" / "build" / "client" / "index.html").write_text(PAGE)
    return environment(
        tmp_path / "data", PORT=str(port), REFLEX_WEB_WORKDIR=str(tmp_path / "pages"), LEAF_EMBEDDED_WORKER="false",
        REFLEX_TELEMETRY_ENABLED="false", REFLEX_CHECK_LATEST_VERSION="0", LEAF_WEB_PROCESSES="1",
    )  # fmt: skip


@pytest.mark.parametrize("variables", [{}, {"LEAF_URL": "https://leaf.example", "LEAF_TITLES": "false"}])
def test_pages_are_compiled_when_a_source_has_changed(
    settings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    """No page depends on a setting, nor on the address at which Leaf is opened."""
    commands: list[tuple[str, ...]] = []

    def fake_export(command: tuple[str, ...], *, check: bool) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        (tmp_path / "pages" / "build" / "compiled-from").write_text(build.sources())
        return subprocess.CompletedProcess(command, int(check))

    for name, value in (settings | variables).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(subprocess, "run", fake_export)
    assert commands_of_leaf.compile_pages() == 0
    assert [command[2:4] for command in commands] == [("reflex", "export")]
    assert commands_of_leaf.compile_pages() == 0
    assert len(commands) == 1
    (tmp_path / "pages" / "build" / "compiled-from").write_text("of other sources")
    assert commands_of_leaf.compile_pages() == 0
    assert len(commands) == 2


def test_pages_of_the_same_sources_are_served_as_they_are(settings: dict[str, str], tmp_path: Path) -> None:
    """A second `make run` takes seconds: nothing else has changed the pages."""
    (tmp_path / "pages" / "build" / "compiled-from").write_text(run("-c", _SOURCES, **settings))
    assert run("-m", "leaf", "preflight", "--pages", **settings) == ""
    command = [str(Path(sys.executable).parent / "reflex"), "run", "--env", "prod"]
    with (tmp_path / "log").open("wb") as log:
        web = subprocess.Popen(
            command, env=settings | {"REFLEX_BACKEND_ONLY": "true"}, cwd=ROOT, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{settings['PORT']}", trust_env=False) as http:
            deadline = time.monotonic() + 90
            while not answers(http):
                assert time.monotonic() < deadline, (tmp_path / "log").read_text()
                time.sleep(0.1)
            assert http.get("/").text == PAGE
    finally:
        os.killpg(web.pid, signal.SIGINT)
        web.wait(30)
    assert "compiling" not in (tmp_path / "log").read_text().lower()
