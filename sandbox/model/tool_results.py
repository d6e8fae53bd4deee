"""Results of Drive tools. They are data: instructions in a text are not followed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sandbox import passages, ranking
from sandbox.conversation import Call, Exchange, JsonObject
from sandbox.model import words

LIST, SEARCH, READ = "list_drive_folder", "search_files", "read_drive_file"
DRIVE = frozenset({LIST, SEARCH, READ})
LABELLED = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)?: ")
"""The beginning of a line in a letter's header, such as “From: ”."""
_NOT_CONNECTED = re.compile(r"/settings/integrations|\bnot connected\b|\breconnect\b|\brevoked\b", re.IGNORECASE)
_TITLE_CHARACTERS, _HEAD_PASSAGES = 300, 8
_UNREADABLE = {"photo", "video", "audio", "archive", "zip", "binary"}


@dataclass(frozen=True)
class File:
    """A file or folder as a tool described it."""

    id: str
    name: str
    url: str
    kind: str = ""
    modified: str = ""
    path: str = ""
    titles: str = ""
    """The headings above the passages that a search has shown."""
    shown: str = ""
    """The passages that a search has shown, as one text."""

    @property
    def is_folder(self) -> bool:
        return "folder" in self.kind.lower()

    @property
    def may_be_readable(self) -> bool:
        return self.kind.lower() not in _UNREADABLE and not self.is_folder

    @property
    def reference(self) -> str:
        """The argument for tools: the link, which may have a resource key, or else the id."""
        return self.url or self.id

    @property
    def key(self) -> str:
        return self.id or self.url or self.name

    @property
    def about(self) -> str:
        """Its name, its path and its titles."""
        return f"{self.name.replace('_', ' ')} {self.path} {self.titles}"

    def has(self, names: Iterable[str]) -> int:
        """The number of these names that occur in its name, path, titles or passages."""
        return _count(names, f"{self.about} {self.shown}")

    def is_about(self, marks: Iterable[str]) -> int:
        """The number of these marks that occur in its name, path or titles."""
        return _count(marks, self.about)

    @property
    def papers(self) -> frozenset[int]:
        """The kinds of papers that its name and its titles, or else its path, name."""
        return words.papers(f"{self.name.replace('_', ' ')} {self.titles}") or words.papers(self.path)

    def score_with_passages(self, subject: Mapping[str, float]) -> float:
        """How well its name and the passages that a search has shown fit the words of a subject."""
        return ranking.scores(subject, [[(1.0, f"{self.name.replace('_', ' ')} {self.shown}")]])[0]

    def score(self, subject: Mapping[str, float]) -> float:
        """How well its name fits the words of a subject: 0.0 to about 1.0."""
        return replace(self, shown="").score_with_passages(subject)


@dataclass(frozen=True)
class Listing:
    """The files of a folder, or those that a search found."""

    folder: File | None
    files: tuple[File, ...]
    total: int
    gap: str
    """The tool's note on the missing part of a partial listing; empty if the listing is complete."""


@dataclass(frozen=True)
class Reading:
    """The content of a file, or of a part of it."""

    file: File
    part: str
    content: str
    complete: bool = True
    note: str = ""

    @cached_property
    def passages(self) -> list[passages.Passage]:
        return passages.split(self.content, f"{self.file.kind} {self.file.name}")

    @property
    def label(self) -> str:
        """The place of the part that was read; empty for the whole file."""
        return "" if self.part.lower() == "all" else self.part

    @property
    def title(self) -> str:
        """Its first passage if that is a heading; else empty."""
        first = self.passages[0] if self.passages else None
        return first.text if first is not None and first.kind == "heading" else ""

    @cached_property
    def paper(self) -> File:
        """The file, with its first lines as further titles."""
        return replace(self.file, titles=f"{self.file.titles} {self.opening}")

    @cached_property
    def opening(self) -> str:
        """Its titles, the lines that say who has written it and when, and its first sentence."""
        first = self.passages[:_HEAD_PASSAGES]
        lines = [one for one in first if one.kind == "heading" or LABELLED.match(one.text)]
        return " ".join(one.text for one in [*lines, *[one for one in first if one not in lines][:1]])


@dataclass(frozen=True)
class Hit:
    """A passage with words of a subject."""

    reading: Reading
    place: int
    score: float

    @property
    def passage(self) -> passages.Passage:
        return self.reading.passages[self.place]

    @property
    def file(self) -> File:
        return self.reading.file

    @property
    def is_of_head(self) -> bool:
        """Whether it is in a letter's header: only headings and labelled lines precede it."""
        before = self.reading.passages[: self.place]
        return self.passage.kind == "sentence" and all(
            one.kind == "heading" or LABELLED.match(one.text) for one in before
        )

    @property
    def label(self) -> str:
        """The place within the file, such as `page 3`; empty if unknown."""
        return self.passage.label or self.reading.label


