"""The words (words.toml) by which the stand-in model recognises what a question asks for."""

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern for the words of an entry, in all languages."""
    return _whole(tuple(_table()[name]))


@cache
def fitting() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """For each kind of question: a pattern for its words, and a pattern for what an answering passage has."""
    return tuple((_whole(tuple(kind["asks"])), re.compile(kind["has"])) for kind in _table()["fitting"])


def listed(name: str) -> list[str]:
    """The words of an entry, as a list."""
    return _table()[name]


def find(name: str, text: str) -> re.Match[str] | None:
    """The first word of an entry in a text; None if there is none."""
    return pattern(name).search(text)


@lru_cache(maxsize=10_000)
def papers(text: str) -> frozenset[int]:
    """The numbers of the kinds of papers that a text names. Words of a narrower kind do not also name a wider one."""
    found: set[int] = set()
    for number, kind in enumerate(listed("papers")):
        text, count = _whole((kind,)).subn(" ", text)
        found |= {number} if count else set()
    return frozenset(found)


def span(word: str) -> str:
    """The span of time that a word names, in DuckDB's term; empty for any other word."""
    spans: dict[str, str] = _table()["spans"]
    return next((one for one, names in spans.items() if re.fullmatch(names, word.casefold())), "")


def behind(name: str, what: str, text: str) -> list[str]:
    """The texts that match a pattern after one of these words and an optional article."""
    articles = "|".join(listed("articles"))
    return re.findall(rf"{pattern(name).pattern}\s+(?:(?:{articles})\s+)?({what})", text, re.IGNORECASE)


@cache
def _whole(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)
