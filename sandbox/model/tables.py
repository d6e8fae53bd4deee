"""Arithmetic questions over tables, and charts of tables, by simple rules.

A turn has these steps: search → look at the tables of the file that fits → fetch the rows of the table that fits →
compute → state the result. If a rule finds nothing that fits, other rules handle the question.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sandbox import ranking
from sandbox.conversation import Call, Conversation, Exchange, JsonObject, Step
from sandbox.model import answers, dated, markdown, nouns, questions, rows, tool_results, words
from sandbox.model.questions import Question
from sandbox.model.tool_results import SEARCH, File

COMPUTE = "compute"
ROWS, MOST_BARS, QUERIES = 200, 20, 4
KINDS = ("chart", "share", "difference", "average", "lowest", "highest", "sum", "count")
CHARTS = ("bar", "line", "area", "pie", "scatter")
_TABLES = re.compile(r"sheet|csv|excel|workbook|\bods\b", re.IGNORECASE)
_SUM = re.compile(
    r"SELECT sum\((?P<amount>[\w +]+)\) AS result FROM (?P<table>\w+)(?: WHERE (?P<where>.+))?", re.IGNORECASE
)
_SURE = 0.3
"""No further search is made if the score of a file is at least this."""
_SHOWN = 0.5
"""The weight of the passages of a file relative to its name."""
_TWO_SHARE = 0.5
"""The second file of a difference must have at least this share of the best file's score."""
_FITS = 0.8
"""A word names a column if their similarity is at least this."""


