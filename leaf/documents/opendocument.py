"""Reads OpenDocument texts and presentations (odt, odp), as LibreOffice writes them."""

import io
import zipfile
from collections.abc import Collection, Iterator
from typing import Any

from leaf import texts
from leaf.documents import scans
from leaf.documents.model import NoText, Segment, Unreadable
from leaf.documents.office import BROKEN, MAX_TAGS, unpackable
from leaf.documents.pdf import first_line
from leaf.documents.text import segments_by_heading
from leaf.documents.word_parts import MARGIN_CHARACTERS
from leaf.documents.xml_trees import tree_of
from leaf.texts.places import SPEAKER_NOTES

_NAMES = "{urn:oasis:names:tc:opendocument:xmlns:"
_TEXT, _TABLE, _DRAW, _OFFICE, _STYLE = (
    f"{_NAMES}{name}:1.0}}" for name in ("text", "table", "drawing", "office", "style")
)
_NOTES = f"{_NAMES}presentation:1.0}}notes"
_HREF = "{http://www.w3.org/1999/xlink}href"
TYPES = "application/vnd.oasis.opendocument."
"""The beginning of the media types of OpenDocument."""
_MOST_BLANKS = 100
"""Maximum number of spaces that one `text:s` element inserts."""
_MOST_REPEATED = 100
"""Maximum number of columns to which one cell of a table is repeated."""


def type_of(data: bytes) -> str:
    """The media type in the `mimetype` part of an OpenDocument archive or a book; empty for other files."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.read("mimetype")[:100].decode("ascii", "replace").strip()
    except BROKEN:
        return ""


def is_open_document(data: bytes) -> bool:
    """Whether a file is an OpenDocument archive."""
    return type_of(data).startswith(TYPES)


def read_text(data: bytes, reader: scans.Reader) -> tuple[list[Segment], list[str]]:
    """The content of a text document by heading, the text of its pictures, and notes.

    Raises:
        Unreadable: It is damaged, encrypted, too large, or without text.
    """
    with unpackable(data, MAX_TAGS) as archive:
        try:
            styles = _styles(archive)
            body, (header, footer) = _body(archive, styles), _margins(styles)
            markdown = "\n\n".join(filter(None, (block.strip() for block in [header, *_blocks(body), footer])))
            pictures = [scans.Picture(one) for one in _pictures(archive, body)]
        except BROKEN:
            raise Unreadable(texts.english("refusals.damaged_word")) from None
    shown, notes = scans.within(pictures, reader)
    if not markdown and pictures and not shown:
        raise NoText(texts.english("refusals.no_text_word"))
    return scans.with_pictures(segments_by_heading(markdown), shown), notes


def read_presentation(data: bytes, reader: scans.Reader) -> tuple[list[Segment], list[str]]:
    """The content of a presentation by slide with speaker notes, the text of its pictures, and notes.

    Raises:
        Unreadable: It is damaged, encrypted, too large, or without text.
    """
    with unpackable(data, MAX_TAGS) as archive:
        try:
            slides, pictures = _slides(archive)
        except BROKEN:
            raise Unreadable(texts.english("refusals.damaged_slides")) from None
    shown, notes = scans.within(pictures, reader)
    if not any(text.strip() for text in slides) and not shown:
        raise NoText(texts.english("refusals.no_text_slides"))
    segments = [Segment(f"slide {number}", first_line(text), text) for number, text in enumerate(slides, 1)]
    return [*segments, *shown], notes


def pictures(data: bytes) -> list[scans.Picture]:
    """The pictures of the file, in document order.

    Raises:
        Unreadable: The file is damaged, encrypted or too large.
    """
    with unpackable(data, MAX_TAGS) as archive:
        try:
            return [scans.Picture(one) for one in _pictures(archive, _body(archive, _styles(archive)))]
        except BROKEN:
            raise Unreadable(texts.english("refusals.damaged_word")) from None


def _body(archive: zipfile.ZipFile, styles: Any) -> Any:
    """The content without hidden text."""
    content = tree_of(archive.read("content.xml"))
    body = content.find(f"{_OFFICE}body")
    if body is None:
        raise ValueError
    _remove_hidden(body, {*_hidden_styles(content), *_hidden_styles(styles)})
    return body


def _styles(archive: zipfile.ZipFile) -> Any:
    """The tree of the styles, which also has the headers and footers of pages; an empty element without styles."""
    return tree_of(archive.read("styles.xml") if "styles.xml" in archive.namelist() else b"<none/>")


def _hidden_styles(tree: Any) -> Iterator[str]:
    """The names of the styles whose text is not shown."""
    for style in tree.iter(f"{_STYLE}style"):
        if any(one.get(f"{_TEXT}display") == "none" for one in style.iter(f"{_STYLE}text-properties")):
            yield style.get(f"{_STYLE}name")


def _remove_hidden(tree: Any, hidden: Collection[str]) -> None:
    """Removes hidden text from a tree, in place; `hidden` are the names of the styles that hide text."""
    for one in [*tree.iter(f"{_TEXT}span", f"{_TEXT}p", f"{_TEXT}h", f"{_TEXT}section", f"{_TEXT}hidden-text")]:
        if (
            one.get(f"{_TEXT}style-name") in hidden
            or one.get(f"{_TEXT}display") == "none"
            or one.get(f"{_TEXT}is-hidden") == "true"
        ):
            one.clear(keep_tail=True)


def _margins(styles: Any) -> tuple[str, str]:
    """The paragraphs of the pages' headers and those of their footers, each once."""
    _remove_hidden(styles, {*_hidden_styles(styles)})
    return _margin(styles, "header"), _margin(styles, "footer")


