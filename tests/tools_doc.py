"""`python -m tests.tools_doc [--check]`: writes docs/tools.md from the tools, or says whether it is up to date.

Descriptions and parameters are what the model is told. Limits are the constants of the modules that a tool is made of,
and errors the words with which these refuse, so that neither can be forgotten here.
"""

import argparse
import ast
import asyncio
import importlib
import importlib.util
import pkgutil
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from pydantic_ai import RunContext
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RunUsage

from leaf import config
from leaf.agent import agents, modes
from leaf.agent.approval import files as file_changes
from leaf.agent.deps import Deps
from leaf.agent.tools.client import ClientToolset
from leaf.config.catalog import STEPS, Mode

DOCUMENT = Path(__file__).parents[1] / "docs" / "tools.md"
TEXTS = Path(__file__).parents[1] / "leaf" / "texts" / "en"
_FILLED = re.compile(r"\{\w+\}")
HEAD = """\
# The agent's tools

Written by `make docs` from the tools themselves (`tests/tools_doc.py`); do not edit it. MCP servers bring tools of
their own.

A *mode* is chosen with each question. **Offered** means that the model is told of a tool; a tool that is *defined* only
is run if it is called. Arguments that are *forced* are the mode's, whatever the model passes. An answer may take
{steps}.
`LEAF_ALLOWED_TOOLS` and `LEAF_DISALLOWED_TOOLS` take tools away from every mode. A call that takes longer than
`LEAF_TOOL_SECONDS` ({tool_seconds:g} s) is ended, and the model is told.

What goes wrong is told to the model and never ends an answer: it *mends* a call that it made wrongly, or *tells* the
user. After several calls that do not fit in a row it is told to do without the tool.
"""
GROUPS = (
    (
        "Drive",
        "leaf.agent.tools.drive",
        ("leaf.google.links", "leaf.google.content", "leaf.google.refusals", "leaf.documents"),
    ),
    ("Files of the chat", "leaf.agent.tools.files", ("leaf.services.files", "leaf.documents.textfiles")),
    ("Web", "leaf.agent.tools.web", ("leaf.agent.web", "leaf.outbound.client", "leaf.outbound.refusals")),
    ("Display", "leaf.agent.tools.display", ()),
    ("To-do list", "leaf.agent.tools.todo", ()),
    ("Question", "leaf.agent.tools.question", ("leaf.parts.client_tools.questions",)),
)
"""A heading, where the tools are, and what else they are made of."""


def text() -> str:
    """All of the document."""
    before, config._current = config._current, config.Settings(_env_file=None, sandbox_url="http://127.0.0.1:1")
    try:
        return _text(asyncio.run(_tools()))
    finally:
        config._current = before


def _text(tools: dict[str, ToolDefinition]) -> str:
    steps = ", ".join(f"{STEPS[mode]} steps in {mode.value} mode" for mode in Mode)
    lines = [HEAD.format(steps=steps, tool_seconds=config.current().tool_seconds), *_table(tools)]
    known = _groups()
    assert set(tools) <= set(known), f"in no group: {set(tools) - set(known)}"
    for title, package, further in GROUPS:
        names = [name for name in tools if known[name] == title]
        lines += [f"## {title}", ""]
        for name in names:
            lines += _section(tools[name])
        lines += _limits([package, *further])
        lines += _errors([package, *further])
        lines += _refusals(further)
    return "\n".join(lines).rstrip() + "\n"


async def _tools() -> dict[str, ToolDefinition]:
    """All tools of all modes by name, in the order in which the agent has them."""
    found: dict[str, ToolDefinition] = {}
    for mode in Mode:
        found |= {tool.name: tool for tool in await in_mode(mode)}
    order = [name for name in _groups() if name in found]
    return {name: found[name] for name in [*order, *(name for name in found if name not in order)]}


