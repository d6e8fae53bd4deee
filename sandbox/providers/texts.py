"""Texts that do not depend on what was found: the hostile answer, what makes one long, reasoning."""

import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any


@cache
def _fixed() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "texts.toml").read_text("utf-8"))


def hostile() -> str:
    """An answer with everything that a page must not run or load."""
    return _fixed()["hostile"]


def _sentences() -> Iterator[str]:
    parts: list[list[str]] = _fixed()["sentences"]
    return (" ".join(words) for words in zip(*map(cycle, parts), strict=False))


def lengthened(text: str, words: int) -> str:
    """The text, and filling after it until there are this many words."""
    missing = words - len(text.split())
    if missing <= 0:
        return text
    filling = " ".join(islice(_sentences(), missing)).split()[:missing]
    return f"{text}\n\n---\n\nThis model is slow on purpose; what follows only fills the time.\n\n{' '.join(filling)}"


def reasoning(question: str, calls: list[str]) -> str:
    """The reasoning of `sandbox-reasoning` before it acts."""
    plan = f"I need to call {' and '.join(dict.fromkeys(calls))}." if calls else "I have what I need, so I can answer."
    shown = " ".join(question.split()[:20])
    return f"The user asks: {shown}\n\nI only quote, so I look for the words of the question. {plan}"
