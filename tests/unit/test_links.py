"""Links in answers: which there are, which page they name, and whether anybody gave them."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from leaf import citations
from leaf.citations import Call, Library, pages

PAGE = "https://news.example/2026/hail?id=7"
LETTERS = st.sampled_from(
    ["[", "]", "(", ")", "<", ">", "https://a.example/b", "www.a.example", "\\", '"', "'", " ", "\n", "x", "!", "1"]
)


def _links(text: str) -> list[tuple[str, str]]:
    return [(link.name, link.target) for link in citations.references(text).links]


def _marked(text: str) -> str:
    """The text with a sign behind each link."""
    for link in reversed(citations.references(text).links):
        text = f"{text[: link.span[1]]}¹{text[link.span[1] :]}"
    return text


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Hail [1](https://a.example).", "Hail [1](https://a.example)¹."),
        ("[[1]](https://a.example/x_(y)) b", "[[1]](https://a.example/x_(y))¹ b"),
        ("[1]( <https://a.example/a b> 'A (b)' )!", "[1]( <https://a.example/a b> 'A (b)' )¹!"),
        ("[**a** `b`](\nhttps://a.example)", "[**a** `b`](\nhttps://a.example)¹"),
        ("see <https://a.example>.", "see <https://a.example>¹."),
        ("see https://a.example/b, or (www.b.example/c_(d)).", "see https://a.example/b¹, or (www.b.example/c_(d)¹)."),
        ("[A][1] and [1] and [b][].\n\n[1]: https://a.example 'x'\n[b]: <HTTPS://b.example>",
         "[A][1]¹ and [1]¹ and [b][]¹.\n\n[1]: https://a.example 'x'\n[b]: <HTTPS://b.example>"),
        ("| a | [1](https://a.example) |\n|---|---|\n| https://b.example | x |",
         "| a | [1](https://a.example)¹ |\n|---|---|\n| https://b.example¹ | x |"),
        ("[a](https&#58;//a.example) [b](https\\://b.example)",
         "[a](https&#58;//a.example)¹ [b](https\\://b.example)¹"),
        ("![a](https://a.example) b",) * 2,
        ("[![a](https://a.example)](https://b.example)", "[![a](https://a.example)](https://b.example)¹"),
        ("`[1](https://a.example)` [2](/settings) [3](mailto:a@b.example) [4](#a) [5](notes/plan.md)",) * 2,
        ("A.[^1]\n\n[^1]: “words that are there” — [A](https://a.example)",) * 2,
    ],
)  # fmt: skip
def test_every_way_to_write_a_link_is_known(text: str, marked: str) -> None:
    """# 002-14"""
    assert _marked(text) == marked


@given(st.lists(LETTERS, max_size=24).map("".join))
@example("<https://a.example/b\\>")
@example("<https://a.example/b\\!>")
@example('"<https://a.example/b>https://a.example/b"')
@settings(deadline=None, max_examples=400)
def test_no_link_that_a_page_draws_is_missed(text: str) -> None:
    """A link beside a quotation that names the same page is told with the quotation. # 002-14"""
    told = citations.references(text)
    targets = [link.target for link in told.links] + [str(reference.target) for reference, _ in told.unmarked]
    found = {pages.key_of(target) for target in targets}
    parsed = MarkdownIt("gfm-like", {"linkify": False}).disable("linkify").parse(text)
    drawn = {str(one.attrs["href"]) for line in parsed for one in line.children or () if "href" in one.attrs}
    assert {pages.key_of(one) for one in drawn if one.lower().startswith("http")} <= found


@pytest.mark.parametrize("name", [r"plan !\[x\](https://b.example/y.png) q.docx", r"\[x\](https://b.example)"])
def test_escaped_brackets_in_the_name_of_a_file_make_no_second_link(name: str) -> None:
    """An answer named a page that nobody had read as a further source. # 000-56"""
    shown = name.replace("\\", "")
    for text in (
        f"I read [{name}](https://a.example).",
        f"“It costs five euro per pallet” ([{name}](https://a.example))",
    ):
        found = citations.references(text)
        named = [(one.name, one.target) for one in found.links] + [(one.name, one.target) for one, _ in found.unmarked]
        assert named == [(shown, "https://a.example")]


@pytest.mark.parametrize(
    ("text", "marks"),
    [(r"[Rent \[^1\] plan](https://a.example)", []), (r"\[^1] and \\[^2]", ["2"]), (r"a[^3]\[^4\][^5?]", ["3", "5?"])],
)
def test_an_escaped_bracket_begins_no_mark(text: str, marks: list[str]) -> None:
    """The name of a file became a source that nobody knew, and a number within its link. # 000-56"""
    assert [label for label, _ in citations.references(text).marks] == marks


