"""Arithmetic questions over tables, and charts of tables, by simple rules.

A turn has these steps: search → look at the tables of the file that fits → fetch the rows of the table that fits →
compute → state the result. If a rule finds nothing that fits, other rules handle the question.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sandbox import ranking, times
from sandbox.conversation import Call, Conversation, Exchange, JsonObject, Step
from sandbox.model import answers, columns, markdown, nouns, questions, rows, tool_results, words
from sandbox.model.questions import Question
from sandbox.model.tool_results import SEARCH, File

COMPUTE = "compute"
ROWS, MOST_BARS, QUERIES = 200, 20, 4
_EXTREMES = ("lowest", "highest")
KINDS = ("chart", "share", "difference", "average", "lowest", "highest", "sum", "count")
CHARTS = ("bar", "line", "area", "pie", "scatter")
_TABLES = re.compile(r"sheet|csv|excel|workbook|\bods\b|\| ?-{3}", re.IGNORECASE)
"""Matches the kind or name of a file of tables, or the line below the header of a table in another file."""
_SUM = re.compile(
    r"SELECT sum\((?P<amount>[\w +]+)\) AS result FROM (?P<table>\w+)(?: WHERE (?P<where>.+))?", re.IGNORECASE
)
_SURE = 0.3
"""No further search is made if the score of a file is at least this."""
_SHOWN = 0.5
"""The weight of the passages of a file relative to its name."""
_TWO_SHARE = 0.5
"""The second file of a difference must have at least this share of the best file's score."""
_IN_COLUMN = "in the column "
"""The beginning of the unit of a column whose units stand in another column."""
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

    @property
    def unit_column(self) -> str:
        """The column with the unit of each row, if the amounts have several units; else empty."""
        found = {str(one.get("unit", "")).partition(_IN_COLUMN)[2] for one in self.amounts}
        return found.pop() if len(found) == 1 else ""


def step(conversation: Conversation, question: Question) -> Step | None:
    """The next step for an arithmetic question; None for other questions, or if no table fits."""
    question = rows.limited(question)
    by = _grouping(question)[0]
    # “Hours per worker” and “the hours in May” are sums or numbers of rows, which only the columns tell.
    is_plain = by or times.named(question.text)
    kind = next((one for one in KINDS if words.find(one, question.text)), "plain" if is_plain else "")
    if kind in _EXTREMES:
        question = rows.ranked(question)
    if COMPUTE not in conversation.tools or question.smalltalk:
        return None
    made = [one for one in conversation.now if one.call.name == COMPUTE]
    if (step_without := _without_rows(conversation, question, made)) is not None:
        return step_without
    if kind == "chart":
        kept = {word: weight for word, weight in question.subject.items() if not words.find("drawn", word)}
        question = replace(question, subject=kept)
    if not kind or not question.subject or (kind not in {"chart", "difference"} and words.find("than", question.text)):
        return None
    found = tool_results.collect(conversation.now)
    files = _files(question, found.files, two=kind == "difference")
    if kind == "plain" and not question.links:
        # Only the best file may answer a question that names no operation, unless it has the column of the groups.
        parts = [file for file in files if any(words.span(word) or rows.has(word, file.shown) == 1.0 for word in by)]
        files = parts or [file for file in files if not by and file == found.files[0]]
    if not made or not files:
        searches = [call for call in found.calls if call.name == SEARCH]
        return None if made else _described(question, kind, files, searches, conversation)
    try:
        return _computed(question, kind, files, made)
    except rows.Unknown as unknown:
        is_meant = question.links or _names_no_table(question) or any(_is_meant(question, one) for one in files)
        says_so = is_meant and kind != "plain"
        return _no_row(question, str(unknown), found.files, made[0].output or {}) if says_so else None


def _described(
    question: Question, kind: str, files: Sequence[File], searches: Sequence[Call], conversation: Conversation
) -> Step | None:
    """The step that searches for a table or, after the search, looks at the tables of the files that fit."""
    if not conversation.now and not question.links:
        # A question without an operation may be about a text, which its whole wording finds better.
        wordings = [question.wording] if kind == "plain" else []
        return answers.search(question, [questions.query(question.subject), *wordings])
    if len(searches) == 1 and not any(_score(question, one) >= _SURE for one in files):
        alike = nouns.alike(question.subject, near=True) if _names_no_table(question) else question.wordings
        return answers.search(question, alike[:QUERIES], "single")
    said = answers.say(question.language, "tables", files=", ".join(file.name for file in files))
    return _compute(files, said) if files else None


