"""Splits a document into passages for the search. Pure; slow for long documents, so callers use a thread."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from leaf.documents.model import Document

WORDS = 120
OVERLAP = 20
MAX_CHARACTERS = 2_000
"""The maximum number of characters of a passage. The pieces of very long words fit into it."""
MAX_CHUNKS = 50_000
HEADING_CHARACTERS = 500
_WORD = re.compile(r"\S{1,500}")
_LEVEL = re.compile(r"#{1,6}(?= )")
_SUBJECT = re.compile(r"^Subject: (\S.*)", re.MULTILINE)
_FIRST_LINE = re.compile(r"\s{0,20}(?:#{1,6} )?(\S[^\r\n]{0,98}[^\s.,;:])[ \t]{0,20}\r?\n[ \t]{0,20}\r?\n")
"""A short line at the beginning of a text, followed by a blank line."""
_HEAD_CHARACTERS = 2_000
_WITHOUT_TITLES = frozenset({"csv", "spreadsheet", "excel", "json", "code"})


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage, which is an unchanged piece of a segment's text."""

    place: str
    """The part of the document, such as `page 3`."""
    heading: str
    """The name and title of the document, and the titles above the passage, separated by ` › `."""
    text: str


def chunks_of(document: Document) -> list[Chunk]:
    """Returns the passages in order. Each has about `WORDS` words, of which `OVERLAP` are shared with the passage
    before.
    """
    found: list[Chunk] = []
    path: list[tuple[int, str]] = []
    about = [document.name, *_title_of(document)]
    for segment in document.segments:
        level = _LEVEL.match(segment.text.lstrip()[:8])
        depth = level.end() if level else 1
        path = [one for one in path if one[0] < depth]
        if segment.title:
            path.append((depth, segment.title))
        inner = [(one.at, one.title) for one in segment.headings if one.at is not None]
        begins = [at for at, _ in inner]
        for start, text in _windows(segment.text):
            above = bisect_right(begins, start)
            titles = [title for _, title in [*path, *inner[above - 1 : above]]]
            heading = " › ".join(dict.fromkeys([*about, *titles]))[:HEADING_CHARACTERS]
            found.append(Chunk(segment.place, heading, text))
            if len(found) >= MAX_CHUNKS:
                return found
    return found


def _title_of(document: Document) -> list[str]:
    """The title of a document as a list, empty if there is none. All passages are about it, and the file's name may be
    only a number.
    """
    if not document.segments or document.kind in _WITHOUT_TITLES:
        return []
    first = document.segments[0]
    if first.title:
        return [first.title]
    head = first.text[:_HEAD_CHARACTERS]
    found = _SUBJECT.search(head) if document.kind == "mail" else _FIRST_LINE.match(head)
    return [found[1]] if found is not None else []


def _windows(text: str) -> Iterator[tuple[int, str]]:
    """Yields the position and text of each passage of a segment."""
    words = [match.span() for match in _WORD.finditer(text)]
    first = 0
    while first < len(words):
        start, end = words[first]
        last = first
        while last + 1 < len(words) and last + 1 - first < WORDS and words[last + 1][1] - start <= MAX_CHARACTERS:
            last += 1
            end = words[last][1]
        yield start, text[start:end]
        if last + 1 == len(words):
            return
        # A passage that the limit of characters cuts short must still make progress.
        first = max(first + 1, last + 1 - OVERLAP)
