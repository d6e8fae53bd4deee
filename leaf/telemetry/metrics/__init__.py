"""Metrics for Prometheus: the counters of each process, their sums in Redis, and the page that Prometheus reads."""

from leaf.telemetry.metrics import instruments, queue
from leaf.telemetry.metrics.exposition import (
    CONTENT_TYPE,
    Metric,
    counted,
    large,
    page,
    process_gauges,
    readiness,
    waiting,
)
from leaf.telemetry.metrics.queue import Waiting, jobs_waiting
from leaf.telemetry.metrics.sums import (
    Process,
    Publisher,
    gauges_of_process,
    processes,
    samples,
    totals,
)