def _compute(files: Sequence[File], said: str = "", **arguments: Any) -> Step:
    return Step(said, (Call("", COMPUTE, {"files": [file.reference for file in files], **arguments}),))


def _computed(question: Question, kind: str, files: Sequence[File], made: Sequence[Exchange]) -> Step | None:
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
        # A pie that cannot be drawn becomes a bar chart. There is no third attempt.
        arguments = None if refused and drawn.get("kind") != "pie" else chart(question, plans[0], as_bars=refused)
        return _compute(files, **arguments) if arguments else None
    if len(outputs) == 1:
        statements = [f"SELECT * FROM {plan.table['name']} LIMIT {ROWS}" for plan in plans]
        return Step("", tuple(_compute(files, query=one).calls[0] for one in statements))
    query = _query(question, kind, plans, outputs[1:], " ".join(file.path for file in files))
    return _compute(files, query=query) if query else None


def _files(question: Question, found: Iterable[File], *, two: bool) -> list[File]:
    """The files of tables that fit the question best: one or, with `two`, up to two; or the linked files."""
    if question.links:
        return [File("", link.url, link.url) for link in question.links if link.kind == "file"][:2]
    tables = [
        file
        for file in found
        if _TABLES.search(f"{file.kind} {file.name} {file.shown}")
        and (file.papers & question.papers or not (file.papers and question.papers))
    ]
    known = max((file.has(question.names) for file in tables), default=0)
    fitting = [file for file in tables if file.has(question.names) == known and _score(question, file) > 0]
    fitting.sort(key=lambda file: -_score(question, file))
    if not fitting and len(tables) == 1 and _names_no_table(question):
        # “How much did we spend?” names no table, so the only table is meant.
        return tables
    best = _score(question, fitting[0]) if fitting else 0.0
    return [file for file in fitting[: 2 if two else 1] if _score(question, file) >= _TWO_SHARE * best]


def _names_no_table(question: Question) -> bool:
    """Whether a question names no table, such as “How much did we spend in total?”."""
    return all(nouns.alike([word]) or nouns.is_operation(word) or word[0].isdigit() for word in question.subject)


def _score(question: Question, file: File) -> float:
    """How well a file fits the question, by its name or else by the passages that a search has shown."""
    with_passages = file.score_with_passages(question.subject)
    if file.has(question.names):
        return max(with_passages, _SURE)
    is_meant = _is_meant(question, file)
    return file.score(question.subject) or _SHOWN * with_passages or (_SURE if is_meant else 0.0)


def _is_meant(question: Question, file: File) -> bool:
    """Whether the question has a word of the file's name, or a synonym."""
    alike = (rows.has(word, file.name) == 1.0 for word in nouns.alike(question.subject))
    return file.score(question.subject) > 0 or any(alike)


def _plans(question: Question, kind: str, described: JsonObject) -> list[Plan]:
    """The best table of each file and, for a share, also the table of its totals; empty if no columns fit."""
    tables = [one for one in described.get("tables") or () if isinstance(one, dict)]
    plans: list[Plan] = []
    for key in dict.fromkeys(one["file_id"] for one in tables):
        own = [one for one in tables if one["file_id"] == key and not one["name"].endswith("_totals")]
        best = max(own, key=partial(_fit, question), default=None)
        if best is None:
            continue
        amounts = columns.named(question, kind, best)
        totals = [one for one in tables if one["name"] == f"{best['name']}_totals" and kind == "share"]
        plans += [Plan(one, amounts) for one in (best, *totals)]
    if kind not in {"count", "plain"} and not all(plan.amounts for plan in plans):
        return []
    return plans


def _fit(question: Question, table: JsonObject) -> float:
    """The weight of the question's words in the place, the columns and (with less weight) the first rows of a table."""
    around = f"{table['place']} {' '.join(one['label'] for one in table['columns'])}"
    first = " ".join(str(cell) for row in table["first_rows"] for cell in row)
    telling = {word: weight for word, weight in question.subject.items() if rows.has(word, table["file"]) < 1.0}
    return sum(weight * max(rows.has(word, around), 0.6 * rows.has(word, first)) for word, weight in telling.items())


