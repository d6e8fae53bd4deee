"""The plan of a generated Drive: its files, their places, and who may see them."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from sandbox import accounts
from sandbox.generate import formats, hostile, language, papers
from sandbox.generate.papers import Company, Paper

_FOLDERS = ("Purchasing", "Quality", "Finance", "Logistics", "Legal", "Facilities")
_PROSE = {
    "docx": 22, "pdf": 20, "md": 8, "txt": 9, "html": 8, "eml": 6, "odt": 8, "pptx": 7, "scan.pdf": 4, "png": 4,
    "jpg": 4,
}  # fmt: skip
"""The share of each format among the papers, in percent."""
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
    """The name in Drive, if a disk does not accept it; None if it is the name on disk."""
    sparse_bytes: int = 0
    """The size of a sparse file, which has no content and takes no space on disk; 0 for other files."""


@dataclass(frozen=True)
class Drive:
    """The files of a generated Drive, and the companies that they are about."""

    seed: int
    files: Sequence[File]
    companies: Sequence[Company]

    def of(self, paper: Paper, *roles: str) -> list[File]:
        """The files with papers of the same genre about the same company; only of these roles if any are given."""
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
        """The next number, which no other paper of this or another seed has."""
        self._numbers += 1
        return self._seed * 100_000 + self._numbers

    def place(self, folder: str, name: str, suffix: str) -> str:
        """A path that is not used yet, with a number in the name if necessary."""
        path = f"{folder}/{name}.{suffix.removeprefix('scan.')}"
        copy = 1
        while path.casefold() in self._paths:
            copy += 1
            path = f"{folder}/{name} ({copy}).{suffix.removeprefix('scan.')}"
        self._paths.add(path.casefold())
        return path

    def add(self, paper: Paper, role: str, *, folder: str = "", name: str = "", suffix: str = "") -> File:
        """Adds a file with a paper. Without a folder, name or suffix, a suitable one is chosen."""
        kinds = _TABLES if paper.genre == "table" else _PROSE
        suffix = suffix or self.chance.choices(list(kinds), list(kinds.values()))[0]
        if paper.genre == "mail" and self.chance.random() < 0.6:
            suffix = "eml"
        folder = folder or self.folder(paper)
        # These formats have no title in their text, so only the file name tells which company's prices they have.
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
        """The name that an office would give a paper, such as its title with a company, a day or a number."""
        company, day = paper.company.name, paper.day.isoformat()
        names = (
            f"{paper.title} {company}",
            f"{day} {paper.title}",
            f"{company} {day}",
            f"{paper.title} {paper.number}",
        )
        return names[paper.number % len(names)] + paper.edition

    def folder(self, paper: Paper) -> str:
        """The folder where people would look for a paper."""
        top = _FOLDERS[paper.department]
        below = (paper.company.name, str(paper.day.year), paper.words["plural"].capitalize())[paper.number % 3]
        return f"{top}/{below}"

    def content(self, paper: Paper, suffix: str) -> Callable[[], bytes]:
        """A function that makes the bytes of a paper."""
        others = self.companies
        if paper.genre == "table":
            rows = [paper.words["columns"], *paper.articles]
            named = f"{paper.title} {paper.company.name}"
            return lambda: formats.table(suffix, named[:31], rows)

        def made() -> bytes:
            text = papers.markdown(paper, others, short=suffix in SCANS)
            return formats.document(suffix, text, day=paper.day, sender=paper.owner, number=paper.number)

        return made


def plan(count: int, seed: int) -> Drive:
    """The plan of a Drive of `count` files.

    With fewer than 100 files, few or none of them have older versions, copies, conflicts or wrong folders.
    """
    made = _Plan(seed)
    chance = made.chance
    strange = hostile.files(count, seed)
    twentieth = count // 20
    chatter = count // 6
    prose = count - len(strange) - chatter - 3 * twentieth
    made.companies = papers.companies(min(900, max(6, prose // 7)), chance)
    genres = list(papers.facts()["genres"])
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
    """Adds papers, each with an earlier version in the same folder."""
    for paper in facts:
        suffix = made.chance.choice(("docx", "pdf", "odt", "md"))
        older = papers.changed(replace(paper, day=paper.day - timedelta(days=60), edition=" v1"), made.chance)
        folder = made.folder(paper)
        made.add(older, "older", folder=folder, suffix=suffix)
        made.add(replace(paper, edition=" v2"), "paper", folder=folder, suffix=suffix)


def _with_copies(made: _Plan, facts: Sequence[Paper]) -> None:
    """Adds papers that somebody has saved a second time, in another folder and often in another format."""
    for paper in facts:
        made.add(paper, "paper")
        owner = replace(paper, day=paper.day + timedelta(days=3))
        made.add(
            owner, "copy", folder=f"{made.chance.choice(_FOLDERS)}/Archive", suffix=made.chance.choice(("pdf", "txt"))
        )


def _with_conflicts(made: _Plan, facts: Sequence[Paper]) -> None:
    """Adds papers, each with another one that contradicts it. Neither is marked as the older one."""
    for paper in facts:
        made.add(paper, "conflict")
        other = papers.changed(replace(paper, number=made.number()), made.chance)
        made.add(other, "conflict", folder=f"{_FOLDERS[(paper.department + 1) % 6]}/Projects")


def _misfiled(made: _Plan, facts: Sequence[Paper]) -> None:
    """Adds papers in a folder and under a name where nobody would look for them."""
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
        return formats.document(suffix, text, day=day, sender=owner, number=number)

    made.files.append(File(path, suffix, content, owner, _moment(day, number), role="chatter"))


def _moment(day: date, number: int) -> datetime:
    return datetime.combine(day, time(7 + number % 11, number % 60), UTC)
