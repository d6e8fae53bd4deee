"""Texts that do not depend on results of tools: the hostile answer, filler text, and reasoning."""

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
    """A text, followed by a note and filler text if it has fewer than `words` words."""
    missing = words - len(text.split())
    if missing <= 0:
        return text
    filling = " ".join(islice(_sentences(), missing)).split()[:missing]
    return f"{text}\n\n---\n\nThis model is slow on purpose; what follows only fills the time.\n\n{' '.join(filling)}"


def reasoning(question: str, calls: list[str]) -> str:
    """The reasoning of `sandbox-reasoning` before its calls or its answer.

    Args:
        question: The question.
        calls: The names of the tools that it is about to call.
    """
    plan = f"I need to call {' and '.join(dict.fromkeys(calls))}." if calls else "I have what I need, so I can answer."
    shown = " ".join(question.split()[:20])
    return f"The user asks: {shown}\n\nI only quote, so I look for the words of the question. {plan}"
