"""What a search found, whoever was asked. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from typing import Any

from leaf import documents

SNIPPET_CHARACTERS = 1500
_TITLE_CHARACTERS = 200
_TAGS = re.compile(r"</?[a-zA-Z][^<>]{0,100}>")


@dataclass(frozen=True)
class Result:
    """One page that was found."""

    title: str
    url: str
    snippet: str
    published: str | None = None
    """A date, as the service gave it."""


@dataclass(frozen=True)
class Extract:
    """A page that a service has read."""

    text: str
    title: str = ""
    url: str = ""
    """Where it was in the end, as the service says; empty where it does not."""


def result(title: Any, url: Any, snippet: Any, published: Any = None) -> Result | None:
    """A result from what a service gave; None where that names no web page.

    Services mark words with tags, give texts of any length, and cut them within a character.
    """
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return None
    url = documents.clean(url.strip())
    return Result(
        plain(title, _TITLE_CHARACTERS) or url, url, plain(snippet, SNIPPET_CHARACTERS), plain(published, 40) or None
    )


def listed(results: Iterable[Result | None], limit: int) -> list[Result]:
    """The results that there are, each address once.

    Args:
        results: As the service gave them, best first.
        limit: How many.
    """
    found = {one.url: one for one in reversed([one for one in results if one is not None])}
    return list(reversed(found.values()))[:limit]


def plain(text: Any, limit: int) -> str:
    """Text without tags, on one line."""
    if not isinstance(text, str):
        return ""
    line = " ".join(unescape(_TAGS.sub("", documents.clean(text))).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def entries(value: Any) -> list[dict[str, Any]]:
    """The objects of a list, whatever else it may hold.

    Raises:
        TypeError: It is no list.
    """
    if not isinstance(value, list):
        raise TypeError(type(value))
    return [entry for entry in value if isinstance(entry, dict)]
