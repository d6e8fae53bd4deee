"""The configuration of MCP servers, the names of their tools, and what is made of what they return."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.toolsets import CombinedToolset, FunctionToolset
from pydantic_ai.ui.vercel_ai.response_types import ToolInputAvailableChunk

from leaf import config, errors, parts
from leaf.agent import agents, translate
from leaf.agent.mcp import names
from leaf.agent.mcp.server import is_usable, text_of
from leaf.config import mcp

HTTP = '[servers.tickets]\nurl = "https://tickets.example/mcp"\n'


def servers(folder: Path, text: str) -> tuple[mcp.McpServer, ...]:
    file = folder / f"{abs(hash(text))}.toml"
    file.write_text(text)
    return config.Settings(_env_file=None, mcp_file=file).mcp_servers


def test_headers_name_variables_and_nothing_shows_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """# 001-29"""
    monkeypatch.setenv("TICKETS_TOKEN", "a-token-of-mine")
    (server,) = servers(tmp_path, HTTP + 'headers = { Authorization = "Bearer ${TICKETS_TOKEN}" }')
    assert server.headers == {"Authorization": "Bearer a-token-of-mine"}
    assert server.secrets == {"Bearer a-token-of-mine", "a-token-of-mine"}
    assert "a-token-of-mine" not in repr(server)


def test_a_program_is_given_what_is_named_and_only_secrets_are_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder may stand in what its server returns."""
    monkeypatch.setenv("ALMANAC_FOLDER", "/srv/almanac")
    monkeypatch.setenv("ALMANAC_KEY", "a-key-of-mine")
    (server,) = servers(tmp_path, '[servers.a]\ncommand = "a"\nenv = ["ALMANAC_FOLDER", "ALMANAC_KEY"]')
    assert server.environment == {"ALMANAC_FOLDER": "/srv/almanac", "ALMANAC_KEY": "a-key-of-mine"}
    assert server.secrets == {"a-key-of-mine"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[servers.a]\n", "needs either url or command"),
        (HTTP + 'command = "x"', "needs either url or command"),
        ('[servers.a]\nurl = "ftp://x"', "must be an http"),
        (HTTP + 'env = ["A"]', "headers belong to url"),
        (HTTP + 'colour = "red"', "extra inputs"),
        (HTTP + "call_seconds = 0", "greater than 0"),
        (HTTP + 'headers = { A = "${NOT_SET_ANYWHERE}" }', "the variable NOT_SET_ANYWHERE is not set"),
        (HTTP + 'headers = { A = "${LEAF_SECRET}" }', "LEAF_SECRET is Leaf's own secret"),
        ('[servers.a]\ncommand = "a"\nenv = ["DATABASE_URL"]', "DATABASE_URL is Leaf's own secret"),
        ('[servers.read]\nurl = "https://x.example"', "tools of Leaf's own begin with this name"),
        ('[servers.a_b]\nurl = "https://x.example"', "should match pattern"),
        ("not toml", "is not TOML"),
    ],
)
def test_what_is_wrong_is_said_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, problem: str
) -> None:
    monkeypatch.setenv("LEAF_SECRET", "x" * 40)
    monkeypatch.setenv("DATABASE_URL", "postgresql://x")
    with pytest.raises(errors.ConfigurationError) as refused:
        servers(tmp_path, text)
    assert problem in "\n".join(refused.value.problems)
    assert all(line.startswith("LEAF_MCP_FILE: ") for line in refused.value.problems)


def test_the_example_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TICKETS_TOKEN", "x" * 10)
    monkeypatch.setenv("ALMANAC_KEY", "x" * 10)
    example = Path(__file__).parents[2] / "config" / "mcp.example.toml"
    found = config.Settings(_env_file=None, mcp_file=example).mcp_servers
    assert [server.name for server in found] == ["tickets", "almanac"]


def test_no_server_can_be_taken_for_tools_of_leafs_own() -> None:
    """`server_of` goes by the beginning of a name alone."""
    own = {name for toolset in agents.toolsets() if isinstance(toolset, FunctionToolset) for name in toolset.tools}
    assert "read_file" in own
    assert CombinedToolset(agents.toolsets()).toolsets
    assert {name.partition("_")[0] for name in own if "_" in name} <= mcp.OWN_PREFIXES


@given(st.sets(st.text(min_size=1, max_size=150), max_size=20))
def test_names_are_taken_by_all_providers_and_stay_apart(tools: set[str]) -> None:
    found = names.named("tickets", tools)
    assert set(found.values()) == tools
    assert found == names.named("tickets", sorted(tools)), "in whatever order a server lists them"
    for name in found:
        assert name.startswith("tickets_")
        assert len(name) <= 64
        assert all(one.isascii() and (one.isalnum() or one in "_-") for one in name)


def test_a_tool_of_a_server_is_a_dynamic_tool_to_clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """# 002-49"""
    file = tmp_path / "mcp.toml"
    file.write_text(HTTP)
    monkeypatch.setattr(config, "_current", config.Settings(_env_file=None, mcp_file=file))
    chunks = [
        translate.encode(ToolInputAvailableChunk(tool_call_id=name, tool_name=name, input={}))
        for name in ("tickets_find", "read_file")
    ]
    folded = parts.fold([chunk for chunk in chunks if chunk is not None])["parts"]
    assert [(part["type"], part.get("toolName")) for part in folded] == [
        ("dynamic-tool", "tickets_find"), ("tool-read_file", None),
    ]  # fmt: skip


