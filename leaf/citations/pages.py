"""Compares the web pages that addresses name, independent of spelling. Pure."""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import SplitResult, quote

from leaf import parts

_NOT_IN_ADDRESSES = re.compile(r"[\x00-\x20\x7f-\x9f\\\u200b-\u200f\u2028\u2029\ufeff]")
_TRACKING = re.compile(
    r"(?:utm|pk|mtm|hsa|oly|vero|stm)_\w+|_?(?:gcl|fbcl|mscl|yscl|dcl|ttcl|twcl|yclid|srslt)\w*|[gw]braid|mc_[ce]id|"
    r"igshid|_hs(?:enc|mi)|_ga|_gl|mkt_tok|spm|wickedid",
    re.IGNORECASE,
)
"""Query parameters that track the visitor and do not select content."""
_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$'()*,:@")
"""Characters that mean the same with and without percent encoding in a path or query."""
_PORTS = {"http": 80, "https": 443}
_ROUTES = ("/", "!")
"""Prefixes of fragments that name a page, as in browser applications. Other fragments are positions on a page."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page in a form that can be compared."""

    host: str
    """The host in ASCII and lower case, without `www.`, with the port unless it is a default port."""
    path: str
    """Path and query, without the parameters in `tracking`."""
    tracking: frozenset[str]
    """Query parameters that only track the visitor, such as `utm_source=x`."""

    @property
    def key(self) -> str:
        """A key that is equal for every spelling of the page's address."""
        return self.host + self.path


@lru_cache(maxsize=4096)
def page_of(address: str) -> Page | None:
    """The page that an address names; None if it is not a web address, or if programs may parse it in different ways.

    Args:
        address: An address with `http://` or `https://`, which count as the same.
    """
    written = parts.normalized("NFC", address.strip())
    if _NOT_IN_ADDRESSES.search(written):
        return None
    try:
        url = parts.split_address(written)
        port = url.port
    except ValueError:
        return None
    host = _host(url)
    if url.scheme not in _PORTS or not host or "@" in url.netloc:
        return None
    if port not in {None, *_PORTS.values()}:
        host = f"{host}:{port}"
    parameters = [one for one in url.query.split("&") if one]
    tracking = {one for one in parameters if _TRACKING.fullmatch(one.partition("=")[0])}
    path = _without_dots(_written(url.path)).rstrip("/")
    if query := sorted(_written(one.replace("+", "%20")) for one in parameters if one not in tracking):
        path += "?" + "&".join(query)
    if url.fragment.startswith(_ROUTES):
        path += "#" + _written(url.fragment)
    return Page(host, path, frozenset(map(_written, tracking)))


def key_of(address: str) -> str:
    """The key of an address's page; empty if it names none."""
    page = page_of(address)
    return page.key if page is not None else ""


def _host(url: SplitResult) -> str:
    name = (url.hostname or "").rstrip(".").removeprefix("www.")
    if name.isascii():
        return name
    import idna

    try:
        return idna.encode(name, uts46=True).decode("ascii")
    except idna.IDNAError:
        return ""


def _written(text: str) -> str:
    """The text with percent encoding only where it changes the meaning."""
    return quote(_ENCODED.sub(_decoded, text), safe="/?;&=+%" + "".join(_PLAIN), errors="replace")


def _decoded(sign: re.Match[str]) -> str:
    letter = chr(int(sign[1], 16))
    return letter if letter in _PLAIN else sign[0].upper()


def _without_dots(path: str) -> str:
    kept: list[str] = []
    for step in path.split("/"):
        if step == ".." and len(kept) > 1:
            kept.pop()
        elif step not in {".", ".."}:
            kept.append(step)
    return "/".join(kept)
