"""The fault bench of the index in short: real processes, faults while a Drive is read, and no violation."""

import pytest

from tests.chaos.index.bench import Bench

KILL = 14
"""The seed of a trial whose worker is killed; the next one's is told to end."""


@pytest.mark.timeout(900)
async def test_the_index_equals_the_drive_whatever_breaks() -> None:
    """000-63, 000-64, 000-66: `make chaos ONLY=index` runs many more of these."""
    bench = Bench(trials=2, seed=KILL)
    await bench.run()
    assert bench.violations == []
    assert {name for name, trials in bench.results.items() if trials.count} >= {
        "kill -9 of the worker",
        "SIGTERM of the worker",
    }
