"""Makes spans with OpenTelemetry's SDK and sends them as OTLP over HTTP, without contents that must not be sent.

The tracer provider is not global, so that only libraries that receive it make spans.
"""

import logging
import threading
from collections.abc import Sequence
from contextvars import ContextVar

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator

from leaf.config import Settings
from leaf.telemetry.tracing.content import Cleaned

log = logging.getLogger(__name__)

QUEUED_SPANS = 4096
"""The maximum number of spans that wait to be sent. Further ones are dropped."""
DELAY_SECONDS = 1.0
SEND_SECONDS = 10.0
CLOSING_SECONDS = 5.0

forced: ContextVar[tuple[int, int] | None] = ContextVar("forced", default=None)
"""The ids of trace and span that the next span gets; None for random ids."""


class Ids(IdGenerator):
    """Generates random ids, except for the spans of whole runs (`forced`)."""

    def __init__(self) -> None:
        self._random = RandomIdGenerator()

    def generate_trace_id(self) -> int:
        """The id of the trace of a span without a parent."""
        ids = forced.get()
        return ids[0] if ids is not None else self._random.generate_trace_id()

    def generate_span_id(self) -> int:
        """The id of a span."""
        ids = forced.get()
        return ids[1] if ids is not None else self._random.generate_span_id()


class Exporter(SpanExporter):
    """Sends cleaned spans from its own thread, and logs a failure once.

    Args:
        settings: The settings, which name the collector and say whether texts are sent.
    """

    def __init__(self, settings: Settings) -> None:
        # The library would log each attempt.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        self._content = settings.trace_content
        self._failing = False
        self._sending = OTLPSpanExporter(
            endpoint=f"{(settings.otlp_endpoint or '').rstrip('/')}/v1/traces",
            headers=settings.trace_headers,
            timeout=SEND_SECONDS,
        )

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Sends spans. They are lost if the collector does not answer."""
        result = self._sending.export([Cleaned(span, content=self._content) for span in spans])
        failed = result is not SpanExportResult.SUCCESS
        if failed and not self._failing:
            log.warning("traces cannot be sent; answers go on without them")
        elif self._failing and not failed:
            log.info("traces are sent again")
        self._failing = failed
        return result

    def shutdown(self) -> None:
        """Gives up on spans that are still being sent."""
        self._sending.shutdown()


class Tracing:
    """A tracer provider with its exporter, for one process."""

    def __init__(self, settings: Settings) -> None:
        self._exporter = Exporter(settings)
        self.provider = TracerProvider(
            resource=Resource.create({"service.name": "leaf", "deployment.environment.name": settings.env}),
            id_generator=Ids(),
            shutdown_on_exit=False,
        )
        self.provider.add_span_processor(
            BatchSpanProcessor(self._exporter, max_queue_size=QUEUED_SPANS, schedule_delay_millis=DELAY_SECONDS * 1000)
        )

    def close(self) -> None:
        """Sends the remaining spans, for at most `CLOSING_SECONDS`."""
        closing = threading.Thread(target=self.provider.shutdown, daemon=True)
        closing.start()
        closing.join(CLOSING_SECONDS)
        if closing.is_alive():
            self._exporter.shutdown()
