"""Traces of runs. Each run has one span, which is the parent of the spans of all its workers (decision 0018)."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from uuid import UUID

from leaf import config
from leaf.db.models import MessageStatus
from leaf.telemetry import logs, tracing

if TYPE_CHECKING:
    from leaf.services import runs
    from leaf.telemetry.tracing.export import Tracing

_tracing: "Tracing | None" = None
_attempt: ContextVar[int] = ContextVar("attempt", default=1)


def start() -> None:
    """Makes agents record spans, if the settings name a collector."""
    global _tracing
    settings = config.current()
    if not settings.otlp_endpoint:
        return
    from pydantic_ai import Agent
    from pydantic_ai.models.instrumented import InstrumentationSettings

    from leaf.telemetry.tracing.export import Tracing

    logs.hide(settings.trace_headers.values())
    _tracing = Tracing(settings)
    Agent.instrument_all(
        InstrumentationSettings(
            tracer_provider=_tracing.provider,
            include_content=settings.trace_content,
            include_binary_content=False,
            include_model_request_parameters=False,
        )
    )


async def close() -> None:
    """Sends the remaining spans, for a few seconds at most."""
    if _tracing is not None:
        await asyncio.to_thread(_tracing.close)


@contextmanager
def of_run(run_id: UUID, attempt: int) -> Generator[None]:
    """Attaches log lines and spans inside the block to a run.

    Args:
        run_id: The run.
        attempt: The number of the attempt, from 1.
    """
    trace = tracing.trace_id(run_id)
    _attempt.set(attempt)
    with logs.bound(run_id=str(run_id), trace_id=trace), _below(trace):
        yield


@contextmanager
def joined(task: "runs.Assignment | None") -> Generator[None]:
    """Attaches spans inside the block to the trace of an earlier run.

    A run that continues after the result of a client tool belongs to the trace of the run that called the tool.
    """
    trace = _trace_of(task) if task is not None else None
    if task is None or trace is None or trace == tracing.trace_id(task.run_id):
        yield
        return
    with logs.bound(trace_id=trace), _below(trace, tracing.trace_id(task.run_id)):
        yield


@contextmanager
def _below(trace: str, run: str | None = None) -> Generator[None]:
    """Makes the span of a run the parent of the spans inside the block (arguments as in `_span_of`)."""
    if _tracing is None:
        yield
        return
    from opentelemetry import context
    from opentelemetry import trace as otel

    token = context.attach(otel.set_span_in_context(otel.NonRecordingSpan(_span_of(trace, run)), context.Context()))
    try:
        yield
    finally:
        context.detach(token)


@contextmanager
def step(name: str) -> Generator[Callable[[dict[str, Any]], None]]:
    """Records a span for work of a run outside its agent; yields the function that sets the span's attributes.

    Args:
        name: `planner` or `decision`.
    """
    if _tracing is None:
        yield lambda _: None
        return
    with _tracing.provider.get_tracer("leaf").start_as_current_span(name) as span:
        yield span.set_attributes


def _trace_of(task: "runs.Assignment") -> str | None:
    return task.details.get("traceId")


def ended(task: "runs.Assignment", outcome: "runs.Outcome", began: float) -> None:
    """Writes the span of a run that has ended.

    Args:
        task: The assignment of the run.
        outcome: The outcome of the run.
        began: The start of its first worker (Unix time, seconds).
    """
    if _tracing is None:
        return
    from opentelemetry import context
    from opentelemetry import trace as otel

    from leaf.telemetry.tracing.export import forced

    run = tracing.trace_id(task.run_id)
    trace = _trace_of(task) or run
    own = _span_of(trace, run)
    links = [otel.Link(_span_of(earlier)) for earlier in task.details.get("earlierTraceIds", ()) if trace == run]
    first = otel.set_span_in_context(otel.NonRecordingSpan(_span_of(trace)), context.Context())
    token = forced.set((own.trace_id, own.span_id))
    try:
        span = _tracing.provider.get_tracer("leaf").start_span(
            "run",
            context.Context() if trace == run else first,
            links=links,
            start_time=round(began * 1e9),
            attributes=_attributes(task, outcome),
        )
    finally:
        forced.reset(token)
    if outcome.status is MessageStatus.ERROR:
        span.set_status(otel.StatusCode.ERROR)
    span.end()


def _span_of(trace: str, run: str | None = None) -> Any:
    """The context of the span that represents a run.

    Args:
        trace: The id of the run's trace.
        run: The run's own trace id if another run began the trace; None otherwise.
    """
    from opentelemetry import trace as otel

    sampled = otel.TraceFlags(otel.TraceFlags.SAMPLED)
    return otel.SpanContext(int(trace, 16), tracing.root_span_id(run or trace), is_remote=True, trace_flags=sampled)


def _attributes(task: "runs.Assignment", outcome: "runs.Outcome") -> dict[str, str | int | float]:
    used = outcome.used
    attributes: dict[str, str | int | float | None] = {
        "session.id": str(task.chat_id),
        "leaf.run.id": str(task.run_id),
        "leaf.message.id": str(task.message_id),
        "leaf.chat.id": str(task.chat_id),
        "leaf.model": task.model,
        "leaf.mode": task.mode.value,
        "leaf.status": outcome.status.value,
        "leaf.attempt": _attempt.get(),
        "leaf.requests": used.requests,
        "leaf.tokens.input": used.input_tokens,
        "leaf.tokens.output": used.output_tokens,
        "leaf.tokens.cache_read": used.cache_read_tokens,
        "leaf.tokens.cache_write": used.cache_write_tokens,
        "leaf.tokens.thinking": used.thinking_tokens,
        "leaf.cost_usd": float(used.cost_usd) if used.cost_usd is not None else None,
        "error.type": outcome.error_code,
    }
    return {name: value for name, value in attributes.items() if value is not None}
