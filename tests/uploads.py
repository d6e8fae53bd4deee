"""Files to upload: whole ones of each kind, and hostile ones."""

import io
import zipfile

import docx
import openpyxl
import pptx
from fpdf import FPDF
from fpdf.enums import AccessPermission

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)


def pdf(pages: list[str | None], *, password: str | None = None) -> bytes:
    """A PDF; None is a page with a picture only."""
    made = FPDF()
    if password:
        made.set_encryption(owner_password=password, user_password=password, permissions=AccessPermission.none())
    for text in pages:
        made.add_page()
        if text is None:
            made.rect(10, 10, 50, 50, style="F")
        else:
            made.set_font("Helvetica", size=12)
            made.multi_cell(0, 10, text)
    return bytes(made.output())


def word(*paragraphs: str) -> bytes:
    """A Word document with the heading “Goals”."""
    made = docx.Document()
    made.add_heading("Goals", 1)
    for text in paragraphs:
        made.add_paragraph(text)
    return _saved(made)


def workbook(**sheets: list[list[object]]) -> bytes:
    """A workbook."""
    made = openpyxl.Workbook()
    made.remove(made.worksheets[0])
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return _saved(made)


def slides(*titles: str) -> bytes:
    """A presentation."""
    made = pptx.Presentation()
    for title in titles:
        made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = title
    return _saved(made)


def packed(name: str, content: bytes) -> bytes:
    """An Office file in name: an archive with one part, however large."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr(name, content)
    return made.getvalue()


def slow_document() -> bytes:
    """A small Word file with about as many paragraphs as are read at all, which takes half a minute."""
    paragraph = "<w:p><w:r><w:t>x</w:t></w:r></w:p>"
    body = f'<w:document xmlns:w="{WORD}"><w:body>{paragraph * 130_000}</w:body></w:document>'
    return packed("word/document.xml", body.encode())


def _saved(made: object) -> bytes:
    written = io.BytesIO()
    made.save(written)  # type: ignore[attr-defined]
    return written.getvalue()
