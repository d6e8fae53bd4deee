"""Metrics for Prometheus: what processes count, their sums in Redis, and the page that tells them."""

from leaf.telemetry.metrics import instruments
from leaf.telemetry.metrics.counting import Process, Publisher, processes, samples, totals
from leaf.telemetry.metrics.exposition import CONTENT_TYPE, Metric, counted, page, readiness, standing, waiting
from leaf.telemetry.metrics.gauges import of_process as gauges_of_process
from leaf.telemetry.metrics.jobs import waiting as jobs_waiting

__all__ = [
    "CONTENT_TYPE",
    "Metric",
    "Process",
    "Publisher",
    "counted",
    "gauges_of_process",
    "instruments",
    "jobs_waiting",
    "page",
    "processes",
    "readiness",
    "samples",
    "standing",
    "totals",
    "waiting",
]
