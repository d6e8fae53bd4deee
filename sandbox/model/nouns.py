"""The words of a question that may restrict the rows of a table, but that do not occur in the table."""

import re
from collections.abc import Collection, Iterable

from sandbox import ranking, times
from sandbox.model import words
from sandbox.model.questions import Question

_CAPITAL = re.compile(r"(?<=[\w,;)]\s)(?!I\b)[A-ZÀ-ÖØ-Þ][\w-]*")
"""A capitalised word that is not the first word of a sentence."""
_INFLECTED = 3
"""The maximum number of letters of an ending."""
_NEAR = 3
_OPERATIONS = (
    "chart", "drawn", "share", "difference", "average", "lowest", "highest", "sum", "count", "plain", "between",
    "from_on", "after", "until", "before", "since", "without", "compare", "summary", "bar", "line", "area", "pie",
    "scatter",
)  # fmt: skip
"""The entries of words.toml with words for operations on rows, such as sums. These words need not be in the table."""


def alike(asked: Iterable[str], *, near: bool = False) -> list[str]:
    """Synonyms of some words; with `near`, only those listed close to them, which are of about the same language."""
    found: list[str] = []
    for group in (one.split() for one in words.listed("alike")):
        places = [at for at, one in enumerate(map(ranking.stem, group)) if one in {*map(ranking.stem, asked)}]
        found += [one for at, one in enumerate(group) if places and (not near or abs(at - places[0]) <= _NEAR)]
    return found


def is_operation(word: str) -> bool:
    """Whether a word names an operation on rows, so that it does not choose rows."""
    return any(words.find(name, word) for name in _OPERATIONS)


def is_form(stem: str, known: str) -> bool:
    """Whether a word is a part of a known compound, a known word with an ending, or a compound of a known word and a
    word for an operation, such as “Umsatzsumme”.
    """
    if min(len(known), len(stem)) < 4:
        return False
    # The stem of “trays” (trai) is no part of “train”: the rest of a compound has more than one letter.
    if (known.startswith(stem) and len(known) != len(stem) + 1) or (
        stem.startswith(known) and len(stem) - len(known) <= _INFLECTED
    ):
        return True
    if len(stem) > 4 and known.endswith(stem):
        return True
    rest = stem.removesuffix(known).rstrip("s-")
    return rest != stem and is_operation(rest or "_")


def unknown(
    question: Question, used: Collection[str], own: str, *, is_plain: bool, is_dated: bool, has_amounts: bool
) -> list[str]:
    """The words of a question that neither the table nor the chosen rows explain.

    A figure that ignores such a word would answer another question.

    Args:
        question: The question.
        used: The stems of the words by which rows are already chosen or excluded.
        own: The name, place, title and headers of the table.
        is_plain: Whether the name of the column of amounts is a word such as “amount”.
        is_dated: Whether the table has a column of times, so that times in the question are understood.
        has_amounts: Whether the question names a column of amounts. A word after “how many” may then be their unit.
    """
    text = question.text
    for name in ("highest", "lowest", "share", "filler"):
        # An entry may consist of several words, such as “le plus élevé”.
        text = words.pattern(name).sub(" ", text)
    counted = words.find("counted", text) if has_amounts else None
    stems = ranking.stems(own.replace("_", " "))
    stems = stems.union(*(one for one in map(ranking.stems, words.listed("alike")) if is_plain or one & stems))
    inside, dated = {*ranking.words(text)}, times.words_of(text)
    found = [one for one in question.subject if one in inside or one not in question.text]
    found += [one for one in stated(text) if one.casefold() not in ranking.stopwords() or words.find("stated", one)]

    def is_explained(one: str) -> bool:
        stem = ranking.stem(one)
        return (
            stem in used
            or (counted is not None and one == counted[1])
            or (is_dated and one in dated)
            or (is_operation(one) and not words.find("stated", one))
            or any(stem == known or is_form(stem, known) for known in stems)
        )

    # A short word counts only if it is an abbreviation or a number.
    telling = [one for one in found if len(one) > 2 - one.isupper() - one[0].isdigit()]
    return [one for one in dict.fromkeys(sorted(telling, key=len, reverse=True)) if not is_explained(one)]


def stated(text: str) -> list[str]:
    """The words of a text that may choose rows although searches ignore them, such as “open” and “first”."""
    return [*words.pattern("stated").findall(text), *([] if text.isupper() else _CAPITAL.findall(text))]
