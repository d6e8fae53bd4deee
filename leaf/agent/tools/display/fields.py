"""The types of text in the inputs of display tools: one line, several lines, a web address, and a name."""

import re
from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from leaf import parts, texts

LINE_CHARACTERS = 200
TEXT_CHARACTERS = 2000
ADDRESS_CHARACTERS = 2048

_INVISIBLE = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f]|{texts.BIDI_CONTROLS.pattern}")
"""Control characters and characters that change the direction of text, which could disguise an address."""
_NOT_IN_ADDRESSES = re.compile(r"[\s\\<>\"`{}|^]")


def one_line(text: str) -> str:
    """Returns a text on one line, without invisible characters."""
    return " ".join(_INVISIBLE.sub(" ", text).split())


def lines(text: str) -> str:
    """Returns a text without invisible characters, except line ends."""
    return _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def _of_texts(tidy: Callable[[str], str]) -> BeforeValidator:
    """Returns a validator that tidies strings. Other values are kept, so that later validation refuses them."""
    return BeforeValidator(lambda value: tidy(value) if isinstance(value, str) else value)


def web_address(text: str) -> str:
    """Returns an address that a browser may open.

    Raises:
        ValueError: The text is not a valid http or https address, or the address disguises its host.
    """
    try:
        split = parts.split_address(text)
        _ = split.port
    except ValueError:
        raise ValueError("is no web address") from None
    if split.scheme not in {"http", "https"} or not split.hostname:
        raise ValueError("must be a whole web address that begins with http:// or https://")
    if split.username is not None or split.password is not None:
        raise ValueError("must not hold a user name or a password")
    if _NOT_IN_ADDRESSES.search(text) or _INVISIBLE.search(text):
        raise ValueError("holds characters that no web address has")
    return text


def domain_of(address: str) -> str:
    """Returns the host of an address without `www.`."""
    return (parts.split_address(address).hostname or "").removeprefix("www.")


Line = Annotated[str, Field(min_length=1, max_length=LINE_CHARACTERS), _of_texts(one_line)]
"""A text on one line, with single blanks."""
Text = Annotated[str, Field(min_length=1, max_length=TEXT_CHARACTERS), _of_texts(lines)]
"""A plain text, which may have several lines."""
Address = Annotated[str, Field(max_length=ADDRESS_CHARACTERS), _of_texts(one_line), AfterValidator(web_address)]
"""An address on the web."""
Name = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.-]+$")]
"""An id or key."""
