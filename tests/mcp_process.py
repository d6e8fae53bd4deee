"""The test's MCP server as a process that speaks HTTP, and configurations that name it."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.acceptance.stack import REPOSITORY, START_SECONDS, start_process

STDIO = f"""
[servers.almanac]
command = "{sys.executable}"
args = ["-m", "tests.mcp_server", "stdio"]
env = ["MCP_FOLDER", "ALMANAC_KEY", "PYTHONPATH"]
call_seconds = 10
start_seconds = 60
"""


def http(name: str, port: int, further: str = "") -> str:
    """The lines for a server that speaks HTTP on this machine."""
    return f"""
[servers.{name}]
url = "http://127.0.0.1:{port}/mcp"
headers = {{ Authorization = "Bearer ${{TIDES_TOKEN}}" }}
call_seconds = 3
start_seconds = 30
{further}
"""


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(folder: Path, port: int) -> Iterator["subprocess.Popen[bytes]"]:
    """The server over HTTP, for the length of the block."""
    command = [sys.executable, "-m", "tests.mcp_server", "http", str(port)]
    process = start_process(
        command, folder / "log" / "mcp.log", {"MCP_FOLDER": str(folder), "PYTHONPATH": str(REPOSITORY)}
    )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _listens(port):
            assert process.poll() is None, (folder / "log" / "mcp.log").read_text()
            assert time.monotonic() < deadline, "the MCP server does not listen"
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
