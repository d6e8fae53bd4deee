"""Why a file was skipped, in one word, from the reason that a tool gives. Pure."""

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
"""What the reasons that tools give say."""
_NAME = re.compile(r"“[^”]*”")


def cause_of(reason: str, name: str = "") -> Cause:
    """The cause that a reason names.

    Args:
        reason: As a tool gives it. What the file is called says nothing about it.
        name: Of the file, where it is known.
    """
    said = _NAME.sub("", reason.replace(f"“{name}”", "") if name else reason).casefold()
    for cause, phrases in _CAUSES:
        if any(phrase in said for phrase in phrases):
            return cause
    return "other"
