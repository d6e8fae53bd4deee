"""The part of a Drive to which a search or a whole chat is limited."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from leaf.documents.kinds import FAMILIES, Family
from leaf.google.files import DriveFile
from leaf.parts.objects import object_of, objects_in

MOST_PLACES: Final = 20
"""The largest number of folders, and also of files, to which a chat can be limited."""
NAME_CHARACTERS: Final = 300
ID_CHARACTERS: Final = 200
_PLACES = """(
    s.file_id = ANY (:{p}files) OR s.parent_id IN (
        WITH RECURSIVE below (file_id) AS (
            SELECT f.id FROM unnest(CAST(:{p}folders AS text[])) AS f (id)
            UNION
            SELECT f.file_id FROM below b
            JOIN drive_sight f ON f.user_id = :person AND f.parent_id = b.file_id AND f.kind = 'folder'
        )
        SELECT b.file_id FROM below b
    )
)"""
NAMED = "NOT EXISTS (SELECT FROM unnest(CAST(:{p}name AS text[])) n WHERE position(n IN lower(s.name)) = 0)"
"""The SQL condition for the words of a name (`words_of_name`). `p` is the prefix of its parameter."""


@dataclass(frozen=True)
class Scope:
    """Conditions that a file must meet. Every file meets an empty condition."""

    folders: frozenset[str] = frozenset()
    """Ids of folders. The file must lie in or below one of them, or be one of `files`."""
    files: frozenset[str] = frozenset()
    """Ids of files."""
    kinds: frozenset[str] = frozenset()
    """Kinds of files (`documents.Kind`)."""
    since: date | None = None
    """The earliest day of the file's last change."""
    name: str | None = None
    """Words that the file's name must contain."""
    within: "Scope | None" = None
    """Further conditions that the file must also meet."""

    @property
    def has_places(self) -> bool:
        """Whether the scope is limited to folders or files."""
        return bool(self.folders or self.files)

    @property
    def conditions(self) -> str:
        """The conditions on `drive_sight s` in SQL, each with an AND before it."""
        return "".join(f" AND {one}" for one in self._conditions(""))

    @property
    def values(self) -> dict[str, Any]:
        """The values of the parameters in `conditions`."""
        return self._values("")

    def has(self, file: DriveFile) -> bool:
        """Whether a file of Google's search meets all conditions, except the folders and files."""
        name = file.name.lower()
        return (
            (not self.kinds or file.kind in self.kinds)
            and (self.since is None or (file.modified or "")[:10] >= self.since.isoformat())
            and all(word in name for word in words_of_name(self.name))
            and (self.within is None or self.within.has(file))
        )

    def _conditions(self, prefix: str) -> list[str]:
        found = [
            _PLACES if self.has_places else "",
            "s.kind = ANY (:{p}kinds)" if self.kinds else "",
            "s.modified_at >= :{p}since" if self.since else "",
            NAMED if self.name else "",
        ]
        further = self.within._conditions(f"{prefix}within_") if self.within else []  # noqa: SLF001 - of its own class
        return [one.format(p=prefix) for one in found if one] + further

    def _values(self, prefix: str) -> dict[str, Any]:
        found: dict[str, Any] = {"kinds": _fitting(self.kinds), "since": self.since, "name": words_of_name(self.name)}
        places = {"folders": _fitting(self.folders), "files": _fitting(self.files)} if self.has_places else {}
        mine = {f"{prefix}{name}": value for name, value in found.items() if value}
        mine |= {f"{prefix}{name}": value for name, value in places.items()}
        return mine | (self.within._values(f"{prefix}within_") if self.within else {})  # noqa: SLF001


EVERYTHING = Scope()


@dataclass(frozen=True)
class Item:
    """A folder or file that limits a chat."""

    id: str
    name: str
    """Its name when it was chosen."""


@dataclass(frozen=True)
class ChatScope:
    """The part of the participants' Drives to which a chat is limited."""

    folders: tuple[Item, ...] = ()
    files: tuple[Item, ...] = ()
    kinds: tuple[Family, ...] = ()
    since: date | None = None

    def __bool__(self) -> bool:
        return bool(self.folders or self.files or self.kinds or self.since)

    @classmethod
    def of(cls, data: object) -> "ChatScope":
        """The scope in a stored value, an export or a receipt. Malformed parts are left out."""
        stored = object_of(data)
        kinds, since = stored.get("kinds"), stored.get("since")
        return cls(
            _items(stored.get("folders")),
            _items(stored.get("files")),
            tuple(family for family in FAMILIES if isinstance(kinds, list) and family in kinds),
            _day(since) if isinstance(since, str) else None,
        )

    def data(self) -> dict[str, Any] | None:
        """The scope as data to store or send; None if it limits nothing."""
        found: dict[str, Any] = {
            "folders": [vars(one) for one in self.folders],
            "files": [vars(one) for one in self.files],
            "kinds": list(self.kinds),
            "since": self.since.isoformat() if self.since else None,
        }
        return {name: value for name, value in found.items() if value} or None

    @property
    def conditions(self) -> Scope | None:
        """The conditions of a search; None if everything is searched."""
        if not self:
            return None
        return Scope(
            frozenset(one.id for one in self.folders),
            frozenset(one.id for one in self.files),
            frozenset(kind for family in self.kinds for kind in FAMILIES[family]),
            self.since,
        )


NO_SCOPE = ChatScope()


def _items(stored: object) -> tuple[Item, ...]:
    found: dict[str, Item] = {}
    for one in objects_in(stored)[:MOST_PLACES]:
        file_id, name = one.get("id"), one.get("name")
        if isinstance(file_id, str) and isinstance(name, str) and 1 <= len(file_id) <= ID_CHARACTERS:
            found[file_id] = Item(file_id, " ".join(name.split())[:NAME_CHARACTERS])
    return tuple(found.values())


def _fitting(ids: Collection[str]) -> list[str]:
    """The ids, sorted, without ids that are too long for a file."""
    return sorted(one for one in ids if len(one) <= ID_CHARACTERS)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def words_of_name(name: str | None) -> Collection[str]:
    """The words that a name must contain, in lower case, at most twelve."""
    return (name or "")[:NAME_CHARACTERS].lower().split()[:12]
