"""Embedded services: PostgreSQL, Redis, worker and sandbox. They are started unless the settings name other servers.

`start` is idempotent, and several processes may call it at once. A file lock in the data directory lets one process
start a service, and the others find it running. Each process that uses the services has a note in the data directory,
and the last one that ends stops the services. Notes that are left after a `kill -9` do no harm, because a note counts
only if pid and start time match a running process.
"""

import errno
import json
import logging
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import psycopg
from filelock import FileLock, Timeout

from leaf import config, errors
from leaf.callers import tokens
from leaf.config import servers
from leaf.config.embedded import postgres, processes, redis_server, sandbox

log = logging.getLogger(__name__)

Role = Literal["web", "worker", "tool"]
_LOCK_SECONDS = 180


@dataclass
class Services:
    """The embedded services that this process uses, and the settings with their addresses."""

    settings: config.Settings
    directory: Path
    role: Role
    worker: subprocess.Popen[bytes] | None = None
    owned: list[str] = field(default_factory=list[str])
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def revive(self) -> bool:
        """Restarts the services that this process uses and its worker, if they have died.

        Returns:
            Whether anything had died.

        Raises:
            errors.ConfigurationError: A service cannot be restarted.
        """
        with self._lock, _explained(self.directory):
            return self._revive()

    def _revive(self) -> bool:
        revived = False
        if any(not _ALIVE[name](self.directory) for name in self.owned):
            with locked(self.directory):
                log.warning("a service has died and is started again")
                _start_services(self.settings, self.directory, self.owned, shared=True)
            revived = True
        if self.worker is not None and self.worker.poll() is not None:
            log.warning("the worker has died (%s) and is started again", self.worker.returncode)
            self.worker = processes.worker(self.directory)
            revived = True
        return revived

    def web_of_worker(self) -> int | None:
        """The pid of the web process that started this process as its worker; None for a worker that was started by
        hand.
        """
        return processes.web_of_worker(self.directory, os.getpid())

    def is_used_by(self, pid: int) -> bool:
        """Whether the process with this pid still uses the services."""
        return processes.read_note(processes.user_note(self.directory, pid)) is not None

    def stop(self) -> None:
        """Stops the worker of this process and, if no other process uses them, the services. May be called twice.

        For a web process, a separate process does this (`leaf.config.embedded.stopper`), because the development server
        kills a web process that takes longer than two seconds to end.
        """
        with self._lock:
            if self.role != "web" or (self.worker is None and not self.owned):
                with locked(self.directory):
                    stop_unused(self.directory, os.getpid())
                self.owned = []
                return
            command = [sys.executable, "-m", "leaf.config.embedded.stopper", "--directory", str(self.directory)]
            command += ["--user", str(os.getpid())]
            self.worker, self.owned = None, []
        log_file, note = self.directory / "log" / "stopper.log", processes.service_note(self.directory, "stopper")
        processes.spawn(command, log=log_file, note=note).wait()


def start(settings: config.Settings, role: Role, *, migrate: Callable[[str], None]) -> Services:
    """Starts missing services, migrates the database, and installs settings with the addresses of all services.

    Args:
        settings: The settings from the environment. Services with a URL in the settings are not started.
        role: The role of this process. With the role `web`, a worker is started if PostgreSQL or Redis is embedded.
        migrate: Migrates the database at a URL (`leaf.db.migrate.upgrade`).

    Raises:
        errors.ConfigurationError: A service cannot be started. The message says why and what to do.
    """
    directory = settings.data_dir.expanduser().absolute()
    services = Services(settings=settings, directory=directory, role=role)
    with _explained(directory), locked(directory):
        processes.register(directory, role)
        try:
            _start(services)
            if settings.redis_url is not None:
                servers.require_redis(settings.redis_url)
            migrate(str(services.settings.database_url))
        except BaseException:
            stop_unused(directory, os.getpid())
            raise
    if role == "web" and settings.embedded_worker and {"postgres", "redis"} & {*services.owned}:
        services.worker = processes.worker(directory)
    return services


