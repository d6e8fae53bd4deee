"""Metrics for Prometheus: counters of each process, their sums in Redis, and the page that Prometheus reads."""

from leaf.telemetry.metrics import instruments
from leaf.telemetry.metrics.exposition import CONTENT_TYPE, Metric, counted, large, page, readiness, standing, waiting
from leaf.telemetry.metrics.sums import (
    Process,
    Publisher,
    Waiting,
    gauges_of_process,
    jobs_waiting,
    processes,
    samples,
    totals,
)
