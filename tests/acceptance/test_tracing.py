"""Traces, and the content that never leaves with them: workers that send them to a collector which takes them apart."""

import json
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import pytest_asyncio

from leaf.db import Actor
from leaf.parts import client_tools
from leaf.parts.client_tools import ClientTool
from leaf.services import chats, conversations, runs
from leaf.telemetry import tracing
from tests.acceptance.conftest import Ask
from tests.acceptance.outfitted import alone, crew_with
from tests.acceptance.readers import QUESTION, SLOW, reading
from tests.acceptance.stack import AGREEMENT, Sandbox, Stack, until
from tests.acceptance.test_secrets import _secrets
from tests.acceptance.test_waiting import ASKS, question_of
from tests.acceptance.workers import Crew, lapse
from tests.collector import Collector, Span, collecting

TOKEN = "collector-token-0123456789"


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as kept:
        yield kept


@pytest.fixture(scope="module")
def outfitted(running_stack: Stack, collector: Collector) -> Iterator[Crew]:
    variables = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_EXPORTER_OTLP_HEADERS": f"authorization=Bearer%20{TOKEN}",
        "LEAF_LOG_FORMAT": "json",
    }
    crew = crew_with(running_stack, "traced", variables)
    try:
        yield crew
    finally:
        crew.stop()


@pytest_asyncio.fixture
async def workers(outfitted: Crew, crew: Crew) -> AsyncIterator[Crew]:
    async with alone(outfitted, crew):
        yield outfitted


async def finished(collector: Collector, trace: str) -> Span:
    return await until(lambda: collector.run(trace), what="the run's span has come")


async def test_a_trace_shows_the_run_its_requests_and_its_tools(
    workers: Crew, ada: Actor, ask: Ask, collector: Collector
) -> None:
    """Its id stands in the message, and nothing of what was asked, read or answered is in it. # 002-31, 002-59"""
    turn = await ask(ada, QUESTION)
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    trace = stored.details["traceId"]
    assert trace == tracing.trace_id(turn.assistant.run_id)
    assert reader.chunks[0]["messageMetadata"]["traceId"] == trace
    run = await finished(collector, trace)
    spans = collector.of(trace)
    assert run.parent == ""
    expected = {
        "leaf.run.id": str(turn.assistant.run_id), "leaf.message.id": str(stored.id), "leaf.model": "sandbox:sandbox",
        "leaf.mode": "quick", "leaf.status": "completed", "leaf.attempt": 1, "leaf.cost_usd": 0.0,
    }  # fmt: skip
    assert {name: run.attributes.get(name) for name in expected} == expected
    assert run.attributes["leaf.tokens.input"] > 0
    requests = [span for span in spans if span.name.startswith("chat ")]
    tools = [span for span in spans if span.attributes.get("gen_ai.operation.name") == "execute_tool"]
    assert len(requests) >= 3
    assert all(span.attributes["gen_ai.usage.input_tokens"] > 0 for span in requests)
    assert {"search_files", "read_drive_file"} <= {span.attributes["gen_ai.tool.name"] for span in tools}
    ids = {span.id for span in spans}
    assert all(span.parent in ids for span in spans if span is not run), "one trace, without loose ends"
    body = b"".join(collector.bodies)
    content = [QUESTION, "Halden Haulage", *(line for line in AGREEMENT.splitlines() if len(line) > 20)]
    assert [text for text in content if text.encode() in body] == []
    assert all(one["authorization"] == f"Bearer {TOKEN}" for one in collector.headers)


