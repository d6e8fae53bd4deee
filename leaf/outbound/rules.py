"""Which addresses may be asked: hosts, ports, IP addresses, and the one exception."""

from collections.abc import Callable
from dataclasses import dataclass

from leaf.outbound import addresses
from leaf.outbound.addresses import Address

PORTS = frozenset({80, 443, 8080, 8443})
"""Where web servers listen. Others are refused: Redis, databases and mail servers take enough of HTTP to be harmed."""


@dataclass(frozen=True)
class Rules:
    """What a client permits."""

    permitted_origins: frozenset[str] = frozenset()
    """Origins such as `http://127.0.0.1:9000` whose host, port and address are not looked at. In development this is
    the sandbox, which has web pages of its own; else there are none."""
    ports: frozenset[int] = PORTS
    is_public: Callable[[Address], bool] = addresses.is_public
