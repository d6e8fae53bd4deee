"""How long a word takes from the model to a reader."""

import time

import pytest

from leaf.db import Actor
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import Reader, reading
from tests.acceptance.stack import Sandbox
from tests.bench.conftest import Report

pytestmark = pytest.mark.usefixtures("worker")

ROUNDS = 20


def _first_text(reader: Reader) -> float:
    """When the reader saw the first piece of text."""
    return next(at for chunk, at in zip(reader.chunks, reader.times, strict=True) if chunk["type"] == "text-delta")


async def test_the_first_word_reaches_a_reader(ada: Actor, ask: Ask, sandbox: Sandbox, report: Report) -> None:
    """000-33: from the model's first piece of text, and from the question, to a follower in the web process."""
    lags: list[float] = []
    waits: list[float] = []
    for _ in range(ROUNDS):
        sandbox.forget()
        asked_at = time.time()
        turn = await ask(ada, "Hello")
        async with reading(ada, turn.assistant.run_id) as reader:
            assert (await reader.end()).status == "completed"
        lags.append(_first_text(reader) - sandbox.asked()[0]["first_delta_at"])
        waits.append(_first_text(reader) - asked_at)
    report("first word, from model to reader", lags)
    report("first word, from question to reader", waits)


async def test_every_word_reaches_a_reader(ada: Actor, ask: Ask, sandbox: Sandbox, report: Report) -> None:
    """000-33: of a model that says a word every 40 ms, each one is a chunk of its own."""
    turn = await ask(ada, "Hello", model="sandbox:sandbox-slow-40")
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.end()
    seen = [at for chunk, at in zip(reader.chunks, reader.times, strict=True) if chunk["type"] == "text-delta"]
    said = sandbox.asked(deltas=True)[0]["delta_times"]
    assert len(seen) > 100
    report("each word, from model to reader", [late - early for late, early in zip(seen, said, strict=False)])
