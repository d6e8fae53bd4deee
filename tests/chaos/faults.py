"""The faults and their moments. Each strikes once in a round; a round has several conversations at the same time."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from uuid import UUID

from leaf import config, queue, redis, streams
from leaf.queue import arq_queue
from leaf.services.conversations import stop
from leaf.streams.lease import LEASE_SECONDS
from tests.acceptance.stack import until
from tests.acceptance.workers import Worker
from tests.chaos.conversation import Conversation
from tests.chaos.system import System

FREEZE_SECONDS = LEASE_SECONDS + 2
LATEST = 0.9
"""Faults strike at a random place of an answer, before so much of it has come."""


@dataclass(frozen=True)
class Fault:
    """One kind of fault.

    Args:
        name: What the table calls it.
        strike: Breaks something while the round's conversations go on, and notes when in each of them.
        options: What goes into the questions, for faults of the provider and of tools.
        endings: The statuses that a message may have in the end.
        anew: Whether a run may begin anew, with tool calls of new ids.
        repeats: Whether a tool call may be executed again that was cut off in its middle.
        prepare: Brings the processes into a certain state before the round's questions are asked.
    """

    name: str
    strike: Callable[[System, list[Conversation], random.Random], Awaitable[None]]
    options: Callable[[random.Random], dict[str, str]] = field(default=lambda _: {})
    endings: frozenset[str] = frozenset({"completed"})
    anew: bool = False
    repeats: bool = False
    prepare: Callable[[System], Awaitable[None]] | None = None


async def moment(conversations: list[Conversation], drawn: random.Random) -> Conversation:
    """Waits until one of the answers has come to a random place; gives that conversation."""
    chosen, share = drawn.choice(conversations), drawn.uniform(0, LATEST)
    await until(lambda: chosen.progress >= share or chosen.over, what="an answer comes to a random place")
    return chosen


def struck(conversations: list[Conversation]) -> None:
    for conversation in conversations:
        conversation.strike()


async def victim(system: System, conversations: list[Conversation], drawn: random.Random) -> Worker:
    """The worker that writes one of the answers, at a random moment; all that it writes are struck."""
    chosen = await moment(conversations, drawn)
    while not chosen.over:
        for worker in system.crew.alive:
            written = await _written_by(worker.process.pid, conversations)
            if chosen in written:
                struck(written)
                return worker
        await asyncio.sleep(0.01)
    return drawn.choice(system.crew.alive)


async def _kill_worker(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    worker = await victim(system, conversations, drawn)
    worker.kill()
    system.crew.hire()


async def _term_worker(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    worker = await victim(system, conversations, drawn)
    worker.terminate()
    system.crew.hire()
    await until(lambda: not worker.alive, what="a worker that was told to end has ended")


async def _freeze_worker(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    worker = await victim(system, conversations, drawn)
    with system.crew.frozen(worker):
        await asyncio.sleep(FREEZE_SECONDS)


async def _kill_both(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    await moment(conversations, drawn)
    struck(conversations)
    for worker in system.crew.alive:
        worker.kill()
    await system.crew.of(2)


async def _kill_web(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    await moment(conversations, drawn)
    struck(conversations)
    web = drawn.choice(system.webs)
    web.kill()
    web.start()


async def _redis_restart(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    await moment(conversations, drawn)
    struck(conversations)
    await asyncio.to_thread(system.stack.kill_redis)
    await asyncio.to_thread(system.stack.start_redis)


async def _redis_flush(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    await moment(conversations, drawn)
    struck(conversations)
    await redis.client().flushall()


async def _postgres_restart(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    await moment(conversations, drawn)
    struck(conversations)
    await asyncio.to_thread(system.stack.stop_postgres)
    await asyncio.to_thread(system.stack.start_postgres)


async def _postgres_at_finish(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    """It goes when the last words of one of the answers are read, just before the one UPDATE."""
    chosen = drawn.choice(conversations)
    await until(lambda: chosen.nearly_done or chosen.over, what="an answer nears its end")
    struck(conversations)
    await asyncio.to_thread(system.stack.stop_postgres)
    await asyncio.sleep(drawn.uniform(0, 2))
    await asyncio.to_thread(system.stack.start_postgres)


async def _duplicate_job(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    """The same job is delivered again while it runs."""
    await moment(conversations, drawn)
    struck(conversations)
    for conversation in conversations:
        await queue.enqueue_respond(str(conversation.run_id), 1)
        await _deliver_again(str(conversation.run_id))


async def _deliver_again(run_id: str) -> None:
    """Has the queue hand out a job that it has handed out already."""
    if config.current().queue == arq_queue.__name__:
        await redis.client().zadd("arq:queue", {f"respond:{run_id}:1": time.time() * 1000})
    else:
        await queue.forget_attempts(queue.RESPOND, UUID(run_id), 1)
        await queue.enqueue_respond(run_id, 1)


async def _two_workers(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    """Another worker is told that it is its turn; once even the lease is taken away from the first one."""
    await moment(conversations, drawn)
    struck(conversations)
    for conversation in conversations:
        if drawn.random() < 0.5:
            await redis.client().delete(streams.keys(conversation.run_id).lease)
        await queue.enqueue_respond(str(conversation.run_id), 2)


async def _nothing_more(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    """The provider or a tool is what fails."""
    struck(conversations)


async def _readers_drop(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    """One of the two readers hangs up several times and stays away for up to ten seconds."""
    struck(conversations)
    for conversation in conversations:
        reader = conversation.readers[0]
        reader.away_seconds = drawn.choice([0.5, 3.0, 10.0])
        reader.cut_at = {drawn.randint(1, 60) for _ in range(3)}


def _stop_when(
    condition: Callable[[Conversation], bool],
) -> Callable[[System, list[Conversation], random.Random], Awaitable[None]]:
    async def strike(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
        async def stop_one(conversation: Conversation, delay: float) -> None:
            await until(lambda: condition(conversation) or conversation.over, what=f"{conversation} can be stopped")
            await asyncio.sleep(delay)
            conversation.strike()
            await stop(system.asker, conversation.run_id)

        delays = [drawn.uniform(0, 0.15) for _ in conversations]
        await asyncio.gather(*map(stop_one, conversations, delays))

    return strike


async def _stop_queued(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    """Nobody has begun yet."""
    await asyncio.sleep(drawn.uniform(0, 0.03))
    for conversation in conversations:
        conversation.strike()
        await stop(system.asker, conversation.run_id)


async def _written_by(pid: int, conversations: list[Conversation]) -> list[Conversation]:
    """The conversations that a worker writes at the moment."""
    found: list[Conversation] = []
    for conversation in conversations:
        lease = await redis.client().get(streams.keys(conversation.run_id).lease)
        if lease is not None and lease.decode().split(":")[1] == str(pid):
            found.append(conversation)
    return found


def _provider(kind: str) -> Callable[[random.Random], dict[str, str]]:
    return lambda drawn: {"provider": kind, "at": str(drawn.randint(0, 2))}


_STOPS = frozenset({"stopped"})
_STOPPED_OR_DONE = frozenset({"stopped", "completed"})

FAULTS: tuple[Fault, ...] = (
    Fault("kill -9 of a worker", _kill_worker, repeats=True),
    Fault("SIGTERM of a worker", _term_worker, repeats=True),
    Fault("a worker frozen past its lease, then woken", _freeze_worker, repeats=True),
    Fault("both workers killed and started again", _kill_both, repeats=True),
    Fault("kill -9 of a web process", _kill_web),
    Fault("Redis killed and restarted", _redis_restart, anew=True, repeats=True),
    Fault("Redis flushed", _redis_flush, anew=True, repeats=True),
    Fault("PostgreSQL restarted", _postgres_restart),
    Fault("PostgreSQL away at the finishing write", _postgres_at_finish),
    Fault("the same job delivered twice", _duplicate_job),
    Fault("two workers on one run", _two_workers, repeats=True),
    Fault("provider: 429", _nothing_more, _provider("429")),
    Fault("provider: 503", _nothing_more, _provider("503")),
    Fault("provider: reset before the first token", _nothing_more, _provider("reset")),
    Fault("provider: cut in mid-stream", _nothing_more, _provider("cut")),
    Fault("provider: hung", _nothing_more, _provider("hang")),
    Fault("provider: stalled in mid-stream", _nothing_more, _provider("stall")),
    Fault("provider: malformed", _nothing_more, _provider("malformed")),
    Fault("a tool that hangs", _nothing_more, lambda _: {"tool": "hang"}),
    Fault("readers drop out for up to 10 s", _readers_drop),
    Fault("stop while queued", _stop_queued, endings=_STOPS),
    Fault("stop while the model thinks", _stop_when(lambda one: one.thinking), endings=_STOPPED_OR_DONE),
    Fault("stop in a tool", _stop_when(lambda one: one.in_tool), endings=_STOPPED_OR_DONE),
    Fault("stop while streaming", _stop_when(lambda one: one.streaming), endings=_STOPPED_OR_DONE),
    Fault("stop at the same instant as the end", _stop_when(lambda one: one.nearly_done), endings=_STOPPED_OR_DONE),
)
