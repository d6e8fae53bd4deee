"""Redis: one client per event loop, the connections of the queue, Lua scripts, and one error for "Redis is away"."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import orjson
from arq.connections import ArqRedis, RedisSettings
from redis import exceptions
from redis.asyncio import BlockingConnectionPool, Connection, ConnectionPool, Redis, SSLConnection
from redis.asyncio.client import Pipeline
from redis.asyncio.connection import AbstractConnection, UnixDomainSocketConnection, parse_url
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff

from leaf import config, errors

T = TypeVar("T")

CONNECT_TIMEOUT_SECONDS = 2.0
ANSWER_TIMEOUT_SECONDS = 5.0
PATIENCE_SECONDS = 10.0
"""The time that `patiently` waits for a Redis that is away: about a restart."""

_POOL_SIZE = 64
_HEALTH_CHECK_SECONDS = 15
_AWAY = (exceptions.ConnectionError, exceptions.TimeoutError)
_UNUSABLE = (
    *_AWAY,
    exceptions.OutOfMemoryError,
    exceptions.ReadOnlyError,
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
)
# Within a script Redis wraps the refusal in a plain error, so that only the text tells.
_UNUSABLE_TEXTS = ("OOM command not allowed", "READONLY", "MISCONF", "LOADING", "MASTERDOWN", "NOREPLICAS")


@dataclass
class _Connections:
    client: Redis
    queue: ArqRedis


@dataclass
class _Loop:
    """The connections of one event loop, by URL."""

    connections: dict[str, _Connections] = field(default_factory=dict[str, _Connections])


_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _Loop] = WeakKeyDictionary()


def _url() -> str:
    url = config.current().redis_url
    if url is None:
        raise errors.ConfigurationError(["REDIS_URL: is missing"])
    return url


def _retry(retries: int = 3, cap_seconds: float = 0.5) -> Retry:
    return Retry(ExponentialBackoff(cap=cap_seconds, base=0.05), retries)


class _Cancellable(AbstractConnection):
    """A connection whose commands can be cancelled.

    redis-py sends with `asyncio.wait_for`, which on Python 3.11 loses a cancellation that comes just when the sending
    ends (https://github.com/python/cpython/issues/86296): code that waits for the cancelled task would wait for ever.
    """

    async def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        if not self.is_connected:
            await self.connect_check_health(check_health=False)
        if check_health:
            await self.check_health()
        seconds, self.socket_timeout = self.socket_timeout, None
        try:
            async with asyncio.timeout(seconds):
                await super().send_packed_command(command, check_health=False)
        except TimeoutError:
            raise exceptions.TimeoutError("Timeout writing to socket") from None
        finally:
            self.socket_timeout = seconds


class _Tcp(_Cancellable, Connection):
    pass


class _Tls(_Cancellable, SSLConnection):
    pass


class _Unix(_Cancellable, UnixDomainSocketConnection):
    pass


_CONNECTION_CLASSES = {"redis": _Tcp, "rediss": _Tls, "unix": _Unix}


class _Pipeline(Pipeline):
    """A pipeline that always gives its connection back.

    redis-py keeps the connection of a pipeline whose end is cancelled, or gets no answer, while it watches keys.
    """

    async def reset(self) -> None:
        try:
            await super().reset()
        finally:
            connection, self.connection, self.watching = self.connection, None, False
            if connection is not None:
                # Without waiting: this task may have been cancelled.
                await connection.disconnect(nowait=True)
                await self.connection_pool.release(connection)


class _Queue(ArqRedis):
    """The arq queue; arq watches keys, both to enqueue a job and to start one."""

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        return _Pipeline(self.connection_pool, self.response_callbacks, transaction, shard_hint)


def _options(url: str, timeout_seconds: float) -> dict[str, Any]:
    return {
        **parse_url(url),
        "connection_class": _CONNECTION_CLASSES[urlsplit(url).scheme],
        "socket_connect_timeout": CONNECT_TIMEOUT_SECONDS,
        "socket_timeout": timeout_seconds,
        "health_check_interval": _HEALTH_CHECK_SECONDS,
    }


def _connections() -> _Connections:
    loop = _loops.setdefault(asyncio.get_running_loop(), _Loop())
    url = _url()
    if url not in loop.connections:
        options = _options(url, ANSWER_TIMEOUT_SECONDS)
        pool = BlockingConnectionPool(_POOL_SIZE, ANSWER_TIMEOUT_SECONDS, retry=_retry(), **options)
        queue = _Queue(pool, job_serializer=job_serializer, job_deserializer=job_deserializer)
        loop.connections[url] = _Connections(Redis(connection_pool=pool), queue)
    return loop.connections[url]


def client() -> Redis:
    """The Redis client of the running event loop; answers are bytes.

    Raises:
        errors.ConfigurationError: No Redis URL is set.
    """
    return _connections().client


def dedicated(timeout_seconds: float) -> Redis:
    """A client with one connection of its own, for reads that block; the caller closes it.

    Args:
        timeout_seconds: Longest wait for an answer, longer than the block itself.
    """
    return Redis.from_pool(ConnectionPool(retry=_retry(retries=0), **_options(_url(), timeout_seconds)))


async def close() -> None:
    """Closes the connections of the running event loop."""
    loop = _loops.pop(asyncio.get_running_loop(), None)
    for connections in loop.connections.values() if loop else ():
        await connections.client.connection_pool.disconnect()


def is_unusable(error: exceptions.RedisError) -> bool:
    """Whether an error means that Redis is away or refuses work, and not that the command was wrong."""
    return isinstance(error, _UNUSABLE) or (
        isinstance(error, exceptions.ResponseError) and any(text in str(error) for text in _UNUSABLE_TEXTS)
    )


@contextmanager
def guard() -> Generator[None]:
    """Turns "Redis is away, full, loading or read-only" into one error; works around awaits too.

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
    """Repeats an action while Redis is away; the action must be safe to repeat.

    Args:
        action: Makes a new awaitable for each try.
        seconds: After so many seconds it gives up.

    Raises:
        errors.RedisUnavailable: Redis stayed away for longer, or refuses work.
    """
    loop = asyncio.get_running_loop()
    deadline, pause = loop.time() + seconds, 0.05
    while True:
        try:
            with guard():
                return await action()
        except errors.RedisUnavailable as error:
            if not isinstance(error.__cause__, _AWAY) or loop.time() + pause > deadline:
                raise
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.5)


