"""What the sandbox's model shows with display tools where a question asks for it: a table, a plan, options, sources.

All of it is what files say, as in its other answers: rows of a table, the items of a list, the files themselves.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from sandbox.model import markdown, ranking
from sandbox.model.conversation import Call, Exchange, Step
from sandbox.model.passages import Passage
from sandbox.model.questions import Question, Topic
from sandbox.model.sources import File, Reading

TABLE, PLAN, OPTIONS, CITATIONS = "displayTable", "displayPlan", "displayOptionList", "displayCitations"
TOOLS = frozenset({TABLE, PLAN, OPTIONS, CITATIONS, "displayLinkPreview", "todoWrite"})

MAX_ROWS, MAX_STEPS, MAX_OPTIONS = 100, 12, 6
_CHARACTERS = 180
_AS = r"(?:\b(?:show|give|make|draw up|list)\s+(?:me\s+|us\s+)?)?\b"
_ASKS: dict[str, re.Pattern[str]] = {
    TABLE: re.compile(rf"{_AS}(?:(?:as|in)\s+)?an?\s+table(?:\s+(?:of|with|for)\b)?|\btable\s+of\b", re.IGNORECASE),
    PLAN: re.compile(rf"{_AS}an?\s+plan(?:\s+(?:for|to|of)\b)|\bstep[- ]by[- ]step\b(?:\s+plan\b)?", re.IGNORECASE),
    OPTIONS: re.compile(rf"{_AS}(?:the\s+|my\s+)?options(?:\s+(?:for|of|to)\b)|\blet me choose\b", re.IGNORECASE),
    CITATIONS: re.compile(
        r"\b(?:list|show)\s+(?:me\s+|us\s+)?(?:the\s+|your\s+|all\s+)*sources\b(?:\s+(?:for|of|on)\b)?", re.IGNORECASE
    ),
}
_NUMBER = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def asked_for(text: str, offered: Sequence[str]) -> tuple[str, str]:
    """Which display tool a question asks for, of those that are offered, and the question without that wish."""
    for tool, pattern in _ASKS.items():
        if tool in offered and pattern.search(text):
            return tool, pattern.sub(" ", text, count=1)
    return "", text


def others(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Those of other tools than the display tools."""
    return [one for one in exchanges if one.call.name not in TOOLS]


def shown(
    tool: str, question: Question, topics: tuple[Topic, ...], readings: Sequence[Reading], files: Sequence[File]
) -> Step | None:
    """The step that shows what was found; None where there is nothing of that kind, or nothing is asked for.

    Args:
        tool: What the question asks for; empty for nothing.
        question: The question.
        topics: What was looked for.
        readings: What was read.
        files: The files that were found.
    """
    if not tool:
        return None
    hits = ranking.rank(topics, question.wanted, readings)
    ordered = list({id(hit.reading): hit.reading for hit in hits}.values()) or list(readings)
    best: dict[int, int] = {}
    for hit in hits:
        best.setdefault(id(hit.reading), hit.place)
    makers: dict[str, Callable[[], dict[str, Any] | None]] = {
        TABLE: lambda: next((made for one in ordered if (made := _table(one, best.get(id(one), 0)))), None),
        PLAN: lambda: next((made for one in ordered if (made := _plan(one, best.get(id(one), 0)))), None),
        OPTIONS: lambda: _options(files),
        CITATIONS: lambda: _citations(ordered, best),
    }
    arguments = makers[tool]()
    return Step("Here it is. ", (Call("", tool, arguments),)) if arguments else None


def _table(reading: Reading, place: int) -> dict[str, Any] | None:
    """The table in which a passage stands, or the first one."""
    rows = [passage for passage in reading.passages if passage.kind == "row"]
    if not rows:
        return None
    hit = reading.passages[place]
    wanted = hit if hit.kind == "row" else rows[0]
    same = [row for row in rows if (row.columns, row.label) == (wanted.columns, wanted.label)][:MAX_ROWS]
    width = max(len(row.cells) for row in same)
    columns: list[dict[str, Any]] = []
    for number in range(width):
        cells = [row.cells[number] if number < len(row.cells) else "" for row in same]
        label = wanted.columns[number] if number < len(wanted.columns) else ""
        columns.append({"key": f"c{number}", "label": _short(label) or f"Column {number + 1}", "type": _type(cells)})
    cells_of_rows = [
        {column["key"]: _cell(cell, column["type"]) for column, cell in zip(columns, row.cells, strict=False) if cell}
        for row in same
    ]
    where = f"{reading.file.name}, {wanted.label}" if wanted.label else reading.file.name
    return {
        "title": _short(reading.file.name),
        "description": f"From {where}.",
        "columns": columns,
        "rows": cells_of_rows,
    }


def _type(cells: Sequence[str]) -> str:
    """What kind of values a column has."""
    filled = [cell for cell in cells if cell]
    if filled and all(_NUMBER.fullmatch(cell) for cell in filled):
        return "number"
    return "date" if filled and all(_is_day(cell) for cell in filled) else "text"


def _is_day(cell: str) -> bool:
    if not _DAY.fullmatch(cell):
        return False
    try:
        date.fromisoformat(cell)
    except ValueError:
        return False
    return True


def _cell(cell: str, kind: str) -> str | float:
    if kind != "number":
        return markdown.shortened(cell, 1000)
    plain = cell.replace(",", "")
    return float(plain) if "." in plain or len(plain) > 15 else int(plain)


def _plan(reading: Reading, place: int) -> dict[str, Any] | None:
    """The numbered list in which a passage stands, or the first one of its file, as steps."""
    lists: dict[int, list[Passage]] = {}
    for passage in reading.passages:
        if passage.bullet[:1].isdigit():
            lists.setdefault(passage.block, []).append(passage)
    chosen = lists.get(reading.passages[place].block) or next(iter(lists.values()), [])
    if len(chosen) < 2:
        return None
    title = _short(chosen[0].heading or reading.file.name)
    return {
        "title": title,
        "description": f"From {reading.file.name}.",
        "steps": [{"label": _short(passage.text)} for passage in chosen[:MAX_STEPS]],
    }


def _options(files: Sequence[File]) -> dict[str, Any] | None:
    names = list(dict.fromkeys(_short(file.name) for file in files if file.may_be_readable))[:MAX_OPTIONS]
    if len(names) < 2:
        return None
    options = [{"id": f"file{number}", "label": f"What does “{name}” say?"} for number, name in enumerate(names, 1)]
    return {"question": "Which of these files shall I read to you?", "options": options}


def _citations(readings: Sequence[Reading], best: dict[int, int]) -> dict[str, Any] | None:
    items: dict[str, dict[str, Any]] = {}
    for reading in readings:
        if reading.file.url.startswith(("http://", "https://")):
            said = reading.passages[best[id(reading)]].text if id(reading) in best else ""
            item = {"title": _short(reading.file.name), "url": reading.file.url}
            items.setdefault(reading.file.key, item | ({"snippet": _short(said)} if said else {}))
    return {"items": [*items.values()]} if items else None


def _short(text: str) -> str:
    return markdown.shortened(" ".join(text.split()), _CHARACTERS)[: _CHARACTERS + 2]
