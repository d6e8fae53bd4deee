"""Workers as processes, which tests kill or ask to end."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import UUID

import psutil

from jobs import reaper
from leaf import redis
from leaf.streams import keys
from tests.acceptance import nursery
from tests.acceptance.stack import DEADLINE_SECONDS, START_SECONDS, Stack, start_process, until


@dataclass
class Worker:
    """One `arq jobs.worker.WorkerSettings`."""

    process: psutil.Process
    log: Path
    group: int | None = None

    @property
    def alive(self) -> bool:
        try:
            return self.process.is_running() and self.process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    @property
    def ready(self) -> bool:
        return "worker ready" in self.log.read_text()

    def kill(self) -> None:
        """Ends it without a chance to do anything."""
        self.send(signal.SIGKILL)
        self.process.wait(DEADLINE_SECONDS)

    def terminate(self) -> None:
        """Tells it to end, as a deploy does."""
        self.send(signal.SIGTERM)

    def send(self, number: signal.Signals) -> None:
        """Sends a signal, if it still runs."""
        with suppress(psutil.NoSuchProcess):
            self.process.send_signal(number)

    def end(self, seconds: float = DEADLINE_SECONDS) -> None:
        """Ends it in order, and at the latest by force."""
        self.terminate()
        try:
            self.process.wait(seconds)
        except psutil.TimeoutExpired:
            self.kill()


class Crew:
    """The workers of the suite; those that a test leaves alive serve the next one."""

    def __init__(self, stack: Stack, settings: str = "jobs.worker.WorkerSettings", *, prefix: str = "worker") -> None:
        self._stack = stack
        self._settings = settings
        self._prefix = prefix
        """The prefix of its workers' logs."""
        self._hired = 0
        self.new_group: Callable[[], int] | None = None
        """Names the group that a new worker runs as."""
        self._children: list[subprocess.Popen[bytes]] = []
        self._workers: list[Worker] = []

    @property
    def alive(self) -> list[Worker]:
        """The workers that run."""
        return [worker for worker in self._workers if worker.alive]

    @property
    def logs(self) -> list[Path]:
        """The logs of all workers that there have been."""
        return [worker.log for worker in self._workers]

    def hire(self) -> Worker:
        """Starts one more worker, and does not wait until it is ready."""
        self._hired += 1
        log = self._stack.folder / "log" / f"{self._prefix}-{self._hired}.log"
        group = self.new_group() if self.new_group is not None else None
        process = nursery.shared().worker(self._settings, log, self._stack.environment(), group)
        worker = Worker(process, log, group)
        self._workers.append(worker)
        return worker

    def hire_of(self, source: Path, further: dict[str, str]) -> Worker:
        """Starts a worker of another version, and does not wait until it is ready.

        Args:
            source: The folder of that version's sources.
            further: Environment variables that come before all others.
        """
        self._hired += 1
        log = self._stack.folder / "log" / f"{self._prefix}-{self._hired}.log"
        command = [sys.executable, "-m", "arq", self._settings]
        environment = {**self._stack.environment(), **further}
        self._children.append(start_process(command, log, environment, source=source))
        worker = Worker(psutil.Process(self._children[-1].pid), log)
        self._workers.append(worker)
        return worker

    async def of(self, number: int) -> None:
        """At least so many workers are ready."""
        while len(self.alive) < number:
            self.hire()
        for worker in self.alive:
            ready = partial(_ready_or_dead, worker)
            await until(ready, seconds=START_SECONDS, what=f"{worker.log} is ready")
            assert worker.alive, worker.log.read_text()

    @contextmanager
    def away(self) -> Iterator[None]:
        """For the length of the block no worker does anything, which is quicker than new ones later."""
        sleeping = self.alive
        for worker in sleeping:
            worker.send(signal.SIGSTOP)
        try:
            yield
        finally:
            for worker in sleeping:
                worker.send(signal.SIGCONT)

    @contextmanager
    def frozen(self, worker: Worker) -> Iterator[None]:
        """For the length of the block a worker is asleep without knowing it."""
        worker.send(signal.SIGSTOP)
        try:
            yield
        finally:
            worker.send(signal.SIGCONT)

    async def writer_of(self, run_id: UUID | None) -> Worker:
        """The worker that holds the lease of a run."""
        assert run_id is not None

        async def found() -> Worker | None:
            lease = await redis.client().get(keys(run_id).lease)
            pid = int(lease.decode().split(":")[1]) if lease else None
            return next((worker for worker in self.alive if worker.process.pid == pid), None)

        return await until(found, what=f"somebody writes {run_id}")

    async def lose_writer_of(self, run_id: UUID | None) -> None:
        """Kills the worker that writes a run, and hires another; the run is to be taken over at once."""
        (await self.writer_of(run_id)).kill()
        self.hire()
        await lapse(run_id)

    def stop(self) -> None:
        """Ends all workers."""
        alive = self.alive
        for worker in alive:
            worker.terminate()
        deadline = time.monotonic() + DEADLINE_SECONDS
        for worker in alive:
            try:
                worker.process.wait(max(0.1, deadline - time.monotonic()))
            except psutil.TimeoutExpired:
                worker.kill()


async def lapse(run_id: UUID | None) -> None:
    """Ends the lease of a dead worker, as ten seconds do, and runs the reaper's next round."""
    assert run_id is not None
    await redis.client().delete(keys(run_id).lease)
    await reaper.reap({})


def _ready_or_dead(worker: Worker) -> bool:
    return worker.ready or not worker.alive
