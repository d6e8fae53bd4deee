"""The plan of a generated Drive: which files there are, where they lie, and who sees them."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from sandbox import accounts
from sandbox.generate import formats, hostile, language, papers
from sandbox.generate.papers import GENRES, Company, Paper

_FOLDERS = ("Purchasing", "Quality", "Finance", "Logistics", "Legal", "Facilities")
_PROSE = {
    "docx": 22, "pdf": 20, "md": 8, "txt": 9, "html": 8, "eml": 6, "odt": 8, "pptx": 7, "scan.pdf": 4, "png": 4,
    "jpg": 4,
}  # fmt: skip
"""The number of papers of each format, of a hundred."""
_TABLES = {"xlsx": 5, "csv": 3, "ods": 3}
SCANS = frozenset({"scan.pdf", "png", "jpg"})
BOTH = ("ada", "ben")


@dataclass(frozen=True)
class File:
    """A file of the Drive."""

    path: str
    suffix: str
    content: Callable[[], bytes]
    owner: str
    modified: datetime
    readers: tuple[str, ...] = BOTH
    paper: Paper | None = None
    role: str = "paper"
    """`paper`, `older` (an earlier version), `copy`, `conflict`, `misfiled`, `chatter`, `hostile`."""
    name: str | None = None
    """The name in Drive, where a disk does not take it."""
    sparse_bytes: int = 0
    """The size of a file without content, which takes no room."""


@dataclass(frozen=True)
class Drive:
    """The files, and what is known of them."""

    seed: int
    files: Sequence[File]
    companies: Sequence[Company]

    def of(self, paper: Paper, *roles: str) -> list[File]:
        """The files with papers of the same kind about the same company."""
        key = paper.genre, paper.company
        return [
            one
            for one in self.files
            if one.paper is not None
            and (one.paper.genre, one.paper.company) == key
            and (not roles or one.role in roles)
        ]


class _Plan:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(f"drive {seed}")
        self.files: list[File] = []
        self.companies: list[Company] = []
        self._paths: set[str] = set()
        self._numbers = 0
        self._seed = seed

    def number(self) -> int:
        """A number that no other paper of this or another seed has."""
        self._numbers += 1
        return self._seed * 100_000 + self._numbers

    def place(self, folder: str, name: str, suffix: str) -> str:
        """A free path."""
        path = f"{folder}/{name}.{suffix.removeprefix('scan.')}"
        copy = 1
        while path.casefold() in self._paths:
            copy += 1
            path = f"{folder}/{name} ({copy}).{suffix.removeprefix('scan.')}"
        self._paths.add(path.casefold())
        return path

    def add(self, paper: Paper, role: str, *, folder: str = "", name: str = "", suffix: str = "") -> File:
        """Places a paper."""
        kinds = _TABLES if paper.genre == "table" else _PROSE
        suffix = suffix or self.chance.choices(list(kinds), list(kinds.values()))[0]
        if paper.genre == "mail" and self.chance.random() < 0.6:
            suffix = "eml"
        folder = folder or self.folder(paper)
        # The text of these has no title: their name alone says whose prices these are.
        named = f"{paper.title} {paper.company.name}" if suffix in {"csv", "ods"} else self.name(paper)
        path = self.place(folder, name or named, suffix)
        readers = self.chance.choices((BOTH, ("ada",), ("ben",)), (87, 8, 5))[0] if role == "paper" else BOTH
        file = File(
            path, suffix, self.content(paper, suffix), paper.owner, _moment(paper.day, paper.number), readers, paper,
            role,
        )  # fmt: skip
        self.files.append(file)
        return file

    def name(self, paper: Paper) -> str:
        """The name that an office gives a paper; some have a number or a day alone."""
        company, day = paper.company.name, paper.day.isoformat()
        names = (
            f"{paper.title} {company}",
            f"{day} {paper.title}",
            f"{company} {day}",
            f"{paper.title} {paper.number}",
        )
        return names[paper.number % len(names)] + paper.edition

    def folder(self, paper: Paper) -> str:
        """The folder where somebody looks for a paper."""
        top = _FOLDERS[paper.department]
        below = (paper.company.name, str(paper.day.year), paper.words["plural"].capitalize())[paper.number % 3]
        return f"{top}/{below}"

    def content(self, paper: Paper, suffix: str) -> Callable[[], bytes]:
        """Makes the bytes of a paper."""
        others = self.companies
        if paper.genre == "table":
            rows = [paper.words["columns"], *paper.articles]
            named = f"{paper.title} {paper.company.name}"
            return lambda: formats.table(suffix, named[:31], rows)

        def made() -> bytes:
            text = papers.markdown(paper, others, short=suffix in SCANS)
            return formats.written(suffix, text, day=paper.day, sender=paper.owner, number=paper.number)

        return made


def plan(count: int, seed: int) -> Drive:
    """The files of a Drive of `count` files; a smaller one than 100 has few of each kind."""
    made = _Plan(seed)
    chance = made.chance
    strange = hostile.files(count, seed)
    twentieth = count // 20
    chatter = count // 6
    prose = count - len(strange) - chatter - 3 * twentieth
    made.companies = papers.companies(min(900, max(6, prose // 7)), chance)
    genres = list(GENRES)
    pairs = [(company, genre) for company in made.companies for genre in ("table", *chance.sample(genres, 7))]
    chance.shuffle(pairs)
    chosen = set(pairs)
    more = [(company, genre) for company in made.companies for genre in genres if (company, genre) not in chosen]
    chance.shuffle(more)
    base = [
        papers.paper(genre, company, made.number(), chance) for company, genre in [*pairs, *more][:prose]
    ]  # fmt: skip
    facts = [one for one in base if one.genre != "table"]
    _with_versions(made, facts[:twentieth])
    _with_copies(made, facts[twentieth : 2 * twentieth])
    _with_conflicts(made, facts[2 * twentieth : 3 * twentieth])
    _misfiled(made, facts[3 * twentieth : 4 * twentieth])
    for paper in [*facts[4 * twentieth :], *(one for one in base if one.genre == "table")]:
        made.add(paper, "paper")
    for _ in range(chatter):
        _chatter(made)
    for one in strange:
        folder, _, name = one.path.rpartition("/")
        stem, _, suffix = name.rpartition(".")
        owner, moment = accounts.ADA.email, datetime(2025, 3, 4, 9, tzinfo=UTC)
        made.files.append(
            File(
                made.place(folder, stem, suffix), suffix, one.content, owner, moment, role="hostile", name=one.name,
                sparse_bytes=one.sparse_bytes,
            )
        )  # fmt: skip
    return Drive(seed, made.files, made.companies)


def _with_versions(made: _Plan, facts: Sequence[Paper]) -> None:
    """Papers with an earlier version in the same folder."""
    for paper in facts:
        suffix = made.chance.choice(("docx", "pdf", "odt", "md"))
        older = papers.changed(replace(paper, day=paper.day - timedelta(days=60), edition=" v1"), made.chance)
        folder = made.folder(paper)
        made.add(older, "older", folder=folder, suffix=suffix)
        made.add(replace(paper, edition=" v2"), "paper", folder=folder, suffix=suffix)


def _with_copies(made: _Plan, facts: Sequence[Paper]) -> None:
    """Papers that somebody has saved a second time, in another folder and often in another format."""
    for paper in facts:
        made.add(paper, "paper")
        owner = replace(paper, day=paper.day + timedelta(days=3))
        made.add(
            owner, "copy", folder=f"{made.chance.choice(_FOLDERS)}/Archive", suffix=made.chance.choice(("pdf", "txt"))
        )


def _with_conflicts(made: _Plan, facts: Sequence[Paper]) -> None:
    """Papers that another one contradicts, neither of them being marked as the older one."""
    for paper in facts:
        made.add(paper, "conflict")
        other = papers.changed(replace(paper, number=made.number()), made.chance)
        made.add(other, "conflict", folder=f"{_FOLDERS[(paper.department + 1) % 6]}/Projects")


def _misfiled(made: _Plan, facts: Sequence[Paper]) -> None:
    """Papers in a folder, and under a name, where nobody looks for them."""
    for paper in facts:
        name = f"{made.chance.choice(paper.language.words['chatter'])} {paper.number % 97}"
        made.add(
            paper,
            "misfiled",
            folder=made.chance.choice(("Canteen", "Team day 2024", "Old phone", "To sort")),
            name=name,
        )


def _chatter(made: _Plan) -> None:
    number = made.number()
    written = language.of(made.chance.choice(language.CODES))
    suffix = made.chance.choice(("docx", "md", "txt", "html", "pptx", "odt", "eml", "pdf"))
    title, text = papers.chatter(written, number, made.companies)
    day = papers.FIRST_DAY + timedelta(days=made.chance.randrange((papers.LAST_DAY - papers.FIRST_DAY).days))
    path = made.place(f"Everybody/{day.year}", f"{title} {day:%m-%d}", suffix)
    owner = accounts.BEN.email

    def content() -> bytes:
        return formats.written(suffix, text, day=day, sender=owner, number=number)

    made.files.append(File(path, suffix, content, owner, _moment(day, number), role="chatter"))


def _moment(day: date, number: int) -> datetime:
    return datetime.combine(day, time(7 + number % 11, number % 60), UTC)
