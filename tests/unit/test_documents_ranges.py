"""Parts of a document: what is asked for, what is given, what is said about the rest. 000-23, 000-53."""

import contextlib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from leaf.documents import Document, NoSuchPart, Segment, select
from leaf.documents.ranges import render
from leaf.documents.text import segments_by_heading, segments_by_lines


def document(segments: list[Segment], *, kind: str = "text", truncated: bool = False) -> Document:
    return Document("id", "r1", "name", "text/plain", kind, segments, [], truncated)


def pages(count: int, size: int = 40) -> Document:
    return document([Segment(f"page {n}", f"Title {n}", f"page {n} ".ljust(size, "x")) for n in range(1, count + 1)])


SHEETS = document([
    Segment("sheet Budget", "Budget", "".join(f"{n},item {n}\n" for n in range(1, 21))),
    Segment("sheet Forecast 2025", "Forecast 2025", 'h\n"two\nlines"\nz\n'),
])  # fmt: skip
MARKDOWN = document(
    segments_by_heading("# Goals\nbig\n## First quarter\ngrow\n## Second quarter\nhold\n# Risks\nrain\n")
)

texts = st.text(alphabet=st.sampled_from("ab #\n"), max_size=200)


@given(st.lists(texts, min_size=1, max_size=8), st.integers(1, 120))
def test_going_on_from_part_to_part_gives_the_whole_text(given_texts: list[str], limit: int):
    made = document([Segment(f"page {n}", None, text) for n, text in enumerate(given_texts, 1)])
    whole, read, part = render(made), "", "characters 1-100000"
    assume(whole)
    while part is not None:
        selection = select(made, part, limit=limit)
        read += selection.content
        assert len(selection.content) <= limit
        assert selection.total_characters == len(whole)
        note = selection.note or ""
        part = note.partition("Go on with part “")[2].partition("”")[0] or None
    assert read == whole


@given(texts.map(lambda text: text * 60))
def test_the_parts_of_an_outline_together_are_the_whole_text(text: str):
    made = document(segments_by_lines(text))
    selection = select(made, limit=100)
    if selection.outline is None:
        assert selection.content == render(made)
        assert selection.complete
        return
    assert sum(entry["chars"] for entry in selection.outline) == selection.total_characters
    lines = "".join(select(made, entry["part"], limit=10**9).content for entry in selection.outline)
    assert lines == (render(made) if len(made.segments) > 1 else text)


@given(st.text(max_size=40) | st.from_regex(r"(pages?|rows?|lines?|section|sheet|characters?) .{0,12}", fullmatch=True))
def test_no_part_makes_it_crash(part: str):
    for made in (
        pages(3),
        SHEETS,
        MARKDOWN,
        document([Segment("all", None, "a\nb")]),
        document([Segment("all", None, "")]),
    ):
        with contextlib.suppress(NoSuchPart):
            select(made, part)


def test_a_short_file_comes_whole_and_without_an_outline():
    selection = select(pages(3))
    assert (selection.part, selection.complete, selection.outline, selection.note) == ("all", True, None, None)
    assert selection.content.startswith("[page 1]\npage 1")


def test_a_file_in_one_piece_has_no_marker_line():
    assert select(document([Segment("all", None, "hello")])).content == "hello"


def test_a_long_file_comes_with_its_beginning_and_an_outline():
    selection = select(pages(100), limit=1000)
    assert selection.part == "pages 1-19"
    assert not selection.complete
    assert selection.outline is not None
    assert selection.outline[0] == {"part": "pages 1-2", "title": "Title 1", "chars": 100}
    assert len(selection.content) == sum(len(f"[page {n}]\n") + 41 for n in range(1, 20))
    assert "Go on with part “page 20”" in (selection.note or "")


@pytest.mark.parametrize(("part", "given_part"), [
    ("page 3", "page 3"), ("Pages 3-5", "pages 3-5"), ("pages 3 to 5", "pages 3-5"), ("pages 3–5", "pages 3-5"),
    ("page 9-99", "pages 9-10"), ("[page 3]", "page 3"), ("pages 2, 4", "pages 2, 4"), ("Title 7", "page 7"),
])  # fmt: skip
def test_pages_are_asked_for_in_many_ways(part: str, given_part: str):
    assert select(pages(10), part).part == given_part


