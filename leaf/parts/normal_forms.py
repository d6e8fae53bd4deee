"""Normal forms of Unicode in linear time.

Python and ICU sort the marks of one letter by insertion, which takes the square of their number: a text of 30,000 marks
would hold up a process for a second, even from a thread. Unicode's Stream-Safe Text Format (UAX #15, section 13) limits
the marks of a letter to 30.
"""

import re
import unicodedata
from functools import cache
from itertools import pairwise
from typing import Final, Literal
from urllib.parse import SplitResult, urlsplit

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
_MOST_MARKS: Final = 30
_JOINER: Final = "\u034f"
"""The combining grapheme joiner, to which the further marks belong."""

SCRIPTS: Final = (range(0x300, 0x3100), range(0xA600, 0xAC00), range(0xF900, 0x1F000))
"""The characters among which marks are; between them are Chinese characters and Korean syllables."""


def normalized(form: Form, text: str) -> str:
    """A text in a normal form. From the 31st on, the marks of a letter belong to invisible letters."""
    return unicodedata.normalize(form, stream_safe(text))


def stream_safe(text: str) -> str:
    """A text in which no letter has more than 30 marks."""
    if len(text) <= _MOST_MARKS or text.isascii():
        return text
    mark, too_many = _patterns()
    # Of 31 marks in a row, one is at a place that is looked at; most texts have none there.
    if not mark.search(text[:: _MOST_MARKS + 1]):
        return text
    return too_many.sub(rf"\g<0>{_JOINER}", text)


def split_address(address: str) -> SplitResult:
    """The parts of an address from outside. `urlsplit` alone normalizes the host, in the square of its marks.

    Raises:
        ValueError: The address is malformed.
    """
    return urlsplit(stream_safe(address))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns for a mark, and for as many marks as a letter may have before one more."""
    signs = [number for numbers in SCRIPTS for number in numbers if is_mark(chr(number))]
    # Ranges are written as such, and a pattern begins with a set: both make the search ten times as fast.
    ends = [first for first, following in pairwise([*signs, 0]) if following != first + 1]
    begins = [following for first, following in pairwise([0, *signs]) if following != first + 1]
    marks = "".join(f"{chr(first)}-{chr(last)}" for first, last in zip(begins, ends, strict=True))
    return re.compile(f"[{marks}]"), re.compile(f"[{marks}][{marks}]{{{_MOST_MARKS - 1}}}(?=[{marks}])")


def is_mark(sign: str) -> bool:
    """Whether a character sorts among the marks of a letter, by itself or once it is decomposed."""
    if unicodedata.combining(sign):
        return True
    apart = unicodedata.decomposition(sign)
    return bool(apart) and unicodedata.combining(unicodedata.normalize("NFKD", sign)[0]) > 0
