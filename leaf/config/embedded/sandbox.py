"""The process of the sandbox. It replaces Google and a model, over HTTP on loopback, if no client or key is
configured.
"""

import json
import logging
import socket
import sys
from pathlib import Path
from typing import Any

import httpx

from leaf import config
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
    running = processes.read_note(processes.service_note(directory, "sandbox"))
    port, options = _kept(state / "port.json"), _options(settings)
    if running is not None:
        kept_options = _kept(state / "options.json") or []
        same = kept_options == options
        if port is not None and (same or shared) and _answers(port):
            if not same:
                log.warning("the running sandbox keeps its own settings: %s", " ".join(kept_options))
            return _url(port)
        running.stop(seconds=10)
    port = _usable_port(port)
    (state / "port.json").write_text(json.dumps(port))
    (state / "options.json").write_text(json.dumps(options))
    command = [sys.executable, "-m", "sandbox", "--port", str(port), "--state", str(state), *options]
    failure = f"The sandbox does not start on port {port}"
    processes.launch(directory, "sandbox", command, lambda: _answers(port), seconds=_START_SECONDS, failure=failure)
    return _url(port)


def is_running(directory: Path) -> bool:
    """Whether the process of the sandbox is running."""
    return processes.read_note(processes.service_note(directory, "sandbox")) is not None


def stop(directory: Path) -> None:
    """Stops the sandbox if it is running."""
    identity = processes.read_note(processes.service_note(directory, "sandbox"))
    if identity is not None:
        identity.stop(seconds=10)


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def _kept(file: Path) -> Any:
    """The port or the options of the last start; None if there are none.

    The port is reused because browsers keep links to it. The running sandbox may have other options.
    """
    try:
        return json.loads(file.read_text())
    except (FileNotFoundError, ValueError):
        return None


def _options(settings: config.Settings) -> list[str]:
    options = ["--token-seconds", str(settings.sandbox_token_seconds)]
    if settings.sandbox_drive is not None:
        options += ["--drive", str(settings.sandbox_drive.expanduser().resolve())]
    return options


def _usable_port(wanted: int | None) -> int:
    """The wanted port if it is free, else any free port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted or 0))
        except OSError:
            return _usable_port(None)
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"{_url(port)}/health", timeout=5, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False
