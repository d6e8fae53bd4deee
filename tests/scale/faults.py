"""The faults of services that are there twice."""

import asyncio
import random

from tests.chaos.conversation import Conversation
from tests.chaos.faults import FAULTS, Fault, moment, struck
from tests.chaos.system import System
from tests.scale.system import ScaledStack


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


SCALED: tuple[Fault, ...] = (
    Fault("PostgreSQL primary killed, standby promoted", _fail_over),
    # What Redis has confirmed and not yet sent to its replica is lost with it.
    Fault("Redis primary killed, Sentinel fails over", _kill_redis, anew=True, repeats=True),
    Fault("PgBouncer restarted", _restart_pooler),
    Fault("SIGTERM of a web process", _term_web),
    *(fault for fault in FAULTS if fault.name == "kill -9 of a worker"),
)
