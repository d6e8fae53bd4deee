"""Addresses as they are written: read once, by one parser, and refused where they are not plain. Pure."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

import httpx2

from leaf import texts
from leaf.outbound.addresses import Address
from leaf.outbound.refusals import NotPermitted
from leaf.outbound.rules import Rules

MAX_CHARACTERS = 4000
_PORTS = {"http": 80, "https": 443}
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_ODD = re.compile(r"[\x00-\x20\x7f-\x9f\\\u200b-\u200f\u2028\u2029\ufeff]")
_LOCAL = frozenset(
    {"localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "onion",
     "test", "invalid"}
)  # fmt: skip
"""Endings of names that are not the internet's (RFC 6761, 6762, 8375, and what networks use)."""


def parse(text: str, rules: Rules) -> httpx2.URL:
    """The address in a text, of a kind that may be asked. The addresses of its host have to be checked, too.

    Raises:
        NotPermitted: It is malformed, of another scheme, on another port, with a password, or names a private host.
    """
    url = _read(text)
    if url.userinfo:
        raise NotPermitted(texts.english("refusals.page_user"))
    if origin(url) in rules.permitted_origins:
        return url
    if port_of(url) not in rules.ports:
        known = ", ".join(map(str, sorted(rules.ports)))
        raise NotPermitted(texts.english("refusals.page_port", port=str(port_of(url)), known=known))
    _check_host(host(url))
    return url


def _read(text: str) -> httpx2.URL:
    given = text.strip()
    if len(given) > MAX_CHARACTERS:
        raise NotPermitted(texts.english("refusals.page_long", most=MAX_CHARACTERS))
    if _ODD.search(given):
        raise NotPermitted(texts.english("refusals.page_odd"))
    try:
        url = httpx2.URL(given)
        if url.scheme in _PORTS and url.raw_host and not url.raw_host.endswith(b".."):
            # A host may turn out to be invalid only here: with other spellings of its dots, or in brackets.
            return url.copy_with(host=host(url), fragment=None)
    except (httpx2.InvalidURL, UnicodeError, ValueError):
        pass
    raise NotPermitted(texts.english("refusals.page_not_web"))


def _check_host(name: str) -> None:
    if literal(name) is not None:
        return
    labels = name.split(".")
    # A host that ends in a number is an IPv4 address to some libraries (`127.1`, `0x7f000001`), so it is refused.
    if _NUMBER.fullmatch(labels[-1]) or len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise NotPermitted(texts.english("refusals.page_no_name", name=name[:80]))
    if len(labels) < 2 or labels[-1] in _LOCAL:
        raise NotPermitted(texts.english("refusals.page_local", name=name[:80]))


def host(url: httpx2.URL) -> str:
    """The host in ASCII, without the dot that may end it."""
    return url.raw_host.decode("ascii").lower().removesuffix(".")


def port_of(url: httpx2.URL) -> int:
    """The port that is asked."""
    return url.port if url.port is not None else _PORTS[url.scheme]


def literal(name: str) -> Address | None:
    """The IP address that a host is written as; None for a name."""
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
    return origin(_read(text))


def host_of(text: str) -> str:
    """The host of an address in comparable form; empty if there is none."""
    try:
        return host(_read(text))
    except NotPermitted:
        return ""


def target_of(text: str) -> str:
    """The path and query that an address sends to its host; empty if it is not an address."""
    try:
        return _read(text).raw_path.decode("ascii")
    except NotPermitted:
        return ""
