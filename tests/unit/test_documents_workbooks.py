"""Workbooks in the formats of Excel and of OpenDocument. 000-21, 000-22."""

import io
import struct
import zipfile

import openpyxl
import pytest

from leaf.documents import Document, Unreadable, extract, kind_of, parse, refusal, select, sheets

_ODS = "application/vnd.oasis.opendocument.spreadsheet"
ROWS: tuple[tuple[str | float, ...], ...] = (("Item", "Cost"), ("Rent, heated", 1250.5))
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def ods(*rows: tuple[str | float, ...], repeated: int = 1) -> bytes:
    """A workbook of OpenDocument with one sheet; its rows are repeated. A text that begins with `<` is a cell's XML."""

    def cell(value: str | float) -> str:
        if isinstance(value, str) and value.startswith("<"):
            return value
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    body = "".join(
        f'<table:table-row table:number-rows-repeated="{repeated}">{"".join(map(cell, row))}</table:table-row>'
        for row in rows
    )
    content = (
        f'<office:document-content xmlns:office="{_OFFICE}:office:1.0" xmlns:table="{_OFFICE}:table:1.0" '
        f'xmlns:text="{_OFFICE}:text:1.0"><office:body><office:spreadsheet><table:table table:name="Plan">{body}'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", _ODS, zipfile.ZIP_STORED)
        archive.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{_OFFICE}:manifest:1.0"/>')
        archive.writestr("content.xml", content)
    return written.getvalue()


def xls(*rows: tuple[str | float, ...], stream: str = "Workbook") -> bytes:
    """A workbook of Excel 97 with one sheet, in an OLE container. `#N/A` is an error, and `=#N/A` that of a formula."""

    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    codes = {"#DIV/0!": 7, "#VALUE!": 15, "#REF!": 23, "#N/A": 42}

    def cell(row: int, column: int, value: str | float) -> bytes:
        at = struct.pack("<HHH", row, column, 0)
        if value in codes:
            return record(0x0205, at + bytes((codes[str(value)], 1)))
        if isinstance(value, str) and value.removeprefix("=") in codes:
            result = bytes((2, 0, codes[value[1:]], 0, 0, 0, 255, 255))
            return record(0x0006, at + result + struct.pack("<HIHB", 0, 0, 1, 0x17))
        if isinstance(value, str):
            return record(0x0204, at + struct.pack("<HB", len(value), 0) + value.encode("latin-1"))
        return record(0x0203, at + struct.pack("<d", value))

    end = record(0x000A, b"")
    begin = record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 0, 0, 0))
    name = struct.pack("<BB", 4, 0) + b"Plan"
    globals_size = len(begin) + 4 + 6 + len(name) + len(end)
    book = begin + record(0x0085, struct.pack("<IBB", globals_size, 0, 0) + name) + end
    book += record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 0, 0, 0))
    book += record(0x0200, struct.pack("<IIHHH", 0, len(rows), 0, max(map(len, rows)), 0))
    book += b"".join(cell(row, column, value) for row, values in enumerate(rows) for column, value in enumerate(values))
    book += end
    # Streams of less than 4,096 bytes would need a second table of sectors.
    book = book.ljust(4096, b"\0")
    sectors = [*range(1, len(book) // 512), 0xFFFFFFFE]
    table = struct.pack("<128I", *sectors, 0xFFFFFFFE, 0xFFFFFFFD, *[0xFFFFFFFF] * (126 - len(sectors)))

    def entry(title: str, kind: int, child: int, start: int, size: int) -> bytes:
        spelled = title.encode("utf-16-le") + b"\0\0" if title else b""
        return (
            spelled.ljust(64, b"\0") + struct.pack("<HBBIII", len(spelled), kind, 1, 0xFFFFFFFF, 0xFFFFFFFF, child)
            + bytes(36) + struct.pack("<IQ", start, size)
        )  # fmt: skip

    directory = entry("Root Entry", 5, 1, 0xFFFFFFFE, 0) + entry(stream, 2, 0xFFFFFFFF, 0, len(book))
    directory += entry("", 0, 0xFFFFFFFF, 0, 0) * 2
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIII", 0, 1, len(sectors), 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    header += struct.pack("<109I", len(sectors) + 1, *[0xFFFFFFFF] * 108)
    return header + book + directory + table


def saved(book: openpyxl.Workbook) -> bytes:
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


@pytest.mark.parametrize(("data", "name"), [
    (xls(*ROWS), "plan.xls"), (ods(*ROWS), "plan.ods"),
])  # fmt: skip
def test_older_and_open_workbooks_are_read_like_others(data: bytes, name: str):
    (segment,) = parse(data, "excel").segments
    assert (segment.part, segment.text) == ("sheet Plan", 'Item,Cost\n"Rent, heated",1250.5\n')
    found = extract(data, name)
    assert found.kind == "excel"
    assert found.text.startswith("[sheet Plan]\nItem,Cost\n")


@pytest.mark.parametrize("mime_type", ["application/vnd.ms-excel", _ODS])
def test_older_and_open_workbooks_are_readable(mime_type: str):
    kind = kind_of(mime_type)
    assert (kind, refusal(kind, mime_type)) == ("excel", None)


@pytest.mark.parametrize(("data", "reason"), [
    (xls(("x",), stream="EncryptedPackage"), "encrypted"), (xls(("x",), stream="WordDocument"), "old Office format"),
    (xls(("x",))[:-1_200] + "Workbook".encode("utf-16-le"), "damaged"), (ods(("x",))[:200], "damaged"),
])  # fmt: skip
def test_a_workbook_that_cannot_be_read_says_why(data: bytes, reason: str):
    with pytest.raises(Unreadable, match=reason):
        parse(data, "excel")


def test_percentages_errors_and_empty_cells_before_the_first_are_kept():
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for place, value in (("B3", "Share"), ("C3", 0.153), ("D3", "#DIV/0!"), ("C5", 0.5)):
        sheet[place] = value
    sheet["C3"].number_format = "0.0%"
    sheet["C5"].number_format = "0%"
    assert parse(saved(book), "excel").segments[0].text == "\n\n,Share,15.3%,#DIV/0!\n\n,,50%\n"


def test_a_sheet_that_spans_the_whole_grid_is_read_without_its_emptiness():
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["XFD1048576"], sheet["B2"] = "first", "last", 0.2
    sheet["B2"].number_format = "0%"
    parsed = parse(saved(book), "excel")
    assert parsed.segments[0].text == "first\n,20%\n"
    assert parsed.truncated


def test_rows_without_end_stop_at_the_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sheets, "MAX_ROWS", 100)
    parsed = parse(ods(("a", 1.0), repeated=1_000), "excel")
    assert parsed.segments[0].text.count("\n") == 100
    assert parsed.notes == ["Left out: the rows from 101 on of the sheet “Plan”."]


def test_percentages_and_currencies_of_open_workbooks_are_kept():
    share = '<table:table-cell office:value-type="percentage" office:value="0.153"/>'
    cost = '<table:table-cell office:value-type="currency" office:currency="EUR" office:value="{}"/>'
    two = cost.format(7).replace("<table:table-cell", '<table:table-cell table:number-columns-repeated="2"')
    data = ods(("Item", "Cost"), ("a", cost.format(1250.5), share), ("b", two, 4.0))
    assert parse(data, "excel").segments[0].text == "Item,Cost\na,1250.5 EUR,15.3%\nb,7 EUR,7 EUR,4\n"


def test_units_of_repeated_rows_stop_at_the_limit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sheets, "MAX_ROWS", 5)
    share = '<table:table-cell office:value-type="percentage" office:value="0.5"/>'
    assert parse(ods((share,), repeated=1_000_000), "excel").segments[0].text == "50%\n" * 5


def test_hidden_rows_of_open_workbooks_are_named():
    data = ods(("Item", "Cost"), ("a", 1.0), ("b", 2.0))
    hidden = _changed(
        data, b'<table:table-row table:number-rows-repeated="1"><table:table-cell office:value-type="string"><text:p>b'
    )
    assert parse(hidden, "excel").notes == ["Hidden rows of the sheet “Plan” count like others: 3."]


def _changed(data: bytes, row: bytes) -> bytes:
    """A workbook of which one row is filtered out."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(written, "w") as other:
        for name in archive.namelist():
            other.writestr(
                name, archive.read(name).replace(row, row.replace(b"row ", b'row table:visibility="filter" ', 1))
            )
    return written.getvalue()


def test_the_only_sheet_of_a_workbook_says_its_name():
    """Its cells need not repeat of which company it is. 000-21."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Prices Alder Glass"
    sheet.append(["Article", "Price"])
    sheet.append(["Lamp", 12])
    kind = kind_of("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "Prices.xlsx")
    parsed = parse(saved(book), kind)
    document = Document("f", "1", "Prices.xlsx", "", kind, parsed.segments, parsed.notes)
    assert select(document).content.startswith("[sheet Prices Alder Glass]\nArticle,Price\nLamp,12")
