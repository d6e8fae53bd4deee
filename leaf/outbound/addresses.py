"""Decides which IP addresses are public. Pure.

The lists are IANA's special-purpose registries (RFC 6890 and its successors). They are written out, because
`ipaddress.is_global` has different meanings in different versions of Python.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

_NOT_PUBLIC_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
        "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        # Azure's platform services use an address that looks public.
        "168.63.129.16/32",
    )
)  # fmt: skip

_GLOBAL_V6 = IPv6Network("2000::/3")
"""The range of all public IPv6 addresses. Mapped, compatible, unique local, link-local and multicast addresses are
outside it."""
_NOT_PUBLIC_V6 = tuple(
    IPv6Network(network)
    # Special purposes including Teredo, documentation, 6to4, documentation.
    for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)
_NAT64 = IPv6Network("64:ff9b::/96")
"""RFC 6052: the last four bytes are the IPv4 address to which a gateway connects."""
_ISATAP = (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")
"""RFC 5214: an IPv4 address follows these bytes of an interface identifier."""


def is_public(address: Address) -> bool:
    """Whether the address is reachable from the internet and is not a private network or host."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_V4)
    if address.scope_id is not None:
        return False
    if address in _NAT64:
        return is_public(IPv4Address(address.packed[12:]))
    if address.packed[8:12] in _ISATAP:
        return False
    return address in _GLOBAL_V6 and not any(address in network for network in _NOT_PUBLIC_V6)
