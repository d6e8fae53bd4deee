"""The words by which the stand-in model knows what a question asks for (words.toml)."""

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
    """The words of one name, of all languages."""
    return _whole(tuple(_table()[name]))


@cache
def fitting() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """The words of each kind of question, and what a passage has that answers it."""
    return tuple((_whole(tuple(kind["asks"])), re.compile(kind["has"])) for kind in _table()["fitting"])


def listed(name: str) -> list[str]:
    """The entries of one name."""
    return _table()[name]


def find(name: str, text: str) -> re.Match[str] | None:
    """The first of these words in a text."""
    return pattern(name).search(text)


@lru_cache(maxsize=10_000)
def papers(text: str) -> frozenset[int]:
    """The numbers of the kinds of papers that a text names; of a narrower kind the words do not name a wider one."""
    found: set[int] = set()
    for number, kind in enumerate(listed("papers")):
        text, count = _whole((kind,)).subn(" ", text)
        found |= {number} if count else set()
    return frozenset(found)


def span(word: str) -> str:
    """The span of time that a word names, as DuckDB calls it; empty for another word."""
    spans: dict[str, str] = _table()["spans"]
    return next((one for one, names in spans.items() if re.fullmatch(names, word.casefold())), "")


def behind(name: str, what: str, text: str) -> list[str]:
    """The texts of a form behind one of these words, and an article, if there is one."""
    articles = "|".join(listed("articles"))
    return re.findall(rf"{pattern(name).pattern}\s+(?:(?:{articles})\s+)?({what})", text, re.IGNORECASE)


@cache
def _whole(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)
