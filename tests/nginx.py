"""Which nginx the tests put in front of Leaf: NGINX_PATH, one of this machine, or Debian's, unpacked into .venv.

`python -m tests.nginx` finds one, and fetches Debian's where apt-get can be used. Nothing is installed or started.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / ".venv" / "share" / "nginx"
PACKAGES = ("nginx", "nginx-core", "nginx-light")
"""Which of them holds the program has changed from release to release."""


def find() -> str | None:
    """The path of an nginx, if there is one."""
    named = os.environ.get("NGINX_PATH")
    if named:
        return named
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:{FOLDER}/usr/sbin")


def main() -> None:
    """Makes sure that there is one."""
    if find() is None:
        _fetch()
    path = find()
    if path is None:
        sys.exit("The tests of the proxy need nginx: install it, or name it in NGINX_PATH.")
    sys.stdout.write(f"Proxy: {path}\n")


def _fetch() -> None:
    apt_get, unpack = shutil.which("apt-get"), shutil.which("dpkg-deb")
    if apt_get is None or unpack is None:
        return
    sys.stdout.write("Fetching Debian's nginx for the tests ...\n")
    sys.stdout.flush()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for refresh in (False, True):
        if refresh:
            sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
            subprocess.run([*sudo, apt_get, "update", "-qq"], check=False)
        for package in PACKAGES:
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
