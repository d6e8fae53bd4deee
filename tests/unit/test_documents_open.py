"""OpenDocument, rich text, books, e-mails, and formats that Leaf names without reading them. 000-21, 000-22."""

import contextlib
import io
import time
import zipfile
from email.message import EmailMessage

import pytest

from leaf.documents import Unreadable, extract, kind_of, parse, pictures, refusal
from leaf.documents.kinds import Kind
from tests.unit import outlook
from tests.unit.test_scans import picture

_NAMES = "urn:oasis:names:tc:opendocument:xmlns"
_TYPE = "application/vnd.oasis.opendocument"


def document(kind: str, body: str, *, styles: str = "", **parts: bytes) -> bytes:
    """A file of OpenDocument; `parts` are pictures by name."""
    spaces = "".join(f' xmlns:{one}="{_NAMES}:{uri}:1.0"' for one, uri in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"),
        ("presentation", "presentation"), ("style", "style"),
    ))  # fmt: skip
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("mimetype", f"{_TYPE}.{kind}")
        archive.writestr("content.xml", (
            f'<office:document-content{spaces} xmlns:xlink="http://www.w3.org/1999/xlink"><office:body>{body}'
            "</office:body></office:document-content>"
        ))  # fmt: skip
        if styles:
            archive.writestr("styles.xml", f"<office:document-styles{spaces}>{styles}</office:document-styles>")
        for name, data in parts.items():
            archive.writestr(f"Pictures/{name}.png", data)
    return written.getvalue()


_IMAGE = '<draw:frame><draw:image xlink:href="Pictures/note.png"/></draw:frame>'
_TEXT = document(
    "text",
    '<office:text><text:h text:outline-level="1">Goals</text:h><text:p>Grow by<text:s text:c="2"/>12 %'
    "<text:line-break/>"
    "in <text:span>two</text:span> years.</text:p><text:list><text:list-item><text:p>Pears</text:p></text:list-item>"
    '</text:list><text:h text:outline-level="2">Risks</text:h><table:table><table:table-row><table:table-cell>'
    "<text:p>Name</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>Hail|Frost"
    f"</text:p></table:table-cell></table:table-row></table:table><text:p>{_IMAGE}</text:p></office:text>",
    note=picture("Signed by P. Sarnholm"),
)
_SLIDES = document(
    "presentation",
    "<office:presentation><draw:page><draw:frame><draw:text-box><text:p>Roadmap</text:p></draw:text-box></draw:frame>"
    "<presentation:notes><draw:frame><draw:text-box><text:p>Say it slowly</text:p></draw:text-box></draw:frame>"
    "</presentation:notes></draw:page><draw:page/></office:presentation>",
)


def mail(**more: str) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ada <ada@example.org>", "ben@example.org", "Größe der Kisten"
    message.set_content("The crates are 60 × 40 cm.\n")
    if "html" in more:
        message.add_alternative(more["html"], subtype="html")
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="Kisten – Maße.pdf")
    return message.as_bytes()


def test_a_text_of_opendocument_is_read_with_headings_tables_and_pictures():
    parsed = parse(_TEXT, "word")
    assert [one.place for one in parsed.segments] == ["section Goals", "section Risks", "picture 1, read by OCR"]
    goals, risks, shown = (one.text for one in parsed.segments)
    assert "Grow by  12 %\nin two years." in goals
    assert "- Pears" in goals
    assert "| Name |\n| --- |\n| Hail\\|Frost |" in risks
    assert shown == "Signed by P. Sarnholm\n"
    assert pictures.marked(_TEXT, "word", "picture 1", ()).startswith(b"\xff\xd8")


