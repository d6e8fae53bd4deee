"""`arq tests.chaos.worker.WorkerSettings`: Leaf's worker, whose agent has the tools of the fault bench."""

from typing import Any

from leaf.agent import agents
from tests.chaos import tools


def toolsets() -> list[Any]:
    """The tools of the bench."""
    return [tools.toolset()]


def __getattr__(name: str) -> Any:
    if name == "WorkerSettings":
        from jobs import worker

        agents.toolsets = toolsets
        return worker.WorkerSettings
    raise AttributeError(name)
