"""Normal forms of Unicode, which Python makes in the square of the number of a letter's marks."""

import sys
import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import quote

import pytest

from leaf.agent.tools.display import fields, sources
from leaf.api import http
from leaf.api.shared import markdown
from leaf.citations import addresses, pages
from leaf.google import links
from leaf.parts import normal_forms, normalized
from leaf.parts.normal_forms import Form
from leaf.views import steps

FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")


@pytest.mark.parametrize("marks", ["\u0345\u0300\u0316", "\u0f73\u0f74", "\uff9e\u0316", "\U0001e8d0\u0301"])
def test_many_marks_take_little_time(marks: str) -> None:
    """# 000-50"""
    begun = time.thread_time()
    normalized("NFKD", marks * 20_000)
    assert time.thread_time() - begun < 1


@pytest.mark.parametrize("form", FORMS)
def test_other_texts_get_the_normal_form_of_unicode(form: Form) -> None:
    """# 000-22"""
    for text in ("Straße", "e\u0302\u0301" * 100, "한국어" * 50, "a" + "\u0301" * 30, "ﬁ" * 40, "नि" * 40, ""):
        assert normalized(form, text) == unicodedata.normalize(form, text)


def test_every_mark_of_unicode_is_known() -> None:
    """# 000-50"""
    looked_at = {number for numbers in normal_forms.SCRIPTS for number in numbers}
    assert [sign for sign in map(chr, {*range(sys.maxunicode)} - looked_at) if normal_forms.is_mark(sign)] == []


def _redirected(address: str) -> object:
    return links.named(f"https://www.google.com/url?q={quote(address)}")


@pytest.mark.parametrize(
    "split",
    [
        steps.host_of,
        sources.key,
        fields.domain_of,
        fields.web_address,
        markdown._leads_out,  # pyright: ignore[reportPrivateUsage]
        http.parts_of,
        pages.page_of,
        addresses.origin,
        _redirected,
    ],
)
def test_an_address_with_many_marks_is_split_in_little_time(split: Callable[[str], object]) -> None:
    """# 000-50"""
    marks = "\u0323\u0301" * 20_000
    # Python keeps the parts of addresses that it has split.
    address = f"https://a{marks}.example/{time.monotonic_ns()}"
    begun = time.thread_time()
    with suppress(ValueError):
        split(address)
    assert time.thread_time() - begun < 0.5
