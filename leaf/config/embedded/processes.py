"""Processes that Leaf starts, and the notes about them and about the processes that use them.

A note is a JSON file with the pid and the start time of a process. After a restart, the pid alone may belong to another
process.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from leaf import errors

_LOG_BYTES = 5_000_000
"""A log that is larger than this is renamed at the next start."""


@dataclass(frozen=True)
class Identity:
    """The identity of a process: its pid and its start time in seconds since 1970."""

    pid: int
    started: float

    @classmethod
    def own(cls) -> "Identity":
        """The identity of this process."""
        return cls.of(os.getpid()) or cls(os.getpid(), time.time())

    @classmethod
    def of(cls, pid: int) -> "Identity | None":
        """The identity of a running process; None if no process has this pid."""
        try:
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
            return cls(pid, process.create_time())
        except psutil.NoSuchProcess:
            return None

    @property
    def alive(self) -> bool:
        """Whether the same process is still running."""
        now = Identity.of(self.pid)
        return now is not None and abs(now.started - self.started) < 1.5

    def send(self, number: signal.Signals) -> None:
        """Sends a signal if the process is still running."""
        if self.alive:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return

    def stop(self, *, seconds: float, first: signal.Signals = signal.SIGTERM) -> None:
        """Sends the process the signal `first`, and kills it if it is still running after `seconds`."""
        self.send(first)
        if not self.wait(seconds):
            self.send(signal.SIGKILL)
            self.wait(5)

    def wait(self, seconds: float) -> bool:
        """Waits until the process has ended. Returns False if it is still running after `seconds`."""
        deadline = time.monotonic() + seconds
        while self.alive:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True


def spawn(command: Sequence[str], *, log: Path, note: Path, user: str | None = None) -> subprocess.Popen[bytes]:
    """Starts a process in a separate session, so that Ctrl-C reaches only Leaf, which then stops the process.

    Args:
        command: The program and its arguments.
        log: The file to which the output is appended.
        note: The file in which the identity is stored, so that later processes find it.
        user: The system user to run as, with the group of the same name; None for the current user.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > _LOG_BYTES:
        log.replace(log.with_suffix(".old.log"))
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    try:
        write_note(note, Identity.of(process.pid) or Identity(process.pid, time.time()))
    except OSError:
        # Without its note, no other process could find it.
        process.kill()
        process.wait()
        raise
    return process


def launch(
    directory: Path, name: str, command: Sequence[str], answers: Callable[[], bool], *, seconds: float, failure: str,
    user: str | None = None,
) -> None:  # fmt: skip
    """Starts a service of a data directory, and waits until it answers.

    Args:
        directory: The data directory.
        name: The name of the service, of its note and of its log.
        command: The program and its arguments.
        answers: Whether the service answers.
        seconds: The time limit for the start.
        failure: The message if it does not start. The last lines of its log follow.
        user: As for `spawn`.

    Raises:
        errors.ConfigurationError: The service does not start.
    """
    log = directory / "log" / f"{name}.log"
    process = spawn(command, log=log, note=service_note(directory, name), user=user)
    deadline = time.monotonic() + seconds
    while not answers():
        if process.poll() is not None or time.monotonic() > deadline:
            tail = "\n    ".join(log.read_text(errors="replace").splitlines()[-6:])
            raise errors.ConfigurationError([f"{failure}:\n    {tail}"])
        time.sleep(0.02)


def service_note(directory: Path, name: str) -> Path:
    """The path of the note about a service of a data directory."""
    return directory / "run" / f"{name}.json"


