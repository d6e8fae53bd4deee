"""Turns JSON that Python accepts into JSON that every reader accepts. Models write numbers and texts of any kind."""

import math
import re
from typing import Any, Final

import orjson

_LEAST: Final = -(2**63)
_MOST: Final = 2**64 - 1
_UNSEEN_SIGNS: Final = (
    "\x00-\x1f\x7f-\x9f\\s"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u2800\ufffc\U00013441\U00013442\U00016fe4\U0001d159"
)
"""Blanks, control characters, `Default_Ignorable_Code_Point` of Unicode, and characters that fonts draw as blanks."""
_UNSEEN: Final = re.compile(f"[{_UNSEEN_SIGNS}]+")
_SEEN: Final = re.compile(f"[^{_UNSEEN_SIGNS}]")


def plain_text(value: str) -> str:
    """A text with U+FFFD in place of NUL and lone surrogates, which PostgreSQL or UTF-8 cannot store."""
    if "\0" not in value and (value.isascii() or _is_unicode(value)):
        return value
    return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def is_visible(text: str) -> bool:
    """Whether a text has a visible character: no blank of any script, and no character without width."""
    return any(one[0].isprintable() for one in _SEEN.finditer(text))


def without_unseen(text: str) -> str:
    """A text without blanks and other invisible characters."""
    return _UNSEEN.sub("", text)


def plain_json(value: Any) -> Any:
    """A JSON value with valid Unicode only. Integers above 64 bits are rounded; NaN and infinity become null."""
    match value:
        case str():
            return plain_text(value)
        case int() | float():
            return _number(value)
        case dict():
            return {plain_json(key): plain_json(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case list() | tuple():
            return [plain_json(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def encoded(value: Any) -> bytes:
    """A JSON value encoded as bytes. It is made plain first if orjson refuses it."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return orjson.dumps(plain_json(value))


def _number(number: float) -> float | None:
    if isinstance(number, int) and _LEAST <= number <= _MOST:
        return number
    try:
        rounded = float(number)
    except OverflowError:
        return None
    return rounded if math.isfinite(rounded) else None
