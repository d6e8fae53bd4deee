"""Normal forms of Unicode in linear time.

Python and ICU sort the combining marks of a letter by insertion sort, in quadratic time. A text of 30,000 marks would
block a process for a second, even in a thread. Unicode's Stream-Safe Text Format (UAX #15, section 13) limits the marks
of a letter to 30.
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
"""The combining grapheme joiner, which is inserted to carry the marks after the 30th."""

SCRIPTS: Final = (range(0x300, 0x3100), range(0xA600, 0xAC00), range(0xF900, 0x1F000))
"""The ranges that contain all marks. Between them are Chinese characters and Korean syllables."""


def normalized(form: Form, text: str) -> str:
    """A text in a normal form, after `stream_safe`."""
    return unicodedata.normalize(form, stream_safe(text))


def stream_safe(text: str) -> str:
    """A text in which no letter has more than 30 marks: further marks belong to an inserted invisible character."""
    if len(text) <= _MOST_MARKS or text.isascii():
        return text
    mark, too_many = _patterns()
    # A run of 31 marks has one at an index that is searched here. Most texts have none.
    if not mark.search(text[:: _MOST_MARKS + 1]):
        return text
    return too_many.sub(rf"\g<0>{_JOINER}", text)


def split_address(address: str) -> SplitResult:
    """The parts of an address from outside. `urlsplit` alone would normalize the host in quadratic time.

    Raises:
        ValueError: The address is malformed.
    """
    return urlsplit(stream_safe(address))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns for a mark, and for as many marks as a letter may have before one more."""
    signs = [number for numbers in SCRIPTS for number in numbers if is_mark(chr(number))]
    # Character ranges, and a set at the beginning of the pattern, make the search ten times as fast.
    ends = [first for first, following in pairwise([*signs, 0]) if following != first + 1]
    begins = [following for first, following in pairwise([0, *signs]) if following != first + 1]
    marks = "".join(f"{chr(first)}-{chr(last)}" for first, last in zip(begins, ends, strict=True))
    return re.compile(f"[{marks}]"), re.compile(f"[{marks}][{marks}]{{{_MOST_MARKS - 1}}}(?=[{marks}])")


def is_mark(sign: str) -> bool:
    """Whether a character, or the first one of its decomposition, is a combining mark."""
    if unicodedata.combining(sign):
        return True
    apart = unicodedata.decomposition(sign)
    return bool(apart) and unicodedata.combining(unicodedata.normalize("NFKD", sign)[0]) > 0
