"""Results of Drive tools. They are data: a demand in a text is not obeyed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sandbox import ranking
from sandbox.model import passages
from sandbox.model.conversation import Call, Exchange, JsonObject

LIST, SEARCH, READ = "list_drive_folder", "search_files", "read_drive_file"
DRIVE = frozenset({LIST, SEARCH, READ})

_NOT_CONNECTED = re.compile(r"/settings/integrations|\bnot connected\b|\breconnect\b|\brevoked\b", re.IGNORECASE)
_UNREADABLE = {"folder", "image", "photo", "video", "audio", "archive", "zip", "binary"}
_NAME_WEIGHT, _HEADING_WEIGHT, _COLUMN_WEIGHT, _NEAR_WEIGHT = 0.75, 0.7, 0.85, 0.35
_HEADING, _QUESTION, _CONTENTS = 0.6, 0.3, 0.3
"""Factors of passages that are seldom an answer."""
_CONTENTS_LINE = re.compile(r"(?:\.\s?){4,}|…\s*\d+\s*$")


@dataclass(frozen=True)
class File:
    """A file or folder as a tool described it."""

    id: str
    name: str
    url: str
    kind: str = ""
    modified: str = ""

    @property
    def is_folder(self) -> bool:
        return "folder" in self.kind.lower()

    @property
    def may_be_readable(self) -> bool:
        return self.kind.lower() not in _UNREADABLE and not self.is_folder

    @property
    def reference(self) -> str:
        """The argument of a tool: the link, which may carry a resource key, or else the id."""
        return self.url or self.id

    @property
    def key(self) -> str:
        return self.id or self.url or self.name

    def score(self, subject: dict[str, float]) -> float:
        """How well its name fits the words that are looked for: 0.0 to about 1.0."""
        return ranking.scores(subject, [[(1.0, self.name.replace("_", " "))]])[0]


@dataclass(frozen=True)
class Listing:
    """The files of a folder, or those that a search found."""

    folder: File | None
    query: str
    files: tuple[File, ...]
    total: int
    partial: bool
    note: str


@dataclass(frozen=True)
class Reading:
    """The content of a file, or of a part of it."""

    file: File
    part: str
    content: str
    complete: bool = True
    note: str = ""
    found_inside: bool = False
    """Whether the content is passages that were looked for in the whole file."""

    @cached_property
    def passages(self) -> list[passages.Passage]:
        return passages.split(self.content, f"{self.file.kind} {self.file.name}")


@dataclass(frozen=True)
class Hit:
    """A passage that speaks of a subject."""

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
    def label(self) -> str:
        """Where it stands within the file, such as `page 3`, or nothing."""
        return self.passage.label or ("" if self.reading.part.lower() == "all" else self.reading.part)


@dataclass(frozen=True)
class Failure:
    """A tool call that failed, or a file that could not be read (`file` is set), and why."""

    call: Call
    text: str
    file: File | None = None

    @property
    def not_connected(self) -> bool:
        return self.file is None and bool(_NOT_CONNECTED.search(self.text))


@dataclass
class Found:
    """Everything that a number of tool calls returned, each kind in order."""

    calls: list[Call] = field(default_factory=list[Call])
    listings: list[Listing] = field(default_factory=list[Listing])
    searches: list[Listing] = field(default_factory=list[Listing])
    readings: list[Reading] = field(default_factory=list[Reading])
    failures: list[Failure] = field(default_factory=list[Failure])

    @property
    def lasting_failures(self) -> list[Failure]:
        """The failures that no later call made good, such as opening a link as a folder."""
        failed = {failure.call.id for failure in self.failures}
        opened = {_reference(call) for call in self.calls if call.id not in failed} - {""}
        return [failure for failure in self.failures if _reference(failure.call) not in opened]

    @property
    def files(self) -> list[File]:
        """Every file that was listed, found or read, each once."""
        listed = [file for listing in (*self.listings, *self.searches) for file in listing.files]
        known: dict[str, File] = {}
        for file in (*listed, *(reading.file for reading in self.readings)):
            known.setdefault(file.key, file)
        return list(known.values())

    @property
    def read_files(self) -> list[File]:
        return list({reading.file.key: reading.file for reading in self.readings}.values())


def collect(exchanges: Iterable[Exchange]) -> Found:
    """Sorts the results of Drive tools by what they are; results of other tools are left out."""
    found = Found()
    for exchange in exchanges:
        if exchange.call.name in DRIVE:
            found.calls.append(exchange.call)
            if exchange.output is None:
                found.failures.append(Failure(exchange.call, exchange.error or ""))
            else:
                _sort(found, exchange.call, exchange.output)
    return found


def hits(subject: dict[str, float], readings: Iterable[Reading]) -> list[Hit]:
    """The passages that name a word of the subject, the best first; of two equal ones, the one that stands first."""
    places = [(reading, place) for reading in readings for place in range(len(reading.passages))]
    scored = ranking.scores(subject, [_fields(reading, place) for reading, place in places])
    found = [
        Hit(reading, place, score * _factor(reading.passages[place]))
        for (reading, place), score in zip(places, scored, strict=True)
        if score
        and any(
            ranking.named(ranking.stem(word), reading.passages[place].text + reading.passages[place].heading)
            for word in subject
        )
    ]
    return sorted(found, key=lambda hit: -hit.score)


def _fields(reading: Reading, place: int) -> list[tuple[float, str]]:
    passage = reading.passages[place]
    near = reading.passages[max(0, place - 1) : place + 2] if passage.kind == "sentence" else []
    around = " ".join(one.text for one in near if one.block == passage.block)
    return [
        (1.0, " ".join(passage.cells) or passage.text),
        (_COLUMN_WEIGHT, " ".join(passage.columns)),
        (_HEADING_WEIGHT, f"{passage.heading} {passage.label}"),
        (_NAME_WEIGHT, reading.file.name.replace("_", " ")),
        (_NEAR_WEIGHT, around),
    ]


def _factor(passage: passages.Passage) -> float:
    if passage.text.endswith("?"):
        return _QUESTION
    return _HEADING if passage.kind == "heading" else _CONTENTS if _CONTENTS_LINE.search(passage.text) else 1.0


def _reference(call: Call) -> str:
    """The file or folder that a call names; nothing for a search."""
    return _text(call.arguments.get("file")) or _text(call.arguments.get("folder"))


def _sort(found: Found, call: Call, output: JsonObject) -> None:
    skipped = output.get("skipped")
    if isinstance(skipped, dict):
        # Google names no file that it does not let the user see; the link that was tried is all there is.
        tried = _reference(call)
        file = _file({"name": "the link" if "://" in tried else tried, **{k: v for k, v in skipped.items() if v}})
        file = file if file.url or "://" not in tried else replace(file, url=tried)
        found.failures.append(Failure(call, _text(skipped.get("reason")) or "no reason was given", file))
    elif isinstance(output.get("content"), str):
        complete, inside = output.get("complete") is not False, isinstance(output.get("find"), str)
        file, part, note = _file(output.get("file")), _text(output.get("part")), _text(output.get("note"))
        found.readings.append(Reading(file, part, output["content"], complete, note, inside))
    elif isinstance(output.get("files"), list):
        listing = _listing(output)
        (found.listings if listing.folder else found.searches).append(listing)


def _listing(output: JsonObject) -> Listing:
    files = tuple(_file(entry) for entry in output["files"] if isinstance(entry, dict))
    folder, total = output.get("folder"), output.get("total")
    return Listing(
        folder=_file(folder) if isinstance(folder, dict) else None,
        query=" · ".join(map(_text, queries)) if isinstance(queries := output.get("queries"), list) else "",
        files=files,
        total=total if isinstance(total, int) else len(files),
        partial=output.get("partial") is True,
        note=_text(output.get("note")),
    )


def _file(value: Any) -> File:
    entry: JsonObject = value if isinstance(value, dict) else {}
    name = _text(entry.get("name")) or _text(entry.get("id")) or "a file without a name"
    return File(_text(entry.get("id")), name, *(_text(entry.get(key)) for key in ("url", "kind", "modified")))


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
