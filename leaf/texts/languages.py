"""The available languages, and the language of a reader.

To add a language, create a folder beside `leaf/texts/en` with the same files and keys, add the language to `LANGUAGES`
and `NAMES`, and the separators of its numbers to `leaf.texts.phrases`. Tests report missing texts. `docs/texts.md` has
the words to use.
"""

from typing import Final

LANGUAGES: Final = ("en", "de")
DEFAULT: Final = "en"
NAMES: Final = {"en": "English", "de": "Deutsch"}
"""The name of each language in that language."""
COOKIE: Final = "leaf_language"
"""The cookie with the choice in Settings: a language, or any other value for the browser's language."""


def preferred(chosen: str, accepted: str) -> str:
    """The language of a reader's pages.

    Args:
        chosen: The value of the cookie; anything but one of `LANGUAGES` stands for the browser's language.
        accepted: The browser's `Accept-Language` (RFC 9110, 12.5.4); may be empty.

    Returns:
        One of `LANGUAGES`.
    """
    if chosen in LANGUAGES:
        return chosen
    ranges = (one.strip().partition(";") for one in accepted.split(","))
    weighed = sorted(((_weight(rest), name.strip().lower()) for name, _, rest in ranges), key=lambda one: -one[0])
    for weight, name in weighed:
        language = name.partition("-")[0]
        if weight > 0 and language in LANGUAGES:
            return language
    return DEFAULT


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
