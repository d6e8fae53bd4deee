"""The facts in a generated Drive, and questions about them in ten categories.

A question names the files that an answer has to rest on (`sources`), those that say the same (`also`), and what a right
answer holds (`contains`, `numbers`, `refusal`). `since` limits its search; `wordings` are further ones that a good
searcher would try.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sandbox.generate import language
from sandbox.generate.drive import Drive, File
from sandbox.generate.papers import GENRES, Paper

EACH = 36
"""The largest number of questions of a category."""
_MOST_SOURCES = 4


@dataclass(frozen=True)
class _Asked:
    """One attribute of a file's paper."""

    file: File
    paper: Paper
    attribute: str

    def ask(self, form: str = "asks", *, code: str = "") -> str:
        """A question for it; in the paper's language unless another one is named."""
        words = language.of(code or self.paper.company.language).words
        company = self.paper.company
        return words["genre"][self.paper.genre][self.attribute][form].format(
            company=company.name, town=company.town, alias=words["goods"][company.goods][1]
        )


def _right(*asked: _Asked) -> dict[str, Any]:
    """The demands on a right answer, which names all values."""
    values = [(one.paper.values[one.attribute], one.paper.language) for one in asked]
    return {
        "numbers": [{"value": value.number, "tolerance": 0.001} for value, _ in values if value.number is not None],
        "contains": [value.spellings(written) for value, written in values if value.number is None],
    }


def facts(drive: Drive) -> list[dict[str, Any]]:
    """Each fact with the file that holds it."""
    return [
        {"file": file.path, "about": file.paper.company.name, "genre": file.paper.genre, "attribute": name,
         "value": value.text, "language": file.paper.company.language}
        for file in drive.files if file.paper is not None
        for name, value in file.paper.values.items()
    ]  # fmt: skip


def of(drive: Drive, each: int = EACH) -> list[dict[str, Any]]:
    """The questions of all categories, as many of each as there are, up to `each`."""
    makers: dict[str, Callable[[Drive, random.Random], Iterator[dict[str, Any]]]] = {
        "single fact": _single, "several files": _several, "table": _table, "paraphrase": _paraphrase,
        "cross-language": _crossing, "constraint": _constraint, "conflict": _conflict, "absence": _absence,
        "follow-up": _follow_up, "misfiled": _misfiled,
    }  # fmt: skip
    found: list[dict[str, Any]] = []
    for category, maker in makers.items():
        questions = islice(maker(drive, random.Random(f"{category} {drive.seed}")), each)
        for number, question in enumerate(questions, 1):
            name = category.replace(" ", "-")
            found.append({"id": f"{name}-{number:02}", "category": category} | question)
    return found


def _question(drive: Drive, one: _Asked, *asks: str, **more: Any) -> dict[str, Any]:
    same = [file.path for file in drive.of(one.paper) if file.path != one.file.path]
    base: dict[str, Any] = {
        "account": one.file.readers[0], "language": one.paper.company.language, "format": one.file.suffix,
        "asks": list(asks), "sources": [one.file.path], "also": same,
    }  # fmt: skip
    return base | _right(one) | more


def _papers(drive: Drive, chance: random.Random, *roles: str) -> list[_Asked]:
    """An attribute of each paper that ada sees, in random order."""
    found = [
        _Asked(file, file.paper, chance.choice(list(file.paper.values)))
        for file in drive.files
        if file.paper is not None and file.paper.values and file.role in roles and "ada" in file.readers
    ]
    chance.shuffle(found)
    return found


