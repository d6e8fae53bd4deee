"""Charsets that servers name."""

import pytest

from leaf import outbound
from leaf.outbound import Page, client


@pytest.mark.parametrize(
    "name",
    ["utf-8", "utf8", "iso-8859-1", "latin1", "windows-1252", "shift_jis", "gb2312", "euc-kr", "koi8-r", "utf-16le"],
)
def test_charsets_of_the_web_are_known(name: str) -> None:
    assert client.known_charset(name) == name
    assert "a" in outbound.decoded(Page("https://a.example/", "text/html", name, "a".encode(name)))


@pytest.mark.parametrize(
    "name",
    ["idna", "undefined", "punycode", "unicode_escape", "utf-7", "rot13", "zlib", "hex", "é", "\udc80", "a\0b", ""],
)
def test_other_codecs_are_not(name: str) -> None:
    """Some raise, some take for ever, and some turn harmless bytes into markup. # 002-15"""
    assert client.known_charset(name) == ""


def test_a_page_with_a_section_that_no_parser_knows_still_has_its_title() -> None:
    """# 002-22"""
    page = Page("https://a.example/", "text/html", "", b"<title>Odd</title><![x[ y ]]><meta name=a content=b>")
    assert outbound.head_of(page).title == "Odd"