@dataclass(frozen=True)
class Plan:
    """A table, and the columns of numbers for which a question asks."""

    table: JsonObject
    amounts: Sequence[JsonObject]
    """The columns of numbers, in the order of the table."""

    @property
    def total(self) -> str:
        return _sum_of(self.amounts)


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step for an arithmetic question; None for other questions, or if no table fits."""
    kind = next((one for one in KINDS if words.find(one, question.text)), "")
    if COMPUTE not in conversation.tools or question.smalltalk:
        return None
    made = [one for one in conversation.now if one.call.name == COMPUTE]
    if (less := _less(conversation, question, made)) is not None:
        return less
    if kind == "chart":
        kept = {word: weight for word, weight in question.subject.items() if not words.find("drawn", word)}
        question = replace(question, subject=kept)
    if not kind or not question.subject:
        return None
    found = tool_results.collect(conversation.now)
    files = _files(question, found.files, two=kind == "difference")
    if not made or not files:
        searches = [call for call in found.calls if call.name == SEARCH]
        return None if made else _described(question, files, searches, conversation)
    # Where no file has the names, the rows have to.
    named = () if any(file.has(question.names) for file in files) else question.names
    try:
        return _computed(question, kind, files, made, named)
    except rows.Unknown as unknown:
        return _no_row(question, str(unknown), found.files, made[0].output or {})


def _described(
    question: Question, files: Sequence[File], searches: Sequence[Call], conversation: Conversation
) -> Step | None:
    """The step that searches for a table or, after the search, looks at the tables of the files that fit."""
    if not conversation.now and not question.links:
        return answers.search(question, [questions.query(question.subject)])
    if len(searches) == 1 and not any(_score(question, one) >= _SURE for one in files):
        alike = nouns.alike(question.subject, near=True) if _names_no_table(question) else question.wordings
        return answers.search(question, alike[:QUERIES], "single")
    said = answers.say(question.language, "tables", files=", ".join(file.name for file in files))
    return _compute(files, said) if files else None


def _compute(files: Sequence[File], said: str = "", **arguments: Any) -> Step:
    return Step(said, (Call("", COMPUTE, {"files": [file.reference for file in files], **arguments}),))


def _computed(
    question: Question, kind: str, files: Sequence[File], made: Sequence[Exchange], named: Sequence[str]
) -> Step | None:
    """The next step once the tables are known.

    Raises:
        rows.Unknown: The question names something that no row of them has.
    """
    outputs = [one.output for one in made if one.output is not None]
    refused = made[-1].output is None
    if not outputs or any("skipped" in one for one in outputs) or (refused and kind != "chart"):
        return None
    plans = _plans(question, kind, outputs[0])
    if not plans:
        return None
    if len(outputs) > (1 if kind == "chart" else 1 + len(plans)):
        return _answer(question, outputs[-1])
    if kind == "chart":
        drawn = made[-1].call.arguments.get("chart") or {}
        # A pie that cannot be drawn becomes bars, and nothing else is tried.
        arguments = None if refused and drawn.get("kind") != "pie" else chart(question, plans[0], as_bars=refused)
        return _compute(files, **arguments) if arguments else None
    if len(outputs) == 1:
        statements = [f"SELECT * FROM {plan.table['name']} LIMIT {ROWS}" for plan in plans]
        return Step("", tuple(_compute(files, query=one).calls[0] for one in statements))
    query = _query(question, kind, plans, outputs[1:], " ".join(file.path for file in files))
    return _compute(files, query=query) if query and all(one.casefold() in query.casefold() for one in named) else None


def _files(question: Question, found: Iterable[File], *, two: bool) -> list[File]:
    """The files of tables that fit the question best: one or, with `two`, up to two; or the linked files."""
    if question.links:
        return [File("", link.url, link.url) for link in question.links if link.kind == "file"][:2]
    tables = [
        file
        for file in found
        if _TABLES.search(f"{file.kind} {file.name}")
        and (file.papers & question.papers or not (file.papers and question.papers))
    ]
    known = max((file.has(question.names) for file in tables), default=0)
    fitting = [file for file in tables if file.has(question.names) == known and _score(question, file) > 0]
    fitting.sort(key=lambda file: -_score(question, file))
    if not fitting and len(tables) == 1 and _names_no_table(question):
        # “How much did we spend?” says of no table which one it is.
        return tables
    best = _score(question, fitting[0]) if fitting else 0.0
    return [file for file in fitting[: 2 if two else 1] if _score(question, file) >= _TWO_SHARE * best]


def _names_no_table(question: Question) -> bool:
    """Whether a question names no table, such as “How much did we spend in total?”."""
    return all(nouns.alike([word]) or nouns.is_operation(word) for word in question.subject)


def _score(question: Question, file: File) -> float:
    """How well a file fits the question, by its name or else by the passages that a search has shown."""
    speaks = file.speaks(question.subject)
    if file.has(question.names):
        return max(speaks, _SURE)
    is_alike = any(rows.has(word, file.name) == 1.0 for word in nouns.alike(question.subject))
    return file.score(question.subject) or _SHOWN * speaks or (_SURE if is_alike else 0.0)


def _plans(question: Question, kind: str, described: JsonObject) -> list[Plan]:
    """The best table of each file and, for a share, also the table of its totals; empty if no columns fit."""
    tables = [one for one in described.get("tables") or () if isinstance(one, dict)]
    plans: list[Plan] = []
    for key in dict.fromkeys(one["file_id"] for one in tables):
        own = [one for one in tables if one["file_id"] == key and not one["name"].endswith("_totals")]
        best = max(own, key=partial(_fit, question), default=None)
        if best is None:
            continue
        amounts = named_amounts(question, kind, best)
        totals = [one for one in tables if one["name"] == f"{best['name']}_totals" and kind == "share"]
        plans += [Plan(one, amounts) for one in (best, *totals)]
    if kind != "count" and not all(plan.amounts for plan in plans):
        return []
    return plans


def _fit(question: Question, table: JsonObject) -> float:
    """The weight of the question's words in the place, the columns and (with less weight) the first rows of a table."""
    around = f"{table['place']} {' '.join(one['label'] for one in table['columns'])}"
    first = " ".join(str(cell) for row in table["first_rows"] for cell in row)
    telling = {word: weight for word, weight in question.subject.items() if rows.has(word, table["file"]) < 1.0}
    return sum(weight * max(rows.has(word, around), 0.6 * rows.has(word, first)) for word, weight in telling.items())


