"""The nouns of a question that would restrict the rows of a table, but that the table does not know."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sandbox import ranking
from sandbox.model import dated, words
from sandbox.model.questions import Question

_TOKEN = re.compile(r"\w+(?:-\w+)*['’]?|[^\w\s]")
_INFLECTED = 3
"""How many letters an ending may have."""
_NEAR = 3
_OPERATIONS = (
    "chart", "drawn", "share", "difference", "average", "lowest", "highest", "sum", "count", "plain", "before_spans",
    "since", "other_spans", "compare", "summary", "bar", "line", "area", "pie", "scatter",
)  # fmt: skip
"""The lists of words for operations on rows, such as sums. These words need not be in the table."""


@dataclass(frozen=True)
class Vocabulary:
    """The words that a question may have without naming further rows of a table."""

    own: str
    """The name, place, title and headers of the table."""
    used: str
    """The stems of the words by which rows are already chosen, separated by spaces."""
    is_plain: bool
    """Whether the name of the column of amounts is a word such as “amount”."""
    is_dated: bool
    """Whether the table has a column of days."""
    has_amounts: bool
    """Whether the question names a column of amounts. A word after “how many” may then be the unit of the amounts."""

    def has(self, word: str) -> bool:
        """Whether a word is known: from the table, from the chosen rows, or as an operation on rows."""
        if is_operation(word) or self.names_rows(word) or (dated.is_time(word) and self.is_dated):
            return True
        stem = ranking.stem(word)
        own = ranking.stems(self.own.replace("_", " "))
        same = [one for one in map(ranking.stems, words.listed("alike")) if self.is_plain or one & own]
        return any(stem == one or is_form(stem, one) for one in own.union(*same))

    def names_rows(self, word: str) -> bool:
        """Whether rows are already chosen by this word."""
        return ranking.stem(word) in self.used.split()


def alike(asked: Iterable[str], *, near: bool = False) -> list[str]:
    """Words for the same things as some others; or those of about the same language only."""
    found: list[str] = []
    for group in (one.split() for one in words.listed("alike")):
        places = [at for at, one in enumerate(map(ranking.stem, group)) if one in {*map(ranking.stem, asked)}]
        found += [one for at, one in enumerate(group) if places and (not near or abs(at - places[0]) <= _NEAR)]
    return found


def is_operation(word: str) -> bool:
    """Whether a word is a number or names an operation on rows, so that it does not choose rows."""
    return word[0].isdigit() or any(words.find(name, word) for name in _OPERATIONS)


def is_form(stem: str, known: str) -> bool:
    """Whether a word is a part of a known compound, a known word with an ending, or a compound of one and a word of
    what is done with rows.
    """
    if min(len(known), len(stem)) < 4:
        return False
    # Trays are no beginning of training: the rest of a compound is longer.
    if (known.startswith(stem) and len(known) != len(stem) + 1) or (
        stem.startswith(known) and len(stem) - len(known) <= _INFLECTED
    ):
        return True
    if len(stem) > 4 and known.endswith(stem):
        return True
    rest = stem.removesuffix(known).rstrip("s-")
    return rest != stem and is_operation(rest or "_")


def unknown(question: Question, left_out: Sequence[str], known: Vocabulary) -> list[str]:
    """The nouns that a table does not know: words with a capital, and in the phrases behind articles and prepositions
    the last word, or the first one in Romance languages, if all are unknown, and words before a known one.
    """
    text = question.text
    for name in ("highest", "lowest", "share"):
        # Some of these are several words: le plus élevé.
        text = words.pattern(name).sub(" ", text)
    tokens = _TOKEN.findall(text)
    # Words with a capital with which no sentence begins.
    named = [one for before, one in pairwise(tokens) if before[-1] not in '.?!:“”"¿¡' and one[0].isupper()]
    found = [] if text.isupper() else named
    if question.language != "de" or not found:
        found += [
            one for phrase, is_first in _phrases(tokens) for one in _restricting(phrase, known, is_first=is_first)
        ]
    if words.find("bare", text):
        found += question.subject
    counted = None if known.has_amounts else words.find("counted", text)
    if counted is not None and counted[1].casefold() not in ranking.stopwords():
        found.append(counted[1])
    return [
        one
        for one in dict.fromkeys(found)
        if len(one) > 2 - one.isupper() and one not in left_out and not known.has(one)
    ]


def _phrases(tokens: Sequence[str]) -> Iterator[tuple[list[str], bool]]:
    """The words behind articles and prepositions, and whether the first of several is what they are about."""
    phrase: list[str] | None = None
    is_first = False
    for token in [*tokens, "."]:
        is_lead = words.find("leads", token) or words.find("romance_leads", token)
        if phrase is not None and not is_lead and token[0].isalpha() and token.casefold() not in ranking.stopwords():
            phrase.append(token)
            continue
        if phrase:
            yield phrase, is_first
        phrase = [] if is_lead else None
        is_first = words.find("leads", token) is None


def _restricting(phrase: Sequence[str], known: Vocabulary, *, is_first: bool) -> Sequence[str]:
    """The words of a phrase that would restrict the rows: of “the boat cost” the boat, but of “employee Smith”, a row,
    not the employee.
    """
    phrase = [word for word in phrase if not is_operation(word)]
    told = [known.has(word) for word in phrase]
    if not any(told):
        return phrase[:1] if is_first else phrase[-1:]
    last = len(told) - 1 - told[::-1].index(True)
    return [] if known.names_rows(phrase[last]) else phrase[:last]