def test_pages_draw_no_mark_whose_bracket_is_escaped() -> None:
    """A page looks for marks in texts whose escapes are gone, and `\\[^1\\]` passed for a checked quote. # 000-56"""
    cases = [
        (r"a \[^1\] b [^2] \*", "a [^1] b [^2] *"), (r"a \\[^1] \[\^2\]", "a \\[^1] [^2]"), ("&amp;[^1]", "&[^1]"),
    ]  # fmt: skip
    script = (Path(__file__).parents[2] / "assets" / "client" / "markdown.js").read_text()
    code = script[script.index("function marksIn") : script.index("/** `[^2]` is the number")]
    code += f"console.log(JSON.stringify({json.dumps(cases)}.map(([source, text]) => [...marksIn(text, source)])));"
    node = Path(sys.executable).parent / "node"
    run = subprocess.run([node, "--input-type=module", "-e", code], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == [[9], [3], [1]]


@pytest.mark.parametrize(
    "text",
    [
        "“It costs five euro per pallet” ([`plan.docx`](https://a.example))",
        "> It costs five euro per pallet\n\n— [`plan.docx`](https://a.example)",
        "[`plan.docx`](https://a.example) says:\n\n- “It costs five euro per pallet”",
    ],
)
def test_a_source_whose_name_is_written_as_code_keeps_its_name(text: str) -> None:
    """Each character of it was U+0000. # 000-56"""
    assert [one.name for one, _ in citations.references(text).unmarked] == ["plan.docx"]


def test_a_link_is_named_by_its_text_or_by_where_it_leads() -> None:
    found = _links("[1](https://a.example/b) [The *plan*](https://b.example) [A][1]\n\n[1]: http://c.example")
    assert [name for name, _ in found] == ["a.example/b", "The plan", "c.example"]


@pytest.mark.parametrize(
    "start", ["[1](", "[", "[[", "](((", "[1](<", '[1](x "', "www.", "https://a.example/(", "[a][b]", "*.,;:!?)"]
)
def test_a_text_full_of_beginnings_of_links_takes_no_time(start: str) -> None:
    began = time.process_time()
    citations.references(start * 20_000)
    citations.references("[1](https://a.example" + start * 20_000)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "other",
    [
        "http://news.example/2026/hail?id=7",
        "HTTPS://WWW.NEWS.EXAMPLE:443/2026/hail/?id=7#storms",
        "https://news.example./2026/%68ail?id=7",
        "https://news.example/2026/x/../hail?id=7#:~:text=hail",
    ],
)
def test_ways_to_write_the_same_page(other: str) -> None:
    assert pages.key_of(other) == pages.key_of(PAGE)


@pytest.mark.parametrize(
    "other",
    [
        "https://news.example/2026/hail?id=8",
        "https://news.example/2026/Hail?id=7",
        "https://news.example/2026/hail%2F?id=7",
        "https://news.example:8443/2026/hail?id=7",
        "https://news.example.evil.example/2026/hail?id=7",
        "https://news.example/2026/hail?id=7#/other",
        "https://news.example@evil.example/2026/hail?id=7",
        "https://evil.example\\@news.example/2026/hail?id=7",
        "ftp://news.example/2026/hail?id=7",
    ],
)
def test_what_is_another_page(other: str) -> None:
    assert pages.key_of(other) != pages.key_of(PAGE)


def test_hosts_and_paths_are_compared_in_every_script() -> None:
    assert pages.key_of("https://bücher.example/straße?q=a+b") == pages.key_of(
        "https://xn--bcher-kva.example/stra%C3%9Fe?q=a%20b"
    )


SEARCH = Call(
    "search", {"query": "hail", "results": [{"url": PAGE, "title": "Hail", "snippet": "see https://c.example"}]}
)
FETCH = Call(
    "fetch", {"url": "https://d.example/final", "content": "It is told at [X](https://e.example/x)."},
    {"url": "https://d.example/short"},
)  # fmt: skip
MCP = Call("wiki_page", {"output": [{"text": "e.g. files.example/a.pdf, or https://g.example/?a=1&amp;b=2)"}]})
DRIVE = Call(
    "search_drive",
    {"files": [{"id": "1abcdefghijklmnop", "name": "Plan", "url": "https://drive.google.com/open?id=1"}]},
)


