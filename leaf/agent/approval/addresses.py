"""Addresses as they stand in texts, results and messages: their hosts, and what they ask of them. Pure.

Hosts are compared as the client that asks them reads them (`leaf.outbound`), so no spelling means two of them.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pydantic_ai.messages import ToolReturnPart

from leaf import outbound

_ADDRESS = re.compile(r"https?://[^\s\"'<>\\`]+", re.IGNORECASE)
_AROUND = ".,;:!?)]}*_"
"""What may stand behind an address in a text."""
_MARKS = 6
"""At most so many of these are taken off: a page may be made of nothing else."""
_NAME = re.compile(r"(?<![\w@./%-])(?:\w(?:[\w-]{0,61}\w)?\.)+\w(?:[\w-]{0,61}\w)(?::\d{2,5})?(?![\w@-])")
"""A host without a scheme, such as `example.com`."""
_BARE = re.compile(
    r"(?<![\w.-])(?P<name>(?:[^\W_](?:[\w-]{0,61}\w)?\.){1,8}[^\W\d_]{2,24})(?![\w-])"
    r"(?P<rest>[:/?#][^\s\"'<>\\`]*)?",
    re.IGNORECASE,
)
_FILE_ENDINGS = frozenset(
    {"md", "txt", "csv", "zip", "mov", "py", "rs", "sh", "pl", "ps", "ai", "so", "cc", "app", "doc", "docx", "pdf"}
)
"""Names that end so are files in what people write, although some of these are domains too."""


def place_of(address: str) -> str:
    """The host that an address asks, with its port where that is not the usual one; empty where it is no address."""
    try:
        origin = outbound.origin_of(address)
    except outbound.NotPermitted:
        return ""
    place = origin.partition("://")[2]
    name, _, port = place.rpartition(":")
    return name if port in {"80", "443"} else place


def named_in(text: str) -> set[str]:
    """The hosts that a text names, with a scheme or without."""
    places = {place_of(address) for address in in_text(text)}
    for match in _NAME.finditer(text):
        name = match.group()
        if name.partition(":")[0].rpartition(".")[2].lower() not in _FILE_ENDINGS:
            places.add(place_of(f"https://{name}"))
    return places - {""}


@lru_cache(maxsize=512)
def targets(text: str) -> dict[str, list[str]]:
    """What the addresses in a text ask of each host. Remembered, as `in_text` is."""
    found: dict[str, list[str]] = {}
    for address in in_text(text):
        found.setdefault(place_of(address), []).append(outbound.target_of(address))
    return found


def common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    length = min(len(one), len(other))
    return next((place for place in range(length) if one[place] != other[place]), length)


@lru_cache(maxsize=512)
def in_text(text: str) -> tuple[str, ...]:
    """The addresses that stand in a text; of one with a mark behind it also the shorter ones.

    Remembered: each call of a run looks through all that was read before it.
    """
    return tuple(dict.fromkeys(address for one in each_in(text) for address in one))


def each_in(text: str) -> Iterator[list[str]]:
    """The same, with the ways to read each address by themselves."""
    for match in _ADDRESS.finditer(text):
        address = match.group()
        ways = [address]
        while len(ways) < _MARKS and address[-1] in _AROUND:
            address = address[:-1]
            ways.append(address)
        yield ways


def bare_in(text: str) -> Iterator[str]:
    """The addresses that stand in a text without a scheme, or with another one, read as those of web pages."""
    for match in _BARE.finditer(_ADDRESS.sub(" ", text)):
        if match["name"].rpartition(".")[2].lower() not in _FILE_ENDINGS:
            yield f"https://{match['name']}{match['rest'] or ''}"


def pages(part: ToolReturnPart) -> Iterator[dict[str, Any]]:
    """What a search has found; nothing of other tools."""
    content: Any = part.content
    results = content.get("results") if part.tool_name == "search" and isinstance(content, dict) else None
    yield from (one for one in (results if isinstance(results, list) else ()) if isinstance(one, dict))
