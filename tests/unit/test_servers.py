"""Servers that Leaf has not started itself: their versions, and what they keep."""

import logging
import os
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leaf import errors
from leaf.config import servers
from leaf.config.embedded import redis_server

ROOT = Path(__file__).parents[2]


@contextmanager
def _redis(info: str) -> Iterator[str]:
    """A server that speaks RESP and answers INFO with these lines; gives its URL."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while line := self.rfile.readline():
                words = [self._word() for _ in range(int(line[1:]))]
                body = info.encode()
                answer = b"$%d\r\n%s\r\n" % (len(body), body) if words[0].upper() == b"INFO" else b"+OK\r\n"
                self.wfile.write(answer)

        def _word(self) -> bytes:
            length = int(self.rfile.readline()[1:])
            return self.rfile.read(length + 2)[:-2]

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield f"redis://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def test_a_redis_that_is_too_old_is_refused_with_a_sentence() -> None:
    """# 000-40"""
    with (
        _redis("redis_version:5.0.14\r\naof_enabled:1\r\n") as url,
        pytest.raises(errors.ConfigurationError, match=r"REDIS_URL: Redis 5\.0\.14 is too old; Leaf needs Redis 6\.2"),
    ):
        servers.require_redis(url)


def test_a_server_that_is_too_old_is_named_before_the_pages_are_compiled(tmp_path: Path) -> None:
    """`make run` asks the servers before the half minute that the pages take. # 000-40"""
    with _redis("redis_version:5.0.14\r\naof_enabled:1\r\n") as url, socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
        probe.close()
        finished = subprocess.run(
            [sys.executable, "-m", "leaf", "preflight"], capture_output=True, text=True, check=False, timeout=60,
            cwd=tmp_path,
            env=os.environ | {
                "PYTHONPATH": str(ROOT), "REDIS_URL": url, "PORT": f"{port}",
                # As in make, the Node.js of the environment comes first.
                "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
            },
        )  # fmt: skip
    assert (finished.returncode, finished.stdout) == (1, "")
    assert "Redis 5.0.14 is too old" in finished.stderr
    assert "Traceback" not in finished.stderr


@pytest.mark.parametrize(("enabled", "warnings"), [(0, 1), (1, 0)])
def test_a_redis_without_an_append_only_file_is_warned_of(
    enabled: int, warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Guests' chats would end with it. # 000-40"""
    with _redis(f"redis_version:7.2.4\r\naof_enabled:{enabled}\r\n") as url, caplog.at_level(logging.WARNING):
        servers.require_redis(url)
    assert sum("append-only file" in one.message for one in caplog.records) == warnings


@pytest.mark.parametrize(
    ("user", "refusal"),
    [(":wrong-word@", "refuses the password in it"), ("", "needs a password, and there is none in it")],
)
def test_a_redis_that_does_not_let_leaf_in_is_refused_with_a_sentence(tmp_path: Path, user: str, refusal: str) -> None:
    """The sentence does not hold the password. # 000-40"""
    with _locked_redis(tmp_path) as address, pytest.raises(errors.ConfigurationError, match=refusal) as refused:
        servers.require_redis(f"redis://{user}{address}")
    assert "wrong-word" not in refused.value.message


def test_a_redis_that_lets_leaf_in_is_not_refused(tmp_path: Path) -> None:
    with _locked_redis(tmp_path) as address:
        servers.require_redis(f"redis://:right-word@{address}")


@contextmanager
def _locked_redis(directory: Path) -> Iterator[str]:
    """A real server with a password; gives its host and port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        redis_server.program(), "--bind", "127.0.0.1", "--port", f"{port}", "--dir", f"{directory}", "--save", "",
        "--requirepass", "right-word",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            assert any("eady to accept connections" in line for line in server.stdout)
            yield f"127.0.0.1:{port}"
        finally:
            server.terminate()


def test_a_redis_that_cannot_be_asked_is_no_reason_to_stop() -> None:
    """The start of the services waits for it, and says what it could not reach."""
    servers.require_redis("redis://127.0.0.1:1")


@pytest.mark.parametrize(
    ("check", "version", "is_refused"),
    [
        (servers.refused_redis, "6.0.16", True), (servers.refused_redis, "6.2.0", False),
        (servers.refused_redis, "8.1", False), (servers.refused_redis, "", False),
        (servers.refused_node, "v18.19.0", True), (servers.refused_node, "v22.21.1", True),
        (servers.refused_node, "", True),
        (servers.refused_node, "v22.22.0", False), (servers.refused_node, "v24.1.0", False),
    ],
)  # fmt: skip
def test_versions_are_compared_as_numbers(check: Callable[[str], str], version: str, is_refused: bool) -> None:
    assert bool(check(version)) == is_refused
