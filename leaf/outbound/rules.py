"""Rules for the addresses that may be requested: hosts, ports, IP addresses, and an exception."""

from collections.abc import Callable
from dataclasses import dataclass

from leaf.outbound import addresses
from leaf.outbound.addresses import Address

PORTS = frozenset({80, 443, 8080, 8443})
"""Ports of web servers. Other services (Redis, databases, mail) understand enough HTTP to be attacked by it."""


@dataclass(frozen=True)
class Rules:
    """The permissions of a client."""

    permitted_origins: frozenset[str] = frozenset()
    """Origins such as `http://127.0.0.1:9000` that are exempt from all checks: in development the sandbox with its web
    pages, otherwise none."""
    ports: frozenset[int] = PORTS
    is_public: Callable[[Address], bool] = addresses.is_public
