"""Scanned pages and pictures, read by OCR. 000-66."""

import base64
import io
import itertools
import struct
import time
import zlib

import docx
import pptx
import pytest
from fpdf import FPDF
from PIL import Image, ImageChops, ImageDraw, ImageFont
from pptx.util import Inches

from leaf.citations import Passage, Text
from leaf.documents import Document, Segment, Unreadable, extract, kind_of, parse, pictures, refusal, scans, select
from leaf.documents.chunks import chunks_of
from leaf.documents.kinds import Kind

WORDS = ("Pallets 17 and 18 wet, refused", "Rent: 1,250 EUR a month")


def picture(*lines: str, form: str = "PNG", size: tuple[int, int] = (760, 200)) -> bytes:
    """A picture of lines of text."""
    made = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(made)
    for number, line in enumerate(lines):
        draw.text((40, 30 + 80 * number), line, fill="black", font=ImageFont.load_default(40))
    written = io.BytesIO()
    made.save(written, form)
    return written.getvalue()


def scan(pages: int) -> bytes:
    """A PDF of pages that are pictures; the second one has a text layer, and the last one is empty."""
    made = FPDF()
    for number in range(1, pages + 1):
        made.add_page()
        if number == 2:
            made.set_font("Helvetica", size=12)
            made.cell(0, 10, "Typed on page two")
        elif number < pages:
            made.image(io.BytesIO(picture(*WORDS)), 10, 10, 190)
    return bytes(made.output())


def bomb() -> bytes:
    """A PNG of a few hundred bytes that states 60,000 × 60,000 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


@pytest.fixture(scope="module")
def scanned() -> Document:
    parsed = parse(scan(3), "pdf")
    return Document("f", "1", "Note.pdf", "application/pdf", "pdf", parsed.segments, parsed.notes, parsed.truncated)


@pytest.fixture(scope="module")
def read() -> Segment:
    """The text of a photographed note."""
    (segment,) = parse(picture(*WORDS, form="JPEG"), "image").segments
    return segment


def test_pages_without_a_text_layer_are_read_and_say_so(scanned: Document):
    first, second, third = scanned.segments
    assert first.text == "Pallets 17 and 18 wet, refused\nRent: 1,250 EUR a month\n"
    assert [one.place for one in scanned.segments] == ["page 1, read by OCR", "page 2", "page 3"]
    assert "Typed on page two" in second.text
    assert third.text == ""
    assert scanned.notes == [
        "Page 1 is scanned: the text was read by OCR and may have errors and gaps.",
        "Page 3 is without readable text: blank, a picture, or a script that Leaf does not read.",
    ]


def test_a_scan_with_a_stamp_above_it_is_read_with_both():
    """Pages with pictures among their text keep their text layer. # 000-23"""
    made = FPDF()
    made.set_font("Helvetica", size=12)
    for height in (237, 60):
        made.add_page()
        made.cell(0, 10, "Received 3 May 2026")
        made.image(io.BytesIO(picture(*WORDS, size=(760, 900))), 5, 20, 200, height)
    parsed = parse(bytes(made.output()), "pdf")
    scanned, typed = parsed.segments
    assert "Received 3 May 2026" in scanned.text
    assert all(line in scanned.text for line in WORDS)
    assert scanned.lines
    assert (typed.text, typed.lines) == ("Received 3 May 2026", ())


def test_a_page_read_by_ocr_is_asked_for_by_its_number(scanned: Document):
    for part in ("page 1", "page 1, read by OCR", "pages 1-1"):
        assert select(scanned, part).content.startswith("[page 1, read by OCR]\nPallets 17"), part
    assert select(scanned, "pages 1-2").part == "pages 1-2"


def test_a_passage_of_a_page_read_by_ocr_names_its_place(scanned: Document):
    assert [chunk.place for chunk in chunks_of(scanned)] == ["page 1, read by OCR", "page 2"]


def test_a_quote_is_found_in_recognised_text_like_in_any_other(scanned: Document):
    text = Text([Passage(one.place, one.text) for one in scanned.segments])
    found = text.find("“pallets 17 and 18 wet, refused. Rent: 1250 EUR”")
    assert found is not None
    assert found.part == "page 1, read by OCR"
    across = text.find("1,250 EUR a month Typed on page two")
    assert across is not None
    assert across.part == "pages 1-2"


def test_the_lines_of_a_picture_are_kept_with_their_places(read: Segment):
    assert [read.text[line.start : line.end] for line in read.lines] == [*WORDS]
    upper, lower = read.lines
    assert 0.0 < upper.left < 0.1
    assert 0.6 < upper.right < 1.0
    assert 0.1 < upper.top < upper.bottom <= lower.top < lower.bottom < 1.0
    assert Segment.from_body(read.body()) == read


def test_pages_beyond_the_time_of_a_file_are_counted():
    parsed = parse(scan(3), "pdf", picture_seconds=0)
    assert parsed.truncated
    assert parsed.notes == [
        "Left out: pages 1, 3. 1 of 3 pages were read: the others are scanned, and there was no time for them."
    ]
    with pytest.raises(Unreadable, match="no time to read"):
        parse(only_scans(), "pdf", picture_seconds=0)


def test_lines_beyond_the_time_of_a_file_are_left_out(monkeypatch: pytest.MonkeyPatch):
    reader = scans.Reader(1.5)
    reader._began = 0.0
    now = itertools.count()
    monkeypatch.setattr(time, "process_time", lambda: float(next(now)))
    (segment,), notes = scans.read(picture(*WORDS), reader)
    assert segment.text == f"{WORDS[0]}\n"
    assert notes == ["Left out: the lower lines of this picture: there was no time for them."]


