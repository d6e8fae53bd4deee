"""docs/tools.md says what the tools are."""

from tests import tools_doc


def test_the_description_of_the_tools_is_up_to_date() -> None:
    """`make docs` writes it anew. # 002-24"""
    assert tools_doc.DOCUMENT.read_text("utf-8") == tools_doc.text(), "docs/tools.md: run `make docs`"


def test_every_tool_is_described_with_all_its_parameters() -> None:
    text = tools_doc.text()
    for name in tools_doc._groups():
        assert f"### `{name}`" in text
    assert "| `path` | string |" in text
    assert "LEAF_TOOL_SECONDS" in text
