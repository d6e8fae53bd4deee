"""The words by which facts are recognised and compared (`facts.toml`), and numbers in words."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

_LISTS: Final = ("scales", "periods", "roles", "same")
_SETS: Final = ("common", "short", "opposites", "negations", "without", "unopposed", "guesses")
_STEMS: Final = ("taxes", "papers", "heads")


@dataclass(frozen=True)
class Words:
    """The words of `facts.toml`."""

    units: Mapping[str, tuple[str, Decimal]]
    """For each unit, the quantity that it measures and its size."""
    pairs: Mapping[tuple[str, str], str]
    scales: Mapping[str, int]
    periods: Mapping[str, str]
    common: frozenset[str]
    short: frozenset[str]
    opposites: frozenset[str]
    negations: frozenset[str]
    without: frozenset[str]
    """Words of `opposites`, such as “without”, that do not matter for a date."""
    unopposed: frozenset[str]
    """Words after `without` that say how something was decided, such as “dissent”."""
    taxes: frozenset[str]
    """Stems of words about taxes, which occur with amounts of all kinds."""
    roles: Mapping[str, str]
    """The name of a role by each word for it."""
    guesses: frozenset[str]
    """Words that mark an amount as not final."""
    heads: frozenset[str]
    """Stems of nouns that begin a statement without naming a different thing."""
    papers: frozenset[str]
    """Stems of words for kinds of papers."""
    same: Mapping[str, str]
    """The name of a group of synonyms by each of its words, and by the first seven letters of the word."""
    common_stems: frozenset[str]


@cache
def known() -> Words:
    """The words of `facts.toml`."""
    data = tomllib.loads(Path(__file__).with_name("facts.toml").read_text(encoding="utf-8"))
    units = {
        word: (kind, Decimal(size))
        for kind, sizes in data["units"].items()
        for size, words in sizes.items()
        for word in words.split()
    }
    pairs = {
        (first, second): kind for kind, several in data["pairs"].items() for first, second in map(str.split, several)
    }
    lists = {name: {word: key for key, words in data[name].items() for word in words.split()} for name in _LISTS}
    sets = {name: frozenset(word for words in data[name].values() for word in words.split()) for name in _SETS + _STEMS}
    return Words(
        units=units,
        pairs=pairs,
        scales={word: int(power) for word, power in lists["scales"].items()},
        periods=lists["periods"],
        roles=lists["roles"],
        same=lists["same"] | {word[:7]: group for word, group in lists["same"].items()},
        common_stems=frozenset(one[:7] for one in sets["common"]),
        **{name: sets[name] for name in _SETS},
        **{name: frozenset(one[:7] for one in sets[name]) for name in _STEMS},
    )


def synonym_group(word: str) -> str:
    """The name of the group of synonyms to which a word or stem belongs; the word itself if it is in no group."""
    groups = known().same
    return groups.get(word) or groups.get(word[:7], word)


def is_head(word: str) -> bool:
    """Whether the stem of a noun only names the kind of a value, or who states it."""
    return word in known().heads


def is_of_taxes(word: str) -> bool:
    """Whether a stem is of a word about taxes, such as “included”, which occurs with amounts of all kinds."""
    return word in known().taxes


def is_short(word: str) -> bool:
    """Whether a word is an article, a preposition or a similar function word."""
    return word in known().short


def is_paper(word: str) -> bool:
    """Whether the stem of a word only names a kind of paper, such as a contract."""
    return word in known().papers


_SINGLE: Final = {
    2: "two zwei deux dos due", 3: "three drei trois tres tre", 4: "four vier quatre cuatro quattro",
    5: "five fünf cinq cinco cinque", 6: "six sechs seis", 7: "seven sieben sept siete sette",
    8: "eight acht huit ocho otto", 9: "nine neun nueve", 10: "ten zehn dix diez dieci", 11: "eleven elf onze once",
    12: "twelve zwölf douze doce dodici", 14: "fourteen vierzehn quatorze", 15: "fifteen fünfzehn quinze quince",
    18: "eighteen achtzehn", 20: "twenty zwanzig vingt veinte venti", 30: "thirty dreißig trente treinta trenta",
    40: "forty vierzig quarante", 50: "fifty fünfzig cinquante", 60: "sixty sechzig soixante", 70: "seventy siebzig",
    80: "eighty achtzig", 90: "ninety neunzig",
}  # fmt: skip
_JOINED: Final = (
    (
        "two three four five six seven eight nine",
        "twenty thirty forty fifty sixty seventy eighty ninety",
        "{ten}-{one}",
    ),
    ("deux trois quatre cinq six sept huit neuf", "vingt trente quarante cinquante soixante", "{ten}-{one}"),
    (
        "zwei drei vier fünf sechs sieben acht neun",
        "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
        "{one}und{ten}",
    ),
)
"""Units, tens, and how a compound of both is written."""


def _numerals() -> Iterator[tuple[str, int]]:
    yield from ((word, number) for number, words in _SINGLE.items() for word in words.split())
    for units, tens, form in _JOINED:
        for at, ten in enumerate(tens.split(), 2):
            for digit, one in enumerate(units.split(), 2):
                yield form.format(ten=ten, one=one), 10 * at + digit


NUMERALS: Final[Mapping[str, int]] = dict(_numerals())
"""Numbers in words from two on, in five languages, without words that are also articles."""
