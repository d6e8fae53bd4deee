"""Descriptions of a chat's files for callers."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from leaf.documents.kinds import Kind

Action = Literal["write", "edit", "delete", "restore", "upload"]
By = Literal["agent", "you", "other"]
"""The author of a change: Leaf in an answer, the reader, or another participant."""


@dataclass(frozen=True)
class FileRow:
    """A file in a list."""

    path: str
    version: int
    kind: Kind
    size_bytes: int
    """Size of the original of an upload."""
    updated_at: datetime
    by: By
    read_only: bool = False
    """Whether it is an upload that can be read but not edited."""
    text_bytes: int = 0
    """Size of its text in UTF-8."""


@dataclass(frozen=True)
class FileText:
    """A file with its content."""

    path: str
    version: int
    content: str
    kind: Kind = "text"
    read_only: bool = False
    places: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """The line, counted from 1, at which each place begins: `page 3`, `sheet Budget`, `slide 2`."""
    notes: list[str] = field(default_factory=list[str])
    """Notes for the reader: no text, or omitted parts."""
    deleted: bool = False


@dataclass(frozen=True)
class Original:
    """A file as a download: the original of an upload, or its text."""

    path: str
    kind: Kind
    data: bytes


@dataclass(frozen=True)
class Version:
    """A file as it was at some time."""

    number: int
    action: str
    created_at: datetime
    size_bytes: int
    by: By


@dataclass(frozen=True)
class Change:
    """The result of a change."""

    path: str
    version: int
    action: str
    created: bool
    """Whether there was no such file before."""
    size_bytes: int
    diff: str
    """Unified; empty of an upload that is read only."""


@dataclass(frozen=True)
class Uploaded:
    """The result of an upload."""

    path: str
    version: int
    kind: Kind
    size_bytes: int
    created: bool
    """Whether it is new; False where the same bytes were there already."""
    read_only: bool
    notes: list[str]
