"""Comparisons of files or versions for display: the statements that differ, side by side. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leaf import citations, texts
from leaf.comparison import words
from leaf.texts.places import place_text
from leaf.views import addresses


@dataclass(frozen=True)
class Piece:
    text: str
    marked: bool = False
    """Whether the other files do not have it."""


@dataclass(frozen=True)
class Passage:
    file: str
    """The name of the file or version."""
    place: str = ""
    value: str = ""
    """The amounts, dates or cells that differ."""
    pieces: list[Piece] = field(default_factory=list[Piece])
    """The text of the passage; empty if the file has no such statement."""


@dataclass(frozen=True)
class Difference:
    """A statement that differs between the files, or that some of them lack."""

    kind: str
    """The kind of the difference in words."""
    about: str
    passages: list[Passage] = field(default_factory=list[Passage])
    """One passage for each file, in the order of the files."""


@dataclass(frozen=True)
class File:
    name: str
    url: str
    own: bool = False
    """Whether the address is that of a file of the chat."""


@dataclass(frozen=True)
class Comparison:
    """Files or versions that were compared."""

    title: str
    count: str
    """The number of differences, in words."""
    about: str = ""
    """The subject to which the comparison was limited, in a sentence; empty if there is none."""
    files: list[File] = field(default_factory=list[File])
    links: list[File] = field(default_factory=list[File])
    """The files under their own names, each once, also if several of its versions are compared."""
    differences: list[Difference] = field(default_factory=list[Difference])
    notes: list[str] = field(default_factory=list[str])
    many: bool = False
    """Whether there are more than two files or versions, which are shown as a table."""


def comparison(one: Mapping[str, Any]) -> Comparison:
    """A stored comparison (`leaf.citations.comparisons.stored`) for display."""
    say = texts.of(texts.current())
    names = words.names(one["compared"], say)
    named = [*zip(names, one["compared"], strict=True)]
    return Comparison(
        title=words.title(names, say),
        count=words.count(one, say),
        about=say("comparisons.on", subject=one["on"]) if one["on"] else "",
        files=[_file(name, file) for name, file in named],
        links=[*dict.fromkeys(_file(file["name"] or name, file) for name, file in named)],
        differences=[
            Difference(
                words.kind(row, say),
                row["about"],
                [_passage(cell, name) for cell, name in zip(row["cells"], names, strict=True)],
            )
            for row in one["rows"]
        ],
        notes=words.notes(one, say),
        many=len(names) > 2,
    )


def _file(name: str, file: Mapping[str, Any]) -> File:
    url = file["url"]
    own = bool(file["path"]) and url.startswith("/api/")
    return File(name, url if own else addresses.web(url), own)


def _passage(cell: Mapping[str, Any] | None, name: str) -> Passage:
    if cell is None:
        return Passage(name)
    return Passage(name, place_text(cell["part"]), cell["value"], pieces(cell["quote"], cell["marks"]))


def pieces(text: str, marks: Sequence[Sequence[int]]) -> list[Piece]:
    """A text, split at the borders of its marks."""
    return [Piece(*one) for one in citations.comparisons.pieces({"quote": text, "marks": marks})]
