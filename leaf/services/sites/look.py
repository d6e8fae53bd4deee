"""The look of a widget, as a site configures it."""

import re
from typing import Any, Final

from leaf import errors, texts
from leaf.db import storable

_COLOUR: Final = re.compile(r"#[0-9a-f]{6}")
_CHOICES: Final = {
    "theme": ("auto", "light", "dark"),
    "position": ("right", "left"),
    "language": ("auto", *texts.NAMES),
}
_LARGEST_RADIUS: Final = 24
_LAUNCHER_CHARACTERS: Final = 40


def checked_look(value: Any) -> dict[str, Any]:
    """The stored look of a widget: `accent`, `theme`, `position`, `language`, `radius`, `launcher`.

    Raises:
        errors.Invalid: A field is unknown or has an invalid value.
    """
    wrong = errors.Invalid(texts.english("sites.no_value", name="look"), field="look")
    if not isinstance(value, dict):
        raise wrong
    given: dict[str, Any] = value
    look: dict[str, Any] = {}
    for name, one in given.items():
        if one in ("", None):
            continue
        match name:
            case "accent" if isinstance(one, str) and _COLOUR.fullmatch(one.lower()):
                look[name] = one.lower()
            case "theme" | "position" | "language" if one in _CHOICES[name]:
                look[name] = one
            case "radius" if isinstance(one, int) and not isinstance(one, bool) and 0 <= one <= _LARGEST_RADIUS:
                look[name] = one
            case "launcher" if isinstance(one, str) and len(one) <= _LAUNCHER_CHARACTERS:
                look[name] = " ".join(storable.text(one).split())
            case _:
                raise wrong
    return look