@pytest.mark.parametrize("part", ["page 11", "page 0", "pages 5-3", "slide 2", "rows 1-3", "lines 1-2", "section X"])
def test_a_wrong_part_names_what_the_file_has(part: str):
    with pytest.raises(NoSuchPart, match="This file has pages 1-10"):
        select(pages(10), part)


@pytest.mark.parametrize("part", ["page {}", "pages 1-{}, {}", "page 1-{}-2", "lines {}", "characters {}-{}"])
def test_a_number_of_thousands_of_digits_is_no_part(part: str):
    """Python would not read it, and any other exception would end the answer. # 000-23"""
    with pytest.raises(NoSuchPart):
        select(pages(10), part.replace("{}", "9" * 5000))


@pytest.mark.parametrize(("part", "content"), [
    ("sheet Budget rows 3-4", "3,item 3\n4,item 4\n"), ("sheet forecast rows 2", '"two\nlines"\n'),
    ("Budget, rows 20-40", None), ("tab forecast", '[sheet Forecast 2025]\nh\n"two\nlines"\nz\n'),
    ("sheet Budgte rows 1-1", "1,item 1\n"),
])  # fmt: skip
def test_sheets_and_their_rows_are_asked_for_by_name(part: str, content: str | None):
    if content is None:
        with pytest.raises(NoSuchPart):
            select(SHEETS, part)
    else:
        assert select(SHEETS, part).content == content


def test_rows_name_the_first_row_for_their_meaning():
    assert "Row 1 is: 1,item 1" in (select(SHEETS, "sheet Budget rows 7-8").note or "")


def test_rows_of_several_sheets_need_the_sheet():
    with pytest.raises(NoSuchPart, match="Say of which sheet"):
        select(SHEETS, "rows 1-3")


def test_a_section_comes_with_the_deeper_ones_below_it():
    assert select(MARKDOWN, "section Goals").part == "section Goals; section First quarter; section Second quarter"
    assert select(MARKDOWN, "section second quater").content == "[section Second quarter]\n## Second quarter\nhold\n"


@pytest.mark.parametrize("count", [6, 100, 1000])
def test_every_entry_of_an_outline_can_be_asked_for(count: int):
    made = document(segments_by_heading("".join(f"# Part {n}: a\n{n}\n" for n in range(count))))
    outline = select(made, limit=50).outline
    assert outline is not None
    assert len(outline) <= 80
    selections = [select(made, entry["part"], limit=10**6) for entry in outline]
    assert "".join(selection.content for selection in selections) == render(made)
    assert [selection.part for selection in selections] == [entry["part"] for entry in outline]


def test_lines_are_counted_over_the_whole_text():
    assert select(MARKDOWN, "lines 4-5").content == "grow\n## Second quarter\n"


@given(st.integers(1, 8), st.integers(0, 8))
def test_lines_too_long_for_one_answer_go_on_where_they_stopped(first: int, more: int):
    selection = select(MARKDOWN, f"lines {first}-{first + more}", limit=7)
    part = (selection.note or "").partition("Go on with part “")[2].partition("”")[0]
    if part:
        following = select(MARKDOWN, part, limit=10**6).content
        at = render(MARKDOWN).index(selection.content)
        assert render(MARKDOWN)[at + len(selection.content) :].startswith(following)


def test_a_long_part_after_a_short_one_is_begun():
    made = document([Segment("page 1", None, "title"), Segment("page 2", None, "line\n" * 100)])
    selection = select(made, limit=100)
    assert len(selection.content) > 90
    assert selection.part == f"characters 1-{len(selection.content)}"
    assert select(made, selection.part).content == selection.content


def test_an_empty_file_says_so():
    selection = select(document([Segment("all", None, "")]))
    assert (selection.content, selection.complete, selection.note) == ("", True, "This file is empty.")


def test_a_document_that_a_limit_cut_is_never_complete():
    assert not select(document([Segment("all", None, "x")], truncated=True)).complete
