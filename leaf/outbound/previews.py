"""Link previews: title, description and site name of a page, without pictures."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import unquote

from leaf.outbound import client, urls
from leaf.outbound.client import Client, Limits, Page

MAX_CHARACTERS = 300
_LIMITS = Limits(seconds=6, bytes=400_000, beginning=True)
"""The beginning of a page is enough, because its head has everything that is needed."""


@dataclass(frozen=True)
class Preview:
    """A preview in the words of the page. Each text has at most `MAX_CHARACTERS`."""

    url: str
    """The final address."""
    title: str
    description: str
    site: str
    """The site's name for itself, or else its host."""


async def preview(address: str, reader: Client | None = None) -> Preview:
    """The preview of an address.

    Args:
        address: An address that a model, a person or a page supplied.
        reader: The client; by default the one with the rules of this process.

    Raises:
        OutboundError: The address may not or cannot be read.
    """
    page = await (reader or client.current()).get(address, _LIMITS)
    return await asyncio.to_thread(_preview, page)


def _preview(page: Page) -> Preview:
    named = unquote(page.url.partition("?")[0].rstrip("/").rpartition("/")[2])
    head = head_of(page) if "html" in page.content_type else Head()
    title = head.first("og:title", "twitter:title") or head.title or named or page.host
    description = head.first("og:description", "description", "twitter:description")
    site = head.first("og:site_name", "application-name") or urls.host_of(page.url)
    return Preview(page.url, _short(title), _short(description), _short(site))


class Head(HTMLParser):
    """The title and the named values in the head of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.values: dict[str, str] = {}
        self._title: list[str] = []
        self._in_title = False
        self.over = False
        """Whether the head has ended."""

    @property
    def title(self) -> str:
        """The text of `<title>`."""
        return "".join(self._title).strip()

    def first(self, *names: str) -> str:
        """The value of the first of these names that has one."""
        return next((self.values[name] for name in names if self.values.get(name)), "")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Records a `meta` element."""
        if tag == "title":
            self._in_title = True
        elif tag == "body":
            self.over = True
        elif tag == "meta":
            attributes = {key: value or "" for key, value in attrs}
            name = (attributes.get("property") or attributes.get("name") or "").strip().lower()
            self.values.setdefault(name, attributes.get("content", "").strip())

    def handle_endtag(self, tag: str) -> None:
        """Detects the ends of the title and the head."""
        if tag == "title":
            self._in_title = False
        elif tag == "head":
            self.over = True

    def handle_data(self, data: str) -> None:
        """Collects the text of the title."""
        if self._in_title and not self.over:
            self._title.append(data)


def head_of(page: Page) -> Head:
    """The head of an HTML page; if the page is malformed, as far as it can be parsed."""
    text, head = decoded(page), Head()
    # The parser fails at marked sections that it does not know, such as `<![x[`.
    with suppress(AssertionError):
        for start in range(0, min(len(text), _LIMITS.bytes), 16_384):
            head.feed(text[start : start + 16_384])
            if head.over:
                break
    return head


def decoded(page: Page) -> str:
    """The body as text, in the charset that the server named, or else in UTF-8."""
    return page.body.decode(page.charset or "utf-8", "replace")


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= MAX_CHARACTERS else plain[: MAX_CHARACTERS - 1].rstrip() + "…"
