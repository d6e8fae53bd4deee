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


def context_of(sent: object, *, user_agent: str = "") -> Context:
    """The accepted fields of a context that a page has sent.

    Args:
        sent: A JSON object, or None.
        user_agent: User agent of the request, used if the page has sent none.

    Raises:
        errors.Invalid: The context is not an object, a field is not a text, or `customMetadata` is too large or deep.
    """
    if sent is None:
        sent = {}
    if not isinstance(sent, dict):
        raise errors.Invalid("context must be an object.", field="context")
    fields: dict[str, Any] = sent  # pyright: ignore[reportUnknownVariableType]
    context: Context = {}
    for name, limit in CHARACTERS.items():
        value = fields.get(name)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise errors.Invalid(f"context.{name} must be a text.", field=f"context.{name}")
        context[name] = _printable(value)[:limit]
    if user_agent and "userAgent" not in context:
        context["userAgent"] = _printable(user_agent)[: CHARACTERS["userAgent"]]
    if (metadata := fields.get(METADATA)) is not None:
        context[METADATA] = metadata_of(
            metadata, f"context.{METADATA}", max_bytes=METADATA_BYTES, max_depth=METADATA_DEPTH
        )
    return context


def _printable(text: str) -> str:
    """A text without unprintable characters. PostgreSQL may refuse them, and they may break a line of a log."""
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()
