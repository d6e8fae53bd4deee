"""Text, Markdown, CSV and their charsets. 000-20, 000-22."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf.documents import Unreadable, kind_of, parse, refusal
from leaf.documents.text import decode, lines_of, rows_of, segments_by_heading, segments_by_lines


def whole(data: bytes, kind: str = "text") -> str:
    return "".join(segment.text for segment in parse(data, kind).segments)  # pyright: ignore[reportArgumentType]


@given(st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_utf8_text_comes_back_exactly(text: str):
    if not text.startswith("\ufeff"):
        assert whole(text.encode()) == text


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_without_a_guess(charset: str):
    parsed = parse("Größe: 3 €\r\nEnde".encode(charset), "text")
    assert parsed.segments[0].text == "Größe: 3 €\r\nEnde"
    assert parsed.notes == []


def test_big_endian_utf16_with_a_mark_is_read():
    assert whole(codecs.BOM_UTF16_BE + "naïve".encode("utf-16-be")) == "naïve"


@pytest.mark.parametrize(("charset", "text"), [
    ("latin-1", "Größe: 12 m²\nÄrger über Straßenbau"), ("cp1252", "“Café” – 5 €, naïve façade"),
    ("cp1251", "Привет, как дела? Это обычный русский текст о погоде."), ("utf-16-le", "no mark, still wörds"),
    ("cp1250", "Miasto;Sprzedaż;Uwagi\nŁódź;1200;częściowo\nGdańsk;800;później\nKraków;950\n"),
    ("cp1250", "Város;Összeg;Megjegyzés\nGyőr;1200;késő\nSzékesfehérvár;900;fűtés\n"),
    ("iso-8859-2", "Nr;Nazwa towaru;Ilość\n1;Śruba ocynkowana;100\n2;Gwóźdź żelazny;500\n3;Płyta wiórowa;20\n"),
    ("cp850", "Position;Gerät;Stück\n1;Kühlschrank für Büro;2\n2;Löschgerät;7\nSumme für Übergabe;9\n"),
    ("cp852", "Číslo;Název zboží;Množství\n1;Šroub;20\n2;Hřebík;500\n3;Dřevěná deska;3\n"),
    ("cp1253", "Αριθμός;Περιγραφή;Ποσότητα\n1;Βίδα;200\n2;Καρφί;500\n"),
    ("cp1254", "Sıra;Ürün adı;Miktar\n1;Çelik cıvata;100\n2;Ağaç vida;50\n"),
    ("koi8-r", "Номер;Наименование\n1;Болт стальной\n2;Гвоздь\n"),
    ("cp1252", "Año;Región;Total\n2024;Málaga;20\n2025;Cádiz;30\n"),
    ("utf-16-be", "no mark, still wörds"), ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy, řekl"),
])  # fmt: skip
def test_other_charsets_are_read_and_the_guess_is_told(charset: str, text: str):
    parsed = parse(text.encode(charset), "text")
    assert "".join(segment.text for segment in parsed.segments) == text
    assert "guess" in parsed.notes[0]


@given(st.binary(max_size=300))
def test_no_bytes_make_text_crash(data: bytes):
    try:
        text = whole(data)
    except Unreadable:
        return
    assert "\0" not in text
    text.encode()


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("cp1250", "Nazwa;Kwota;Miasto\nŻółć;10,50;Łódź\nMąka;20,00;Kraków\n"),
        ("cp1250", "Nazwa;Kwota\nMąka;1\nŚliwka;2\n"),
        ("cp1250", "Název;Cena\nKávovar;100\nČajník;200\n"),
        ("cp1250", "číslo;cena\n1;5\n2;3\n"),
        ("cp1250", "Név;Összeg\nKőszegi Ágnes;100\nFűtő Béla;200\n"),
        ("cp1252", "Name;Betrag\nMüller „Gut“;10 €\n"),
        ("cp1252", "Name;Maß\nFläche;3 m²\nPreis;5 € – „netto“\n"),
        ("cp1252", "Item;Price\nTea;£5\nCoffee – “large”;£7\n"),
        ("cp1252", "Città;Importo\nForlì;10\nPerché no;2\nÈ così;3\n"),
        ("cp1252", "Nom;Import\nÒscar Solà;10\nArròs col·lecció;3\n"),
    ],
)
def test_the_letters_of_short_tables_form_words(charset: str, text: str):
    """000-22."""
    assert decode(text.encode(charset))[0] == text


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    [
        "Name;Straße;Betrag\r\nMüller;Höhenweg 3;1.234,50\r\n", "Имя;Город\r\nИван;Москва 12\r\n",
        "Όνομα;Πόλη\r\nΓιώργος;Αθήνα 12\r\n", "姓名,城市\r\n王一,北京 12\r\n", "שם;עיר\r\nדוד;תל אביב 3\r\n",
    ],
)  # fmt: skip
def test_utf16_without_a_mark_is_read_in_every_script(charset: str, text: str):
    """Programs of Windows write it so."""
    decoded, notes = decode(text.encode(charset))
    assert decoded == text
    assert charset in notes[0]


def test_a_zero_within_words_makes_no_utf16():
    assert decode(b"First line\nwith a \x00 in " + b"it\n" * 60)[0].startswith("First line")


def test_a_binary_file_is_no_text():
    with pytest.raises(Unreadable, match="binary"):
        parse(bytes(range(256)) * 40, "text")


@given(st.text(alphabet=st.sampled_from("ab#`~ \n\r\t\"',;\u2028\x0b")))
def test_splitting_loses_nothing(text: str):
    assert "".join(lines_of(text)) == text
    assert "".join(rows_of(text)) == text
    assert "".join(segment.text for segment in segments_by_lines(text * 50)) == text * 50
    assert "".join(segment.text for segment in segments_by_heading(text)) == text


def test_sections_are_named_by_their_headings():
    segments = segments_by_heading(
        "Intro\n\n# Goals\ntext\n## **Q1** plan {#q1}\nx\n# Goals\nagain\n```\n# no heading\n```\n"
    )
    assert [segment.part for segment in segments] == [
        "section (beginning)", "section Goals", "section Q1 plan", "section Goals (2)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# a ##\n", "a"), ("#\ta # b#\r\n", "a # b"), ("# #", "#"), ("#  ", "(untitled)"), ("## [a](b_(c)) {#d}", "a"),
        ("# ![a](b)[c](d)", "ac"), ("# {#a} b", "{#a} b"), ("# [a](", "[a]("), ("# **a** `b`", "a b"),
    ],
)  # fmt: skip
def test_a_heading_is_named_without_its_marks(line: str, title: str):
    assert [segment.title for segment in segments_by_heading(line)] == [title]


def test_googles_markdown_is_read_as_the_document_shows_it():
    exported = b"# Plan\n\nCosts 5\\_000 \\- 10%\\! ![][image1]\n\n[image1]: <data:image/png;base64,AAAA>\n"
    parsed = parse(exported, "document")
    assert parsed.segments[0].text == "# Plan\n\nCosts 5_000 - 10%! ![][image1]\n\n"
    assert "1 picture " in parsed.notes[0]


def test_a_row_of_csv_may_run_over_lines():
    assert rows_of('a,b\n"x\ny",2\n\n3,4') == ["a,b\n", '"x\ny",2\n', "\n", "3,4"]


def test_a_web_page_is_read_without_its_scripts():
    text = whole(b"<html><head><title>t</title></head><h1>Hi</h1><script>evil()</script><p>a_b <b>c</b></p>", "html")
    assert text == "# Hi\n\na_b **c**"


@pytest.mark.parametrize("name", ["address", "aside", "figure", "form", "label", "option", "section"])
def test_words_of_neighbouring_elements_stay_apart(name: str):
    assert whole(f"<div>before<{name}>within</{name}>after</div>".encode(), "html").split() == [
        "before",
        "within",
        "after",
    ]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>a</p><p hidden>b</p><p style='color: red; Display : none'>c</p><i style='visibility:hidden'>d</i>", "a"),
        # A browser that looks for its words shows it.
        ("<p>a</p><p hidden='until-found'>b</p>", "a\n\nb"),
    ],
)
def test_a_web_page_is_read_without_what_nobody_sees(markup: str, text: str):
    assert whole(markup.encode(), "html") == text


INNER = "<table><tr><td>Item<td>Price<tr><td>Tea<td>3</table>"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        # Newsletters and old pages place their parts by tables.
        (
            f"<table><tr><td>Menu<td><table><tr><td>{INNER}</table></table>",
            "| Item | Price |\n| Tea | 3 |",
        ),
        (f"<table><tr><th>Shop<th>List<tr><td>A<td>{INNER}</table>", "| A | Item, Price; Tea, 3 |"),
        ("<table><tr><td>A<td><table><tr><td>S<td>M</table><tr><td>B<td>L</table>", "| A | S, M |"),
    ],
)
def test_tables_within_tables_keep_their_rows(markup: str, text: str):
    assert text in whole(markup.encode(), "html")


def test_a_very_long_file_says_what_was_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("leaf.documents.parser.MAX_CHARACTERS", 5_000_000)
    parsed = parse(b"0123456789\n" * 500_000, "text")
    assert parsed.truncated
    assert "500,000 characters" in parsed.notes[-1]
    assert sum(len(segment.text) for segment in parsed.segments) == 5_000_000


@pytest.mark.parametrize(("mime_type", "name", "kind"), [
    ("application/vnd.google-apps.document", "x", "document"), ("text/plain", "notes.txt", "text"),
    ("text/plain", "data.csv", "csv"), ("application/octet-stream", "read.MD", "markdown"),
    ("text/x-python", "a.py", "code"), ("text/plain; charset=utf-8", "a", "text"), ("image/png", "a.csv", "image"),
    ("application/octet-stream", "thing", "other"), ("text/plain", "odd.pdf", "text"), ("", "a.json", "json"),
    ("application/vnd.google-apps.folder", "a.csv", "folder"), ("application/msword", "a.doc", "word"),
    ("application/vnd.google-apps.map", "m", "other"), ("text/x-unknown", "m", "code"),
    ("application/x-subrip", "talk.srt", "text"), ("application/x-ipynb+json", "a.ipynb", "json"),
    ("application/x-thing", "a.pdf", "other"), ("application/zip", "a.csv", "archive"),
])  # fmt: skip
def test_the_kind_comes_from_the_type_and_else_from_the_name(mime_type: str, name: str, kind: str):
    assert kind_of(mime_type, name) == kind


@pytest.mark.parametrize(("mime_type", "said"), [
    ("application/vnd.google-apps.folder", "list it"), ("application/vnd.google-apps.form", "Form"),
    ("image/heic", "PNG, JPEG or WebP"), ("video/mp4", "video"), ("application/vnd.ms-powerpoint", ".ppt"),
    ("application/x-blender", "application/x-blender"),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_with_the_reason(mime_type: str, said: str):
    reason = refusal(kind_of(mime_type), mime_type)
    assert reason is not None
    assert said in reason
