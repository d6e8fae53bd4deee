"""Text that can be stored: a request with any other text is refused before anything is done with it.

PostgreSQL stores neither U+0000 nor halves of characters (lone surrogates), and UTF-8 has no form for the latter.
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
"""Escapes in JSON that may stand for such a character. Without an escape, JSON holds neither."""


class Unstorable(errors.Invalid):
    """A text of a request cannot be stored."""


class Body(Request):
    """A request whose JSON holds storable text only."""

    async def json(self) -> Any:
        """The JSON of the body, in UTF-8.

        Python would also read UTF-16 and UTF-32, and halves of characters that stand in UTF-8 without an escape.

        Raises:
            Unstorable: A text in it cannot be stored; it names the field.
            UnicodeDecodeError: The body is not in UTF-8.
        """
        body = await self.body()
        value = _loaded(body.decode("utf-8-sig"))
        if _SUSPICIOUS.search(body):
            _require_json(value)
        return value


def _loaded(text: str) -> Any:
    """The value of a JSON text.

    Each list counts as garbage to look for while it is made: with a megabyte of empty ones, searching for it would hold
    up everybody for half a second.
    """
    with responsiveness.without_collections():
        return json.loads(text)


def require_address(scope: Scope) -> None:
    """Checks the path and the query of a request.

    Raises:
        Unstorable: A text in it cannot be stored; it names the field.
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
        Unstorable: It cannot be stored.
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
