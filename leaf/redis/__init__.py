"""Redis: one client per event loop, Lua scripts, and a single error for an unavailable Redis."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from redis import exceptions
from redis.asyncio import BlockingConnectionPool, ConnectionPool, Redis

from leaf import config, errors
from leaf.redis import connections

T = TypeVar("T")

ANSWER_TIMEOUT_SECONDS = 5.0
PATIENCE_SECONDS = 10.0
"""How long `patiently` waits for an unavailable Redis, which covers a restart."""

_POOL_SIZE = 64
_UNREACHABLE = (exceptions.ConnectionError, exceptions.TimeoutError)
_UNUSABLE = (
    *_UNREACHABLE,
    exceptions.OutOfMemoryError,
    exceptions.ReadOnlyError,
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
)
# Within a script, Redis wraps the refusal in a generic error, so only its text identifies it.
_UNUSABLE_TEXTS = ("OOM command not allowed", "READONLY", "MISCONF", "LOADING", "MASTERDOWN", "NOREPLICAS")

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Redis]] = WeakKeyDictionary()
"""The clients of each event loop, by URL."""


def _url() -> str:
    url = config.current().redis_url
    if url is None:
        raise errors.ConfigurationError(["REDIS_URL: is missing"])
    return url


def client() -> Redis:
    """The Redis client of the running event loop. Responses are bytes.

    Raises:
        errors.ConfigurationError: No Redis URL is set.
    """
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    url = _url()
    if url not in clients:
        options = connections.options(url, ANSWER_TIMEOUT_SECONDS)
        pool = BlockingConnectionPool(_POOL_SIZE, ANSWER_TIMEOUT_SECONDS, retry=connections.retry(), **options)
        clients[url] = Redis(connection_pool=pool)
    return clients[url]


def dedicated(timeout_seconds: float) -> Redis:
    """A client with a single connection of its own, for blocking reads. The caller closes it.

    Args:
        timeout_seconds: Maximum wait for a response; longer than the time for which the command blocks.
    """
    options = connections.options(_url(), timeout_seconds)
    pool = ConnectionPool(retry=connections.retry(retries=0), **options)
    # The client keeps its connection, because a lookup in the pool would take a third of the CPU time of a command.
    single = Redis(connection_pool=pool, single_connection_client=True)
    single.auto_close_connection_pool = True
    return single


def subscriber(url: str) -> Redis:
    """A client for lasting subscriptions, whose reads have no time limit. The caller closes it.

    Args:
        url: The URL from the settings. It is passed in because the settings need not be installed yet.
    """
    options = connections.options(url, None)
    return Redis.from_pool(ConnectionPool(retry=connections.retry(), **options))


async def close() -> None:
    """Closes the connections of the running event loop."""
    for each in _clients.pop(asyncio.get_running_loop(), {}).values():
        await each.connection_pool.disconnect()


def is_unusable(error: exceptions.RedisError) -> bool:
    """Whether an error means that Redis is unavailable or refuses work, not that the command was wrong."""
    return isinstance(error, _UNUSABLE) or (
        isinstance(error, exceptions.ResponseError) and any(text in str(error) for text in _UNUSABLE_TEXTS)
    )


@contextmanager
def guard() -> Generator[None]:
    """Turns errors of an unavailable, full, loading or read-only Redis into a single error. It may contain awaits.

    Raises:
        errors.RedisUnavailable: Redis cannot be used at the moment.
    """
    try:
        yield
    except exceptions.RedisError as error:
        if not is_unusable(error):
            raise
        raise errors.RedisUnavailable from error


async def patiently(action: Callable[[], Awaitable[T]], *, seconds: float = PATIENCE_SECONDS) -> T:
    """Repeats an action while Redis is unavailable. The action must be safe to repeat.

    Args:
        action: Creates a new awaitable for each attempt.
        seconds: The time after which it gives up.

    Raises:
        errors.RedisUnavailable: Redis was unavailable for longer, or refuses work.
    """
    loop = asyncio.get_running_loop()
    deadline, pause = loop.time() + seconds, 0.05
    while True:
        try:
            with guard():
                return await action()
        except errors.RedisUnavailable as error:
            if not isinstance(error.__cause__, _UNREACHABLE) or loop.time() + pause > deadline:
                raise
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.5)


class Script:
    """A Lua script. Its text is sent only if Redis does not know it, for example after a restart."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

    async def __call__(self, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> Any:
        server: Any = client()
        try:
            return await server.evalsha(self._sha, len(keys), *keys, *arguments)
        except exceptions.NoScriptError:
            return await server.eval(self._text, len(keys), *keys, *arguments)


def patient_pool() -> ConnectionPool:
    """A pool for a worker, which closes it. Commands wait up to a minute for an unavailable Redis.

    Raises:
        errors.ConfigurationError: No Redis URL is set.
    """
    options = connections.options(_url(), ANSWER_TIMEOUT_SECONDS)
    return ConnectionPool(retry=connections.retry(retries=120), retry_on_error=[*_UNREACHABLE], **options)