def _single(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    for one in _papers(drive, chance, "paper"):
        yield _question(drive, one, one.ask())


def _paraphrase(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    for one in _papers(drive, chance, "paper"):
        yield _question(drive, one, one.ask("rephrased"))


def _crossing(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(_papers(drive, chance, "paper")):
        own = one.paper.company.language
        other = chance.choice([code for code in language.CODES if code != own])
        form = "rephrased" if number % 2 else "asks"
        yield _question(drive, one, one.ask(form, code=other), wordings=[one.ask(form)], language=f"{other} → {own}")


def _misfiled(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    for one in _papers(drive, chance, "misfiled"):
        yield _question(drive, one, one.ask())


def _several(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    groups: dict[tuple[str, str, str], list[_Asked]] = defaultdict(list)
    for one in _papers(drive, chance, "paper"):
        groups[one.paper.genre, one.attribute, one.paper.company.language].append(one)
    pairs = [(group[at], group[at + 1]) for group in groups.values() for at in range(0, len(group) - 1, 2)]
    chance.shuffle(pairs)
    for first, second in pairs:
        ask = f"{first.ask()} {first.paper.language.words['also'].format(company=second.paper.company.name)}"
        also = [file.path for paper in (first.paper, second.paper) for file in drive.of(paper)]
        sources = [first.file.path, second.file.path]
        yield _question(
            drive, first, ask, sources=sources, also=[path for path in also if path not in sources],
            wordings=[second.ask()], **_right(first, second),
        )  # fmt: skip


def _table(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    tables = [
        (file, file.paper) for file in drive.files if file.paper and file.paper.articles and "ada" in file.readers
    ]
    pairs = [(file, paper, chance.choice(paper.articles)) for file, paper in tables for _ in range(2)]
    chance.shuffle(pairs)
    for number, (file, paper, (article, _, price, stock)) in enumerate(pairs):
        column, value = (("price", price), ("stock", stock))[number % 2]
        yield {
            "account": "ada", "language": paper.company.language, "format": file.suffix,
            "asks": [paper.words[column].format(article=article, company=paper.company.name)],
            "sources": [file.path], "also": [], "numbers": [{"value": float(value), "tolerance": 0.001}],
        }  # fmt: skip


def _constraint(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    """The newest papers of a kind that one department has written: those before the day do not count."""
    groups: dict[tuple[str, int, str], list[File]] = defaultdict(list)
    for file in drive.files:
        if file.paper is not None and file.paper.values and "ada" in file.readers:
            groups[file.paper.genre, file.paper.department, file.paper.company.language].append(file)
    fitting = [sorted(group, key=lambda file: file.modified) for group in groups.values() if len(group) > 1]
    chance.shuffle(fitting)
    for group in fitting:
        newest = group[-min(len(group) - 1, chance.randrange(1, _MOST_SOURCES)) :]
        day = newest[0].modified.date()
        wanted = [file for file in group if file.modified.date() >= day]
        paper = newest[0].paper
        # Several papers of one day may be all that there are.
        if paper is None or len(wanted) > min(_MOST_SOURCES, len(group) - 1):
            continue
        words = paper.language.words
        ask = words["since"].format(
            plural=paper.words["plural"], department=words["departments"][paper.department],
            day=paper.language.day(day),
        )  # fmt: skip
        yield {
            "account": "ada", "language": paper.company.language, "format": newest[0].suffix, "asks": [ask],
            "since": day.isoformat(), "sources": [file.path for file in wanted], "also": [],
            "contains": [[one.paper.company.name] for one in wanted if one.paper],
        }  # fmt: skip


def _conflict(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    seen: set[tuple[str, str]] = set()
    for one in _papers(drive, chance, "conflict"):
        key = one.paper.genre, one.paper.company.name
        files = drive.of(one.paper, "conflict")
        if key in seen or len(files) < 2:
            continue
        seen.add(key)
        both = [_Asked(file, file.paper, one.attribute) for file in files if file.paper is not None]
        ask = f"{one.ask()} {one.paper.language.words['agree']}"
        yield _question(
            drive, one, ask, sources=[each.file.path for each in both], also=[], wordings=[one.ask()],
            **_right(*both),
        )  # fmt: skip


def _absence(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Papers that a company does not have, and those that only somebody else sees."""
    private = [one for one in drive.files if one.paper and one.paper.values and "ada" not in one.readers]
    hidden = [_Asked(file, file.paper, next(iter(file.paper.values))) for file in private if file.paper]
    there = {(file.paper.genre, file.paper.company.name) for file in drive.files if file.paper}
    known: dict[str, _Asked] = {one.paper.company.name: one for one in _papers(drive, chance, "paper")}
    pairs = [(one, genre) for one in known.values() for genre in GENRES]
    chance.shuffle(pairs)
    missing = ((one, genre) for one, genre in pairs if (genre, one.paper.company.name) not in there)
    for number in range(len(pairs)):
        lacks: list[str] = []
        if number % 4 == 3 and hidden:
            one = hidden.pop()
            if any("ada" in file.readers for file in drive.of(one.paper)):
                continue
            ask, value = one.ask(), one.paper.values[one.attribute]
            lacks = [value.text] if value.number is None or value.number > 100 else []
        else:
            one, genre = next(missing, (None, ""))
            if one is None:
                return
            words = one.paper.language.genres[genre]
            ask = words[next(iter(GENRES[genre][1]))]["asks"].format(company=one.paper.company.name)
        yield {
            "account": "ada", "language": one.paper.company.language, "format": "", "asks": [ask], "sources": [],
            "also": [], "refusal": True, "lacks": lacks,
        }  # fmt: skip


def _follow_up(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    for one in _papers(drive, chance, "paper"):
        other = next(name for name in one.paper.values if name != one.attribute)
        second = _Asked(one.file, one.paper, other)
        yield _question(drive, second, one.ask(), second.ask("follows"), wordings=[second.ask()])
