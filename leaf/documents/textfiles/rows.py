"""Descriptions of the files of a chat, for callers."""

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
    """Size of the original file, if it was uploaded."""
    updated_at: datetime
    by: By
    read_only: bool = False
    """Whether it is an upload that cannot be edited."""
    text_bytes: int = 0
    """Size of its text in UTF-8, in bytes."""


@dataclass(frozen=True)
class FileText:
    """A file with its content."""

    path: str
    version: int
    content: str
    kind: Kind = "text"
    read_only: bool = False
    places: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """The line, from 1, at which each place begins, such as `page 3`, `sheet Budget` or `slide 2`."""
    notes: list[str] = field(default_factory=list[str])
    """Notes for the reader, such as that there is no text or that parts were omitted."""
    deleted: bool = False


@dataclass(frozen=True)
class Original:
    """A file as a download: the original of an upload, or its text."""

    path: str
    kind: Kind
    data: bytes


@dataclass(frozen=True)
class Version:
    """A version of a file."""

    number: int
    action: str
    created_at: datetime
    size_bytes: int
    by: By


@dataclass(frozen=True)
class Change:
    """The result of a change to a file."""

    path: str
    version: int
    action: str
    created: bool
    """Whether the file did not exist before."""
    size_bytes: int
    diff: str
    """A unified diff; empty for an upload that cannot be edited."""


@dataclass(frozen=True)
class Uploaded:
    """The result of an upload."""

    path: str
    version: int
    kind: Kind
    size_bytes: int
    created: bool
    """Whether the file is new. False if a file with the same bytes existed."""
    read_only: bool
    notes: list[str]
