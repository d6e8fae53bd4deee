"""What PostgreSQL accepts: text without NUL and without lone surrogates, JSON without NaN.

Text extracted from a PDF and text pasted by a person may hold U+0000, and a stream cut inside an emoji leaves half a
surrogate pair. PostgreSQL refuses a row with either, so both become U+FFFD here.
"""

import json

from sqlalchemy import Dialect, String, Text
from sqlalchemy.types import TypeDecorator

from leaf import parts


def text(value: str) -> str:
    """The value with U+FFFD in place of each character that PostgreSQL cannot store."""
    return parts.plain_text(value)


def json_text(value: object) -> str:
    """The value as JSON that a jsonb column and its readers accept; NaN and the infinities become null."""
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
