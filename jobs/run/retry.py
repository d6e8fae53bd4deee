"""The retry of a provider: if a model's reply breaks off or stalls, the model is asked for the rest.

Refusals before the first chunk of a reply are retried by the client library of the provider (`CLIENT_RETRIES` in
`leaf/agent/models.py`, decision 0004).
"""

import asyncio
import logging
from contextlib import suppress

from pydantic_ai.messages import ModelResponse

from jobs.run.state import Result, Run
from leaf.agent import continuation, translate

log = logging.getLogger(__name__)

FURTHER_REPLIES = 1
"""The maximum number of further requests for each reply after a failure."""
PAUSE_SECONDS = 1.0


class Retry:
    """Counts the failures of a run's current reply."""

    def __init__(self) -> None:
        self._place = -1
        self._failures = 0

    async def prepare(self, run: Run, error: Exception) -> Result | None:
        """Prepares a run for another request to the model, unless the run has to end.

        Returns:
            None if the model is asked again; otherwise the end of the agent's work.
        """
        progress = run.journal.progress
        place = len(continuation.without_cut_reply(progress.messages))
        self._failures = self._failures + 1 if self._place == place else 1
        self._place = place
        error = translate.cause(error, begun=run.writer.index > max(progress.index, run.attempt_index))
        if not translate.may_continue(error) or self._failures > FURTHER_REPLIES or run.stop.requested.is_set():
            return Result(error=error)
        log.info("run %s: %s; asking for the rest", run.task.run_id, translate.explain(error).code)
        with suppress(TimeoutError):
            async with asyncio.timeout(PAUSE_SECONDS):
                await run.stop.requested.wait()
        if run.stop.requested.is_set():
            return Result(stopped=True)
        # The provider charges for the replies that are dropped here.
        cut = [one for one in run.turn[len(progress.messages) :] if isinstance(one, ModelResponse)]
        await run.journal.drop(cut)
        await run.go_on(cut[-1] if cut else None)
        return None