class Script:
    """A Lua script, sent in full only to a Redis that does not know it, as after a restart."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

    async def __call__(self, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> Any:
        call: Any = client()
        try:
            return await call.evalsha(self._sha, len(keys), *keys, *arguments)
        except exceptions.NoScriptError:
            return await call.eval(self._text, len(keys), *keys, *arguments)


def job_serializer(job: dict[str, Any]) -> bytes:
    """Jobs and results of arq as JSON: unlike pickle, it cannot run code when it is read."""
    return orjson.dumps(job, default=str)


def job_deserializer(data: bytes) -> dict[str, Any]:
    """The inverse of `job_serializer`."""
    return orjson.loads(data)


def arq_settings() -> RedisSettings:
    """The settings of arq for the same Redis; its worker waits up to a minute for a Redis that is away.

    Raises:
        errors.ConfigurationError: No Redis URL is set.
    """
    settings = RedisSettings.from_dsn(_url())
    options: dict[str, Any] = dict(parse_url(_url()))
    # arq takes user name and password as they stand in the URL; redis-py decodes %xx.
    settings.username, settings.password = options.get("username"), options.get("password")
    settings.unix_socket_path = options.get("path")
    settings.conn_timeout = int(CONNECT_TIMEOUT_SECONDS)
    settings.retry = _retry(retries=120)
    settings.retry_on_error = [exceptions.ConnectionError, exceptions.TimeoutError]
    return settings


def queue() -> ArqRedis:
    """The arq queue of the running event loop, on the connections of `client`.

    Raises:
        errors.ConfigurationError: No Redis URL is set.
    """
    return _connections().queue
