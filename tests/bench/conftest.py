"""Measurements: numbers for people, never a pass or fail on time; they run with `--bench` alone."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles

import pytest

from tests.acceptance.conftest import ada, ask, crew, running_crew, running_stack, sandbox, stack, worker

__all__ = ["Report", "ada", "ask", "crew", "running_crew", "running_stack", "sandbox", "stack", "worker"]

Report = Callable[[str, Sequence[float]], None]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--bench"):
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="a measurement: run with --bench"))


_measured: list[str] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in _measured:
        terminalreporter.write_line(line)


@pytest.fixture
def report() -> Report:
    """Has the median and the 95th percentile of some times, given in seconds, written at the end of the run."""

    def report(what: str, seconds: Sequence[float]) -> None:
        late = quantiles(seconds, n=20)[-1]
        _measured.append(f"{what}: median {median(seconds) * 1000:.1f} ms, 95%: {late * 1000:.1f} ms")

    return report
