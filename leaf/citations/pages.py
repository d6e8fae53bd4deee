"""Which page of the web an address names, however it is written. Pure."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import SplitResult, quote, urlsplit

_ODD = re.compile(r"[\x00-\x20\x7f-\x9f\\\u200b-\u200f\u2028\u2029\ufeff]")
_TRACKING = re.compile(
    r"(?:utm|pk|mtm|hsa|oly|vero|stm)_\w+|_?(?:gcl|fbcl|mscl|yscl|dcl|ttcl|twcl|yclid|srslt)\w*|[gw]braid|mc_[ce]id|"
    r"igshid|_hs(?:enc|mi)|_ga|_gl|mkt_tok|spm|wickedid",
    re.IGNORECASE,
)
"""Names in a query that say where somebody comes from, and not what is asked for."""
_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$'()*,:@")
"""What means the same in a path or a query with its percent sign and without."""
_PORTS = {"http": 80, "https": 443}
_ROUTES = ("/", "!")
"""Behind a `#` these begin the name of a page, as programs that run in a browser have it; else a place on the page."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page, as it may be compared."""

    host: str
    """In ASCII and small letters, without `www.`; with a port where that is not the usual one."""
    path: str
    """Path and query, without what is in `tracking`."""
    tracking: frozenset[str]
    """What of the query only says where somebody comes from, such as `utm_source=x`."""

    @property
    def key(self) -> str:
        """The same for every way to write the page."""
        return self.host + self.path


@lru_cache(maxsize=4096)
def page_of(address: str) -> Page | None:
    """The page that an address names; None where it is no address of the web, or programs differ over what it means.

    Args:
        address: With `http://` or `https://`: these two count as the same.
    """
    written = unicodedata.normalize("NFC", address.strip())
    if _ODD.search(written):
        return None
    try:
        url = urlsplit(written)
        port = url.port
    except ValueError:
        return None
    host = _host(url)
    if url.scheme not in _PORTS or not host or "@" in url.netloc:
        return None
    place = host if port in {None, *_PORTS.values()} else f"{host}:{port}"
    asked = [one for one in url.query.split("&") if one]
    tracking = frozenset(_written(one) for one in asked if _TRACKING.fullmatch(one.partition("=")[0]))
    told = sorted(_written(one.replace("+", "%20")) for one in asked if not _TRACKING.fullmatch(one.partition("=")[0]))
    path = _without_dots(_written(url.path)).rstrip("/") + ("?" + "&".join(told) if told else "")
    return Page(place, path + ("#" + _written(url.fragment) if url.fragment.startswith(_ROUTES) else ""), tracking)


def key_of(address: str) -> str:
    """The key of an address's page; empty where it names none."""
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
    """With percent signs only where they mean something."""
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
