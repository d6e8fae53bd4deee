"""The cores that this process may use, which in a container are fewer than the machine has."""

import math
import os
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


def usable(cgroups: Path = _CGROUPS, own: Path = _OWN) -> int:
    """The number of usable cores, at least 1: those of the affinity, within the limits of CPU time of cgroup v2.

    Args:
        cgroups: The folder of the hierarchy of control groups.
        own: The file that names the group of this process (cgroups(7)).
    """
    limits = [float(_of_affinity()), *_quotas(cgroups, own)]
    return max(1, math.ceil(min(limits)))


def _of_affinity() -> int:
    if hasattr(os, "sched_getaffinity"):  # Linux alone has it.
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas(cgroups: Path, own: Path) -> list[float]:
    """The cores that the group of this process, and those around it, may use (`cpu.max`); none without limits."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return []
    path = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if path is None:
        return []
    group = cgroups / path
    found = (_quota(folder / "cpu.max") for folder in (group, *group.parents) if folder.is_relative_to(cgroups))
    return [quota for quota in found if quota is not None]


def _quota(file: Path) -> float | None:
    try:
        most, period = file.read_text().split()
        return int(most) / int(period)
    except (OSError, ValueError, ZeroDivisionError):  # `max` is not a number: no limit.
        return None
