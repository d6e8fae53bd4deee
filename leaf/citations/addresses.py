"""Parses link targets of citations like a browser. Only addresses of Drive's own pages name Drive files. Pure."""

import html
import re
from collections.abc import Container

from leaf import errors, parts
from leaf.google import links

GOOGLE = frozenset({"https://docs.google.com", "https://drive.google.com"})
_BARE_ID = re.compile(r"[A-Za-z0-9_-]{10,200}\Z")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_IGNORED = re.compile(r"[\x00-\x20]")
_ADDRESS = re.compile(r"[\\/]{2}|https?:|[a-z][a-z0-9+.-]*:[\\/]", re.IGNORECASE)


def drive_id(target: str, origins: Container[str] = GOOGLE) -> str:
    """The id of the Drive file that a citation links to; empty for any other target.

    Args:
        target: An address, or a bare id.
        origins: Origins of Drive's pages, such as `https://drive.google.com`.
    """
    if not (_BARE_ID.match(target) or target == links.ROOT or origin(target) in origins):
        return ""
    return file_of(target)


def drive_origin(url: str, file_id: str) -> str:
    """The origin of an address that Drive returned for a file; empty if the address does not contain the file's id."""
    return origin(url) if file_of(url) == file_id else ""


def origin(url: str) -> str:
    """Scheme, host and port of an address; empty if it has no host, or if programs parse it differently."""
    try:
        split = parts.split_address(url)
    except ValueError:
        return ""
    if not split.netloc or "@" in split.netloc or re.search(r"[\s\\]", url):
        return ""
    return f"{split.scheme}://{split.netloc.lower()}"


def is_address(target: str) -> bool:
    """Whether a link's target is an address and not a name. Browsers accept more addresses than RFC 3986 allows."""
    return _ADDRESS.match(_IGNORED.sub("", html.unescape(_ESCAPED.sub(r"\1", target)))) is not None


def file_of(target: str) -> str:
    """The id of the Drive file that an address or a bare id names; empty for other texts."""
    try:
        return links.parse(target).id
    except errors.Invalid:
        return ""
