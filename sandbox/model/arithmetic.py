"""Questions of arithmetic over one table or two, by simple rules: sum, average, count, extremes, share, difference;
and charts (`charting`).

A turn goes: search → see the tables of the file with the best name → fetch the rows of the table that fits → compute →
state the result. Where a rule finds nothing that fits, the question goes the usual way.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from sandbox import ranking
from sandbox.model import answers, charting, follow_up, markdown, questions, tool_results
from sandbox.model.conversation import Call, Conversation, JsonObject, Step
from sandbox.model.questions import Question
from sandbox.model.tool_results import SEARCH, File

COMPUTE = "compute"
ROWS = 200
Kind = Literal["chart", "share", "difference", "average", "lowest", "highest", "sum", "count"]

_LOWEST = (
    r"\b(?:lowest|smallest|least|cheapest|minimum|niedrigste\w*|kleinste\w*|geringste\w*|plus (?:bas|petit)\w*"
    r"|moins chère?|más (?:bajo|barato)|mínim[oa]|più (?:basso|economico)|minim[oa])\b"
)
_HIGHEST = (
    r"\b(?:highest|largest|most|maximum|höchste\w*|größte\w*|meiste\w*|plus (?:élevé|grand|cher)\w*"
    r"|más (?:alto|alta|caro|cara)|più (?:alto|alta|caro|cara))\b"
)
_SUM = r"\b(?:totale?|together|altogether|sum|adds? up|over all|zusammen|insgesamt|summe|gesamt\w*|somme|suma|somma)\b"
_WORDS: tuple[tuple[Kind, str], ...] = (
    ("share", r"\b(?:share|percent(?:age)?|proportion|anteil|prozent|pourcentage|porcentaje|percentuale)\b"),
    ("difference", r"\b(?:by how much|differen[cz]\w+|um wie ?viel|unterschied|différence|diferencia)\b"),
    ("average", r"\b(?:average|mean|durchschnitt\w*|im mittel|moyen(?:ne)?|promedio|medi[oa])\b"),
    ("lowest", _LOWEST),
    ("highest", _HIGHEST),
    ("sum", _SUM),
    ("count", r"\b(?:how many|wie viele|combien d['e]|cuánt[oa]s|quant[ie])(?:\b|(?<='))"),
)
_KINDS: Sequence[tuple[Kind, re.Pattern[str]]] = [
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _WORDS
]
_TABLES = re.compile(r"sheet|csv|excel|workbook", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SURE = 0.3
"""The score of a file's name from which on no further search is made."""
_TWO_SHARE = 0.5
"""The share of the best file's score that the second file of a difference has."""


@dataclass(frozen=True)
class _Plan:
    """A table, and what the question asks of it."""

    table: JsonObject
    columns: Sequence[JsonObject]
    """Number columns, the best first."""


def step(conversation: Conversation, question: Question) -> Step | None:  # noqa: PLR0911 - one for each step
    """The next step for a question of arithmetic; None if it is none, or if no table fits."""
    if COMPUTE in conversation.tools and (found := follow_up.basis(conversation, question)) is not None:
        made = [one for one in conversation.now if one.call.name == COMPUTE and one.output is not None]
        if len(made) > 1 and made[-1].output is not None:
            return _answer(question, made[-1].output)
        return follow_up.step(conversation, found)
    kind = _kind(question)
    question = charting.without_words(question) if kind == "chart" else question
    if kind is None or COMPUTE not in conversation.tools or question.smalltalk or not question.subject:
        return None
    now = conversation.now
    if not now and not question.links:
        query = questions.query(question.subject)
        return Step(answers.say(question.language, "search", query=query), (Call("", SEARCH, {"queries": [query]}),))
    found = tool_results.collect(now)
    files = _files(question, found.files, two=kind == "difference")
    made = [one for one in now if one.call.name == COMPUTE]
    searched = [call for call in found.calls if call.name == SEARCH]
    if len(searched) == 1 and not made and not any(_score(question, one) >= _SURE for one in files):
        words = question.wordings
        text = answers.say(question.language, "single", query=", ".join(f"“{word}”" for word in words))
        return Step(text, (Call("", SEARCH, {"queries": words}),))
    if not files:
        return None
    refused = kind == "chart" and made[-1:] and made[-1].output is None and _is_pie(made[-1].call.arguments)
    done = made[:-1] if refused else [one for one in made if not _is_pie(one.call.arguments) or one.output is not None]
    if any(one.output is None or "skipped" in one.output for one in done):
        return None
    references = [file.reference for file in files]
    outputs = [one.output for one in made if one.output is not None]
    if refused:
        plans = _plans(question, kind, outputs[0]) if outputs else []
        return _chart(question, plans[0], references, as_bars=True) if plans else None
    if not outputs:
        text = answers.say(question.language, "tables", files=", ".join(file.name for file in files))
        return Step(text, (Call("", COMPUTE, {"files": references}),))
    # Where no file has the names, the rows have to.
    named = question.names if not any(file.has(question.names) for file in found.files if file in files) else ()
    return _computed(question, kind, references, outputs, named)


