"""A collector of traces: it speaks OTLP over HTTP, decodes what comes, and keeps it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Span:
    """A span as it was received; ids in hexadecimal."""

    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, Any]
    failed: bool
    links: list[tuple[str, str]]
    events: list[str]


@dataclass
class Collector:
    """The spans that have arrived."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)

    def of(self, trace: str) -> list[Span]:
        """The spans of a trace so far."""
        return [span for span in self.spans if span.trace == trace]

    def run(self, trace: str) -> Span | None:
        """The span of a whole run, once it has come."""
        return next((span for span in self.of(trace) if span.name == "run"), None)


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector on a port of its own, for the length of the block."""
    kept = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.bodies.append(body)
            kept.headers.append({name.lower(): value for name, value in self.headers.items()})
            kept.spans += _spans(body) if self.path == "/otlp/v1/traces" else []
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_address[1]}/otlp"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _spans(body: bytes) -> list[Span]:
    request = ExportTraceServiceRequest.FromString(body)
    return [
        Span(
            span.name,
            span.trace_id.hex(),
            span.span_id.hex(),
            span.parent_span_id.hex(),
            {one.key: _value(one.value) for one in span.attributes},
            span.status.code == 2,
            [(link.trace_id.hex(), link.span_id.hex()) for link in span.links],
            [event.name for event in span.events],
        )
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [_value(one) for one in value.array_value.values] if kind == "array_value" else getattr(value, kind)