async def test_a_run_that_is_taken_over_goes_on_in_its_trace(
    workers: Crew, ada: Actor, ask: Ask, collector: Collector
) -> None:
    """# 002-59, 004-26"""
    await workers.of(2)
    turn = await ask(ada, QUESTION, model=SLOW)
    run_id = turn.assistant.run_id
    assert run_id is not None
    async with reading(ada, run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        await until(lambda: collector.of(run_id.hex), what="the first worker has sent spans")
        (await workers.writer_of(run_id)).kill()
        await lapse(run_id)
        await reader.end()
    run = await finished(collector, run_id.hex)
    assert run.attributes["leaf.attempt"] == 2
    spans = collector.of(run_id.hex)
    assert len([span for span in spans if span.name == "run"]) == 1
    ids = {span.id for span in spans}
    requests = [span for span in spans if span.name.startswith("chat ")]
    assert len({span.parent for span in requests if span.parent not in ids}) == 1, "those of the worker that died"
    assert {span.parent for span in requests} & ids, "those of the one that took over"


async def test_an_answer_that_had_to_wait_links_to_its_earlier_trace(
    workers: Crew, ada: Actor, ask: Ask, collector: Collector
) -> None:
    """# 002-59"""
    chat_id = await chats.new(ada)
    turn = await ask(ada, ASKS, chat_id=chat_id, model="sandbox:sandbox-script")
    async with reading(ada, turn.assistant.run_id) as reader:
        stopped = await reader.end()
    await conversations.answer(ada, stopped.id, question_of(stopped)["toolCallId"], {"skipped": True})
    run_id = (await chats.open(ada, chat_id)).messages[-1].run_id
    assert run_id is not None
    async with reading(ada, run_id) as reader:
        whole = await reader.end()
    earlier, later = stopped.details["traceId"], whole.details["traceId"]
    assert (later, whole.details["earlierTraceIds"]) == (run_id.hex, [earlier])
    first, second = await finished(collector, earlier), await finished(collector, later)
    assert first.attributes["leaf.status"] == "waiting"
    assert second.links == [(earlier, first.id)]


async def test_no_secret_is_in_a_trace_and_every_line_of_a_run_names_it(
    workers: Crew, ben: Actor, ask: Ask, sandbox: Sandbox, collector: Collector
) -> None:
    """Whatever the provider and Drive put into their errors. # 002-59, 004-26"""
    traces: list[str] = []
    for model, fault in (("openai-chat:sandbox", 401), ("anthropic:sandbox-fail", 500), ("openai:unknown", 403)):
        sandbox.fault("/drive/v3/files", fault, times=2)
        turn = await ask(ben, QUESTION, model=model)
        async with reading(ben, turn.assistant.run_id) as reader:
            stored = await reader.end()
        traces.append(stored.details["traceId"])
        sandbox.forget()
        run = await finished(collector, traces[-1])
        assert run.failed == (stored.status == "error")
    assert any(run.failed for trace in traces if (run := collector.run(trace)))
    body = b"".join(collector.bodies)
    assert [name for name, value in (await _secrets(ben)).items() if value.encode() in body] == []
    assert b"Traceback" not in body
    lines = [json.loads(line) for log in workers.logs for line in log.read_text().splitlines() if line[:1] == "{"]
    failed = [line for line in lines if "failed" in line["message"]]
    assert {line["trace_id"] for line in failed} >= {
        span.trace for span in collector.spans if span.name == "run" and span.failed
    }
    assert all(line["run_id"].replace("-", "") == line["trace_id"] for line in failed)
    assert TOKEN not in "".join(log.read_text() for log in workers.logs)


@contextmanager
def silent() -> Iterator[str]:
    """The address of a collector that takes connections and says nothing."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(50)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


async def test_content_leaves_only_where_it_is_wanted_and_secrets_not_even_then(
    stack: Stack, crew: Crew, outfitted: Crew, ben: Actor, ask: Ask
) -> None:
    """# 002-59"""
    with collecting() as collector:
        variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "LEAF_TRACE_CONTENT": "true"}
        lone = crew_with(stack, "content", variables)
        try:
            async with alone(lone, crew, outfitted):
                for model in ("openai-chat:sandbox", "openai:unknown"):
                    turn = await ask(ben, QUESTION, model=model)
                    async with reading(ben, turn.assistant.run_id) as reader:
                        stored = await reader.end()
                    await finished(collector, stored.details["traceId"])
        finally:
            lone.stop()
        body = b"".join(collector.bodies)
    assert QUESTION.encode() in body
    assert b"EUR 21.50" in body, "what was read"
    assert [name for name, value in (await _secrets(ben)).items() if value.encode() in body] == []
    assert b"Traceback" not in body


async def test_a_collector_that_hangs_delays_nothing(
    stack: Stack, crew: Crew, outfitted: Crew, ada: Actor, ask: Ask
) -> None:
    """Neither an answer nor, for long, the end of a worker. # 002-59"""
    with silent() as url:
        lone = crew_with(stack, "untraced", {"OTEL_EXPORTER_OTLP_ENDPOINT": url})
        try:
            async with alone(lone, crew, outfitted):
                for _ in range(3):
                    turn = await ask(ada, QUESTION)
                    async with reading(ada, turn.assistant.run_id) as reader:
                        assert (await reader.end(seconds=20)).status == "completed"
                worker: Any = lone.alive[0]
                began = time.monotonic()
                worker.terminate()
                await until(lambda: not worker.alive, seconds=20)
                assert time.monotonic() - began < 15
        finally:
            lone.stop()


async def test_one_trace_shows_the_planner_the_model_and_each_tool_at_the_caller(
    workers: Crew, stack: Stack, ada: Actor, collector: Collector
) -> None:
    """Over all runs of an answer. # 004-15, 004-16, 004-26"""
    steps = [{"calls": [{"name": "readDocument", "arguments": {}}]}] * 2 + [{"text": "Done."}]
    tools = client_tools.declared([ClientTool(name="readDocument"), ClientTool(name="another")])
    chat_id = await chats.new(ada)
    with stack.model("sandbox:sandbox-script"):
        turn = await conversations.ask(
            ada, chat_id, f"```json\n{json.dumps(steps)}\n```", terms=conversations.Terms(tools=tools)
        )
    first = run_id = turn.assistant.run_id
    assert run_id is not None
    for _ in range(2):
        async with reading(ada, run_id) as reader:
            stopped = await reader.end()
        (call,) = runs.open_calls(stopped.parts)
        claim = await runs.claim(ada, stopped.id, call["toolCallId"], "tab")
        await runs.deliver(ada, claim.token, runs.Delivery(claim.call_id, {"output": "private words"}))
        run_id = await runs.run_of(ada, stopped.id)
    async with reading(ada, run_id) as reader:
        whole = await reader.end()
    assert first is not None
    assert (whole.status, whole.details["traceId"]) == ("completed", first.hex)

    def complete() -> bool:
        return len([span for span in collector.of(first.hex) if span.name == "run"]) == 3

    await until(complete, what="the spans of all runs have come")
    spans = collector.of(first.hex)
    names = [span.name for span in spans]
    assert (names.count("planner"), names.count("decision")) == (1, 2)
    assert [one.attributes["leaf.plan.tools"] for one in spans if one.name == "planner"] == [["readDocument"]]
    called = [one for one in spans if one.attributes.get("gen_ai.operation.name") == "execute_tool"]
    assert [one.attributes["gen_ai.tool.name"] for one in called] == ["readDocument"] * 2
    assert len([name for name in names if name.startswith("chat ")]) >= 6
    ids = {span.id for span in spans}
    assert [span.name for span in spans if span.parent not in ids] == ["run"], "one trace, without loose ends"
    assert b"private words" not in b"".join(collector.bodies)
