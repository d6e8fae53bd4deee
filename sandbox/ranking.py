"""Scores how well texts fit a question, by the share of the question's words that they contain.

As in BM25, a word counts more if few texts contain it. A word may be in a text itself or, for a lower score, in its
surroundings, such as its heading. Scores are between 0.0 (no word) and about 1.0 (all words).
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

GOOD = 0.6
"""A text with at least this score counts as an answer."""
WEAK = 0.34
"""A text below this score is not about the question."""
ALIKE = 0.6
"""The minimum likeness at which a word counts as another one."""

Fields = Sequence[tuple[float, str]]
"""A text itself, then the texts around it, each after the weight of a word in it."""

_STOPWORDS = Path(__file__).parent / "stopwords.txt"
_WORD = re.compile(
    r"\d+(?:[.,]\d+)*|(?:[a-z]|[dsn]ell|all|qu|un)['’](?=[^\W\d_]{3})|\w+(?:['’][^\W\d_]+)?", re.IGNORECASE
)
"""Matches numbers, elided articles (l’, dell’), and words."""
_NUMBER = re.compile(r"\d[\d.]*")
_ENDINGS = ("ungen", "ings", "ing", "edly", "ed", "ern", "em", "en", "er", "es", "os", "as", "e", "s", "o", "a", "i")
_NUMBER_WEIGHT, _NAME_WEIGHT = 1.6, 1.3
_LONG_WORDS = 400


@cache
def stopwords() -> frozenset[str]:
    """The words that say nothing about the subject of a question, including those for what is done with files."""
    return frozenset(_STOPWORDS.read_text("utf-8").split())


def words(text: str) -> list[str]:
    """The words and numbers of a text in order. A number keeps its separators."""
    return _WORD.findall(text)


def subject(text: str) -> dict[str, float]:
    """The words that a question is about, each with its weight. Numbers and names have higher weights."""
    found: dict[str, float] = {}
    for place, word in enumerate(words(text)):
        # IT and US are names, if not all letters are large, and May is a month.
        is_code = (word.isupper() and not text.isupper()) or (word == "May" and place > 0)
        if (word.casefold() in stopwords() and not is_code) or len(word) < 2 or word[-1] in "'’":
            continue
        weight = 1.0
        if word[0].isdigit():
            weight = _NUMBER_WEIGHT
        elif word[0].isupper() and place > 0:
            weight = _NAME_WEIGHT
        found.setdefault(word, weight)
    return found


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without case, accents and a common ending, so that `policies` and `Policy` have the same stem."""
    if word[0].isdigit():
        return re.sub(r"[.,](?=\d{3}(?!\d))", "", word)
    folded = unicodedata.normalize("NFKD", word.casefold()).replace("’", "'").removesuffix("'s")
    plain = "".join(sign for sign in folded if not unicodedata.combining(sign))
    if plain.endswith("ies") and len(plain) > 4:
        return plain[:-3] + "i"
    ending = next((one for one in _ENDINGS if plain.endswith(one) and len(plain) - len(one) >= 3), "")
    plain = plain.removesuffix(ending)
    # "planned" and "planning" lose their double letter.
    if len(plain) > 4 and plain[-1] == plain[-2] and plain[-1] not in "aeiouls":
        plain = plain[:-1]
    return plain[:-1] + "i" if plain.endswith("y") else plain


@lru_cache(maxsize=200_000)
def likeness(wanted: str, found: str) -> float:
    """The likeness of two stems, from 0.0 to 1.0 for equal ones."""
    if wanted == found:
        return 1.0
    shorter, longer = sorted((wanted, found), key=len)
    if len(shorter) < 4 or shorter[0].isdigit() or "_" in longer:
        return 0.0
    # German compounds are one word: "Marketingbudget" is about a budget.
    return 0.7 if longer.startswith(shorter) or (len(shorter) > 4 and longer.endswith(shorter)) else 0.0


@lru_cache(maxsize=50_000)
def stems(text: str) -> frozenset[str]:
    """The distinct stems of a text."""
    return frozenset(map(stem, words(text)))


@lru_cache(maxsize=200_000)
def named(wanted: str, text: str) -> float:
    """How well a text contains a stem, from 0.0 to 1.0: the likeness of its most similar word."""
    found = stems(text)
    return 1.0 if wanted in found else max((likeness(wanted, other) for other in found), default=0.0)


def scores(wanted: Mapping[str, float], texts: Sequence[Fields]) -> list[float]:
    """The score of each text.

    Args:
        wanted: The words to search for, each with its weight.
        texts: The texts, each with its surroundings.
    """
    if not wanted:
        return [0.0] * len(texts)
    stemmed = {stem(word): weight for word, weight in wanted.items()}
    tables = [
        {word: max(weight * named(word, text) for weight, text in fields) for word in stemmed} for fields in texts
    ]
    weights = {word: weight * _rarity(word, texts) for word, weight in stemmed.items()}
    whole = sum(weights.values())
    return [
        _shortness(fields[0][1]) * sum(weights[word] * value for word, value in table.items()) / whole
        for fields, table in zip(texts, tables, strict=True)
    ]


def _rarity(word: str, texts: Sequence[Fields]) -> float:
    """The factor for a word: from 1.0 if all texts contain it to nearly 2.0 if only one does; 1.0 if none does."""
    holding = sum(1 for fields in texts if named(word, fields[0][1]) >= ALIKE)
    return 1 + math.log((len(texts) + 1) / (holding + 1)) / math.log(len(texts) + 2) if holding else 1.0


def _shortness(text: str) -> float:
    """The factor for the length of a text. Of two texts with the same words, it prefers the shorter one."""
    return 1.0 - 0.15 * min(1.0, len(text) / 6 / _LONG_WORDS)
