"""The context of a visitor's page: bounded, shown to the site's team, and only data to every model."""

from typing import Any, Final

import orjson

from leaf import errors

Context = dict[str, Any]
"""`pageUrl`, `referrer`, `userAgent`, `locale`, `timezone` and `customMetadata`; unknown ones are absent."""

CHARACTERS: Final = {"pageUrl": 2000, "referrer": 2000, "userAgent": 300, "locale": 35, "timezone": 64}
"""Longer ones are cut."""
METADATA: Final = "customMetadata"
METADATA_BYTES: Final = 4096
METADATA_DEPTH: Final = 5


def context_of(given: object, *, user_agent: str = "") -> Context:
    """The accepted part of a context that a page sent.

    Args:
        given: A JSON object, or None.
        user_agent: User agent of the request, used if the page sent none.

    Raises:
        errors.Invalid: It is not an object, a field is not a text, or `customMetadata` is too large or too deep.
    """
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise errors.Invalid("context must be an object.", field="context")
    said: dict[str, Any] = given  # pyright: ignore[reportUnknownVariableType]
    kept: Context = {}
    for name, most in CHARACTERS.items():
        value = said.get(name)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise errors.Invalid(f"context.{name} must be a text.", field=f"context.{name}")
        kept[name] = _plain(value)[:most]
    if user_agent and "userAgent" not in kept:
        kept["userAgent"] = _plain(user_agent)[: CHARACTERS["userAgent"]]
    if (metadata := said.get(METADATA)) is not None:
        kept[METADATA] = _metadata(metadata)
    return kept


def _metadata(given: Any) -> dict[str, Any]:
    field = f"context.{METADATA}"
    if not isinstance(given, dict):
        raise errors.Invalid(f"{field} must be an object.", field=field)
    if _depth(given) > METADATA_DEPTH:
        raise errors.Invalid(f"{field} may be {METADATA_DEPTH} levels deep.", field=field)
    try:
        written = orjson.dumps(given)
    except (TypeError, ValueError) as error:
        raise errors.Invalid(f"{field} is no JSON.", field=field) from error
    if len(written) > METADATA_BYTES:
        raise errors.Invalid(f"{field} may have {METADATA_BYTES} bytes as JSON.", field=field)
    if b"\\u0000" in written:
        raise errors.Invalid(f"{field} holds a character that cannot be stored.", field=field)
    return given  # pyright: ignore[reportUnknownVariableType]


def _depth(value: Any) -> int:
    """How many levels of objects and arrays; a recursion that ends soon after there are too many."""

    def look(one: Any, level: int) -> int:
        if level > METADATA_DEPTH or not isinstance(one, dict | list):
            return level
        inner: Any = one.values() if isinstance(one, dict) else one  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return max((look(each, level + 1) for each in inner), default=level + 1)

    return look(value, 0)


def _plain(text: str) -> str:
    """A text without what PostgreSQL refuses or a log would be broken by."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()
