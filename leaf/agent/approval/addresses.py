"""Web addresses in texts, results and messages: their hosts, and their targets (path and query). Pure.

Hosts are compared as the HTTP client reads them (`leaf.outbound`), so different spellings of one host are equal.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pydantic_ai.messages import ToolReturnPart

from leaf import outbound

_ADDRESS = re.compile(r"https?://[^\s\"'<>\\`]+", re.IGNORECASE)
_TRAILING = ".,;:!?)]}*_"
"""Punctuation that may follow an address in a text."""
_MAX_READINGS = 6
"""The maximum number of readings of an address. Each has one character of punctuation less, and a page may consist of
punctuation only."""
_HOST = re.compile(r"(?<![\w@./%-])(?:\w(?:[\w-]{0,61}\w)?\.)+\w(?:[\w-]{0,61}\w)(?::\d{2,5})?(?![\w@-])")
"""A host without a scheme, such as `example.com`."""
_BARE = re.compile(
    r"(?<![\w.-])(?P<name>(?:[^\W_](?:[\w-]{0,61}\w)?\.){1,8}[^\W\d_]{2,24})(?![\w-])"
    r"(?P<rest>[:/?#][^\s\"'<>\\`]*)?",
    re.IGNORECASE,
)
_FILE_ENDINGS = frozenset(
    {"md", "txt", "csv", "zip", "mov", "py", "rs", "sh", "pl", "ps", "ai", "so", "cc", "app", "doc", "docx", "pdf"}
)
"""Extensions of file names, some of which are also top-level domains."""


def host_of(address: str) -> str:
    """Returns the host of an address, with the port if it is not 80 or 443; empty if the text is not an address."""
    try:
        host = outbound.origin_of(address).partition("://")[2]
    except outbound.NotPermitted:
        return ""
    name, _, port = host.rpartition(":")
    return name if port in {"80", "443"} else host


def named_in(text: str) -> set[str]:
    """Returns the hosts that a text names, with or without a scheme."""
    hosts = {host_of(address) for address in in_text(text)}
    for match in _HOST.finditer(text):
        name = match.group()
        if name.partition(":")[0].rpartition(".")[2].lower() not in _FILE_ENDINGS:
            hosts.add(host_of(f"https://{name}"))
    return hosts - {""}


@lru_cache(maxsize=512)
def targets(text: str) -> dict[str, list[str]]:
    """Returns the targets of the addresses in a text, by host. The result is cached, as in `in_text`."""
    found: dict[str, list[str]] = {}
    for address in in_text(text):
        found.setdefault(host_of(address), []).append(outbound.target_of(address))
    return found


def common_length(one: str, other: str) -> int:
    """Returns the length of the common prefix of two strings."""
    length = min(len(one), len(other))
    return next((place for place in range(length) if one[place] != other[place]), length)


@lru_cache(maxsize=512)
def in_text(text: str) -> tuple[str, ...]:
    """Returns the addresses in a text. An address that ends with punctuation is also returned without it.

    The result is cached, because each call of a run searches everything that was read before it.
    """
    return tuple(dict.fromkeys(address for readings in each_in(text) for address in readings))


def each_in(text: str) -> Iterator[list[str]]:
    """Yields the possible readings of each address in a text: with and without punctuation at its end."""
    for match in _ADDRESS.finditer(text):
        address = match.group()
        readings = [address]
        while len(readings) < _MAX_READINGS and address[-1] in _TRAILING:
            address = address[:-1]
            readings.append(address)
        yield readings


def bare_in(text: str) -> Iterator[str]:
    """Yields the addresses in a text whose scheme is missing or not HTTP, converted to HTTPS addresses."""
    for match in _BARE.finditer(_ADDRESS.sub(" ", text)):
        if match["name"].rpartition(".")[2].lower() not in _FILE_ENDINGS:
            yield f"https://{match['name']}{match['rest'] or ''}"


def pages(part: ToolReturnPart) -> Iterator[dict[str, Any]]:
    """Yields the results of a search tool, each with an address; nothing for other tools."""
    content: Any = part.content
    results = content.get("results") if part.tool_name == "search" and isinstance(content, dict) else None
    yield from (one for one in (results if isinstance(results, list) else ()) if isinstance(one, dict))
