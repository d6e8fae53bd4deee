"""Paths, exact edits, ranges, globs and searches of text files."""

import time
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leaf import errors
from leaf.documents import textfiles
from leaf.documents.textfiles import ranges

TEXT = st.text(alphabet=st.sampled_from("ab\n xyz"), max_size=60)


@pytest.mark.parametrize(
    "path",
    [
        "", "/etc/passwd", "../../etc/passwd", "notes/../../x", "a/./b", "a//b", "a/", "~/x", "C:/x", "a\\b", "a\0b",
        "a\nb", "a\u202eb", " a", "a /b", "x" * 256, "/".join("a" * 17), "\u2028", "..", ".", "\ud800",
    ],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_or_cannot_be_seen_is_refused(path: str) -> None:
    """# 001-09"""
    with pytest.raises(errors.Invalid):
        textfiles.checked(path)


def test_a_path_is_stored_in_its_composed_form() -> None:
    assert textfiles.checked("notes/u\u0308ber.md") == "notes/\u00fcber.md"
    for path in ("a", "notes/todo.md", ".hidden", "a b/c d.md", "日本/語.md", "a..b", "...", "x" * 255):
        assert textfiles.checked(path) == path


def test_an_edit_is_exact_and_never_guesses() -> None:
    """# 001-06"""
    assert textfiles.replaced("one two", "two", "three") == "one three"
    assert textfiles.replaced("a a", "a", "b", everywhere=True) == "b b"
    for content, old in (("one", "two"), ("one", "One"), ("one", ""), ("", "x")):
        with pytest.raises(textfiles.NotThere):
            textfiles.replaced(content, old, "x")
    for content, old in (("a a", "a"), ("aaa", "aa")):
        with pytest.raises(textfiles.Ambiguous, match="2 places"):
            textfiles.replaced(content, old, "x")


def test_lines_of_a_file_from_windows_are_replaced_as_they_are_shown() -> None:
    """A reader of a range of lines cannot see which line ends the file has. # 001-06"""
    content = "one\r\ntwo\r\nthree\r\n"
    shown = textfiles.lines_of(content, 1, 2).text
    assert textfiles.replaced(content, shown, "1\n2") == "1\r\n2\r\nthree\r\n"
    assert textfiles.replaced(content, "one\r\n", "1\r\n") == "1\r\ntwo\r\nthree\r\n"
    with pytest.raises(textfiles.NotThere):
        textfiles.replaced("one\r\ntwo\nthree\n", "one\ntwo", "x")


@given(TEXT, TEXT, TEXT)
def test_an_edit_can_be_taken_back(before: str, old: str, after: str) -> None:
    mark = "§"
    assert textfiles.replaced(f"{before}{mark}{after}", mark, old) == before + old + after


def test_a_diff_shows_the_lines_before_and_after() -> None:
    """# 001-14"""
    diff = textfiles.difference("a.md", "one\ntwo\nthree\n", "one\n2\nthree\n")
    assert diff.splitlines() == ["--- a/a.md", "+++ b/a.md", "@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"]
    long = textfiles.difference("a.md", "", "\n".join(f"line {n}" for n in range(5000)))
    assert len(long) < 21_000
    assert "more lines of the diff are left out" in long


def test_a_range_of_lines_says_what_it_is_of() -> None:
    """# 001-04"""
    content = "\n".join(f"line {n}" for n in range(1, 11))
    assert textfiles.lines_of(content) == ranges.Lines(content, 1, 10, 10, True)
    assert textfiles.lines_of(content, 9).text == "line 9\nline 10"
    assert textfiles.lines_of(content, -2) == ranges.Lines("line 9\nline 10", 9, 10, 10, False)
    assert textfiles.lines_of(content, 3, 2).text == "line 3\nline 4"
    assert textfiles.lines_of("") == ranges.Lines("", 0, 0, 0, True)
    with pytest.raises(ValueError, match="10 lines"):
        textfiles.lines_of(content, 11)
    long = textfiles.lines_of("x" * 200_000)
    assert (len(long.text), long.whole) == (ranges.MAX_CHARACTERS, False)
    many = textfiles.lines_of("x\n" * 5000)
    assert (many.last, many.total, many.whole) == (2000, 5000, False)


@given(st.lists(st.text(alphabet="ab ", max_size=5), max_size=40), st.integers(1, 7))
def test_reading_on_reads_everything_once(lines: list[str], count: int) -> None:
    content = "\n".join(lines)
    total = len(content.splitlines())
    read: list[str] = []
    while len(read) < total:
        part = textfiles.lines_of(content, len(read) + 1, count)
        read += part.text.split("\n")
        assert part.last == len(read)
    assert read == content.splitlines()


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("notes/**/*.md", ["notes/a.md", "notes/b/c.md"]),
        ("**", ["a.txt", "notes/a.md", "notes/b/c.md", "x.md"]),
        ("*", ["a.txt", "x.md"]),
        ("**/*.md", ["notes/a.md", "notes/b/c.md", "x.md"]),
        ("?.md", ["x.md"]),
        ("[a-m].txt", ["a.txt"]),
        ("[!a].md", ["x.md"]),
        ("*.{txt,md}", ["a.txt", "x.md"]),
        ("notes/*", ["notes/a.md"]),
        ("a.t.t", []),
        ("", []),
    ],
)
def test_a_glob_is_what_people_mean_by_it(pattern: str, matches: list[str]) -> None:
    """# 001-07"""
    assert textfiles.globbed(["a.txt", "notes/a.md", "notes/b/c.md", "x.md"], pattern) == matches


