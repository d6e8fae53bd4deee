"""Which nginx the tests put in front of Leaf: NGINX_PATH, one of this machine, or Debian's, unpacked into .venv.

`python -m tests.nginx` finds one, and fetches Debian's where apt-get can be used. Nothing is installed or started.
"""

import os
import shutil

from tests import debian

FOLDER = debian.SHARE / "nginx"
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
    missing = "The tests of the proxy need nginx: install it, or name it in NGINX_PATH."
    debian.provide("Proxy", find, lambda: debian.fetch("nginx", lambda: PACKAGES, find), missing)


if __name__ == "__main__":
    main()
