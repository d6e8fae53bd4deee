"""Redis with a replica and three Sentinels, as processes on loopback; a failover takes about two seconds."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from redis import Redis, RedisError

from leaf.config.embedded import redis_server
from tests.acceptance.stack import start_process
from tests.acceptance.web import free_port

NAME = "leaf"
PASSWORD = "watched"
DOWN_MILLISECONDS = 1000
"""The silence after which a Sentinel takes the primary for dead."""


class Watched:
    """The two servers and those who watch them.

    Args:
        folder: Where their data, configurations and logs are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._servers: dict[int, subprocess.Popen[bytes]] = {}
        self._sentinels: dict[int, subprocess.Popen[bytes]] = {}

    @property
    def url(self) -> str:
        """The address by which Leaf finds the one that takes writes."""
        return f"redis+sentinel://:{PASSWORD}@{','.join(f'127.0.0.1:{port}' for port in self._sentinels)}/{NAME}/0"

    @property
    def primary_url(self) -> str:
        """The address of the server that takes writes, without Sentinel."""
        return f"redis://:{PASSWORD}@127.0.0.1:{self.primary()}/0"

    @property
    def pids(self) -> list[int]:
        """The servers and the Sentinels that run."""
        processes = [*self._servers.values(), *self._sentinels.values()]
        return [process.pid for process in processes if process.poll() is None]

    def start(self) -> None:
        """Starts all, and waits until the Sentinels know each other and the replica."""
        first, second = free_port(), free_port()
        self._serve(first, None)
        self._serve(second, first)
        _until(lambda: _info(second).get("master_link_status") == "up", "the replica follows")
        for _ in range(3):
            self._watch(free_port(), first)
        _until(self._settled, "the Sentinels know all")

    def primary(self) -> int:
        """The port of the server that takes writes, as the servers themselves say."""
        found: list[int] = []

        def known() -> bool:
            found[:] = [port for port in self._servers if self._alive(port) and _info(port).get("role") == "master"]
            return len(found) == 1

        _until(known, "one server takes writes")
        return found[0]

    def kill_primary(self) -> int:
        """Kills the server that takes writes; the Sentinels make the other one take them.

        Returns:
            The port of the server that is gone.
        """
        port = self.primary()
        self._servers[port].send_signal(signal.SIGKILL)
        self._servers[port].wait()
        return port

    def whole(self) -> None:
        """Starts a server again that is gone, and waits until it is the other's replica."""
        for port in self._servers:
            if not self._alive(port):
                # The Sentinels make it a replica of the one that has taken over.
                _until(lambda gone=port: self.primary() != gone, "the other one takes writes")
                self._serve(port, self.primary())
        _until(self._settled, "the Sentinels know all")

    def stop(self) -> None:
        """Ends all."""
        for process in [*self._sentinels.values(), *self._servers.values()]:
            process.kill()
            process.wait()

    def _alive(self, port: int) -> bool:
        return self._servers[port].poll() is None

    def _serve(self, port: int, primary: int | None) -> None:
        data = self._folder / f"redis-{port}"
        data.mkdir(exist_ok=True)
        command = [
            redis_server.program(), "--port", str(port), "--bind", "127.0.0.1", "--dir", str(data),
            "--appendonly", "yes", "--save", "", "--maxmemory-policy", "noeviction",
            "--requirepass", PASSWORD, "--masterauth", PASSWORD,
            "--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0",
        ]  # fmt: skip
        command += [] if primary is None else ["--replicaof", "127.0.0.1", str(primary)]
        self._servers[port] = start_process(command, self._folder / "log" / f"redis-{port}.log")
        _until(lambda: bool(_info(port)), "Redis answers")

    def _watch(self, port: int, primary: int) -> None:
        settings = self._folder / f"sentinel-{port}.conf"
        settings.write_text(
            f"port {port}\nbind 127.0.0.1\ndir {self._folder}\nsentinel monitor {NAME} 127.0.0.1 {primary} 2\n"
            f"sentinel auth-pass {NAME} {PASSWORD}\nsentinel down-after-milliseconds {NAME} {DOWN_MILLISECONDS}\n"
            f"sentinel failover-timeout {NAME} 5000\n"
        )
        command = [redis_server.program(), str(settings), "--sentinel"]
        self._sentinels[port] = start_process(command, self._folder / "log" / f"sentinel-{port}.log")

    def _settled(self) -> bool:
        """Whether every Sentinel knows the two others and the replica, and takes none of them for dead."""
        for port in self._sentinels:
            try:
                with Redis(port=port, decode_responses=True, socket_timeout=2) as sentinel:
                    master = sentinel.sentinel_master(NAME)
                    replicas = sentinel.sentinel_slaves(NAME)
            except RedisError:
                return False
            if master["flags"] != "master" or master["num-other-sentinels"] != 2:
                return False
            if [one["flags"] for one in replicas] != ["slave"] or replicas[0]["master-link-status"] != "ok":
                return False
        return True


def _info(port: int) -> dict[str, object]:
    """What a server says of its replication; nothing where it does not answer."""
    try:
        with Redis(port=port, password=PASSWORD, decode_responses=True, socket_timeout=2) as server:
            return dict(server.info("replication"))
    except RedisError:
        return {}


def _until(condition: Callable[[], bool], what: str, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.05)
