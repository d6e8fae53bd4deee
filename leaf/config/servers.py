"""Checks programs that Leaf does not bring itself: the version and persistence of Redis, and the version of Node.js."""

import logging
import re
import shutil
import subprocess
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from leaf import errors
from leaf.config import sentinels

if TYPE_CHECKING:
    import redis

log = logging.getLogger(__name__)

OLDEST_REDIS = (6, 2)
OLDEST_NODE = (22, 22)
"""The oldest version with which Reflex compiles pages."""
_TIMEOUT_SECONDS = 5.0
_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})")


def require_redis(url: str) -> None:
    """Raises an error for a Redis that denies access or is too old, and logs a warning if it loses its data when it
    stops.

    A server that cannot be reached, or does not tell its version, is accepted here. The start of the services deals
    with it.

    Args:
        url: An address with `redis://`, `rediss://` or `unix://`, or an address of Sentinels (`leaf.config.sentinels`).

    Raises:
        errors.ConfigurationError: The server is older than `OLDEST_REDIS`, or refuses the name or password.
    """
    import redis

    client = _client(url)
    try:
        info: Mapping[str, Any] = client.info()  # pyright: ignore[reportAssignmentType] - a synchronous client
    except redis.AuthenticationError:
        has_password = client.connection_pool.connection_kwargs.get("password") is not None
        refusal = "refuses the password in it" if has_password else "needs a password, and there is none in it"
        raise errors.ConfigurationError([f"REDIS_URL: this Redis {refusal}"]) from None
    except redis.RedisError as error:
        log.warning("the version of Redis is not known: %s", type(error).__name__)
        return
    finally:
        client.close()
    if refusal := refused_redis(str(info.get("redis_version", ""))):
        raise errors.ConfigurationError([f"REDIS_URL: {refusal}"])
    if warning := forgetful_redis(info):
        log.warning("REDIS_URL: %s", warning)


def _client(url: str) -> "redis.Redis":
    from redis import Redis
    from redis.sentinel import Sentinel

    limits: dict[str, Any] = {"socket_timeout": _TIMEOUT_SECONDS, "socket_connect_timeout": _TIMEOUT_SECONDS}
    watched = sentinels.parsed(url)
    if watched is None:
        return Redis.from_url(url, **limits, decode_responses=True)
    asked = Sentinel(watched.servers, sentinel_kwargs={**limits, "ssl": watched.tls})
    return asked.master_for(watched.name, ssl=watched.tls, **watched.options, **limits, decode_responses=True)


def refused_redis(version: str) -> str:
    """The reason why a version of Redis cannot be used; empty if it can, or if the version is unknown."""
    if not _is_older(version, OLDEST_REDIS):
        return ""
    return f"Redis {version} is too old; Leaf needs Redis 6.2 or later, or Valkey"


def forgetful_redis(info: Mapping[str, Any]) -> str:
    """A warning about a Redis without an append-only file; empty if it has one or does not say."""
    if str(info.get("aof_enabled", "1")) != "0":
        return ""
    return (
        "this Redis keeps no append-only file (appendonly no): when it stops, guests lose their chats, and answers "
        "that wait or are being written begin again"
    )


def require_node() -> None:
    """Raises an error if Node.js cannot compile the pages.

    Raises:
        errors.ConfigurationError: Node.js is not on the PATH, or is older than `OLDEST_NODE`.
    """
    program = shutil.which("node")
    version = ""
    if program is not None:
        answer = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=30)
        version = answer.stdout.strip()
    if refusal := refused_node(version):
        raise errors.ConfigurationError([refusal])


def refused_node(version: str) -> str:
    """The reason why a version of Node.js cannot be used; empty if it can.

    Args:
        version: The output of `node --version`, such as `v22.22.0`; empty if there is no Node.js.
    """
    needed = ".".join(map(str, OLDEST_NODE))
    if not version:
        return f"Node.js is missing; Leaf needs {needed} or later to compile its pages. `make run` brings its own"
    if not _is_older(version, OLDEST_NODE):
        return ""
    return f"Node.js {version} is too old; Leaf needs {needed} or later to compile its pages. `make run` brings its own"


def _is_older(version: str, oldest: tuple[int, int]) -> bool:
    found = _VERSION.match(version)
    return found is not None and (int(found[1]), int(found[2])) < oldest
