"""`python -m leaf.config.embedded.stopper`: stops the worker and the services of a web process, which may have
ended.
"""

import argparse
from pathlib import Path

from leaf.config import embedded
from leaf.config.embedded import processes

_WORKER_SECONDS = 10


def main() -> None:
    """Stops the worker of a process, then the services if they have no other users."""
    parser = argparse.ArgumentParser(prog="python -m leaf.config.embedded.stopper")
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument(
        "--user", type=int, required=True, help="the pid of the process that needs the services no more"
    )
    arguments = parser.parse_args()
    directory: Path = arguments.directory
    worker = processes.read_note(processes.worker_note(directory, arguments.user))
    if worker is not None:
        worker.stop(seconds=_WORKER_SECONDS)
    with embedded.locked(directory):
        embedded.stop_unused(directory, arguments.user)


if __name__ == "__main__":
    main()
