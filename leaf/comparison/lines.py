"""Compares files and returns the statements and rows that differ, the most important first."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import takewhile
from textwrap import shorten
from typing import Any, Final

from leaf.citations.comparisons import MOST_ROWS
from leaf.citations.conflicts import differ
from leaf.citations.facts import Stated, stated, words_of
from leaf.citations.subquestions import is_in
from leaf.citations.tokens import words
from leaf.comparison import sheets, statements
from leaf.comparison.alignment import Line, aligned
from leaf.comparison.model import Edition, note
from leaf.comparison.statements import Statements
from leaf.documents import Segment

TABLE_CHARACTERS: Final = 500_000
"""The number of characters of a file in which tables are recognised. With more than four files, it is less for each."""
_CHARACTERS: Final = 40_000
"""The maximum total number of characters of a comparison's quotes and values."""
_RANK: Final = {"value": 0, "wording": 1, "only": 2}
_TOKEN = re.compile(r"\S+")
MOST_WORDS: Final = 500
"""The maximum number of words in texts that are compared word by word. The time grows with the square of the length."""
_BEGIN_CHARACTERS: Final = 40
_CELL = re.compile(r"[^,;|\t]+")
_DIGITS = re.compile(r"\d")
_ALIGNED: Final = 0.04
"""The minimum share of the shorter file's statements that files about the same subject have in common."""


