"""Traces of answers (decision 0018). Each run has one trace, whose id derives from the id of the run.

This module does not load OpenTelemetry. `leaf.telemetry.tracing.export` does, and is imported only if traces are sent.
"""

import hashlib
from uuid import UUID


def trace_id(run_id: UUID) -> str:
    """The id of a run's trace: 32 hexadecimal digits, the same in every process, whether or not traces are sent."""
    return run_id.hex


def root_span_id(run: str) -> int:
    """The id of the span of a whole run. It derives from the trace's id, because any worker may write the span.

    Args:
        run: The id of the run's trace.
    """
    return int.from_bytes(hashlib.sha256(f"leaf run {run}".encode()).digest()[:8], "big") or 1
