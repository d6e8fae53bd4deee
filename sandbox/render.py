"""Makes Google's export formats and uploaded files from the sample's readable sources.

The bytes are the same at every run, because revisions and checksums depend on them.
"""

import csv
import io
import re
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sandbox import blocks, corpus
from sandbox.corpus import Corpus, Item, Tab

_MOMENT = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
_LATIN = str.maketrans({"–": "-", "—": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "…": "...", "€": "EUR", "→": "->"})


def export(source: Corpus, item: Item, mime_type: str) -> bytes:
    """A Google document, spreadsheet, presentation or drawing in one of the formats of `files.EXPORTS`."""
    if item.mime_type == corpus.SPREADSHEET:
        return _export_sheet(source.tabs(item), mime_type)
    markdown = source.markdown(item)
    if mime_type == "text/markdown":
        return markdown.encode()
    if mime_type == corpus.DOCX:
        return docx(markdown)
    if mime_type == corpus.PPTX:
        return pptx(markdown)
    if mime_type == corpus.PDF:
        whole = blocks.slides(markdown) if item.mime_type == corpus.PRESENTATION else [markdown]
        return pdf(whole)
    # Google's text begins with a byte order mark.
    return ("\ufeff" + blocks.as_text(markdown)).encode()


def _export_sheet(tabs: tuple[Tab, ...], mime_type: str) -> bytes:
    if mime_type == corpus.XLSX:
        return xlsx(tabs)
    # As at Google, CSV contains only the first tab.
    return comma_separated(tabs[0].rows)


def comma_separated(rows: Iterable[tuple[str, ...]]) -> bytes:
    """Rows as CSV with lines that end with CR LF."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue().encode()


def parse_tabs(source: str) -> tuple[Tab, ...]:
    """The tabs in the source of a spreadsheet. Each tab is a line `=== name`, followed by CSV."""
    tabs: list[Tab] = []
    for part in re.split(r"(?m)^=== ", source)[1:]:
        name, _, body = part.partition("\n")
        rows = tuple(tuple(row) for row in csv.reader(io.StringIO(body.strip("\n"))))
        tabs.append(Tab(name.strip(), rows))
    return tuple(tabs)


def _number(cell: str) -> str | int | float:
    """The value of a cell in a workbook, which is a number if the text looks like one."""
    if re.fullmatch(r"-?(0|[1-9]\d*)", cell):
        return int(cell)
    return float(cell) if re.fullmatch(r"-?\d+\.\d+", cell) else cell


def xlsx(tabs: tuple[Tab, ...]) -> bytes:
    """A workbook with all tabs."""
    from openpyxl import Workbook
    from openpyxl.styles import Font

    book = Workbook()
    book.remove(book.worksheets[0])
    for tab in tabs:
        sheet = book.create_sheet(tab.name[:31])
        for row in tab.rows:
            sheet.append([_number(cell) for cell in row])
        for cell in sheet[1]:
            cell.font = Font(bold=True)
    out = io.BytesIO()
    book.save(out)
    return _settled(out.getvalue())


def docx(markdown: str) -> bytes:
    """A Word document with headings, lists and tables."""
    import docx as word

    document = word.Document()
    for block in blocks.parse(markdown):
        match block.kind:
            case "heading":
                document.add_heading(block.text, level=min(block.level, 9))
            case "item":
                document.add_paragraph(block.text, style="List Bullet" if block.number is None else "List Number")
            case "table":
                _word_table(document, block.rows)
            case "paragraph":
                document.add_paragraph(block.text)
    out = io.BytesIO()
    document.save(out)
    return _settled(out.getvalue())


def _word_table(document: Any, rows: tuple[tuple[str, ...], ...]) -> None:
    width = max(len(row) for row in rows)
    table = document.add_table(rows=0, cols=width)
    table.style = "Table Grid"
    for row in rows:
        cells = table.add_row().cells
        for cell, text in zip(cells, row, strict=False):
            cell.text = text


def pptx(markdown: str) -> bytes:
    """A presentation. The first heading of each slide is its title, and a line `Notes: …` becomes its speaker notes."""
    import pptx as power

    deck = power.Presentation()
    for source in blocks.slides(markdown):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        title, body, notes = "", list[str](), list[str]()
        for block in blocks.parse(source):
            if block.kind == "heading" and not title:
                title = block.text
            elif block.text.startswith("Notes: "):
                notes.append(block.text.removeprefix("Notes: "))
            else:
                body += [" | ".join(row) for row in block.rows] or [block.text]
        shapes: Any = slide.shapes
        shapes.title.text = title
        slide.placeholders[1].text_frame.text = "\n".join(body)  # pyright: ignore[reportAttributeAccessIssue]
        if notes:
            frame: Any = slide.notes_slide.notes_text_frame
            frame.text = "\n".join(notes)
    out = io.BytesIO()
    deck.save(out)
    return _settled(out.getvalue())


def _settled(archive: bytes) -> bytes:
    """An Office file whose times of creation are replaced by a constant."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as made, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as settled:
        for entry in made.infolist():
            content = made.read(entry)
            if entry.filename == "docProps/core.xml":
                content = re.sub(rb"\d{4}-\d\d-\d\dT[\d:.]+Z", _MOMENT.strftime("%Y-%m-%dT%H:%M:%SZ").encode(), content)
            settled.writestr(zipfile.ZipInfo(entry.filename, (2026, 1, 5, 8, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _latin(text: str) -> str:
    """A text for the standard fonts of PDF, which have only the characters of Latin-1. Others are replaced."""
    return text.translate(_LATIN).encode("latin-1", "replace").decode("latin-1")


def pdf(pages: list[str]) -> bytes:
    """A PDF with a text layer. Each element of `pages` is Markdown that begins on a new page."""
    from fpdf import FPDF

    document = FPDF(format="A4")
    document.set_creation_date(_MOMENT)
    document.set_auto_page_break(auto=True, margin=18)
    document.set_margins(20, 20)
    for page in pages:
        document.add_page()
        for block in blocks.parse(page):
            match block.kind:
                case "heading":
                    document.set_font("Helvetica", "B", {1: 18, 2: 14}.get(block.level, 12))
                    document.multi_cell(0, 8, _latin(block.text), new_x="LMARGIN", new_y="NEXT")
                case "table":
                    _pdf_table(document, block.rows)
                case _:
                    document.set_font("Helvetica", "", 11)
                    mark = "" if block.kind == "paragraph" else f"{block.number}. " if block.number else "- "
                    document.multi_cell(0, 6, _latin(mark + block.text), new_x="LMARGIN", new_y="NEXT")
            document.ln(2)
    return bytes(document.output())


def _pdf_table(document: Any, rows: tuple[tuple[str, ...], ...]) -> None:
    document.set_font("Helvetica", "", 9)
    width = max(len(row) for row in rows)
    with document.table(first_row_as_headings=False, line_height=6) as table:
        for row in rows:
            line = table.row()
            for cell in (*row, *[""] * (width - len(row))):
                line.cell(_latin(cell))
