"""The attachments of e-mails. 000-21, 000-22."""

import asyncio
import io
from email.message import EmailMessage
from typing import Any

import openpyxl
import pytest

from leaf.documents import Document, NoSuchPart, Unreadable, extract, isolation, parse, pictures, select
from leaf.documents.tables import recognition
from leaf.documents.tables.model import Refused, Source
from leaf.texts import Message
from leaf.texts.places import attachment_of, in_attachment, place_text
from tests.unit import outlook
from tests.unit.test_scans import picture

_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def _workbook(**sheets: list[tuple[object, ...]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _mail(*attached: tuple[str, str, bytes], body: str = "See the files.\n") -> bytes:
    message = EmailMessage()
    message["Subject"] = "Files"
    message.set_content(body)
    for name, mime_type, data in attached:
        major, _, minor = mime_type.partition("/")
        message.add_attachment(data, maintype=major, subtype=minor, filename=name)
    return bytes(message)


_BUDGET = _workbook(Jan=[("Item", "Cost"), ("Chairs", 120), ("Desks", 340)], Feb=[("Item", "Cost"), ("Lamps", 50)])
_MADE = _mail(
    ("budget, new.xlsx", _XLSX, _BUDGET),
    ("stock.csv", "text/csv", b"name;qty\nnails;12\nscrews;30\n"),
    ("stock.csv", "application/octet-stream", b"name;qty\nbolts;7\n"),
    ("all.zip", "application/zip", b"PK\x03\x04"),
    ("broken.docx", "application/octet-stream", b"PK\x03\x04broken"),
)


def _document(data: bytes) -> Document:
    parsed = parse(data, "mail")
    return Document("f1", "1", "Files.eml", "message/rfc822", "mail", parsed.segments, parsed.notes, parsed.truncated)


def test_attachments_are_read_at_places_that_name_them() -> None:
    document = _document(_MADE)
    assert [(one.part, one.title) for one in document.segments] == [
        ("lines 1-3", None),
        ("attachment budget, new.xlsx › sheet Jan", "Jan"), ("attachment budget, new.xlsx › sheet Feb", "Feb"),
        ("attachment stock.csv", "stock.csv"), ("attachment stock (2).csv", "stock (2).csv"),
    ]  # fmt: skip
    assert document.segments[1].text == "Item,Cost\nChairs,120\nDesks,340\n"
    assert document.notes == ["These attachments of the e-mail are not read: “all.zip”, “broken.docx”."]


@pytest.mark.parametrize("asked", ["attachment budget, new.xlsx", "budget, new.xlsx", "Attachment Budget, New.xlsx"])
def test_a_whole_attachment_can_be_asked_for(asked: str) -> None:
    found = select(_document(_MADE), asked)
    assert found.content == (
        "[attachment budget, new.xlsx › sheet Jan]\nItem,Cost\nChairs,120\nDesks,340\n"
        "[attachment budget, new.xlsx › sheet Feb]\nItem,Cost\nLamps,50\n"
    )
    assert select(_document(_MADE), found.part).content == found.content
    with pytest.raises(NoSuchPart):
        select(_document(_MADE), "attachment other.xlsx")


def test_tables_of_attachments_are_computed_with_the_places_of_their_cells() -> None:
    document = _document(_MADE)
    tables = recognition.tables_of([Source.of(document, "Files.eml")])
    assert [(one.name, one.place, one.file) for one in tables] == [
        ("budget_new_jan", "attachment budget, new.xlsx › sheet Jan, A1:B3", "Files.eml"),
        ("budget_new_feb", "attachment budget, new.xlsx › sheet Feb, A1:B2", "Files.eml"),
        ("stock", "attachment stock.csv › rows, A1:B3", "Files.eml"),
        ("stock_2", "attachment stock (2).csv › rows, A1:B2", "Files.eml"),
    ]


def test_an_attached_table_that_was_cut_is_not_computed() -> None:
    wide = _workbook(Wide=[tuple(range(600))])
    document = _document(_mail(("wide.xlsx", _XLSX, wide)))
    assert document.truncated
    assert document.notes[0].startswith("Left out: In the attachment “wide.xlsx”: ")
    with pytest.raises(Refused):
        Source.of(document, "Files.eml")


def test_an_attached_picture_is_read_and_shown_with_its_lines() -> None:
    scan = picture("The deposit is 2,400 EUR", "and is due on 3 March")
    made = _mail(("scan [1].png", "image/png", scan))
    read = _document(made).segments[1]
    assert read.part == "attachment scan (1).png › picture 1"
    assert "2,400 EUR" in read.text
    shown = pictures.marked(made, "mail", read.part, read.lines)
    assert shown == pictures.marked(scan, "image", "picture 1", read.lines)


def test_the_attachments_of_an_attached_email_are_only_named() -> None:
    inner = _mail(("deep.txt", "text/plain", b"deep"), body="From far away.\n")
    document = _document(_mail(("inner.eml", "application/octet-stream", inner)))
    assert document.segments[1].part == "attachment inner.eml"
    assert "From far away." in document.segments[1].text
    assert document.notes == [
        "In the attachment “inner.eml”: These attachments of the e-mail are not read: “deep.txt”."
    ]


def test_attachments_of_a_message_of_outlook_are_read() -> None:
    made = outlook.message("Hi", "Hello\n", ("Ada", "ada@example.org"), [], ["notes.txt"])
    assert [(one.part, one.text) for one in parse(made, "mail").segments[1:]] == [("attachment notes.txt", "x")]


def test_an_attachment_that_ends_the_process_leaves_the_email_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is a file of a kind whose reader takes longer than the time for the whole e-mail."""
    monkeypatch.setattr(isolation, "SECONDS", 2.0)
    pages = picture("A page", "with words")
    made = _mail(*((f"scan {number}.png", "image/png", pages + bytes([number])) for number in range(20)))

    async def read() -> None:
        try:
            parsed = await isolation.parse(made, "mail")
        finally:
            isolation.close()
        assert [one.part for one in parsed.segments] == ["all"]
        assert "“scan 0.png”" in parsed.notes[0]

    asyncio.run(read())


def test_an_email_that_its_reader_refuses_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only an attachment that ends the process is a reason to read an e-mail again. # 000-22"""
    asked: list[dict[str, Any]] = []
    exchange = isolation._Reader._exchange

    def counted(reader: isolation._Reader, request: dict[str, Any], data: bytes) -> dict[str, Any]:
        asked.append(request)
        return exchange(reader, request, data)

    monkeypatch.setattr(isolation._Reader, "_exchange", counted)

    async def read() -> None:
        try:
            with pytest.raises(Unreadable):
                await isolation.parse(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "mail")
        finally:
            isolation.close()

    asyncio.run(read())
    assert len(asked) == 1


def test_an_uploaded_email_names_the_places_of_its_attachments() -> None:
    found = extract(_MADE, "Files.eml")
    assert [place for _, place in found.places][:2] == ["lines 1-3", "attachment budget, new.xlsx › sheet Jan"]
    assert "[attachment stock.csv]\nname;qty\n" in found.text
    plain = extract(_mail(), "Plain.eml")
    assert (plain.places, plain.text) == ([], "Subject: Files\n\nSee the files.\n")


@pytest.mark.parametrize("name", ["a.pdf", "a, b: c; d.pdf", "x" * 200])
@pytest.mark.parametrize("part", ["all", "page 3", "sheet Jan, A1:B3"])
def test_the_name_of_a_place_in_an_attachment_is_understood(name: str, part: str) -> None:
    assert attachment_of(in_attachment(name, part)) == (name, part)


def _english(key: str, **values: object) -> Message:
    from leaf import texts

    return texts.english(key, **values)


def test_places_in_attachments_are_told_in_words() -> None:
    told = [place_text(one, _english) for one in (
        "attachment a.pdf", "attachment a.pdf › page 3, read by OCR", "passages in attachment a.pdf › page 2",
        "attachment a.pdf › " * 4_000,
    )]  # fmt: skip
    assert told[:3] == [
        "attachment “a.pdf”", "page 3 of attachment “a.pdf”, read by OCR", "passages in page 2 of attachment “a.pdf”",
    ]  # fmt: skip
    assert told[3] == "attachment a.pdf › " * 4_000
