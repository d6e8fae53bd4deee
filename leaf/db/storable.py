"""Conversion of values to what PostgreSQL can store: text without NUL and lone surrogates, JSON without NaN.

Text from a PDF or from the clipboard may contain U+0000, and a stream that is cut inside an emoji ends with half a
surrogate pair. PostgreSQL refuses rows with either, so both become U+FFFD here.
"""

import json

import orjson
from sqlalchemy import Dialect, String, Text
from sqlalchemy.types import TypeDecorator

from leaf import parts, texts


def text(value: str) -> str:
    """Return the value with U+FFFD in place of each character that PostgreSQL cannot store."""
    return parts.plain_text(value)


def line(value: str, most: int) -> str:
    """Return the value as one line that can be stored, for a name of at most `most` characters: of a much longer value
    the beginning, which is still too long. Signs that turn its direction are dropped.
    """
    return " ".join(texts.without_turning(text(value[: 10 * most])).split())


def name(value: str, most: int) -> str | None:
    """Return the value as a name of one line; None if it has more than `most` characters, or none that is seen."""
    found = line(value, most)
    return found if len(found) <= most and parts.is_visible(found) else None


def json_text(value: object) -> str:
    """Return the value as JSON for a jsonb column; NaN and the infinities become null."""
    try:
        written = orjson.dumps(value)
    except TypeError:
        written = b""
    # Neither what orjson does not take nor a NUL occurs in usual values, and the other way takes ten times as long.
    if written and b"\\u0000" not in written:
        return written.decode()
    return json.dumps(parts.plain_json(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class StorableText(TypeDecorator[str]):
    """Text of any length."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        return None if value is None else text(value)


class StorableString(TypeDecorator[str]):
    """Text of at most `length` characters."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        return None if value is None else text(value)