def _query(question: Question, kind: str, plans: Sequence[Plan], found: Sequence[JsonObject], paths: str) -> str | None:
    """The query for a question, once the rows of its tables are known.

    Raises:
        rows.Unknown: The question names something that no row of them has.
    """
    # A word of the name of one file chooses no rows of the other file.
    paths = " ".join([paths, *(plan.table["file"] for plan in plans)])
    several = [
        rows.Rows(plan.table, plan.amounts, one, is_whole=len(one["rows"]) < ROWS, paths=paths)
        for plan, one in zip(plans, found, strict=True)
    ]
    if kind == "difference":
        return _difference(question, several)
    where = several[0].condition(question)
    if where is None:
        return None
    source = f"{plans[0].table['name']}{where}"
    if kind != "share":
        return _plain(question, kind, plans[0], source, several[0])
    if not where:
        return None
    # The whole may have a total of its own, such as that of all revenue.
    chosen = ranking.stems(" ".join(re.findall(r"'(.*?)'", where)))
    left = {word: weight for word, weight in question.subject.items() if ranking.stem(word) not in chosen}
    text = re.sub(r"\w+", lambda word: "" if ranking.stem(word[0]) in chosen else word[0], question.text)
    rest = replace(question, text=text, subject=left)
    whole, total = plans[0].table["name"], plans[0].total
    for plan, one in zip(plans[1:], several[1:], strict=True):
        with suppress(rows.Unknown):
            if of_total := one.condition(rest):
                whole, total = f"{plan.table['name']}{of_total}", plan.total
    return f"SELECT round(100 * (SELECT {plans[0].total} FROM {source}) / (SELECT {total} FROM {whole}), 1) AS share"


def _counted(question: Question, plan: Plan, source: str) -> str | None:
    """The SQL for the number of rows, or for the sum of a column of quantities; None if no rule fits."""
    table, counted = plan.table, words.find("counted", question.text)
    asked = counted[1] if counted else ""
    named = [
        one
        for one in table["columns"]
        if any(rows.has(word, one["label"]) == 1.0 > rows.has(word, table["file"]) for word in question.subject)
        and not _is_named(one, _grouping(question)[0])
    ]
    is_row = counted is not None and (rows.has(asked, table["file"]) >= ranking.ALIKE or words.find("plain", asked))
    if plan.amounts and not is_row and not question.limits:
        return f"{plan.total} AS number"
    if source != table["name"] and not is_row and not question.limits and (pieces := columns.quantity(table)):
        return f"sum({pieces[0]['name']}) AS number"
    if source == table["name"] and named and named[0]["type"] == "text" and rows.has(asked, named[0]["label"]) == 1.0:
        return f"count(DISTINCT {named[0]['name']}) AS number"
    if any(one["name"] not in source and rows.has(asked, one["label"]) < 1.0 for one in named):
        # The question names a column without a value in it, which may restrict the rows in an unknown way.
        return None
    return "count(*) AS number" if counted is not None or source != table["name"] else None


def _difference(question: Question, several: Sequence[rows.Rows]) -> str | None:
    """The query for the difference of two groups of rows of a table, of two of its columns, or of two tables."""
    if len(several) > 1:
        parts = [(_sum_of(one.amounts), one.table["name"], one.condition(question)) for one in several]
    elif len(amounts := _separately_named(question, several[0].amounts)) == 2:
        parts = [(_sum_of([one]), several[0].table["name"], several[0].condition(question)) for one in amounts]
    else:
        sides = several[0].sides(question)
        parts = [(_sum_of(several[0].amounts), several[0].table["name"], one) for one in sides or ()]
    if len(parts) != 2 or any(where is None for _, _, where in parts):
        return None
    first, second = (f"(SELECT {total} FROM {table}{where})" for total, table, where in parts)
    if words.find("less", question.text):
        first, second = second, first
    has_sign = words.find("more", question.text) or words.find("less", question.text)
    return f"SELECT {first} - {second} AS difference" if has_sign else f"SELECT abs({first} - {second}) AS difference"


