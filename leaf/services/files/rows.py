"""What is told of the files of a chat."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Action = Literal["write", "edit", "delete", "restore", "upload"]


@dataclass(frozen=True)
class FileRow:
    """A file in a list."""

    path: str
    version: int
    size_bytes: int
    updated_at: datetime


@dataclass(frozen=True)
class FileText:
    """A file with its content."""

    path: str
    version: int
    content: str


@dataclass(frozen=True)
class Version:
    """A file as it was at some time."""

    number: int
    action: str
    created_at: datetime
    size_bytes: int
    by_agent: bool


@dataclass(frozen=True)
class Change:
    """What a change has done."""

    path: str
    version: int
    action: str
    created: bool
    """Whether there was no such file before."""
    size_bytes: int
    diff: str
    """Unified."""
