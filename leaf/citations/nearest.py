"""Finds the passage of a text that is most similar to a quote. Pure; one pass over the text."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from leaf.citations.quote_search import CONTEXT_CHARACTERS, Passage, place_name

LEAST_ALIKE = 0.5
"""The minimum share of a quote's words, weighted by their length, that a similar passage must contain."""
_WORD = re.compile(r"\w+")
_END = re.compile(r"[.!?\n](?=\s|\Z)")


@dataclass(frozen=True, slots=True)
class Near:
    """A passage that is similar to a quote."""

    part: str
    """The name of its place; empty if the text has no named places."""
    text: str
    before: str
    after: str


def nearest(quote: str, passages: Sequence[Passage]) -> Near | None:
    """The passage with the most words of a quote, extended to whole sentences; None if it has less than half of them.

    Args:
        quote: The quote.
        passages: The passages of a text in order.
    """
    wanted = Counter(one[0].casefold() for one in _WORD.finditer(quote))
    size = wanted.total()
    whole = sum(len(word) * count for word, count in wanted.items())
    best, found = 0, None
    for passage in passages:
        spans = [(one.start(), one.end(), one[0].casefold()) for one in _WORD.finditer(passage.text)]
        missing = Counter(wanted)
        alike = 0
        for place, (_, end, word) in enumerate(spans):
            missing[word] -= 1
            alike += len(word) if missing[word] >= 0 else 0
            if place >= size:
                left = spans[place - size][2]
                alike -= len(left) if missing[left] >= 0 else 0
                missing[left] += 1
            if alike > best:
                best, found = alike, (passage, spans[max(0, place - size + 1)][0], end)
    if found is None or best < LEAST_ALIKE * whole:
        return None
    return _near(*found)


def _near(passage: Passage, begin: int, end: int) -> Near:
    """The passage, extended to the beginning and end of its sentences if these are near."""
    text = passage.text
    early = max(0, begin - CONTEXT_CHARACTERS)
    begins = [early + one.end() for one in _END.finditer(text[early:begin])]
    first = begins[-1] if begins else (0 if early == 0 else begin)
    closing = _END.search(text, max(first, end - 1), min(len(text), end + CONTEXT_CHARACTERS))
    rest = end if len(text) > end + CONTEXT_CHARACTERS else len(text)
    last = closing.end() if closing else rest
    return Near(
        place_name([passage], 0, 0, first),
        " ".join(text[first:last].split()),
        " ".join(text[max(0, first - CONTEXT_CHARACTERS) : first].split()),
        " ".join(text[last : last + CONTEXT_CHARACTERS].split()),
    )
