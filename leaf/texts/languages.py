"""Which languages there are, and which one somebody reads."""

from typing import Final

LANGUAGES: Final = ("en", "de")
DEFAULT: Final = "en"
NAMES: Final = {"en": "English", "de": "Deutsch"}
"""Each language in its own words."""
COOKIE: Final = "leaf_language"
"""What was chosen in Settings: a language, or anything else for the browser's own."""


def preferred(chosen: str, accepted: str) -> str:
    """The language of somebody's pages.

    Args:
        chosen: The value of the cookie; empty or `auto` where the browser's own language is wanted.
        accepted: The browser's `Accept-Language` (RFC 9110, 12.5.4); empty where it sends none.

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
