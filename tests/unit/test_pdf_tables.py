"""Tables of PDFs: with lines around their cells, with columns only, over several pages, and none in prose."""

from collections.abc import Sequence

import pytest
from fpdf import FPDF

from leaf.documents import Unreadable, pdf_tables
from leaf.documents.tables import Source, engine


def _pdf() -> FPDF:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("helvetica", size=11)
    return pdf


def _ruled(pdf: FPDF, rows: Sequence[Sequence[str]]) -> None:
    with pdf.table() as table:
        for row in rows:
            table.row(row)


def _spaced(pdf: FPDF, rows: Sequence[Sequence[str]]) -> None:
    for row in rows:
        for cell in row:
            pdf.cell(60, 7, cell)
        pdf.ln()


def _parts(pdf: FPDF) -> dict[str, list[str]]:
    segments, notes = pdf_tables.read(bytes(pdf.output()))
    assert notes == []
    return {one.part: one.text.splitlines() for one in segments}


def test_a_table_with_lines_keeps_its_cells() -> None:
    pdf = _pdf()
    pdf.multi_cell(0, 7, "What was spent in 2025, and in 2026 as far as it is known:\n")
    _ruled(pdf, [["City", "Cost (EUR)"], ["Bonn", "1,200.50"], ["Ulm", ""], ["Bad Homburg, upper part", "80"]])
    assert _parts(pdf) == {
        "page 1, table 1": ["City,Cost (EUR)", 'Bonn,"1,200.50"', "Ulm,", '"Bad Homburg, upper part",80']
    }


def test_a_table_without_lines_is_found_by_its_columns() -> None:
    pdf = _pdf()
    pdf.multi_cell(0, 7, "Visitors of 2025\n\n")
    _spaced(pdf, [["Month", "Visitors", "Change"], ["January", "120", "5 %"], ["Late February", "1 300", ""]])
    assert _parts(pdf) == {"page 1, table 1": ["Month,Visitors,Change", "January,120,5 %", "Late February,1 300,"]}


def test_a_table_over_pages_is_one_and_its_header_stands_once() -> None:
    pdf = _pdf()
    rows = [["No", "Amount"], *([str(number), f"{number}.50"] for number in range(1, 101))]
    _ruled(pdf, rows)
    ((part, lines),) = _parts(pdf).items()
    assert part == "pages 1-4, table 1"
    assert lines == ["No,Amount", *(f"{number},{number}.50" for number in range(1, 101))]


def test_prose_in_two_columns_is_no_table() -> None:
    pdf = _pdf()
    words = "In 2024 and 2025 the town had 17 bridges and a mill of 1820, "
    with pdf.text_columns(ncols=2, gutter=10) as columns:
        columns.write(words * 40)
    assert _parts(pdf) == {}


def test_a_table_of_a_pdf_can_be_computed_over() -> None:
    pdf = _pdf()
    _ruled(pdf, [["City", "Cost (EUR)"], ["Bonn", "1,200.50"], ["Ulm", "99.50"], ["Total", "1,300.00"]])
    segments, _ = pdf_tables.read(bytes(pdf.output()))
    source = Source("f", "1", "costs.pdf", "pdf", segments)
    made = engine.compute([source], "SELECT sum(cost_eur) AS cost FROM costs")
    assert (made["rows"], made["columns"][0]["unit"]) == ([[1300]], "EUR")
    assert [(one["place"], one["cells"]) for one in made["tables"]] == [("page 1, table 1, A1:B3", ["B2:B3"])]


def test_pages_for_which_there_is_no_time_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pdf = _pdf()
    for _ in range(3):
        _ruled(pdf, [["City", "Cost"], ["Bonn", "1"], ["Ulm", "2"]])
        pdf.add_page()
    monkeypatch.setattr(pdf_tables, "MAX_PAGES", 1)
    segments, notes = pdf_tables.read(bytes(pdf.output()))
    assert [one.part for one in segments] == ["page 1, table 1"]
    assert notes == ["Tables were not looked for on page 2-3: there was no time."]


def test_a_broken_file_is_named() -> None:
    with pytest.raises(Unreadable):
        pdf_tables.read(b"%PDF-1.7 broken")
