"""Charts that a question asks for: a column of numbers by a column of dates or names, as one query."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sandbox.model.conversation import JsonObject
from sandbox.model.questions import Question

MOST = 20
_FITS = 0.8
_BY = re.compile(
    r"\b(?:by|per|against|versus|nach|pro|je|gegen)\s+(?:(?:the|each|every|der|dem|den|die|das|jede[mnrs]?)\s+)?"
    r"([^\W\d_][\w-]+)",
    re.IGNORECASE,
)
_SPANS = {
    word: span
    for span, words in (
        ("day", "day days tag tagen"), ("week", "week weeks woche wochen"), ("month", "month months monat monaten"),
        ("quarter", "quarter quarters quartal quartalen"), ("year", "year years jahr jahren"),
    )
    for word in words.split()
}  # fmt: skip
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


def wants_pie(question: Question) -> bool:
    """Whether a question asks for a pie."""
    return next((kind for kind, pattern in _KINDS if pattern.search(question.text)), "") == "pie"


def without_words(question: Question) -> Question:
    """The question without the words that name the chart, which stand in no file."""
    kept = {word: weight for word, weight in question.subject.items() if not _ASKED.fullmatch(word)}
    return replace(question, subject=kept)


def named(question: Question) -> list[str]:
    """The words behind “by”, which name what the chart is drawn by."""
    return [one for one in _BY.findall(question.text) if not _ASKED.fullmatch(one)][:2]


def arguments(
    question: Question, table: JsonObject, amounts: Sequence[JsonObject], fit: Mapping[str, float], *,
    as_bars: bool = False,
) -> dict[str, Any] | None:  # fmt: skip
    """The query and the chart for a table; None if it has no column to draw by, or not the one that is asked for.

    Args:
        question: The question.
        table: The description of the table.
        amounts: Its columns of numbers, the best first.
        fit: How well the question names the other columns; where it says by what to draw, how well these words do.
        as_bars: Whether a pie was asked for that cannot be drawn.
    """
    kind = next((kind for kind, pattern in _KINDS if pattern.search(question.text)), "")
    amount, name = amounts[0]["name"], table["name"]
    title = re.sub(r"\s+", " ", question.text).strip().rstrip("?.!")[:100]
    others = [one for one in table["columns"] if one["name"] != amount]
    if kind == "scatter":
        numbers = [one for one in others if one["type"] == "number"]
        if not numbers:
            return None
        other = max(numbers, key=lambda one: fit[one["name"]])["name"]
        query = f"SELECT {other}, {amount} FROM {name} WHERE {other} IS NOT NULL LIMIT 200"
        return {"query": query, "chart": {"kind": kind, "x": other, "y": [amount], "title": title}}
    by = named(question)
    span = next((_SPANS[one.casefold()] for one in by if one.casefold() in _SPANS), "")
    dated = [one for one in others if one["type"] in {"date", "time"}]
    fits = [one for one in others if fit[one["name"]] >= _FITS]
    if by and not fits and not (span and dated):
        return None
    if not fits:
        fits = dated if dated and (span or kind in {"line", "area"}) else [
            one for one in others if one["type"] != "number"
        ]  # fmt: skip
    x = max(
        fits,
        key=lambda one: (fit[one["name"]], one["type"] in {"date", "time"} and kind in {"line", "area"}),
        default=None,
    )
    if x is None:
        return None
    return _drawn(x, span or "month", amount, name, "bar" if as_bars else kind, title)


def _drawn(x: JsonObject, span: str, amount: str, table: str, kind: str, title: str) -> dict[str, Any]:
    is_dated = x["type"] in {"date", "time"}
    kind = kind or ("line" if is_dated else "bar")
    column = span if is_dated else x["name"]
    by = f"date_trunc('{span}', {x['name']})" if is_dated else x["name"]
    query = f"SELECT {by} AS {column}, sum({amount}) AS {amount} FROM {table} WHERE {x['name']} IS NOT NULL GROUP BY 1"
    if is_dated or x["type"] == "number" or (kind in {"line", "area"} and _is_sorted(x)):
        query += " ORDER BY 1 LIMIT 200"
    elif kind in {"line", "area"}:
        # Names of months stand in the order of the file.
        rows = f"SELECT {x['name']} AS point, {amount} AS amount, row_number() OVER () AS place FROM {table}"
        query = (
            f"SELECT point AS {column}, sum(amount) AS {amount} FROM ({rows} WHERE {x['name']} IS NOT NULL) AS points "
            f"GROUP BY 1 ORDER BY min(place) LIMIT 200"
        )
    else:
        # A part that were left out of a pie would make the others too large.
        query += " ORDER BY 2 DESC" + (f" LIMIT {MOST}" if kind != "pie" else "")
    return {"query": query, "chart": {"kind": kind, "x": column, "y": [amount], "title": title}}


def _is_sorted(column: JsonObject) -> bool:
    """Whether the order of its texts is that of time, as of 2026-01."""
    return all(re.match(r"\d{4}\b", str(one)) for one in column.get("first") or ["-"])