async def in_mode(mode: Mode) -> list[ToolDefinition]:
    """The tools that can be called in a mode."""
    nothing = cast("Any", None)
    deps = Deps(uuid4(), uuid4(), nothing, nothing, nothing, mode=mode)
    context = RunContext(deps=deps, model=TestModel(), usage=RunUsage())
    tools = await modes.toolset(agents.toolsets()).get_tools(context)
    return [tool.tool_def for tool in tools.values()]


def _groups() -> dict[str, str]:
    """The heading of each tool."""
    found: dict[str, str] = {}
    # Those that run at the caller are the caller's to describe.
    at_server = [made for made in agents.toolsets() if not isinstance(made, ClientToolset)]
    for made, (title, _, _) in zip(at_server, GROUPS, strict=True):
        inner = cast("Any", made)
        while not hasattr(inner, "tools"):
            inner = inner.wrapped
        found |= dict.fromkeys(inner.tools, title)
    return found


def _table(tools: dict[str, ToolDefinition]) -> list[str]:
    lines = [
        f"| Tool | {' | '.join(mode.value.capitalize() for mode in Mode)} | Asks the user first |",
        "|---|---|---|---|",
    ]
    for name in tools:
        available = " | ".join(_availability(mode, name) for mode in Mode)
        lines += [f"| `{name}` | {available} | {_approval(name)} |"]
    return [*lines, ""]


def _availability(mode: Mode, name: str) -> str:
    if not modes.permits(mode, name):
        return "no"
    forced = ", ".join(f"`{key}` = {value}" for key, value in modes._FORCED.get(mode, {}).get(name, {}).items())
    said = "offered" if modes.is_offered(mode, name) else "defined, offered with `LEAF_ASK_QUESTION=true`"
    return f"{said}; forced {forced}" if forced else said


def _approval(name: str) -> str:
    if name == modes.QUESTION:
        return "it is a question itself"
    if name in file_changes.TOOLS:
        return "for an existing file that the message does not name"
    if importlib.util.find_spec("leaf.agent.approval") is not None:
        approval: Any = importlib.import_module("leaf.agent.approval")
        if name in set(approval.OUTWARD) - {"displayLinkPreview"}:
            return "once the chat has read files, if something could leave"
    return "no"


def _section(tool: ToolDefinition) -> list[str]:
    schema = tool.parameters_json_schema
    lines = [f"### `{tool.name}`", "", _paragraphs(tool.description or ""), ""]
    properties: dict[str, Any] = schema.get("properties", {})
    if not properties:
        return lines
    lines += ["| Parameter | Type | What it is |", "|---|---|---|"]
    for name, one in properties.items():
        needed = "" if name in schema.get("required", []) else _default(one)
        told = _cell(one.get("description", ""))
        lines.append(f"| `{name}` | {_cell(_type(one, schema))}{needed} | {told} |")
    return [*lines, ""]


def _type(one: dict[str, Any], schema: dict[str, Any]) -> str:
    """A JSON schema in a few words, with its limits."""
    if "$ref" in one:
        return _type(schema["$defs"][one["$ref"].rpartition("/")[2]], schema)
    if "anyOf" in one:
        return " or ".join(_type(each, schema) for each in one["anyOf"] if each.get("type") != "null")
    if "enum" in one or "const" in one:
        return " / ".join(f'"{value}"' for value in one.get("enum", [one.get("const")]))
    kind = str(one.get("type", "any"))
    if kind == "array":
        kind = f"list of {_type(one.get('items', {}), schema)}"
    if kind == "object" and one.get("properties"):
        kind = f"object ({', '.join(one['properties'])})"
    bounds = [f"{word} {one[key]:,}" for key, word in _BOUNDS.items() if key in one]
    return f"{kind}, {', '.join(bounds)}" if bounds else kind


_BOUNDS = {
    "minimum": "from",
    "maximum": "to",
    "minLength": "from",
    "maxLength": "to",
    "minItems": "from",
    "maxItems": "to",
}


def _default(one: dict[str, Any]) -> str:
    default = one.get("default")
    return ", optional" if default in {None, ""} else f", {default!r} where it is left out"


