"""Parts that are cut off from all others: packets are swallowed in both directions, and no connection is closed.

nftables drops them on loopback. A server is known by its port, a process that connects to others by its group, which
marks its connections. This needs Linux and root.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

_GROUPS = count(40_000)


class Partition:
    """The rules of one set of processes, in a table of nftables of its own."""

    def __init__(self) -> None:
        self._table = f"leaf_{os.getpid()}"

    def start(self) -> None:
        """Makes the table, whose rules let everything through so far."""
        self._nft(
            f"add table inet {self._table}",
            f"add chain inet {self._table} marks {{ type filter hook output priority -10; }}",
            f"add chain inet {self._table} cuts {{ type filter hook output priority 0; }}",
        )

    def stop(self) -> None:
        """Removes the table."""
        self._nft(f"delete table inet {self._table}")

    def group(self) -> int:
        """A group for a process to start with, whose connections can be cut off."""
        group = next(_GROUPS)
        self._nft(f"add rule inet {self._table} marks meta skgid {group} ct mark set {group}")
        return group

    @contextmanager
    def without(self, *, port: int | None = None, group: int | None = None) -> Iterator[None]:
        """Cuts off a port, a group, or a process that has both, for the length of the block."""
        rules = [] if port is None else [f"tcp dport {port} drop", f"tcp sport {port} drop"]
        rules += [] if group is None else [f"ct mark {group} drop", f"meta skgid {group} drop"]
        self._nft(*(f"add rule inet {self._table} cuts {rule}" for rule in rules))
        try:
            yield
        finally:
            self._nft(f"flush chain inet {self._table} cuts")

    def _nft(self, *commands: str) -> None:
        done = subprocess.run(
            ["nft", "-f", "-"], input="\n".join(commands), text=True, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr


def is_possible() -> bool:
    """Whether this machine lets this user drop packets."""
    if os.geteuid() != 0 or shutil.which("nft") is None:
        return False
    return subprocess.run(["nft", "list", "ruleset"], capture_output=True, check=False).returncode == 0
