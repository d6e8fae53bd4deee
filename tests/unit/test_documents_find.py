"""Looking for words inside a document: what is found, in which order, and what is said about the rest. 000-53."""

import re

import pytest
from fpdf import FPDF
from hypothesis import given
from hypothesis import strategies as st

from leaf.documents import Document, Heading, NoSuchPart, Segment, find, parse, select
from leaf.documents.headings import MAX_OUTLINE
from leaf.documents.ranges import render
from leaf.documents.text import read_csv, segments_by_heading, segments_by_lines


def document(segments: list[Segment], kind: str = "text") -> Document:
    return Document("id", "r1", "name", "text/plain", kind, segments)


def paged(*texts: str) -> Document:
    return document([Segment(f"page {number}", None, text) for number, text in enumerate(texts, 1)], "pdf")


HANDBOOK = document(segments_by_heading(
    "# Handbook\n\nWelcome to the orchard.\n\n## Leave\n\nEverybody has 28 days of leave.\n\nAsk early.\n\n"
    "## Parental leave\n\nParental leave lasts 14 weeks.\n\n## Tools\n\nSet `LEAF_MODEL` first.\n\n"
    "LEAF_MODELS is not one.\n"
), "markdown")  # fmt: skip

words = st.lists(st.sampled_from(["apple", "Apples", "pear", "4.1", "4.1.2", "a_b", "the", "ä", "x.md"]), max_size=6)
texts = st.lists(words.map(" ".join) | st.just("") | st.just("# Apple"), max_size=12).map("\n".join)
documents = st.one_of(
    st.lists(texts, min_size=1, max_size=5).map(lambda given: paged(*given)),
    texts.map(lambda text: document(segments_by_heading(text), "markdown")),
    texts.map(lambda text: document(segments_by_lines(text * 40))),
    texts.map(lambda text: document(read_csv(text.replace(" ", ",").encode())[0], "csv")),
)


@given(documents, words.map(" ".join), st.integers(30, 400))
def test_what_is_found_is_text_of_the_document_within_the_limit(made: Document, sought: str, limit: int):
    if not sought:
        with pytest.raises(NoSuchPart, match="no word to look for"):
            find(made, sought, limit=limit)
        return
    selection = find(made, sought, limit=limit)
    whole = render(made)
    lines = {line.strip() for line in whole.splitlines()} | {"", "[…]"}
    assert len(selection.content) <= limit
    assert not selection.complete
    assert selection.total_characters == len(whole)
    assert all(line.strip() in lines or line.strip() in whole for line in selection.content.splitlines())
    assert bool(selection.matches) == bool(selection.content)


@given(documents, words.filter(bool).map(" ".join))
def test_the_places_of_what_was_found_can_be_asked_for(made: Document, sought: str):
    selection = find(made, sought)
    if not selection.matches:
        assert selection.outline is not None
        return
    whole = select(made, selection.part, limit=10**6).content
    for passage in re.split(r"(?m)^\[.*\]\n", selection.content):
        assert all(line in whole for line in passage.splitlines())


def test_the_passage_with_all_words_stands_first_and_rare_words_weigh_more():
    common = ["The cold store is full. "] * 8
    made = paged(*common, "The compressor failed.", "The compressor of the cold store failed.")
    selection = find(made, "cold store compressor failed")
    places = re.findall(r"\[(page \d+)\]", selection.content)
    assert places[:2] == ["page 10", "page 9"]
    assert "[page 1]" not in selection.content


def test_a_phrase_stands_before_its_scattered_words():
    made = paged("The notice of the period was late.", "The notice period is three months.", "Nothing.")
    assert find(made, "notice period").content.startswith("[page 2]")
    assert find(made, "“notice period”").part == "passages on pages 1-2"


def test_identifiers_and_section_numbers_are_found_exactly():
    assert find(HANDBOOK, "LEAF_MODEL").matches == 1
    made = paged("See 5.11 for more.", "See 5.11.2 for less.", "Only 15.11 here.")
    assert find(made, "5.11").part == "passages on page 1"
    assert find(made, "5.11.2").part == "passages on page 2"


def test_other_endings_are_found_and_worth_less():
    selection = find(paged("Several uploads.", "One upload."), "upload")
    assert (selection.matches, selection.content.startswith("[page 2]")) == (2, True)


def test_a_paragraph_comes_with_its_heading_and_a_short_one_with_what_follows():
    selection = find(HANDBOOK, "28 days")
    assert selection.content == "[section Leave]\n## Leave\n\nEverybody has 28 days of leave.\n\nAsk early.\n"
    assert selection.part == "passages in section Leave"
    assert selection.note == "1 passage matches “28 days”."


def test_nothing_found_is_told_with_the_outline():
    selection = find(HANDBOOK, "zeppelin airship")
    assert (selection.content, selection.matches, selection.complete) == ("", 0, False)
    assert "None of these words occurs in this file: “zeppelin airship”." in (selection.note or "")
    assert [entry["title"] for entry in selection.outline or []] == ["Handbook", "Leave", "Parental leave", "Tools"]


def test_words_that_stand_nowhere_and_matches_that_are_left_out_are_counted():
    made = paged(*(f"Apples of tree {number}, row {number}." for number in range(1, 61)))
    selection = find(made, "apples zeppelin")
    assert selection.matches == 60
    assert "The best 24 of 60 passages" in (selection.note or "")
    assert "The other 36" in (selection.note or "")
    assert "Not found: “zeppelin”." in (selection.note or "")


