"""Typed access to Google's responses. A value of an unexpected type counts as missing.

Functions raise `errors.DriveError` if the response as a whole is unusable.
"""

import re
from datetime import datetime
from typing import Any

from leaf import texts
from leaf.google import refusals
from leaf.parts import is_visible, plain_text

_SIZE_DIGITS = 18
_IDENTIFIER = re.compile(r"[A-Za-z0-9_.~-]{1,300}")


def mapping(value: Any) -> dict[str, Any]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise refusals.unexpected_response()
    return value  # pyright: ignore[reportUnknownVariableType]


def items(value: Any) -> list[Any]:
    """A JSON list; empty if it is missing, as Drive omits empty lists."""
    if value is not None and not isinstance(value, list):
        raise refusals.unexpected_response()
    return value or []  # pyright: ignore[reportUnknownVariableType]


def content(value: Any) -> bytes:
    """The bytes of a file."""
    if not isinstance(value, bytes):
        raise refusals.unexpected_response()
    return value


def page_token(value: Any) -> str | None:
    """The token of the next page of a listing."""
    if value is not None and not isinstance(value, str):
        raise refusals.unexpected_response()
    return value or None


def text(value: Any) -> str | None:
    """A text that is not empty, without NUL and lone surrogates (`parts.plain_text`)."""
    return plain_text(value) if isinstance(value, str) and value else None


def name(value: Any) -> str | None:
    """A name with visible characters, on one line, without controls of the text direction.

    Anybody who shares a file chooses its name, and such a control could reverse the end of it, or the words after it.
    """
    line = texts.without_bidi_controls(refusals.CONTROLS.sub(" ", text(value) or "")).strip()
    return line if is_visible(line) else None


def identifier(value: Any) -> str | None:
    """An id or key, safe for use in addresses, queries and headers."""
    return value if isinstance(value, str) and _IDENTIFIER.fullmatch(value) else None


def address(value: Any) -> str | None:
    """A web address (http or https)."""
    found = text(value)
    return found if found is not None and found.startswith(("https://", "http://")) else None


def moment(value: Any) -> str | None:
    """A date and time in the format of RFC 3339, unchanged."""
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return value


def size(value: Any) -> int | None:
    """A number of bytes, which Drive sends as a string."""
    digits = version(value) or ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _SIZE_DIGITS else None


def version(value: Any) -> str | None:
    """A revision or version, which may be a string or a number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**_SIZE_DIGITS else None
    return text(value)
