"""Reads one page, with Leaf's own client or with a service that uses a browser."""

import asyncio
import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urljoin

from pydantic_ai.exceptions import ToolFailed

from leaf import config, documents, outbound, parts, texts
from leaf.agent.web import providers
from leaf.documents import Document, Unreadable, isolation
from leaf.outbound import Client, Limits, Page

Mode = Literal["regular", "api"]

LIMITS = Limits(seconds=10, bytes=15_000_000)
"""The limits for a page that Leaf reads itself."""
LINKED_CHARACTERS = 100_000
_SERVICES = {"jina": providers.extract_jina, "tavily": providers.extract_tavily}
_RELATIVE = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)<?([^)\s>]+)>?")


@dataclass(frozen=True)
class Read:
    """The text of a page."""

    url: str
    """The final address."""
    title: str
    text: str
    site: str = ""
    kind: str = "page"
    """The kind of content: page, pdf, text, json and so on."""
    published: str | None = None
    notes: list[str] = field(default_factory=list[str])
    provider: str | None = None
    """The service that read the page; None for Leaf's own client."""
    truncated: bool = False
    """Whether the text was cut because it was too long."""


async def read(settings: config.Settings, client: Client, address: str, mode: Mode, owner: Hashable = None) -> Read:
    """Returns the text of a page.

    Args:
        settings: The settings with the service that reads pages in the mode `api`.
        client: The client that checks addresses, and reads the page in the mode `regular`.
        address: Any address.
        mode: `regular`, or `api` for pages that need a browser.
        owner: The asker. Parsing is shared fairly between owners.

    Raises:
        ToolFailed: The page may not or cannot be read. The message says why.
    """
    try:
        if mode == "api":
            return await _read_by_service(settings, client, address)
        page = await client.get(address, LIMITS)
        found = await _parsed(page, owner)
    except outbound.NotPermitted as error:
        raise ToolFailed(error.message) from error
    except (outbound.OutboundError, Unreadable) as error:
        raise ToolFailed(_with_other_mode(error.message, settings, mode)) from error
    if not found.text.strip():
        raise ToolFailed(_with_other_mode(texts.english("refusals.page_empty"), settings, mode))
    return found


def _with_other_mode(reason: str, settings: config.Settings, mode: Mode) -> str:
    """The reason, with a hint to the mode `api` if that is available and was not used."""
    if mode == "regular" and settings.page_reader:
        return texts.english("refusals.page_by_service", reason=reason)
    return reason


async def _read_by_service(settings: config.Settings, client: Client, address: str) -> Read:
    provider = settings.page_reader
    if provider is None:
        raise ToolFailed(texts.advised(texts.english("refusals.no_page_service"), 'Use mode="regular".'))
    url = await client.check(address)
    found = await _SERVICES[provider](settings, url)
    if found.url and found.url != url:
        # The service itself follows redirects, so the final address can be checked only after its answer.
        url = await client.check(found.url)
    return Read(url, _line(found.title), parts.plain_text(found.text), outbound.host_of(url), provider=provider)


async def _parsed(page: Page, owner: Hashable) -> Read:
    kind = documents.kind_of(page.content_type, page.url.partition("?")[0])
    kind = "page" if kind == "html" else "text" if kind == "other" else kind
    data = page.body
    if page.charset and kind != "pdf":
        # The charset that the server names is more reliable than a guess.
        data = await asyncio.to_thread(lambda: outbound.decoded(page).encode("utf-8", "replace"))
    parsed = await isolation.parse(data, kind, owner=owner)
    document = Document(page.url, "", "", page.content_type, kind, parsed.segments, parsed.notes, parsed.truncated)
    text = await asyncio.to_thread(documents.render, document)
    if kind != "page":
        name = page.url.partition("?")[0].rstrip("/").rpartition("/")[2]
        return Read(page.url, name or page.host, text, page.host, kind, notes=parsed.notes, truncated=parsed.truncated)
    head = await asyncio.to_thread(outbound.head_of, page)
    title = head.first("og:title") or head.title or page.host
    text = await asyncio.to_thread(_linked, text, page.url)
    site = head.first("og:site_name", "application-name") or page.host
    published = head.first("article:published_time", "date", "dc.date") or None
    date = published and published[:40]
    return Read(page.url, _line(title), text, _line(site), kind, date, parsed.notes, truncated=parsed.truncated)


def _linked(text: str, base: str) -> str:
    """Makes the links in the first `LINKED_CHARACTERS` absolute. A page may have a million links."""
    shown = _RELATIVE.sub(lambda link: _absolute(base, link[1]), text[:LINKED_CHARACTERS])
    return shown + text[LINKED_CHARACTERS:]


def _absolute(base: str, link: str) -> str:
    try:
        return urljoin(base, link)
    except ValueError:
        return link


def _line(text: str) -> str:
    return " ".join(parts.plain_text(text).split())[:300]