@given(st.text(max_size=30))
def test_no_glob_breaks_anything(pattern: str) -> None:
    with suppress(errors.Invalid):
        textfiles.globbed(["a/b.md"], pattern)


def test_lines_are_found_with_their_numbers() -> None:
    """# 001-08"""
    content = "One\ntwo\nTwo and a half"
    hits = [(hit.path, hit.line, hit.text) for hit in textfiles.Search("^two", ignore_case=True).hits("a.md", content)]
    assert hits == [("a.md", 2, "two"), ("a.md", 3, "Two and a half")]
    assert [hit.line for hit in textfiles.Search(r"\btwo$").hits("a.md", content)] == [2]
    for pattern in ("(", "(?<=a)b", r"(a)\1", "x" * 1001, "a{1000000}", r"(?i)(\pL\pN?){300}z"):
        with pytest.raises(errors.Invalid):
            textfiles.Search(pattern)


def test_a_hostile_expression_does_not_hang() -> None:
    """Any engine that tries again would take longer than the universe. # 001-08"""
    began = time.monotonic()
    assert not list(textfiles.Search("^(a+)+$").hits("a.md", "a" * 100_000 + "!"))
    assert not textfiles.globbed(["a" * 250], "*a" * 60 + "b")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("pattern", ["(.?){900}(.?){900}z", "(a?){1000}z", r"(?i)((a|b|c|d)?){900}z"])
@pytest.mark.parametrize(
    "lines", ["\n".join("ab" * 500 + str(number) for number in range(5000)), "ab" * 2_500_000, "漢b" * 2_500_000]
)
def test_the_slowest_expressions_end_in_time(pattern: str, lines: str) -> None:
    """They are as slow as RE2 gets, a second for each 100,000 characters; the rest is left out. # 001-08"""
    began, search = time.process_time(), textfiles.Search(pattern, seconds=1)
    assert not list(search.hits("a.md", lines))
    assert time.process_time() - began < 4


def test_the_time_is_looked_at_within_a_line() -> None:
    """The part that was not searched in time is named. # 001-08"""
    search = textfiles.Search("(.?){900}(.?){900}z", seconds=1)
    assert not list(search.hits("a.md", "ab" * 2_500_000 + "z"))
    assert search.out_of_time
    assert search.in_pieces


