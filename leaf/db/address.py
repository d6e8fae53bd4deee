"""The address of the database. It may name several servers, as in libpq."""

from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import make_url
from sqlalchemy.dialects.postgresql import psycopg

from leaf.config import addresses

DRIVER = "postgresql+psycopg://"
"""The address by which SQLAlchemy finds the driver. `arguments` returns the rest."""


@lru_cache(4)
def arguments(database_url: str) -> MappingProxyType[str, Any]:
    """The arguments for a connection with psycopg.

    Several servers (`host:port,host:port`) are tried in order. With `target_session_attrs=read-write`, read-only
    servers such as a standby are skipped.
    """
    hosts, parts = addresses.hosts(database_url), urlsplit(database_url)
    if len(hosts) > 1:
        login, sign, _ = parts.netloc.rpartition("@")
        database_url = parts._replace(netloc=login + sign).geturl()
    # SQLAlchemy's conversion of an address supports only one server.
    made = dict(psycopg.dialect().create_connect_args(make_url(database_url))[1])
    if len(hosts) > 1:
        servers = [urlsplit(f"//{host}") for host in hosts]
        made["host"] = ",".join(server.hostname or "" for server in servers)
        made["port"] = ",".join(str(server.port or 5432) for server in servers)
    return MappingProxyType(made)


def servers(database_url: str) -> int:
    """The number of servers in the address, at least 1."""
    return str(arguments(database_url).get("host", "")).count(",") + 1