def named_amounts(question: Question, kind: str, table: JsonObject) -> list[JsonObject]:
    """The number columns that the question names; of those that it names alike, the one for the whole."""
    numbers = [one for one in table["columns"] if one["type"] == "number"]
    years = [one for one in dict.fromkeys(dated.YEAR.findall(question.text)) if one not in table["file"]]
    of_years = [one for year in years for one in numbers if year in one["label"]]
    if years and not of_years and all(map(_is_yearly, numbers)):
        return []
    numbers = of_years or numbers
    # “Le plus élevé” names no column of pupils.
    extreme = words.find(kind, question.text) if kind in {"highest", "lowest"} else None
    no_label = extreme[0].split() if extreme else []
    every = [word for word in question.subject if not dated.YEAR.fullmatch(word) and word not in no_label]
    # A word of the table's name says which table; where no other names a column, it may do that as well.
    its_name = f"{table['file']} {table['place']} {table.get('title') or ''}"
    for wanted in ([word for word in every if rows.has(word, its_name) < 1.0], every if kind != "count" else []):
        hits = [sum(_is_label(word, one["label"], table["file"]) for word in wanted) for one in numbers]
        if any(hits):
            best = [one for one, count in zip(numbers, hits, strict=True) if count == max(hits)]
            # Prices are no pieces, and two units make no sum.
            plain = [one for one in best if not one.get("unit")] if words.find("count", question.text) else []
            return [one for one in plain or best if one.get("unit") == (plain or best)[0].get("unit")]
    if kind == "count" or of_years:
        return of_years if kind != "count" and len(of_years) == len(years) else []
    if kind != "count" and any(_is_label(word, label, table["file"]) for word in every for label in _rough(table)):
        return []
    yearly = [one for one in numbers if _is_yearly(one)]
    whole = [one for one in numbers if one in yearly or rows.has("total", one["label"])]
    if kind in {"sum", "average"} and whole == yearly != []:
        return yearly
    counted = _quantity(table) if kind == "difference" or words.find("count", question.text) else []
    return counted or whole[-1:] or (numbers if len(numbers) == 1 or kind == "chart" else [])


def _rough(table: JsonObject) -> list[str]:
    """The labels of columns of words with a digit or a formula, but the first: no other column stands for them."""
    cells = [*zip(table["columns"], zip(*table["first_rows"], strict=True), strict=False)][1:]
    return [
        one["label"]
        for one, own in cells
        if one["type"] == "text" and re.search(r"\d|(?:^|\s)=", " ".join(map(str, own)))
    ]


def _is_yearly(column: JsonObject) -> bool:
    return dated.YEAR.search(column["label"]) is not None


def _is_label(word: str, label: str, file: str) -> bool:
    """Whether a word names a column, alone or in a compound: Gesamtkosten, or Fahrtkosten if a file has this name."""
    stem, of_file = ranking.stem(word), rows.has(word, file) == 1.0
    ends = [one for one in ranking.stems(label.replace("_", " ")) if stem.endswith(one)]
    return rows.has(word, label) == 1.0 or any(nouns.is_form(stem, one) or (of_file and len(one) > 3) for one in ends)


def _quantity(table: JsonObject) -> list[JsonObject]:
    """The first column that states a quantity, as a list; empty if there is none."""
    numbers = [one for one in table["columns"] if one["type"] == "number"]
    return [one for one in numbers if words.find("quantity", one["label"])][:1]


