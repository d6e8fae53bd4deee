"""PDF, page by page, with the bookmarks that it carries."""

import re
import threading
from collections.abc import Iterator
from itertools import islice
from typing import Any

from leaf import texts
from leaf.documents.model import Heading, NoText, Segment, Unreadable

MAX_PAGES = 3000
MAX_BOOKMARKS = 3000
# PDFium must not be used by two threads at once, not even for two documents.
_pdfium_lock = threading.Lock()

# What PDFium writes where a word is broken at the end of a line: its versions differ.
_BROKEN_WORD = re.compile(r"(?<!\w)(\w+)[\x02\ufffe](\w+)([^\w\s]*)[ \t]?")
_NUMBER = r"((?:\d{1,3}|[A-Z](?=\.\d))(?:\.\d{1,3})*\.?)[ \t]+"


def read(data: bytes) -> tuple[list[Segment], list[str]]:
    """The text of every page, and the titles that begin on it. Pages without text are named in a note, because they
    are probably scanned.

    Raises:
        Unreadable: It is encrypted, damaged, too long, or has no text at all.
    """
    with _pdfium_lock:
        pages, bookmarks = _pages(data)
    empty = [number for number, text in enumerate(pages, 1) if not text.strip()]
    if len(empty) == len(pages):
        raise NoText(texts.english("refusals.no_text_scan"))
    notes: list[str] = []
    if empty:
        one = len(empty) == 1
        pages_have = f"Page {empty[0]} has" if one else f"Pages {ranges(empty)} have"
        notes.append(f"{pages_have} no text layer (scanned or blank): nothing could be read there.")
    pages = _joined(pages)
    headings: dict[int, list[Heading]] = {}
    for index, title, level in bookmarks:
        headings.setdefault(index, []).append(_heading(title, level, pages[index]))
    segments = [
        Segment(f"page {index + 1}", first_line(text), text, tuple(headings.get(index, ())))
        for index, text in enumerate(pages)
    ]
    return segments, notes


def _pages(data: bytes) -> tuple[list[str], list[tuple[int, str, int]]]:
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
        if len(document) > MAX_PAGES:
            raise Unreadable(texts.english("refusals.long_pdf", count=len(document), most=MAX_PAGES))
        return [_text(document, index) for index in range(len(document))], [*_bookmarks(document)]
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
            return text_page.get_text_bounded().replace("\r\n", "\n")
        finally:
            text_page.close()
    except pypdfium2.PdfiumError:
        return ""
    finally:
        page.close()


def _bookmarks(document: Any) -> Iterator[tuple[int, str, int]]:
    """The index of a page, a title and its level, for every bookmark that leads to a page of this file."""
    for bookmark in islice(document.get_toc(), MAX_BOOKMARKS):
        title = " ".join(bookmark.get_title().split())[:120]
        target = bookmark.get_dest()
        index = None if target is None else target.get_index()
        if title and index is not None and 0 <= index < len(document):
            yield index, title, bookmark.level


def _heading(title: str, level: int, text: str) -> Heading:
    """A bookmark with its number, where the page shows one that the bookmark leaves out."""
    words = r"\s+".join(re.sub("['’]", "['’]", re.escape(word)) for word in title.split())
    shown = re.search(rf"^[ \t]*(?:{_NUMBER})?({words})", text, re.IGNORECASE | re.MULTILINE)
    if shown is None:
        return Heading(title, level)
    return Heading(f"{shown.group(1)} {title}" if shown.group(1) else title, level, shown.start())


def _joined(pages: list[str]) -> list[str]:
    """The pages with words rejoined that a line break had split; the line continues to the end of the word.

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
