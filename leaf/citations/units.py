"""Splits a text into units (paragraphs, list entries, table rows) and into sentences. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leaf.citations.syntax import Span

_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\n]+)*")
_ENTRY = re.compile(r"\s{0,12}(?:[-+*]|\d{1,3}[.)])\s")
_RULE = re.compile(r"(?=.*-)(?=.*\|)[|:\- \t>]+\Z")
_SENTENCE_END = re.compile(r"[.!?…][\"“”»’)*_]{0,4}(?=\s|\[)")


@dataclass(frozen=True, slots=True)
class Unit:
    """A paragraph, list entry or table row of a text."""

    span: Span
    lead: Span | None = None
    """For a list entry, the line above its list if that line ends in a colon."""


def units(text: str) -> Iterator[Unit]:
    """Yields the units of a text in order."""
    lead: Span | None = None
    for paragraph in _PARAGRAPH.finditer(text):
        for start, end in _pieces(paragraph[0], paragraph.start()):
            is_entry = _ENTRY.match(text, start, end) is not None
            lead = lead if is_entry else None
            yield Unit((start, end), lead)
            if not is_entry and text[start:end].rstrip(" \t*_").endswith(":"):
                lead = start, end


def _pieces(paragraph: str, start: int) -> Iterator[Span]:
    lines = paragraph.splitlines(keepends=True)
    rule = next((at for at, line in enumerate(lines) if at and _RULE.match(line.rstrip("\n"))), len(lines))
    begin = at = start
    for number, line in enumerate(lines):
        is_row = rule < len(lines) and number >= rule - 1 and "|" in line
        if at > begin and (is_row or _ENTRY.match(line)):
            yield begin, at
            begin = at
        at += len(line)
        if is_row:
            yield begin, at
            begin = at
    if at > begin:
        yield begin, at


def sentence_of(ends: Sequence[int], place: int) -> Span:
    """The begin and end of the sentence around a position.

    Args:
        ends: Ends of sentences (`sentence_ends`).
        place: A position in the same text.
    """
    at = bisect_right(ends, place)
    return (ends[at - 1] if at else 0), ends[at] if at < len(ends) else 1 << 62


def sentence_ends(text: str, whole: Sequence[Span], marks: Sequence[Span]) -> list[int]:
    """The ends of the sentences of a text.

    Args:
        text: The text of one unit.
        whole: Spans of quotations and links, in order, within which no sentence ends.
        marks: Spans of links whose text is a number, in order. After a full stop, they belong to the sentence before
            it.
    """
    starts = [one[0] for one in whole]
    begins = {one[0]: one[1] for one in marks}
    ends: list[int] = []
    for found in _SENTENCE_END.finditer(text):
        at = bisect_right(starts, found.start()) - 1
        if at >= 0 and whole[at][0] <= found.start() < whole[at][1] - 1:
            continue
        end = found.end()
        while (mark := begins.get(end + len(text[end : end + 2]) - len(text[end : end + 2].lstrip()))) is not None:
            end = mark
        ends.append(end)
    return ends
