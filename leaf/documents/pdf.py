"""Reads PDF files page by page, with their bookmarks."""

import re
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from leaf import texts
from leaf.documents import scans
from leaf.documents.model import Heading, Line, NoText, Segment, Unreadable, left_out
from leaf.documents.pieces import ranges

MAX_PAGES = 3000
MAX_BOOKMARKS = 3000
_MOST_SCALE = 200 / 72
"""Maximum number of pixels per point when a page is drawn for OCR."""
_MOST_STAMPED = 200
"""Maximum number of characters in the text layer of a scanned page, such as the header of a fax."""
_SCANNED_SHARE = 0.6
"""Minimum share of a page that is covered by its scan."""
_MOST_RECTANGLES = 5000
"""Maximum number of pieces of text on a page that are put in the order of their positions."""
# PDFium must not be used by two threads at once, not even for two documents.
_pdfium_lock = threading.Lock()

# PDFium marks a word that is broken at the end of a line with one of these characters, depending on its version.
_BROKEN_WORD = re.compile(r"(?<!\w)(\w+)[\x02\ufffe](\w+)([^\w\s]*)[ \t]?")
_NUMBER = r"((?:\d{1,3}|[A-Z](?=\.\d))(?:\.\d{1,3})*\.?)[ \t]+"


@dataclass
class _Pages:
    """The text of each page, and lists of pages that OCR read or did not read. Page numbers count from 1."""

    texts: list[str]
    bookmarks: list[tuple[int, str, int]]
    """For each bookmark, the index of its page (from 0), its title and its level."""
    lines: dict[int, tuple[Line, ...]] = field(default_factory=dict[int, tuple[Line, ...]])
    """The recognised lines of pages that OCR read, by page number."""
    in_part: list[int] = field(default_factory=list[int])
    """Pages whose lower lines were left out, because there was no time."""
    textless: list[int] = field(default_factory=list[int])
    """Pages in which OCR found no text."""
    waiting: list[int] = field(default_factory=list[int])
    """Pages that OCR did not read, because there was no time."""


def read(data: bytes, reader: scans.Reader | None = None) -> tuple[list[Segment], list[str]]:
    """A segment for each page, with its text and the headings that begin on it, and notes.

    Pages without a text layer are read by OCR. The notes list pages without any text, and pages that were not read
    because there was no time.

    Raises:
        Unreadable: It is encrypted, damaged, too long, or has no text at all.
    """
    with _pdfium_lock:
        found = _pages(data, reader or scans.Reader())
    if not any(text.strip() for text in found.texts):
        raise NoText(texts.english("refusals.slow_scan" if found.waiting else "refusals.no_text_scan"))
    pages = _joined(found.texts)
    headings: dict[int, list[Heading]] = {}
    for index, title, level in found.bookmarks:
        headings.setdefault(index, []).append(_heading(title, level, pages[index]))
    segments = [
        Segment(
            f"page {index + 1}", first_line(text), text, tuple(headings.get(index, ())), found.lines.get(index + 1, ())
        )
        for index, text in enumerate(pages)
    ]  # fmt: skip
    return segments, [*_notes(found)]


def _notes(found: _Pages) -> Iterator[str]:
    if read := [*found.lines]:
        yield texts.english("notes.scanned", count=len(read), pages=ranges(read))
    if found.in_part:
        yield left_out("notes.lower_page", pages=ranges(found.in_part))
    if found.textless:
        yield texts.english("notes.textless", count=len(found.textless), pages=ranges(found.textless))
    if found.waiting:
        done = len(found.texts) - len(found.waiting)
        read_pages = texts.english("notes.pages_read", done=done, most=len(found.texts))
        yield left_out("notes.left_pages", pages=ranges(found.waiting), note=read_pages)


def pages_with_text(data: bytes) -> list[tuple[int, str]]:
    """The number (from 1) and the text of each page with a text layer.

    Raises:
        Unreadable: The file is encrypted, damaged or too long.
    """
    with _pdfium_lock, _opened(data) as document:
        return [(number, text) for number, text in enumerate(_own_texts(document), 1) if text.strip()]


