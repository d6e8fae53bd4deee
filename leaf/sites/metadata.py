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


def metadata_of(
    given: object, field: str = "metadata", *, most_bytes: int = BYTES, most_depth: int = DEPTH
) -> Metadata:
    """The metadata that a request sets; empty for None.

    Args:
        given: A JSON object, or None.
        field: The name of the field in errors.
        most_bytes: The largest size as JSON.
        most_depth: The largest number of levels of objects and arrays.

    Raises:
        errors.Invalid: The value is not an object, is too large or too deep, or cannot be stored by the database.
    """
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise errors.Invalid(f"{field} must be an object.", field=field)
    if _depth(cast("object", given), most_depth) > most_depth:
        raise errors.Invalid(f"{field} may be {most_depth} levels deep.", field=field)
    try:
        written = orjson.dumps(given)
        size = len(written) if len(written) > most_bytes else len(written) + _zeros(cast("object", given))
    except (TypeError, ValueError) as error:
        raise errors.Invalid(f"{field} is no JSON.", field=field) from error
    if size > most_bytes:
        raise errors.Invalid(f"{field} may have {most_bytes} bytes as JSON.", field=field)
    if _NUL.search(written):
        raise errors.Invalid(f"{field} holds a character that cannot be stored.", field=field)
    return cast("Metadata", given)


def _depth(value: object, most: int) -> int:
    """The number of levels of objects and arrays. The recursion ends when there are more than `most`."""

    def look(one: object, level: int) -> int:
        if level > most or not isinstance(one, dict | list):
            return level
        inner = cast("dict[str, object]", one).values() if isinstance(one, dict) else cast("list[object]", one)
        return max((look(each, level + 1) for each in inner), default=level + 1)

    return look(value, 0)


def _zeros(value: object) -> int:
    """The number of further characters if numbers are written without an exponent, as PostgreSQL writes them.

    Raises:
        ValueError: A number is not finite. JSON has no such numbers, and orjson would write `null`.
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(value)
        return len(f"{Decimal(repr(value)):f}") - len(repr(value))
    if isinstance(value, dict):
        return sum(map(_zeros, cast("dict[str, object]", value).values()))
    return sum(map(_zeros, cast("list[object]", value))) if isinstance(value, list) else 0
