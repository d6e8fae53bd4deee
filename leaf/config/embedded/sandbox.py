"""The process of the sandbox. It replaces Google and a model, over HTTP on loopback, if no client or key is
configured.
"""

import json
import logging
import socket
import sys
import time
from pathlib import Path

import httpx

from leaf import config, errors
from leaf.config.embedded import processes

log = logging.getLogger(__name__)

_START_SECONDS = 60


def start(directory: Path, settings: config.Settings, *, shared: bool = False) -> str:
    """Starts the sandbox of a data directory if it is not running, and returns its base URL.

    Args:
        directory: Leaf's data directory. The sandbox's grants and keys are in its folder `sandbox/`.
        settings: The settings, with the folder to serve and the lifetime of tokens.
        shared: Whether other processes use the running sandbox. If so, it keeps its options.

    Raises:
        errors.ConfigurationError: The sandbox does not start.
    """
    state = directory / "sandbox"
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    note = directory / "run" / "sandbox.json"
    running = processes.read_note(note)
    port = _kept_port(state)
    options = _options(settings)
    if running is not None:
        same = _kept_options(state) == options
        if port is not None and (same or shared) and _answers(port):
            if not same:
                log.warning("the running sandbox keeps its own settings: %s", " ".join(_kept_options(state)))
            return _url(port)
        running.stop(seconds=10)
    port = port if port is not None and _free(port) else _any_port()
    (state / "port.json").write_text(json.dumps(port))
    (state / "options.json").write_text(json.dumps(options))
    command = [sys.executable, "-m", "sandbox", "--port", str(port), "--state", str(state), *options]
    log_file = directory / "log" / "sandbox.log"
    child = processes.spawn(command, log=log_file, note=note)
    deadline = time.monotonic() + _START_SECONDS
    while not _answers(port):
        if child.process.poll() is not None or time.monotonic() > deadline:
            tail = "\n    ".join(log_file.read_text(errors="replace").splitlines()[-6:])
            raise errors.ConfigurationError([f"The sandbox does not start on port {port}:\n    {tail}"])
        time.sleep(0.05)
    return _url(port)


def is_running(directory: Path) -> bool:
    """Whether the process of the sandbox is running."""
    return processes.read_note(directory / "run" / "sandbox.json") is not None


def stop(directory: Path) -> None:
    """Stops the sandbox if it is running."""
    identity = processes.read_note(directory / "run" / "sandbox.json")
    if identity is not None:
        identity.stop(seconds=10)


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def _kept_port(state: Path) -> int | None:
    """The port of the last start; None if there is none. It is reused because browsers keep links to it."""
    try:
        return int(json.loads((state / "port.json").read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _options(settings: config.Settings) -> list[str]:
    options = ["--token-seconds", str(settings.sandbox_token_seconds)]
    if settings.sandbox_drive is not None:
        options += ["--drive", str(settings.sandbox_drive.expanduser().resolve())]
    return options


def _kept_options(state: Path) -> list[str]:
    """The options of the running sandbox, which may serve another folder."""
    try:
        return list(json.loads((state / "options.json").read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return []


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _any_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"{_url(port)}/health", timeout=5, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False
