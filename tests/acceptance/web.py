"""Web processes without pages, as `reflex run --env prod` serves the routes."""

import os
import signal
import socket
import subprocess
import sys

import httpx
import psutil

from tests.acceptance.stack import REPOSITORY, START_SECONDS, Stack, start_process, until


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Web:
    """One web process.

    Args:
        stack: The services that it uses.
        number: What its log is called by.
        settings: Further environment variables.
        port: The port at every start; by default another one each time.
    """

    def __init__(
        self, stack: Stack, number: int, settings: dict[str, str] | None = None, *, port: int | None = None
    ) -> None:
        self._stack, self._number, self._settings, self.port = stack, number, settings or {}, port
        self.url = ""
        self.source = REPOSITORY
        """The folder of the sources that it runs from its next start on."""
        self.further: dict[str, str] = {}
        """Environment variables of its next start that come before all others."""
        self.group: int | None = None
        """The group that it runs as from its next start on."""
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it on a port of its own."""
        port = self.port or free_port()
        self.url = f"http://127.0.0.1:{port}"
        environment = {**self._stack.environment(), "PORT": str(port), "GRANIAN_WORKERS": "1"}
        environment |= {
            "REFLEX_WEB_WORKDIR": str(self._stack.folder / "pages"),
            "REFLEX_TELEMETRY_ENABLED": "false",
            "REFLEX_CHECK_LATEST_VERSION": "0",
            **self._settings,
            **self.further,
        }
        command = [sys.executable, "-m", "tests.serve", str(port), "--routes-only"]
        self.log = self._stack.folder / "log" / f"web-{self._number}-{port}.log"
        self._process = start_process(
            command, self.log, environment, folder=self.source, source=self.source, group=self.group
        )

    async def ready(self) -> None:
        """Waits until it answers."""
        async with httpx.AsyncClient(base_url=self.url, trust_env=False) as http:

            async def answers() -> bool:
                try:
                    return (await http.get("/api/health")).is_success
                except httpx.TransportError:
                    return False

            await until(answers, seconds=START_SECONDS, what=f"web process {self._number}")

    @property
    def process(self) -> psutil.Process:
        """The process, with the children that do its work."""
        assert self._process is not None
        return psutil.Process(self._process.pid)

    def terminate(self, seconds: float = 60) -> None:
        """Tells it to end, as a deploy does, and waits until it has; at the latest by force."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def kill(self) -> None:
        """`kill -9`, with all its children."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None
