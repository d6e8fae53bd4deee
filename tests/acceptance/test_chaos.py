"""The fault bench in short: real processes, faults at random moments, and no violation."""

import os

import pytest

from tests.chaos.bench import Bench

FAULTS = "kill -9 of a worker|Redis killed|PostgreSQL away|cut in mid-stream|stop while streaming"


@pytest.mark.timeout(900)
async def test_answers_come_out_whole_whatever_breaks() -> None:
    """000-24, 000-30, 000-31, 000-43, 004-12: `make chaos` runs many more of these."""
    bench = Bench(trials=10, seed=20_261_122, only=FAULTS, together=2)
    await bench.run()
    assert bench.violations == []
    assert sum(trials.count for trials in bench.results.values()) == 10


@pytest.mark.timeout(900)
async def test_so_they_do_with_another_queue_of_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """`leaf.queue` is all that Leaf knows of its queue: streaq takes the place of arq."""
    monkeypatch.setenv("PATH", os.environ["PATH"])
    bench = Bench(trials=4, seed=7, only="kill -9 of a worker|Redis killed", together=2, queue="streaq")
    await bench.run()
    assert bench.violations == []
