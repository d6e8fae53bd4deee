"""PDF, page by page."""

import threading
from typing import Any

from leaf.documents.model import Segment, Unreadable

MAX_PAGES = 3000
# PDFium must not be used by two threads at once, not even for two documents.
_pdfium_lock = threading.Lock()


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """The text of every page. Pages without text are named in a note, because they are probably scanned.

    Raises:
        Unreadable: It is encrypted, damaged, too long, or has no text at all.
    """
    with _pdfium_lock:
        pages = _pages(data)
    empty = [number for number, text in enumerate(pages, 1) if not text.strip()]
    if len(empty) == len(pages):
        raise Unreadable("scanned PDF: no text layer. Its pages are pictures; a copy with recognised text can be read.")
    notes: list[str] = []
    if empty:
        one = len(empty) == 1
        pages_have = f"Page {empty[0]} has" if one else f"Pages {ranges(empty)} have"
        notes.append(f"{pages_have} no text layer (scanned or blank): nothing could be read there.")
    segments = [Segment(f"page {number}", first_line(text), text) for number, text in enumerate(pages, 1)]
    return segments, notes


def _pages(data: bytes) -> list[str]:
    import pypdfium2
    import pypdfium2.raw

    try:
        document: Any = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pypdfium2.raw.FPDF_ERR_PASSWORD:
            raise Unreadable("This PDF is encrypted: it opens with a password only.") from None
        raise Unreadable("This PDF is damaged: it cannot be opened.") from None
    try:
        if len(document) == 0:
            raise Unreadable("This PDF has no pages.")
        if len(document) > MAX_PAGES:
            raise Unreadable(f"This PDF has {len(document)} pages; Leaf reads up to {MAX_PAGES}.")
        return [_text(document, index) for index in range(len(document))]
    finally:
        document.close()


def _text(document: Any, index: int) -> str:
    import pypdfium2

    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return ""
    try:
        text_page = page.get_textpage()
        try:
            return text_page.get_text_bounded().replace("\r\n", "\n").replace("\ufffe", "-\n")
        finally:
            text_page.close()
    except pypdfium2.PdfiumError:
        return ""
    finally:
        page.close()


def first_line(text: str) -> str | None:
    """The first line with something in it, shortened: the title of a page or slide."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), None)
    return line if line is None or len(line) <= 80 else f"{line[:79]}…"


def ranges(numbers: list[int]) -> str:
    """`1, 3-5, 9` for ascending numbers."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
