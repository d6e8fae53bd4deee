"""Splits the text of a piece into searchable blocks: paragraphs under their headings, or rows of a table."""

import re
from dataclasses import dataclass
from itertools import accumulate, pairwise

from leaf.documents.pieces import Piece
from leaf.documents.text import lines_of, rows_of
from leaf.texts.places import is_in

BLOCK_CHARACTERS = 1_200
"""The maximum length of a block. A longer paragraph is split between lines, and a longer line between words."""
TABLES = {"csv", "spreadsheet", "excel"}
_HEADING = re.compile(r"\s*#{1,6}\s+\S")
_NUMBERED_HEADING = re.compile(r"\s*\d{1,2}(?:\.\d{1,2}){1,4}\.?\s+[^\W\d_].{0,90}\s*\Z")
_CONTENTS = re.compile(r"(?:\.[ \t]?){4,}|…{2,}")
_RUNNING_TITLE = re.compile(r"\d{1,4}\s+[^\n]+|[^\n]+\s\d{1,4}")
_ENDS_SENTENCE = re.compile(r"[.!?:][\"”’)\]]*\s*\Z")


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a table row; `start` and `end` are offsets in the body of its piece."""

    start: int
    end: int
    title: str = ""
    """The heading lines at the start of the block; empty if it has none."""
    row: int | None = None
    """The number of the row in the table, from 1; None for a paragraph."""


def is_running_title(text: str) -> bool:
    """Whether a text looks like a running header or footer with a page number."""
    return len(text) <= 100 and bool(_RUNNING_TITLE.fullmatch(text.strip()))


def is_contents(text: str) -> bool:
    """Whether a text is mostly a table of contents, with dots that lead to page numbers."""
    return 2 * len(_CONTENTS.findall(text)) > text.strip().count("\n")


def rows(piece: Piece) -> list[Block]:
    """The rows that are not empty. Their numbers are the numbers that a range such as `rows 5-9` uses."""
    counted = re.search(r"\brows (\d+)", piece.part)
    first = int(counted.group(1)) if counted else 1
    all_rows = rows_of(piece.body)
    ends = list(accumulate(map(len, all_rows)))
    return [
        Block(end - len(row), end, "", first + number)
        for number, (row, end) in enumerate(zip(all_rows, ends, strict=True))
        if row.strip(" \t\r\n,;")
    ]


def paragraphs(piece: Piece, limit: int) -> list[Block]:
    """The paragraphs of a piece, each together with the heading above it.

    Pages of a PDF have no blank lines, so a short line that ends a sentence ends the paragraph there.
    """
    text = piece.body
    lines = lines_of(text)
    titles = {_normalised(heading.title) for heading in piece.segment.headings}
    full_line = 0.85 * max(map(len, lines), default=0) if is_in(piece.part, "page") else 0
    blocks: list[Block] = []
    start = at = 0
    title, has_text, blank, previous = "", False, False, ""
    for line in lines:
        is_title = bool(_HEADING.match(line)) or _names_section(line, titles)
        ends = previous and len(previous) < full_line and _ENDS_SENTENCE.search(previous)
        if has_text and line.strip() and (blank or is_title or ends):
            blocks += _cut(text, Block(start, at, title), limit)
            start, title, has_text = at, "", False
        if line.strip():
            title = f"{title} {line.strip()}".strip() if is_title else title
            # A heading alone is not a block; it belongs to the text below it.
            has_text = has_text or not is_title
            previous = line
        blank = not line.strip()
        at += len(line)
    return [*blocks, *_cut(text, Block(start, at, title), limit)]


def _names_section(line: str, titles: set[str]) -> bool:
    return (bool(_NUMBERED_HEADING.match(line)) or _normalised(line) in titles) and not _CONTENTS.search(line)


def _normalised(title: str) -> str:
    return " ".join(title.casefold().replace("’", "'").split())


def _cut(text: str, block: Block, limit: int) -> list[Block]:
    """Splits a block into blocks of at most `limit` characters, without the blank lines around it.

    An empty block gives an empty list.
    """
    content = text[block.start : block.end]
    start = block.start + len(content) - len(content.lstrip("\r\n"))
    end = block.end - len(content) + len(content.rstrip())
    cuts = [start]
    while end - cuts[-1] > limit:
        first = cuts[-1]
        line = text.rfind("\n", first + limit // 2, first + limit) + 1
        word = text.rfind(" ", first + limit // 2, first + limit) + 1
        cuts.append(line or word or first + limit)
    pieces = [Block(first, last) for first, last in pairwise([*cuts, end]) if text[first:last].strip()]
    return [Block(one.start, one.end, block.title if one.start == start else "") for one in pieces]
