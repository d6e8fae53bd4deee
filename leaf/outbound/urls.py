"""Parses addresses once, with a single parser, and refuses unusual ones. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address

import httpx2

from leaf import texts
from leaf.outbound import addresses
from leaf.outbound.addresses import Address
from leaf.outbound.refusals import NotPermitted

MAX_CHARACTERS = 4000
PORTS = frozenset({80, 443, 8080, 8443})
"""Ports of web servers. Other services (Redis, databases, mail) understand enough HTTP to be attacked by it."""
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_NOT_IN_ADDRESSES = re.compile(r"[\x00-\x20\x7f-\x9f\\\u200b-\u200f\u2028\u2029\ufeff]")
_LOCAL_ENDINGS = frozenset(
    {"localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "onion",
     "test", "invalid"}
)  # fmt: skip
"""Endings of names outside the internet (RFC 6761, 6762, 8375, and common names in private networks)."""


@dataclass(frozen=True)
class Rules:
    """The permissions of a client."""

    permitted_origins: frozenset[str] = frozenset()
    """Origins such as `http://127.0.0.1:9000` that are exempt from all checks: in development the sandbox with its web
    pages, otherwise none."""
    ports: frozenset[int] = PORTS
    is_public: Callable[[Address], bool] = addresses.is_public


def parse(text: str, rules: Rules) -> httpx2.URL:
    """Parses an address and checks its form. The IP addresses of its host must be checked separately.

    Raises:
        NotPermitted: It is malformed, has another scheme, another port or a password, or names a private host.
    """
    url = _parsed(text)
    if url.userinfo:
        raise NotPermitted(texts.english("refusals.page_user"))
    if origin(url) in rules.permitted_origins:
        return url
    if port_of(url) not in rules.ports:
        known = ", ".join(map(str, sorted(rules.ports)))
        raise NotPermitted(texts.english("refusals.page_port", port=str(port_of(url)), known=known))
    _check_host(host(url))
    return url


def _parsed(text: str) -> httpx2.URL:
    address = text.strip()
    if len(address) > MAX_CHARACTERS:
        raise NotPermitted(texts.english("refusals.page_long", most=MAX_CHARACTERS))
    if _NOT_IN_ADDRESSES.search(address):
        raise NotPermitted(texts.english("refusals.page_odd"))
    try:
        url = httpx2.URL(address)
        if url.scheme in _DEFAULT_PORTS and url.raw_host and not url.raw_host.endswith(b".."):
            # Some hosts are found to be invalid only here: in brackets, or with other forms of dots.
            return url.copy_with(host=host(url), fragment=None)
    except (httpx2.InvalidURL, UnicodeError, ValueError):
        pass
    raise NotPermitted(texts.english("refusals.page_not_web"))


def _check_host(name: str) -> None:
    if literal(name) is not None:
        return
    labels = name.split(".")
    # Some libraries take a host that ends in a number for an IPv4 address (`127.1`, `0x7f000001`).
    if _NUMBER.fullmatch(labels[-1]) or len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise NotPermitted(texts.english("refusals.page_no_name", name=name[:80]))
    if len(labels) < 2 or labels[-1] in _LOCAL_ENDINGS:
        raise NotPermitted(texts.english("refusals.page_local", name=name[:80]))


def host(url: httpx2.URL) -> str:
    """The host in ASCII, without a final dot."""
    return url.raw_host.decode("ascii").lower().removesuffix(".")


def port_of(url: httpx2.URL) -> int:
    """The port, explicit or the default of the scheme."""
    return url.port if url.port is not None else _DEFAULT_PORTS[url.scheme]


def literal(name: str) -> Address | None:
    """The IP address in a host name; None if it is a name."""
    try:
        return IPv6Address(name) if ":" in name else IPv4Address(name)
    except AddressValueError:
        return None


def origin(url: httpx2.URL) -> str:
    """Scheme, host and port, always with the port."""
    name = host(url)
    return f"{url.scheme}://{f'[{name}]' if ':' in name else name}:{port_of(url)}"


def origin_of(text: str) -> str:
    """The origin of a configured address.

    Raises:
        NotPermitted: It is not a web address.
    """
    return origin(_parsed(text))


def host_of(text: str) -> str:
    """The host of an address in lower case and ASCII; empty if there is none."""
    try:
        return host(_parsed(text))
    except NotPermitted:
        return ""


def target_of(text: str) -> str:
    """The path and query of an address, as sent to its host; empty if it is no address."""
    try:
        return _parsed(text).raw_path.decode("ascii")
    except NotPermitted:
        return ""
