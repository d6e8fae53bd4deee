"""The files and versions that are compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaf import texts
from leaf.citations.comparisons import EDITION, day
from leaf.documents.model import Document, Segment
from leaf.documents.textfiles.rows import FileText


@dataclass(frozen=True)
class Edition:
    """A compared file of a Drive or a chat, or an earlier version of a Drive file."""

    file_id: str
    name: str
    url: str
    kind: str
    revision: str
    modified: str
    """The time of the last change, or at which the version was written, as RFC 3339; empty if it is unknown."""
    segments: Sequence[Segment]
    notes: Sequence[str] = ()
    is_earlier: bool = False
    """Whether it is an earlier version."""
    by: str = ""
    """The name of the person who wrote the version; empty if it is unknown."""
    path: str = ""
    """The path of a file of the chat. Such a file has no id and no address."""

    @classmethod
    def of(
        cls, document: Document, *, url: str, modified: str | None, by: str = "", is_earlier: bool = False
    ) -> "Edition":
        """Creates an edition from a document."""
        return cls(
            document.file_id, document.name, url, document.kind, document.revision, modified or "", document.segments,
            document.notes, is_earlier, by,
        )  # fmt: skip

    @classmethod
    def of_chat(cls, file: FileText, segments: Sequence[Segment]) -> "Edition":
        """Creates an edition from a file of the chat."""
        return cls("", file.path, "", file.kind, str(file.version), "", segments, file.notes, path=file.path)

    @property
    def version(self) -> str:
        """The time of an earlier version; empty for the current version."""
        return self.modified if self.is_earlier else ""

    @property
    def label(self) -> str:
        """The name in English notes; an earlier version includes its date."""
        return f"{self.name} ({day(self.modified)})" if self.is_earlier else self.name

    def body(self) -> dict[str, Any]:
        """The form in which an edition is sent to a child process."""
        return {
            "file_id": self.file_id, "name": self.name, "url": self.url, "kind": self.kind, "revision": self.revision,
            "modified": self.modified, "segments": [[one.part, one.title, one.text] for one in self.segments],
            "notes": [*self.notes], "is_earlier": self.is_earlier, "by": self.by, "path": self.path,
        }  # fmt: skip

    @classmethod
    def from_body(cls, body: Mapping[str, Any]) -> "Edition":
        """Restores an edition from the result of `body`."""
        given: dict[str, Any] = {**body, "segments": [Segment(*one) for one in body["segments"]]}
        return cls(**given)

    def about(self) -> dict[str, str]:
        """The data that describe the edition's column in the comparison."""
        return {name: str(getattr(self, name)) for name in EDITION}


def note(key: str, **values: str | int) -> dict[str, Any]:
    """A note on a comparison, with its English text and the message from which other languages are made."""
    return remark(texts.english(key, **values))


def remark(text: str) -> dict[str, Any]:
    """A text as a note on a comparison."""
    return {"text": str(text), "message": text.as_data() if isinstance(text, texts.Message) else None}