def picture(data: bytes, number: int) -> Any:
    """A page drawn as for OCR, as a Pillow image.

    Args:
        data: The file.
        number: The page number, from 1.

    Raises:
        Unreadable: The file cannot be read, or has no such page.
    """
    with _pdfium_lock, _opened(data) as document:
        if not 1 <= number <= len(document):
            raise Unreadable(texts.english("refusals.no_such_page"))
        drawn = _drawn(document, number - 1)
    if drawn is None:
        raise Unreadable(texts.english("refusals.damaged_pdf"))
    return drawn


def _pages(data: bytes, reader: scans.Reader) -> _Pages:
    with _opened(data) as document:
        found = _Pages(_own_texts(document), [*_bookmarks(document)])
        for index, text in enumerate(found.texts):
            is_blank = not text.strip()
            if not (is_blank or _is_stamped_scan(document, index, text)):
                continue
            if not reader.has_time:
                found.waiting.append(index + 1)
                continue
            drawn = _drawn(document, index)
            recognised = scans.Recognised() if drawn is None else reader.read(drawn)
            if recognised.lines and len(recognised.text) > len(text):
                found.texts[index], found.lines[index + 1] = recognised.text, recognised.lines
            elif is_blank:
                found.textless.append(index + 1)
            if not recognised.is_whole:
                found.in_part.append(index + 1)
        return found


def _is_stamped_scan(document: Any, index: int, text: str) -> bool:
    """Whether a page is a picture with a few words on top of it, such as a fax number or a date of receipt."""
    import pypdfium2
    from pypdfium2 import raw

    if len(text) > _MOST_STAMPED:
        return False
    try:
        with _page(document, index) as (page, _):
            width, height = page.get_size()
            boxes = (one.get_bounds() for one in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE]))
            return any(
                (right - left) * (top - bottom) > _SCANNED_SHARE * width * height for left, bottom, right, top in boxes
            )
    except pypdfium2.PdfiumError:
        return False


def _drawn(document: Any, index: int) -> Any:
    """A page as a Pillow image; None if it is damaged."""
    import pypdfium2

    try:
        with _page(document, index) as (page, _):
            scale = min(_MOST_SCALE, scans.SIDE_PIXELS / max(1.0, *page.get_size()))
            bitmap = page.render(scale=scale)
            try:
                return bitmap.to_pil().convert("RGB")
            finally:
                bitmap.close()
    except pypdfium2.PdfiumError:
        return None


@contextmanager
def _opened(data: bytes) -> Generator[Any]:
    """A document with at least one page.

    Raises:
        Unreadable: It is encrypted, damaged or empty.
    """
    import pypdfium2
    import pypdfium2.raw

    try:
        document: Any = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pypdfium2.raw.FPDF_ERR_PASSWORD:
            raise Unreadable(texts.english("refusals.encrypted_pdf")) from None
        raise Unreadable(texts.english("refusals.damaged_pdf")) from None
    try:
        if len(document) == 0:
            raise Unreadable(texts.english("refusals.empty_pdf"))
        if document.get_formtype():
            document.init_forms()
        yield document
    finally:
        document.close()


def _own_texts(document: Any) -> list[str]:
    """The text layer of each page; empty for a page without one.

    Raises:
        Unreadable: There are too many pages.
    """
    if len(document) > MAX_PAGES:
        raise Unreadable(texts.english("refusals.long_pdf", count=len(document), most=MAX_PAGES))
    return [_text(document, index) for index in range(len(document))]


