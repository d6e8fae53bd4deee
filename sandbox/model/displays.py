"""The display tools, where a question asks for a table, a plan, options or sources: what files say, in that form."""

import re
from collections.abc import Sequence
from typing import Any

from sandbox.model import markdown
from sandbox.model.conversation import Call, Step
from sandbox.model.tool_results import File, Hit, Reading

TABLE, PLAN, OPTIONS, CITATIONS = "displayTable", "displayPlan", "displayOptionList", "displayCitations"

MAX_ROWS, MAX_STEPS, MAX_OPTIONS = 100, 12, 6
_CHARACTERS = 180
_REQUESTS: dict[str, re.Pattern[str]] = {
    TABLE: re.compile(
        r"(?:\b(?:show|give|make) (?:me )?)?\ban? table (?:of|with|for)\b|\bas an? table\b", re.IGNORECASE
    ),
    PLAN: re.compile(r"(?:\b(?:show|give|make) (?:me )?)?\ban? plan (?:for|to|of)\b", re.IGNORECASE),
    OPTIONS: re.compile(r"(?:\b(?:show|give) (?:me )?)?\boptions (?:for|of|to)\b", re.IGNORECASE),
    CITATIONS: re.compile(r"\b(?:list|show) (?:me )?(?:the |all )?sources (?:for|of|on)\b", re.IGNORECASE),
}


def requested(text: str, offered: Sequence[str]) -> tuple[str, str]:
    """The display tool that a question asks for, of those that are offered, and the question without that request."""
    for tool, pattern in _REQUESTS.items():
        if tool in offered and pattern.search(text):
            return tool, pattern.sub(" ", text, count=1)
    return "", text


def shown(tool: str, hits: Sequence[Hit], readings: Sequence[Reading], files: Sequence[File]) -> Step | None:
    """The step that shows what was found; None where there is nothing of that kind, or no display is asked for.

    Args:
        tool: The display tool, or an empty text.
        hits: The passages that speak of the question, the best first.
        readings: The files that were read.
        files: The files that were found.
    """
    ordered = list({id(one): one for one in [*(hit.reading for hit in hits), *readings]}.values())
    arguments: dict[str, Any] | None = None
    if tool == OPTIONS:
        arguments = _options(files)
    elif tool == CITATIONS:
        arguments = _citations(hits, ordered)
    elif tool:
        arguments = next(filter(None, (_table(one) if tool == TABLE else _plan(one) for one in ordered)), None)
    return Step("Here it is. ", (Call("", tool, arguments),)) if arguments else None


def _table(reading: Reading) -> dict[str, Any] | None:
    """The first table of a file."""
    rows = [passage for passage in reading.passages if passage.kind == "row"]
    same = [row for row in rows if row.block == rows[0].block][:MAX_ROWS]
    if not same:
        return None
    labels = [*same[0].columns, *[""] * max(len(row.cells) for row in same)][: max(len(row.cells) for row in same)]
    columns = [{"key": f"c{at}", "label": _short(label) or f"Column {at + 1}"} for at, label in enumerate(labels)]
    cells = [{f"c{at}": markdown.shortened(cell, 1000) for at, cell in enumerate(row.cells) if cell} for row in same]
    description = f"From {reading.file.name}."
    return {"title": _short(reading.file.name), "description": description, "columns": columns, "rows": cells}


def _plan(reading: Reading) -> dict[str, Any] | None:
    """The first numbered list of a file, as steps."""
    items = [passage for passage in reading.passages if passage.bullet[:1].isdigit()]
    steps = [{"label": _short(item.text)} for item in items if item.heading == items[0].heading][:MAX_STEPS]
    if len(steps) < 2:
        return None
    title = _short(items[0].heading or reading.file.name)
    return {"title": title, "description": f"From {reading.file.name}.", "steps": steps}


def _options(files: Sequence[File]) -> dict[str, Any] | None:
    names = list(dict.fromkeys(_short(file.name) for file in files if file.may_be_readable))[:MAX_OPTIONS]
    options = [{"id": f"file{number}", "label": f"What does “{name}” say?"} for number, name in enumerate(names, 1)]
    return {"question": "Which of these files shall I read to you?", "options": options} if len(names) > 1 else None


def _citations(hits: Sequence[Hit], readings: Sequence[Reading]) -> dict[str, Any] | None:
    items: dict[str, dict[str, Any]] = {}
    for reading in readings:
        if reading.file.url.startswith(("http://", "https://")):
            snippet = next((_short(hit.passage.text) for hit in hits if hit.reading is reading), "")
            item = {"title": _short(reading.file.name), "url": reading.file.url}
            items.setdefault(reading.file.key, item | ({"snippet": snippet} if snippet else {}))
    return {"items": [*items.values()]} if items else None


def _short(text: str) -> str:
    return markdown.shortened(" ".join(text.split()), _CHARACTERS)[: _CHARACTERS + 2]
