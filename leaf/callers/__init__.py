"""The caller of the current task, addresses of callers behind trusted proxies, and the prefixes that may be stored."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network
UNKNOWN = "unknown"
"""The common key for rate limits of all callers without a usable address."""
_KEPT_BITS = {4: 24, 6: 64}


@dataclass(frozen=True)
class Caller:
    """The client of the current request. Without a request, as in a worker, both fields are empty."""

    address: str = ""
    user_agent: str = ""


_NOBODY = Caller()
_current: ContextVar[Caller] = ContextVar("leaf_caller", default=_NOBODY)


def current() -> Caller:
    """The caller whose request the current task handles."""
    return _current.get()


def use(caller: Caller) -> None:
    """Sets the caller for the running task and for tasks that it starts."""
    _current.set(caller)


@contextmanager
def calling(caller: Caller) -> Generator[None]:
    """Sets the caller for a block."""
    token = _current.set(caller)
    try:
        yield
    finally:
        _current.reset(token)


def networks(text: str) -> tuple[Network, ...]:
    """Parses a comma-separated list of networks in CIDR notation or single addresses.

    Raises:
        ValueError: An entry is neither a network nor an address.
    """
    return tuple(ip_network(one.strip(), strict=False) for one in text.split(",") if one.strip())


def is_within(address: str, trusted: Iterable[Network]) -> bool:
    """Whether an address belongs to one of the networks. Malformed addresses belong to none."""
    found = _parsed(address)
    return found is not None and any(found in network for network in trusted)


def is_address(text: str) -> bool:
    """Whether a text is an IP address."""
    return _parsed(text) is not None


def is_loopback(address: str) -> bool:
    """Whether an address is a loopback address."""
    found = _parsed(address)
    return found is not None and found.is_loopback


def client_of(peer: str, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """The address of the client: the last address in `X-Forwarded-For` that is not a trusted proxy.

    Each proxy appends the address of its own peer to `X-Forwarded-For`. The client may have forged the entries before
    the last untrusted address.

    Args:
        peer: The address that connected to this process.
        forwarded: The values of the `X-Forwarded-For` headers, in order. Ignored unless the peer is trusted.
        trusted: The networks of trusted proxies.
    """
    if not is_within(peer, trusted):
        return peer
    named = [one.strip() for header in forwarded for one in header.split(",")]
    found = peer
    for entry in reversed(named):
        address = _parsed(_without_port(entry))
        if address is None:
            return found
        found = str(address)
        if not is_within(found, trusted):
            return found
    return found


def _without_port(named: str) -> str:
    """An address without the port that some proxies add: `192.0.2.7:4711` or `[2001:db8::7]:4711`."""
    if named.startswith("["):
        return named[1:].partition("]")[0]
    return named.partition(":")[0] if named.count(":") == 1 else named


def prefix(address: str) -> str | None:
    """The network of an address, which may be stored: /24 of IPv4, or /64 of IPv6; None for a malformed address."""
    found = _parsed(address)
    if found is None:
        return None
    return str(ip_network(f"{found}/{_KEPT_BITS[found.version]}", strict=False))


def counted(address: str) -> str:
    """The key for rate limits of callers without an account: an IPv4 address, an IPv6 /64, or `UNKNOWN`.

    Internet providers assign at least a /64 to each customer, who may use any address in it.
    """
    found = _parsed(address)
    if found is None:
        return UNKNOWN
    return str(found) if found.version == 4 else str(ip_network(f"{found}/64", strict=False))


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    # A zone (`fe80::1%eth0`) names a network interface of this machine and does not identify the caller.
    try:
        found = ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found
