"""Which PgBouncer the tests put before PostgreSQL: PGBOUNCER_PATH, one of this machine, or Debian's, unpacked into .venv.

`python -m tests.pgbouncer` finds one, and fetches Debian's where apt-get can be used. Nothing is installed or started.
"""

import os
import shutil
import subprocess
import sys

from tests import debian

FOLDER = debian.SHARE / "pgbouncer"
PACKAGES = ("pgbouncer", "libevent-2.1-7", "libevent-2.1-7t64", "libc-ares2")
"""The program, and the libraries that it is linked with and that not every machine has."""


def find() -> str | None:
    """The path of a PgBouncer that runs, if there is one."""
    places = f"{os.environ.get('PATH', '')}:/usr/sbin:{FOLDER}/usr/sbin"
    named = os.environ.get("PGBOUNCER_PATH") or shutil.which("pgbouncer", path=places)
    return named if named and _runs(named) else None


def environment() -> dict[str, str]:
    """The environment in which it finds what was fetched with it."""
    return debian.environment(FOLDER)


def _runs(path: str) -> bool:
    try:
        return subprocess.run([path, "--version"], env=environment(), capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def main() -> None:
    """Makes sure that there is one."""
    if find() is None:
        debian.fetch("pgbouncer", lambda: PACKAGES, find)
    path = find()
    if path is None:
        sys.exit("The tests of pooled connections need PgBouncer: install it, or name it in PGBOUNCER_PATH.")
    sys.stdout.write(f"Pooler: {path}\n")


if __name__ == "__main__":
    main()
