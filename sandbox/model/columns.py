"""The columns of a table for which a question asks."""

import re
from collections.abc import Iterable

from sandbox import ranking, times
from sandbox.conversation import JsonObject
from sandbox.model import nouns, rows, words
from sandbox.model.questions import Question


def named(question: Question, kind: str, table: JsonObject) -> list[JsonObject]:
    """The columns of numbers that a question names. Of columns that fit equally, it is the one with the total."""
    numbers = [
        one for at, one in enumerate(table["columns"]) if one["type"] == "number" and not _numbers_rows(table, at)
    ]
    years = [one for one in dict.fromkeys(times.YEAR.findall(question.text)) if one not in table["file"]]
    of_years = [one for year in years for one in numbers if year in one["label"]]
    if years and not of_years and all(map(is_yearly, numbers)):
        return []
    numbers = of_years or numbers
    # “Le plus élevé” names no column of pupils.
    extreme = words.find(kind, question.text) if kind in {"highest", "lowest"} else None
    no_label = extreme[0].split() if extreme else []
    every = [word for word in asked(question, numbers) if not times.YEAR.fullmatch(word) and word not in no_label]
    # A word of the table's name usually only names the table. If no other word names a column, it may name one too.
    its_name = f"{table['file']} {table['place']} {table.get('title') or ''}"
    for wanted in ([word for word in every if rows.has(word, its_name) < 1.0], every if kind != "count" else []):
        hits = [sum(_is_label(word, one["label"], table["file"]) for word in wanted) for one in numbers]
        if any(hits):
            best = [one for one, count in zip(numbers, hits, strict=True) if count == max(hits)]
            # A count excludes columns with a unit, such as prices. Columns with different units have no sum.
            plain = [one for one in best if not one.get("unit")] if words.find("count", question.text) else []
            best = [one for one in plain or best if one.get("unit") == (plain or best)[0].get("unit")]
            # If two columns have the same label, it is unknown which one is meant.
            return best if len({one["label"] for one in best}) == len(best) else []
    if kind in {"count", "plain"} or of_years:
        return of_years if kind != "count" and len(of_years) == len(years) else []
    if any(_is_label(word, label, table["file"]) for word in every for label in _digit_labels(table)):
        return []
    yearly = [one for one in numbers if is_yearly(one)]
    whole = [one for one in numbers if one in yearly or rows.has("total", one["label"])]
    if kind in {"sum", "average"} and whole == yearly != []:
        return yearly
    counted = quantity(table) if kind == "difference" or words.find("count", question.text) else []
    # A share may be a share of the number of rows, unless the question names an amount.
    is_of_amounts = kind != "share" or words.find("sum", question.text) or nouns.alike(every)
    is_only = (len(numbers) == 1 and is_of_amounts) or kind == "chart"
    return counted or whole[-1:] or (numbers if is_only else [])


def asked(question: Question, numbers: Iterable[JsonObject]) -> list[str]:
    """The words of a question that may name columns, also those that searches ignore, as in “What went out in May?”."""
    # In small letters, such a word names a column only if no noun follows.
    joints = "|".join([*words.listed("and"), "in|on|for|from|between|since|im|am"])
    labels = [one["label"] for one in numbers if one["label"].casefold() in ranking.stopwords()]
    ends = rf"(?=\W*\Z|[?.!,]|\s(?:{joints})\b)"
    found = [re.search(rf"(?<=\w\s)\b(?:{one}\b|{one.casefold()}\b{ends})", question.text) for one in labels]
    return [*question.subject, *(one[0] for one in found if one)]


def _numbers_rows(table: JsonObject, at: int) -> bool:
    """Whether a column only numbers the rows."""
    numbers = [row[at] for row in table["first_rows"]]
    is_one = at == 0 and len(numbers) > 1 and isinstance(numbers[0], int)
    return is_one and numbers == [*range(numbers[0], numbers[0] + len(numbers))]


def _digit_labels(table: JsonObject) -> list[str]:
    """The labels of text columns that contain digits or formulas. No other column can replace such a column.

    The first column counts only if it has nothing but digits, because it usually names the rows.
    """
    cells = [*zip(table["columns"], zip(*table["first_rows"], strict=True), strict=False)]
    return [
        one["label"]
        for at, (one, own) in enumerate(cells)
        if one["type"] == "text" and re.search(r"\d|(?:^|\s)=" if at else r"\A[\d\s]+\Z", " ".join(map(str, own)))
    ]


def is_yearly(column: JsonObject) -> bool:
    return times.YEAR.search(column["label"]) is not None


def _is_label(word: str, label: str, file: str) -> bool:
    """Whether a word names a column, alone or in a compound: Gesamtkosten, or Fahrtkosten if a file has this name."""
    stem, of_file = ranking.stem(word), rows.has(word, file) == 1.0
    ends = [one for one in ranking.stems(label.replace("_", " ")) if stem.endswith(one)]
    return rows.has(word, label) == 1.0 or any(nouns.is_form(stem, one) or (of_file and len(one) > 3) for one in ends)


def quantity(table: JsonObject) -> list[JsonObject]:
    """The first column that states a quantity, as a list; empty if there is none."""
    numbers = [one for one in table["columns"] if one["type"] == "number"]
    return [one for one in numbers if words.find("quantity", one["label"])][:1]