def _limits(modules: list[str]) -> list[str]:
    """The constants of these modules that are limits, by what stands below them."""
    rows: list[str] = []
    for module, tree in _trees(modules):
        for place, node in enumerate(tree.body):
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            name = node.targets[0].id
            value = getattr(importlib.import_module(module), name, None)
            if name.startswith("_") or not isinstance(value, int | float) or isinstance(value, bool):
                continue
            behind = tree.body[place + 1] if place + 1 < len(tree.body) else None
            rows.append(f"| `{name}` | {value:,} | `{module}` | {_cell(_said(behind))} |")
    return ["**Limits**", "", "| Limit | Value | Where | |", "|---|--:|---|---|", *rows, ""] if rows else []


def _said(node: ast.stmt | None) -> str:
    documented = (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    )
    return str(node.value.value) if documented else ""  # pyright: ignore[reportAttributeAccessIssue]


def _errors(modules: list[str]) -> list[str]:
    """The words with which these modules refuse a call."""
    found: dict[str, None] = {}
    for _, tree in _trees(modules):
        for node in ast.walk(tree):
            call = node.exc if isinstance(node, ast.Raise) else None
            if not isinstance(call, ast.Call) or not call.args:
                continue
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            who = {
                "ModelRetry": "mends",
                "ToolFailed": "tells",
                "Invalid": "tells",
                "Unreadable": "tells",
                "_Ended": "tells",
            }.get(name)
            told = _words(call.args[0])
            if who and any(letter.isalpha() for letter in told):
                found[f"- {who}: {told}"] = None
    return ["**Errors** that the model mends, or tells the user", "", *found, ""] if found else []


def _words(node: ast.expr) -> str:
    """Return a text of the code or of `leaf/texts/en`, with `…` for its parameters."""
    if isinstance(node, ast.Constant):
        return _cell(str(node.value))
    if isinstance(node, ast.JoinedStr):
        return _cell("".join(str(one.value) if isinstance(one, ast.Constant) else "…" for one in node.values))
    if (
        isinstance(node, ast.Call)
        and ast.unparse(node.func) == "texts.english"
        and isinstance(node.args[0], ast.Constant)
    ):
        area, _, key = str(node.args[0].value).partition(".")
        return _cell(_FILLED.sub("…", str(tomllib.loads((TEXTS / f"{area}.toml").read_text("utf-8"))[key])))
    return ""


def _refusals(modules: tuple[str, ...]) -> list[str]:
    """The reasons for which a page of the web is not read."""
    if "leaf.outbound.refusals" not in modules:
        return []
    refusals: Any = importlib.import_module("leaf.outbound.refusals")
    kinds = [
        kind for kind in vars(refusals).values() if isinstance(kind, type) and issubclass(kind, refusals.OutboundError)
    ]
    return [
        "Addresses are refused, or fail, for these reasons:",
        "",
        *(f"- `{one.code}`: {one.__doc__}" for one in kinds),
        "",
    ]


def _trees(modules: list[str]) -> Iterator[tuple[str, ast.Module]]:
    """The syntax of modules, and of what is in them where they are packages."""
    for name in modules:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            continue
        inner = pkgutil.iter_modules(spec.submodule_search_locations or [])
        names = [name, *sorted(f"{name}.{one.name}" for one in inner)]
        for each in names:
            found = importlib.util.find_spec(each)
            if found is not None and found.origin is not None and found.origin.endswith(".py"):
                yield each, ast.parse(Path(found.origin).read_text())


def _paragraphs(description: str) -> str:
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in description.split("\n\n")).strip()


def _cell(told: str) -> str:
    return " ".join(told.split()).replace("|", "\\|").replace("<", "&lt;")


def main() -> int:
    """Writes the document, or compares it."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools_doc", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 where it is not up to date")
    if parser.parse_args().check:
        return 0 if DOCUMENT.read_text("utf-8") == text() else 1
    DOCUMENT.write_text(text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
