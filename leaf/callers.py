"""Addresses of callers on the network: whom a request comes from behind proxies, and what is kept of that. Pure."""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network
UNKNOWN = "unknown"
"""Whoever cannot be told from others counts together with them."""
_KEPT_BITS = {4: 24, 6: 64}


def networks(text: str) -> tuple[Network, ...]:
    """Networks in CIDR notation, or single addresses, comma-separated.

    Raises:
        ValueError: One of them is neither.
    """
    return tuple(ip_network(one.strip(), strict=False) for one in text.split(",") if one.strip())


def is_within(address: str, trusted: Iterable[Network]) -> bool:
    """Whether an address belongs to one of the networks; what is no address belongs to none."""
    found = _parsed(address)
    return found is not None and any(found in network for network in trusted)


def is_loopback(address: str) -> bool:
    """Whether it is an address of this machine itself."""
    found = _parsed(address)
    return found is not None and found.is_loopback


def client_of(peer: str, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """Who called: the last address that no trusted proxy vouches for.

    Each proxy adds the address of its own peer to the end of `X-Forwarded-For`, so that everything before the first
    address that is not a trusted proxy's, counted from the end, may be made up.

    Args:
        peer: Who has connected to this process.
        forwarded: What the request's `X-Forwarded-For` headers say, in order; only believed of a trusted peer.
        trusted: The networks of one's own proxies.
    """
    if not is_within(peer, trusted):
        return peer
    named = [one.strip() for header in forwarded for one in header.split(",")]
    found = peer
    for one in reversed(named):
        address = _parsed(one)
        if address is None:
            return found
        found = str(address)
        if not is_within(found, trusted):
            return found
    return found


def prefix(address: str) -> str | None:
    """The network from which somebody called, as it may be kept: /24 of IPv4, /64 of IPv6; None for no address."""
    found = _parsed(address)
    if found is None:
        return None
    return str(ip_network(f"{found}/{_KEPT_BITS[found.version]}", strict=False))


def counted(address: str) -> str:
    """What somebody without an account is counted by: an IPv4 address, the /64 of an IPv6 one, or `UNKNOWN`.

    A provider gives each customer the /64 at least: what follows in it they choose themselves.
    """
    found = _parsed(address)
    if found is None:
        return UNKNOWN
    return str(found) if found.version == 4 else str(ip_network(f"{found}/64", strict=False))


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    # A zone (`fe80::1%eth0`) says which of this machine's cards it came by; it is nothing of the caller's.
    try:
        found = ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found
