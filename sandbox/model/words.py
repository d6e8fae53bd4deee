"""The words by which the stand-in model knows what a question asks for (words.toml)."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """The words of one name, of all languages."""
    return _whole(_table()[name])


@cache
def fitting() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """The words of each kind of question, and what a passage has that answers it."""
    return tuple((_whole(kind["asks"]), re.compile(kind["has"])) for kind in _table()["fitting"])


@cache
def alike() -> tuple[str, ...]:
    """Words for the same thing, in a text each."""
    return tuple(_table()["alike"])


def find(name: str, text: str) -> re.Match[str] | None:
    """The first of these words in a text."""
    return pattern(name).search(text)


def _whole(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)
