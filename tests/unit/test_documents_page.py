"""The conversion of a web page into the Markdown of its article."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf import documents
from leaf.documents import Unreadable

TEXT = "This is a sentence of the article that is long enough to be one. " * 12


def read(html: str) -> str:
    segments = documents.parse(html.encode(), "page").segments
    assert [segment.part for segment in segments] == ["all"]
    return segments[0].text


@pytest.mark.parametrize("tag", ["article", "main", "div role='main'"])
def test_only_the_article_of_a_page_is_kept(tag: str) -> None:
    """# 002-15"""
    html = (
        "<html><head><title>T</title><style>p {}</style></head><body><nav><a href='/'>Home</a></nav>"
        f"<header>Subscribe!</header>OPEN<header><h1>Head</h1></header><p>{TEXT}</p><ul><li>one</li></ul>"
        "<table><tr><td>cell</td></tr></table>CLOSE"
        "<aside>Read also</aside><footer>Imprint</footer><script>track()</script></body></html>"
    )
    text = read(html.replace("OPEN", f"<{tag}>").replace("CLOSE", f"</{tag.partition(' ')[0]}>"))
    assert text.startswith("# Head\n\nThis is a sentence")
    assert "* one" in text
    assert "| cell |" in text
    for around in ("Home", "Subscribe", "Read also", "Imprint", "track"):
        assert around not in text


def test_a_list_of_links_is_kept_as_a_whole() -> None:
    """A page without an article is not reduced to its longest paragraph."""
    rows = "".join(f"<li><a href='https://x.example/{number}'>News number {number}</a></li>" for number in range(50))
    text = read(f"<html><body><ul>{rows}</ul><p>A short closing remark.</p></body></html>")
    assert all(f"[News number {number}](https://x.example/{number})" in text for number in range(50))


def test_an_empty_main_part_and_a_teaser_hide_nothing() -> None:
    for empty in ("<main></main>", "<article><p>Teaser</p></article>"):
        text = read(f"<body><header>Menu</header>{empty}<div><p>{TEXT}</p></div><footer>Imprint</footer></body>")
        assert "This is a sentence" in text
        assert "Menu" not in text


def test_pictures_and_forms_are_left_out() -> None:
    text = read(f"<article><p>{TEXT}</p><img src='https://t.example/p.png' alt='x'><form>Your mail</form></article>")
    assert "t.example" not in text
    assert "Your mail" not in text


@given(st.text())
def test_any_page_is_read_or_raises_unreadable(text: str) -> None:
    with suppress(Unreadable):
        read(f"<html><body>{text}</body></html>")


@pytest.mark.parametrize(
    "html", ["", "<", "<!--", "<html>", "<![CDATA[", "<p>\ud83d</p>".encode("utf-8", "replace").decode()]
)
def test_an_incomplete_page_is_no_error(html: str) -> None:
    read(html)
