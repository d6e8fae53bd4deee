"""The kinds of text that display tools take: one line, several lines, an address on the web."""

import re
from collections.abc import Callable
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

LINE_CHARACTERS = 200
TEXT_CHARACTERS = 2000
ADDRESS_CHARACTERS = 2048

_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of what follows: an address could look like another one."""
_NOT_IN_ADDRESSES = re.compile(r"[\s\\<>\"`{}|^]")


def one_line(text: str) -> str:
    """A text on one line, without what cannot be seen."""
    return " ".join(_UNSEEN.sub(" ", text).split())


def lines(text: str) -> str:
    """A text without what cannot be seen, line ends excepted."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def _of_texts(tidy: Callable[[str], str]) -> BeforeValidator:
    """Leaves what is no text to be refused."""
    return BeforeValidator(lambda value: tidy(value) if isinstance(value, str) else value)


def web_address(text: str) -> str:
    """An address that a browser may open.

    Raises:
        ValueError: It is none of the web (http, https), or it hides where it leads.
    """
    try:
        split = urlsplit(text)
        _ = split.port
    except ValueError:
        raise ValueError("is no web address") from None
    if split.scheme not in {"http", "https"} or not split.hostname:
        raise ValueError("must be a whole web address that begins with http:// or https://")
    if split.username is not None or split.password is not None:
        raise ValueError("must not hold a user name or a password")
    if _NOT_IN_ADDRESSES.search(text) or _UNSEEN.search(text):
        raise ValueError("holds characters that no web address has")
    return text


def domain_of(address: str) -> str:
    """The name of the site that an address leads to, as people say it."""
    return (urlsplit(address).hostname or "").removeprefix("www.")


Line = Annotated[str, Field(min_length=1, max_length=LINE_CHARACTERS), _of_texts(one_line)]
"""A text on one line; blanks are made single ones."""
Text = Annotated[str, Field(min_length=1, max_length=TEXT_CHARACTERS), _of_texts(lines)]
"""A plain text, which may have several lines."""
Address = Annotated[str, Field(max_length=ADDRESS_CHARACTERS), _of_texts(one_line), AfterValidator(web_address)]
"""An address on the web."""
Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.-]+$")]
"""An id or key."""