def _separately_named(question: Question, amounts: Sequence[JsonObject]) -> list[JsonObject]:
    """Two columns of amounts that the question names separately, in its order; empty if it does not."""
    asked = columns.asked(question, amounts)
    named = [{word for word in asked if rows.has(word, one["label"]) == 1.0} for one in amounts]
    if len(amounts) != 2 or named[0] <= named[1] or named[1] <= named[0]:
        return []
    places = [min(question.text.find(word) for word in own - other) for own, other in (named, [*reversed(named)])]
    return [one for _, one in sorted(zip(places, amounts, strict=True), key=lambda pair: pair[0])]


def _sum_of(amounts: Sequence[JsonObject]) -> str:
    """The SQL for the sum of some columns. They are summed one by one, because a row may lack a value in some."""
    return " + ".join(f"sum({one['name']})" for one in amounts)


def _plain(question: Question, kind: str, plan: Plan, source: str, found: rows.Rows) -> str | None:
    """The query for the highest or lowest row, or for the number, sum or average of all rows or of each group of rows;
    None if no rule fits.
    """
    group = _group(question, plan)
    if kind in _EXTREMES and not group:
        return _extreme(question, kind, plan, source, found)
    names = [one["name"] for one in plan.amounts]
    of = {"highest": "max", "lowest": "min", "average": "avg"}.get(kind)
    result = f"{of}({' + '.join(names)}) AS result" if of else f"{plan.total} AS result"
    if kind == "count":
        result = _counted(question, plan, source)
    elif kind == "plain":
        is_part = group or (names and source != plan.table["name"])
        result = (f"{plan.total} AS result" if names else "count(*) AS number") if is_part else None
    elif len(names) > 1 and all(map(columns.is_yearly, plan.amounts)) and not times.YEAR.search(question.text):
        result = ", ".join(f"{of or 'sum'}({name}) AS {name}" for name in names)
    if result is None or group is None:
        return None
    if group:
        # Amounts of different units have no order.
        order = "1" if group.startswith("date_trunc(") or group == plan.unit_column else "2 DESC"
        return f"SELECT {group} AS part, {result} FROM {source} GROUP BY 1 ORDER BY {order} LIMIT {MOST_BARS}"
    return f"SELECT {result} FROM {source}"


def _extreme(question: Question, kind: str, plan: Plan, source: str, found: rows.Rows) -> str | None:
    """The query for the row with the highest or lowest amount; None for that of several amounts."""
    if len(plan.amounts) > 1:
        return None
    chosen, order = plan.amounts[0]["name"], "DESC" if kind == "highest" else "ASC"
    others = [one for one in plan.table["columns"] if one["type"] != "number"]
    # A word of the file's name names a column only where no other word does.
    own = [word for word in question.subject if rows.has(word, plan.table["file"]) < 1.0]
    named = next(
        filter(None, ([one for one in others if _is_named(one, several)] for several in (own, question.subject))), []
    )
    # A name that several rows have does not say which of them it is.
    single = [one for one in others if one["type"] == "text" and not found.repeats(one["name"])]
    label = [one["name"] for one in (named or single or others)[:1]]
    is_over_all = question.most > 1 or words.find("most", question.text) or words.find("sum", question.text)
    if label and is_over_all and found.repeats(label[0]):
        # Who has the most has it over all rows.
        of, by = f"{label[0]}, sum({chosen}) AS result FROM {source} GROUP BY 1", f"2 {order}"
    else:
        of, by = f"{', '.join([*label, chosen])} FROM {source}", f"{chosen} {order} NULLS LAST"
    return f"SELECT {of} ORDER BY {by} LIMIT {question.most}"


def _is_named(column: JsonObject, several: Iterable[str]) -> bool:
    """Whether one of some words names a column."""
    return any(rows.has(word, column["label"]) >= _FITS for word in several)


def _group(question: Question, plan: Plan) -> str | None:
    """The SQL of the column or span of time by which results are grouped; empty if the question asks for one result,
    and None for groups that no rule knows.
    """
    by, span = _grouping(question)
    others = [one for one in plan.table["columns"] if one not in plan.amounts]
    named = [one for one in others if _is_named(one, by)]
    days = rows.of_days(others)
    if not named and span and days:
        return f"date_trunc('{span}', {days[0]['name']})"
    if not named:
        return plan.unit_column
    return named[0]["name"] if len(named) == 1 else None


