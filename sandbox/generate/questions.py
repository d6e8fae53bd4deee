"""The facts in a generated Drive, and questions about them in ten categories.

A question has these fields, of which most are optional:

- `sources`: the files on which an answer must be based. `copies`: for each of them, the files with the same facts.
- `also`: other files about the same thing, which an answer may name.
- `contains`, `numbers`, `refusal`: what a right answer states.
- `unit`, `wrong`, `others`: what makes an answer wrong: another number with the same unit, or one of these values.
- `beside`: values that an answer may state after the right one, such as those of an earlier version.
- `since`: the day to which its search is limited. `wordings`: further wordings that a good search would try.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from sandbox.generate import language, papers
from sandbox.generate.drive import Drive, File
from sandbox.generate.papers import Paper

EACH = 30
"""The largest number of questions in a category."""
_MOST_SOURCES = 4


@cache
def _units() -> dict[str, str]:
    """For each attribute with a unit: a regular expression for it in five languages."""
    return {name: unit for unit, names in papers.facts()["units"].values() for name in names.split()}


@dataclass(frozen=True)
class _Asked:
    """An attribute of a file's paper, about which a question asks."""

    file: File
    paper: Paper
    attribute: str

    def ask(self, form: str = "asks", *, code: str = "") -> str:
        """The text of a question, in the paper's language unless `code` names another one."""
        words = language.of(code or self.paper.company.language).words
        company = self.paper.company
        return words["genre"][self.paper.genre][self.attribute][form].format(
            company=company.name, town=company.town, alias=words["goods"][company.goods][1]
        )


def _right(drive: Drive, *asked: _Asked) -> dict[str, Any]:
    """The fields for a right answer, which must state the values of all `asked` and no other values instead."""
    values = [(one.paper.values[one.attribute], one.paper.language) for one in asked]
    contains = [value.spellings(written) for value, written in values if value.number is None]
    # The values that may stand beside the right ones come from other versions and from attributes with the same unit.
    unit = _units().get(asked[0].attribute, "")
    known = [paper for one in asked for paper in (one.paper, *(file.paper for file in drive.of(one.paper))) if paper]
    beside = [
        value.spellings(paper.language) if value.number is None else value.number
        for paper in known for name, value in paper.values.items()
        if value not in [each for each, _ in values] and (name == asked[0].attribute or _units().get(name) == unit)
    ]  # fmt: skip
    allowed = {text for texts in [*contains, *(one for one in beside if isinstance(one, list))] for text in texts}
    wrong = set[str]() if unit else _stated(drive, asked[0].attribute) - allowed
    return {
        "numbers": [{"value": value.number, "tolerance": 0.001} for value, _ in values if value.number is not None],
        "contains": contains, "unit": unit, "beside": beside, "wrong": sorted(wrong),
    }  # fmt: skip


def _stated(drive: Drive, attribute: str) -> set[str]:
    """All spellings of all values of an attribute in the papers of a Drive."""
    papers = [file.paper for file in drive.files if file.paper is not None and attribute in file.paper.values]
    return {text for one in papers for text in one.values[attribute].spellings(one.language)}


def facts(drive: Drive) -> list[dict[str, Any]]:
    """The facts of a Drive, each with the file that states it."""
    return [
        {"file": file.path, "about": file.paper.company.name, "genre": file.paper.genre, "attribute": name,
         "value": value.text, "language": file.paper.company.language}
        for file in drive.files if file.paper is not None
        for name, value in file.paper.values.items()
    ]  # fmt: skip


def of(drive: Drive, each: int = EACH) -> list[dict[str, Any]]:
    """The questions of all categories, at most `each` of a category."""
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
            copies = {path: _copies(drive, path) for path in question["sources"]}
            found.append({"id": f"{name}-{number:02}", "category": category, "copies": copies} | question)
    return found


def _copies(drive: Drive, path: str) -> list[str]:
    """The other files with the same facts."""
    paper = next(file.paper for file in drive.files if file.path == path)
    if paper is None or not paper.values:
        return []
    return [one.path for one in drive.of(paper) if one.path != path and one.paper and one.paper.values == paper.values]


def _question(drive: Drive, one: _Asked, *asks: str, **more: Any) -> dict[str, Any]:
    same = [file.path for file in drive.of(one.paper) if file.path != one.file.path]
    base: dict[str, Any] = {
        "account": one.file.readers[0], "language": one.paper.company.language, "format": one.file.suffix,
        "asks": list(asks), "sources": [one.file.path], "also": same,
    }  # fmt: skip
    return base | ({} if "contains" in more else _right(drive, one)) | more


def _papers(drive: Drive, chance: random.Random, *roles: str) -> list[_Asked]:
    """Two attributes of each paper that ada sees, in random order. All papers come once before any comes again."""
    papers = [
        (file, file.paper, chance.sample(list(file.paper.values), len(file.paper.values)))
        for file in drive.files
        if file.paper is not None and file.paper.values and file.role in roles and "ada" in file.readers
    ]
    chance.shuffle(papers)
    return [_Asked(file, paper, names[turn]) for turn in (0, 1) for file, paper, names in papers]


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
            wordings=[second.ask()], **_right(drive, first, second),
        )  # fmt: skip


