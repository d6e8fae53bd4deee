"""The forms of addresses in the settings."""

from urllib.parse import urlsplit


def is_web_address(url: str) -> bool:
    """Whether a text is an http or https address with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def is_origin(url: str) -> bool:
    """Whether a web address has only a scheme, a host and a port, and at most a slash behind them."""
    parts = urlsplit(url)
    return parts.path in {"", "/"} and not parts.query and not parts.fragment and "@" not in parts.netloc


def has_usable_port(url: str) -> bool:
    """Whether an address of any scheme has no port, or one from 1 to 65535."""
    try:
        return urlsplit(url).port != 0
    except ValueError:
        return False
