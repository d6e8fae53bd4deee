"""Attempts to connect a Drive that ended without a connection, for the page *Integrations*.

Many failures end on a page of Google's, from which nobody comes back. An attempt is kept in Redis for an hour.
"""

import json
from dataclasses import dataclass
from typing import Final

from leaf import errors, redis
from leaf.db.session import Actor
from leaf.google import diagnosis
from leaf.google.diagnosis import Diagnosis

SECONDS: Final = 3600


@dataclass(frozen=True)
class Attempt:
    """An attempt that has begun; `found` is why it ended, None if nothing has come back."""

    found: Diagnosis | None = None


def _key(actor: Actor) -> str:
    return f"leaf:connecting:{actor.member_id}"


async def begin_attempt(actor: Actor) -> None:
    """Notes that the member goes to Google's consent."""
    await _store(actor, {})


async def explain_attempt(actor: Actor, found: Diagnosis) -> None:
    """Notes the cause for which an attempt has failed."""
    await _store(actor, found.data())


async def _store(actor: Actor, data: dict[str, object]) -> None:
    try:
        with redis.guard():
            await redis.client().set(_key(actor), json.dumps(data), ex=SECONDS)
    except errors.RedisUnavailable:
        return


async def end_attempt(actor: Actor) -> None:
    """Forgets the attempt: the Drive is connected, or the member has read the explanation."""
    try:
        with redis.guard():
            await redis.client().delete(_key(actor))
    except errors.RedisUnavailable:
        return


async def attempt(actor: Actor) -> Attempt | None:
    """The last attempt, unless it made a connection."""
    try:
        with redis.guard():
            stored = await redis.client().get(_key(actor))
    except errors.RedisUnavailable:
        return None
    return None if stored is None else Attempt(diagnosis.of_data(json.loads(stored)))
