"""`arq tests.chaos.index.worker.WorkerSettings`: Leaf's worker, whose index pauses for a shorter time."""

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "WorkerSettings":
        from jobs import library, worker

        library.IDLE_SECONDS, library.AWAY_SECONDS = 0.2, 0.5
        return worker.WorkerSettings
    raise AttributeError(name)