@dataclass(frozen=True)
class Failure:
    """A tool call that failed, or a file that could not be read (`file` is set). `text` is the reason."""

    call: Call
    text: str
    file: File | None = None

    @property
    def not_connected(self) -> bool:
        return self.file is None and bool(_NOT_CONNECTED.search(self.text))


@dataclass
class Found:
    """The results of several tool calls by kind, each kind in order."""

    calls: list[Call] = field(default_factory=list[Call])
    listings: list[Listing] = field(default_factory=list[Listing])
    readings: list[Reading] = field(default_factory=list[Reading])
    failures: list[Failure] = field(default_factory=list[Failure])

    @property
    def files(self) -> list[File]:
        """The files that were listed or found, each once."""
        return list({file.key: file for listing in self.listings for file in listing.files}.values())


def collect(exchanges: Iterable[Exchange]) -> Found:
    """Sorts the results of Drive tools by kind. Results of other tools are left out."""
    found = Found()
    for exchange in exchanges:
        call, output = exchange.call, exchange.output
        if call.name not in DRIVE:
            continue
        found.calls.append(call)
        if output is None:
            found.failures.append(Failure(call, exchange.error or ""))
        elif isinstance(skipped := output.get("skipped"), dict):
            found.failures.append(_skipped(call, skipped))
        elif isinstance(output.get("content"), str):
            found.readings.append(_reading(output, found.files))
        elif isinstance(output.get("files"), list):
            found.listings.append(_listing(output))
    return found


def hits(subject: Mapping[str, float], readings: Sequence[Reading]) -> list[Hit]:
    """The passages with a word of the subject, the best first. Passages with equal scores keep their order."""
    places = [(reading, number) for reading in readings for number in range(len(reading.passages))]
    scored = ranking.scores(subject, [_fields(reading, reading.passages[number]) for reading, number in places])
    found = [
        Hit(reading, number, score * _factor(reading, number))
        for (reading, number), score in zip(places, scored, strict=True)
        if score
    ]
    return sorted(found, key=lambda hit: -hit.score)


def _fields(reading: Reading, passage: passages.Passage) -> list[tuple[float, str]]:
    """The texts in and around a passage, each with the weight of a word in it."""
    return [
        (1.0, " ".join(passage.cells) or passage.text),
        (0.85, " ".join(passage.columns)),
        (0.7, f"{passage.heading} {passage.label}"),
        (0.75, f"{reading.file.name.replace('_', ' ')} {reading.title}"),
    ]


def _factor(reading: Reading, number: int) -> float:
    """The factor for the score of a passage. It is low for a question and for a file's title, which rarely answer."""
    passage = reading.passages[number]
    if passage.text.endswith("?"):
        return 0.3
    return 0.6 if number == 0 and passage.kind == "heading" else 1.0


def _skipped(call: Call, skipped: JsonObject) -> Failure:
    # Google does not name a file that the user may not see, so the file has only the link that was tried.
    tried = _text(call.arguments.get("file") or call.arguments.get("folder"))
    is_link = "://" in tried
    file = _file({"name": "the link" if is_link else tried, **{key: value for key, value in skipped.items() if value}})
    file = replace(file, url=tried) if is_link and not file.url else file
    return Failure(call, _text(skipped.get("reason")) or "no reason was given", file)


def _reading(output: JsonObject, files: Iterable[File]) -> Reading:
    file = _file(output.get("file"))
    known = next((one for one in files if one.id == file.id), file)
    about = replace(file, path=known.path, titles=known.titles)
    return Reading(
        about,
        _text(output.get("part")),
        output["content"],
        output.get("complete") is not False,
        _text(output.get("note")),
    )


def _listing(output: JsonObject) -> Listing:
    found = [one for one in output.get("passages") or () if isinstance(one, dict)]
    files: list[File] = []
    for file in (_file(one) for one in output["files"] if isinstance(one, dict)):
        own = [one for one in found if one.get("file_id") == file.id]
        shown = " ".join(f"{_text(one.get('place'))} {' '.join(_text(one.get('text')).split())}" for one in own)
        files.append(replace(file, shown=shown, titles=" ".join(_title(one) for one in own)))
    folder, total = output.get("folder"), output.get("total")
    gap = (_text(output.get("note")) or "more files exist.") if output.get("partial") is True else ""
    count = total if isinstance(total, int) else len(files)
    return Listing(_file(folder) if isinstance(folder, dict) else None, tuple(files), count, gap)


def _title(passage: JsonObject) -> str:
    """The heading of a passage or, without one, its first line, as with a scanned page."""
    return _text(passage.get("heading")) or _text(passage.get("text")).partition("\n")[0][:_TITLE_CHARACTERS]


def _count(names: Iterable[str], text: str) -> int:
    folded = text.casefold()
    return sum(name.casefold() in folded for name in names)


def _file(value: Any) -> File:
    entry: JsonObject = value if isinstance(value, dict) else {}
    name = _text(entry.get("name")) or _text(entry.get("id")) or "a file without a name"
    return File(_text(entry.get("id")), name, *(_text(entry.get(key)) for key in ("url", "kind", "modified", "path")))


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
