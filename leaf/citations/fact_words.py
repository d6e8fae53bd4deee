"""The words by which facts are recognised and compared (`facts.toml`)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

_LISTS: Final = ("scales", "periods", "roles", "same")
_SETS: Final = (
    "common", "short", "opposites", "negations", "without", "unopposed", "taxes", "guesses", "papers", "heads",
)  # fmt: skip


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
    common, short, opposites, negations, without, unopposed, taxes, guesses, papers, heads = (
        frozenset(word for words in data[name].values() for word in words.split()) for name in _SETS
    )
    return Words(
        units, pairs, {word: int(power) for word, power in lists["scales"].items()}, lists["periods"],
        common, short, opposites, negations, without, unopposed, frozenset(one[:7] for one in taxes),
        lists["roles"], guesses, frozenset(one[:7] for one in heads), frozenset(one[:7] for one in papers),
        lists["same"] | {word[:7]: group for word, group in lists["same"].items()},
        frozenset(one[:7] for one in common),
    )  # fmt: skip


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