def write_note(note: Path, identity: Identity, **further: str) -> None:
    """Writes the identity of a process and further facts to a file, atomically."""
    note.parent.mkdir(parents=True, exist_ok=True)
    temporary = note.with_suffix(f".{os.getpid()}.new")
    try:
        temporary.write_text(json.dumps({"pid": identity.pid, "started": identity.started, **further}))
        temporary.replace(note)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def read_note(note: Path) -> Identity | None:
    """The process that a note names; None if it is no longer running."""
    try:
        kept = json.loads(note.read_text())
        identity = Identity(int(kept["pid"]), float(kept["started"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return identity if identity.alive else None


def worker(directory: Path) -> subprocess.Popen[bytes]:
    """Starts a worker for this web process, after it has stopped workers whose web process has died.

    Workers hand back their runs when they end, so the new worker continues these runs.
    """
    users = {user.pid for user in _users(directory)}
    for note in (directory / "run").glob("worker-*.json"):
        owner = int(note.stem.removeprefix("worker-"))
        left_behind = read_note(note)
        if owner not in users or owner == os.getpid():
            if left_behind is not None:
                left_behind.stop(seconds=10)
            note.unlink(missing_ok=True)
    command = [sys.executable, "-m", "arq", "jobs.worker.WorkerSettings"]
    return spawn(command, log=directory / "log" / "worker.log", note=worker_note(directory, os.getpid()))


def worker_note(directory: Path, web_pid: int) -> Path:
    """The path of the note about a web process's worker."""
    return directory / "run" / f"worker-{web_pid}.json"


def web_of_worker(directory: Path, worker_pid: int) -> int | None:
    """The pid of the web process that started a worker, even if it has died since; None if a worker was started by
    hand.
    """
    for note in (directory / "run").glob("worker-*.json"):
        identity = read_note(note)
        if identity is not None and identity.pid == worker_pid:
            return int(note.stem.removeprefix("worker-"))
    return None


def user_note(directory: Path, pid: int) -> Path:
    """The path of the note about a process that uses the services."""
    return directory / "run" / "users" / f"{pid}.json"


def _users(directory: Path) -> list[Identity]:
    found = (read_note(note) for note in (directory / "run" / "users").glob("*.json"))
    return [identity for identity in found if identity is not None]


def register(directory: Path, role: str) -> None:
    """Records that this process uses the services of the data directory, in a role such as `web`."""
    write_note(user_note(directory, os.getpid()), Identity.own(), role=role)


def has_other(directory: Path, role: str) -> bool:
    """Whether another process uses the services of the data directory in the given role."""
    for note in (directory / "run" / "users").glob("*.json"):
        user = read_note(note)
        if user is not None and user.pid != os.getpid() and json.loads(note.read_text()).get("role") == role:
            return True
    return False


def unregister(directory: Path, pid: int) -> bool:
    """Removes the note of a process. Returns whether others still use the services."""
    users = directory / "run" / "users"
    (users / f"{pid}.json").unlink(missing_ok=True)
    others = False
    for note in users.glob("*.json"):
        if read_note(note) is None:
            note.unlink(missing_ok=True)
        else:
            others = True
    return others


def pages_note(web: Path, pid: int) -> Path:
    """The path of the note about a process that serves the compiled pages of a folder."""
    return web / f".served-by-{pid}.json"


def servers_of(web: Path) -> list[Identity]:
    """The running processes that serve the compiled pages of a folder."""
    found = (read_note(note) for note in web.glob(".served-by-*.json"))
    return [identity for identity in found if identity is not None]


def socket_directory(directory: Path, name: str) -> Path:
    """Creates and returns a folder for Unix sockets.

    It is in the data directory, or in the temporary folder if that path is too long or contains a comma. The path of a
    Unix socket may have at most 103 bytes on some systems (`sun_path`). PostgreSQL takes a comma in it for a separator
    between two folders.
    """
    folder = directory / "run" / name
    if len(str(folder / ".s.PGSQL.5432.lock").encode()) <= 100 and "," not in str(folder):
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    import hashlib
    import tempfile

    mark = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"leaf-{os.getuid()}-{mark}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid not in {os.getuid(), 0} and os.getuid() != 0:
        raise PermissionError(13, "belongs to another user", str(folder))
    return folder