SLOW = "x{1000}" * 30 + "|"
"""As the first alternative of an expression it makes it so large that long lines are searched in pieces."""


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("needle", True), (r"\bneedle\b", False), ("^needle", False), ("needle$", False), ("^a", True), ("a$", True),
        (r"\Ba+needlea", True), ("^a+$", False), ("b", False),
    ],
)  # fmt: skip
@settings(max_examples=30)
@given(at=st.integers(1, 11_000))
@example(at=2_999)
@example(at=3_000)
@example(at=3_001)
@example(at=3_995)
@example(at=4_000)
@example(at=4_001)
def test_a_long_line_is_searched_as_a_whole_would_be(pattern: str, found: bool, at: int) -> None:
    """Wherever the ends of its pieces are: they begin and end neither words nor the line. # 001-08"""
    search = textfiles.Search(SLOW + pattern)
    line = "a" * (1 + at) + "needle" + "a" * (11_001 - at)
    assert [hit.line for hit in search.hits("a.md", f"b-\n{line}")] == ([1] if pattern == "b" else [2] * found)
    assert search.in_pieces


def test_usual_expressions_find_matches_of_any_length() -> None:
    """# 001-08"""
    search = textfiles.Search("^begin.*end$")
    assert [hit.line for hit in search.hits("a.md", "begin" + "x" * 1_000_000 + "end")] == [1]
    assert not search.in_pieces


TEXT_LINES = st.lists(st.sampled_from("abc"), max_size=14).map("\n".join)


def _patched(before: str, diff: str) -> str:
    """The text after a unified diff, by the rules of patch(1)."""
    old, made, at = before.splitlines(), [], 0
    for line in diff.splitlines()[2:]:
        if line.startswith("@@"):
            start, _, count = line.split()[1][1:].partition(",")
            first = int(start) - (count != "0")
            made += old[at:first]
            at = first
        elif line.startswith("+"):
            made.append(line[1:])
        else:
            assert old[at] == line[1:]
            made += [line[1:]] if line.startswith(" ") else []
            at += 1
    return "\n".join(made + old[at:])


@given(TEXT_LINES, TEXT_LINES)
def test_a_diff_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    """# 001-14"""
    assert _patched(before, textfiles.difference("a", before, after)) == "\n".join(after.splitlines())


def test_texts_that_have_little_in_common_are_compared_in_time() -> None:
    """Comparing line by line would take minutes here, in which a worker could do nothing else. # 001-14"""
    before = [f"line {number}" for number in range(60_000)]
    began = time.process_time()
    diff = textfiles.difference("a", "\n".join(["same", *before]), "\n".join(["same", *before[::-1]]))
    assert time.process_time() - began < 2
    assert diff.splitlines()[:5] == ["--- a/a", "+++ b/a", "@@ -1,60001 +1,60001 @@", " same", "-line 0"]


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), ("C:\\fake\\plan.docx", "plan.docx"),
        ("/abs/olute.md", "olute.md"), ("..", "file"), ("", "file"), ("a\0b\x1f\u202e\u2066fdp.txt", "abfdp.txt"),
        ("  many   blanks .csv ", "many blanks.csv"), ("~root.txt", "root.txt"), ("1: Intro.md", "1_ Intro.md"),
        ("u\u0308ber.md", "über.md"), ("a\nb.txt", "ab.txt"), (".hidden", ".hidden"), ("日本語.pdf", "日本語.pdf"),
        ("\u3164\u2800", "file"), ("\u3164/\u2800.", "file"), ("❤\ufe0f.txt", "❤\ufe0f.txt"),
    ],
)  # fmt: skip
def test_an_upload_gets_a_name_that_leads_nowhere(given_name: str, kept: str) -> None:
    """# 001-09, 001-26"""
    assert textfiles.safe(given_name) == kept


@given(st.text(max_size=400))
def test_every_name_becomes_a_path(name: str) -> None:
    """# 001-09"""
    safe = textfiles.safe(name)
    assert textfiles.checked(safe) == safe
    assert "/" not in safe


def test_a_name_that_is_taken_is_counted_on() -> None:
    assert textfiles.free("a.md", {"b.md"}) == "a.md"
    assert textfiles.free("a.md", {"a.md", "a (2).md"}) == "a (3).md"
    assert textfiles.free("README", {"README"}) == "README (2)"
    long = "x" * 251 + ".pdf"
    assert textfiles.free(long, {long}) == "x" * 247 + " (2).pdf"
