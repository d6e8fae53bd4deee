"""The passages of a document by which it is searched. Pure; slow for long documents, so callers use a thread."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from leaf.documents.model import Document

WORDS = 120
OVERLAP = 20
MAX_CHARACTERS = 2_000
"""The longest passage; words of any length fit into it."""
MAX_CHUNKS = 50_000
HEADING_CHARACTERS = 500
_WORD = re.compile(r"\S{1,500}")
_LEVEL = re.compile(r"#{1,6}(?= )")
_SUBJECT = re.compile(r"^Subject: (\S.*)", re.MULTILINE)
_FIRST_LINE = re.compile(r"\s{0,20}(?:#{1,6} )?(\S[^\r\n]{0,98}[^\s.,;:])[ \t]{0,20}\r?\n[ \t]{0,20}\r?\n")
"""A short line at the beginning of a text that a blank line follows."""
_HEAD_CHARACTERS = 2_000
_WITHOUT_TITLES = frozenset({"csv", "spreadsheet", "excel", "json", "code"})


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: an unchanged piece of a segment's text."""

    place: str
    """The part of the document, such as `page 3`."""
    heading: str
    """The name and the title of the document, and the titles above the passage, separated by ` › `."""
    text: str


def chunks_of(document: Document) -> list[Chunk]:
    """The passages in their order, each about `WORDS` words long, with `OVERLAP` words of the one before."""
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
    """The title of a document, if it has one: all passages are about it, and a file's name may be a mere number."""
    if not document.segments or document.kind in _WITHOUT_TITLES:
        return []
    first = document.segments[0]
    if first.title:
        return [first.title]
    head = first.text[:_HEAD_CHARACTERS]
    found = _SUBJECT.search(head) if document.kind == "mail" else _FIRST_LINE.match(head)
    return [found[1]] if found is not None else []


def _windows(text: str) -> Iterator[tuple[int, str]]:
    """The positions and texts of the passages of a segment."""
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
        # A passage that is cut short by its characters still makes progress.
        first = max(first + 1, last + 1 - OVERLAP)
