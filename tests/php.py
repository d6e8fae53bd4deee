"""Which PHP the tests of the signing guide run: PHP_PATH, one of this machine, or Debian's, unpacked into .venv.

`python -m tests.php` finds one, and fetches Debian's where apt-get can be used. Nothing is installed.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / ".venv" / "share" / "php"
LIBRARIES = ("libargon2-1", "libsodium23", "libedit2", "libxml2", "libpcre2-8-0")
"""The libraries that the program is linked with and that not every machine has."""


def find() -> str | None:
    """The path of a PHP for the command line that runs, if there is one."""
    named = os.environ.get("PHP_PATH")
    fetched = [str(path) for path in sorted((FOLDER / "usr" / "bin").glob("php[0-9]*"))]
    return next((path for path in [named, shutil.which("php"), *fetched] if path and _runs(path)), None)


def environment() -> dict[str, str]:
    """The environment in which it finds what was fetched with it."""
    libraries = [str(path) for path in (FOLDER / "usr" / "lib").glob("*-linux-gnu*")]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join([*libraries, os.environ.get("LD_LIBRARY_PATH", "")]).rstrip(":")}


def _runs(path: str) -> bool:
    command = [path, "-n", "-r", "echo hash_hmac('sha256', 'a', 'b');"]
    try:
        return subprocess.run(command, env=environment(), capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def main() -> None:
    """Fetches one where there is none; the tests that need it are skipped where that does not help."""
    if find() is None:
        _fetch()
    sys.stdout.write(f"PHP: {find() or 'none; the guide for it is not run'}\n")


def _fetch() -> None:
    apt_get, apt_cache, unpack = (shutil.which(name) for name in ("apt-get", "apt-cache", "dpkg-deb"))
    if apt_get is None or apt_cache is None or unpack is None:
        return
    sys.stdout.write("Fetching Debian's PHP for the tests ...\n")
    sys.stdout.flush()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for refresh in (False, True):
        if refresh:
            sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
            subprocess.run([*sudo, apt_get, "update", "-qq"], check=False)
        told = subprocess.run([apt_cache, "depends", "php-cli"], capture_output=True, text=True, check=False).stdout
        program = re.search(r"php\d[\d.]*-cli", told)
        if program is None:
            continue
        for package in (program[0], *LIBRARIES):
            # As root, apt would fetch as a user of its own, who may not write here.
            command = [apt_get, "download", "-qq", "-o", "APT::Sandbox::User=root", package]
            subprocess.run(command, cwd=FOLDER, check=False, stderr=subprocess.DEVNULL)
        for archive in FOLDER.glob("*.deb"):
            subprocess.run([unpack, "-x", str(archive), str(FOLDER)], check=False)
            archive.unlink()
        if find() is not None:
            return


if __name__ == "__main__":
    main()
