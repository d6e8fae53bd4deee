"""The counters of workers for the answers that they write."""

import asyncio
from typing import Any

from leaf.db import Actor
from leaf.telemetry import metrics
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION, reading
from tests.acceptance.stack import until
from tests.acceptance.workers import Crew

MODEL = "openai-chat:sandbox"


async def _counted() -> dict[tuple[str, str], float]:
    """The sums of all workers by name and by their labels' values."""
    return {
        (name, " ".join(value for _, value in labels)): at for (name, labels), at in (await metrics.totals()).items()
    }


async def test_an_answer_is_counted_once_and_a_failed_one_by_its_code(crew: Crew, ada: Actor, ask: Ask) -> None:
    """Status, times, tokens by kind and model; by the worker that wrote it, and told within seconds."""
    await asyncio.to_thread(crew.stop)  # Which says what workers of earlier tests have counted.
    await crew.of(1)
    before = await _counted()
    turn = await ask(ada, QUESTION, model=MODEL)
    async with reading(ada, turn.assistant.run_id) as reader:
        answered = await reader.end()
    failing = await ask(ada, "What is the weather?", model="openai-chat:sandbox-fail")
    async with reading(ada, failing.assistant.run_id) as reader:
        failed = await reader.end()
    assert (answered.status, failed.status) == ("completed", "error")
    names = {
        ("leaf_runs_total", "completed"): 1,
        ("leaf_runs_total", "error"): 1,
        ("leaf_run_queue_wait_seconds_count", ""): 2,
        ("leaf_run_first_text_seconds_count", ""): 1,
        ("leaf_run_duration_seconds_count", ""): 2,
    }

    async def told() -> dict[tuple[str, str], float] | None:
        now = await _counted()
        grown = {name: now.get(name, 0) - before.get(name, 0) for name in names}
        return now if grown == names else None

    after: dict[tuple[str, str], Any] = await until(told, what="both answers are counted, once each")
    grown = {name: value - before.get(name, 0) for name, value in after.items() if value != before.get(name, 0)}
    codes = {labels: value for (name, labels), value in grown.items() if name == "leaf_run_errors_total"}
    assert list(codes.values()) == [1]
    assert grown["leaf_tokens_total", f"input {MODEL}"] > grown["leaf_tokens_total", f"output {MODEL}"] > 0
    assert 0 < grown["leaf_run_first_text_seconds_sum", ""] < 60
    assert any(one.alive and one.role == "worker" for one in await metrics.processes())
