"""Where a citation's link leads, as a browser takes it: only Drive's own pages stand for a file of Drive. Pure."""

import html
import re
from collections.abc import Container
from urllib.parse import urlsplit

from leaf import errors
from leaf.google import links

GOOGLE = frozenset({"https://docs.google.com", "https://drive.google.com"})
_BARE = re.compile(r"[A-Za-z0-9_-]{10,200}\Z")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_IGNORED = re.compile(r"[\x00-\x20]")
_LEADS_ON = re.compile(r"[\\/]{2}|https?:|[a-z][a-z0-9+.-]*:[\\/]", re.IGNORECASE)


def drive_id(target: str, origins: Container[str] = GOOGLE) -> str:
    """The id of the file of Drive that a citation leads to; empty where it leads to none, or to another site.

    Args:
        target: An address, or a bare id.
        origins: Where Drive's pages are, such as `https://drive.google.com`.
    """
    if not (_BARE.match(target) or target == links.ROOT or origin(target) in origins):
        return ""
    return _parsed(target)


def drive_origin(url: str, file_id: str) -> str:
    """Where Drive's pages are, by the address that Drive has given for a file; empty where it does not hold its id."""
    return origin(url) if _parsed(url) == file_id else ""


def origin(url: str) -> str:
    """Scheme, host and port of an address; empty where it has none, or where programs differ over what they are."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if not parts.netloc or "@" in parts.netloc or re.search(r"[\s\\]", url):
        return ""
    return f"{parts.scheme}://{parts.netloc.lower()}"


def leads_on(target: str) -> bool:
    """Whether a link's target is an address and not a name, also where it is one only once a page has read it."""
    return _LEADS_ON.match(_IGNORED.sub("", html.unescape(_ESCAPED.sub(r"\1", target)))) is not None


def _parsed(target: str) -> str:
    try:
        return links.parse(target).id
    except errors.Invalid:
        return ""
