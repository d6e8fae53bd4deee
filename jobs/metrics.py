"""The metrics of a worker: the times of its answers, and the counters of their outcomes."""

import time
from typing import Any, Self

from leaf.db import session
from leaf.parts import Chunk
from leaf.services import runs
from leaf.telemetry import metrics
from leaf.telemetry.metrics import instruments

_writing = 0


def publisher() -> metrics.Publisher:
    """The publisher of this worker's counters and gauges."""
    gauges = metrics.gauges_of_process(session.connections)
    return metrics.Publisher("worker", {**gauges, "writing": lambda: _writing})


class Timing:
    """The times of one attempt to write an answer.

    Args:
        asked: The time of the request (Unix time, seconds); None for a later attempt, whose times are not measured.
    """

    def __init__(self, asked: float | None) -> None:
        self._asked = asked
        self.first_text_ms: int | None = None
        """The time from the request to the first chunk of text; None before it, and in a later attempt."""

    @classmethod
    def of_job(cls, ctx: dict[str, Any], attempt: int) -> "Timing":
        """The timing of a job that has just begun. Measures its wait in the queue."""
        enqueued = ctx.get("enqueue_time")
        timing = cls(enqueued.timestamp() if attempt == 1 and enqueued is not None else None)
        if timing._asked is not None:
            instruments.queue_wait.observe(max(0.0, time.time() - timing._asked))
        return timing

    def __enter__(self) -> Self:
        global _writing
        _writing += 1
        return self

    def __exit__(self, *_: object) -> None:
        global _writing
        _writing -= 1

    def wrote(self, chunk: Chunk) -> None:
        """Measures the first chunk of text that goes to readers."""
        if self._asked is not None and chunk["type"] == "text-delta":
            seconds = max(0.0, time.time() - self._asked)
            instruments.first_text.observe(seconds)
            self.first_text_ms, self._asked = round(seconds * 1000), None


def count_outcome(model: str, outcome: runs.Outcome) -> None:
    """Counts the outcome of a run."""
    instruments.runs.labels(outcome.status.value).inc()
    if outcome.error_code:
        instruments.run_errors.labels(outcome.error_code).inc()
    if outcome.duration_ms:
        instruments.run_duration.observe(outcome.duration_ms / 1000)
    label = instruments.model_label(model)
    for kind in ("input", "output", "cache_read", "cache_write", "thinking"):
        if count := getattr(outcome.used, f"{kind}_tokens"):
            instruments.tokens.labels(kind, label).inc(count)
    if outcome.used.cost_usd:
        instruments.cost.labels(label).inc(float(outcome.used.cost_usd))
