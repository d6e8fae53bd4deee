"""Typed access to Google's responses. A value of an unexpected type counts as missing.

Functions raise `errors.DriveError` if the response as a whole is unusable.
"""

import re
from datetime import datetime
from typing import Any

from leaf.google import refusals

_SIZE_DIGITS = 18
_IDENTIFIER = re.compile(r"[A-Za-z0-9_.~-]{1,300}")


def mapping(given: Any) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(given, dict):
        raise refusals.nonsense()
    return given  # pyright: ignore[reportUnknownVariableType]


def items(given: Any) -> list[Any]:
    """A JSON list; empty if it is missing, as Drive omits empty lists."""
    if given is not None and not isinstance(given, list):
        raise refusals.nonsense()
    return given or []  # pyright: ignore[reportUnknownVariableType]


def content(given: Any) -> bytes:
    """The bytes of a file."""
    if not isinstance(given, bytes):
        raise refusals.nonsense()
    return given


def page_token(given: Any) -> str | None:
    """The token of the next page of a listing."""
    if given is not None and not isinstance(given, str):
        raise refusals.nonsense()
    return given or None


def text(given: Any) -> str | None:
    """A text that is not empty. Lone surrogates, which no encoding can represent, become U+FFFD."""
    if not isinstance(given, str) or not given:
        return None
    return given if given.isascii() else given.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def identifier(given: Any) -> str | None:
    """An id or key, safe for use in addresses, queries and headers."""
    return given if isinstance(given, str) and _IDENTIFIER.fullmatch(given) else None


def address(given: Any) -> str | None:
    """A web address (http or https)."""
    found = text(given)
    return found if found is not None and found.startswith(("https://", "http://")) else None


def moment(given: Any) -> str | None:
    """A date and time in the format of RFC 3339, unchanged."""
    try:
        datetime.fromisoformat(given)
    except (TypeError, ValueError):
        return None
    return given


def size(given: Any) -> int | None:
    """A number of bytes, which Drive sends as a string."""
    digits = version(given) or ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _SIZE_DIGITS else None


def version(given: Any) -> str | None:
    """A revision or version, which may be a string or a number."""
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given) if abs(given) < 10**_SIZE_DIGITS else None
    return text(given)
