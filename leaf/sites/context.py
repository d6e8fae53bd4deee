"""The context of a visitor's page. It has a limited size, the site's team sees it, and models get it only as data."""

from typing import Any, Final

from leaf import errors
from leaf.sites.metadata import metadata_of

Context = dict[str, Any]
"""`pageUrl`, `referrer`, `userAgent`, `locale`, `timezone` and `customMetadata`. Fields without a value are absent."""

CHARACTERS: Final = {"pageUrl": 2000, "referrer": 2000, "userAgent": 300, "locale": 35, "timezone": 64}
"""The largest number of characters of each field. Longer values are cut."""
METADATA: Final = "customMetadata"
METADATA_BYTES: Final = 4096
METADATA_DEPTH: Final = 5


def context_of(given: object, *, user_agent: str = "") -> Context:
    """The accepted fields of a context that a page has sent.

    Args:
        given: A JSON object, or None.
        user_agent: User agent of the request, used if the page has sent none.

    Raises:
        errors.Invalid: The context is not an object, a field is not a text, or `customMetadata` is too large or deep.
    """
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise errors.Invalid("context must be an object.", field="context")
    fields: dict[str, Any] = given  # pyright: ignore[reportUnknownVariableType]
    kept: Context = {}
    for name, most in CHARACTERS.items():
        value = fields.get(name)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise errors.Invalid(f"context.{name} must be a text.", field=f"context.{name}")
        kept[name] = _plain(value)[:most]
    if user_agent and "userAgent" not in kept:
        kept["userAgent"] = _plain(user_agent)[: CHARACTERS["userAgent"]]
    if (metadata := fields.get(METADATA)) is not None:
        kept[METADATA] = metadata_of(
            metadata, f"context.{METADATA}", most_bytes=METADATA_BYTES, most_depth=METADATA_DEPTH
        )
    return kept


def _plain(text: str) -> str:
    """A text without unprintable characters, which PostgreSQL may refuse or which break a line of a log."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()
