"""Addresses of a Redis behind Sentinels: `redis+sentinel://user:password@host:port,host:port/name/database`.

The password is for Redis. The Sentinels are asked without a password. With `rediss+sentinel`, both connections
use TLS.
"""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from leaf.config import addresses

SCHEMES = ("redis+sentinel", "rediss+sentinel")
_PORT = 26379
_NAME = "mymaster"


@dataclass(frozen=True)
class Sentinels:
    """The addresses of Sentinels, and the name, database and login of the Redis that they watch."""

    servers: tuple[tuple[str, int], ...]
    name: str
    database: int
    tls: bool
    username: str | None = None
    password: str | None = field(default=None, repr=False)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of a connection to the Redis, without the address."""
        return {"db": self.database, "username": self.username, "password": self.password}


def parsed(url: str) -> Sentinels | None:
    """The Sentinels of an address; None for a direct address of a Redis.

    Raises:
        ValueError: The database is not a number, or a server has no host or no valid port.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        return None
    login, _, _ = parts.netloc.rpartition("@")
    username, _, password = login.partition(":")
    servers = [urlsplit(f"//{server}") for server in addresses.hosts(url)]
    if not all(server.hostname and server.port != 0 for server in servers):
        raise ValueError(url)
    name, _, database = parts.path.strip("/").partition("/")
    return Sentinels(
        servers=tuple((str(server.hostname), server.port or _PORT) for server in servers),
        name=unquote(name) or _NAME,
        database=int(database or 0),
        tls=parts.scheme.startswith("rediss"),
        username=unquote(username) or None,
        password=unquote(password) or None,
    )
