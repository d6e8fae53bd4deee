"""The model of a document: segments of text, each with a named place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from leaf import errors, texts
from leaf.texts.places import READ_BY_OCR

LEFT_OUT = "Left out: "
"""The beginning of a note which says that a limit was reached."""


def left_out(key: str, **parameters: Any) -> texts.Message:
    """The note of a limit: the text of a key of `notes` says what is left out."""
    return texts.english("notes.left_out", note=texts.english(key, **parameters))


class Unreadable(errors.LeafError):
    """The text of an existing file cannot be read. `reason` says why, in a sentence for people."""

    status, code = 415, "unreadable"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NoText(Unreadable):
    """The file is intact but has no text, for example only scanned pages or pictures."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A title within a segment, from a bookmark of a PDF."""

    title: str
    level: int
    """The nesting level, from 0."""
    at: int | None = None
    """The position in the text of the segment; None if the title does not occur in the text."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a picture: its range in the text of the segment, and its box in the picture."""

    start: int
    end: int
    left: float
    """The left edge as a share of the picture's width, from 0.0 to 1.0."""
    top: float
    """The upper edge as a share of the picture's height, from 0.0 to 1.0."""
    right: float
    bottom: float

    def body(self) -> list[float]:
        """The stored form."""
        return [self.start, self.end, self.left, self.top, self.right, self.bottom]


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a document that can be requested by name."""

    part: str
    """The name of the place, such as `page 3`, `section Goals`, `sheet Budget`, `slide 2` or `lines 1-400`; `all` if
    the document has only one piece.
    """
    title: str | None
    text: str
    headings: tuple[Heading, ...] = ()
    """The titles within it that the file lists as bookmarks, in order."""
    lines: tuple[Line, ...] = ()
    """The lines that were recognised in a picture, in order; empty for other texts."""

    @property
    def place(self) -> str:
        """The place as readers see it: `page 3`, or `page 3, read by OCR`."""
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
        """Restores a segment from the result of `body`."""
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
    """Notes for the reader, for example about pages without text, a guessed charset or omitted rows."""
    truncated: bool = False
    """Whether a limit left part of the file out of `segments`. A note says which part."""

    def body(self) -> dict[str, Any]:
        """The part that is stored as JSON. `from_body` restores it."""
        return {
            "segments": [one.body() for one in self.segments],
            "notes": list(self.notes),
            "truncated": self.truncated,
        }

    @classmethod
    def from_body(
        cls, body: Mapping[str, Any], *, file_id: str, revision: str, name: str, mime_type: str, kind: str
    ) -> Self:
        """Restores a document from the result of `body`."""
        segments = [Segment.from_body(one) for one in body["segments"]]
        truncated = bool(body.get("truncated", False))
        return cls(file_id, revision, name, mime_type, kind, segments, list(body.get("notes", [])), truncated)


class DocumentCache(Protocol):
    """A cache of one member's documents, one for each file and revision."""

    async def confirmed(self, file_id: str, revision: str) -> None:
        """Records that Google has just confirmed that the file can be read."""
        ...

    async def get(self, file_id: str, revision: str) -> Document | None:
        """The stored document of exactly this revision; None if there is none."""
        ...

    async def put(self, document: Document) -> None:
        """Stores a document. If the revision is already stored, nothing changes."""
        ...
