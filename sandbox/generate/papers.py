"""The papers of a generated Drive: the companies that they are about, their facts, and their text as Markdown."""

import random
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from sandbox.generate import language
from sandbox.generate.language import Language

FIRST_DAY, LAST_DAY = date(2023, 1, 9), date(2026, 10, 30)


@cache
def facts() -> dict[str, Any]:
    """The names of companies and towns, and the kinds of papers with their facts (facts.toml)."""
    return tomllib.loads(Path(__file__).with_name("facts.toml").read_text("utf-8"))


@dataclass(frozen=True)
class Company:
    """A company that papers are about. Its name is unique, and so is its pair of town and goods."""

    name: str
    town: str
    goods: int
    language: str


@dataclass(frozen=True)
class Value:
    """The value of an attribute. `text` is the value in the language of the paper."""

    text: str
    number: float | None = None
    day: date | None = None
    choice: int | None = None

    def spellings(self, written: Language) -> list[str]:
        """The value as answers may write it, in the paper's language and in the other languages."""
        others = [language.of(code) for code in language.CODES]
        if self.day is not None:
            day = self.day
            return [self.text, day.isoformat(), f"{day:%d.%m.%Y}", *(one.day(day) for one in others if one != written)]
        if self.choice is not None:
            return [self.text, *(one.words["causes"][self.choice] for one in others if one != written)]
        return [self.text]


@dataclass(frozen=True)
class Paper:
    """A paper of one genre about one company."""

    genre: str
    company: Company
    values: dict[str, Value]
    department: int
    day: date
    number: int
    """The unique number of the paper, which seeds the random choices of its wording."""
    articles: Sequence[tuple[str, ...]] = field(default=())
    """The rows of a price list."""
    edition: str = ""
    """The mark of a version in its title and file name; empty if there is none."""

    @property
    def language(self) -> Language:
        """The language in which it is written."""
        return language.of(self.company.language)

    @property
    def title(self) -> str:
        """The name of its genre in its language."""
        return self.words["title"]

    @property
    def words(self) -> dict[str, Any]:
        """The texts of its genre in its language."""
        return self.language.words["table"] if self.genre == "table" else self.language.genres[self.genre]

    @property
    def owner(self) -> str:
        """The e-mail address of the office that has written it."""
        return f"{facts()['offices'][self.department]}@northwind.example"


def companies(count: int, chance: random.Random) -> list[Company]:
    """Up to 900 companies, whose names share words with each other."""
    places = chance.sample([(town, goods) for town in facts()["towns"] for goods in range(30)], count)
    names = chance.sample([f"{first} {second}" for first in facts()["first"] for second in facts()["second"]], count)
    return [
        Company(name, town, goods, language.CODES[number % len(language.CODES)])
        for number, (name, (town, goods)) in enumerate(zip(names, places, strict=True))
    ]


def value(kind: Sequence[Any], written: Language, chance: random.Random, after: date) -> Value:
    """A random value in the range of an attribute.

    Args:
        kind: The kind and range (facts.toml).
        written: The language of the paper.
        chance: The source of random numbers.
        after: The day of the paper; values that are days lie after it.
    """
    if kind[0] == "day":
        day = after + timedelta(days=chance.randrange(30, 400))
        return Value(written.day(day), day=day)
    if kind[0] == "choice":
        choice = chance.randrange(len(written.words["causes"]))
        return Value(written.words["causes"][choice], choice=choice)
    low, high, step = kind[1:]
    number = round(low + step * chance.randrange(int((high - low) / step) + 1), 2)
    return Value(written.plain(number) if kind[0] == "plain" else written.amount(number), number=number)


def paper(genre: str, company: Company, number: int, chance: random.Random) -> Paper:
    """A new paper with random facts."""
    written = language.of(company.language)
    day = FIRST_DAY + timedelta(days=chance.randrange((LAST_DAY - FIRST_DAY).days))
    if genre == "table":
        return Paper(genre, company, {}, chance.choice((0, 2)), day, number, _articles(company, written, chance))
    offices, attributes = facts()["genres"][genre]
    values = {name: value(kind, written, chance, day) for name, kind in attributes.items()}
    return Paper(genre, company, values, chance.choice(offices), day, number)


