"""Writing one answer: the agent works, its events become chunks in the run stream, and one UPDATE keeps the result."""

import asyncio
import logging
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial

from pydantic_ai import CancellationToken, DeferredToolResults
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelResponse

from jobs import keeping, naming, tracing
from jobs import metrics as measuring
from jobs import retention as visitors
from jobs import titles as beside
from jobs.run import checks as checking
from jobs.run import conclude as budgets
from jobs.run import endings as ending
from jobs.run import plan as planning
from jobs.run import prepare as surroundings
from jobs.run import resumption as resuming
from jobs.run import store as patience
from jobs.run import turns
from jobs.run.events import events_of
from jobs.run.journal import Journal, Progress
from jobs.smoothing import Smoother
from leaf import config, errors, parts, streams
from leaf.agent import models, modes, public, translate
from leaf.agent.context import asking, spending
from leaf.agent.translate import Failure
from leaf.parts import Chunk
from leaf.services import runs

log = logging.getLogger(__name__)

CONTINUATIONS = 1
"""How often a model that breaks off in mid-answer is asked to go on from the same checkpoint."""
PAUSE_SECONDS = 1.0
"""Before it is asked."""


class Answer:
    """The answer of a run, written under a lease.

    Args:
        task: What is to be answered, and for whom.
        lease: The right to write it.
        timing: What is measured of it.
    """

    def __init__(self, task: runs.Assignment, lease: streams.Lease, timing: measuring.Timing) -> None:
        self._task = task
        self._lease = lease
        self._timing = timing
        earlier = [turns.history([turn]) for turn in task.history]
        self._history = [message for turn in earlier for message in turn]
        self._window = turns.window(task, [len(turn) for turn in earlier])
        self._resumption = resuming.resumption(task.waited)
        self._fold = parts.Fold()
        self._stop = CancellationToken()
        self._stopped = asyncio.Event()
        self._late = False
        """Whether the time for one answer is up."""

    async def write(self) -> str:
        """Writes the answer to its end, and the title of a new chat; returns the status that was stored."""
        titling = asyncio.create_task(beside.entitle(self._task))
        try:
            async with visitors.attended(self._task):
                status = await self._write()
            # The answer is stored, and whoever reads it has it; the title has a time of its own.
            await titling
        finally:
            titling.cancel()
            await asyncio.gather(titling, return_exceptions=True)
        return status

    async def _write(self) -> str:
        self._writer = await streams.Writer.open(self._task.run_id, self._lease.token)
        self._journal = Journal(self._writer, len(self._history), self._stop.cancel)
        await self._resume()
        watching = [asyncio.create_task(self._watch_for_stop()), asyncio.create_task(self._watch_the_clock())]
        try:
            outcome = await self._answer()
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
        return await self._store(outcome)

    async def _resume(self) -> None:
        """Goes back to the checkpoint of an earlier worker, or to the beginning where there is none."""
        if self._writer.index:
            await self._journal.load(self._task.run_id)
            self._window.summaries += spending.kept(self._journal.result)
            await self._rewind()
        if self._resumption is not None and self._journal.progress.index == 0:
            for chunk in self._resumption.chunks:
                self._fold.apply(chunk)
            await self._writer.append(self._resumption.chunks)
            self._journal.progress = Progress(self._writer.index, self._fold.copy(), self._resumption.messages)

    async def _rewind(self) -> None:
        await self._writer.append([parts.rewind(self._journal.progress.index)])
        self._fold = self._journal.progress.fold.copy()

    async def _watch_for_stop(self) -> None:
        await streams.wait_for_stop(self._task.run_id)
        self._stopped.set()
        self._stop.cancel()

    async def _watch_the_clock(self) -> None:
        await asyncio.sleep(resuming.ends_at(self._task, self._journal.began) - time.time())
        self._late = True
        self._stopped.set()
        self._stop.cancel()

    async def _answer(self) -> runs.Outcome:
        place, failures = -1, 0
        failure = self._resumption.failure if self._resumption is not None else None
        if failure is not None or turns.is_whole(self._journal.progress.messages):
            self._messages = [*self._history, *self._journal.progress.messages]
            stream = translate.RunStream(sdk_version=translate.SDK_VERSION)
            stream.error = failure
            return await self._conclude(stream)
        self._withheld = await planning.withheld(self._task, self._stopped)
        while True:
            stream = await self._run_agent()
            if stream.error is None:
                break
            failures = failures + 1 if place == len(self._journal.progress.messages) else 1
            place = len(self._journal.progress.messages)
            stream.error = translate.in_its_place(stream.error, begun=self._writer.index > self._journal.progress.index)
            explained = translate.explain(stream.error)
            if not translate.may_continue(stream.error) or failures > CONTINUATIONS or self._stopped.is_set():
                break
            log.info("run %s: %s, going on from the checkpoint", self._task.run_id, explained.code)
            with suppress(TimeoutError):
                async with asyncio.timeout(PAUSE_SECONDS):
                    await self._stopped.wait()
            if self._stopped.is_set():
                stream.error, stream.stopped = None, True
                break
            kept = len(self._history) + len(self._journal.progress.messages)
            await self._journal.give_up([one for one in self._messages[kept:] if isinstance(one, ModelResponse)])
            await self._rewind()
        return await self._conclude(stream)

    async def _run_agent(self) -> translate.RunStream:
        """One run of the agent from the last checkpoint on; its chunks are in the stream when this returns."""
        stream = translate.RunStream(sdk_version=translate.SDK_VERSION, server_message_id=str(self._task.message_id))
        stream.metadata = self._task.details
        try:
            model = models.chain(self._task.model)
        except errors.LeafError as error:
            # Its provider is not configured any more; the reader is told so, and can choose another one.
            stream.error = error
            self._messages = [*self._history, *(self._journal.progress.messages or turns.asked(self._task.question))]
            return stream
        turn = self._journal.progress.messages
        deps = surroundings.deps(self._task, self._journal, self._history, self._window, self._withheld)
        prompt = None if turn else await naming.prompt(self._task, deps.drive, deps.resource_keys, self._stopped)
        stream.resume(started=self._journal.progress.index > 0, step_open=self._fold.step_open)
        merger, smoother = streams.Merger(self._writer), Smoother()
        self._journal.attach(merger, self._fold)
        self._messages: Sequence[ModelMessage] = [*self._history, *turn]
        source = events_of(
            public.agent_for(self._task.visit),
            self._keep_messages,
            config.current().model_silence_seconds,
            # Whether a tool works, which has a limit of its own.
            lambda: any(parts.is_tool(part) and parts.is_running_call(part) for part in self._fold.parts),
            model=model,
            model_settings=public.settings(self._task.visit, asking.settings(self._task.chat_id)),
            user_prompt=prompt,
            message_history=self._messages,
            deferred_tool_results=self._answers(turn),
            deps=deps,
            usage_limits=turns.limits(self._task.mode, self._task.allowance, self._task.model),
            usage=resuming.counted(self._task, turn, self._journal.given_up, self._window.summaries),
            cancellation_token=self._stop,
        )
        try:
            async for chunk in stream.transform_stream(source):
                if (encoded := stream.encoded(chunk)) is not None and not ending.is_made_up(encoded):
                    await self._put(smoother.put(encoded), merger)
                if merger.stop_requested.is_set():
                    self._stop.cancel()
            await self._put(smoother.rest(), merger)
        finally:
            await merger.aclose()
        if isinstance(stream.error, streams.Replaced | errors.RedisUnavailable):
            # The stream cannot be written: this is no outcome of the run, and not the reader's business.
            raise stream.error
        if stream.error is None and stream.result is not None and stream.broke_off:
            stream.error = translate.Interrupted()
        return stream

    async def _put(self, chunks: Iterable[Chunk], merger: streams.Merger) -> None:
        for chunk in chunks:
            self._fold.apply(chunk)
            await merger.put(chunk)
            self._timing.wrote(chunk)

    def _answers(self, turn: Sequence[ModelMessage]) -> DeferredToolResults | None:
        """What the reader has answered, as long as the turn has not taken it over."""
        waited = self._resumption
        return waited.results if waited is not None and len(turn) == len(waited.messages) else None

    def _keep_messages(self, messages: Sequence[ModelMessage]) -> None:
        self._messages = messages

    async def _conclude(self, stream: translate.RunStream) -> runs.Outcome:
        """Writes all chunks but the last, and says what is to be stored."""
        messages = list(self._messages[len(self._history) :])
        waits_for = stream.waits_for if stream.error is None and not stream.stopped else None
        if waits_for is None:
            messages = turns.closed(messages)
        usage = resuming.usage(self._task, messages, self._journal.given_up)
        await self._check()
        if waits_for is not None:
            closing = ending.waiting(self._fold, waits_for, usage)
        elif stream.stopped and self._late:
            closing = self._out_of_time(usage)
        elif stream.stopped:
            closing = ending.stopped(self._fold)
        elif isinstance(stream.error, UsageLimitExceeded):
            closing = await self._limited(messages, usage)
        elif stream.error is not None:
            closing = ending.failed(self._fold, self._explain(stream.error))
        else:
            await self._relate(messages)
            closing = ending.completed(self._fold, translate.finish_reason(messages[-1]), usage, self._task)
        await self._writer.append(closing.chunks[:-1])
        self._last: list[Chunk] = closing.chunks[-1:]
        for chunk in closing.chunks:
            self._fold.apply(chunk)
        times = ending.Times(self._journal.began, self._timing.first_text_ms)
        return ending.outcome(closing, self._fold.message, turns.to_python(messages), usage, times)

    def _out_of_time(self, usage: turns.Usage) -> ending.Ending:
        if resuming.is_over(self._task):
            return ending.failed(self._fold, self._explain(runs.explanation(runs.RUN_TIMEOUT, "")))
        return ending.limited(self._fold, "time", usage, steps=modes.steps(self._task.mode))

    async def _check(self) -> None:
        """Says what the answer rests on: what was looked at for it, and which of its quotes were found there."""
        chunks = await checking.checked(self._task, self._fold.parts, self._history)
        for chunk in chunks:
            self._fold.apply(chunk)
        if chunks:
            await self._writer.append(chunks)

    async def _relate(self, messages: Sequence[ModelMessage]) -> None:
        """Lets questions follow the answer, which is complete: a worker that takes over does not write it anew."""
        answer = parts.text_of(self._fold.message)
        if not config.current().related_questions or not answer or self._task.visit is not None:
            return
        await self._journal.checkpoint([*self._history, *messages])
        async for chunk in beside.related(self._task, answer, self._stopped):
            self._fold.apply(chunk)
            await self._writer.append([chunk])

    async def _limited(self, messages: Sequence[ModelMessage], usage: turns.Usage) -> ending.Ending:
        allowance = self._task.allowance
        spent = resuming.counted(self._task, messages, self._journal.given_up, self._window.summaries)
        limit = turns.limit_reached(messages, spent, self._task.mode, allowance)
        if limit in {"token budget", "usd budget"}:
            return await budgets.ended(self._fold, limit, usage, self._task)
        return ending.limited(self._fold, limit, usage, steps=modes.steps(self._task.mode))

    def _explain(self, error: Exception) -> Failure:
        failure = translate.explain(error)
        if failure.code == "internal_error":
            log.error("run %s failed", self._task.run_id, exc_info=error)
        else:
            log.warning("run %s failed: %s (%s)", self._task.run_id, failure.code, type(error).__name__)
        return failure

    async def _store(self, outcome: runs.Outcome) -> str:
        """First the database, by the one UPDATE, and then the last chunk: whoever sees `finish` finds all there."""
        keeper = keeping.of(self._task)
        kept = await patience.with_database(partial(keeper.finish, self._task, outcome), self._lease)
        tracing.ended(self._task, outcome, self._journal.began)
        await self._writer.finish(self._last)
        if kept:
            measuring.ended(self._task.model, outcome)
        else:
            await streams.delete(self._task.run_id)
        await keeper.announce(self._task)
        return outcome.status.value if kept else "gone"
