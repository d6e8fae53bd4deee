"""Which PHP the tests of the signing guide run: PHP_PATH, one of this machine, or Debian's, unpacked into .venv.

`python -m tests.php` finds one, and fetches Debian's where apt-get can be used. Nothing is installed.
"""

import os
import re
import shutil
import subprocess
import sys

from tests import debian

FOLDER = debian.SHARE / "php"
LIBRARIES = ("libargon2-1", "libsodium23", "libedit2", "libxml2", "libpcre2-8-0")
"""The libraries that the program is linked with and that not every machine has."""


def find() -> str | None:
    """The path of a PHP for the command line that runs, if there is one."""
    named = os.environ.get("PHP_PATH")
    fetched = [str(path) for path in sorted((FOLDER / "usr" / "bin").glob("php[0-9]*"))]
    return next((path for path in [named, shutil.which("php"), *fetched] if path and _runs(path)), None)


def environment() -> dict[str, str]:
    """The environment in which it finds what was fetched with it."""
    return debian.environment(FOLDER)


def _runs(path: str) -> bool:
    command = [path, "-n", "-r", "echo hash_hmac('sha256', 'a', 'b');"]
    try:
        return subprocess.run(command, env=environment(), capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def main() -> None:
    """Fetches one where there is none; the tests that need it are skipped where that does not help."""
    if find() is None:
        debian.fetch("PHP", _packages, find)
    sys.stdout.write(f"PHP: {find() or 'none; the guide for it is not run'}\n")


def _packages() -> tuple[str, ...]:
    apt_cache = shutil.which("apt-cache")
    if apt_cache is None:
        return ()
    told = subprocess.run([apt_cache, "depends", "php-cli"], capture_output=True, text=True, check=False).stdout
    program = re.search(r"php\d[\d.]*-cli", told)
    return () if program is None else (program[0], *LIBRARIES)


if __name__ == "__main__":
    main()