def changed(one: Paper, chance: random.Random) -> Paper:
    """The same paper with other values of all attributes."""
    attributes = facts()["genres"][one.genre][1]
    values = dict(one.values)
    for name, kind in attributes.items():
        while values[name].text == one.values[name].text:
            values[name] = value(kind, one.language, chance, one.day)
    return replace(one, values=values)


def _articles(company: Company, written: Language, chance: random.Random) -> list[tuple[str, ...]]:
    grades = written.words["table"]["grades"]
    pairs = [(goods, grade, size) for goods in range(30) for grade in grades for size in (10, 25, 40, 60)]
    own = [one for one in pairs if one[0] == company.goods]
    chosen = [*chance.sample(own, 12), *chance.sample(pairs, chance.randrange(10, 50))]
    names = dict.fromkeys(f"{written.words['goods'][goods][0]}, {grade}, {size}" for goods, grade, size in chosen)
    # Numbers have no separators of a language, so that a workbook can hold them as numbers.
    return [
        (name, str(chance.choice((1, 6, 12, 50))), f"{chance.randrange(100, 90_000) / 100:.2f}",
         str(chance.randrange(3, 9_000)))
        for name in names
    ]  # fmt: skip


def markdown(one: Paper, others: Sequence[Company], *, short: bool = False) -> str:
    """The text of a paper: a header, sections of filler sentences, and its facts at random places among them.

    Args:
        one: The paper.
        others: The companies that filler sentences may mention.
        short: Whether it must fit on one page.
    """
    chance = random.Random(f"text {one.number}")
    words, company = one.language.words, one.company
    named = words["named"].format(company=company.name, town=company.town)
    head = [
        f"# {one.title} {named}{one.edition}",
        f"{words['by']}: {words['departments'][one.department]}",
        f"{words['dated']}: {one.language.day(one.day)}",
        one.words["intro"].format(company=company.name, town=company.town, goods=words["goods"][company.goods][0]),
    ]
    if one.genre == "table":
        rows = [words["table"]["columns"], *one.articles]
        return "\n\n".join([*head, "\n".join(f"| {' | '.join(row)} |" for row in rows)]) + "\n"
    facts = [chance.choice(one.words[name]["says"]).format(value=known.text) for name, known in one.values.items()]
    sections = 1 if short else chance.choice((1, 2, 2, 3, 4, 6))
    paragraphs = [
        [
            _sentence(one.language, others, chance)
            for _ in range(chance.randrange(1, 3) if short else chance.randrange(3, 7))
        ]
        for _ in range(sections * (1 if short else chance.randrange(2, 4)))
    ]
    for fact in facts:
        place = chance.choice(paragraphs)
        place.insert(chance.randrange(len(place) + 1), fact)
    headings = chance.sample(words["headings"], min(sections, len(words["headings"])))
    each = -(-len(paragraphs) // sections)
    body: list[str] = []
    for number, heading in enumerate(headings):
        body += [f"## {heading}", *(" ".join(one) for one in paragraphs[number * each : (number + 1) * each])]
    return "\n\n".join([*head, *body]) + "\n"


def chatter(written: Language, number: int, others: Sequence[Company]) -> tuple[str, str]:
    """The title and text of a paper without facts."""
    chance = random.Random(f"chatter {number}")
    title = chance.choice(written.words["chatter"])
    paragraphs = [
        " ".join(_sentence(written, others, chance) for _ in range(chance.randrange(2, 6)))
        for _ in range(chance.randrange(1, 9))
    ]
    return title, "\n\n".join([f"# {title}", *paragraphs]) + "\n"


def _sentence(written: Language, others: Sequence[Company], chance: random.Random) -> str:
    words = written.words
    return chance.choice(words["filler"]).format(
        department=chance.choice(words["departments"]), topic=chance.choice(words["topics"]),
        month=chance.choice(words["months"]), goods=chance.choice(chance.choice(words["goods"])),
        town=chance.choice(facts()["towns"]), company=chance.choice(others).name, n=chance.randrange(3, 90),
    )  # fmt: skip
