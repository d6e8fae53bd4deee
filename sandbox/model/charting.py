"""Charts that a question asks for: a column of numbers by a column of dates or names, as one query."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sandbox.model.conversation import JsonObject
from sandbox.model.questions import Question

MOST, SLICES = 20, 8
_ASKED = re.compile(
    r"\b(?:\w*chart\w*|plot(?:s|ted)?|graphs?|draw|\w*diagramm\w*|grafik|zeichne|diagrams?|bars?|pie)\b",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:\w*charts?|plot (?:the|a|an|my|all)|graph|diagram|\w*diagramm\w*|grafik|zeichne)\b", re.IGNORECASE
)
_KINDS: Sequence[tuple[str, re.Pattern[str]]] = [
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        # A column may have the name of a kind: a bar chart by line.
        *((kind, rf"\b{kind}[ -](?:chart|graph|plot|diagram)") for kind in ("bar", "line", "area", "pie", "scatter")),
        ("bar", r"(?:balken|säulen)-?diagramm"),
        ("pie", r"\bpie|kreis|kuchen|torte"), ("scatter", r"scatter|punktdiagramm|streudiagramm"),
        ("area", r"\barea|fläche"), ("line", r"\bline\b|trend|over time|course|linie|verlauf|entwicklung"),
        ("bar", r"\bbars?\b|balken|säule"),
    )
]  # fmt: skip


def is_asked(question: Question) -> bool:
    """Whether a question asks for a chart."""
    return bool(_WANTED.search(question.text))


def without_words(question: Question) -> Question:
    """The question without the words that name the chart, which stand in no file."""
    kept = {word: weight for word, weight in question.subject.items() if not _ASKED.fullmatch(word)}
    return replace(question, subject=kept)


def arguments(
    question: Question, table: JsonObject, amounts: Sequence[JsonObject], fit: Mapping[str, float]
) -> dict[str, Any] | None:
    """The query and the chart for a table; None if it has no column to draw by.

    Args:
        question: The question.
        table: The description of the table.
        amounts: Its columns of numbers, the best first.
        fit: How well the question names the other columns.
    """
    kind = next((kind for kind, pattern in _KINDS if pattern.search(question.text)), "")
    amount, name = amounts[0]["name"], table["name"]
    title = re.sub(r"\s+", " ", question.text).strip().rstrip("?.!")[:100]
    if kind == "scatter":
        other = next(
            (one["name"] for one in table["columns"] if one["type"] == "number" and one["name"] != amount), None
        )
        if other is None:
            return None
        query = f"SELECT {other}, {amount} FROM {name} WHERE {other} IS NOT NULL LIMIT 200"
        return {"query": query, "chart": {"kind": kind, "x": other, "y": [amount], "title": title}}
    others = [one for one in table["columns"] if one["type"] in {"text", "date"}]
    x = max(
        others, key=lambda one: (fit[one["name"]], kind in {"line", "area"} and one["type"] == "date"), default=None
    )
    if x is None:
        return None
    by = f"date_trunc('month', {x['name']})" if x["type"] == "date" else x["name"]
    kind = kind or ("line" if x["type"] == "date" else "bar")
    column = "month" if x["type"] == "date" else x["name"]
    order = "1" if x["type"] == "date" else "2 DESC"
    most = SLICES if kind == "pie" else MOST if x["type"] == "text" else 200
    above = f" HAVING sum({amount}) > 0" if kind == "pie" else ""
    query = (
        f"SELECT {by} AS {column}, sum({amount}) AS {amount} FROM {name} WHERE {x['name']} IS NOT NULL "
        f"GROUP BY 1{above} ORDER BY {order} LIMIT {most}"
    )
    return {"query": query, "chart": {"kind": kind, "x": column, "y": [amount], "title": title}}
