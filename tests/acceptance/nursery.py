"""A process that has imported what workers import, and forks them: a worker is there at once, and not after seconds.

Each is a process of its own all the same, with its own session, environment, log and end. The command of production,
`arq jobs.worker.WorkerSettings`, is started by tests/acceptance/test_uploads.py, tests/integration/test_embedded.py and
the browser tests.
"""

import atexit
import ctypes
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path

import psutil

from leaf.documents import isolation

_REPOSITORY = Path(__file__).parents[2]
_IMPORTED = (
    "arq.cli", "jobs.worker", "jobs.queue", "jobs.reaper", "jobs.run.write", "leaf.db.migrate", "leaf.agent.agents",
    "leaf.agent.mcp", "leaf.agent.models", "pydantic_ai.models.openai", "pydantic_ai.models.anthropic",
    "pydantic_ai.providers.openai", "genai_prices.data", "openai.resources.chat.completions.completions",
    "jobs.imports", "jobs.retention", "jobs.trials", "jobs.titles", "jobs.run.conclude", "jobs.run.store",
    "leaf.services.sites",
)  # fmt: skip
"""The modules that a worker imports before it is ready. None of them may read the environment, the nursery's own."""
_OWN = "jobs.respond"
"""The module that each worker imports itself, because it names the process that imports it."""


class Nursery:
    """The running nursery, as the tests see it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.acceptance.nursery"],
            cwd=_REPOSITORY,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._asking = threading.Lock()

    def worker(self, settings: str, log: Path, environment: dict[str, str], group: int | None = None) -> psutil.Process:
        """Starts a worker in the folder of its log, where no .env of the developer's own is.

        Args:
            settings: What `arq` is told to run; or `module:function` for a worker of another queue.
            log: Where it writes what it has to say.
            environment: Variables besides those of the tests.
            group: The group that it runs as; only root may name one.
        """
        log.parent.mkdir(exist_ok=True)
        log.write_bytes(b"")
        whole = {**os.environ, **environment, "PYTHONPATH": str(_REPOSITORY), "PYTHONUNBUFFERED": "1"}
        order = {"settings": settings, "log": str(log), "environment": whole, "group": group}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._asking:
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            return psutil.Process(int(self._process.stdout.readline()))

    def close(self) -> None:
        """Ends the process and all processes that it has started."""
        self._process.communicate()


@cache
def shared() -> Nursery:
    """The nursery of this process."""
    nursery = Nursery()
    atexit.register(nursery.close)
    return nursery


def main() -> None:
    """Forks a worker for every line of the input that asks for one, and ends with the input."""
    for name in _IMPORTED:
        importlib.import_module(name)
    isolation.BACKGROUND_NICE = 0
    assert _OWN not in sys.modules
    assert psutil.Process().num_threads() == 1, "a fork would lose the others"
    gc.collect()
    gc.freeze()
    # Nobody waits for a worker that has ended.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    nursery = os.getpid()
    for line in sys.stdin:
        order = json.loads(line)
        born = os.fork()
        if born == 0:
            _become(nursery, **order)
            return
        sys.stdout.write(f"{born}\n")


def _become(nursery: int, settings: str, log: str, environment: dict[str, str], group: int | None) -> None:
    """Lives the life of a worker."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != nursery:
        return
    if group is not None:
        os.setgid(group)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(Path(log).parent)
    for path, flags, places in ((os.devnull, os.O_RDONLY, (0,)), (log, os.O_WRONLY | os.O_TRUNC, (1, 2))):
        opened = os.open(path, flags, 0o644)
        for place in places:
            os.dup2(opened, place)
        os.close(opened)
    module, _, function = settings.partition(":")
    if function:
        getattr(importlib.import_module(module), function)()
        return
    sys.argv = ["arq", settings]
    importlib.import_module("arq.cli").cli([settings])


if __name__ == "__main__":
    main()