def compare(editions: Sequence[Edition], on: str = "") -> dict[str, Any]:
    """Compares files or versions of a file.

    Args:
        editions: Two to ten files or versions. The rows of the result follow the order of the first edition.
        on: A subject in words. Differences about it come first.

    Returns:
        A dict with these keys:

        - `on`.
        - `compared`: the columns, each with `file_id`, `name`, `url`, `revision` and `modified`. An earlier version
          also has `version` and `by`. `characters` of `total_characters` were compared.
        - `rows`: the differences that have room. A row has `kind`, `about` and `cells`. The kind is `value` if amounts,
          dates or cells differ, `wording`, or `only` if not all files have the statement. `cells` has for each column
          None, or `part`, `quote`, `value` (the part that differs) and `marks` (the differing stretches of the quote).
        - `same`: the number of statements and rows that all files have.
        - `differences`: the number of statements and rows that differ.
        - `notes`.
    """
    trimmed = [_trimmed(edition, min(TABLE_CHARACTERS, 4 * TABLE_CHARACTERS // len(editions))) for edition in editions]
    found = sheets.compared(trimmed)
    limit = min(statements.CHARACTERS, statements.ALL_CHARACTERS // len(editions))
    texts = [
        sheets.rest(edition, [table for column, table in found.tables if column == number])
        for number, edition in enumerate(trimmed)
    ]
    read = [statements.of(segments, limit) for segments in texts]
    columns = [_column(*each) for each in zip(editions, trimmed, read, strict=True)]
    rows, same, remarks = _compared_texts(editions, read)
    rows = [*found.differing, *rows]
    notes = [*_cut_notes(editions, read, columns), *found.notes, *remarks]
    chosen = _chosen(rows, on, notes)
    _tell_apart([row for row in chosen if not row["table"]])
    for row in chosen:
        _mark(row["cells"], _CELL if row["table"] else _TOKEN)
    return {
        "on": on, "compared": columns, "rows": chosen, "same": found.same + same, "differences": len(rows),
        "notes": notes,
    }  # fmt: skip


def _trimmed(edition: Edition, limit: int) -> Edition:
    """The beginning of a file. Tables beyond it are not recognised."""
    segments: list[Segment] = []
    for one in edition.segments:
        segments.append(replace(one, text=one.text[:limit]))
        limit -= len(one.text)
        if limit <= 0:
            break
    return replace(edition, segments=segments)


def _column(edition: Edition, trimmed: Edition, read: Statements) -> dict[str, Any]:
    """A column of the comparison, with the number of characters that were compared."""
    total, in_tables_and_texts = (sum(len(one.text) for one in each.segments) for each in (edition, trimmed))
    compared = in_tables_and_texts - read.total + read.characters
    return {**edition.about(), "characters": compared, "total_characters": total}


def _cut_notes(
    editions: Sequence[Edition], read: Sequence[Statements], columns: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    for edition, one, column in zip(editions, read, columns, strict=True):
        count, total = column["characters"], column["total_characters"]
        if len(one.found) >= statements.MOST:
            yield note("comparisons.cut_statements", file=edition.label, count=statements.MOST)
        elif count < total:
            yield note("comparisons.cut", file=edition.label, count=count, total=total)


def _compared_texts(
    editions: Sequence[Edition], read: Sequence[Statements]
) -> tuple[list[dict[str, Any]], int, list[dict[str, Any]]]:
    """Returns the differing statements, the number of statements that all files have, and remarks."""
    others = _other_languages(read)
    notes = [note("comparisons.other_language", file=editions[at].label) for at in sorted(others)]
    files = {at: one.found for at, one in enumerate(read) if one.found and at not in others}
    if len(files) < 2:
        return [], 0, notes
    lines = aligned(files)
    if sum(len(line.cells) > 1 for line in lines) < max(1, _ALIGNED * min(map(len, files.values()))):
        notes.append(note("comparisons.unlike"))
    rows = [(line, _row(line, len(editions), len(files))) for line in lines if not line.is_same(len(files))]
    headings = {
        (line.first.heading, *line.cells) for line, row in rows if row["kind"] != "same" and not line.first.is_heading
    }
    differing = [
        row for line, row in rows
        # The heading of a section that not all files have adds nothing to the statements of the section.
        if row["kind"] != "same" and not (line.first.is_heading and (line.first.heading, *line.cells) in headings)
    ]  # fmt: skip
    return (
        differing,
        sum(line.is_same(len(files)) for line in lines) + sum(row["kind"] == "same" for _, row in rows),
        notes,
    )


def _other_languages(read: Sequence[Statements]) -> set[int]:
    """The numbers of the files that are not in the most frequent language. In a tie, the language of the first file
    counts.
    """
    known = [one.language for one in read if one.language]
    usual = max(known, key=lambda one: (known.count(one), -known.index(one)), default="")
    return {at for at, one in enumerate(read) if one.language not in {"", usual}}


def _row(line: Line, files: int, texts: int) -> dict[str, Any]:
    facts = {column: stated(one.text) for column, one in line.cells.items()}
    values = _differing_values(facts)
    kind = "value" if values else "wording" if len(line.keys) > 1 else "only"
    if not values and len(line.keys) > 1:
        bare = {column: statements.without_values(one.text, facts[column]) for column, one in line.cells.items()}
        if len({words(one) for one in bare.values()}) == 1:
            # Either only the units differ, as in "12 months" and "one year", or the order of amounts or the counted
            # nouns do.
            if _agree(facts):
                kind = "same" if len(line.cells) == texts else "only"
            elif len({tuple(sorted(one.kind for one in several)) for several in facts.values()}) == 1:
                kind, values = "value", {column: _in_words(several) for column, several in facts.items()}
        elif numbers := _differing_numbers(bare):
            kind, values = "value", numbers
    cells: list[dict[str, Any] | None] = [None] * files
    for column, one in line.cells.items():
        part = "" if one.place == "all" else one.place
        cells[column] = {"part": part, "quote": one.text, "value": values.get(column, ""), "marks": []}
    return {"kind": kind, "about": line.first.about, "table": False, "cells": cells}


def _differing_values(facts: Mapping[int, Sequence[Stated]]) -> dict[int, str]:
    """For each file, the amounts and dates that not all files have, as written; empty if the files agree."""
    if len(facts) < 2:
        return {}
    kinds = {one.kind for several in facts.values() for one in several}
    found: dict[int, list[Stated]] = {column: [] for column in facts}
    for kind in sorted(kinds):
        own = {column: [one for one in several if one.kind == kind] for column, several in facts.items()}
        if not all(own.values()):
            continue
        for column, several in own.items():
            found[column] += [
                one for one in several
                if not all(any(not differ(one, other) for other in others) for others in own.values())
            ]  # fmt: skip
    shown = {column: _in_words(several) for column, several in found.items()}
    return shown if any(shown.values()) else {}


def _in_words(several: Iterable[Stated]) -> str:
    return ", ".join(one.value for one in sorted(several, key=lambda one: one.begin))


def _agree(facts: Mapping[int, Sequence[Stated]]) -> bool:
    """Whether all files state the same amounts and dates of the same kinds in the same order."""
    first, *others = (sorted(several, key=lambda one: one.begin) for several in facts.values())
    return all(
        len(several) == len(first)
        and not any(one.kind != other.kind or differ(one, other) for one, other in zip(first, several, strict=True))
        for several in others
    )


def _differing_numbers(bare: Mapping[int, str]) -> dict[int, str]:
    """For each file, the numbers without a known unit that not all files have; empty unless every file has such
    numbers.
    """
    own = {
        column: [word.strip(".,;:()") for word in text.split() if _DIGITS.search(word)] for column, text in bare.items()
    }
    if len(own) < 2 or not all(own.values()):
        return {}
    shared = set.intersection(*(set(several) for several in own.values()))
    found = {column: ", ".join(one for one in several if one not in shared) for column, several in own.items()}
    return found if all(found.values()) else {}


def _tell_apart(rows: Sequence[dict[str, Any]]) -> None:
    """Adds the first words of their statements to the subjects of rows that have the same heading."""
    counts = Counter(row["about"] for row in rows)
    for row in rows:
        begin = _common_begin([cell["quote"].split() for cell in row["cells"] if cell])
        if counts[row["about"]] > 1 and begin and begin not in row["about"]:
            row["about"] = f"{row['about']} · {begin}"


def _common_begin(texts: Sequence[Sequence[str]]) -> str:
    """The words with which all texts begin, or else those with which the first one begins, shortened."""
    shared = [one[0] for one in takewhile(lambda each: len({*each}) == 1, zip(*texts, strict=False))]
    return shorten(" ".join(shared or texts[0])[:200], _BEGIN_CHARACTERS, placeholder=" …").rstrip(" .,;:")


def _chosen(rows: Sequence[dict[str, Any]], on: str, notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Selects the rows that fit into the result. Rows about the subject come first, and amounts before wordings."""
    wanted = words_of(on)
    about = [_is_about(row, wanted) for row in rows] if wanted else [False] * len(rows)
    if wanted and rows and not any(about):
        notes.append(note("comparisons.not_about", subject=on))
    order = sorted(range(len(rows)), key=lambda at: (not about[at], _RANK[rows[at]["kind"]], at))
    chosen: list[dict[str, Any]] = []
    room = _CHARACTERS
    for at in order[:MOST_ROWS]:
        room -= sum(len(cell["quote"]) + len(cell["value"]) for cell in rows[at]["cells"] if cell)
        if room < 0 and chosen:
            break
        chosen.append(rows[at])
    return chosen


def _is_about(row: Mapping[str, Any], wanted: frozenset[str]) -> bool:
    row_words = words_of(" ".join([row["about"], *(cell["quote"] for cell in row["cells"] if cell)]))
    return any(is_in(word, row_words) for word in wanted)


def _mark(cells: Sequence[dict[str, Any] | None], token: re.Pattern[str]) -> None:
    """Marks in each quote the words that the first quote does not have, and in the first quote the words that another
    lacks.
    """
    present = [cell for cell in cells if cell is not None]
    if len(present) < 2:
        return
    first = present[0]
    for other in present[1:]:
        mine, theirs = marks(first["quote"], other["quote"], token)
        first["marks"], other["marks"] = first["marks"] or mine, theirs


def marks(one: str, other: str, token: re.Pattern[str] = _TOKEN) -> tuple[list[list[int]], list[list[int]]]:
    """Returns, for each of two texts, the stretches that the other text does not have, as lists of begin and end.

    Args:
        one: A text.
        other: A text.
        token: A pattern of the parts that are compared. If a text has more than `MOST_WORDS` of them, everything
            between the equal beginnings and ends counts as one stretch.
    """
    tokens = [[*token.finditer(text)] for text in (one, other)]
    plain = [[words(one[0]) or one[0] for one in several] for several in tokens]
    mine: list[list[int]] = []
    theirs: list[list[int]] = []
    for tag, a, b, c, d in _opcodes(plain[0], plain[1]):
        if tag != "equal":
            for begin, end, several, found in ((a, b, tokens[0], mine), (c, d, tokens[1], theirs)):
                if begin < end:
                    found.append([several[begin].start(), several[end - 1].end()])
    return mine, theirs


def _opcodes(one: Sequence[Hashable], other: Sequence[Hashable]) -> Sequence[tuple[str, int, int, int, int]]:
    if max(len(one), len(other)) <= MOST_WORDS:
        return SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    pairs = zip(one, other, strict=False)
    begin = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
    room = min(len(one), len(other)) - begin
    end = next((at for at in range(room) if one[-1 - at] != other[-1 - at]), room)
    return [("replace", begin, len(one) - end, begin, len(other) - end)]
