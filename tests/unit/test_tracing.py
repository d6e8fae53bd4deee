"""The attributes of a span that may leave, and the lines of the log that go with it."""

import json
import logging
from uuid import uuid4

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider

from leaf import config, errors
from leaf.telemetry import logs, tracing
from leaf.telemetry.tracing.content import Cleaned, permitted


def test_a_trace_has_the_id_of_its_run_and_a_root_that_all_workers_know() -> None:
    """# 002-59"""
    run_id = uuid4()
    trace = tracing.trace_id(run_id)
    assert (len(trace), int(trace, 16)) == (32, run_id.int)
    assert tracing.root_span_id(trace) == tracing.root_span_id(trace) != tracing.root_span_id(uuid4().hex)
    assert 0 < tracing.root_span_id(trace) < 2**64


def test_only_names_and_numbers_leave_unless_content_is_wanted() -> None:
    given = {
        "gen_ai.tool.name": "read_file", "gen_ai.usage.input_tokens": 3, "gen_ai.tool.call.arguments": "private",
        "gen_ai.input.messages": "private", "gen_ai.system_instructions": "private", "logfire.msg": "private",
        "exception.message": "private", "exception.stacktrace": "private", "exception.type": "ValueError",
        "what.comes.next.year": "private",
    }  # fmt: skip
    assert permitted(given, content=False) == {
        "gen_ai.tool.name": "read_file", "gen_ai.usage.input_tokens": 3, "exception.type": "ValueError",
    }  # fmt: skip
    assert set(given) - set(permitted(given, content=True)) == {"exception.message", "exception.stacktrace"}


def test_what_should_be_a_name_and_is_a_text_is_left_out() -> None:
    """A provider may give its model any name, and a model may call any tool. # 002-59"""
    given = {
        "gen_ai.response.model": "the salary of Otto", "gen_ai.tool.name": "find", "error.type": "TimeoutError",
        "gen_ai.response.finish_reasons": ("stop", "Otto earns 5,000"), "gen_ai.tool.call.id": "call_" + "x" * 200,
        "gen_ai.request.model": "google/gemini-3-flash", "leaf.model": "openai-compatible:a/b:c@1",
    }  # fmt: skip
    assert permitted(given, content=False) == {
        "gen_ai.response.model": "[left out]", "gen_ai.tool.name": "find", "error.type": "TimeoutError",
        "gen_ai.response.finish_reasons": ["stop", "[left out]"], "gen_ai.tool.call.id": "[left out]",
        "gen_ai.request.model": "google/gemini-3-flash", "leaf.model": "openai-compatible:a/b:c@1",
    }  # fmt: skip
    assert permitted(given, content=True)["gen_ai.response.model"] == "the salary of Otto"


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("chat gpt-6-luna", "chat gpt-6-luna"), ("execute_tool read_file", "execute_tool read_file"), ("run", "run"),
        ("execute_tool tell Otto about it", "execute_tool [left out]"),
    ],
)  # fmt: skip
def test_the_name_of_a_span_holds_no_text(name: str, sent: str) -> None:
    """# 002-59"""
    provider = TracerProvider()
    span = provider.get_tracer("test").start_span(name)
    assert isinstance(span, ReadableSpan)
    assert Cleaned(span, content=False).name == sent
    assert Cleaned(span, content=True).name == name


def test_secrets_leave_in_no_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """# 002-59"""
    monkeypatch.setattr(logs, "_hidden", set())
    logs.hide(["the word of mine"])
    given = {"gen_ai.input.messages": "say the word of mine or sk-abcdefghijklmnopqrst", "leaf.list": ["ya29.abcdef"]}
    assert permitted(given, content=True) == {
        "gen_ai.input.messages": "say [redacted] or [redacted]", "leaf.list": ["[redacted]"],
    }  # fmt: skip


@pytest.mark.parametrize("kind", [logs.Redacting, logs.Structured])
def test_lines_name_the_run_that_they_belong_to(kind: type[logs.Redacting], monkeypatch: pytest.MonkeyPatch) -> None:
    """# 004-26"""
    monkeypatch.setattr(logs, "_hidden", {"the word of mine"})
    record = logging.LogRecord("jobs.answer", logging.WARNING, "x", 1, "%s\nfailed", ("the word of mine",), None)
    with logs.bound(run_id="r1", trace_id="t1"):
        line = kind("%(message)s").format(record)
    if kind is logs.Structured:
        found = json.loads(line)
        assert {key: found[key] for key in ("level", "logger", "message", "run_id", "trace_id")} == {
            "level": "warning", "logger": "jobs.answer", "message": "[redacted]\nfailed", "run_id": "r1",
            "trace_id": "t1",
        }  # fmt: skip
    else:
        assert line.startswith("[redacted]\nfailed ")
        assert set(line.split()) >= {"run_id=r1", "trace_id=t1"}
    assert "run_id" not in kind("%(message)s").format(record), "nothing is left of it behind the block"


def test_headers_of_a_collector_are_read_as_opentelemetry_writes_them() -> None:
    settings = config.Settings(
        _env_file=None, otlp_endpoint="https://x.example", otlp_headers="Authorization=Basic%20YWJj=,x-a=1"
    )
    assert settings.trace_headers == {"authorization": "Basic YWJj=", "x-a": "1"}
    assert "YWJj" not in repr(settings)
    for wrong in ({"otlp_endpoint": "x.example:4318"}, {"otlp_headers": "authorization"}, {"otlp_headers": "a b=c"}):
        with pytest.raises(errors.ConfigurationError, match="OTEL_EXPORTER_OTLP"):
            config.Settings(_env_file=None, **wrong)
