"""The faults of services that are there twice."""

import asyncio
import random

from tests.chaos.conversation import Conversation
from tests.chaos.faults import FAULTS, Fault, moment, struck, victim
from tests.chaos.system import System
from tests.scale import partition
from tests.scale.partition import Partition
from tests.scale.system import ScaledStack, ScaledSystem

CUT_SECONDS = 20.0


def _stack(system: System) -> ScaledStack:
    assert isinstance(system.stack, ScaledStack)
    return system.stack


async def _fail_over(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    await moment(conversations, drawn)
    struck(conversations)
    await asyncio.to_thread(_stack(system).fail_over, drawn.uniform(0.5, 3))


async def _kill_redis(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    await moment(conversations, drawn)
    struck(conversations)
    await asyncio.to_thread(_stack(system).redis.kill_primary)


async def _restart_pooler(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    await moment(conversations, drawn)
    struck(conversations)
    await asyncio.to_thread(_stack(system).restart_pooler)


async def _term_web(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    await moment(conversations, drawn)
    struck(conversations)
    web = drawn.choice(system.webs)
    await asyncio.to_thread(web.terminate)
    web.start()


def _partition(system: System) -> Partition:
    assert isinstance(system, ScaledSystem)
    assert system.partition is not None
    return system.partition


async def _cut_web(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    await moment(conversations, drawn)
    web = drawn.choice(system.webs)
    with _partition(system).without(port=web.port, group=web.group):
        struck(conversations)
        await asyncio.sleep(CUT_SECONDS)


async def _cut_worker(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    worker = await victim(system, conversations, drawn)
    with _partition(system).without(group=worker.group):
        await asyncio.sleep(CUT_SECONDS)


async def _cut_redis(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    await moment(conversations, drawn)
    port = await asyncio.to_thread(_stack(system).redis.primary)
    with _partition(system).without(port=port):
        struck(conversations)
        await asyncio.sleep(CUT_SECONDS)


async def _cut_postgres(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    """Nobody promotes the standby: everything waits, and goes on."""
    await moment(conversations, drawn)
    with _partition(system).without(port=_stack(system).postgres.port):
        struck(conversations)
        await asyncio.sleep(CUT_SECONDS)


async def _cut_postgres_and_promote(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    """The one that was cut off is ended before it is back, as whoever promotes has to do."""
    await moment(conversations, drawn)
    stack = _stack(system)
    with _partition(system).without(port=stack.postgres.port):
        struck(conversations)
        await asyncio.sleep(drawn.uniform(0.5, 3))
        await asyncio.to_thread(stack.promote)
        await asyncio.sleep(CUT_SECONDS)
        await asyncio.to_thread(stack.postgres.end_standby)


async def _go_back(system: System) -> None:
    assert isinstance(system, ScaledSystem)
    await system.go_back()


async def _upgrade(system: System, conversations: list[Conversation], drawn: random.Random) -> None:
    assert isinstance(system, ScaledSystem)
    await moment(conversations, drawn)
    struck(conversations)
    await system.upgrade()


def _long_or_with_tools(drawn: random.Random) -> dict[str, str]:
    """Answers that outlast the replacement of all processes, or some that are handed over between two tools."""
    return {} if drawn.random() < 0.4 else {"words": "700", "gap": "50"}


CUTS: tuple[Fault, ...] = (
    Fault("a web process cut off for 20 s", _cut_web),
    Fault("a worker cut off for 20 s", _cut_worker, repeats=True),
    Fault("Redis primary cut off for 20 s", _cut_redis, anew=True, repeats=True),
    Fault("PostgreSQL primary cut off for 20 s", _cut_postgres),
    Fault("PostgreSQL primary cut off, standby promoted", _cut_postgres_and_promote),
)

SCALED: tuple[Fault, ...] = (
    Fault("PostgreSQL primary killed, standby promoted", _fail_over),
    # What Redis has confirmed and not yet sent to its replica is lost with it.
    Fault("Redis primary killed, Sentinel fails over", _kill_redis, anew=True, repeats=True),
    Fault("PgBouncer restarted", _restart_pooler),
    Fault("SIGTERM of a web process", _term_web),
    Fault("upgrade from the version before", _upgrade, _long_or_with_tools, repeats=True, prepare=_go_back),
    *(fault for fault in FAULTS if fault.name == "kill -9 of a worker"),
    *(CUTS if partition.is_possible() else ()),
)
