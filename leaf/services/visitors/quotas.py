"""How much visitors may: each one, each address, and all of an agent's together. They are strangers: without Redis
nobody knows, and they are refused (decision 13 of the requirements).
"""

import math
from typing import Final

from leaf import errors
from leaf.redis import rates
from leaf.services.visitors.calling import Visiting

DAY_SECONDS: Final = 24 * 3600.0
CHATS_A_MINUTE: Final = 20
"""Chats that are begun from one address."""
FILES_A_MINUTE: Final = 20
"""Files that are sent from one address."""
ADDRESS_FACTOR: Final = 10
"""Many visitors may share an address: so many times what one of them may."""


async def begins(who: Visiting, address: str) -> None:
    """Counts a chat that is begun.

    Raises:
        errors.Forbidden: The agent is paused.
        errors.RateLimited: There are too many from this address.
        errors.RedisUnavailable: Nobody can count.
    """
    refusal = "Too many chats were begun. Try again in a minute."
    await _take(who, f"widget-chats:{who.agent.id}:{address}", CHATS_A_MINUTE, refusal)


async def sends_file(who: Visiting, address: str) -> None:
    """Counts a file that is sent.

    Raises:
        errors.Forbidden: The agent is paused.
        errors.RateLimited: There are too many from this address.
        errors.RedisUnavailable: Nobody can count.
    """
    refusal = "Too many files were sent. Try again later."
    await _take(who, f"widget-files:{who.agent.id}:{address}", FILES_A_MINUTE, refusal)


async def _take(who: Visiting, name: str, most: int, refusal: str) -> None:
    """Counts one of what an address may do so many times in a minute."""
    _refuse_paused(who)
    seconds = await rates.take_each({name: most}, seconds=60.0)
    if seconds:
        raise errors.RateLimited(refusal, resets_in_seconds=math.ceil(seconds))


def limits(who: Visiting, address: str) -> dict[str, int]:
    """The limits of a day that a message counts in."""
    agent, person = who.agent, who.required().user_id
    counted = {f"widget-agent:{agent.id}": agent.agent_daily, f"widget-visitor:{person}": agent.visitor_daily}
    if address:
        counted[f"widget-address:{agent.id}:{address}"] = agent.visitor_daily * ADDRESS_FACTOR
    return counted


async def asks(who: Visiting, address: str) -> None:
    """Counts a message, in all of its limits or in none.

    Raises:
        errors.Forbidden: The agent is paused.
        errors.LimitReached: The visitor, the address or all visitors together have sent as many as they may within a
            day: `quota_reached`.
        errors.RedisUnavailable: Nobody can count.
    """
    _refuse_paused(who)
    seconds = await rates.take_each(limits(who, address), seconds=DAY_SECONDS)
    if seconds:
        error = errors.LimitReached(
            "No more messages can be sent here for now. Try again later.", resets_in_seconds=math.ceil(seconds)
        )
        error.code = "quota_reached"
        raise error


async def came_to_nothing(who: Visiting, address: str) -> None:
    """Gives a message back that was refused for another reason."""
    await rates.give_back(limits(who, address))


def _refuse_paused(who: Visiting) -> None:
    if who.agent.paused:
        raise errors.Forbidden("This assistant is paused at the moment.", code="agent_paused")
