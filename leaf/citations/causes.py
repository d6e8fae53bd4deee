"""The cause for which a file was skipped, in one word, from the reason that a tool states. Pure."""

import re
from typing import Literal

Cause = Literal["export_cap", "too_large", "no_text", "no_access", "type", "damaged", "other"]

_CAUSES: tuple[tuple[Cause, tuple[str, ...]], ...] = (
    ("no_text", ("no text layer", "no text:", "pictures only", "has no pages", "no sheets with cells")),
    ("export_cap", ("that google exports",)),
    ("too_large", ("reads files up to", "too large", "reads up to", "unpacks to", "longer than", "too much")),
    ("no_access", ("cannot find", "switched off downloading", "no permission", "administrator", "not allowed leaf",
                   "does not let leaf", "encrypted", "password", "does not hand out its", "leads nowhere",
                   "where it leads")),
    ("damaged", ("damaged",)),
    ("type", ("of this kind", "of the type", "binary file", "does not read", "leaf reads text", "as text", "picture",
              "archive", "no export of")),
)  # fmt: skip
"""Patterns of the reasons that tools state."""
_NAME = re.compile(r"“[^”]*”")


def cause_of(reason: str, name: str = "") -> Cause:
    """The cause that a reason states.

    Args:
        reason: The text of the tool. The name of the file in it is ignored.
        name: The name of the file, if known.
    """
    said = _NAME.sub("", reason.replace(f"“{name}”", "") if name else reason).casefold()
    for cause, phrases in _CAUSES:
        if any(phrase in said for phrase in phrases):
            return cause
    return "other"