def _computed(
    question: Question, kind: Kind, references: Sequence[str], outputs: Sequence[JsonObject], named: Sequence[str]
) -> Step | None:  # fmt: skip
    """The next step once the tables are known."""
    plans = _plans(question, kind, outputs[0])
    if not plans:
        return None
    if kind == "chart":
        return _answer(question, outputs[-1]) if len(outputs) > 1 else _chart(question, plans[0], references)
    if len(outputs) == 1:
        statements = [f"SELECT * FROM {plan.table['name']} LIMIT {ROWS}" for plan in plans]
        return Step("", tuple(Call("", COMPUTE, {"files": references, "query": one}) for one in statements))
    if len(outputs) == 1 + len(plans):
        statement = _statement(question, kind, plans, outputs[1:])
        if statement and not all(name.casefold() in statement.casefold() for name in named):
            return None
        return Step("", (Call("", COMPUTE, {"files": references, "query": statement}),)) if statement else None
    return _answer(question, outputs[-1])


def _kind(question: Question) -> Kind | None:
    if charting.is_asked(question):
        return "chart"
    for kind, pattern in _KINDS:
        if pattern.search(question.text):
            return kind
    return None


def _files(question: Question, found: Iterable[File], *, two: bool) -> list[File]:
    """The tables whose names fit the question best."""
    if question.links:
        return [File("", link.url, link.url) for link in question.links if link.kind == "file"][:2]
    tables = [file for file in found if _TABLES.search(f"{file.kind} {file.name}")]
    known = max((file.has(question.names) for file in tables), default=0)
    scored = [(_score(question, file), file) for file in tables if file.has(question.names) == known]
    fitting = sorted((one for one in scored if one[0] > 0), key=lambda one: -one[0])
    if not fitting:
        return []
    enough = [file for score, file in fitting[: 2 if two else 1] if score >= _TWO_SHARE * fitting[0][0]]
    return enough if not two or len(enough) == 2 else enough[:1]


def _score(question: Question, file: File) -> float:
    return max(file.speaks(question.subject), _SURE) if file.has(question.names) else file.score(question.subject)


def _plans(question: Question, kind: Kind, described: JsonObject) -> list[_Plan]:
    """The table of each file that fits best; of a share also the one with the totals."""
    tables = [one for one in described.get("tables") or () if isinstance(one, dict)]
    plans: list[_Plan] = []
    for key in dict.fromkeys(one["file_id"] for one in tables):
        own = [one for one in tables if one["file_id"] == key and not one["name"].endswith("_totals")]
        best = max(own, key=partial(_fit, question), default=None)
        if best is None:
            continue
        columns = _columns(question, kind, best)
        plans.append(_Plan(best, columns))
        totals = next((one for one in tables if one["name"] == f"{best['name']}_totals"), None)
        if kind == "share" and totals is not None:
            plans.append(_Plan(totals, columns))
    if kind != "count" and any(not plan.columns for plan in plans):
        return []
    return plans if kind != "difference" or len(plans) == 2 else []