def only_scans() -> bytes:
    made = FPDF()
    made.add_page()
    made.image(io.BytesIO(picture("x")), 10, 10, 190)
    return bytes(made.output())


def test_an_upload_of_a_picture_has_lines_with_its_place():
    found = extract(picture(WORDS[0], form="WEBP"), "note.webp")
    assert (found.kind, found.read_only) == ("image", True)
    assert found.text == "[picture 1, read by OCR]\nPallets 17 and 18 wet, refused\n"
    assert found.places == [(1, "picture 1, read by OCR")]


def test_pictures_in_office_files_are_read_once_each():
    made = docx.Document()
    made.add_paragraph("Above the picture.")
    made.add_picture(io.BytesIO(picture(WORDS[0])))
    slides = pptx.Presentation()
    for _ in range(2):
        slides.slides.add_slide(slides.slide_layouts[6]).shapes.add_picture(
            io.BytesIO(picture(WORDS[1])), 0, 0, Inches(4)
        )
    files: dict[Kind, object] = {"word": made, "powerpoint": slides}
    found = {kind: parse(saved(file), kind) for kind, file in files.items()}
    assert [(one.place, one.text) for one in found["word"].segments] == [
        ("section (beginning)", "Above the picture."), ("picture 1, read by OCR", f"{WORDS[0]}\n"),
    ]  # fmt: skip
    assert [(one.place, one.title) for one in found["powerpoint"].segments if one.text.strip()] == [
        ("picture 1, read by OCR", "slide 1")
    ]
    assert "The text in pictures was read by OCR and may have errors and gaps." in found["powerpoint"].notes


def saved(file: object) -> bytes:
    written = io.BytesIO()
    file.save(written)  # type: ignore[attr-defined]
    return written.getvalue()


@pytest.mark.parametrize(("data", "reason"), [
    (bomb(), "too large"), (picture("cut off")[:300], "damaged"), (b"GIF89a", "PNG, JPEG or WebP"),
    (picture(), "No text was recognised"),
])  # fmt: skip
def test_a_picture_that_cannot_be_read_says_why(data: bytes, reason: str):
    with pytest.raises(Unreadable, match=reason):
        parse(data, "image")


def test_pictures_of_three_formats_are_readable():
    assert refusal(kind_of("image/png"), "image/png") is None
    assert refusal(kind_of("application/octet-stream", "a.JPG"), "application/octet-stream") is None
    for mime_type in ("image/svg+xml", "image/heic", "application/vnd.google-apps.photo"):
        assert refusal(kind_of(mime_type), mime_type) is not None


def test_a_photograph_is_read_upright():
    turned = Image.open(io.BytesIO(picture(*WORDS))).rotate(90, expand=True)
    exif = Image.Exif()
    exif[0x0112] = 6
    written = io.BytesIO()
    turned.save(written, "JPEG", exif=exif)
    assert scans.opened(written.getvalue()).size == (760, 200)


def test_pictures_in_a_google_doc_are_read():
    encoded = base64.b64encode(picture(WORDS[0])).decode()
    spoilt = "![x](data:image/png;base64,!!)"
    export = f"# Note\n\n![][image1]\n\n{spoilt}\n\n[image1]: <data:image/png;base64,{encoded}>\n"
    parsed = parse(export.encode(), "document")
    assert [(one.place, one.text) for one in parsed.segments if one.lines] == [
        ("picture 2, read by OCR", f"{WORDS[0]}\n")
    ]
    assert "base64" not in parsed.segments[0].text
    assert "1 picture shows no text that can be read." in parsed.notes
    assert pictures.marked(export.encode(), "document", "picture 2", ()).startswith(b"\xff\xd8")


def test_the_lines_of_a_quote_are_marked_in_its_picture(read: Segment):
    data = picture(*WORDS)
    plain, marked = (
        Image.open(io.BytesIO(pictures.marked(data, "image", "picture 1", lines))) for lines in ((), read.lines[1:])
    )
    changed = ImageChops.difference(plain, marked).point(lambda value: 255 * (value > 100)).getbbox()
    assert changed is not None
    assert abs(changed[1] / marked.height - read.lines[1].top) < 0.05
    assert abs(changed[3] / marked.height - read.lines[1].bottom) < 0.05
    absent: list[tuple[Kind, str]] = [
        ("image", "page 1"),
        ("pdf", "page 1"),
        ("pdf", "page 0"),
        ("word", "picture 1"),
        ("text", "all"),
    ]
    for kind, part in absent:
        with pytest.raises(Unreadable):
            pictures.marked(picture("x"), kind, part, ())


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("The delivery time is17 weeks.", "The delivery time is 17 weeks."),
        ("Consegna entro 13 settimane.Chiediamo797,35 EUR", "Consegna entro 13 settimane. Chiediamo 797,35 EUR"),
        ("Preis von1.250 EUR", "Preis von 1.250 EUR"),
        ("CO2, mp3, P40, hall 3, abc12x, www.example.com", "CO2, mp3, P40, hall 3, abc12x, www.example.com"),
        (
            "ben2024@example.org, leaf.example/plan2026.pdf, www.Example.com",
            "ben2024@example.org, leaf.example/plan2026.pdf, www.Example.com",
        ),
    ],
)
def test_blanks_that_the_model_leaves_out_are_put_back(words: str, wanted: str) -> None:
    assert scans.spaced(words) == wanted
