"""The address of the database, which may name several servers, as libpq's addresses do."""

import re
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import make_url
from sqlalchemy.dialects.postgresql import psycopg

DRIVER = "postgresql+psycopg://"
"""The address by which SQLAlchemy finds the driver; `arguments` has the rest."""
_SEVERAL = re.compile(r"([^:/?]+://(?:[^@]*@)?)([^/?@,]*,[^/?@]*)(.*)", re.DOTALL)


@lru_cache(4)
def arguments(database_url: str) -> MappingProxyType[str, Any]:
    """The arguments with which psycopg connects.

    Several servers (`host:port,host:port`) are tried in their order; with `target_session_attrs=read-write` a server
    that only reads, such as a standby, is left out.
    """
    found = _SEVERAL.fullmatch(database_url)
    url = make_url(database_url if found is None else found[1] + found[3])
    # The driver's own way from SQLAlchemy's address to its arguments, which knows one server.
    made = dict(psycopg.dialect().create_connect_args(url)[1])  # pyright: ignore[reportUnknownMemberType]
    if found is not None:
        servers = [urlsplit(f"//{server}") for server in found[2].split(",")]
        made["host"] = ",".join(server.hostname or "" for server in servers)
        made["port"] = ",".join(str(server.port or 5432) for server in servers)
    return MappingProxyType(made)


def servers(database_url: str) -> int:
    """The number of servers that the address names, at least 1."""
    return str(arguments(database_url).get("host", "")).count(",") + 1
