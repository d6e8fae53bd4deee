"""Chooses the rows of a table for a question: by their text, by their time, or by rows that it excludes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from sandbox import ranking, times
from sandbox.conversation import JsonObject
from sandbox.model import nouns, words
from sandbox.model.questions import Question

WORD = r"[^\W\d_][\w-]+"
_NAMES = r"\w[\w-]*(?: (?-i:[A-ZÀ-ÖØ-Þ])[\w-]*)*"
"""A pattern for a word and the capitalised words that follow it."""
_BOUNDS = {">=": "at_least", "<=": "at_most", ">": "above", "<": "below"}
_NUMBER = r"\d+(?:[.,]\d+)*(?![\w%]|[.:/-]\d)"
_YEARS = (1900, 2100)


class Unknown(Exception):
    """The question names something that no row has. The argument is the word."""


def of_days(columns: Iterable[JsonObject]) -> list[JsonObject]:
    """The columns of days."""
    return [one for one in columns if one["type"] in {"date", "time"}]


def left_out(question: Question) -> str | None:
    """The names of the rows that a question excludes, such as “Ann and Ben”; empty for none.

    It is None if the rules do not understand which rows are excluded.
    """
    found = words.behind("without", rf"{_NAMES}(?:{joint()}{_NAMES})*", question.text)
    count = len(words.pattern("without").findall(question.text))
    if not count:
        return ""
    return found[0] if len(found) == count == 1 else None


def limited(question: Question) -> Question:
    """A question whose bounds for amounts, such as “above 100”, are removed from its text and become its `limits`."""
    limits: list[str] = []
    text = question.text
    for sign, name in _BOUNDS.items():
        for number in words.behind(name, _NUMBER, text):
            plain = number.replace("." if question.language == "de" else ",", "").replace(",", ".")
            limits.append(f"{sign} {plain}")
            text = re.sub(rf"{words.pattern(name).pattern}\s+{re.escape(number)}", " ", text, flags=re.IGNORECASE)
    return replace(_reworded(question, text), limits=tuple(limits))


def ranked(question: Question) -> Question:
    """A question whose number of rows, as in “the three highest”, is removed from its text and becomes its `most`."""
    dated = times.words_of(question.text)
    found = [one for one in words.pattern("few").finditer(question.text) if one[0] not in dated]
    if len(found) != 1:
        return question
    number = found[0][0]
    at = next(at for at, one in enumerate(words.listed("few"), 1) if re.fullmatch(one, number, re.IGNORECASE))
    text = f"{question.text[: found[0].start()]} {question.text[found[0].end() :]}"
    return replace(_reworded(question, text), most=int(number) if at == 1 else at)


def _reworded(question: Question, text: str) -> Question:
    """A question with a shorter text, whose subject lacks the words that are left out."""
    left = {*ranking.words(text)}
    subject = {word: weight for word, weight in question.subject.items() if word in left or word not in question.text}
    return replace(question, text=text, subject=subject)


def joint() -> str:
    """A pattern for the separator between the items of an enumeration: a comma or a word for “and”."""
    return rf"(?:, ?| (?:{'|'.join(words.listed('and'))}) )"


def has(word: str, text: str) -> float:
    """How well a text contains a word, from 0.0 to 1.0 (`ranking.named`)."""
    return ranking.named(ranking.stem(word), text.replace("_", " "))


@dataclass(frozen=True)
class Rows:
    """A table and its rows, as far as they were fetched."""

    table: JsonObject
    amounts: Sequence[JsonObject]
    """The columns of numbers for which the question asks."""
    found: JsonObject
    """The result of the query that fetched the rows."""
    is_whole: bool
    """Whether all rows were fetched."""
    paths: str
    """The folders of the files."""

    @property
    def about(self) -> str:
        """The words by which a question names the table or its amounts. They choose no rows."""
        labels = " ".join(one["label"] for one in self.amounts)
        return f"{self.table['file']} {self.table['place']} {labels}"

    @property
    def dated(self) -> str | None:
        """The name of the first column of days; None if there is none."""
        return next((one["name"] for one in of_days(self.table["columns"])), None)

    @property
    def years(self) -> str | None:
        """The name of the first column that has only years; None if there is none."""
        for at, column in enumerate(self.found.get("columns") or ()):
            cells_of = {row[at] for row in self.found["rows"]} - {None}
            if cells_of and all(isinstance(one, int) and _YEARS[0] <= one <= _YEARS[1] for one in cells_of):
                return column["name"]
        return None

    @property
    def _year(self) -> int | None:
        """The year of all days; None if they have several, or if some are not known."""
        names = [one["name"] for one in self.found.get("columns") or ()]
        days = [str(row[names.index(self.dated)])[:4] for row in self.found["rows"]] if self.dated in names else []
        years = {*days} - {"None"}
        return int(years.pop()) if self.is_whole and len(years) == 1 else None

    def repeats(self, name: str) -> bool:
        """Whether a value of a column occurs in several rows."""
        at = [one["name"] for one in self.found["columns"]].index(name)
        cells_of = [row[at] for row in self.found["rows"]]
        return len({*cells_of}) < len(cells_of)

    def condition(self, question: Question) -> str | None:
        """The WHERE clause for the rows that a question chooses; empty for all rows, None if no rule understands it.

        Raises:
            Unknown: The question names something that no row has.
        """
        groups = self._groups(question)
        return None if groups is None else _where([_either(one) for one in groups])

    def sides(self, question: Question) -> tuple[str, str] | None:
        """The conditions of the two groups of rows that a question compares, in its order.

        It is None unless the question names two cells of one column, or two times.

        Raises:
            Unknown: It names something that no row has.
        """
        groups = self._groups(question, apart=True) or []
        for at, two in enumerate(groups):
            if len(two) == 2:
                rest = [_either(one) for one in (*groups[:at], *groups[at + 1 :])]
                return _where([two[0], *rest]), _where([two[1], *rest])
        return None

    def _groups(self, question: Question, *, apart: bool = False) -> list[list[str]] | None:
        """The conditions of which each must hold. Each is a list of alternatives, of which one must hold.

        With `apart`, the question compares the times that it names, so that they are no span.
        """
        without = left_out(question)
        if without is None or words.find("relative_spans", question.text):
            return None
        chosen = [[f"{self.amounts[0]['name']} {one}"] for one in question.limits] if len(self.amounts) == 1 else []
        if len(chosen) != len(question.limits):
            return None
        labels = " ".join(one["label"] for one in self.table["columns"])
        names = " ".join(word for word in without.split() if has(word, labels) < 1.0)
        others = ranking.words(without)
        if without:
            if not (one := any_of(names, self.found)):
                return None
            chosen.append([f"NOT coalesce({one}, FALSE)"])
        by_time = self.dated or self.years
        spanned = times.conditions(
            question.text, by_time or "", self.about, is_year=by_time != self.dated, year=self._year, apart=apart
        )
        if spanned is None:
            return None
        chosen += [spanned] if spanned and by_time else []
        wanted = [word for word in question.subject if has(word, self.about) < 1.0 and word not in others]
        wanted += [word for word in nouns.stated(self._without_name(question.text)) if word not in others]
        groups = cells(wanted, self.found, partly=not self.amounts)
        used = {*map(ranking.stem, others), *(word for one in groups for word in one.words)}
        amounts = " ".join(one["label"] for one in self.amounts)
        is_plain = any(words.find(name, amounts) for name in ("plain", "sum"))
        unknown = nouns.unknown(
            question,
            used,
            self._words_of_table,
            is_plain=is_plain,
            is_dated=by_time is not None,
            has_amounts=bool(self.amounts),
        )
        groups += [group for noun in unknown for group in self._groups_with(noun)]
        return [*_by_column(groups), *chosen]

    def _without_name(self, text: str) -> str:
        """A text without the whole name of the file, if that has several words: none of them chooses rows."""
        name = PurePath(self.table["file"]).stem
        return re.sub(re.escape(name), " ", text, flags=re.IGNORECASE) if " " in name else text

    def _groups_with(self, noun: str) -> "list[Group]":
        """The condition for the rows that contain a noun among other words.

        Raises:
            Unknown: No row contains it.
        """
        if found := cells([noun], self.found, partly=True) or cells(self._inflected(noun), self.found, partly=True):
            return found
        named = [one["name"] for one in self.table["columns"] if one["type"] == "text"]
        if self.is_whole or not named:
            raise Unknown(noun)
        text = noun.replace("'", "''")
        return [Group(-1, (noun,), tuple(f"{column} ILIKE '%{text}%'" for column in named))]

    def _inflected(self, noun: str) -> list[str]:
        """The word of the cells of which a noun is an inflected form, such as Kraków for Krakowie; else empty."""
        stem = ranking.stem(noun)
        texts = [one for at in range(len(self.found.get("columns") or ())) for one in _texts(self.found, at)]
        known = {ranking.stem(word): word for one in texts for word in ranking.words(one)}
        begins = [one for one in known if len(one) > 3 and stem.startswith(one) and len(stem) - len(one) <= 2]
        return [known[begins[0]]] if len(begins) == 1 else []

    @property
    def _words_of_table(self) -> str:
        """All words of the table except those of its rows."""
        labels = [f"{one['label']} {one.get('unit', '')}" for one in self.table["columns"]]
        return " ".join([self.about, self.paths, str(self.table.get("title") or ""), *labels])


@dataclass(frozen=True)
class Group:
    """Alternative conditions for the cells of one column."""

    column: int
    """The index of the column; -1 for any column."""
    words: Sequence[str]
    """The words of the question that name the cells."""
    conditions: Sequence[str]


def _either(conditions: Sequence[str]) -> str:
    return conditions[0] if len(conditions) == 1 else f"({' OR '.join(conditions)})"


def _by_column(groups: Sequence[Group]) -> Iterable[list[str]]:
    """Yields the conditions of groups. Groups of the same column become alternatives."""
    for at in dict.fromkeys(one.column for one in groups):
        together = [one.conditions for one in groups if one.column == at]
        yield from ([[*one] for one in together] if at < 0 else [[one for several in together for one in several]])


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def any_of(names: str, found: JsonObject) -> str:
    """The condition for the rows with one of several names, such as “Ann and Ben”; empty if a name is in no row."""
    each = [ranking.words(one) for one in re.split(joint(), names, flags=re.IGNORECASE)]
    parts = [cells(one, found, partly=False) or cells(one, found, partly=True) for one in each]
    joined = [" AND ".join(_either(group.conditions) for group in one) for one in parts]
    return f"({' OR '.join(joined)})" if all(parts) else ""


def cells(wanted: Sequence[str], found: JsonObject, *, partly: bool) -> list[Group]:
    """The conditions for the rows with cells that consist only of wanted words or, with `partly`, contain one.

    Cells of one column are alternatives, in the order of the question. Conditions of several columns must all hold.
    """
    hits = [one for at in range(len(found.get("columns") or ())) for one in _hits(wanted, found, at)]
    hits = sorted((one for one in hits if one.score >= 1.0 or partly), key=lambda one: -one.score)
    if hits and hits[0].score < 1.0:
        # No cell consists only of wanted words. The cells with the words of the best one are chosen.
        best = hits[0]
        return [Group(best.column, [*best.words], [*_with_words(best, hits, found)])]
    # If the question names a whole cell, the same word in another cell is a coincidence. But if the question writes it
    # in another form, such as the plural, it names all cells that contain it.
    whole = [one for one in hits if partly and one.score >= 1.0 and not one.is_written]
    for one in whole:
        if sum(one.column == other.column and one.words <= other.words for other in hits) > 1:
            return [Group(one.column, [*one.words], [*_with_words(one, hits, found)])]
    hits = [one for one in hits if one.score >= 1.0]
    taken: dict[str, int] = {}
    chosen: dict[int, list[_Hit]] = {}
    for one in hits:
        # A word names cells of one column only, and of several cells with it the one with most of the wanted words.
        if all(taken.setdefault(word, one.column) == one.column for word in one.words) and not any(
            one.words < other.words for other in hits if other.column == one.column
        ):
            chosen.setdefault(one.column, []).append(one)
    order = [ranking.stem(word) for word in wanted]
    for column in chosen.values():
        column.sort(key=lambda hit: min((order.index(word) for word in hit.words if word in order), default=0))
    return [
        Group(at, [word for hit in column for word in hit.words], [hit.condition for hit in column])
        for at, column in chosen.items()
    ]


@dataclass(frozen=True)
class _Hit:
    """A cell that a question names."""

    column: int
    words: frozenset[str]
    """The stems of its words that the question has."""
    score: float
    word: str
    """The first of its words that the question has, as the cell spells it."""
    is_written: bool
    """Whether the question writes this word as the cell does."""
    condition: str


def _hits(wanted: Sequence[str], found: JsonObject, at: int) -> Iterable[_Hit]:
    """Yields the cells of a column that contain words of the question."""
    for cell in _texts(found, at):
        each = ranking.words(cell)
        own = [
            one for one in each if not one.islower() or one not in ranking.stopwords() or words.find("stated", one)
        ] or each
        hits = [one for one in own if any(has(word, one) == 1.0 or times.is_same_month(word, one) for word in wanted)]
        if hits:
            score = len(hits) / len(own) + len(hits) / 100
            is_written = hits[0].casefold() in map(str.casefold, wanted)
            yield _Hit(at, frozenset(map(ranking.stem, hits)), score, hits[0], is_written, _cell_is(found, at, cell))


def _with_words(best: _Hit, hits: Sequence[_Hit], found: JsonObject) -> Iterable[str]:
    """The conditions for the cells that share a word with the best one.

    A single pattern for the word is enough if no other cell contains its letters, such as within a longer word.
    """
    alike = {one.condition for one in hits if one.column == best.column and one.words & best.words}
    letters = {
        _cell_is(found, best.column, one)
        for one in _texts(found, best.column)
        if best.word.casefold() in one.casefold()
    }
    return sorted(alike) if letters - alike else [_cell_is(found, best.column, f"%{best.word}%")]


def _texts(found: JsonObject, at: int) -> Iterable[str]:
    return dict.fromkeys(row[at] for row in found["rows"] if isinstance(row[at], str))


def _cell_is(found: JsonObject, at: int, text: str) -> str:
    escaped = text.replace("'", "''")
    return f"{found['columns'][at]['name']} ILIKE '{escaped}'"
