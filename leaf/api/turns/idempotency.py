"""Idempotent requests: if a request is repeated with the same `Idempotency-Key`, it gets the first answer."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import orjson

from leaf import errors, redis
from leaf.api.callers import Caller
from leaf.api.turns.body import Ask, fingerprint

KEY_CHARACTERS = 255
KEPT_SECONDS = 24 * 3600
_STARTING_SECONDS = 60
"""The time after which the key of a process that died while starting an answer is released."""
_WAIT_SECONDS = 10.0
_POLL_SECONDS = 0.05

Started = tuple[UUID, UUID]


async def once(caller: Caller, key: str | None, ask: Ask, begin: Callable[[], Awaitable[Started]]) -> Started:
    """Starts an answer, or finds the one that was started with the same key.

    Args:
        caller: The asker. Keys of different askers are independent.
        key: The header `Idempotency-Key`. If it is None, the answer is always started.
        ask: The request.
        begin: Starts the answer; returns the ids of the chat and the run.

    Raises:
        errors.Invalid: The key is empty, too long or not printable.
        errors.Conflict: The key belongs to another request, or the first request is still starting.
        errors.RedisUnavailable: Earlier requests cannot be looked up.
    """
    if key is None:
        return await begin()
    mark = hashlib.sha256(json.dumps(fingerprint(ask, ask.chat), sort_keys=True).encode()).hexdigest()
    return await once_as(f"{caller.person.user_id}", key, mark, begin)


async def once_as(who: str, key: str, mark: str, begin: Callable[[], Awaitable[Started]]) -> Started:
    """Starts an answer, or finds the one that was started with the same key, for any owner of keys.

    Args:
        who: The owner of the key.
        key: The header `Idempotency-Key`.
        mark: Identifies the request. A different request with the same key is refused.
        begin: Starts the answer; returns the ids of the chat and the run.

    Raises:
        errors.Invalid: The key is empty, too long or not printable.
        errors.Conflict: The key belongs to another request, or the first request is still starting.
        errors.RedisUnavailable: Earlier requests cannot be looked up.
    """
    if not 1 <= len(key) <= KEY_CHARACTERS or not key.isprintable():
        raise errors.Invalid(
            f"An Idempotency-Key has 1-{KEY_CHARACTERS} printable characters.", field="Idempotency-Key"
        )
    name = f"leaf:once:{who}:{hashlib.sha256(key.encode()).hexdigest()}"
    earlier = await _earlier(name, mark)
    if earlier is not None:
        return earlier
    try:
        started = await begin()
    except BaseException:
        with redis.guard():
            await redis.client().delete(name)
        raise
    with redis.guard():
        await redis.client().set(name, _value(mark, started), ex=KEPT_SECONDS)
    return started


async def _earlier(name: str, mark: str) -> Started | None:
    """The answer that was started with a key; None for the first request with the key, which then holds the key.

    Raises:
        errors.Conflict: The key belongs to another request, or the first request is still starting.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _WAIT_SECONDS
    while True:
        with redis.guard():
            if await redis.client().set(name, _value(mark, None), nx=True, ex=_STARTING_SECONDS):
                return None
            kept: Any = await redis.client().get(name)
        if kept is not None:
            found = orjson.loads(kept)
            if found["mark"] != mark:
                raise errors.Conflict("This Idempotency-Key was sent with another request.", code="key_reused")
            if found["run"] is not None:
                return UUID(found["chat"]), UUID(found["run"])
        if loop.time() >= deadline:
            raise errors.Conflict("The first request with this Idempotency-Key is still starting. Send it again later.")
        await asyncio.sleep(_POLL_SECONDS)


def _value(mark: str, started: Started | None) -> bytes:
    chat_id, run_id = started or (None, None)
    return orjson.dumps({"mark": mark, "chat": chat_id, "run": run_id})
