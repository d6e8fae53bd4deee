"""The settings of traces. Their names are OpenTelemetry's own where it has one."""

import re
from urllib.parse import unquote

from pydantic import Field
from pydantic_settings import BaseSettings

from leaf.config import addresses

_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class TracingSettings(BaseSettings):
    """Whether and where traces of answers are sent."""

    otlp_endpoint: str | None = Field(None, validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT")
    """Base address of a collector that speaks OTLP over HTTP; `/v1/traces` is added to it."""
    otlp_headers: str = Field("", repr=False, validation_alias="OTEL_EXPORTER_OTLP_HEADERS")
    """Headers of these requests, `name=value`, comma-separated, URL-encoded."""
    trace_content: bool = Field(False, validation_alias="LEAF_TRACE_CONTENT")
    """Whether traces hold what was asked, read and answered."""

    @property
    def trace_headers(self) -> dict[str, str]:
        """The headers by name."""
        pairs = (pair.partition("=") for pair in self.otlp_headers.split(",") if pair.strip())
        return {name.strip().lower(): unquote(value.strip()) for name, _, value in pairs}

    @property
    def tracing_problems(self) -> list[str]:
        """What is malformed: one line per problem."""
        problems: list[str] = []
        if self.otlp_endpoint and not addresses.is_web_address(self.otlp_endpoint):
            problems.append("OTEL_EXPORTER_OTLP_ENDPOINT: must be an http:// or https:// address")
        if not all(_HEADER.fullmatch(name) and value for name, value in self.trace_headers.items()):
            problems.append("OTEL_EXPORTER_OTLP_HEADERS: must be name=value, comma-separated")
        return problems
