"""Parses search words, and measures how well a text matches each of them."""

import re
import unicodedata
from dataclasses import dataclass

from leaf import parts

MAX_TERMS = 24
MAX_CHARACTERS = 400
_TERM = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)+(?:_\w+)?|\w+")
_PHRASE = re.compile(r"[\"“”„«»]([^\"“”„«»]+)[\"“”„«»]")
_ENDINGS = ("ungen", "ings", "ing", "ies", "ied", "es", "ed", "en", "er", "e", "s", "n", "y")
_IDENTIFIER = re.compile(r"[\d_]|\w\.\w")
EXACT, INFLECTED, WITHIN = 1.0, 0.8, 0.4


@dataclass(frozen=True, slots=True)
class Term:
    """A search term. Numbers, file names and identifiers match exactly or not at all."""

    text: str
    stem: str
    exact: re.Pattern[str]
    inflected: re.Pattern[str] | None

    def found_in(self, folded: str) -> float:
        """How well a folded text matches the term, from 0.0 for no match."""
        if self.stem not in folded:
            return 0.0
        if self.exact.search(folded):
            return EXACT
        if self.inflected is None:
            return 0.0
        if self.inflected.search(folded):
            return INFLECTED
        return WITHIN if len(self.stem) >= 5 else 0.0


@dataclass(frozen=True, slots=True)
class Query:
    """The terms of a search."""

    terms: tuple[Term, ...]
    phrases: tuple[re.Pattern[str], ...]
    """The quoted phrases; without any, all search words in sequence."""

    def has_phrase(self, folded: str) -> bool:
        return any(phrase.search(folded) for phrase in self.phrases)


def query(words: str) -> Query:
    """Parses a search into words, identifiers, and phrases in quotation marks."""
    given = words[:MAX_CHARACTERS]
    folded = fold(given)
    terms = {text: _term(text) for text in _words(folded)}
    phrases = [found for phrase in _PHRASE.findall(folded) if (found := _words(phrase))]
    whole = [_words(folded)] if not phrases and len(terms) > 1 else []
    return Query(tuple(terms.values())[:MAX_TERMS], tuple(_phrase(one) for one in [*phrases, *whole]))


def fold(text: str) -> str:
    """A text without case and accents, in which words broken at the end of a line are joined."""
    folded = text.casefold()
    if not folded.isascii():
        plain = parts.normalized("NFKD", folded.replace("’", "'"))
        folded = "".join(character for character in plain if not unicodedata.combining(character))
    return folded.replace("-\n", "-") if "-\n" in folded else folded


def _words(folded: str) -> list[str]:
    words: list[str] = []
    for word in _TERM.findall(folded):
        # Section numbers, file names and identifiers stay whole; "non-maintainer" and "don't" are split.
        words += [word] if _IDENTIFIER.search(word) else re.findall(r"\w+", word)
    return words


def _term(word: str) -> Term:
    stem = word
    if not _IDENTIFIER.search(word):
        ending = next((one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) >= 3), "")
        stem = word.removesuffix(ending)
    # A number may be followed by the full stop of a sentence, but not by a deeper level of a section number.
    exact = re.compile(rf"(?<!\w)(?<!\d\.){re.escape(word)}(?!\w|\.\d)")
    inflected = None if _IDENTIFIER.search(word) else re.compile(rf"(?<!\w){re.escape(stem)}\w{{0,3}}(?!\w)")
    return Term(word, stem, exact, inflected)


def _phrase(words: list[str]) -> re.Pattern[str]:
    # The last word may have another ending: "non-maintainer upload" also matches "Non-Maintainer Uploads".
    return re.compile(r"(?<!\w)" + r"[\W_]+".join(map(re.escape, words)) + r"(?:e?[ns])?(?!\w)")