def _grouping(question: Question) -> tuple[list[str], str]:
    """The words by which results are to be grouped, and the span of time that one of them names; empty if none does."""
    found = words.behind("by", rf"{rows.WORD}(?:{rows.joint()}{rows.WORD})*", question.text)
    by = [one for several in found for one in re.findall(rows.WORD, several) if not words.find("drawn", one)]
    return by, next(filter(None, map(words.span, by)), "")


def _without_rows(conversation: Conversation, question: Question, made: Sequence[Exchange]) -> Step | None:
    """The next step for a question that excludes rows from the previous sum, such as “and without Berlin?”.

    It is None for other questions, or if no row contains the word.
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
    # Only rows that are part of the previous sum are subtracted.
    where = f"({found['where']}) AND {condition}" if found["where"] else condition
    taken = f"SELECT coalesce(sum({found['amount']}), 0) FROM {found['table']} WHERE {where}"
    query = f"SELECT (SELECT result FROM {last['cell']}) - ({taken}) AS result"
    return _compute(files, query=query, cells=[str(last["cell"])]) if condition else None


def chart(question: Question, plan: Plan, *, as_bars: bool = False) -> dict[str, Any] | None:
    """The query and the chart for a table; None if it has no column to draw by, or not the one that is asked for."""
    kind, amount, table = chart_kind(question), plan.amounts[0]["name"], plan.table["name"]
    others = [one for one in plan.table["columns"] if one["name"] != amount]
    by, span = _grouping(question)
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
    x, query = _axis_and_query(best, amount, table, kind, span)
    title = " ".join(question.text.split()).rstrip("?.!")[:100]
    return {"query": query, "chart": {"kind": kind, "x": x, "y": [amount], "title": title}}


def chart_kind(question: Question) -> str:
    """The kind of chart that the first such word of a question names; empty if there is none."""
    named = [(match.start(), kind) for kind in CHARTS if (match := words.find(kind, question.text))]
    return min(named)[1] if named else ""


def _axis_and_query(column: JsonObject, amount: str, table: str, kind: str, span: str) -> tuple[str, str]:
    """The name of the x axis of a chart, and the query for its points."""
    name, is_dated = column["name"], bool(rows.of_days([column]))
    if kind == "scatter":
        return name, f"SELECT {name}, {amount} FROM {table} WHERE {name} IS NOT NULL LIMIT {ROWS}"
    by, x = (f"date_trunc('{span or 'month'}', {name})", span or "month") if is_dated else (name, name)
    points = (
        f"SELECT {by} AS {x}, {amount} AS amount, row_number() OVER () AS place FROM {table} WHERE {name} IS NOT NULL"
    )
    query = f"SELECT {x}, sum(amount) AS {amount} FROM ({points}) AS points GROUP BY 1"
    if is_dated or column["type"] == "number":
        return x, f"{query} ORDER BY 1 LIMIT {ROWS}"
    if kind in {"line", "area"} or (span and kind == "bar"):
        # Keeps the order of the file, which is that of the months if they are names.
        return x, f"{query} ORDER BY min(place) LIMIT {ROWS}"
    # A pie needs all parts: without one, the others would be too large.
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
        if len(result) == MOST_BARS and str(output.get("query")).endswith(f"LIMIT {MOST_BARS}"):
            said += answers.say(language, "charted_most", count=MOST_BARS)
        return answers.final(language, said)
    lines = [" – ".join(map(partial(_figure_text, language), row, columns)) for row in result]
    if len(columns) > 1 and all(map(times.YEAR.search, (str(one.get("label")) for one in columns))):
        # Each column is a year, so its label is shown with the figure.
        figures = zip(columns, result[0], strict=True)
        lines = [f"{column['label']}: {_figure_text(language, value, column)}" for column, value in figures]
    formula = str((output.get("formula") or {}).get(language) or "")
    conditions = [one["condition"][language] for one in output.get("tables") or () if one.get("condition")]
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


def _figure_text(language: str, value: Any, column: Mapping[str, Any]) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return markdown.quoted(str(value).removesuffix("T00:00:00"))
    shown = f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")
    if language == "de":
        shown = shown.translate(str.maketrans(",.", ".,"))
    return f"{shown} {column.get('unit') or ('%' if column.get('name') == 'share' else '')}".strip()
