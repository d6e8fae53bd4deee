"""Distinguishes addresses that tools or people brought into a chat from addresses that only the model wrote. Pure."""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from leaf.citations import addresses
from leaf.citations.pages import Page, page_of
from leaf.citations.reads import Call, Library

_TRAILING = ".,;:!?)]}>*_~'’"
"""Characters that may follow an address in a text or be part of it."""
_MAX_READINGS = 6
_SCHEME = re.compile("https?://", re.IGNORECASE)
_FIELDS_WITHOUT_ECHO: Mapping[str, tuple[str, ...]] = {
    "search": ("results",),
    "fetch": ("url",),
    "read_drive_file": ("content",),
    "compute": ("files",),
    "compare_files": ("files", "rows"),
    "search_files": ("files", "passages"),
    "search_drive": ("files",),
    "list_drive_folder": ("files",),
}
"""For each tool, the output fields that cannot echo the model's own words."""


@dataclass
class _KnownPages:
    """The wanted pages that the sources of a chat contain."""

    pattern: re.Pattern[str]
    keys: frozenset[str]
    read: Callable[[str], Page | None] = page_of
    """Reads an address as a page."""
    written_first: set[str] = field(default_factory=set[str])
    """Keys of pages that the model wrote before any source contained them."""
    tracking_by_page: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Keys of pages that a source contained, each with the tracking parameters in its addresses, such as
    `utm_source=x`.
    """

    def add_chat(self, words: Iterable[str], calls: Iterable[Call]) -> None:
        """Records the texts of a chat's people, and then its calls in order."""
        for text in words:
            self.add_text(text)
        for call in calls:
            self.add_call(call)

    def add_text(self, text: str) -> None:
        """Records a text that a participant of the chat wrote."""
        for page in self._pages(text):
            self._add(page)

    def add_call(self, call: Call) -> None:
        """Records a call and its result."""
        written = {page.key for text in texts_in(call.input) for page in self._pages(text)}
        self.written_first |= written - self.tracking_by_page.keys()
        fields = _FIELDS_WITHOUT_ECHO.get(call.tool, ())
        known = [call.output.get(name) for name in fields]
        if call.tool == "fetch":
            # The page exists, even if its address redirected to another one.
            known.append(call.input.get("url"))
        for text in texts_in(known):
            self.add_text(text)
        for text in texts_in({name: value for name, value in call.output.items() if name not in fields}):
            for page in self._pages(text):
                if page.key not in self.written_first:
                    self._add(page)

    def has(self, page: Page) -> bool:
        """Whether a source contained the page and all tracking parameters of its address."""
        return page.key in self.tracking_by_page and page.tracking <= self.tracking_by_page[page.key]

    def _add(self, page: Page) -> None:
        self.tracking_by_page.setdefault(page.key, set()).update(page.tracking)

    def _pages(self, text: str) -> Iterator[Page]:
        for match in self.pattern.finditer(text):
            address = match["address"]
            for _ in range(_MAX_READINGS):
                yield from self._pages_at(address)
                if address[-1:] not in _TRAILING:
                    break
                address = address[:-1]

    def _pages_at(self, address: str) -> Iterator[Page]:
        named = address if address[:4].lower() == "http" and "://" in address else f"http://{address}"
        for reading in {named, html.unescape(named)}:
            page = self.read(reading)
            if page is not None and page.key in self.keys:
                yield page


def invented(targets: Iterable[str], calls: Iterable[Call], words: Iterable[str], library: Library) -> set[str]:
    """Returns the addresses that no source of the chat contained.

    The model may write an address into a file, a query or another call before any source has it. Results that may echo
    the call do not prove such an address. It must also come from a search, a page, a Drive file or a person.

    Args:
        targets: Addresses that an answer links to.
        calls: The finished calls of the chat, in order.
        words: Texts of the chat's people.
        library: Everything these calls read or listed.
    """
    wanted = {one: page_of(one) for one in targets if not _is_listed(one, library)}
    pages = [page for page in wanted.values() if page is not None]
    if pages:
        known = _KnownPages(_pattern(pages), frozenset(page.key for page in pages))
        known.add_chat(words, calls)
        wanted = {one: page for one, page in wanted.items() if page is None or not known.has(page)}
    return {*wanted}


def spelled(targets: Iterable[str], calls: Iterable[Call], words: Iterable[str]) -> set[str]:
    """Returns the addresses that a source of the chat contained in exactly this spelling, except for the scheme and a
    final slash.

    Different spellings of one address can carry hidden text, for example in percent encoding or after a `#`.

    Args:
        targets: Addresses that an answer links to.
        calls: The finished calls of the chat, in order.
        words: Texts of the chat's people.
    """
    pages = {one: page for one in targets if (page := page_of(one)) is not None}
    if not pages:
        return set()
    known = _KnownPages(_pattern(pages.values()), frozenset(_exactly(one).key for one in pages), _exactly)
    known.add_chat(words, calls)
    return {one for one in pages if known.has(_exactly(one))}


def _exactly(address: str) -> Page:
    return Page("", _SCHEME.sub("", address).rstrip("/"), frozenset())


def _is_listed(target: str, library: Library) -> bool:
    """Whether an address links to a Drive file that was read, listed, found or refused."""
    file_id = addresses.drive_id(target, library.origins)
    return file_id in library.listed or ("drive", file_id) in library.read


def _pattern(pages: Iterable[Page]) -> re.Pattern[str]:
    """A pattern that matches addresses of the hosts of these pages, with or without a scheme."""
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
    """A host in Unicode, as people write it."""
    if "xn--" not in host:
        return host
    import idna

    try:
        return idna.decode(host)
    except idna.IDNAError:
        return host


def texts_in(value: Any) -> Iterator[str]:
    """Yields the strings in a JSON value, including the names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield str(name)
            yield from texts_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts_in(one)
