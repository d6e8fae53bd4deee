"""The part of a Drive that a search is limited to."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any

from leaf.google.files import DriveFile

_BELOW = """
    s.file_id IN (
        WITH RECURSIVE below (file_id) AS (
            SELECT f.file_id FROM drive_sight f WHERE f.user_id = :person AND f.parent_id = :folder
            UNION
            SELECT f.file_id FROM below b JOIN drive_sight f ON f.user_id = :person AND f.parent_id = b.file_id
        )
        SELECT b.file_id FROM below b
    )
"""


@dataclass(frozen=True)
class Scope:
    """Conditions that a file has to meet; each one that is empty is met by every file."""

    folder: str | None = None
    """The id of a folder; the files in it and below it."""
    kinds: frozenset[str] = frozenset()
    """Kinds of files (`documents.Kind`)."""
    since: date | None = None
    """The day from which on the file was changed."""
    name: str | None = None
    """Words of the file's name."""

    @property
    def conditions(self) -> str:
        """The conditions on `drive_sight s` in SQL, each with an AND before it."""
        found = [
            _BELOW if self.folder else "",
            "s.kind = ANY (:kinds)" if self.kinds else "",
            "s.modified_at >= :since" if self.since else "",
            "NOT EXISTS (SELECT FROM unnest(CAST(:name AS text[])) n WHERE position(n IN lower(s.name)) = 0)"
            if self.name
            else "",
        ]
        return "".join(f" AND {one}" for one in found if one)

    @property
    def values(self) -> dict[str, Any]:
        """The values of the parameters in `conditions`."""
        found: dict[str, Any] = {
            "folder": self.folder, "kinds": sorted(self.kinds), "since": self.since, "name": words_of_name(self.name),
        }  # fmt: skip
        return {name: value for name, value in found.items() if value}

    def has(self, file: DriveFile) -> bool:
        """Whether a file that Google's search has found meets the conditions but for the folder."""
        name = file.name.lower()
        return (
            (not self.kinds or file.kind in self.kinds)
            and (self.since is None or (file.modified or "")[:10] >= self.since.isoformat())
            and all(word in name for word in words_of_name(self.name))
        )


EVERYTHING = Scope()


def words_of_name(name: str | None) -> Collection[str]:
    """The words that a name has to hold, in lower case."""
    return (name or "").lower().split()[:12]
