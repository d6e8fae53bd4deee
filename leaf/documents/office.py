"""Reads Word and PowerPoint files, and checks the ZIP archives that they are."""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any
from xml.parsers.expat import ExpatError

from leaf import texts
from leaf.documents import html_tables, scans, word_parts
from leaf.documents.kinds import Kind
from leaf.documents.model import NoText, Segment, Unreadable
from leaf.documents.pdf import first_line
from leaf.documents.pieces import ranges
from leaf.documents.text import segments_by_heading
from leaf.texts.places import SPEAKER_NOTES

MAX_UNPACKED_BYTES = 300_000_000
MAX_PARTS = 20_000
WORD_TAGS = 800_000
"""Maximum number of tags in a Word document, enough for about 1,000 pages. mammoth needs up to 40 µs per tag."""
MAX_TAGS = 4_000_000
"""Maximum number of tags in other files that are parsed into a tree, at up to 5 µs per tag."""
_CHUNK_BYTES = 1_000_000
_HEAD_BYTES = 64
COMPOUND = b"\xd0\xcf\x11\xe0"
"""The first bytes of a compound file. Office wraps a file with a password in one."""

BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, ExpatError, SyntaxError, LookupError, ValueError, ArithmeticError,
    EOFError, OSError, AttributeError, TypeError, RuntimeError, AssertionError,
)  # fmt: skip
"""Exceptions that the Office libraries raise for damaged files. They do not check files in advance."""


def unpackable(data: bytes, most_tags: int | None = None) -> zipfile.ZipFile:
    """Opens an archive after a check of its directory.

    Args:
        data: The file.
        most_tags: Maximum number of XML tags, opening and closing ones; None to leave them uncounted.

    Raises:
        Unreadable: It is encrypted, damaged or no archive, or it has too many bytes, parts or tags when unpacked.
    """
    if data.startswith(COMPOUND):
        raise Unreadable(texts.english("refusals.encrypted_office"))
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except BROKEN:
        raise Unreadable(texts.english("refusals.wrong_kind")) from None
    parts = archive.infolist()
    if sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES or len(parts) > MAX_PARTS:
        raise Unreadable(texts.english("refusals.unpacks", most=round(MAX_UNPACKED_BYTES / 1e6)))
    if most_tags is not None and _has_more_tags(archive, most_tags):
        raise Unreadable(texts.english("refusals.tags", most=most_tags))
    return archive


def _has_more_tags(archive: zipfile.ZipFile, most: int) -> bool:
    """Whether the parts of an archive have more than `most` XML tags together.

    A small file can hold millions of tags, and the libraries make an object for each. Damaged parts are skipped here;
    their reader reports them.
    """
    found = 0
    for part in archive.infolist():
        try:
            with archive.open(part) as opened:
                chunk = opened.read(_HEAD_BYTES)
                # The name of a part does not tell whether it is XML, so its first bytes decide.
                while chunk and (opened.tell() > _HEAD_BYTES or _is_markup(chunk)):
                    found += chunk.count(b"<")
                    if found > most:
                        return True
                    chunk = opened.read(_CHUNK_BYTES)
        except (*BROKEN, NotImplementedError):
            continue
    return False


def _is_markup(head: bytes) -> bool:
    """Whether a part starts with `<`, as XML does, in UTF-8 or UTF-16."""
    return head.lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n").startswith(b"<")


def read_docx(data: bytes, reader: scans.Reader) -> tuple[list[Segment], list[str]]:
    """The text of a Word document by heading, the text of its pictures, and notes.

    Raises:
        Unreadable: It is damaged, encrypted, too large, or without text.
    """
    markdown, pictures = _docx(data)
    shown, notes = scans.within(pictures, reader)
    if not markdown and pictures and not shown:
        raise NoText(texts.english("refusals.no_text_word"))
    return scans.with_pictures(segments_by_heading(markdown), shown), notes