def test_a_text_of_opendocument_has_the_words_that_its_reader_sees():
    """Its footnotes below their paragraphs, its headers and footers, and no hidden text. # 000-37"""
    note = (
        "<text:note><text:note-citation>1</text:note-citation>"
        "<text:note-body><text:p>without heat</text:p></text:note-body></text:note>"
    )
    styles = (
        '<office:styles><style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
        "</office:styles>"
        "<office:master-styles><style:master-page><style:header><text:p>Contract 4711</text:p></style:header>"
        "<style:footer><text:p>Draft</text:p></style:footer></style:master-page></office:master-styles>"
    )
    hidden = '<text:span text:style-name="H"> a secret</text:span>'
    row = '<table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell>'
    body = (
        f"<office:text><text:p>It costs 900 EUR{note}{hidden} a month.</text:p>"
        '<text:section text:display="none"><text:p>nor this</text:p></text:section>'
        f"<table:table><table:table-row>{row}</table:table-row></table:table></office:text>"
    )
    (segment,) = parse(document("text", body, styles=styles), "word").segments
    assert segment.text.split("\n\n") == [
        "Contract 4711", "It costs 900 EUR[^1] a month.", "[^1]: without heat", "| x | x |\n| --- | --- |", "Draft",
    ]  # fmt: skip


def test_a_presentation_of_opendocument_is_read_by_slide():
    first, second = parse(_SLIDES, "powerpoint").segments
    assert (first.part, first.title, first.text) == ("slide 1", "Roadmap", "Roadmap\n\nSpeaker notes:\nSay it slowly\n")
    assert (second.part, second.text) == ("slide 2", "\n")


@pytest.mark.parametrize("html", ["", "<p>The crates are <b>big</b></p>"])
def test_an_email_is_read_with_its_head_and_names_its_attachments(html: str):
    parsed = parse(mail(html=html) if html else mail(), "mail")
    (segment,) = parsed.segments
    assert segment.text == (
        "From: Ada <ada@example.org>\nTo: ben@example.org\nSubject: Größe der Kisten\n\nThe crates are 60 × 40 cm.\n"
    )
    assert parsed.notes == ["These attachments of the e-mail are not read: “Kisten – Maße.pdf”."]


def test_an_email_of_html_alone_is_read_as_its_text():
    made = b"Subject: x\r\nContent-Type: text/html; charset=latin-1\r\n\r\n<h1>Gr\xfc\xdfe</h1><p>Bis bald</p>"
    assert "# Grüße\n\nBis bald" in parse(made, "mail").segments[0].text


RICH = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}}"
    rb"\f0 Gr\'fc\'dfe\par "
    rb"{\pict\wmetafile8 " + b"0a0b" * 900 + rb"}\trowd Item\cell Price\cell\row K\u246?ln\cell 12\cell\row "
    rb"{\f1 \'cf\'f0\'e8\'e2\'e5\'f2}\par {\field{\*\fldinst{HYPERLINK \"https://example.org\"}}{\fldrslt{our page}}}}"
)


def test_rich_text_is_read_with_its_charsets_and_tables_and_without_pictures() -> None:
    """The bytes of a Cyrillic font are Cyrillic; 000-21."""
    assert parse(RICH, "word").segments[0].text == "Grüße\nItem|Price|\nKöln|12|\nПривет\nour page\n"


@pytest.mark.parametrize("body", [
    rb"{\fonttbl" + rb"\f0" * 30_000 + b"}", rb"{\fonttbl" + rb"\f0;" * 30_000 + b"}",
    b'{\\field{\\*\\fldinst{HYPERLINK "a" ' * 30_000, b"{" * 300_000, rb"\uc\u99999999999", b"",
])  # fmt: skip
def test_hostile_rich_text_is_read_or_refused_in_linear_time(body: bytes) -> None:
    """The library looks for fonts and links in quadratic time."""
    began = time.process_time()
    with contextlib.suppress(Unreadable):
        parse(rb"{\rtf1\ansi " + body + b"}", "word")
    assert time.process_time() - began < 5


