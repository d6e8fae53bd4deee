"""The page behind a public link: any text of a chat runs nothing and fetches nothing, and marks become numbers.

# 002-55
"""

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from leaf import texts
from leaf.api.shared import page
from leaf.api.shared.markdown import html
from leaf.citations import CUT_OFF
from leaf.parts import nesting
from leaf.services.shares import Shared

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    '"><script>alert(1)</script>',
    "' onmouseover='alert(1)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x)",
    "[x](//evil.example/x)",
    "[x](/auth/sign-out)",
    "[x](https://evil.example/ 'a\" onmouseover=\"alert(1)')",
    "![x](https://evil.example/pixel.png)",
    '![x"><script>alert(1)</script>](https://evil.example/p.png)',
    '<https://evil.example/"onmouseover=alert(1)>',
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "```html\n<script>alert(1)</script>\n```",
    '```"><script>alert(1)</script>\ncode\n```',
    "|a|b|\n|-|-|\n|<script>alert(1)</script>|![y](https://evil.example/y)|",
    "[^1<script>]: x",
    "<iframe src=https://evil.example></iframe>",
    "<meta http-equiv=refresh content=0;url=https://evil.example>",
    "<base href=https://evil.example>",
    "<form action=https://evil.example><input></form>",
]  # fmt: skip
TAGS = {
    "html", "head", "meta", "title", "link", "style", "body", "header", "a", "svg", "path", "span", "main", "h1", "h2",
    "p", "section", "div", "footer", "details", "summary", "ol", "ul", "li", "blockquote", "sup", "strong", "em",
    "code", "pre", "bdi", "table", "thead", "tbody", "tr", "th", "td", "hr", "br", "s",
    "button",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "name", "content", "property", "rel", "href", "type", "class", "id", "value", "aria-label",
    "aria-hidden", "target", "tabindex", "open", "dir", "data-host", "viewbox", "width", "height", "d",
    "fill", "stroke", "stroke-width", "stroke-linecap", "style", "start",
    "popover", "popovertarget", "role",
}  # fmt: skip


class Reader(HTMLParser):
    """The contents of a page as a browser finds them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def harmless(made: str) -> Reader:
    read = Reader(made)
    for tag, attributes in read.tags:
        assert tag in TAGS, tag
        assert set(attributes) <= ATTRIBUTES, (tag, attributes)
        href = attributes.get("href")
        if tag == "a" and href not in {None, "/"}:
            assert re.match(r"(https?://[^/]|mailto:|#m\d+-\d+$)", str(href)), href
    return read


def shared(*content: dict[str, Any], title: str = "Plans") -> Shared:
    return Shared(title, [*content], datetime(2026, 3, 4, tzinfo=UTC))


def message(role: str = "assistant", text: str = "", **further: Any) -> dict[str, Any]:
    texts_of = [{"slot": 0, "text": text}]
    return {"role": role, "status": "completed", "texts": texts_of, "citations": [], "coverage": None} | further


def cited(n: int = 1, **further: Any) -> dict[str, Any]:
    return {
        "n": n, "verified": True, "reason": None, "name": "Plan", "url": "https://drive.google.com/x", "part": "page 3",
        "quote": "it holds", "at": [],
    } | further  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_was_written_runs_or_is_fetched(text: str) -> None:
    """In a title, a question, an answer, a source and a receipt."""
    receipt = {
        "searches": 1, "folders": 0, "found": 9, "more": False, "failed": 0, "partial": 0, "web_searches": 0,
        "read": [{"name": text, "complete": True}], "skipped": [{"name": text, "cause": text}],
        "pages": [{"name": text, "complete": False}], "chat_files": 0,
    }  # fmt: skip
    source = cited(name=text, part=text, quote=text)
    content = [message("user", text), message(text=text, citations=[source], coverage=receipt)]
    made = page.shared_page(shared(*content, title=text), "en", url="https://leaf.example/share/x")
    read = harmless(made)
    assert not any(tag in {"img", "link"} and "evil" in repr(attributes) for tag, attributes in read.tags)
    assert made.count("<style>") == 1
    harmless(html(text, "m1", frozenset({1})))


def test_a_links_address_cannot_leave_its_attribute() -> None:
    made = page.shared_page(shared(message(citations=[cited(url='https://x/"><script>1</script>')])), "en")
    assert "<script" not in made
    harmless(made)


def test_each_link_that_asks_asks_with_its_own_address() -> None:
    """The first link of a paragraph asked with the address of that of the paragraph before. # 002-55"""
    one, two, three = (f"https://{name}.example/" for name in ("one", "two", "three"))
    made = html(f"[a]({one})\n\n[b]({two})\n\n- [c]({three})", "m1", frozenset())
    questions = dict(re.findall('<span id="(.*?)" popover.*?<a href="(.*?)"', made))
    assert [questions[place] for place in re.findall('popovertarget="(.*?)"', made)] == [one, two, three]


