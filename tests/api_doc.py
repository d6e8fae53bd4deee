"""`python -m tests.api_doc`: writes the list of routes in docs/api.md."""

import sys
from pathlib import Path
from typing import Any

from leaf import api

DOCUMENT = Path(__file__).parents[1] / "docs" / "api.md"

_MARK = "## Routes\n"
"""The part above it is written by hand."""


def text() -> str:
    """The document as it should be."""
    groups: dict[str, list[str]] = {}
    for path, operations in api.application(pages_port=None).openapi()["paths"].items():
        for method, operation in operations.items():
            groups.setdefault(operation["tags"][0], []).append(_row(path, method, operation))
    head = DOCUMENT.read_text("utf-8").partition(_MARK)[0]
    lines = [f"{head}{_MARK}"]
    for tag, rows in groups.items():
        lines += [f"### {tag}\n", "| Route | Scope | |", "| --- | --- | --- |", *rows, ""]
    return "\n".join(lines)


def _row(path: str, method: str, operation: dict[str, Any]) -> str:
    queries = [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"]
    query = f"?{'&'.join(queries)}" if queries else ""
    return f"| `{method.upper()} {path}{query}` | {operation['security'][0]['key'][0]} | {operation['description']} |"


def main() -> int:
    """Writes the document."""
    DOCUMENT.write_text(text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
