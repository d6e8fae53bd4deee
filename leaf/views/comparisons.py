"""Files or versions side by side, with what they state differently, for display. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from leaf import citations, texts
from leaf.texts import dates, say, stored
from leaf.texts.places import place_text

_KINDS: Final = {"value": "comparisons.value", "wording": "comparisons.wording", "only": "comparisons.only"}


@dataclass(frozen=True)
class Piece:
    """A stretch of a passage."""

    text: str
    marked: bool = False
    """Whether the others do not have it."""


@dataclass(frozen=True)
class Passage:
    """What one of the files says."""

    file: str
    """The name of the file or version."""
    place: str = ""
    value: str = ""
    """The amounts, dates or cells that differ."""
    pieces: list[Piece] = field(default_factory=list[Piece])
    """Its words; none where the file has nothing like it."""


@dataclass(frozen=True)
class Difference:
    """A statement that the files make differently, or that not all make."""

    kind: str
    """In words."""
    about: str
    passages: list[Passage] = field(default_factory=list[Passage])
    """Those of all files, in their order."""


@dataclass(frozen=True)
class File:
    """A compared file or version."""

    name: str
    url: str


@dataclass(frozen=True)
class Comparison:
    """Files or versions that were compared."""

    title: str
    count: str
    """The number of differences, in words."""
    about: str = ""
    """What they were to be about."""
    files: list[File] = field(default_factory=list[File])
    differences: list[Difference] = field(default_factory=list[Difference])
    notes: list[str] = field(default_factory=list[str])
    many: bool = False
    """Whether there are more than two files, so that it is a table."""


def comparison(one: Mapping[str, Any]) -> Comparison:
    """A stored comparison (`leaf.citations.comparisons.stored`) for display."""
    names = _names(one["compared"])
    rows, count = one["rows"], one["differences"]
    notes = [say("comparisons.same", count=one["same"])] if one["same"] else []
    if count > len(rows):
        notes.append(say("comparisons.shown", count=len(rows)))
    notes += [stored(note["message"], note["text"]) for note in one["notes"]]
    return Comparison(
        title(names), say("comparisons.differences", count=count) if count else say("comparisons.none"),
        say("comparisons.on", subject=one["on"]) if one["on"] else "",
        [File(name, _address(file["url"])) for name, file in zip(names, one["compared"], strict=True)],
        [_difference(row, names) for row in rows], notes, len(names) > 2,
    )  # fmt: skip


def title(names: Sequence[str], words: texts.Texts | None = None) -> str:
    """The heading of a comparison: the names of what was compared, each once."""
    told = words or texts.of(texts.current())
    shown = told("comparisons.and", first=", ".join(names[:-1]), last=names[-1])
    return told("comparisons.heading", names=shown)


def _names(files: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of compared files, and of versions with their dates."""
    return [_name(file, of_versions=any(one["version"] for one in files)) for file in files]


def _name(file: Mapping[str, Any], *, of_versions: bool) -> str:
    name = file["name"] or say("trust.drive_file")
    if not file["version"]:
        return say("comparisons.current", name=name) if of_versions else name
    try:
        moment = datetime.fromisoformat(file["version"])
    except ValueError:
        return name
    values: dict[str, Any] = {"name": name, "date": dates.full_day(moment.date()), "time": moment}
    if file["by"]:
        return say("comparisons.version_by", **values, person=file["by"])
    return say("comparisons.version", **values)


def _address(url: str) -> str:
    return url if url.startswith(("https://", "http://")) else ""


def _difference(row: Mapping[str, Any], names: Sequence[str]) -> Difference:
    kind = say(_KINDS[row["kind"]]) if row["kind"] in _KINDS else ""
    return Difference(
        kind, row["about"], [_passage(cell, name) for cell, name in zip(row["cells"], names, strict=True)]
    )


def _passage(cell: Mapping[str, Any] | None, name: str) -> Passage:
    if cell is None:
        return Passage(name)
    pieces = [Piece(*one) for one in citations.comparisons.pieces(cell)]
    return Passage(name, place_text(cell["part"]), cell["value"], pieces)
