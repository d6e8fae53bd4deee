"""PDF, Word, Excel and PowerPoint files. 000-21, 000-23."""

import datetime as dt
import io
import time
import zipfile

import docx
import openpyxl
import pptx
import pytest
from fpdf import FPDF
from fpdf.enums import AccessPermission
from pptx.util import Inches

from leaf.documents import Unreadable, office, parse, sheets
from leaf.documents.kinds import Kind


def pdf(pages: list[str | None], password: str | None = None) -> bytes:
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


@pytest.mark.parametrize("kind", ["pdf", "word", "excel", "powerpoint", "image", "text"])
def test_a_file_of_no_bytes_has_no_text_and_is_not_damaged(kind: Kind):
    assert [segment.text for segment in parse(b"", kind).segments] == [""]


def test_the_text_of_each_page_of_a_pdf_stands_under_its_number():
    parsed = parse(pdf([f"Page {number}: the figure is {number * 37}" for number in range(1, 13)]), "pdf")
    assert [segment.part for segment in parsed.segments] == [f"page {number}" for number in range(1, 13)]
    assert "the figure is 259" in parsed.segments[6].text
    assert parsed.notes == []


def test_pages_without_text_are_named():
    parsed = parse(pdf(["one", None, None, "four", None]), "pdf")
    (note,) = parsed.notes
    assert note == "Pages 2-3, 5 are without readable text: blank, a picture, or a script that Leaf does not read."


@pytest.mark.parametrize(("data", "reason"), [
    (pdf([None, None]), "no text was recognised"), (pdf(["x"], password="pw"), "encrypted"),
    (b"%PDF-1.7 cut off", "damaged"), (pdf(["x"])[:200], "damaged"),
])  # fmt: skip
def test_a_pdf_that_cannot_be_read_says_why(data: bytes, reason: str):
    with pytest.raises(Unreadable, match=reason):
        parse(data, "pdf")


FORM = b"""%PDF-1.7
1 0 obj <</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R 6 0 R]/DA(/F 12 Tf 0 g)/DR<</Font<</F 7 0 R>>>>>>>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 7 0 R>>>>
  /Annots[5 0 R 6 0 R 8 0 R 9 0 R]>> endobj
4 0 obj <</Length 92>> stream
BT /F 12 Tf 50 750 Td (Application of a member) Tj 0 -40 Td (Name:) Tj 0 -30 Td (Fee:) Tj ET
endstream endobj
5 0 obj <</Subtype/Widget/FT/Tx/F 4/T(name)/V(Ada Example)/DA(/F 12 Tf 0 g)/Rect[120 705 320 725]>> endobj
6 0 obj <</Subtype/Widget/FT/Tx/F 4/T(fee)/V(30 EUR)/DA(/F 12 Tf 0 g)/Rect[120 675 320 695]>> endobj
7 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>> endobj
8 0 obj <</Subtype/FreeText/F 4/Contents(Accepted)/DA(/F 12 Tf 0 g)/Rect[50 600 320 620]/AP<</N 10 0 R>>>> endobj
9 0 obj <</Subtype/FreeText/F 2/Contents(Hidden)/DA(/F 12 Tf 0 g)/Rect[50 500 320 520]/AP<</N 11 0 R>>>> endobj
10 0 obj <</Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F 7 0 R>>>>/Length 35>> stream
BT /F 12 Tf 2 5 Td (Accepted) Tj ET
endstream endobj
11 0 obj <</Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</F 7 0 R>>>>/Length 33>> stream
BT /F 12 Tf 2 5 Td (Hidden) Tj ET
endstream endobj
trailer <</Root 1 0 R>>
"""


def test_what_was_written_into_the_form_of_a_pdf_is_read_beside_its_labels():
    """# 000-23"""
    (page,) = parse(FORM, "pdf").segments
    assert page.text.splitlines() == ["Application of a member", "Name: Ada Example", "Fee: 30 EUR", "Accepted"]


def saved(book: object) -> bytes:
    written = io.BytesIO()
    book.save(written)  # type: ignore[attr-defined]
    return written.getvalue()