def _start(services: Services) -> None:
    settings, directory = services.settings, services.directory
    wanted = {
        "postgres": settings.database_url is None,
        "redis": settings.redis_url is None,
        "sandbox": settings.uses_sandbox and settings.sandbox_url is None,
    }
    services.owned = [name for name, is_wanted in wanted.items() if is_wanted]
    # A process that joins a running Leaf uses the sandbox as it is. A web process that starts alone may restart it.
    shared = services.role != "web" or processes.has_other(directory, "web")
    started = _start_services(settings, directory, services.owned, shared=shared)
    update = _development_secrets(settings, directory) | started
    services.settings = settings.model_copy(update=update)
    config.install(services.settings)


def _start_services(
    settings: config.Settings, directory: Path, names: Collection[str], *, shared: bool
) -> dict[str, object]:
    """Starts services or finds them running, and returns the settings with their addresses.

    Args:
        settings: The settings from the environment.
        directory: The data directory.
        names: The services to start.
        shared: Whether a running sandbox keeps its options.
    """
    addresses: dict[str, object] = {}
    if "postgres" in names:
        addresses["database_url"] = postgres.start(directory)
    if "redis" in names:
        addresses["redis_url"] = redis_server.start(directory)
    if "sandbox" in names:
        addresses["sandbox_url"] = sandbox.start(directory, settings, shared=shared)
    return addresses


def _development_secrets(settings: config.Settings, directory: Path) -> dict[str, object]:
    """The secrets that the environment does not set. They are generated once for each data directory."""
    path = directory / "secrets.json"
    if settings.secret is not None and settings.seal_keys is not None:
        return {}
    if path.exists():
        made: dict[str, str] = json.loads(path.read_text())
    else:
        made = {"secret": secrets.token_urlsafe(48), "seal_keys": f"local:{tokens.new_seal_key()}"}
        # The file is written atomically. A partial file, after a full disk or a kill, would break every later start.
        temporary = path.with_suffix(".new")
        temporary.unlink(missing_ok=True)
        temporary.touch(mode=0o600)
        temporary.write_text(json.dumps(made))
        temporary.replace(path)
    return {name: value for name, value in made.items() if getattr(settings, name) is None}


def stop_unused(directory: Path, user: int) -> None:
    """Removes a user of the data directory, and stops all services if no user is left. The caller must hold the lock.

    All services are stopped, because an earlier user may have started services that the last user does not use.

    Args:
        directory: The data directory.
        user: The pid of the process that no longer needs the services.
    """
    if not processes.unregister(directory, user):
        for stop in _STOPPERS:
            stop(directory)


@contextmanager
def locked(directory: Path) -> Generator[None]:
    """Holds the lock that lets only one process at a time start or stop services of a data directory.

    Raises:
        errors.ConfigurationError: Another process has held the lock for 180 seconds.
    """
    directory.mkdir(mode=0o755, parents=True, exist_ok=True)
    try:
        with FileLock(directory / "lock", timeout=_LOCK_SECONDS):
            yield
    except Timeout as error:
        raise errors.ConfigurationError(
            [f"{directory}: another process has been starting Leaf for too long"]
        ) from error


@contextmanager
def _explained(directory: Path) -> Generator[None]:
    """Turns errors of the operating system, PostgreSQL and subprocesses into a `ConfigurationError` with advice."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        reason = f"{os.strerror(error.errno).lower()}; LEAF_DATA_DIR can name another folder"
        if error.errno == errno.ENOSPC:
            reason = "no space is left on the device; free some, then start again"
        raise errors.ConfigurationError([f"{error.filename or directory}: {reason}"]) from error
    except (psycopg.Error, subprocess.SubprocessError) as error:
        raise errors.ConfigurationError([" ".join(str(error).split())]) from error


_ALIVE = {"postgres": postgres.is_running, "redis": redis_server.is_running, "sandbox": sandbox.is_running}
_STOPPERS = (sandbox.stop, redis_server.stop, postgres.stop)