def nested(times: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(times):
        schema = {"type": "array", "items": schema}
    return schema


def doubled(times: int) -> dict[str, Any]:
    """Definitions each of which names the next one twice."""
    named = {f"a{place}": {"anyOf": [{"$ref": f"#/$defs/a{place + 1}"}] * 2} for place in range(times)}
    return named | {f"a{times}": {"type": "string"}}


@pytest.mark.parametrize(
    ("schema", "usable"),
    [
        ({"type": "object"}, True),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, True),
        ({"type": "string"}, False),
        ({}, False),
        (["object"], False),
        ({"type": "object", "properties": {"a": {"type": "colour"}}}, False),
        ({"type": "object", "description": "x" * 30_000}, False),
        ({"type": "object", "properties": {"a": nested(150)}}, False),
        ({"type": "object", "properties": {"a": nested(3000)}}, False),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}, False),
        ({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1/a.json"}}}, False),
        ({"type": "object", "properties": {"a": {"$ref": "#"}}}, False),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/a0"}}, "$defs": doubled(30)}, False),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/a0"}}, "$defs": doubled(3)}, True),
        ({"type": "object", "properties": {"a": {}, "b": {"$ref": "#/properties/a"}}}, True),
    ],
)
def test_a_tool_whose_schema_is_none_is_left_out(schema: Any, usable: bool) -> None:
    """A provider would refuse the whole request for it, or its library would end the answer. # 001-29"""
    assert is_usable(schema) is usable


def result(*blocks: Any, structured: Any = None) -> Any:
    return SimpleNamespace(content=[SimpleNamespace(**block) for block in blocks], structured_content=structured)


def test_results_are_text_and_bounded() -> None:
    blocks = [
        {"type": "text", "text": "one"},
        {"type": "audio", "mime_type": "audio/mpeg", "data": "AAAA"},
        {"type": "resource_link", "name": "plan", "uri": "file:///plan"},
        {"type": "resource", "resource": SimpleNamespace(uri="file:///two", text="two")},
        {"type": "resource", "resource": SimpleNamespace(uri="file:///three", blob="AAAA")},
    ]
    assert text_of(result(*blocks), 1000, ()).split("\n\n") == [
        "one", "[audio of type audio/mpeg, 3 bytes, not shown]", "[link to plan: file:///plan]", "two",
        "[file file:///three, not shown]",
    ]  # fmt: skip
    assert text_of(result(structured={"a": 1}), 1000, ()) == '{"a":1}'
    cut = text_of(result({"type": "text", "text": "x" * 5000}), 100, ())
    assert cut.startswith("x" * 100 + "\n")
    assert "4,900 of 5,000 characters are not shown" in cut
    assert text_of(result({"type": "text", "text": "a secret-key b"}), 100, ["secret-key"]) == "a [hidden] b"
