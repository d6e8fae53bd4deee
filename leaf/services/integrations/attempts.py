"""Attempts to connect a Drive that ended without a connection, for the page *Integrations*.

Many failures end on one of Google's pages, which does not lead back to Leaf. An attempt is kept in Redis for an hour.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from leaf import errors, redis
from leaf.db.session import Actor
from leaf.google import diagnosis
from leaf.google.diagnosis import Diagnosis

SECONDS: Final = 3600


@dataclass(frozen=True)
class Attempt:
    """An attempt to connect. `found` is the cause of its failure; None if nothing has come back from Google."""

    found: Diagnosis | None = None


def _key(actor: Actor) -> str:
    return f"leaf:connecting:{actor.member_id}"


async def begin_attempt(actor: Actor) -> None:
    """Stores that the member was sent to Google's page of consent."""
    await _store(actor, {})


async def explain_attempt(actor: Actor, found: Diagnosis) -> None:
    """Stores the cause of a failed attempt."""
    await _store(actor, found.data())


async def _store(actor: Actor, data: dict[str, object]) -> None:
    with suppress(errors.RedisUnavailable), redis.guard():
        await redis.client().set(_key(actor), json.dumps(data), ex=SECONDS)


async def end_attempt(actor: Actor) -> None:
    """Deletes the attempt, because the Drive is connected or the member has read the explanation."""
    with suppress(errors.RedisUnavailable), redis.guard():
        await redis.client().delete(_key(actor))


async def attempt(actor: Actor) -> Attempt | None:
    """The last attempt that has not ended in a connection; None if there is none."""
    try:
        with redis.guard():
            stored = await redis.client().get(_key(actor))
    except errors.RedisUnavailable:
        return None
    return None if stored is None else Attempt(diagnosis.of_data(json.loads(stored)))