def _fit(question: Question, table: JsonObject) -> float:
    """The number of words of the question in the place, the columns and the first rows of a table."""
    around = f"{table['place']} {' '.join(one['label'] for one in table['columns'])}"
    first = " ".join(str(cell) for row in table["first_rows"] for cell in row)
    telling = {word: weight for word, weight in question.subject.items() if _in(word, table["file"]) < 1.0}
    return sum(weight * max(_in(word, around), 0.6 * _in(word, first)) for word, weight in telling.items())


def _in(word: str, text: str) -> float:
    """How well a text has a word."""
    wanted = ranking.stem(word)
    return max(
        (ranking.likeness(wanted, ranking.stem(one)) for one in ranking.words(text.replace("_", " "))), default=0.0
    )


def _columns(question: Question, kind: Kind, table: JsonObject) -> list[JsonObject]:
    """The number columns that the question names; of those that it names alike, the one for the whole."""
    numbers = [one for one in table["columns"] if one["type"] == "number"]
    asked = [word for word in question.subject if not _YEAR.fullmatch(word) and _in(word, table["file"]) < 1.0]
    # A word of the file's name says which file; where no other names a column, it may do that as well.
    every = [word for word in question.subject if not _YEAR.fullmatch(word)]
    for words in (asked, every if kind != "count" else []):
        hits = [sum(_in(word, one["label"]) == 1.0 for word in words) for one in numbers]
        named = [one for one, count in zip(numbers, hits, strict=True) if count and count == max(hits)]
        if named:
            return named
    if kind == "count":
        return []
    whole = [one for one in numbers if _YEAR.search(one["label"]) or _in("total", one["label"])]
    return whole[-1:] or (numbers if len(numbers) == 1 or kind == "chart" else [])


def _statement(question: Question, kind: Kind, plans: Sequence[_Plan], rows: Sequence[JsonObject]) -> str | None:
    """The query for a question, once the rows of its tables are known."""
    conditions = [_condition(question, plan, one) for plan, one in zip(plans, rows, strict=True)]
    table, columns, where = plans[0].table["name"], plans[0].columns, conditions[0]
    amount = " + ".join(one["name"] for one in columns)
    if kind == "count" and not columns:
        labels = " ".join(one["label"] for one in plans[0].table["columns"])
        hits = sum(_in(word, f"{labels} {plans[0].table['file']} {where}") == 1.0 for word in question.wanted)
        return f"SELECT count(*) AS number FROM {table}{where}" if hits >= len(question.wanted) / 3 else None
    if kind == "share":
        if not where:
            return None
        if len(plans) > 1 and conditions[1]:
            whole = f"SELECT sum({amount}) FROM {plans[1].table['name']}{conditions[1]}"
        else:
            whole = f"SELECT sum({amount}) FROM {table}"
        return f"SELECT round(100 * (SELECT sum({amount}) FROM {table}{where}) / ({whole}), 1) AS share"
    if kind == "difference":
        other = " + ".join(one["name"] for one in plans[1].columns)
        second = f"SELECT sum({other}) FROM {plans[1].table['name']}{conditions[1]}"
        return f"SELECT abs((SELECT sum({amount}) FROM {table}{where}) - ({second})) AS difference" if where else None
    if kind in {"highest", "lowest"}:
        label = next((one["name"] for one in plans[0].table["columns"] if one["type"] != "number"), None)
        chosen = columns[0]["name"]
        order = f"ORDER BY {chosen} {'DESC' if kind == 'highest' else 'ASC'} NULLS LAST LIMIT 1"
        return f"SELECT {label + ', ' if label else ''}{chosen} FROM {table}{where} {order}"
    function = "avg" if kind == "average" else "sum"
    return f"SELECT {function}({amount}) AS result FROM {table}{where}"


