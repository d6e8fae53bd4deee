"""Checks of addresses in the settings."""

from urllib.parse import urlsplit


def is_web_address(url: str) -> bool:
    """Whether a text is an http or https address with a host and a valid port."""
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_origin(url: str) -> bool:
    """Whether a web address consists of a scheme, a host and a port, with at most a slash after them."""
    parts = urlsplit(url)
    return parts.path in {"", "/"} and not parts.query and not parts.fragment and "@" not in parts.netloc


def hosts(url: str) -> list[str]:
    """The hosts of an address of any scheme, each with its port if it has one, without user and password."""
    return urlsplit(url).netloc.rpartition("@")[2].split(",")


def has_usable_ports(url: str) -> bool:
    """Whether all ports in an address are from 1 to 65535."""
    try:
        return all(urlsplit(f"//{host}").port != 0 for host in hosts(url))
    except ValueError:
        return False