def test_every_sheet_of_a_workbook_is_read_with_its_values():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Budget"
    for row in (["Item", "Cost"], [], ["Rent, heated", 1250.5], ["Share", 0.153]):
        sheet.append(row)
    sheet["B4"].number_format = "0.0%"
    sheet["C1"] = dt.datetime(2024, 5, 6)  # noqa: DTZ001 - cells have no zone
    sheet["D1"] = True
    book.create_sheet("Forecast").append([None, "q1"])
    book["Forecast"].sheet_state = "hidden"
    parsed = parse(saved(book), "excel")
    assert [segment.part for segment in parsed.segments] == ["sheet Budget", "sheet Forecast"]
    assert parsed.segments[0].text == 'Item,Cost,2024-05-06,TRUE\n\n"Rent, heated",1250.5\nShare,15.3%\n'
    assert parsed.segments[1].text == ",q1\n"
    assert "hidden" in parsed.notes[0]


def test_formulas_without_a_result_are_told():
    book = openpyxl.Workbook()
    book.active.append([1, "=A1*2"])
    assert "1 formula has no stored result" in parse(saved(book), "excel").notes[0]


def test_rows_over_the_limit_are_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sheets, "MAX_ROWS", 500)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Long")
    for number in range(510):
        sheet.append([number])
    parsed = parse(saved(book), "excel")
    assert parsed.truncated
    assert "the rows from 501 on of the sheet “Long”" in parsed.notes[0]


def test_a_word_document_is_read_with_headings_and_tables():
    made = docx.Document()
    made.add_heading("Goals", 1)
    made.add_paragraph("Grow by 12 % in snake_case.")
    table = made.add_table(2, 2)
    for cell, text in zip(table._cells, ("Name", "Sum", "Ada", "7"), strict=True):
        cell.text = text
    made.add_heading("Risks", 2)
    parsed = parse(saved(made), "word")
    assert [segment.part for segment in parsed.segments] == ["section Goals", "section Risks"]
    assert "Grow by 12 % in snake_case." in parsed.segments[0].text
    assert "| Ada | 7 |" in parsed.segments[0].text


def test_headers_and_footers_of_a_word_document_are_read_once():
    made = docx.Document()
    made.add_paragraph("The plan of the year.")
    for section in (made.sections[0], made.add_section()):
        section.header.is_linked_to_previous = section.footer.is_linked_to_previous = False
        section.header.paragraphs[0].text = "Contract no. 4711"
        section.footer.paragraphs[0].text = "Draft of 1 May 2026"
    made.sections[0].footer.paragraphs[0].add_run("a secret").font.hidden = True
    (segment,) = parse(saved(made), "word").segments
    assert segment.text.split("\n\n") == ["Contract no. 4711", "The plan of the year.", "Draft of 1 May 2026"]


WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
HALF = "<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
CUBE = "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>3</m:t></m:r></m:sup></m:sSup>"
MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (f'<w:fldSimple {WORD} w:instr="DATE"><w:r><w:t>1 May 2026</w:t></w:r></w:fldSimple>', "It is 1 May 2026"),
        (f'<w:del {WORD} w:id="1"><w:r><w:delText>100</w:delText></w:r></w:del>', "It is"),
        (f'<w:ins {WORD} w:id="1"><w:r><w:t>200</w:t></w:r></w:ins>', "It is 200"),
        (f'<w:moveFrom {WORD} w:id="1"><w:r><w:t>300</w:t></w:r></w:moveFrom>', "It is"),
        (f'<w:moveTo {WORD} w:id="2"><w:r><w:t>400</w:t></w:r></w:moveTo>', "It is 400"),
        (f"<w:r {WORD}><w:rPr><w:vanish/></w:rPr><w:t>a secret</w:t></w:r>", "It is"),
        (f'<w:r {WORD}><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r>', "It is shown"),
        (
            f"<m:oMath {MATH}>{HALF}{CUBE}</m:oMath>",
            "It is (a)/(2)x^(3)",
        ),
    ],
    ids=["field", "deleted", "inserted", "moved away", "moved here", "hidden", "not hidden", "formula"],
)
def test_a_word_document_has_the_words_that_its_reader_sees(inner: str, text: str):
    from docx.oxml import parse_xml

    made = docx.Document()
    made.add_paragraph("It is ")._p.append(parse_xml(inner))
    assert parse(saved(made), "word").segments[0].text.strip() == text


