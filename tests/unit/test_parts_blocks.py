"""Cutting Markdown while it is being written."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from leaf.parts import Blocks, blocks

LINES = """\
a¦text *b* `c`¦# h¦## h2 #¦---¦***¦- - -¦===¦- a¦* b¦+ c¦1. a¦2) b¦10. x¦-¦  a¦   b¦    code¦
     deep¦```¦```py¦````¦~~~¦~~~~¦   ```¦    ```¦  ~~~¦> q¦> ```¦> - x¦>¦<div>¦</div>¦<pre>¦</pre>¦
<!-- c¦-->¦<!-- x -->¦<?php¦?>¦<span>x</span>¦- ```¦  ```¦- # h¦-     code¦1.  two¦   1. n¦  - n¦
    - nn¦ - one¦   <pre>¦- <!--¦**bold** text¦1984 was¦1¦* * *¦-   x¦[a]: x y¦<![CDATA[¦]]>¦
<!DOCTYPE¦-x¦``` a`b¦2. x¦| a | b |¦|---|---|¦\ttab¦-\tx¦ ¦  \t¦\\""".replace("\n", "").split("¦")
TEXTS = st.lists(st.sampled_from(LINES) | st.just(""), max_size=12).map("\n".join)


def render(text: str) -> str:
    return MarkdownIt("commonmark", {"maxNesting": 120}).enable("table").render(text)


@given(TEXTS | st.text(alphabet="ab`~-*> \n\t#1.<!|"))
@example("- a\n\n---")
@example("> ```\n10. x\n\n    ```")
@settings(max_examples=300, deadline=None)
def test_rendering_block_by_block_is_rendering_the_whole(text: str) -> None:
    settled, rest = blocks(text)
    assert "".join([*settled, rest]) == text
    assert "".join(render(block) for block in [*settled, rest]) == render(text)


def test_a_list_ten_deep_is_settled_when_it_ends() -> None:
    deep = "\n".join(f"{'  ' * level}- item" for level in range(20)) + "\n\n"
    assert blocks(f"{deep}Behind it.\n\nMore") == ([deep, "Behind it.\n\n"], "More")


@given(TEXTS, TEXTS)
@settings(deadline=None)
def test_appending_never_changes_settled_blocks(text: str, more: str) -> None:
    before, _ = blocks(text)
    after, _ = blocks(text + more)
    assert after[: len(before)] == before


@given(TEXTS, st.data())
@settings(deadline=None)
def test_it_does_not_matter_how_the_text_is_cut(text: str, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=30).map(sorted))
    cutting = Blocks()
    told = [block for start, end in pairwise([0, *places, len(text)]) for block in cutting.feed(text[start:end])]
    assert (cutting.settled, cutting.open) == blocks(text)
    assert told == cutting.settled


@pytest.mark.parametrize(
    ("text", "settled", "rest"),
    [
        ("One", [], "One"),
        ("One\n\nTw", ["One\n\n"], "Tw"),
        ("# Title\nText", ["# Title\n"], "Text"),
        ("Code:\n```py\na\n\nb", ["Code:\n"], "```py\na\n\nb"),
        ("```py\na\n\nb\n```\nText", ["```py\na\n\nb\n```\n"], "Text"),
        ("````\n```\n\n```\n````\n", ["````\n```\n\n```\n````\n"], ""),
        ("~~~\n```\n\n", [], "~~~\n```\n\n"),
        ("- a\n\n- b\n\n  c\n\n", [], "- a\n\n- b\n\n  c\n\n"),
        ("- a\n\n- b\n\nThe", ["- a\n\n- b\n\n"], "The"),
        ("1. a\n\n2", [], "1. a\n\n2"),
        ("1. a\n\n2024 was", ["1. a\n\n"], "2024 was"),
        ("- a\n\n**Bo", ["- a\n\n"], "**Bo"),
        ("- a\n  ```\n  x\n\n  y\n  ```\n\nEnd", ["- a\n  ```\n  x\n\n  y\n  ```\n\n"], "End"),
        ("| a |\n|---|\n| 1 |\n\nText\n", ["| a |\n|---|\n| 1 |\n\n"], "Text\n"),
        ("> a\n> b\n\n> c", ["> a\n> b\n\n"], "> c"),
        ("<!-- a\n\nb -->\nText", ["<!-- a\n\nb -->\n"], "Text"),
        ("<div>\n```\n\nText", ["<div>\n```\n\n"], "Text"),
        ("    a\n\n    b\n\nText", ["    a\n\n    b\n\n"], "Text"),
    ],
)
def test_blocks_settle_as_soon_as_nothing_can_change_them(text: str, settled: list[str], rest: str) -> None:
    assert blocks(text) == (settled, rest)


def test_windows_line_ends_are_line_ends() -> None:
    assert blocks("# a\r\n\r\n```\r\nx\r\n\r\n```\r\nb") == (["# a\r\n", "\r\n```\r\nx\r\n\r\n```\r\n"], "b")
