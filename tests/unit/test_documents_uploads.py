"""The kind of an upload by its content, and its text."""

import pytest

from leaf import documents
from leaf.documents import Unreadable, uploads
from tests.uploads import packed, pdf, slides, word, workbook


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.pdf", pdf(["x"]), "pdf"), ("a", pdf(["x"]), "pdf"), ("a.bin", pdf(["x"]), "pdf"),
        ("a.docx", word("x"), "word"), ("a.xlsx", workbook(One=[[1]]), "excel"), ("a.pptx", slides("x"), "powerpoint"),
        ("a.md", b"# x", "markdown"), ("a.csv", b"a,b", "csv"), ("a.txt", b"x", "text"), ("LICENSE", b"x", "text"),
    ],
)  # fmt: skip
def test_the_content_says_what_an_upload_is(name: str, data: bytes, kind: str) -> None:
    """# 001-26"""
    assert documents.extract(data, name).kind == kind


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", b"# no PDF", "no PDF, whatever its name says"), ("a.docx", pdf(["x"]), r"is a PDF: .* ending \.pdf"),
        ("a.md", word("x"), r"Word document: .* \.docx"), ("a.txt", b"GIF89a\0\0", "picture"),
        ("a.md", b"MZ\x90\0\x03", "program"), ("a.zip", packed("readme.txt", b"x"), "archive"),
        ("a.docx", b"PK\x03\x04 broken", "damaged"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "damaged"),
        ("a.txt", b"{\\rtf1 x}", r"is a Word document: .* \.docx"), ("a.md", bytes(range(256)) * 50, "binary"),
        ("a.pdf", pdf(["x"], password="pw"), "password"), ("a.pdf", b"%PDF-1.7 cut off", "damaged"),
        ("a.xlsx", packed("xl/workbook.xml", b"<workbook/>"), "damaged"),
    ],
)  # fmt: skip
def test_what_is_hostile_or_damaged_is_refused_with_the_reason(name: str, data: bytes, reason: str) -> None:
    """Also where the name says something else than the bytes. # 001-26"""
    with pytest.raises(Unreadable, match=reason):
        documents.extract(data, name)


def test_a_polyglot_is_what_it_begins_with() -> None:
    """A PDF with an archive behind it is a PDF; by the name of an archive it is refused. # 001-26"""
    both = pdf(["visible"]) + word("hidden")
    found = documents.extract(both, "a.pdf")
    assert (found.kind, "visible" in found.text, "hidden" in found.text) == ("pdf", True, False)
    with pytest.raises(Unreadable):
        documents.extract(both, "a.docx")


def test_places_are_known_by_their_lines() -> None:
    """A line that only looks like a mark is none. # 001-26"""
    found = documents.extract(pdf(["one", "[page 7]", "three"]), "a.pdf")
    lines = found.text.splitlines()
    assert [part for _, part in found.places] == ["page 1", "page 2", "page 3"]
    assert [lines[line - 1] for line, _ in found.places] == ["[page 1]", "[page 2]", "[page 3]"]
    at = next(number for number, line in enumerate(lines, 1) if line == "[page 7]")
    assert documents.place_of(found.places, at) == "page 2"
    assert documents.place_of(found.places, 0) == ""


def test_sheets_slides_and_sections_are_places_too() -> None:
    book = documents.extract(workbook(Budget=[["a", 1]], Plan=[["b", 2]]), "a.xlsx")
    assert book.text == "[sheet Budget]\na,1\n[sheet Plan]\nb,2\n"
    assert book.places == [(1, "sheet Budget"), (3, "sheet Plan")]
    assert [part for _, part in documents.extract(slides("A", "B"), "a.pptx").places] == ["slide 1", "slide 2"]
    assert documents.extract(word("Grow."), "a.docx").places == [(1, "section Goals")]


def test_a_scan_is_kept_without_a_text_and_says_so() -> None:
    found = documents.extract(pdf([None, None]), "a.pdf")
    assert (found.kind, found.text) == ("pdf", "")
    assert "no text was recognised" in found.notes[0]


def test_text_is_read_in_its_own_charset() -> None:
    for charset in ("utf-8-sig", "utf-16", "cp1252"):
        assert documents.extract("Größe: 5 €".encode(charset), "a.txt").text == "Größe: 5 €"


def test_what_is_too_long_is_cut_and_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_TEXT_BYTES", 52)
    found = documents.extract(pdf([f"This is page {number}" for number in range(1, 9)]), "a.pdf")
    assert [part for _, part in found.places] == ["page 1", "page 2"]
    assert found.text.splitlines()[-1].startswith("[cut here: Left out: the text after line 4")
    assert found.notes[-1].startswith("Left out: the text after line 4")


def test_no_line_is_too_long_to_be_read() -> None:
    text = documents.in_short_lines("x" * 50_000 + "\nshort\n" + "y" * 20_000)
    assert [len(line) for line in text.splitlines()] == [20_000, 20_000, 10_000, 5, 20_000]