def book(*chapters: str, **more: str) -> bytes:
    """A book (EPUB) with its parts in a folder, and the chapters listed in another order than that of reading."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", (
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile '
            'full-path="O/p.opf"/></rootfiles></container>'
        ))  # fmt: skip
        items = "".join(
            f'<item id="c{number}" href="text/chapter%20{number}.xhtml" media-type="application/xhtml+xml"/>'
            for number in reversed(range(len(chapters)))
        )
        spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
        archive.writestr("O/p.opf", (
            f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}<item id="i" href="cover.png" '
            f'media-type="image/png"/></manifest><spine><itemref idref="i"/><itemref idref="gone"/>{spine}'
            "</spine></package>"
        ))  # fmt: skip
        for number, chapter in enumerate(chapters):
            page = (
                f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{chapter}</body></html>'
            )
            archive.writestr(f"O/text/chapter {number}.xhtml", page)
        for name, text in more.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), text)
    return written.getvalue()


_BOOK = book("<h1>Soil</h1><p>Lime in autumn.</p>", "<h1>Pruning</h1><p>In February &amp; March.</p>")


def test_a_book_is_read_in_its_order_by_heading() -> None:
    found = parse(_BOOK, "word").segments
    assert [one.text.split() for one in found] == [
        ["#", "Soil", "Lime", "in", "autumn."],
        ["#", "Pruning", "In", "February", "&", "March."],
    ]
    assert [one.title for one in found] == ["Soil", "Pruning"]


@pytest.mark.parametrize(("data", "reason"), [
    (book("<p>x</p>", **{"META-INF__rights_xml": "<rights/>"}), "encrypted"), (book(), "no text"),
    (_BOOK[:300], "damaged"),
    (_BOOK.replace(b"O/p.opf", b"O/q.opf", 1), "damaged"),
])  # fmt: skip
def test_a_book_that_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        parse(data, "word")


_OUTLOOK = outlook.message(
    "Größe der Kisten", "The crates are 60 × 40 cm.\r\n", ("Ada", "ada@example.org"), [("Ben", "ben@example.org")],
    ["plan.pdf"], sent_at=1_790_000_000,
)  # fmt: skip


def test_a_message_of_outlook_is_read_with_its_headers_and_names_of_attachments() -> None:
    found = parse(_OUTLOOK, "mail")
    assert found.segments[0].text == (
        'From: "Ada" <ada@example.org>\nTo: Ben <ben@example.org>\nDate: Mon, 21 Sep 2026 14:13:20 +0000\n'
        "Subject: Größe der Kisten\n\nThe crates are 60 × 40 cm.\n"
    )
    assert found.notes == ["These attachments of the e-mail are not read: “plan.pdf”."]
    rich = outlook.message("Hi", "", ("", "ada@example.org"), [], [], html="<h1>Grüße</h1><p>Bis bald</p>")
    assert "# Grüße\n\nBis bald" in parse(rich, "mail").segments[0].text


@pytest.mark.parametrize("cut", [600, 1100, len(_OUTLOOK) - 700])
def test_a_damaged_message_of_outlook_says_so(cut: int) -> None:
    with pytest.raises(Unreadable, match="damaged"):
        parse(_OUTLOOK[:cut], "mail")


@pytest.mark.parametrize(("data", "name", "kind"), [
    (_TEXT, "goals.odt", "word"), (_SLIDES, "road.odp", "powerpoint"), (mail(), "note.eml", "mail"),
    (RICH, "memo.rtf", "word"), (_BOOK, "guide.epub", "word"), (_OUTLOOK, "crates.msg", "mail"),
])  # fmt: skip
def test_these_files_can_be_uploaded(data: bytes, name: str, kind: Kind):
    found = extract(data, name)
    assert (found.kind, found.read_only) == (kind, True)
    assert found.text.strip()


@pytest.mark.parametrize(("mime_type", "name", "words"), [
    ("application/vnd.ms-powerpoint", "a.ppt", ".ppt"), ("application/octet-stream", "a.ppt", ".ppt"),
])  # fmt: skip
def test_old_formats_are_named_with_what_to_do(mime_type: str, name: str, words: str):
    reason = refusal(kind_of(mime_type, name), mime_type, name)
    assert reason is not None
    assert f"the format {words}" in reason
    assert "save it as a Google file or a PDF" in reason


@pytest.mark.parametrize(("data", "kind"), [
    (document("text", "").replace(b"content.xml", b"another.xml"), "word"),
    (document("presentation", "<"), "powerpoint"), (_TEXT[:400], "word"),
])  # fmt: skip
def test_a_damaged_file_of_opendocument_says_so(data: bytes, kind: Kind):
    with pytest.raises(Unreadable, match="damaged"):
        parse(data, kind)
