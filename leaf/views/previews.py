"""The preview of a file of a chat, as Markdown, a table, pages or plain text. Pure."""

import csv
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from leaf.documents.tables.grids import delimiter_of
from leaf.services.files import FileText
from leaf.texts import say
from leaf.texts.notes import note_text

SHOWN_CHARACTERS = 50_000
SHOWN_ROWS, SHOWN_COLUMNS, SHOWN_CELL_CHARACTERS = 200, 30, 500

Form = Literal["markdown", "table", "pages", "text", "nothing"]


@dataclass(frozen=True)
class Page:
    """A page, sheet, slide or section."""

    part: str
    text: str


@dataclass(frozen=True)
class Preview:
    form: Form
    text: str = ""
    head: list[str] = field(default_factory=list[str])
    rows: list[list[str]] = field(default_factory=list[list[str]])
    pages: list[Page] = field(default_factory=list[Page])
    notes: list[str] = field(default_factory=list[str])


def of(file: FileText) -> Preview:
    """The preview of a file, with notes about its text and about parts that are left out."""
    notes = [note_text(one) for one in file.notes]
    text = file.content[:SHOWN_CHARACTERS]
    if file.kind == "csv" and (table := _table(file.content)) is not None:
        head, rows, note = table
        return Preview("table", text, head, rows, notes=[*notes, *([note] if note else [])])
    if len(text) < len(file.content):
        notes.append(say("file.first_characters", shown=SHOWN_CHARACTERS, whole=len(file.content)))
    if not file.content:
        return Preview("nothing", notes=notes or [say("file.was_deleted") if file.deleted else say("file.is_empty")])
    if file.places:
        return Preview("pages", text, pages=_pages(text, file.places), notes=notes)
    return Preview("markdown" if file.kind == "markdown" and not file.read_only else "text", text, notes=notes)


def _table(content: str) -> tuple[list[str], list[list[str]], str] | None:
    """The header and rows of CSV, and a note about what was left out; None if the content is not a table."""
    delimiter, begin = delimiter_of(content)
    lines = content[begin:].splitlines(keepends=True)
    if not lines:
        return None
    try:
        rows = [*islice(csv.reader(lines, delimiter=delimiter), SHOWN_ROWS + 1)]
    except csv.Error:
        return None
    width = max((len(row) for row in rows), default=0)
    if width < 2:
        return None
    left_out = [say("file.rows_after", count=SHOWN_ROWS)] if len(rows) > SHOWN_ROWS else []
    left_out += [say("file.columns_after", count=SHOWN_COLUMNS)] if width > SHOWN_COLUMNS else []
    columns = min(width, SHOWN_COLUMNS)
    shown = [[*(cell[:SHOWN_CELL_CHARACTERS] for cell in row[:columns]), *[""] * (columns - len(row))] for row in rows]
    return shown[0], shown[1:], _left_out(left_out)


def _left_out(phrases: list[str]) -> str:
    if len(phrases) > 1:
        return say("file.left_out_both", one=phrases[0], other=phrases[1])
    return say("file.left_out", what=phrases[0]) if phrases else ""


def _pages(text: str, places: list[tuple[int, str]]) -> list[Page]:
    lines = text.splitlines()
    pages: list[Page] = []
    for at, (first, part) in enumerate(places):
        if first > len(lines):
            break
        last = places[at + 1][0] - 1 if at + 1 < len(places) else len(lines)
        own = lines[first - 1 : last]
        pages.append(Page(part, "\n".join(own[1:] if own[0] == f"[{part}]" else own).strip("\n")))
    before = "\n".join(lines[: places[0][0] - 1])
    return [Page("", before), *pages] if before.strip() else pages
