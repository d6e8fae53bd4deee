"""Texts that do not depend on what was found: the long answer, the hostile one, reasoning."""

import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any

LONG_WORDS = 2000


@cache
def _fixed() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "texts.toml").read_text("utf-8"))


def hostile() -> str:
    """An answer with everything that a page must not run or load."""
    return _fixed()["hostile"]


def _sentences() -> Iterator[str]:
    parts: list[list[str]] = _fixed()["sentences"]
    return (" ".join(words) for words in zip(*map(cycle, parts), strict=False))


def _paragraph(sentences: Iterator[str], count: int) -> str:
    return " ".join(islice(sentences, count)) + "\n\n"


def long_answer(words: int = LONG_WORDS) -> str:
    """Varied Markdown of exactly this many words: headings, lists, a table, a code block.

    Args:
        words: How many, counted as `len(text.split())`; at least 50.
    """
    sentences, special = _sentences(), cycle(_fixed()["special"])
    text, number = _fixed()["opening"], 0
    while True:
        number += 1
        section = f"## Section {number}\n\n" + _paragraph(sentences, 6) + next(special) + _paragraph(sentences, 4)
        if len((text + section).split()) > words - 12:
            break
        text += section
    missing = words - len(text.split()) - 4
    filler = [word for sentence in islice(sentences, missing) for word in sentence.split()][:missing]
    return text + " ".join(filler).rstrip(".,") + ".\n\nThat was all, truly."


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
