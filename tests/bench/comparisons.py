"""`python -m tests.bench.comparisons [SEED ...]`: planted differences that a comparison of generated papers finds.

Papers of the generated Drive (five languages, ten kinds, tables) are changed in known places: other amounts and dates,
a sentence added, one removed, one word replaced, sections in another order; both are written in one of six formats and
read as Leaf reads files. Printed: planted differences found, rows that show none (false), and the time.
"""

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from leaf import documents
from leaf.citations.tokens import words
from leaf.comparison import Edition, compare
from sandbox.generate import formats, papers
from sandbox.generate.papers import Paper, facts

SUFFIXES = ("md", "docx", "pdf", "odt", "txt", "html")
KINDS = {"md": "markdown", "docx": "word", "pdf": "pdf", "odt": "word", "txt": "text", "html": "html",
         "csv": "csv", "xlsx": "excel"}  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-ZÄÖÜÉÀ¿¡])")


@dataclass
class Score:
    """Counts of one kind of comparison."""

    planted: Counter[str] = field(default_factory=Counter[str])
    found: Counter[str] = field(default_factory=Counter[str])
    rows: int = 0
    false: int = 0
    seconds: float = 0.0

    def line(self, name: str) -> str:
        """The counts in words."""
        share = ", ".join(f"{kind} {self.found[kind]} of {count}" for kind, count in sorted(self.planted.items()))
        return (
            f"{name}: {self.found.total()} of {self.planted.total()} planted ({share}); "
            f"{self.false} false of {self.rows} rows; longest {self.seconds:.2f} s of CPU"
        )


Planted = tuple[str, str, str]
"""The kind of a difference, and the words that the first and the second file have; empty where it has none."""


def edited(text: str, number: int, others: Sequence[papers.Company], language: Any) -> tuple[str, list[Planted]]:
    """The text with a sentence more, one less, one word replaced, and its sections in another order."""
    chance = random.Random(f"edit {number}")
    head, *sections = text.split("\n\n## ")
    planted: list[Planted] = []
    body = [one.split("\n\n") for one in sections]
    places = [(at, to) for at, one in enumerate(body) for to in range(1, len(one))]
    at, to = chance.choice(places)
    sentences = _SENTENCE.split(body[at][to])
    if len(sentences) > 2 and not any(map(str.isdigit, sentences[-1])):
        planted.append(("removed", sentences.pop(), ""))
    body[at][to] = " ".join(sentences)
    at, to = chance.choice(places)
    added = papers._sentence(language, others, chance)  # pyright: ignore[reportPrivateUsage]
    if words(added) not in words(text):
        body[at][to] += f" {added}"
        planted.append(("added", "", added))
    chance.shuffle(body)
    return "\n\n## ".join([head, *("\n\n".join(one) for one in body)]), planted


def judged(output: dict[str, Any], planted: Sequence[Planted], score: Score) -> None:
    """Counts what a comparison has found."""
    sides = [
        [words(f"{cell['quote']} {cell['value']}") if cell else "" for cell in row["cells"]] for row in output["rows"]
    ]
    shown: set[int] = set()
    for kind, old, new in planted:
        score.planted[kind] += 1
        hits = {at for at, (first, second) in enumerate(sides) if _shows(first, old) and _shows(second, new)}
        score.found[kind] += bool(hits)
        shown |= hits
    score.rows += len(sides)
    score.false += len(sides) - len(shown)


def _shows(said: str, text: str) -> bool:
    """Whether a side of a row has some words, or is a part of them; without words, whether it is empty."""
    wanted = words(text)
    return (wanted in said or said in wanted) and bool(said) is bool(wanted)


def read(suffix: str, data: bytes, name: str) -> Edition:
    """A file as Leaf reads it."""
    kind = KINDS[suffix]
    parsed = documents.parse(data, kind, picture_seconds=1.0)  # pyright: ignore[reportArgumentType]
    return Edition(name, name, "", kind, "", "", parsed.segments, parsed.notes)


def compared(one: Edition, other: Edition, planted: Sequence[Planted], score: Score) -> None:
    """Compares two files, and counts."""
    begun = time.thread_time()
    output = compare([one, other])
    score.seconds = max(score.seconds, time.thread_time() - begun)
    judged(output, planted, score)


def prose(paper: Paper, chance: random.Random, others: Sequence[papers.Company], scores: dict[str, Score]) -> None:
    """A paper beside an earlier version with other values, beside an edited one, and beside itself elsewhere."""
    suffix, second = chance.choice(SUFFIXES), chance.choice(SUFFIXES)

    def written(one: Paper, text: str, ending: str) -> Edition:
        data = formats.document(ending, text, day=one.day, sender=one.owner, number=one.number)
        return read(ending, data, f"{one.number}.{ending}")

    older = papers.changed(replace(paper, day=paper.day - timedelta(days=60)), chance)
    dates = paper.language.day(older.day), paper.language.day(paper.day)
    values: list[Planted] = [("date", *dates)]
    values += [("value", older.values[name].text, paper.values[name].text) for name in paper.values]
    text = papers.markdown(paper, others)
    before = papers.markdown(older, others)
    compared(written(older, before, suffix), written(paper, text, suffix), values, scores["versions"])
    changed, planted = edited(text, paper.number, others, paper.language)
    compared(written(paper, text, suffix), written(paper, changed, suffix), planted, scores["edited"])
    compared(written(paper, text, suffix), written(paper, text, second), [], scores["same text, two formats"])


def table(paper: Paper, chance: random.Random, scores: dict[str, Score]) -> None:
    """A price list beside a later one: prices changed, one row more, one less, in another order."""
    rows = [list(row) for row in paper.articles]
    planted: list[Planted] = []
    later = [list(row) for row in rows]
    for row in chance.sample(later, 5):
        before = row[2]
        row[2] = f"{float(row[2]) + 1.25:.2f}"
        planted.append(("cell", f"{float(before):g}", f"{float(row[2]):g}"))
    gone = later.pop(chance.randrange(len(later)))
    planted = [one for one in planted if one[2] != f"{float(gone[2]):g}"] + [("row", gone[0], "")]
    later.append([f"{rows[0][0]} XL", "6", "77.75", "40"])
    planted.append(("row", "", f"{rows[0][0]} XL"))
    chance.shuffle(later)
    suffix = chance.choice(("csv", "xlsx"))
    editions = [
        read(suffix, formats.table(suffix, "Prices", [paper.words["columns"], *several]), name)
        for name, several in (("old", rows), ("new", later))
    ]
    compared(*editions, planted, scores["price lists"])


def main() -> None:
    """Prints the counts of each kind."""
    seeds = [int(one) for one in sys.argv[1:]] or [5, 11, 23]
    scores = {name: Score() for name in ("versions", "edited", "same text, two formats", "price lists")}
    for seed in seeds:
        chance = random.Random(f"comparisons {seed}")
        others = papers.companies(40, chance)
        for number, company in enumerate(others):
            genre = [*facts()["genres"]][number % len(facts()["genres"])]
            prose(papers.paper(genre, company, 1000 * seed + number, chance), chance, others, scores)
            if number % 4 == 0:
                table(papers.paper("table", company, 1000 * seed + 500 + number, chance), chance, scores)
    for name, score in scores.items():
        sys.stdout.write(score.line(name) + "\n")


if __name__ == "__main__":
    main()