def test_only_the_part_that_is_named_is_looked_through():
    made = paged("apples one", "apples two", "apples three")
    assert find(made, "apples", "pages 2-3").part == "passages on pages 2-3"
    with pytest.raises(NoSuchPart):
        find(made, "apples", "page 9")


def test_rows_come_with_the_names_of_their_columns_and_their_numbers():
    table = "Item,2025,2026\n" + "".join(f"Item {number},{number},{number * 2}\n" for number in range(2, 40))
    sheet = document([Segment("sheet Costs", "Costs", table), Segment("sheet Empty", "Empty", "")], "spreadsheet")
    selection = find(sheet, "“Item 17”")
    assert selection.content.startswith("[sheet Costs]\nItem,2025,2026\nItem 17,17,34\n")
    assert "Rows shown: sheet Costs: row" in (selection.note or "")
    long = document(read_csv(("Name,Sum\n" + "filler row,1\n" * 900 + "Ada,7\n").encode())[0], "csv")
    found = find(long, "Ada")
    assert found.content.endswith("]\nName,Sum\nAda,7\n")
    assert "row 902" in (found.note or "")


def test_a_table_of_contents_stands_behind_what_it_leads_to():
    contents = "Uploading a package . . . . . . . . . . 7\nPorting . . . . . . . . . . . 8\n"
    made = paged(contents, "Uploading a package\nTake the package, and upload it with a tool of your choice.\n")
    assert find(made, "uploading a package").content.startswith("[page 2]")


def test_a_page_is_cut_into_paragraphs_where_short_lines_end_sentences():
    line = "This line of a wrapped paragraph is about as long as the others are here\n"
    made = paged(f"{line}{line}and ends.\n5.2 Pears\n{line}about pears.\n5.3 Plums\n{line}about plums.\n" + line * 9)
    content = find(made, "pears").content
    assert content.startswith(f"[…]\n5.2 Pears\n{line}about pears.\n")
    assert "and ends" not in content
    assert "Plums" not in content


def bookmarked() -> Document:
    made = FPDF()
    made.set_font("Helvetica", size=12)
    for chapter in range(1, 4):
        made.add_page()
        made.start_section(f"Chapter {chapter}")
        made.multi_cell(0, 10, f"Chapter {chapter}\nAbout it.\n", new_x="LMARGIN", new_y="NEXT")
        for part in range(1, 3):
            made.start_section(f"Topic {'AB'[part - 1]} of {chapter}", level=1)
            text = f"{chapter}.{part} Topic {'AB'[part - 1]} of {chapter}\n" + "It grows. " * 300
            made.multi_cell(0, 10, text, new_x="LMARGIN", new_y="NEXT")
    parsed = parse(bytes(made.output()), "pdf")
    return Document("id", "r1", "name", "application/pdf", "pdf", parsed.segments, parsed.notes)


def test_the_bookmarks_of_a_pdf_are_its_outline_with_their_numbers_and_pages():
    """000-23."""
    made = bookmarked()
    selection = select(made, limit=2_000)
    outline = selection.outline
    assert outline is not None
    titles = [entry["title"] for entry in outline]
    assert titles[0].startswith("Chapter 1")
    assert any("2.2 Topic B of 2" in title for title in titles)
    chapters = [entry["part"] for entry in outline if entry["title"].startswith("Chapter")]
    assert len(chapters) == 3
    for entry in outline:
        assert select(made, entry["part"], limit=10**6).part == entry["part"]


@pytest.mark.parametrize("part", [
    "section 2.2 Topic B of 2", "section Topic B of 2", "section topic b of 2", "section 2.2", "Topic B off 2",
    "heading 2.2. Topic B",
])  # fmt: skip
def test_a_section_of_a_pdf_is_asked_for_by_its_bookmark(part: str):
    selection = select(bookmarked(), part, limit=10**6)
    assert "2.2 Topic B of 2" in selection.content
    assert "“2.2 Topic B of 2” stands on page" in (selection.note or "")


def test_a_section_ends_where_the_next_one_begins():
    def page(number: int, text: str, *headings: Heading) -> Segment:
        return Segment(f"page {number}", None, text, headings)

    made = document([
        page(1, "One\nx\n", Heading("One", 0, 0)), page(2, "y\nz\nx\nTwo\n", Heading("Two", 0, 6)),
        page(3, "y\n"), page(4, "Three\n", Heading("Three", 0, 0), Heading("Deep", 1, None)), page(5, "z\n"),
    ], "pdf")  # fmt: skip
    parts = [select(made, f"section {title}").part for title in ("One", "Two", "Three", "Deep")]
    assert parts == ["pages 1-2", "pages 2-3", "pages 4-5", "pages 4-5"]


@pytest.mark.parametrize(("top", "below"), [(3, 200), (79, 3), (300, 0)])
def test_an_outline_is_bounded_whatever_the_bookmarks(top: int, below: int):
    headings = [Heading(f"Title {n}", 0) for n in range(top)] + [Heading(f"Deep {n}", 1) for n in range(below)]
    segments = [Segment(f"page {n}", None, "x" * 50, (heading,)) for n, heading in enumerate(headings, 1)]
    outline = select(document(segments, "pdf"), limit=100).outline
    assert outline is not None
    assert 0 < len(outline) <= MAX_OUTLINE


def test_bookmarks_are_kept_with_the_document():
    made = bookmarked()
    again = Document.from_body(
        made.body(), file_id="id", revision="r1", name="name", mime_type="application/pdf", kind="pdf"
    )
    assert again == made
    old = {"segments": [{"part": "page 1", "title": None, "text": "x"}], "notes": []}
    read = Document.from_body(old, file_id="", revision="", name="", mime_type="", kind="pdf")
    assert read.segments[0].headings == ()
