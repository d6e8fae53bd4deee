"""Programs of Debian for the tests, unpacked into .venv/share: nothing is installed, and nothing is started."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

SHARE = Path(__file__).parents[1] / ".venv" / "share"


def fetch(name: str, packages: Callable[[], Iterable[str]], found: Callable[[], object]) -> Path:
    """Fetches packages where apt-get can be used, if need be with a fresh list of them.

    Args:
        name: The name of the program, for the line that says so, and of the folder below `SHARE`.
        packages: Names the packages; those that this release does not have are left out.
        found: Whether the program is there.

    Returns:
        The folder into which they are unpacked.
    """
    folder = SHARE / name.lower()
    apt_get, unpack = shutil.which("apt-get"), shutil.which("dpkg-deb")
    if apt_get is None or unpack is None:
        return folder
    sys.stdout.write(f"Fetching Debian's {name} for the tests ...\n")
    sys.stdout.flush()
    folder.mkdir(parents=True, exist_ok=True)
    for refresh in (False, True):
        if refresh:
            sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
            subprocess.run([*sudo, apt_get, "update", "-qq"], check=False)
        for package in packages():
            # As root, apt would fetch as a user of its own, who may not write here.
            command = [apt_get, "download", "-qq", "-o", "APT::Sandbox::User=root", package]
            subprocess.run(command, cwd=folder, check=False, stderr=subprocess.DEVNULL)
        for archive in folder.glob("*.deb"):
            subprocess.run([unpack, "-x", str(archive), str(folder)], check=False)
            archive.unlink()
        if found():
            break
    return folder


def provide(label: str, find: Callable[[], str | None], fetching: Callable[[], object], missing: str) -> None:
    """Makes sure that a program is there, and names its path; ends this process with a sentence where it is not.

    Args:
        label: What the program is for.
        find: Returns its path.
        fetching: Fetches it.
        missing: The sentence.
    """
    if find() is None:
        fetching()
    path = find()
    if path is None:
        sys.exit(missing)
    sys.stdout.write(f"{label}: {path}\n")


def environment(folder: Path) -> dict[str, str]:
    """The environment in which a program finds the libraries that were fetched with it."""
    libraries = [str(path) for path in (folder / "usr" / "lib").glob("*-linux-gnu*")]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join([*libraries, os.environ.get("LD_LIBRARY_PATH", "")]).rstrip(":")}
