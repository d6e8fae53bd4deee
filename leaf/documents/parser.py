"""Parses files of all kinds into segments."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from leaf import texts
from leaf.documents import books, mail, office, old_documents, ole, opendocument, pdf, richtext, scans, sheets, text
from leaf.documents.kinds import Kind
from leaf.documents.model import LEFT_OUT, Segment, Unreadable, left_out
from leaf.parts import plain_text
from leaf.texts.places import in_attachment

MAX_BYTES = 50_000_000
"""The maximum size of a file. Larger files are not read."""
READER_VERSION = 5
"""The version of the parsers. It grows when kinds become readable, so that refused files are tried again. Version 1 had
no pictures, .xls, .ods or mail. Version 2 had no subtitles or notebooks with a MIME type of their own. Version 3 had
no .doc, .rtf, .epub, .msg or Google Drawings. Version 4 named the attachments of e-mails but did not read them.
"""
MAX_CHARACTERS = 20_000_000
"""The maximum number of characters of a document. A note says what was left out."""


MAX_ATTACHMENTS = 20
"""The maximum number of attachments of an e-mail that are read, and that a note names."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The result of parsing a file."""

    segments: list[Segment]
    notes: list[str] = field(default_factory=list[str])
    truncated: bool = False


_READERS: dict[Kind, Callable[[bytes], tuple[list[Segment], list[str]]]] = {
    "markdown": text.read_markdown,
    "text": text.read_lines,
    "code": text.read_lines,
    "json": text.read_lines,
    "csv": text.read_csv,
    "html": text.read_html,
    "page": text.read_page,
    "spreadsheet": sheets.read,
    "excel": sheets.read,
}


def _word(data: bytes, reader: scans.Reader) -> tuple[list[Segment], list[str]]:
    """Reads a text document of Word or OpenDocument, a book, or rich text. The content shows which it is."""
    if ole.kind_of(data) == "word":
        return old_documents.read(data)
    if data.startswith(richtext.BEGIN):
        return richtext.read(data)
    media_type = opendocument.type_of(data)
    if media_type == books.TYPE:
        return books.read(data)
    read = opendocument.read_text if media_type.startswith(opendocument.TYPES) else office.read_docx
    return read(data, reader)


def _powerpoint(data: bytes, reader: scans.Reader) -> tuple[list[Segment], list[str]]:
    """Reads a presentation of PowerPoint or OpenDocument."""
    read = opendocument.read_presentation if opendocument.is_open_document(data) else office.read_pptx
    return read(data, reader)


def _mail(data: bytes, reader: scans.Reader, most: int) -> tuple[list[Segment], list[str]]:
    """Reads an e-mail with its first `most` attachments. Notes name the attachments that are not read.

    The attachments of an attached e-mail are not read.
    """
    segments, attached = mail.read(data)
    notes: list[str] = []
    unread = [one.name for one in attached[most:]]
    for one in attached[:most]:
        try:
            inner, about = _parsed(one.content(), one.kind, reader, 0)
        except Unreadable:
            unread.append(one.name)
            continue
        segments += [
            replace(each, part=in_attachment(one.name, each.part), title=each.title or one.name) for each in inner
        ]
        notes += [_in_attachment(one.name, note) for note in about]
    if len(segments) > 1 and segments[0].part == "all":
        segments[0] = replace(segments[0], part=f"lines 1-{len(text.lines_of(segments[0].text))}")
    return segments, [*notes, *_not_read(unread)]


def _in_attachment(name: str, note: str) -> str:
    if note.startswith(LEFT_OUT):
        return left_out("notes.in_attachment", name=name, note=note.removeprefix(LEFT_OUT))
    return texts.english("notes.in_attachment", name=name, note=note)


def _not_read(names: Sequence[str]) -> list[str]:
    """The note about attachments that are not read; empty if all are."""
    if not names:
        return []
    named, more = ", ".join(f"“{name}”" for name in names[:MAX_ATTACHMENTS]), len(names) - MAX_ATTACHMENTS
    if more > 0:
        return [texts.english("notes.attachments_more", names=named, number=more)]
    return [texts.english("notes.attachments", names=named)]


_PICTURE_READERS: dict[Kind, Callable[[bytes, scans.Reader], tuple[list[Segment], list[str]]]] = {
    "document": text.read_google_doc,
    "pdf": pdf.read,
    "drawing": pdf.read,
    "word": _word,
    "presentation": office.read_pptx,
    "powerpoint": _powerpoint,
    "image": scans.read,
}
"""The readers of kinds that may contain pictures of text."""


def too_many_bytes(size_bytes: int) -> Unreadable:
    """The error for a file of more than `MAX_BYTES`."""
    return Unreadable(texts.english("refusals.megabytes", size=round(size_bytes / 1e6), most=round(MAX_BYTES / 1e6)))


def parse(
    data: bytes, kind: Kind, *, picture_seconds: float = scans.SECONDS, most_attachments: int = MAX_ATTACHMENTS
) -> Parsed:
    """Parses a file.

    Args:
        data: The file. For Google's own formats, it is the export as Markdown, xlsx, pptx or PDF.
        kind: The kind of the file.
        picture_seconds: The time for reading text in its pictures. A note names the pictures that were not read.
        most_attachments: How many attachments of an e-mail are read. A note names the others.

    Raises:
        Unreadable: The file is too large, damaged, encrypted, or without text. The message says which.
    """
    if len(data) > MAX_BYTES:
        raise too_many_bytes(len(data))
    reader = scans.Reader(picture_seconds)
    segments, notes = _parsed(data, kind, reader, most_attachments)
    return _limited([_cleaned(one) for one in segments], notes)


def _parsed(data: bytes, kind: Kind, reader: scans.Reader, most: int) -> tuple[list[Segment], list[str]]:
    if not data:
        return [Segment("all", None, "")], []
    if kind == "mail":
        return _mail(data, reader, most)
    if kind in _PICTURE_READERS:
        return _PICTURE_READERS[kind](data, reader)
    if kind in _READERS:
        return _READERS[kind](data)
    raise Unreadable(texts.english("refusals.kind", kind=kind))


def _cleaned(segment: Segment) -> Segment:
    title = None if segment.title is None else plain_text(segment.title)
    headings = tuple(replace(one, title=plain_text(one.title)) for one in segment.headings)
    return replace(
        segment, part=plain_text(segment.part), title=title, text=plain_text(segment.text), headings=headings
    )


def _limited(segments: list[Segment], notes: list[str]) -> Parsed:
    room, kept = MAX_CHARACTERS, list[Segment]()
    for number, segment in enumerate(segments):
        if len(segment.text) <= room:
            kept.append(segment)
            room -= len(segment.text)
            continue
        kept.append(replace(segment, text=segment.text[:room]))
        missing = sum(len(one.text) for one in segments[number:]) - room
        note = left_out("notes.long_file", number=missing, part=segment.part)
        return Parsed(kept, [*notes, note], truncated=True)
    return Parsed(kept, notes, truncated=any(note.startswith(LEFT_OUT) for note in notes))
