"""Secrets that are none: copied from an example, or typed to get past a check."""

import re

_LONG_WORDS = r"change|replace|placeholder|example|insert|sample|secret|password|\.{3}|<|>"
_WORDS = re.compile(_LONG_WORDS, re.IGNORECASE)
# Short words count only by themselves, and not in secrets of Leaf's own: random keys hold any few letters.
_ALL_WORDS = re.compile(_LONG_WORDS + r"|(?<![^-_ .])(?:your|todo|here|dummy|x{3,})(?![^-_ .])", re.IGNORECASE)
_SHORTEST = 8


def is_placeholder(value: str) -> bool:
    """Whether a key of somebody else's, such as Google's, is none that they gave."""
    text = value.strip()
    # The fixed beginnings of real keys are not looked at: they hold words.
    return len(text) < _SHORTEST or bool(_ALL_WORDS.search(text.removeprefix("GOCSPX-"))) or len(set(text)) < 5


def is_simple(secret: str) -> bool:
    """Whether a secret of Leaf's own does not look random: few different characters, such words, or a repetition."""
    return len(set(secret)) < 12 or bool(_WORDS.search(secret)) or _repeats(secret)


def _repeats(text: str) -> bool:
    """Whether it consists of a shorter text over and over, the last time perhaps in part."""
    return any(text == (text[:size] * len(text))[: len(text)] for size in range(1, len(text) // 2 + 1))
