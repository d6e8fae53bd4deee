"""Looked at before a start, so that what is wrong is said in one line and not in the middle of a traceback."""

import argparse
import errno
import socket
import sys
from pathlib import Path

from leaf import config, errors
from leaf.embedded import processes


def main() -> None:
    """Checks the settings and the port; with `--stopped`, that no Leaf uses the data directory."""
    parser = argparse.ArgumentParser(prog="python -m leaf.preflight")
    parser.add_argument("--stopped", action="store_true", help="check that nothing uses the data directory")
    arguments = parser.parse_args()
    try:
        settings = config.load()
    except errors.ConfigurationError as error:
        sys.exit(error.message)
    if arguments.stopped:
        _check_stopped(settings.data_dir.absolute())
    else:
        _check_port(settings.port)
        _check_pages(settings.pages_dir, settings.port)


def _check_port(port: int) -> None:
    for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):  # noqa: S104 - as Reflex binds
        try:
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind((address, port))
        except PermissionError:
            sys.exit(f"Port {port} needs more rights than this user has. Choose one above 1023: PORT=3001 make run")
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                sys.exit(f"Port {port} is taken by another program. Choose another: PORT={port + 1} make run")


def _check_pages(web: Path, port: int) -> None:
    """A start compiles the pages anew, under the feet of a Leaf that serves them."""
    for server in processes.servers_of(web):
        sys.exit(
            f"Leaf already runs from this folder (process {server.pid}). Stop it first, or start the second one from a "
            f"clone of its own, or with its pages elsewhere: REFLEX_WEB_WORKDIR=.web-{port} PORT={port} make run"
        )


def _check_stopped(directory: Path) -> None:
    for note in (directory / "run" / "users").glob("*.json"):
        user = processes.read_note(note)
        if user is not None:
            sys.exit(f"Leaf is still running (process {user.pid}). Stop it first.")
    workers = sorted((directory / "run").glob("worker-*.json"))
    for note in (*workers, *(directory / "run" / f"{name}.json" for name in ("sandbox", "redis", "postgres"))):
        left_behind = processes.read_note(note)
        if left_behind is not None:
            left_behind.stop(seconds=10)


if __name__ == "__main__":
    main()