@contextmanager
def _page(document: Any, index: int) -> Generator[tuple[Any, bool]]:
    """A page, and whether it has filled-in form fields, text boxes or stamps.

    These become part of the page, so that they are read and drawn like the rest.

    Raises:
        PdfiumError: The page is damaged.
    """
    from pypdfium2 import raw

    page = document[index]
    try:
        is_filled = any(
            _kind_of_annotation(page, number) in (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_STAMP)
            for number in range(raw.FPDFPage_GetAnnotCount(page))
        )
        if is_filled and page.flatten() == raw.FLATTEN_SUCCESS:
            page.close()
            page = document[index]
        yield page, is_filled
    finally:
        page.close()


def _kind_of_annotation(page: Any, number: int) -> int:
    from pypdfium2 import raw

    found = raw.FPDFPage_GetAnnot(page, number)
    try:
        return raw.FPDFAnnot_GetSubtype(found)
    finally:
        raw.FPDFPage_CloseAnnot(found)


def _text(document: Any, index: int) -> str:
    import pypdfium2

    try:
        with _page(document, index) as (page, is_filled):
            text_page = page.get_textpage()
            try:
                if is_filled and text_page.count_rects() <= _MOST_RECTANGLES:
                    return _by_position(text_page)
                return text_page.get_text_bounded().replace("\r\n", "\n")
            finally:
                text_page.close()
    except pypdfium2.PdfiumError:
        return ""


def _by_position(text_page: Any) -> str:
    """The text of a page in lines from top to bottom. In the file, the words in form fields come after all others."""
    boxes = [text_page.get_rect(number) for number in range(text_page.count_rects())]
    lines: list[tuple[float, list[tuple[float, str]]]] = []
    for left, bottom, right, top in sorted(boxes, key=lambda box: -box[1] - box[3]):
        middle = (bottom + top) / 2
        if not lines or lines[-1][0] - middle > (top - bottom) / 2:
            lines.append((middle, []))
        lines[-1][1].append((left, text_page.get_text_bounded(left, bottom, right, top)))
    return "\n".join(" ".join(" ".join(text.split()) for _, text in sorted(line)) for _, line in lines)


def _bookmarks(document: Any) -> Iterator[tuple[int, str, int]]:
    """Page index (from 0), title and level of each bookmark that leads to a page of this file."""
    for bookmark in islice(document.get_toc(), MAX_BOOKMARKS):
        title = " ".join(bookmark.get_title().split())[:120]
        target = bookmark.get_dest()
        index = None if target is None else target.get_index()
        if title and index is not None and 0 <= index < len(document):
            yield index, title, bookmark.level


def _heading(title: str, level: int, text: str) -> Heading:
    """The heading for a bookmark. Its section number is taken from the page if the bookmark leaves it out."""
    words = r"\s+".join(re.sub("['’]", "['’]", re.escape(word)) for word in title.split())
    shown = re.search(rf"^[ \t]*(?:{_NUMBER})?({words})", text, re.IGNORECASE | re.MULTILINE)
    if shown is None:
        return Heading(title, level)
    return Heading(f"{shown.group(1)} {title}" if shown.group(1) else title, level, shown.start())


def _joined(pages: list[str]) -> list[str]:
    """The pages with broken words rejoined; the rest of such a word moves up to the line where it begins.

    The spelling elsewhere in the file decides whether the hyphen belongs to the word (`self-service`).
    """
    known = (
        {word for text in pages for word in re.findall(r"\w+(?:-\w+)*", text.casefold())}
        if any(map(_BROKEN_WORD.search, pages))
        else set[str]()
    )

    def whole(broken: re.Match[str]) -> str:
        hyphenated, joined = f"{broken.group(1)}-{broken.group(2)}", broken.group(1) + broken.group(2)
        keeps = not joined.isalpha() or (hyphenated.casefold() in known and joined.casefold() not in known)
        return f"{hyphenated if keeps else joined}{broken.group(3)}\n"

    return [re.sub("[\x02\ufffe]", "-\n", _BROKEN_WORD.sub(whole, text)) for text in pages]


def first_line(text: str) -> str | None:
    """The first line that is not blank, cut to 80 characters: the title of a page or slide; None if all are blank."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), None)
    return line if line is None or len(line) <= 80 else f"{line[:79]}…"
