"""Converts texts into comparable words, independent of spacing, quotation marks and capitals. Pure.

The words keep the meaning: the order, the signs and decimals of numbers, and units such as `%` and `€`.
"""

import re
import unicodedata
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from leaf import parts

_MARKS = "".join(
    chr(at)
    for at in range(0x300, 0x1_2000)
    if unicodedata.category(chr(at)) in {"Mn", "Mc", "Me"} and not 0xFE00 <= at <= 0xFE0F
)
"""Combining marks. They include the vowels of many scripts, which regular expressions do not count as letters."""
_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Characters of scripts without spaces between words, such as Chinese, Thai, Lao, Burmese and Khmer. Each counts as a
word.
"""
_LETTERS = rf"(?:[^\W_{_IDEOGRAPHS}]+[{_MARKS}]*)+"
_HYPHENS = "-\u2010\u2011\u2012\u2013\u2212"
_SKIPPED = (
    r"\]\((?:https?://|mailto:|[/#])[^()\s]*\)|<br\s*/?>|&(?:amp|quot|nbsp|#39|#x27);|\[\^[^\]\s\[]{1,40}\]"
    r"|(?m:^)[ \t]{0,8}(?:>[ \t]?+)++(?![ \t]*[\d=])"
)
"""Link targets, line breaks in tables, footnote marks and the marks before quoted lines, which quotes omit."""
_INVISIBLE = "\u200b-\u200d\u2060\ufeff"
"""Characters that control line breaks and ligatures."""
_JOINED = (
    r"(?<=\d)[.,](?=\d)"
    r"|(?<=[^\W\d_])['\u2019\u02bc](?=[^\W\d_])"
    r"|\u00ad\s*(?=[^\W_])"
    rf"|[{_INVISIBLE}]+(?=[^\W_])"
    r"|(?<=[^\W\d_])\*{1,3}(?=[^\W\d_])"
    rf"|(?<=[^\W\d_])[{_HYPHENS}](?:[ \t]*\n\s*)?(?=[^\W_])"
    rf"|(?<=\d)[{_HYPHENS}](?=[^\W\d_])"
)
"""Characters within a word: decimal points, apostrophes, hyphens (also at the end of a line), and Markdown's marks
around a part of a word."""
_WORD = rf"(?:(?<![\w.,)\]%])[-\u2212](?=\d))?{_LETTERS}(?:(?:{_JOINED}){_LETTERS})*"
_TOKEN = re.compile(rf"{_SKIPPED}|([{_IDEOGRAPHS}][{_MARKS}]*|{_WORD}|[%‰$£¥\u20a0-\u20cf°<>=≤≥±≠+])")
_THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z")
_VOWEL_MARKS = "\u0640\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u0652\u0670\u06d6-\u06ed"
"""Vowel marks of Hebrew and Arabic, and the Arabic kashida. The same text may be written with or without them."""
_DROPPED = re.compile(rf"(?<=.)[{_HYPHENS}'\u2019\u02bc\u00ad\s*{_INVISIBLE}{_VOWEL_MARKS}]+", re.DOTALL)
_POWER = re.compile(r"(?<=\d)(?=[\u2070\u00b9\u00b2\u00b3\u2074-\u2079])")
"""The start of superscript digits after a number. They are a separate number, such as a power or a footnote."""


class Splitting(Enum):
    """A way to split a text into words, for places where two ways are possible."""

    USUAL = "usual"
    HYPHENS = "hyphens"
    """A hyphen at the end of a line separates two words: `well-` `known`."""
    CELLS = "cells"
    """A comma between digits separates two cells: `200,300`."""


def words(text: str, splitting: Splitting = Splitting.USUAL) -> str:
    """The words of a text in one string, with a space before and after each word; empty if there are none."""
    found = [
        token.lower() if token.isascii() and token.isalnum() else _plain(token, splitting)
        for token in _TOKEN.findall(text)
        if token
    ]
    return f" {' '.join(found)} " if found else ""


def differs(text: str, splitting: Splitting) -> bool:
    """Whether a splitting may give a text other words than the usual splitting."""
    return splitting in _DIFFERENT and _DIFFERENT[splitting].search(text) is not None


def spans(text: str, splitting: Splitting = Splitting.USUAL) -> Iterator[tuple[int, int, int]]:
    """Yields each word's begin and end in the text, and its length in the result of `words`."""
    for match in _TOKEN.finditer(text):
        if match[1]:
            yield match.start(), match.end(), len(_plain(match[1], splitting))


_DIFFERENT = {
    Splitting.HYPHENS: re.compile(rf"[{_HYPHENS}\u00ad][ \t]*\n|\u00ad[ \t]"),
    Splitting.CELLS: re.compile(r"\d,\d"),
}


@lru_cache(10_000)
def _plain(token: str, splitting: Splitting) -> str:
    if splitting is Splitting.HYPHENS:
        token = re.sub(rf"[{_HYPHENS}][ \t]*\n\s*", " ", token)
        return " ".join(_plain(part, Splitting.USUAL) for part in token.split())
    pieces = _POWER.split(token)
    if len(pieces) > 1:
        return " ".join(_plain(piece, splitting) for piece in pieces)
    token = parts.normalized("NFKC", token.replace("\u2212", "-"))
    # A dotted capital I would otherwise become an i with a second dot.
    token = _DROPPED.sub("", token).casefold().replace("i\u0307", "i")
    if splitting is Splitting.CELLS:
        return token.replace(",", " ")
    return token.replace(",", "") if _THOUSANDS.match(token) else token
