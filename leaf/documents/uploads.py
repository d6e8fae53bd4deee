"""Reads uploads: detects the kind of a file by its content, and splits its text into lines with known places.

The content decides. The name and the browser's type help only where the content is ambiguous.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from leaf import texts
from leaf.documents import books, ole, opendocument, richtext
from leaf.documents.kinds import BY_SUFFIX, Kind, kind_words
from leaf.documents.model import NoText, Segment, Unreadable, left_out
from leaf.documents.office import BROKEN, unpackable
from leaf.documents.parser import parse
from leaf.documents.textfiles import ranges

MAX_TEXT_BYTES = 10_000_000
"""Maximum size of the text of one upload in UTF-8. A note says where it was cut."""
SUFFIXES: dict[Kind, str] = {
    "pdf": ".pdf", "word": ".docx", "excel": ".xlsx", "powerpoint": ".pptx", "image": ".png",
    "mail": ".eml",
}  # fmt: skip
"""Kinds whose text is extracted; they can be read but not edited."""
_PDF_WITHIN_BYTES = 1024
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAIN_PARTS: tuple[tuple[str, Kind], ...] = (
    ("word/document.xml", "word"), ("xl/workbook.xml", "excel"), ("ppt/presentation.xml", "powerpoint"),
)  # fmt: skip
_OPEN_DOCUMENTS: dict[str, Kind] = {
    "application/vnd.oasis.opendocument.spreadsheet": "excel",
    "application/vnd.oasis.opendocument.text": "word",
    "application/vnd.oasis.opendocument.presentation": "powerpoint",
    books.TYPE: "word",
}
_MARKED: frozenset[Kind] = frozenset({"pdf", "excel", "powerpoint", "image"})
"""Kinds whose text has a line such as `[page 3]` at the start of each place. Other kinds have headings."""
_LINE_CHARACTERS = 20_000
_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
"""A line without its line end, as `str.splitlines` splits them."""


@dataclass(frozen=True, slots=True)
class Extract:
    """The result of reading an upload."""

    kind: Kind
    text: str
    places: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """The line, from 1, at which each place begins: `page 3`, `sheet Budget`, `slide 2`, `section Goals`."""
    notes: list[str] = field(default_factory=list[str])
    read_only: bool = False
    """Whether the text cannot be edited, because it was extracted, is too long, or has a line that is too long."""

    @property
    def extracted(self) -> bool:
        """Whether the text was extracted from a binary format."""
        return self.kind in SUFFIXES


def extract(data: bytes, name: str, editable_bytes: int = MAX_TEXT_BYTES) -> Extract:
    """Detects the kind of an upload and reads its text.

    Args:
        data: All bytes.
        name: Its name. The suffix distinguishes Markdown, CSV and text.
        editable_bytes: Maximum size of a text that can be edited. A larger text, and a text with a line that exceeds
            one read, becomes read-only, and its long lines are broken.

    Raises:
        Unreadable: The kind is not supported, or the file is damaged, encrypted or too large; the message says which.
    """
    kind = kind_by_content(data, name)
    try:
        parsed = parse(data, kind if kind in SUFFIXES else "text")
    except NoText as error:
        return Extract(kind, "", [], [error.reason], kind in SUFFIXES)
    if kind not in SUFFIXES:
        found = _limited(Extract(kind, "".join(one.text for one in parsed.segments), [], parsed.notes))
        if len(found.text.encode()) <= editable_bytes and not _is_endless(found.text):
            return found
        return replace(found, text=in_short_lines(found.text), read_only=True)
    text, places = _in_lines(parsed.segments, marked=kind in _MARKED or (kind == "mail" and len(parsed.segments) > 1))
    return _limited(Extract(kind, text, places, parsed.notes, read_only=True))


def _is_endless(text: str) -> bool:
    """Whether a line exceeds one read, so that its end could not be read."""
    return any(line.end() - line.start() >= ranges.MAX_CHARACTERS for line in _LINE.finditer(text))


def kind_by_content(data: bytes, name: str) -> Kind:
    """The kind of a file by its content. The name decides only between kinds of text.

    Raises:
        Unreadable: The kind is unsupported, or it contradicts the name.
    """
    promised = BY_SUFFIX.get(PurePath(name).suffix.lower())
    found = _binary_kind(data)
    if found is None:
        if promised in SUFFIXES and promised != "mail":
            raise Unreadable(texts.english("refusals.upload_not", kind=kind_words(promised)))
        return promised or "text"
    if promised is not None and promised != found:
        raise Unreadable(texts.english("refusals.upload_is", kind=kind_words(found), suffix=SUFFIXES[found]))
    return found


def _binary_kind(data: bytes) -> Kind | None:
    """The kind that the first bytes show; None if it may be text.

    Raises:
        Unreadable: The kind is not supported, or the file is damaged or encrypted.
    """
    if data.startswith(_ZIP):
        return _archive_kind(data)
    if data.startswith(_OLE):
        if found := ole.kind_of(data):
            return found
        raise Unreadable(texts.english("refusals.upload_protected"))
    if b"%PDF-" in data[:_PDF_WITHIN_BYTES]:
        return "pdf"
    if data.startswith((b"\x89PNG", b"\xff\xd8\xff")) or (data.startswith(b"RIFF") and data[8:12] == b"WEBP"):
        return "image"
    if data.startswith((b"GIF8", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"\x7fELF", b"MZ")):
        raise Unreadable(texts.english("refusals.upload_binary"))
    return "word" if data.startswith(richtext.BEGIN) else None


def _archive_kind(data: bytes) -> Kind:
    with unpackable(data) as archive:
        try:
            names = {*archive.namelist()}
        except BROKEN:
            raise Unreadable(texts.english("refusals.upload_damaged")) from None
    found: Kind | None = next((kind for part, kind in _MAIN_PARTS if part in names), None)
    found = found or _OPEN_DOCUMENTS.get(opendocument.type_of(data))
    if found is None:
        raise Unreadable(texts.english("refusals.upload_archive"))
    return found


def _in_lines(segments: list[Segment], *, marked: bool) -> tuple[str, list[tuple[int, str]]]:
    """The text, in which each segment begins on a new line, and the line at which each place begins."""
    pieces: list[str] = []
    places: list[tuple[int, str]] = []
    line = 1
    for segment in segments:
        text = in_short_lines(segment.text)
        piece = f"[{segment.place}]\n{text}" if marked else text
        piece += "" if piece.endswith("\n") else "\n"
        if marked or segment.part != "all":
            places.append((line, segment.place))
        pieces.append(piece)
        line += len(piece.splitlines())
    return "".join(pieces), places


def by_places(content: str, places: Sequence[tuple[int, str]]) -> list[tuple[str, str]]:
    """Splits a text into its places. The lines that only name a place are left out.

    Args:
        content: The text.
        places: As in `Extract`; at least one.

    Returns:
        The name and the text of each place. The first entry has an empty name and the text before the first place.
    """
    lines = content.splitlines(keepends=True)
    ends = [*(line - 1 for line, _ in places[1:]), len(lines)]
    found = [("", "".join(lines[: places[0][0] - 1]))]
    for (line, part), end in zip(places, ends, strict=True):
        marked = line <= len(lines) and lines[line - 1].strip() == f"[{part}]"
        found.append((part, "".join(lines[line - 1 + marked : end])))
    return found


def in_short_lines(text: str) -> str:
    """The text with too long lines broken, so that each line fits into one read."""
    if len(text) <= _LINE_CHARACTERS:
        return text
    lines = text.split("\n")
    return "\n".join(
        line[at : at + _LINE_CHARACTERS] for line in lines for at in range(0, len(line) or 1, _LINE_CHARACTERS)
    )


def _limited(given: Extract) -> Extract:
    encoded = given.text.encode()
    if len(encoded) <= MAX_TEXT_BYTES:
        return given
    kept = encoded[:MAX_TEXT_BYTES].decode(errors="ignore")
    kept = kept[: kept.rfind("\n") + 1] or f"{kept}\n"
    lines = len(kept.splitlines())
    note = left_out("notes.text_cut", line=lines, most=round(MAX_TEXT_BYTES / 1e6))
    places = [(line, part) for line, part in given.places if line <= lines]
    return replace(given, text=f"{kept}[cut here: {note}]\n", places=places, notes=[*given.notes, note])


def place_of(places: list[tuple[int, str]], line: int) -> str:
    """The place that contains a line; empty before the first place."""
    before = bisect_right(places, line, key=lambda one: one[0])
    return places[before - 1][1] if before else ""
