"""JSON that every reader takes, out of JSON that Python took: models write numbers and texts of any kind."""

import math
from typing import Any, Final

import orjson

_LEAST: Final = -(2**63)
_MOST: Final = 2**64 - 1


def plain_text(value: str) -> str:
    """A text with U+FFFD in place of NUL and of halves of characters, which PostgreSQL and UTF-8 do not have."""
    if "\0" not in value and (value.isascii() or _is_unicode(value)):
        return value
    return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def is_visible(text: str) -> bool:
    """Whether a text has a sign that is seen: neither a blank nor one of no width."""
    return any(sign.isprintable() and not sign.isspace() for sign in text)


def plain_json(value: Any) -> Any:
    """A JSON value with valid Unicode only, rounded numbers above 64 bits, and null for NaN and infinity."""
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
    """A JSON value as bytes."""
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
