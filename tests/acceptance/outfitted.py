"""Workers with settings of their own, which have a test's runs to themselves."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from types import SimpleNamespace

from tests.acceptance.stack import Stack
from tests.acceptance.workers import Crew


def crew_with(
    stack: Stack, prefix: str, variables: dict[str, str], settings: str = "jobs.worker.WorkerSettings"
) -> Crew:
    """Workers that have these variables besides the stack's, and by default the usual settings of arq."""
    outfit = SimpleNamespace(folder=stack.folder, environment=lambda: {**stack.environment(), **variables})
    return Crew(outfit, settings, prefix=prefix)


@asynccontextmanager
async def alone(crew: Crew, *others: Crew) -> AsyncIterator[Crew]:
    """For the length of the block only this crew works."""
    with ExitStack() as away:
        for other in others:
            await other.of(1)
            away.enter_context(other.away())
        await crew.of(1)
        yield crew
