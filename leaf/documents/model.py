"""A document: segments of text, each with a named place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from leaf import errors, texts
from leaf.texts.places import READ_BY_OCR

LEFT_OUT = "Left out: "
"""The beginning of the note of a limit."""


def left_out(key: str, **parameters: Any) -> texts.Message:
    """The note of a limit: the text of a key of `notes` says what is left out."""
    return texts.english("notes.left_out", note=texts.english(key, **parameters))


class Unreadable(errors.LeafError):
    """A file was reached, and its text cannot be had. `reason` says why, in words for a person."""

    status, code = 415, "unreadable"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NoText(Unreadable):
    """A file that is whole, and has no text: scanned pages, pictures only."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A title that begins within a segment: a bookmark of a PDF."""

    title: str
    level: int
    """Nesting level, from 0."""
    at: int | None = None
    """Its position in the text of the segment; None if the text does not show it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a picture: its words in the text of the segment, and the box around them in the picture."""

    start: int
    end: int
    left: float
    """A share of the picture's width, from 0.0 to 1.0."""
    top: float
    """A share of the picture's height."""
    right: float
    bottom: float

    def body(self) -> list[float]:
        """The stored form."""
        return [self.start, self.end, self.left, self.top, self.right, self.bottom]


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a document that can be asked for by name."""

    part: str
    """The place, in the words in which it is asked for: `page 3`, `section Goals`, `sheet Budget`, `slide 2`,
    `lines 1-400`; `all` where the document is in one piece."""
    title: str | None
    text: str
    headings: tuple[Heading, ...] = ()
    """The titles within it that the file itself lists, in order."""
    lines: tuple[Line, ...] = ()
    """The lines of a picture whose text was recognised, in order; none of other texts."""

    @property
    def place(self) -> str:
        """The place as it is shown: `page 3`, or `page 3, read by OCR`."""
        return f"{self.part}{READ_BY_OCR}" if self.lines else self.part

    def body(self) -> dict[str, Any]:
        """The stored form."""
        body: dict[str, Any] = {"part": self.part, "title": self.title, "text": self.text}
        if self.headings:
            body["headings"] = [[one.title, one.level, one.at] for one in self.headings]
        if self.lines:
            body["lines"] = [one.body() for one in self.lines]
        return body

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> Self:
        """A segment from the result of `body`."""
        headings = tuple(Heading(title, level, at) for title, level, at in body.get("headings", ()))
        lines = tuple(Line(*one) for one in body.get("lines", ()))
        return cls(body["part"], body["title"], body["text"], headings, lines)


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one revision of one file."""

    file_id: str
    revision: str
    name: str
    mime_type: str
    kind: str
    segments: list[Segment]
    notes: list[str] = field(default_factory=list[str])
    """Notes for the reader: pages without text, a guessed charset, omitted rows."""
    truncated: bool = False
    """Whether a limit kept part of the file out of `segments`; a note says which."""

    def body(self) -> dict[str, Any]:
        """The part that is stored as JSON; `from_body` reads it back."""
        return {
            "segments": [one.body() for one in self.segments],
            "notes": list(self.notes),
            "truncated": self.truncated,
        }

    @classmethod
    def from_body(
        cls, body: Mapping[str, Any], *, file_id: str, revision: str, name: str, mime_type: str, kind: str
    ) -> Self:
        """A document from the result of `body`."""
        segments = [Segment.from_body(one) for one in body["segments"]]
        truncated = bool(body.get("truncated", False))
        return cls(file_id, revision, name, mime_type, kind, segments, list(body.get("notes", [])), truncated)


class DocumentCache(Protocol):
    """Keeps documents of one user, one per file and revision."""

    async def confirmed(self, file_id: str, revision: str) -> None:
        """Notes that Google has just shown the file for reading."""
        ...

    async def get(self, file_id: str, revision: str) -> Document | None:
        """The stored document of exactly this revision, if there is one."""
        ...

    async def put(self, document: Document) -> None:
        """Keeps a document; putting the same revision again changes nothing."""
        ...