def test_footnotes_become_numbers_that_lead_to_their_sources() -> None:
    """# 002-55"""
    text = 'It holds[^a], they say[^b].\n\n[^a]: "it holds" — [Plan](https://x)\n[^b]: "they" — [Talk](https://y)'
    citations = [cited(1, at=[[0, 8, 12]]), cited(2, at=[[0, 22, 26]], verified=False, name="Talk", url=None)]
    made = page.shared_page(shared(message("user", "Does it?"), message(text=text, citations=citations)), "en")
    assert 'It holds<sup><a class="cite" href="#m2-1">1</a></sup>, they say<sup><a class="cite unverified"' in made
    assert 'href="#m2-2">2?</a>' in made
    assert "[^" not in made
    ids = [attributes["id"] for tag, attributes in harmless(made).tags if tag == "li"]
    assert ids == ["m2-1", "m2-2"]
    assert "2 sources" in made
    assert "Unverified: this text does not appear" in made


def test_a_quote_that_a_stopped_answer_could_not_finish_is_left_out() -> None:
    """# 000-37"""
    one = cited(verified=False, reason=CUT_OFF, at=[[0, 6, 10]])
    made = page.shared_page(shared(message(text="Claim.[^1]", citations=[one], status="stopped")), "en")
    assert "<p>Claim.</p>" in made
    assert "nverified" not in made.rpartition("</style>")[2]


def test_a_mark_without_a_source_stays_as_it_was_written() -> None:
    assert html("See [^7].", "m1", frozenset({1})) == "<p>See [^7].</p>\n"


def test_markdown_is_drawn() -> None:
    text = "# A\n\n**b** `c` ~~d~~ [e](https://e.example)\n\n| f | g |\n| - | -: |\n| h | i |\n\n```py\nj\n```"
    made = html(text, "m1", frozenset())
    for piece in (
        "<h1>A</h1>", "<strong>b</strong>", "<code>c</code>", "<s>d</s>", "<td>h</td>",
        '<pre><code class="language-py">j',
        'class="outside asked" data-host="e.example"', '</span><bdi class="link-host" dir="ltr"> (e.example)</bdi>',
        '<div class="md-table"',
    ):  # fmt: skip
        assert piece in made, piece


@pytest.mark.parametrize("deep", [8, 15, 50, 400])
def test_no_word_is_lost_however_deep_a_list_or_a_quote_is(deep: int) -> None:
    """Nor what follows it: strangers see what the preview's owner wrote. # 002-55"""
    listed = "\n".join(f"{'  ' * level}- item {level}." for level in range(deep))
    made = html(f"{listed}\n\nBehind it.\n\n{'> ' * deep}quoted\n\nAt the end.", "m1", frozenset())
    for words in (*(f"item {level}." for level in range(deep)), "Behind it.", "quoted", "At the end."):
        assert words in made, words
    assert made.count("<ul>") == min(deep, nesting.DEEPEST)
    harmless(made)


def test_a_name_that_turns_the_direction_turns_no_text_after_it() -> None:
    """# 002-55"""
    turned = "gnp\u202eexe.png"
    side = {
        "value": "1", "name": turned, "part": "page 3", "url": "", "quote": "q", "date": "2026-03-04", "newer": True,
    }  # fmt: skip
    conflict = {"about": "", "sides": [side]}
    content = message(text="It holds[^1].", citations=[cited(name=turned)], conflicts=[conflict])
    made = page.shared_page(shared(content), "en")
    assert made.count("\u2068gnpexe.png\u2069") == 2
    assert "\u202e" not in made


