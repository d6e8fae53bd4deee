"""Formulas on the page behind a public link: drawn without a script, and always harmless.

# 002-55
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf.api.shared import maths
from leaf.api.shared.markdown import html
from tests.unit.test_shared_page import Reader

PIECES = [
    "\\frac", "{", "}", "^", "_", "x", "1", "&", "\\\\", "\\begin{matrix}", "\\end{matrix}", "\\left(", "\\right)",
    "\\text{<img src=x onerror=alert(1)>}", "\\sqrt", "[", "]", "\\sum", "\\href{javascript:alert(1)}", "\\style{",
    "\\color{red}", "\\operatorname{a}", "\\mathbb R", '"><script>', "\\begin{cases}", "\\end{cases}", "\\hspace{1em}",
    "\\limits", "\\left", "\\class{a}", "&lt;script&gt;",
]  # fmt: skip
TAGS = {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "msub", "msup",
        "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd", "mpadded", "mphantom", "menclose",
        "mmultiscripts", "mprescripts", "none", "code", "span"}  # fmt: skip


def shown(text: str) -> str:
    return html(text, "m1", frozenset())


def test_columns_are_aligned_without_a_style() -> None:
    made = shown("| a | b | c |\n|---|---:|:---:|\n| 1 | 2 | 3 |\n")
    assert [attributes.get("class") for tag, attributes in Reader(made).tags if tag == "td"] == [
        None,
        "right",
        "center",
    ]
    assert "style" not in made


def test_formulas_are_drawn_in_lines_and_in_blocks() -> None:
    made = shown("It is **\\(x^2\\)**, $a_1$, and\n\n$$\\int_0^1 y\\,dt$$\n")
    assert '<strong><math display="inline">' in made
    assert "<msub><mi>a</mi><mn>1</mn></msub>" in made
    assert '<span class="formula block"><math display="block">' in made
    assert "$" not in made


def test_what_is_no_formula_stays_as_it_was_written() -> None:
    text = "It costs $5 and $6, `\\(a\\)` and $no idea$.\n\n```\n$$x$$\n```\n"
    made = shown(text)
    assert "<math" not in made
    for kept in ("$5 and $6", "<code>\\(a\\)</code>", "$no idea$", "$$x$$"):
        assert kept in made


def test_escaped_brackets_and_parentheses_are_no_formulas() -> None:
    """Quotes hold escaped links, and notes that an export has numbered; mathematics stays a formula. # 002-55"""
    link = r"It is apart: \[Opinion, part 1=2\](https://a.example/x), \[a note\], as told \[12\] \(see the annex\)."
    link += r" It is two \[[1](https://a.example/b)\]."
    made = shown(link)
    assert "<math" not in made
    assert "[Opinion, part 1=2](" in made
    assert "[a note], as told [12] (see the annex)." in made
    formulas = shown(r"\[E = mc^2\] and \(n\), \(5\), \[a + b\], \(\sin x\), \[speed = way / time\]")
    assert formulas.count("<math") == 6


@pytest.mark.parametrize("tex", ["\\frac{", "\\nosuchcommand{x}", "x^a^b", "{" * 200, "\\left(" * 90])
def test_a_formula_that_cannot_be_drawn_is_shown_as_its_source(tex: str) -> None:
    made = shown(f"So \\({tex}\\) it is")
    assert "<math" not in made
    assert Reader(made).text == f"So \\({tex}\\) it is\n"


def test_a_formula_in_an_address_is_its_source_and_titles_are_left_out() -> None:
    made = shown('[a \\(x\\)](https://e.example/?q=\\(x\\) "$x_1$")')
    assert 'href="https://e.example/?q=%5C%28x%5C%29"' in made
    assert "title=" not in made
    assert "\ue010" not in made


def test_signs_that_stand_for_formulas_cannot_be_written() -> None:
    assert shown("\ue0107\ue011 \\(x\\)").startswith("<p>7 <math")


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join), st.booleans())
def test_nothing_but_elements_that_are_listed_is_written(tex: str, display: bool) -> None:
    made = maths.drawn(maths.Formula(tex, display, f"\\({tex}\\)"))
    for tag, attributes in Reader(made).tags:
        assert tag in TAGS, tag
        assert not {"href", "style", "class", "onerror", "src"} & set(attributes) or tag in {"code", "span"}
        assert all(value and re.fullmatch(r"[\w .+-]+", value) for value in attributes.values())


def test_hostile_texts_are_read_in_no_time() -> None:
    """Their length is bounded, and so is how many formulas are drawn."""
    many = shown("\\(x\\) " * 3000)
    assert many.count("<math") == maths.MOST_FORMULAS
    assert "<math" not in shown("\\(x\\) " * 4000), "a text that long is not searched"
