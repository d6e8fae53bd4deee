"""Files or versions side by side, with what they state differently, for display. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leaf import citations, texts
from leaf.comparison import words
from leaf.texts.places import place_text


@dataclass(frozen=True)
class Piece:
    """A stretch of a passage."""

    text: str
    marked: bool = False
    """Whether the others do not have it."""


@dataclass(frozen=True)
class Passage:
    """The passage of one of the files."""

    file: str
    """The name of the file or version."""
    place: str = ""
    value: str = ""
    """The amounts, dates or cells that differ."""
    pieces: list[Piece] = field(default_factory=list[Piece])
    """The words of the statement; empty if the file has none like it."""


@dataclass(frozen=True)
class Difference:
    """A statement that the files make differently, or that not all make."""

    kind: str
    """The kind of the difference in words."""
    about: str
    passages: list[Passage] = field(default_factory=list[Passage])
    """The passages of all files, in their order."""


@dataclass(frozen=True)
class File:
    """A compared file or version."""

    name: str
    url: str
    own: bool = False
    """Whether the address is a file of the chat."""


@dataclass(frozen=True)
class Comparison:
    """Files or versions that were compared."""

    title: str
    count: str
    """The number of differences, in words."""
    about: str = ""
    """The subject that they were to be about."""
    files: list[File] = field(default_factory=list[File])
    links: list[File] = field(default_factory=list[File])
    """The files by their names, each once."""
    differences: list[Difference] = field(default_factory=list[Difference])
    notes: list[str] = field(default_factory=list[str])
    many: bool = False
    """Whether there are more than two files, so that it is a table."""


def comparison(one: Mapping[str, Any]) -> Comparison:
    """A stored comparison (`leaf.citations.comparisons.stored`) for display."""
    say = texts.of(texts.current())
    names = words.names(one["compared"], say)
    named = [*zip(names, one["compared"], strict=True)]
    return Comparison(
        words.title(names, say), words.count(one, say),
        say("comparisons.on", subject=one["on"]) if one["on"] else "",
        [_file(name, file) for name, file in named],
        [*dict.fromkeys(_file(file["name"] or name, file) for name, file in named)],
        [
            Difference(
                words.kind(row, say), row["about"],
                [_passage(cell, name) for cell, name in zip(row["cells"], names, strict=True)],
            )
            for row in one["rows"]
        ],
        words.notes(one, say), len(names) > 2,
    )  # fmt: skip


def _file(name: str, file: Mapping[str, Any]) -> File:
    url, own = file["url"], bool(file["path"]) and file["url"].startswith("/api/")
    return File(name, url if own or url.startswith(("https://", "http://")) else "", own)


def _passage(cell: Mapping[str, Any] | None, name: str) -> Passage:
    if cell is None:
        return Passage(name)
    return Passage(name, place_text(cell["part"]), cell["value"], pieces(cell["quote"], cell["marks"]))


def pieces(text: str, marks: Sequence[Sequence[int]]) -> list[Piece]:
    """A text in pieces.

    Args:
        text: The text.
        marks: Begin and end of each stretch that is marked, in order.
    """
    return [Piece(*one) for one in citations.comparisons.pieces({"quote": text, "marks": marks})]