def test_the_receipt_is_numbers_and_names_no_file_that_is_no_source() -> None:
    """Names of what was read or skipped came from tools, and are nothing that was shared. # 002-33"""
    receipt = {
        "searches": 2, "folders": 1, "found": 12, "more": False, "failed": 1, "partial": 1, "web_searches": 1,
        "read": [{"name": "Plan", "complete": True}, {"name": "Talk", "complete": False}],
        "skipped": [{"name": "Scan.pdf", "cause": "no_text"}], "pages": [{"name": "A page", "complete": True}],
        "chat_files": 3,
    }  # fmt: skip
    made = page.shared_page(shared(message(coverage=receipt)), "en")
    assert "Read 2 of 12 files · searched 2 times · listed 1 folder · searched the web once · read 1 page" in made
    assert "1 could not be read" in made
    for name in ("Plan<", "Talk", "Scan.pdf", "A page"):
        assert name not in made


def test_places_are_named_in_the_readers_language() -> None:
    """Of sources, of compared files, and of sources that disagree; dates have one form."""
    side = {
        "value": "5",
        "name": "Plan",
        "part": "section Lease",
        "date": "2026-03-05",
        "newer": True,
        "url": "",
        "quote": "it holds",
    }
    cells = [{"part": "page 3, read by OCR", "value": "", "quote": "it holds", "marks": []}, None]
    row = {"about": "Rent", "kind": "changed", "cells": cells}
    compared = {
        "compared": [{"name": "Plan", "version": None}, {"name": "Other", "version": None}], "rows": [row], "on": "",
    }  # fmt: skip
    content = message(
        citations=[cited(part="section Lease")], conflicts=[{"about": "", "sides": [side]}], comparisons=[compared]
    )
    shown = Reader(page.shared_page(shared(content), "de")).text
    assert "section Lease" not in shown
    assert "page 3" not in shown
    assert "read by OCR" not in shown
    assert shown.count("Abschnitt") == 2
    assert "Seite 3" in shown
    assert "5. März 2026" in shown


def test_the_head_of_the_sources_counts_them_as_the_note_does_that_some_have_changed() -> None:
    """A source of several quotes is one; so is one whose name may not be shown."""
    several = [cited(1, source=1, moved=True), cited(2, source=1), cited(3, source=2, url="https://a.example/y")]
    hidden = [cited(n, source=n, url="", name="", reason="refused") for n in (4, 5)]
    shown = Reader(page.shared_page(shared(message(citations=[*several, *hidden])), "de")).text
    assert "1 von 4 Quellen" in shown
    assert "4 Quellen · 5 Zitate" in shown
    alone = Reader(page.shared_page(shared(message(citations=[cited()])), "de")).text
    assert "1 Quelle" in alone
    assert "Zitat" not in alone


def test_the_page_speaks_its_readers_language_and_names_itself() -> None:
    content = message("user", "Gibt es Äpfel? " * 40), message(text="Ja.", status="stopped")
    made = page.shared_page(shared(*content), "de", url="https://leaf.example/share/x")
    assert '<html lang="de">' in made
    assert "Stand vom 4. März 2026" in made
    assert texts.of("de")("shared.stopped") in made
    meta = [attributes for tag, attributes in Reader(made).tags if tag == "meta"]
    named = {one.get("property") or one.get("name"): one["content"] for one in meta if "content" in one}
    assert named["og:title"] == "Plans"
    assert named["og:url"] == "https://leaf.example/share/x"
    assert str(named["og:description"]).startswith("Gibt es Äpfel? ")
    assert len(str(named["og:description"])) <= page.DESCRIPTION_CHARACTERS + 2
    assert named["robots"] == "noindex, nofollow"


def test_the_style_is_whole_and_fetches_nothing() -> None:
    """One sheet in the page, allowed by its hash."""
    css = page.style().css
    assert "@import" not in css
    assert "url(" not in css
    assert "</" not in css
    assert css.count("{") == css.count("}")
    assert page.style().source.startswith("'sha256-")


def test_a_public_page_has_the_font_of_the_other_pages(tmp_path: Path) -> None:
    """With the compiled pages; else that of the system."""
    face = "@font-face{font-family:Inter Variable;src:url(/assets/inter-x.woff2)}"
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "style.css").write_text(
        f"body{{color:red}}@font-face{{font-family:KaTeX_Size1;src:url(data:font/woff2;base64,x)}}{face}p{{margin:0}}"
    )
    for body in (page.missing_page("en", compiled=tmp_path), page.crowded_page("en", 5, compiled=tmp_path)):
        assert face in body
        assert "color:red" not in body
        assert "data:font" not in body
    assert page.style(tmp_path).source != page.style().source
    assert "@font-face" not in page.missing_page("en")
