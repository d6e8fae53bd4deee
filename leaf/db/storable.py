"""Converts values into a form that PostgreSQL can store: text without NUL and lone surrogates, JSON without NaN.

Text from a PDF or from the clipboard may contain U+0000. A stream that is cut inside an emoji ends with half a
surrogate pair. PostgreSQL refuses both, so they become U+FFFD here.
"""

import json

import orjson
from sqlalchemy import Dialect, String, Text
from sqlalchemy.types import TypeDecorator

from leaf import parts, texts


def text(value: str) -> str:
    """Returns the value with U+FFFD in place of each character that PostgreSQL cannot store."""
    return parts.plain_text(value)


def line(value: str, most: int) -> str:
    """Returns the value as one line that can be stored, without characters that change the text direction.

    A value of more than ten times `most` characters is cut to that length, so the result can still be longer than
    `most`.
    """
    return " ".join(texts.without_bidi_controls(text(value[: 10 * most])).split())


def name(value: str, most: int) -> str | None:
    """Returns the value as a name of one line; None if it has more than `most` characters or no visible ones."""
    found = line(value, most)
    return found if len(found) <= most and parts.is_visible(found) else None


def json_text(value: object) -> str:
    """Returns the value as JSON for a jsonb column. NaN and the infinities become null."""
    try:
        written = orjson.dumps(value)
    except TypeError:
        written = b""
    # Values that orjson refuses, and NUL, are rare. The fallback handles them, but takes ten times as long.
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
