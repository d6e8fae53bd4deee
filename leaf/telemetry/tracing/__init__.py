"""Traces of answers (decision 0018): one for each run, under an id that follows from the run's.

This module loads nothing of OpenTelemetry; `leaf.telemetry.tracing.export` is imported where traces are sent somewhere.
"""

import hashlib
from uuid import UUID


def trace_id(run_id: UUID) -> str:
    """The id of a run's trace: 32 hexadecimal digits, the same in every process, whether or not traces are sent."""
    return run_id.hex


def root_span_id(run: str) -> int:
    """The id of the span that stands for a whole run, which any worker may end up writing.

    Args:
        run: The id of its trace.
    """
    return int.from_bytes(hashlib.sha256(f"leaf run {run}".encode()).digest()[:8], "big") or 1
