"""Extracts text from files on disk, for searches and for the pages that show the files."""

import lzma
import re
import threading
import zipfile
import zlib
from html import unescape
from pathlib import Path

import pypdfium2
from chardet import detect

from sandbox import corpus

_TEXT_CAP_BYTES = 2 * 1024 * 1024
_BINARY_CAP_BYTES = 30 * 1024 * 1024
_PDF_PAGES = 3000
_OFFICE_PARTS = re.compile(r"word/document\.xml|xl/(?:sharedStrings|worksheets/[^/]+)\.xml|ppt/slides/[^/]+\.xml")
_TEXT_LIKE = frozenset({"application/json", "application/xml", "application/x-yaml", "application/toml"})
# pdfium is not thread-safe.
_pdfium = threading.Lock()


def text(path: Path, mime_type: str, name: str = "") -> str:
    """The text in a file; empty if none can be extracted.

    Args:
        path: The path of the file.
        mime_type: The type of the file, which decides how it is read.
        name: The name of the file, whose suffix decides if the type does not.

    Raises:
        OSError: The file cannot be read.
    """
    size = path.stat().st_size
    if mime_type.startswith("text/") or mime_type in _TEXT_LIKE:
        with path.open("rb") as file:
            return decode(file.read(_TEXT_CAP_BYTES))
    if size > _BINARY_CAP_BYTES:
        return ""
    if mime_type == corpus.PDF:
        return _pdf(path)
    if mime_type in {corpus.DOCX, corpus.XLSX, corpus.PPTX} or name.endswith((".docx", ".xlsx", ".pptx")):
        return _office(path)
    return ""


def decode(content: bytes) -> str:
    """Decodes bytes as UTF-8 or, if they are not UTF-8, in the most likely encoding."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode(detect(content)["encoding"] or "latin-1", "replace")


def _pdf(path: Path) -> str:
    with _pdfium:
        try:
            document = pypdfium2.PdfDocument(path)
        except pypdfium2.PdfiumError:
            return ""
        try:
            pages: list[str] = []
            for number in range(min(len(document), _PDF_PAGES)):
                page = document[number]
                shown = page.get_textpage()
                pages.append(shown.get_text_bounded())
                shown.close()
                page.close()
            return "\n\n".join(pages).strip()
        except pypdfium2.PdfiumError:
            return ""
        finally:
            document.close()


def _office(path: Path) -> str:
    parts: list[str] = []
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if _OFFICE_PARTS.fullmatch(entry.filename) and entry.file_size <= _BINARY_CAP_BYTES:
                    xml = archive.read(entry).decode("utf-8", "replace")
                    parts.append(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</(?:w:p|a:p|si|row)>", "\n", xml))))
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, NotImplementedError, RuntimeError):
        return ""
    return re.sub(r"[ \t]+", " ", "\n".join(parts)).strip()