def _condition(question: Question, plan: _Plan, found: JsonObject) -> str:
    """The rows that the question names by the text in them, or by their year; empty for all."""
    names = [one["name"] for one in found.get("columns") or ()]
    about = f"{plan.table['file']} {plan.table['place']} {' '.join(one['label'] for one in plan.columns)}"
    wanted = [word for word in question.subject if _in(word, about) < 1.0]
    best: tuple[float, str, str] | None = None
    for column in plan.table["columns"]:
        if column["type"] != "text" or column["name"] not in names:
            continue
        at = names.index(column["name"])
        for cell in dict.fromkeys(str(row[at]) for row in found["rows"] if row[at] is not None):
            words = [one for one in ranking.words(cell) if one.casefold() not in ranking.stopwords()]
            hits = [one for one in words if any(_in(word, one) == 1.0 for word in wanted)]
            # All words of the cell are asked for; or, of a count, one of them.
            score = len(hits) / len(words) + len(hits) / 100 if words else 0.0
            if hits and (score >= 1.0 or not plan.columns) and (best is None or score > best[0]):
                best = score, column["name"], cell if score >= 1.0 and plan.columns else f"%{hits[0]}%"
    parts = [f"{best[1]} ILIKE '{best[2].replace(chr(39), chr(39) * 2)}'"] if best else []
    years = [word for word in wanted if _YEAR.fullmatch(word)]
    dated = next((one["name"] for one in plan.table["columns"] if one["type"] in {"date", "time"}), None)
    parts += [f"year({dated}) = {years[0]}"] if years and dated else []
    return f" WHERE {' AND '.join(parts)}" if parts else ""


def _is_pie(arguments: Mapping[str, Any]) -> bool:
    return (arguments.get("chart") or {}).get("kind") == "pie"


def _chart(question: Question, plan: _Plan, references: Sequence[str], *, as_bars: bool = False) -> Step | None:
    words = charting.named(question) or [*question.subject]
    fit = {one["name"]: max((_in(word, one["label"]) for word in words), default=0.0)
           for one in plan.table["columns"]}  # fmt: skip
    first = zip(*plan.table["first_rows"], strict=False)
    columns = [{**one, "first": values} for one, values in zip(plan.table["columns"], first, strict=False)]
    asked = charting.arguments(question, {**plan.table, "columns": columns}, plan.columns, fit, as_bars=as_bars)
    return Step("", (Call("", COMPUTE, {"files": references, **asked}),)) if asked else None


def _answer(question: Question, output: JsonObject) -> Step | None:
    rows, columns = output.get("rows") or [], output.get("columns") or []
    if not rows or all(value is None for value in rows[0]):
        return None
    if "chart" in output:
        files = ", ".join(map(_linked, output.get("files") or ()))
        is_other = charting.wants_pie(question) and output["chart"]["kind"] != "pie"
        said = answers.say(question.language, "charted_bars" if is_other else "charted", files=files)
        if len(rows) == charting.MOST and output["chart"]["kind"] == "bar":
            said += " " + answers.say(question.language, "charted_most", count=str(charting.MOST))
        return Step(answers.closed(said, question.language))
    values = [_shown(value, column, question) for value, column in zip(rows[0], columns, strict=False)]
    files = ", ".join(map(_linked, output.get("files") or ()))
    formula = str((output.get("formula") or {}).get(question.language) or "")
    conditions = [one["condition"] for one in output.get("tables") or () if one.get("condition")]
    formula += f" ({'; '.join(dict.fromkeys(conditions))})" if conditions else ""
    said = answers.say(
        question.language, "computed", files=files, result=" – ".join(values),
        formula=markdown.quoted(formula),
    )  # fmt: skip
    return Step(answers.closed(said, question.language))


def _linked(one: Mapping[str, Any]) -> str:
    return markdown.link(_file(one))


def _file(one: Mapping[str, Any]) -> File:
    return File(str(one.get("id")), str(one.get("name")), str(one.get("url")))


def _shown(value: Any, column: Mapping[str, Any], question: Question) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return markdown.quoted(str(value))
    shown = f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")
    if question.language == "de":
        shown = shown.translate(str.maketrans(",.", ".,"))
    unit = column.get("unit") or ("%" if column.get("name") == "share" else "")
    return f"{shown} {unit}".strip()
