"""The content of spans as they are sent: names, numbers and ids. Texts are sent only if enabled, secrets never."""

import re
from collections.abc import Mapping
from typing import Any

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.trace import Status
from opentelemetry.util.types import AttributeValue

from leaf.telemetry import logs

NAMES = frozenset(
    {
        "agent_name", "error.type", "exception.type", "gen_ai.agent.name", "gen_ai.operation.name",
        "gen_ai.provider.name", "gen_ai.request.max_tokens", "gen_ai.request.model", "gen_ai.request.temperature",
        "gen_ai.response.finish_reasons", "gen_ai.response.model", "gen_ai.system", "gen_ai.tool.call.id",
        "gen_ai.tool.name", "model_name", "operation.cost", "server.address", "session.id",
        "pydantic_ai.tool.deferral.name",
    }
)  # fmt: skip
"""Attributes without content. Providers and models choose some of the values, so these are checked (`_names_only`)."""
PREFIXES = ("leaf.", "gen_ai.usage.", "gen_ai.aggregated_usage.", "gen_ai.response.time_to_first_chunk")
_NAME = re.compile(r"[\w.:/@+-]{0,128}", re.ASCII)
"""The form of a name. Providers and models may send any text instead of a name."""
LOCATIONS = frozenset({"exception.stacktrace", "exception.message"})
"""Attributes that are never sent, because they hold the text of an exception, which may contain anything."""


LEFT_OUT = "[left out]"


class Cleaned(ReadableSpan):
    """A span as it is sent.

    Args:
        span: The span as it was recorded.
        content: Whether texts are sent.
    """

    def __init__(self, span: ReadableSpan, *, content: bool) -> None:
        super().__init__(
            name=logs.redacted(span.name if content else _bounded(span.name)),
            context=span.get_span_context(),
            parent=span.parent,
            resource=span.resource,
            attributes=permitted(span.attributes, content=content),
            events=[
                Event(event.name, permitted(event.attributes, content=content), event.timestamp)
                for event in span.events
            ],
            links=span.links,
            kind=span.kind,
            status=Status(span.status.status_code),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )


def permitted(attributes: Mapping[str, AttributeValue] | None, *, content: bool) -> dict[str, AttributeValue]:
    """The attributes that may be sent."""
    return {
        name: _redacted(value if content or name not in NAMES else _names_only(value))
        for name, value in (attributes or {}).items()
        if name not in LOCATIONS and (content or name in NAMES or name.startswith(PREFIXES))
    }


def _names_only(value: Any) -> Any:
    """A value in which each string that is not a name is replaced by `LEFT_OUT`."""
    if isinstance(value, str):
        return value if _NAME.fullmatch(value) else LEFT_OUT
    if isinstance(value, list | tuple):
        return [_names_only(one) for one in value]
    return value


def _bounded(name: str) -> str:
    """The name of a span. Its first word is a library's; the rest may come from outside, and is checked."""
    kind, _, rest = name.partition(" ")
    return f"{kind} {_names_only(rest)}" if rest else name


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return logs.redacted(value)
    if isinstance(value, list | tuple):
        return [_redacted(one) for one in value]
    return value
