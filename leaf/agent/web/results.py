"""Results of searches, in the same form for all services. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from typing import Any, Literal

from leaf import parts

SNIPPET_CHARACTERS = 1500
_TITLE_CHARACTERS = 200
_TAGS = re.compile(r"</?[a-zA-Z][^<>]{0,100}>")


Form = Literal["page", "picture", "video"]


@dataclass(frozen=True)
class Result:
    """A page that a search found."""

    title: str
    url: str
    snippet: str
    published: str | None = None
    """A date in the service's own format."""
    form: Form = "page"
    """The kind of result. The address of a picture or video is that of the page that shows it."""


@dataclass(frozen=True)
class Extract:
    """A page that a service has read."""

    text: str
    title: str = ""
    url: str = ""
    """The final address according to the service; empty if it is unknown."""


def result(title: Any, url: Any, snippet: Any, published: Any = None) -> Result | None:
    """Returns a result made of a service's fields; None if they contain no web address.

    Services mark words with tags, return texts of any length, and cut texts within a character.
    """
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return None
    url = parts.plain_text(url.strip())
    return Result(
        plain(title, _TITLE_CHARACTERS) or url, url, plain(snippet, SNIPPET_CHARACTERS), plain(published, 40) or None
    )


def listed(results: Iterable[Result | None], limit: int) -> list[Result]:
    """Returns the results without None and without duplicate addresses."""
    found: dict[str, Result] = {}
    for one in results:
        if one is not None:
            found.setdefault(one.url, one)
    return list(found.values())[:limit]


def plain(text: Any, limit: int) -> str:
    """Returns a text without tags on one line, cut to `limit` characters; empty if the value is not a string."""
    if not isinstance(text, str):
        return ""
    line = " ".join(unescape(_TAGS.sub("", parts.plain_text(text))).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def entries(value: Any) -> list[dict[str, Any]]:
    """Returns the objects of a list, without its other values.

    Raises:
        TypeError: The value is not a list.
    """
    if not isinstance(value, list):
        raise TypeError(type(value))
    return [entry for entry in value if isinstance(entry, dict)]
