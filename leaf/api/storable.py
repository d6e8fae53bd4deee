"""Refuses requests with text that cannot be stored, before they are handled.

PostgreSQL stores neither U+0000 nor lone surrogates, and UTF-8 cannot encode lone surrogates.
"""

import json
import re
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.requests import Request
from starlette.types import Scope

from leaf import errors
from leaf.telemetry import responsiveness

_SUSPICIOUS = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
"""Matches escapes in JSON that may be U+0000 or a lone surrogate. JSON in UTF-8 cannot contain them without escapes."""


class Unstorable(errors.Invalid):
    """A request contains text that cannot be stored."""


class Body(Request):
    """A request whose JSON contains only text that can be stored."""

    async def json(self) -> Any:
        """The JSON of the body, in UTF-8.

        Python's own reader would also accept UTF-16, UTF-32, and unescaped lone surrogates in UTF-8.

        Raises:
            Unstorable: A text in the body cannot be stored. The exception names the field.
            UnicodeDecodeError: The body is not valid UTF-8.
            ValueError: The body is not JSON.
        """
        body = await self.body()
        # The new lists and objects would trigger the garbage collector so often that a megabyte of empty lists would
        # block the process for half a second.
        with responsiveness.without_collections():
            value = json.loads(body.decode("utf-8-sig"))
        if _SUSPICIOUS.search(body):
            _require_json(value)
        return value


def require_address(scope: Scope) -> None:
    """Checks the path and the query of a request.

    Raises:
        Unstorable: The path or query contains text that cannot be stored. The exception names the field.
    """
    require(_decoded(scope.get("raw_path") or scope["path"].encode("utf-8", "surrogatepass"), "path"), "path")
    for pair in scope.get("query_string", b"").split(b"&"):
        name, _, value = pair.partition(b"=")
        field = _decoded(name, "query")[:200] or "query"
        require(field, "query")
        require(_decoded(value, field), field)


def require(text: str, field: str) -> None:
    """Checks one text.

    Raises:
        Unstorable: The text cannot be stored.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _refusal(field) from None
    if "\0" in text:
        raise _refusal(field)


def _decoded(sent: bytes, field: str) -> str:
    try:
        return unquote_to_bytes(sent).decode()
    except UnicodeDecodeError:
        raise _refusal(field) from None


def _require_json(value: Any) -> None:
    left: list[tuple[Any, str]] = [(value, "")]
    while left:
        one, field = left.pop()
        match one:
            case str():
                require(one, field[:200] or "body")
            case dict():
                for key, item in one.items():  # pyright: ignore[reportUnknownVariableType]
                    require(str(key), field[:200] or "body")  # pyright: ignore[reportUnknownArgumentType]
                    left.append((item, f"{field}.{key}" if field else str(key)))  # pyright: ignore[reportUnknownArgumentType]
            case list():
                left += [(item, f"{field}[{place}]") for place, item in enumerate(one)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            case _:
                pass


def _refusal(field: str) -> Unstorable:
    field = field.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return Unstorable(f"{field}: it holds a character that cannot be stored (U+0000, or half of one).", field=field)
