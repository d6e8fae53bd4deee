"""Addresses that came into a chat by its tools or people, as opposed to addresses that only a model wrote. Pure."""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from leaf.citations import addresses
from leaf.citations.pages import Page, page_of
from leaf.citations.reads import Call, Library

_AROUND = ".,;:!?)]}>*_~'’"
"""Characters that may follow an address in a text or be part of it."""
_MARKS = 6
_SCHEME = re.compile("https?://", re.IGNORECASE)
_SURE: Mapping[str, tuple[str, ...]] = {
    "search": ("results",),
    "fetch": ("url",),
    "read_drive_file": ("content",),
    "compute": ("files",),
    "compare_files": ("files", "rows"),
    "search_files": ("files", "passages"),
    "search_drive": ("files",),
    "list_drive_folder": ("files",),
}
"""Output fields of tools that cannot echo the model's own words."""


@dataclass
class _Given:
    """The known parts of the pages in question."""

    pattern: re.Pattern[str]
    keys: frozenset[str]
    read: Callable[[str], Page | None] = page_of
    """Reads an address as a page."""
    own: set[str] = field(default_factory=set[str])
    """Pages that the model wrote before any source had them."""
    given: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The other known parts of a page's addresses, such as `utm_source=x`, by page."""

    def words(self, text: str) -> None:
        """Records a text that a participant of the chat wrote."""
        for page in self._pages(text):
            self._give(page)

    def call(self, call: Call) -> None:
        """Records a call and its result."""
        written = {page.key for text in _texts(call.input) for page in self._pages(text)}
        self.own |= written - self.given.keys()
        sure = _SURE.get(call.tool, ())
        known = [call.output.get(name) for name in sure]
        if call.tool == "fetch":
            # The page exists, even if its address redirected to another one.
            known.append(call.input.get("url"))
        for text in _texts(known):
            self.words(text)
        for text in _texts({name: value for name, value in call.output.items() if name not in sure}):
            for page in self._pages(text):
                if page.key not in self.own:
                    self._give(page)

    def has(self, page: Page) -> bool:
        """Whether a source had the page and everything that its address carries."""
        return page.key in self.given and page.tracking <= self.given[page.key]

    def _give(self, page: Page) -> None:
        self.given.setdefault(page.key, set()).update(page.tracking)

    def _pages(self, text: str) -> Iterator[Page]:
        for match in self.pattern.finditer(text):
            address = match["address"]
            for _ in range(_MARKS):
                yield from self._pages_at(address)
                if address[-1:] not in _AROUND:
                    break
                address = address[:-1]

    def _pages_at(self, address: str) -> Iterator[Page]:
        named = address if address[:4].lower() == "http" and "://" in address else f"http://{address}"
        for way in {named, html.unescape(named)}:
            page = self.read(way)
            if page is not None and page.key in self.keys:
                yield page


def invented(targets: Iterable[str], calls: Iterable[Call], words: Iterable[str], library: Library) -> set[str]:
    """The addresses that no source of the chat had.

    An address that the model itself first wrote, into a file, a query or another call, counts only if a search, a page,
    a Drive file or a person has it as well.

    Args:
        targets: Addresses that an answer links to.
        calls: The finished calls of the chat, in order.
        words: Texts of the chat's people.
        library: Everything these calls read or listed.
    """
    wanted = {one: page_of(one) for one in targets if not _is_met(one, library)}
    pages = [page for page in wanted.values() if page is not None]
    if pages:
        given = _Given(_pattern(pages), frozenset(page.key for page in pages))
        for text in words:
            given.words(text)
        for call in calls:
            given.call(call)
        wanted = {one: page for one, page in wanted.items() if page is None or not given.has(page)}
    return {*wanted}


def spelled(targets: Iterable[str], calls: Iterable[Call], words: Iterable[str]) -> set[str]:
    """The addresses that a source of the chat had in exactly this spelling, but for the scheme and a slash at the end.

    Spelling can carry text: a path may be written with percent signs or without, and has room behind a `#`.

    Args:
        targets: Addresses that an answer links to.
        calls: The finished calls of the chat, in order.
        words: Texts of the chat's people.
    """
    pages = {one: page for one in targets if (page := page_of(one)) is not None}
    if not pages:
        return set()
    given = _Given(_pattern(pages.values()), frozenset(_exactly(one).key for one in pages), _exactly)
    for text in words:
        given.words(text)
    for call in calls:
        given.call(call)
    return {one for one in pages if given.has(_exactly(one))}


def _exactly(address: str) -> Page:
    return Page("", _SCHEME.sub("", address).rstrip("/"), frozenset())


def _is_met(target: str, library: Library) -> bool:
    """Whether an address links to a Drive file that was read, listed, found or refused."""
    file_id = addresses.drive_id(target, library.origins)
    return file_id in library.met or ("drive", file_id) in library.read


def _pattern(pages: Iterable[Page]) -> re.Pattern[str]:
    """Addresses of the hosts of these pages, with or without a scheme."""
    names: set[str] = set()
    for page in pages:
        name = page.host.partition(":")[0]
        names |= {name, _unicode(name)}
    hosts = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(
        rf"(?<![\w.@-])(?P<address>(?:https?://)?(?:www\.)?(?:{hosts})\.?(?::\d{{1,5}})?(?![\w@-]|\.\w)"
        r"(?:[/?#][^\s\"<>“”|`\\]*)?)",
        re.IGNORECASE,
    )


def _unicode(host: str) -> str:
    """A host as people write it."""
    if "xn--" not in host:
        return host
    import idna

    try:
        return idna.decode(host)
    except idna.IDNAError:
        return host


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield str(name)
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
