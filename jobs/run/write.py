"""The second stage: the agent runs, and its events become chunks in the run's stream."""

import re
from collections.abc import Iterable, Iterator, Sequence

from pydantic_ai import DeferredToolResults
from pydantic_ai.messages import INTERRUPTED_TOOL_RETURN_CONTENT, ModelMessage

from jobs.run import plan, prepare, turns, usage
from jobs.run.events import agent_events
from jobs.run.retry import Retry
from jobs.run.state import Result, Run
from leaf import config, errors, parts, streams
from leaf.agent import models, site_agent, translate
from leaf.citations import subquestions
from leaf.config import model_servers
from leaf.parts import Chunk

HELD_CHARACTERS = 40
"""Longer words, such as addresses, are not held back."""
_WITHOUT_BLANKS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
)
"""Scripts without blanks between words, such as Thai and Chinese. Their characters are never held back."""
_WHOLE_WORDS = re.compile(rf"(.*[\s{_WITHOUT_BLANKS}])?([^\s{_WITHOUT_BLANKS}]+)", re.DOTALL)
_TEXTS = {"text-delta", "reasoning-delta"}


async def answer(run: Run) -> Result:
    """Runs the agent until it is done, is stopped, or has failed for good."""
    resumed, checkpoint = run.resumption, run.journal.progress
    failure = resumed.failure if resumed is not None else None
    if failure is not None or turns.is_whole(checkpoint.messages):
        run.messages = [*run.history, *checkpoint.messages]
        return Result(error=failure)
    await model_servers.prepare(run.task.model)
    run.withheld = await plan.withheld(run.task, run.stop.requested)
    retry = Retry()
    while True:
        result = await _attempt(run)
        if result.error is None:
            return result
        ended = await retry.prepare(run, result.error)
        if ended is not None:
            return ended


async def _attempt(run: Run) -> Result:
    """Runs the agent once, from the last checkpoint. Afterwards, all of its chunks are in the stream."""
    task, checkpoint = run.task, run.journal.progress
    try:
        model = models.chain(task.model)
    except errors.LeafError as error:
        # The provider is no longer configured. The answer fails, and its reader may choose another model.
        run.messages = [*run.history, *(checkpoint.messages or turns.question_messages(task.question))]
        return Result(error=error)
    turn = checkpoint.messages
    deps = prepare.dependencies(run)
    prompt = None if turn else await prepare.question(run, deps)
    stream = translate.RunStream(sdk_version=translate.SDK_VERSION, server_message_id=str(task.message_id))
    stream.metadata = task.details
    in_step = run.seam.is_open
    stream.resume(started=run.fold.begun, step_open=run.fold.step_open, in_step=in_step)
    merger = streams.Merger(run.writer)
    run.journal.attach(merger, run.fold)
    run.messages = [*run.history, *turn]
    events = agent_events(
        site_agent.agent_for(task.actor.audience),
        run.keep_messages,
        config.current().model_silence_seconds,
        # A running tool has a time limit of its own.
        lambda: any(parts.is_tool(part) and parts.is_running_call(part) for part in run.fold.parts),
        model=model,
        model_settings=site_agent.settings(task.site, models.request_settings(task.chat_id, task.thinking_tokens)),
        user_prompt=prompt,
        message_history=run.messages,
        deferred_tool_results=_answers(run, turn),
        deps=deps,
        usage_limits=usage.limits(task.mode, task.allowance, task.model),
        usage=usage.for_limits(task, turn, run.journal.dropped, run.window.summaries),
        cancellation_token=run.stop.token,
    )
    smoother = Smoother()
    try:
        async for chunk in stream.transform_stream(events):
            if (encoded := stream.encoded(chunk)) is not None and not _is_artificial(encoded):
                for fitted in run.seam.put(encoded):
                    await _put(run, merger, smoother.put(fitted))
                if encoded["type"] == "start" and run.subquestions:
                    await _put(run, merger, [subquestions.listed(run.subquestions)])
            if merger.stop_requested.is_set():
                run.stop.token.cancel()
        await _put(run, merger, smoother.rest())
        if stream.error is None:
            await _put(run, merger, run.seam.close())
    finally:
        await merger.flush()
    return _result(stream)


def _result(stream: translate.RunStream) -> Result:
    error = stream.error
    if isinstance(error, streams.Replaced | errors.RedisUnavailable):
        # The stream cannot be written. This is not an outcome of the run, so it is not shown to readers.
        raise error
    if error is None and stream.result is not None and stream.broke_off:
        error = translate.Interrupted()
    waits_for = stream.waits_for if error is None and not stream.stopped else None
    return Result(error, stream.stopped, waits_for)


async def _put(run: Run, merger: streams.Merger, chunks: Iterable[Chunk]) -> None:
    for chunk in chunks:
        run.fold.apply(chunk)
        await merger.put(chunk)
        run.timing.wrote(chunk)


def _answers(run: Run, turn: Sequence[ModelMessage]) -> DeferredToolResults | None:
    """The reader's answers to open calls, until a checkpoint of this run contains them."""
    resumed = run.resumption
    return resumed.results if resumed is not None and len(turn) == len(resumed.messages) else None


def _is_artificial(chunk: Chunk) -> bool:
    """Whether a chunk is the artificial result that pydantic-ai gives to a tool call that was stopped.

    Readers do not get it, because the tool did not return it. The end of the run closes the open call.
    """
    return chunk["type"] == "tool-output-available" and chunk["output"] == INTERRUPTED_TOOL_RETURN_CONTENT


class Smoother:
    """Cuts text between words. The last word is held back until a blank or any other chunk follows it."""

    def __init__(self) -> None:
        self._held: Chunk | None = None

    def put(self, chunk: Chunk) -> Iterator[Chunk]:
        """The chunks to send after the next chunk has arrived."""
        if chunk["type"] not in _TEXTS:
            yield from self.rest()
            yield chunk
            return
        if self._held is not None and (self._held["type"], self._held["id"]) == (chunk["type"], chunk["id"]):
            chunk = {**chunk, "delta": self._held["delta"] + chunk["delta"]}
            self._held = None
        yield from self.rest()
        text: str = chunk["delta"]
        found = _WHOLE_WORDS.fullmatch(text)
        if found is None or len(found[2]) > HELD_CHARACTERS:
            yield chunk
            return
        if found[1]:
            yield {**chunk, "delta": found[1]}
        self._held = {**chunk, "delta": found[2]}

    def rest(self) -> Iterator[Chunk]:
        """The text that is held back."""
        held, self._held = self._held, None
        if held is not None:
            yield held
