"""The Redis of the tests that need functions (Redis 7): this machine's, or Debian's, unpacked into .venv.

`python -m tests.redis_server` finds one, and fetches Debian's where apt-get can be used. Nothing is installed or
started. Leaf's embedded Redis is older.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests import debian

FOLDER = debian.SHARE / "redis"
PACKAGES = (
    "redis-server", "redis-tools", "liblzf1", "liblua5.1-0", "lua-cjson", "lua-bitop", "libjemalloc2",
)  # fmt: skip
"""The program, and the libraries that it is linked with and that not every machine has."""
_LEAST = 7


def find() -> str | None:
    """The path of a Redis server of version 7 or later that runs, if there is one."""
    for folder in (None, FOLDER / "bin"):
        named = shutil.which("redis-server", path=folder and str(folder))
        if named and _version(named) >= _LEAST:
            return named
    return None


def put_first() -> None:
    """Has this process, and those that it starts, find this server first (`leaf.config.embedded.redis_server`)."""
    program = find()
    assert program is not None, "no Redis 7: run `make redis7`"
    os.environ["PATH"] = f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}"


def _version(program: str) -> int:
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"v=(\d+)", told)
    return int(found[1]) if found else 0


def _fetched() -> bool:
    """Whether Debian's server is there and runs; it is started by a script that names its libraries."""
    program = FOLDER / "usr" / "bin" / "redis-server"
    if not program.exists():
        return False
    libraries = debian.environment(FOLDER)["LD_LIBRARY_PATH"]
    starter = FOLDER / "bin" / "redis-server"
    starter.parent.mkdir(exist_ok=True)
    starter.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH="{libraries}" exec "{program}" "$@"\n')
    starter.chmod(0o755)
    return find() is not None


def main() -> None:
    """Makes sure that there is one."""
    missing = "The tests of a second queue need Redis 7 or later: install it."
    debian.provide("Redis", find, lambda: _fetched() or debian.fetch("redis", lambda: PACKAGES, _fetched), missing)


if __name__ == "__main__":
    main()