def _invented(*targets: str, calls: Sequence[Call] = (), words: Sequence[str] = ()) -> set[str]:
    return citations.invented(targets, calls, words, Library.of(calls))


@pytest.mark.parametrize(
    "target",
    [
        PAGE,
        PAGE + "#hail",
        "https://c.example",
        "https://d.example/final/",
        "https://d.example/short",
        "https://e.example/x",
        "https://files.example/a.pdf",
        "https://g.example?b=2&a=1",
        "https://docs.google.com/document/d/1abcdefghijklmnop/edit",
    ],
)
def test_an_address_that_a_tool_gave_is_no_invention(target: str) -> None:
    """Results and their excerpts, pages, where they led and what they link to, files, other tools. # 002-14"""
    assert _invented(target, calls=[SEARCH, FETCH, MCP, DRIVE]) == set()


@pytest.mark.parametrize(
    "target",
    [
        "https://news.example/2026/snow?id=7",
        "https://news.example",
        "https://c.example/more",
        "https://docs.google.com/document/d/1abcdefghijklmnoX/edit",
        "https://evil.example/d/1abcdefghijklmnop/edit",
        "https://les.example/a.pdf",
        "https://a.files.example/a.pdf",
    ],
)
def test_an_address_that_nobody_gave_is_one(target: str) -> None:
    """# 002-14"""
    assert _invented(target, calls=[SEARCH, FETCH, MCP, DRIVE]) == {target}


def test_what_a_person_writes_is_given_with_a_scheme_or_without() -> None:
    assert (
        _invented("https://a.example", "https://b.example/x", words=["Look at a.example, (https://b.example/x)."])
        == set()
    )
    assert _invented("https://b.example", words=["mail me: x@b.example"]) == {"https://b.example"}


def test_words_of_tracking_may_be_left_out_and_not_be_made_up() -> None:
    """The text that a link carries may be something that was read. # 002-14"""
    tracked = PAGE + "&utm_source=feed"
    calls = [Call("search", {"results": [{"url": tracked}]})]
    assert _invented(PAGE, tracked, calls=calls) == set()
    secret = PAGE + "&utm_source=the-secret"
    assert _invented(secret, calls=calls) == {secret}


WRITE = Call("write_file", {"path": "a.md", "version": 1}, {"path": "a.md", "content": f"See {PAGE}"})
READ = Call("read_file", {"path": "a.md", "text": f"See {PAGE}"}, {"path": "a.md"})


@pytest.mark.parametrize(
    ("calls", "is_invented"),
    [
        ([WRITE, READ], True),
        ([READ], False),
        ([READ, WRITE], False),
        ([WRITE, READ, SEARCH], False),
        ([Call("search", {"query": PAGE, "results": []}, {"query": PAGE})], True),
        ([Call("notes_add", {"output": f"kept {PAGE}"}, {"text": PAGE})], True),
        ([Call("fetch", {"url": PAGE, "content": "x"}, {"url": PAGE})], False),
        ([Call("displayCitations", {"citations": [{"url": PAGE}]}, {"citations": [{"url": PAGE}]})], True),
    ],
)
def test_an_address_does_not_become_real_by_being_written_down(calls: list[Call], is_invented: bool) -> None:
    """# 002-14"""
    assert bool(_invented(PAGE, calls=calls)) is is_invented


def _check(answer: str, *calls: Call) -> list[dict[str, Any]]:
    found = citations.markers.numbered({0: citations.references(answer)})
    library = Library.of(calls)
    targets = {one.target for one, _ in found}
    doubts = citations.Doubts(citations.invented(targets, calls, (), library))
    return [one.data() for one in citations.check(found, library, {}, doubts)]


def test_only_invented_links_get_a_number_and_the_same_address_one() -> None:
    """# 002-14"""
    said = f"A [1]({PAGE}). B [2](https://x.example). C [here](https://x.example).[^1]"
    first, second = _check(f"{said}\n\n[^1]: “words of a plan” — plan.md", SEARCH)
    assert (first["n"], first["reason"], first["url"], first["kind"]) == (1, "not_given", "https://x.example", "web")
    assert [said[:end].rpartition(" ")[2] for _, _, end in first["at"]] == [
        "[2](https://x.example)",
        "[here](https://x.example)",
    ]
    assert (second["n"], second["quote"]) == (2, "words of a plan")


def test_a_quote_from_an_invented_page_has_one_number_that_says_so() -> None:
    """# 002-14"""
    (one,) = _check("As [X](https://x.example) says: “these are the words of it”.", SEARCH)
    assert (one["reason"], one["quote"]) == ("not_given", "these are the words of it")