def _table(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Questions for a value in a row of a table, and for values that are computed from all rows."""
    tables = [
        (file, file.paper) for file in drive.files if file.paper and file.paper.articles and "ada" in file.readers
    ]
    pairs = [(file, paper) for file, paper in tables for _ in range(2)]
    chance.shuffle(pairs)
    for number, (file, paper) in enumerate(pairs):
        yield {
            "account": "ada", "language": paper.company.language, "format": file.suffix, "sources": [file.path],
            "also": [], **(_looked_up(paper, number, chance) if number % 2 else _computed(paper, number // 2)),
        }  # fmt: skip


def _looked_up(paper: Paper, number: int, chance: random.Random) -> dict[str, Any]:
    name, column = (("price", 2), ("stock", 3))[number // 2 % 2]
    row = chance.choice(paper.articles)
    others = {float(one[column]) for one in paper.articles} - {float(cell) for cell in row[1:]}
    return {
        "asks": [paper.words[name].format(article=row[0], company=paper.company.name)],
        "numbers": [{"value": float(row[column]), "tolerance": 0.001}], "others": sorted(others),
    }  # fmt: skip


def _computed(paper: Paper, number: int) -> dict[str, Any]:
    prices, stock = ([float(row[column]) for row in paper.articles] for column in (2, 3))
    highest = paper.articles[prices.index(max(prices))][0]
    name = ("total", "average", "count", "highest")[number % 4]
    value = {"total": sum(stock), "average": sum(prices) / len(prices), "count": len(prices), "highest": max(prices)}
    demands: dict[str, Any] = {"numbers": [{"value": value[name], "tolerance": 0.006}], "computed": True}
    if name == "highest":
        others = sorted({row[0] for row in paper.articles} - {highest})
        demands = {"contains": [[highest]], "wrong": others, "computed": True}
    return {"asks": [paper.words[name].format(company=paper.company.name)], **demands}


def _constraint(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Questions for the papers of a genre and department since a day; older papers are wrong."""
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
        # With several papers of one day, the day may not exclude any paper, or leave too many.
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
            "contains": [[name] for name in dict.fromkeys(one.paper.company.name for one in wanted if one.paper)],
            "wrong": sorted(_about(drive, paper) - {one.paper.company.name for one in wanted if one.paper}),
        }  # fmt: skip


def _about(drive: Drive, paper: Paper) -> set[str]:
    """The companies about which there is a paper of the same genre and language."""
    key = paper.genre, paper.company.language
    return {
        one.paper.company.name
        for one in drive.files
        if one.paper is not None and (one.paper.genre, one.paper.company.language) == key
    }


def _conflict(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    seen: set[tuple[str, str, str]] = set()
    for one in _papers(drive, chance, "conflict"):
        key = one.paper.genre, one.paper.company.name, one.attribute
        files = drive.of(one.paper, "conflict")
        if key in seen or len(files) < 2:
            continue
        seen.add(key)
        both = [_Asked(file, file.paper, one.attribute) for file in files if file.paper is not None]
        ask = f"{one.ask()} {one.paper.language.words['agree']}"
        yield _question(
            drive, one, ask, sources=[each.file.path for each in both], also=[], wordings=[one.ask()],
            **_right(drive, *both),
        )  # fmt: skip


def _absence(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Questions about papers that do not exist, or that only the other account sees."""
    private = [one for one in drive.files if one.paper and one.paper.values and "ada" not in one.readers]
    hidden = [_Asked(file, file.paper, next(iter(file.paper.values))) for file in private if file.paper]
    there = {(file.paper.genre, file.paper.company.name) for file in drive.files if file.paper}
    known: dict[str, _Asked] = {one.paper.company.name: one for one in _papers(drive, chance, "paper")}
    pairs = [(one, genre) for one in known.values() for genre in papers.facts()["genres"]]
    chance.shuffle(pairs)
    missing = ((one, genre) for one, genre in pairs if (genre, one.paper.company.name) not in there)
    for number in range(len(pairs)):
        if number % 4 == 3 and hidden:
            one = hidden.pop()
            if any("ada" in file.readers for file in drive.of(one.paper)):
                continue
            ask, attribute = one.ask(), one.attribute
        else:
            one, genre = next(missing, (None, ""))
            if one is None:
                return
            attribute = next(iter(papers.facts()["genres"][genre][1]))
            ask = one.paper.language.genres[genre][attribute]["asks"].format(company=one.paper.company.name)
        yield {
            "account": "ada", "language": one.paper.company.language, "format": "", "asks": [ask], "sources": [],
            "also": [], "refusal": True, "unit": _units().get(attribute, ""),
            "wrong": [] if attribute in _units() else sorted(_stated(drive, attribute)),
        }  # fmt: skip


def _follow_up(drive: Drive, chance: random.Random) -> Iterator[dict[str, Any]]:
    for one in _papers(drive, chance, "paper"):
        other = next(name for name in one.paper.values if name != one.attribute)
        second = _Asked(one.file, one.paper, other)
        yield _question(drive, second, one.ask(), second.ask("follows"), wordings=[second.ask()])
