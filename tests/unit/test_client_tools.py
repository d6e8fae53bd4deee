"""Schemas that strangers wrote, and the names that nobody may take."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaf import config
from leaf.parts import client_tools
from leaf.parts.client_tools import schemas
from tests import tools_doc

ROOT = Path(__file__).parents[2]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


async def test_no_name_of_leafs_own_tools_can_be_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """# 004-20"""
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None, sandbox_url="http://127.0.0.1:1"))
    own = {tool.name for mode in tools_doc.Mode for tool in await tools_doc.in_mode(mode)}
    assert own == client_tools.SERVER_TOOLS, "client_tools.SERVER_TOOLS names the tools that run at the server"


def test_the_table_of_the_document_says_where_each_tool_runs() -> None:
    """# 004-20"""
    rows = re.findall(
        r"^\| (.+?) \| (server|client) \|$", (ROOT / "docs" / "client-tools.md").read_text(), re.MULTILINE
    )
    named = {
        where: {*re.findall(r"`([A-Za-z_]+)`", " ".join(cell for cell, at in rows if at == where))} for _, where in rows
    }
    assert named["server"] == client_tools.SERVER_TOOLS
    page = (ROOT / "examples" / "editor" / "editor.js").read_text()
    assert named["client"] == {*re.findall(r"^  (\w+): \{\n    version:", page, re.MULTILINE)}


@given(st.dictionaries(st.text(), JSON, max_size=5), JSON)
def test_no_schema_and_no_value_breaks_the_check(schema: dict[str, Any], value: Any) -> None:
    """# 004-18"""
    if not schemas.problem_of(schema):
        assert all(isinstance(line, str) for line in schemas.mismatches(schema, value))


def test_a_regular_expression_of_a_strangers_does_not_hold_up_the_process() -> None:
    schema = {"type": "string", "pattern": "^(a+)+$"}
    began = time.monotonic()
    assert schemas.problem_of(schema) == ""
    assert schemas.mismatches(schema, "a" * 40 + "!") == []
    assert time.monotonic() - began < 5


def test_a_schema_that_refers_to_itself_or_to_nothing_is_told() -> None:
    loop = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}
    assert schemas.mismatches(loop, 1) == ["its schema refers to something that is not in it, or to itself"]
    assert schemas.mismatches({"$ref": "#/$defs/none"}, 1) == [
        "its schema refers to something that is not in it, or to itself"
    ]


def test_what_is_nested_too_deep_is_refused() -> None:
    deep: Any = {}
    for _ in range(5000):
        deep = {"properties": {"a": deep}}
    assert "nested" in schemas.problem_of(deep)
    assert schemas.mismatches({}, deep) == ["it is nested too deep"]


DOUBLING = {
    "type": "object",
    "allOf": [{"$ref": "#/$defs/d0"}],
    "$defs": {
        **{f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)},
        "d40": {"type": "object"},
    },
}


@pytest.mark.parametrize(
    ("schema", "value", "fits"),
    [
        (DOUBLING, {}, False),
        ({"anyOf": [DOUBLING, {}], "unevaluatedProperties": False, "$defs": DOUBLING["$defs"]}, {"a": 1}, False),
        ({"uniqueItems": True}, [{"a": number} for number in range(15_000)], True),
        ({"uniqueItems": True}, [*({"a": number} for number in range(15_000)), {"a": 7}], False),
        ({"items": {"enum": [[number] for number in range(3000)]}}, [[2999]] * 20_000, False),
        ({"multipleOf": 0.5}, 10**400, False),
        ({"items": {"type": "object", "required": ["a"]}}, [{"a": number} for number in range(15_000)], True),
    ],
    ids=range(7),
)
def test_no_schema_holds_up_a_process(schema: dict[str, Any], value: object, fits: bool) -> None:
    """References that double at each step, comparing all with all, numbers beyond all bounds."""
    began = time.process_time()
    assert (schemas.mismatches(schema, value) == []) is fits
    assert time.process_time() - began < 10