def _query(question: Question, kind: str, plans: Sequence[Plan], found: Sequence[JsonObject], paths: str) -> str | None:
    """The query for a question, once the rows of its tables are known.

    Raises:
        rows.Unknown: The question names something that no row of them has.
    """
    # Of two files, a word of the name of one names no row of the other.
    paths = " ".join([paths, *(plan.table["file"] for plan in plans)])
    several = [
        rows.Rows(plan.table, plan.amounts, one, is_whole=len(one["rows"]) < ROWS, paths=paths)
        for plan, one in zip(plans, found, strict=True)
    ]
    if kind == "difference":
        return _difference(question, several)
    conditions = [one.condition(question) for one in several]
    if None in conditions:
        return None
    sources = [f"{plan.table['name']}{one}" for plan, one in zip(plans, conditions, strict=True)]
    first, source = plans[0], sources[0]
    if kind == "count" and not first.amounts:
        return _counted(question, first.table, source)
    if kind != "share":
        return _plain(question, kind, first, source)
    if " WHERE " not in source:
        return None
    # The whole may be a part of the table that has a total of its own, such as all revenue.
    has_totals = " WHERE " in sources[-1] and len(plans) > 1
    whole = sources[-1] if has_totals else first.table["name"]
    part = f"(SELECT {first.total} FROM {source})"
    return f"SELECT round(100 * {part} / (SELECT {plans[-1].total} FROM {whole}), 1) AS share"


def _counted(question: Question, table: JsonObject, source: str) -> str | None:
    """The query for the number of rows, or for the sum of a column of quantities; None if no rule fits."""
    counted = words.find("counted", question.text)
    is_row = counted is not None and rows.has(counted[1], table["file"]) >= ranking.ALIKE
    if source != table["name"] and not is_row and (pieces := _quantity(table)):
        return f"SELECT sum({pieces[0]['name']}) AS number FROM {source}"
    return f"SELECT count(*) AS number FROM {source}" if counted is not None or source != table["name"] else None


def _difference(question: Question, several: Sequence[rows.Rows]) -> str | None:
    """The query for the difference of two groups of rows of a table, of two of its columns, or of two tables."""
    if len(several) > 1:
        parts = [(_sum_of(one.amounts), one.table["name"], one.condition(question)) for one in several]
    elif len(amounts := several[0].amounts) == 2 and _is_yearly(amounts[0]):
        parts = [(_sum_of([one]), several[0].table["name"], several[0].condition(question)) for one in amounts]
    else:
        sides = several[0].sides(question)
        parts = [(_sum_of(amounts), several[0].table["name"], one) for one in sides or ()]
    if len(parts) != 2 or any(where is None for _, _, where in parts):
        return None
    first, second = (f"(SELECT {total} FROM {table}{where})" for total, table, where in parts)
    if words.find("less", question.text):
        first, second = second, first
    has_sign = words.find("more", question.text) or words.find("less", question.text)
    return f"SELECT {first} - {second} AS difference" if has_sign else f"SELECT abs({first} - {second}) AS difference"


def _sum_of(amounts: Sequence[JsonObject]) -> str:
    """The SQL for the sum of some columns. They are summed one by one, because a row may lack a value in some."""
    return " + ".join(f"sum({one['name']})" for one in amounts)


def _plain(question: Question, kind: str, plan: Plan, source: str) -> str:
    """The query for the highest or lowest row, or for the sum or average of all rows or of each group of rows."""
    if kind in {"highest", "lowest"}:
        label = [one["name"] for one in plan.table["columns"] if one["type"] != "number"][:1]
        chosen = plan.amounts[0]["name"]
        order = f"ORDER BY {chosen} {'DESC' if kind == 'highest' else 'ASC'} NULLS LAST LIMIT 1"
        return f"SELECT {', '.join([*label, chosen])} FROM {source} {order}"
    names = [one["name"] for one in plan.amounts]
    result = f"avg({' + '.join(names)}) AS result" if kind == "average" else f"{plan.total} AS result"
    if len(names) > 1 and all(map(_is_yearly, plan.amounts)) and not dated.YEAR.search(question.text):
        result = ", ".join(f"{'avg' if kind == 'average' else 'sum'}({name}) AS {name}" for name in names)
    if (group := _group(question, plan)) is not None:
        order = "1" if group.startswith("date_trunc(") else "2 DESC"
        return f"SELECT {group} AS part, {result} FROM {source} GROUP BY 1 ORDER BY {order} LIMIT {MOST_BARS}"
    return f"SELECT {result} FROM {source}"


