"""Connections to Redis: their timeouts, and their address, which Sentinel may have to provide."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

from redis import exceptions
from redis.asyncio import Connection, SSLConnection
from redis.asyncio.connection import AbstractConnection, UnixDomainSocketConnection, parse_url
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import ExponentialBackoff

from leaf.config import sentinels

CONNECT_TIMEOUT_SECONDS = 2.0
_HEALTH_CHECK_SECONDS = 15


class _Cancellable(AbstractConnection):
    """A connection whose commands can be cancelled.

    redis-py sends with `asyncio.wait_for`. On Python 3.11, `wait_for` loses a cancellation that arrives just when
    sending ends (https://github.com/python/cpython/issues/86296). Code that waits for the cancelled task would then
    wait forever.
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


class _Watched(_Cancellable):
    """A connection to the Redis that accepts writes. Sentinel is asked for its address for each new connection."""

    host: str
    port: int

    def __init__(self, *, watched_by: sentinels.Sentinels, **options: Any) -> None:
        super().__init__(**options)
        self._sentinels = watched_by

    async def _connect(self) -> None:
        self.host, self.port = await _primary(self._sentinels)
        await super()._connect()

    async def read_response(self, *arguments: Any, **options: Any) -> Any:
        try:
            return await super().read_response(*arguments, **options)
        except exceptions.ResponseError as error:
            # Within a script, Redis 6 wraps the refusal in a generic error, so only its text identifies it.
            if "READONLY" not in str(error):
                raise
            # Another Redis accepts writes now; the next attempt looks it up.
            await self.disconnect()
            raise exceptions.ConnectionError("this Redis has become a replica") from error


class _WatchedTcp(_Watched, Connection):
    pass


class _WatchedTls(_Watched, SSLConnection):
    pass


_CLASSES: dict[str, type[_Cancellable]] = {
    "redis": _Tcp, "rediss": _Tls, "unix": _Unix, "redis+sentinel": _WatchedTcp, "rediss+sentinel": _WatchedTls,
}  # fmt: skip


async def _primary(watched: sentinels.Sentinels) -> tuple[str, int]:
    """The address of the Redis that accepts writes, according to the first Sentinel that can be reached.

    Raises:
        redis.exceptions.ConnectionError: No Sentinel knows such a Redis that is alive.
    """
    options = {"socket_timeout": CONNECT_TIMEOUT_SECONDS, "socket_connect_timeout": CONNECT_TIMEOUT_SECONDS}
    client = Sentinel(watched.servers, sentinel_kwargs={**options, "ssl": watched.tls, "retry": retry(0)})
    try:
        host, port = await client.discover_master(watched.name)
    finally:
        for sentinel in client.sentinels:
            await sentinel.aclose()
    return str(host), int(port)


def retry(retries: int = 3, cap_seconds: float = 0.5) -> Retry:
    """The policy that repeats a command whose connection failed."""
    return Retry(ExponentialBackoff(cap=cap_seconds, base=0.05), retries)


def options(url: str, timeout_seconds: float | None) -> dict[str, Any]:
    """The arguments for a pool of connections.

    Args:
        url: The URL of a Redis, or of the Sentinels that watch it.
        timeout_seconds: Maximum wait for a response; None for no limit.
    """
    watched = sentinels.parsed(url)
    return {
        **(parse_url(url) if watched is None else {**watched.options, "watched_by": watched}),
        "connection_class": _CLASSES[urlsplit(url).scheme],
        "socket_connect_timeout": CONNECT_TIMEOUT_SECONDS,
        "socket_timeout": timeout_seconds,
        "health_check_interval": _HEALTH_CHECK_SECONDS,
        # Otherwise each new connection looks up the version of redis-py among the installed packages.
        "driver_info": None,
    }
