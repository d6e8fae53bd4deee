"""The counters and gauges of all processes in the text format of Prometheus."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from leaf.telemetry.metrics.instruments import REGISTRY
from leaf.telemetry.metrics.sums import Process, Sample

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST

_CONNECTIONS: Final = ("database", "redis")
_STATES: Final = ("in_use", "idle")


class _Families(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> Iterator[Metric]:
        """The families."""
        yield from self._families


def page(families: Iterable[Metric]) -> bytes:
    """Families of metrics as a page in the text format of Prometheus."""
    return generate_latest(_Families(families))


def counted(totals: Mapping[Sample, float]) -> list[Metric]:
    """The counters that this version of Leaf has, with their sums. Sums of other counters are left out.

    Args:
        totals: The sums over all processes (`leaf.telemetry.metrics.sums`).
    """
    by_name: dict[str, list[Sample]] = defaultdict(list)
    for sample in totals:
        by_name[sample[0]].append(sample)
    families: list[Metric] = []
    for known in REGISTRY.collect():
        family = Metric(known.name, known.documentation, known.type)
        names = [known.name + ending for ending in ("_bucket", "_count", "_sum", "_total")]
        for name in names:
            for sample in sorted(by_name[name], key=_order):
                family.add_sample(name, dict(sample[1]), totals[sample])
        families.append(family)
    return families


def _order(sample: Sample) -> tuple[list[tuple[str, str]], float]:
    """The sort key of a sample: its labels, and for a bucket of a histogram its bound."""
    labels = dict(sample[1])
    bound = float(labels.pop("le", "0"))
    return sorted(labels.items()), bound


def process_gauges(processes: Iterable[Process]) -> list[Metric]:
    """The gauges of live processes, summed by role, and the number of these processes."""
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for process in processes:
        if process.alive:
            sums[process.role]["processes"] += 1
            for name, value in process.gauges.items():
                sums[process.role][name] += value
    alive = GaugeMetricFamily("leaf_processes", "Processes that live.", labels=["role"])
    followers = GaugeMetricFamily("leaf_followers", "Streams of answers that are followed.", labels=["role"])
    busy = GaugeMetricFamily("leaf_runs_writing", "Answers that workers write at the moment.")
    pools = [
        GaugeMetricFamily(f"leaf_{name}_connections", f"Connections to the {name}.", labels=["role", "state"])
        for name in _CONNECTIONS
    ]
    for role in ("web", "worker"):
        found = sums[role]
        alive.add_metric([role], found["processes"])
        followers.add_metric([role], found["followers"])
        for name, pool in zip(_CONNECTIONS, pools, strict=True):
            for state in _STATES:
                pool.add_metric([role, state], found[f"{name}_{state}"])
    busy.add_metric([], sums["worker"]["writing"])
    return [alive, followers, busy, *pools]


def waiting(jobs: int) -> Metric:
    """The gauge of answers that wait for a worker."""
    return _gauge("leaf_jobs_waiting", "Answers that wait for a worker.", jobs)


def large(chats: int) -> Metric:
    """The gauge of chats that are near the limit of their size."""
    return _gauge("leaf_large_chats", "Chats that use 80 percent or more of LEAF_CHAT_MB, up to 100.", chats)


def readiness(parts: Mapping[str, bool]) -> Metric:
    """The gauge of the parts of Leaf that work, as on `/readyz`."""
    family = GaugeMetricFamily("leaf_ready", "Whether a part of Leaf works: 1 or 0.", labels=["part"])
    for name, works in sorted(parts.items()):
        family.add_metric([name], float(works))
    return family


def _gauge(name: str, about: str, value: float) -> Metric:
    family = GaugeMetricFamily(name, about)
    family.add_metric([], value)
    return family