def _docx(data: bytes) -> tuple[str, list[scans.Picture]]:
    """The text of a Word document as Markdown, and its pictures in document order."""
    import mammoth
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    with unpackable(data, WORD_TAGS) as archive:
        pictures: list[scans.Picture] = []

        def put_aside(image: Any) -> list[Any]:
            with image.open() as opened:
                pictures.append(scans.Picture(opened.read()))
            return []

        try:
            html = mammoth.convert_to_html(
                io.BytesIO(word_parts.readable(data, archive)), convert_image=put_aside
            ).value
            soup = BeautifulSoup(html, "lxml")
            html_tables.flatten(soup)
            converter = MarkdownConverter(
                heading_style="ATX", escape_asterisks=False, escape_underscores=False, table_infer_header=True
            )
            body = converter.convert_soup(soup).strip()
            header, footer = word_parts.margins(archive)
        except BROKEN:
            raise Unreadable(texts.english("refusals.damaged_word")) from None
    return "\n\n".join(one for one in (header, body, footer) if one), pictures


def read_pptx(data: bytes, reader: scans.Reader) -> tuple[list[Segment], list[str]]:
    """The text of a presentation by slide (titles, text, tables, speaker notes), the text of its pictures, and notes.

    Raises:
        Unreadable: It is damaged, encrypted, too large, or without text.
    """
    slides, pictures = _pptx(data)
    recognised, about_pictures = scans.within(pictures, reader)
    if not any(text.strip() for _, text in slides) and not recognised:
        raise NoText(texts.english("refusals.no_text_slides"))
    empty = [number for number, (_, text) in enumerate(slides, 1) if not text.strip()]
    notes = [texts.english("notes.slides_textless", count=len(empty), slides=ranges(empty))] if empty else []
    segments = [Segment(f"slide {number}", title, text) for number, (title, text) in enumerate(slides, 1)]
    return [*segments, *recognised], [*notes, *about_pictures]


def _pptx(data: bytes) -> tuple[list[tuple[str | None, str]], list[scans.Picture]]:
    """Title and text of each slide, and the pictures in order."""
    import pptx
    import pptx.exc

    with unpackable(data, MAX_TAGS):
        try:
            shown = [*pptx.Presentation(io.BytesIO(data)).slides]
            slides = [_slide(slide) for slide in shown]
            pictures = [
                scans.Picture(one, title or f"slide {number}")
                for number, (slide, (title, _)) in enumerate(zip(shown, slides, strict=True), 1)
                for one in _pictures(slide.shapes)
            ]
        except (*BROKEN, pptx.exc.PythonPptxError):
            raise Unreadable(texts.english("refusals.damaged_slides")) from None
    return slides, pictures


def pictures(data: bytes, kind: Kind) -> list[scans.Picture]:
    """The pictures of a Word document or a presentation, in document order.

    Raises:
        Unreadable: It is damaged, encrypted or too large.
    """
    return (_docx(data) if kind == "word" else _pptx(data))[1]


def _pictures(shapes: Any) -> Iterator[bytes]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _pictures(shape.shapes)
            continue
        try:
            picture = shape.image.blob
        except BROKEN:  # The shape is no picture, or its picture is linked or missing.
            continue
        yield picture


def _slide(slide: Any) -> tuple[str | None, str]:
    title = slide.shapes.title
    lines: list[str] = []
    for shape in slide.shapes:
        lines += _shape(shape)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        spoken = slide.notes_slide.notes_text_frame.text.strip()
        lines += ["", SPEAKER_NOTES, spoken] if spoken else []
    text = _plain("\n".join(lines)).strip() + "\n"
    return (_plain(title.text_frame.text).strip() if title is not None else None) or first_line(text), text


def _shape(shape: Any) -> list[str]:
    if hasattr(shape, "shapes"):
        return [line for inner in shape.shapes for line in _shape(inner)]
    if getattr(shape, "has_table", False):
        return [f"| {' | '.join(_cell(cell) for cell in row.cells)} |" for row in shape.table.rows]
    if getattr(shape, "has_text_frame", False):
        return ["  " * one.level + one.text for one in shape.text_frame.paragraphs if one.text.strip()]
    if getattr(shape, "has_chart", False):
        return _chart(shape.chart)
    return []


def _cell(cell: Any) -> str:
    return _plain(cell.text).replace("\n", " ").replace("|", "\\|")


def _chart(chart: Any) -> list[str]:
    lines = [f"Chart: {chart.chart_title.text_frame.text}" if chart.has_title else "Chart"]
    for plot in chart.plots:
        lines.append("categories: " + ", ".join(str(category) for category in plot.categories))
        lines += [f"{series.name}: {', '.join(str(value) for value in series.values)}" for series in plot.series]
    return lines


def _plain(text: str) -> str:
    # python-pptx returns a line break within a paragraph as a vertical tab.
    return re.sub(r"\x0b", "\n", text)
