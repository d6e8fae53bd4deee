"""What PostgreSQL accepts: text without NUL and without lone surrogates, JSON without NaN.

Text extracted from a PDF and text pasted by a person may hold U+0000, and a stream cut inside an emoji leaves half a
surrogate pair. PostgreSQL refuses a row with either, so both become U+FFFD here.
"""

import json
import math
from typing import Any

from sqlalchemy import Dialect, String, Text
from sqlalchemy.types import TypeDecorator


def text(value: str) -> str:
    """The value with U+FFFD in place of each character that PostgreSQL cannot store."""
    if value.isascii() and "\0" not in value:
        return value
    return value.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def json_text(value: object) -> str:
    """The value as JSON that a jsonb column accepts; NaN and the infinities become null."""
    return json.dumps(_cleaned(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return text(value)
        case float() if not math.isfinite(value):
            return None
        case dict():
            return {_cleaned(key): _cleaned(item) for key, item in value.items()}
        case list() | tuple():
            return [_cleaned(item) for item in value]
        case _:
            return value


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
