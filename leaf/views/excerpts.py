"""The excerpt of a passage that an answer has used. Pure.

Quotations in the answer count most: blockquotes, table rows and text in quotation marks. Then count the words that a
line shares with the answer. Rare words of the passage count more than common ones.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

CHARACTERS = 480
LINES = 8

_NUMBER = re.compile(r"(?<![\d.,])\d{1,3}(?:[,.]\d{3})+(?!\d)|\d+(?:\.\d+|,\d{1,2}(?!\d))?")
_WORD = re.compile(rf"{_NUMBER.pattern}|[^\W\d_]+")
_PLAIN_WORD = re.compile(r"\d+|[^\W\d_]+")
_MARKS = re.compile(
    r"^#{1,6} |\*\*|^> |^\[(?:section|picture) [^\[\]\n]{1,200}\][ \t]*$|^[ \t]*\|[ \t:|-]+\|[ \t]*$", re.MULTILINE
)
"""Signs of Markdown that are removed, because they are only noise in a short excerpt."""
_LINK = re.compile(r"(?<!\\)!?\[(?:[^\[\]\\]++|\\.|\[[^\[\]]*+\])*+\]\((?:<[^<>]*>|[^()\s]*)\)")
"""Links, which are removed from an answer, because the target of a link is not content."""
_BLOCKQUOTE = re.compile(r"^ {0,3}>[ \t]?(.*)$", re.MULTILINE)
_ROW = re.compile(r"^ {0,3}\|(.*)\|[ \t]*$", re.MULTILINE)
_TABLE_HEAD = re.compile(r"^ {0,3}\|.*\|[ \t]*\n {0,3}\|[ \t:|-]+\|[ \t]*$", re.MULTILINE)
"""Headers of tables, which are removed from an answer, because column names do not tell which rows were used."""
_QUOTED = re.compile(r"[“„\"«»]([^“”„\"«»\n]{8,})[”“\"«»]")
_QUOTED_WEIGHT = 3.0
_EDGE = 0.2
"""A line at the edge of a window is left out if its score is below this share of the window's best score."""


@dataclass(frozen=True)
class Used:
    """The words of an answer, and those of each of its quotations."""

    words: frozenset[str]
    quotations: tuple[frozenset[str], ...]


def used(text: str) -> Used:
    """The words and quotations of an answer, from its Markdown."""
    bare = _TABLE_HEAD.sub("", _LINK.sub(" ", text))
    quoted = [match.group(1) for pattern in (_BLOCKQUOTE, _ROW, _QUOTED) for match in pattern.finditer(bare)]
    quotations = (frozenset(_words(one)) for one in quoted)
    return Used(frozenset(_words(bare)), tuple(words for words in quotations if words))


def best_window(text: str, answer: Used) -> str:
    """The excerpt of whole lines, about `CHARACTERS` long, that the answer has most likely used."""
    lines = [line.strip() for line in _MARKS.sub("", text).splitlines() if line.strip()]
    if not lines:
        return ""
    start, end = _densest(lines, _scores(lines, answer))
    shown = "\n".join(lines[start:end])
    if len(shown) > CHARACTERS * 2:
        shown = shown[: CHARACTERS * 2].rsplit(" ", 1)[0] + " …"
    return f"{'… ' if start else ''}{shown}{' …' if end < len(lines) and not shown.endswith('…') else ''}"


def _scores(lines: Sequence[str], answer: Used) -> list[float]:
    """The score of each line: the weight of the words that it shares with the answer, plus a bonus for quoted lines."""
    held = [_words(line) | _cells(line) for line in lines]
    counts = Counter(word for words in held for word in words)
    rarity = {word: math.log((len(lines) + 1) / (count + 0.5)) + 0.1 for word, count in counts.items()}

    def weight(words: frozenset[str] | set[str]) -> float:
        return sum(rarity.get(word, 0.0) for word in words)

    def quoted(words: set[str], own: float) -> float:
        """The best match of a line with a quotation. The line may be a part of the quotation, or contain it."""
        best = 0.0
        for quotation in answer.quotations:
            common = weight(quotation & words)
            if common:
                best = max(best, common * max(common / weight(quotation), common / own) ** 2)
        return best

    return [weight(words & answer.words) + _QUOTED_WEIGHT * quoted(words, weight(words)) for words in held]


def _densest(lines: Sequence[str], scores: Sequence[float]) -> tuple[int, int]:
    # Scores are squared, so that one line with a high score outweighs several lines that share a common word.
    weights = [score * score for score in scores]
    best, best_weight, start, size, weight = (0, 1), 0.0, 0, 0, 0.0
    for end, line in enumerate(lines, 1):
        size += len(line)
        weight += weights[end - 1]
        while (size > CHARACTERS or end - start > LINES) and start < end - 1:
            size -= len(lines[start])
            weight -= weights[start]
            start += 1
        if weight > best_weight * 1.000_001:
            best, best_weight = (start, end), weight
    return _filled(lines, *_trimmed(scores, *best))


def _trimmed(scores: Sequence[float], start: int, end: int) -> tuple[int, int]:
    least = _EDGE * max(scores[start:end])
    while start < end - 1 and scores[start] < least:
        start += 1
    while end - 1 > start and scores[end - 1] < least:
        end -= 1
    return start, end


def _filled(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """A window extended as far as the limits allow, first at its end, then at its start."""
    size = sum(len(line) for line in lines[start:end])
    while end < len(lines) and size + len(lines[end]) <= CHARACTERS and end - start < LINES:
        size += len(lines[end])
        end += 1
    while start and size + len(lines[start - 1]) <= CHARACTERS and end - start < LINES:
        start -= 1
        size += len(lines[start])
    return start, end


def _words(text: str) -> set[str]:
    """The words that distinguish passages: words of four letters or more, and numbers without thousands separators."""
    found = (match.group().lower() for match in _WORD.finditer(text))
    return {re.sub(r"[,.](?=\d{3})", "", word) for word in found if len(word) > 3 or word[0].isdigit()}


def _cells(line: str) -> set[str]:
    """The numbers between the commas of a line, because `200,300` may be one number or two cells."""
    return {word for word in _PLAIN_WORD.findall(line) if word[0].isdigit()} if "," in line else set()