def _margin(styles: Any, kind: str) -> str:
    lines = (block.strip() for one in styles.iter(f"{_STYLE}{kind}") for block in _blocks(one))
    return "\n\n".join(dict.fromkeys(filter(None, lines)))[:MARGIN_CHARACTERS]


def _slides(archive: zipfile.ZipFile) -> tuple[list[str], list[scans.Picture]]:
    slides: list[str] = []
    pictures: list[scans.Picture] = []
    for number, page in enumerate(_body(archive, _styles(archive)).iter(f"{_DRAW}page"), 1):
        spoken = [note for one in page.findall(_NOTES) for note in _blocks(one) if note.strip()]
        for one in page.findall(_NOTES):
            page.remove(one)
        lines = [block for block in _blocks(page) if block.strip()]
        slides.append("\n".join([*lines, *(["", SPEAKER_NOTES, *spoken] if spoken else [])]) + "\n")
        pictures += [scans.Picture(one, f"slide {number}") for one in _pictures(archive, page)]
    return slides, pictures


def _blocks(element: Any) -> Iterator[str]:
    """The paragraphs, headings, list entries and tables below an element, as Markdown."""
    for one in element:
        match one.tag:
            case tag if tag == f"{_TEXT}h":
                level = min(6, max(1, int(one.get(f"{_TEXT}outline-level") or 1)))
                yield f"{'#' * level} {_words(one)}"
                yield from _footnotes(one)
            case tag if tag == f"{_TEXT}p":
                yield _words(one)
                yield from _footnotes(one)
            case tag if tag == f"{_TEXT}list-item":
                yield "\n".join(f"- {block}" for block in _blocks(one))
            case tag if tag == f"{_TABLE}table":
                yield _table(one)
            case tag if tag == f"{_TEXT}tracked-changes" or not isinstance(tag, str):
                continue
            case _:
                yield from _blocks(one)


def _footnotes(paragraph: Any) -> Iterator[str]:
    """The notes of a paragraph, each after its mark."""
    for note in paragraph.iter(f"{_TEXT}note"):
        words = " ".join(_words(one) for one in note.iter(f"{_TEXT}p"))
        yield f"{_mark_of(note)}: {words}"


def _mark_of(note: Any) -> str:
    return f"[^{''.join(note.itertext(f'{_TEXT}note-citation')).strip()}]"


def _table(table: Any) -> str:
    rows: list[str] = []
    for row in table.iter(f"{_TABLE}table-row"):
        cells = [
            " ".join(_words(one) for one in cell.iter(f"{_TEXT}p")).replace("|", "\\|").replace("\n", " ")
            for cell in row
            if cell.tag in {f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"}
            for _ in range(min(_MOST_REPEATED, int(cell.get(f"{_TABLE}number-columns-repeated") or 1)))
        ]
        rows.append(f"| {' | '.join(cells)} |")
        if len(rows) == 1:
            rows.append(f"|{' --- |' * len(cells)}")
    return "\n".join(rows)


def _words(paragraph: Any) -> str:
    """The text of a paragraph. Line breaks come only from `text:line-break` elements."""
    words = [paragraph.text or ""]
    for one in paragraph:
        if one.tag == f"{_TEXT}s":
            words.append(" " * min(_MOST_BLANKS, int(one.get(f"{_TEXT}c") or 1)))
        elif one.tag == f"{_TEXT}tab":
            words.append("\t")
        elif one.tag == f"{_TEXT}line-break":
            words.append("\n")
        elif one.tag == f"{_TEXT}note":
            words.append(_mark_of(one))
        elif isinstance(one.tag, str) and one.tag != f"{_OFFICE}annotation":
            words.append(_words(one))
        words.append(one.tail or "")
    return "".join(words)


def _pictures(archive: zipfile.ZipFile, element: Any) -> Iterator[bytes]:
    names = {*archive.namelist()}
    for one in element.iter(f"{_DRAW}image"):
        name = (one.get(_HREF) or "").removeprefix("./")
        if name in names:
            yield archive.read(name)