def _group(question: Question, plan: Plan) -> str | None:
    """The SQL of the column or span of time by which results are grouped; None if the question asks for one result."""
    by, span = _by(question)
    others = [one for one in plan.table["columns"] if one not in plan.amounts]
    named = next((one for word in by for one in others if rows.has(word, one["label"]) >= _FITS), None)
    days = rows.of_days(others)
    if named is None:
        return f"date_trunc('{span}', {days[0]['name']})" if span and days else None
    return named["name"]


def _by(question: Question) -> tuple[list[str], str]:
    """The words by which results are to be grouped, and the span of time that one of them names; empty if none does."""
    by = [one for one in words.behind("by", r"[^\W\d_][\w-]+", question.text) if not words.find("drawn", one)]
    return by, next(filter(None, map(words.span, by)), "")


def _less(conversation: Conversation, question: Question, made: Sequence[Exchange]) -> Step | None:
    """The next step of a question that takes rows from the sum before it, such as “and without Berlin?”; None for
    any other, and where no row has the word.
    """
    asked = rows.left_out(question)
    results = [one.output for one in conversation.before if one.call.name == COMPUTE and one.output is not None]
    last = next((one for one in reversed(results) if one.get("cell")), None)
    found = _SUM.fullmatch(" ".join(str(last.get("query")).split())) if last is not None else None
    if not asked or last is None or found is None or len(last.get("rows") or ()) != 1:
        return None
    files = [File(str(one.get("id")), "", str(one.get("url") or "")) for one in last.get("files") or ()]
    if not made:
        return _compute(files, query=f"SELECT * FROM {found['table']} LIMIT {ROWS}")
    fetched = made[0].output
    if made[-1].output is None or fetched is None:
        return None
    if len(made) > 1:
        return _answer(question, made[-1].output)
    condition = rows.any_of(asked, fetched)
    # The rows that are taken away are of the sum: its condition holds for them as well.
    where = f"({found['where']}) AND {condition}" if found["where"] else condition
    taken = f"SELECT coalesce(sum({found['amount']}), 0) FROM {found['table']} WHERE {where}"
    query = f"SELECT (SELECT result FROM {last['cell']}) - ({taken}) AS result"
    return _compute(files, query=query, cells=[str(last["cell"])]) if condition else None


def chart(question: Question, plan: Plan, *, as_bars: bool = False) -> dict[str, Any] | None:
    """The query and the chart for a table; None if it has no column to draw by, or not the one that is asked for."""
    kind, amount, table = chart_kind(question), plan.amounts[0]["name"], plan.table["name"]
    others = [one for one in plan.table["columns"] if one["name"] != amount]
    by, span = _by(question)
    fit = {
        one["name"]: max((rows.has(word, one["label"]) for word in by or question.subject), default=0.0)
        for one in others
    }
    days = rows.of_days(others)
    goes_on = kind in {"line", "area"}
    if kind == "scatter":
        fitting = [one for one in others if one["type"] == "number"]
    elif not (fitting := [one for one in others if fit[one["name"]] >= _FITS]):
        if by and not (span and days):
            return None
        fitting = days if days and (span or goes_on) else [one for one in others if one["type"] != "number"]
    best = max(fitting, key=lambda one: (fit[one["name"]], goes_on and one in days), default=None)
    if best is None:
        return None
    kind = "bar" if as_bars else kind or ("line" if best in days else "bar")
    x, query = _drawn(best, amount, table, kind, span or "month")
    title = " ".join(question.text.split()).rstrip("?.!")[:100]
    return {"query": query, "chart": {"kind": kind, "x": x, "y": [amount], "title": title}}


