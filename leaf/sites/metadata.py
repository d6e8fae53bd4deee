"""Metadata that programs keep with conversations and messages: any JSON object of limited size and depth."""

import math
import re
from decimal import Decimal
from typing import Any, Final, cast

import orjson

from leaf import errors

Metadata = dict[str, Any]
BYTES: Final = 16 * 1024
DEPTH: Final = 16
_NUL: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""A NUL in JSON. After an odd number of further backslashes, the same characters are text."""


def metadata_of(sent: object, field: str = "metadata", *, max_bytes: int = BYTES, max_depth: int = DEPTH) -> Metadata:
    """The metadata that a request sets; empty for None.

    Args:
        sent: A JSON object, or None.
        field: The name of the field in errors.
        max_bytes: The largest size as JSON.
        max_depth: The largest number of levels of objects and arrays.

    Raises:
        errors.Invalid: The value is not an object, is too large or too deep, or cannot be stored by the database.
    """
    if sent is None:
        return {}
    if not isinstance(sent, dict):
        raise errors.Invalid(f"{field} must be an object.", field=field)
    if _depth(cast("object", sent), max_depth) > max_depth:
        raise errors.Invalid(f"{field} may be {max_depth} levels deep.", field=field)
    try:
        encoded = orjson.dumps(sent)
        size = len(encoded)
        if size <= max_bytes:
            size += _exponent_zeros(cast("object", sent))
    except (TypeError, ValueError) as error:
        raise errors.Invalid(f"{field} is no JSON.", field=field) from error
    if size > max_bytes:
        raise errors.Invalid(f"{field} may have {max_bytes} bytes as JSON.", field=field)
    if _NUL.search(encoded):
        raise errors.Invalid(f"{field} holds a character that cannot be stored.", field=field)
    return cast("Metadata", sent)


def _depth(value: object, limit: int, level: int = 0) -> int:
    """The number of levels of objects and arrays. The recursion ends when there are more than `limit`."""
    if level > limit or not isinstance(value, dict | list):
        return level
    inner = cast("dict[str, object]", value).values() if isinstance(value, dict) else cast("list[object]", value)
    return max((_depth(one, limit, level + 1) for one in inner), default=level + 1)


def _exponent_zeros(value: object) -> int:
    """The characters that PostgreSQL adds to the numbers in a value, because it writes them without an exponent.

    Raises:
        ValueError: A number is not finite. JSON has no such numbers, and orjson would write `null`.
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(value)
        return len(f"{Decimal(repr(value)):f}") - len(repr(value))
    if isinstance(value, dict):
        return sum(map(_exponent_zeros, cast("dict[str, object]", value).values()))
    return sum(map(_exponent_zeros, cast("list[object]", value))) if isinstance(value, list) else 0
