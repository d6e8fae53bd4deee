"""Reduces a client's large request to the parts that Leaf reads. Pure.

Clients of the AI SDK send their whole history with every question. Leaf reads only the id and the role of all messages
but the last. Other values are dropped before they become objects of the web process.
"""

import json
from typing import Any, Final

MOST_VALUES: Final = 100_000
"""Maximum number of values in a reduced request."""
_MOST_MESSAGES: Final = 20_001
_MOST_PARTS: Final = 2_001
_MOST_TOOLS: Final = 100
"""Each of these limits is one more than Leaf accepts, so that the usual refusal still applies."""
_LISTED: Final = {"clientTools": _MOST_TOOLS}


class Malformed(Exception):
    """The request cannot be read; the message says why."""


class TooMany(Exception):
    """The reduced request still has too many values."""


def essential(data: bytes) -> bytes:
    """The request without the values that Leaf does not read.

    Raises:
        Malformed: It is not JSON.
        TooMany: More than `MOST_VALUES` values are left.
    """
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise Malformed(error.msg) from None
    except (RecursionError, UnicodeDecodeError):
        raise Malformed from None
    if isinstance(value, dict):
        value = {str(name): _cut(str(name), one) for name, one in value.items()}
    if _values(value) > MOST_VALUES:
        raise TooMany
    return json.dumps(value).encode()


def _cut(name: str, value: Any) -> Any:
    if name == "messages" and isinstance(value, list):
        *earlier, last = value[:_MOST_MESSAGES] or [None]
        return [*(_head(one) for one in earlier), _whole(last)]
    if name == "message":
        return _whole(value)
    if isinstance(value, list):
        return value[: _LISTED.get(name, 0)]
    return value if isinstance(value, str | bool | int | float) else None


def _head(message: Any) -> Any:
    return {name: message[name] for name in ("id", "role") if name in message} if isinstance(message, dict) else message


def _whole(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    return {
        name: value[:_MOST_PARTS] if isinstance(value, list) else value
        for name, value in message.items()
        if name in {"id", "role", "parts", "content"}
    }


def _values(value: Any) -> int:
    """The number of nested values, counted until `MOST_VALUES` is exceeded."""
    count, waiting = 0, [value]
    while waiting and count <= MOST_VALUES:
        one = waiting.pop()
        count += 1
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return count