def chart_kind(question: Question) -> str:
    """The kind of chart that the first such word of a question names; empty if there is none."""
    named = [(match.start(), kind) for kind in CHARTS if (match := words.find(kind, question.text))]
    return min(named)[1] if named else ""


def _drawn(column: JsonObject, amount: str, table: str, kind: str, span: str) -> tuple[str, str]:
    """The name of the x axis of a chart, and the query for its points."""
    name, is_dated = column["name"], bool(rows.of_days([column]))
    if kind == "scatter":
        return name, f"SELECT {name}, {amount} FROM {table} WHERE {name} IS NOT NULL LIMIT {ROWS}"
    by, x = (f"date_trunc('{span}', {name})", span) if is_dated else (name, name)
    points = (
        f"SELECT {by} AS {x}, {amount} AS amount, row_number() OVER () AS place FROM {table} WHERE {name} IS NOT NULL"
    )
    query = f"SELECT {x}, sum(amount) AS {amount} FROM ({points}) AS points GROUP BY 1"
    if is_dated or column["type"] == "number":
        return x, f"{query} ORDER BY 1 LIMIT {ROWS}"
    if kind in {"line", "area"}:
        # Names of months stand in the order of the file.
        return x, f"{query} ORDER BY min(place) LIMIT {ROWS}"
    # A part that were left out of a pie would make the others too large.
    return x, f"{query} ORDER BY 2 DESC" + (f" LIMIT {MOST_BARS}" if kind == "bar" else "")


def _answer(question: Question, output: JsonObject) -> Step | None:
    result, columns = output.get("rows") or [], output.get("columns") or []
    if not result or all(value is None for value in result[0]):
        return None
    language = question.language
    files = _links(output)
    if "chart" in output:
        kind = output["chart"]["kind"]
        is_other = chart_kind(question) == "pie" != kind
        said = answers.say(language, "charted_bars" if is_other else "charted", files=files)
        said += (
            answers.say(language, "charted_most", count=MOST_BARS) if len(result) == MOST_BARS and kind == "bar" else ""
        )
        return answers.final(language, said)
    lines = [" – ".join(map(partial(_shown, language), row, columns)) for row in result]
    if len(columns) > 1 and all(map(dated.YEAR.search, (str(one.get("label")) for one in columns))):
        # Of years side by side each figure is that of another one.
        figures = zip(columns, result[0], strict=True)
        lines = [f"{column['label']}: {_shown(language, value, column)}" for column, value in figures]
    formula = str((output.get("formula") or {}).get(language) or "")
    conditions = [one["condition"] for one in output.get("tables") or () if one.get("condition")]
    formula += f" ({'; '.join(dict.fromkeys(conditions))})" if conditions else ""
    shown = {"files": files, "result": "; ".join(lines), "formula": markdown.quoted(formula)}
    return answers.final(language, answers.say(language, "computed", **shown))


def _no_row(question: Question, word: str, found: Sequence[File], output: JsonObject) -> Step | None:
    """The answer that no row has a word; None if a passage of a file has it, so that other rules may answer."""
    if any(rows.has(word, file.shown) == 1.0 for file in found):
        return None
    return answers.final(question.language, answers.say(question.language, "no_row", word=word, files=_links(output)))


def _links(output: JsonObject) -> str:
    files = output.get("files") or ()
    return ", ".join(
        markdown.link(File(str(one.get("id")), str(one.get("name")), str(one.get("url")))) for one in files
    )


def _shown(language: str, value: Any, column: Mapping[str, Any]) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return markdown.quoted(str(value).removesuffix("T00:00:00"))
    shown = f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")
    if language == "de":
        shown = shown.translate(str.maketrans(",.", ".,"))
    return f"{shown} {column.get('unit') or ('%' if column.get('name') == 'share' else '')}".strip()