def test_text_that_a_style_hides_is_left_out_of_a_word_document():
    from docx.enum.style import WD_STYLE_TYPE

    made = docx.Document()
    for name, kind in (("Secret words", WD_STYLE_TYPE.CHARACTER), ("Secret line", WD_STYLE_TYPE.PARAGRAPH)):
        made.styles.add_style(name, kind).font.hidden = True
    line = made.add_paragraph("It is ")
    line.add_run("a secret", "Secret words")
    line.add_run("200", "Secret words").font.hidden = False
    made.add_paragraph("Nobody sees this.", "Secret line")
    assert parse(saved(made), "word").segments[0].text.strip() == "It is 200"


def test_a_table_within_a_cell_of_a_word_document_is_a_line_of_it():
    made = docx.Document()
    table = made.add_table(2, 2)
    for cell, text in zip(table._cells, ("Name", "Sizes", "Shirt", ""), strict=True):
        cell.text = text
    inner = table.cell(1, 1).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "S", "M"
    assert "| Shirt | S, M |" in parse(saved(made), "word").segments[0].text


def test_a_presentation_is_read_by_slide_with_tables_and_notes():
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Roadmap"
    slide.placeholders[1].text = "Ship it"
    slide.notes_slide.notes_text_frame.text = "Say it slowly"
    table = made.slides.add_slide(made.slide_layouts[6]).shapes.add_table(1, 2, 0, 0, Inches(2), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "a", "b"
    made.slides.add_slide(made.slide_layouts[6])
    parsed = parse(saved(made), "powerpoint")
    first, second, third = parsed.segments
    assert (first.part, first.title) == ("slide 1", "Roadmap")
    assert first.text == "Roadmap\nShip it\n\nSpeaker notes:\nSay it slowly\n"
    assert second.text == "| a | b |\n"
    assert third.text.strip() == ""
    assert "slide 3" in parsed.notes[0].lower()


@pytest.mark.parametrize("kind", ["word", "excel", "powerpoint"])
@pytest.mark.parametrize("data", [
    b"PK\x03\x04 broken", b"plain text", b"\xd0\xcf\x11\xe0" + b"\0" * 600, saved(openpyxl.Workbook())[:900],
])  # fmt: skip
def test_a_damaged_office_file_says_so(kind: str, data: bytes):
    with pytest.raises(Unreadable, match=r"damaged|encrypted"):
        parse(data, kind)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["word", "excel", "powerpoint"])
def test_an_archive_of_something_else_is_damaged(kind: str):
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(Unreadable, match="damaged"):
        parse(written.getvalue(), kind)  # type: ignore[arg-type]


def test_a_zip_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(office, "MAX_UNPACKED_BYTES", 1_000_000)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"0" * 2_000_000)
    with pytest.raises(Unreadable, match="unpacks to more than"):
        parse(written.getvalue(), "excel")


SMALL_UNITS = {
    "word": ("word/document.xml", "<w:p/>"),
    "powerpoint": ("ppt/slides/slide1.xml", "<a:p/>"),
}


@pytest.mark.parametrize("kind", SMALL_UNITS)
def test_a_small_file_with_millions_of_tags_is_refused_at_once(kind: str):
    """It would keep its library busy for minutes. # 000-21"""
    name, unit = SMALL_UNITS[kind]
    _refused_for_its_tags(kind, name, unit)


@pytest.mark.parametrize("kind", ["text", "presentation"])
def test_so_is_one_of_opendocument(kind: str):
    """# 000-21"""
    about = {"mimetype": f"application/vnd.oasis.opendocument.{kind}"}
    _refused_for_its_tags("word" if kind == "text" else "powerpoint", "content.xml", "<text:p/>", about)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_tags_count_wherever_they_are_and_in_every_encoding(encoding: str):
    """# 000-21"""
    _refused_for_its_tags("word", "word/renamed.bin", "<w:p/>", encoding=encoding)


def _refused_for_its_tags(
    kind: str, name: str, unit: str, about: dict[str, str] | None = None, encoding: str = "utf-8"
) -> None:
    document = f"<?xml version='1.0'?><x>{unit * 5_000_000}</x>".encode(encoding)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for part, text in (about or {}).items():
            archive.writestr(part, text)
        archive.writestr(name, document)
    begun = time.process_time()
    with pytest.raises(Unreadable, match="Split it into smaller files"):
        parse(written.getvalue(), kind)  # type: ignore[arg-type]
    assert time.process_time() - begun < 2


def test_a_file_over_the_limit_is_refused_by_size():
    with pytest.raises(Unreadable, match="51 MB"):
        parse(b"x" * 51_000_000, "text")
