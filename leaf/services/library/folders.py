"""The folders of a member's Drive in the index, one at a time, with the state of each file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal, cast, get_args

from sqlalchemy import TextClause, text

from leaf import errors
from leaf.db.session import Actor, Transaction, transaction
from leaf.services.library import sight
from leaf.services.library.scope import NAMED, words_of_name

PAGE: Final = 100
"""Number of entries on a page."""
MY_DRIVE: Final = "my-drive"
SHARED: Final = "shared-with-me"
EVERYTHING: Final = ""
State = Literal["known", "reading", "failed", "read", "searchable", "skipped"]
"""The state of a file in the index.

`known`: only the name is known. `reading`: it is being read. `failed`: it will be read again after a failure. `read`:
it was read, but has no text. `searchable`: its text can be searched. `skipped`: it cannot be read.
"""
STATES: Final[tuple[State, ...]] = get_args(State)
_DEPTH: Final = 50

# A file that was shared without its folder has no parent, and the top of a Drive has no row.
_AT_TOP = "NOT EXISTS (SELECT FROM drive_sight p WHERE p.user_id = s.user_id AND p.file_id = s.parent_id)"
_IN_FEED = "EXISTS (SELECT FROM drive_feeds f WHERE f.user_id = s.user_id AND f.drive_id = s.drive_id)"
_PLACES: Final = {
    EVERYTHING: "true",
    MY_DRIVE: f"s.drive_id IS NULL AND s.parent_id IS NOT NULL AND {_AT_TOP}",
    SHARED: f"(s.parent_id IS NULL OR s.drive_id IS NOT NULL AND NOT {_IN_FEED} AND {_AT_TOP})",
}
_IN_DRIVE = f"s.drive_id = :place AND {_AT_TOP}"
_IN_FOLDER = "s.parent_id = :place"
_STATE = """
    CASE WHEN s.kind IN ('folder', 'shortcut') THEN ''
        WHEN NOT s.can_download THEN 'skipped'
        WHEN t.state = 'read' AND t.chunks > 0 THEN 'searchable'
        ELSE coalesce(t.state, 'known') END
"""
_FROM = """
    FROM drive_sight s LEFT JOIN drive_texts t ON t.file_id = s.file_id AND t.revision = s.revision
    WHERE s.user_id = :person
"""
_NAMED = NAMED.format(p="")
_HAS_STATE = f"{_STATE} = :state"
# The recursion visits only folders, because most entries are files.
_BELOW = """
    WITH RECURSIVE below (file_id) AS (
        SELECT s.file_id FROM drive_sight s WHERE s.user_id = :person AND s.kind = 'folder' AND {place}
        UNION
        SELECT s.file_id FROM below b
        JOIN drive_sight s ON s.user_id = :person AND s.parent_id = b.file_id AND s.kind = 'folder'
    )
"""
_DEEPER = "s.parent_id IN (SELECT b.file_id FROM below b)"
_ENTRIES = """
    SELECT s.file_id, s.name, s.kind, s.url, s.modified_at, s.can_download, {state} AS state, t.reason
    {source} {conditions}
    ORDER BY s.kind <> 'folder', lower(s.name), s.file_id LIMIT :most OFFSET :first
"""
_ABOVE = text("""
    WITH RECURSIVE above (file_id, parent_id, name, drive_id, depth) AS (
        SELECT s.file_id, s.parent_id, s.name, s.drive_id, 0 FROM drive_sight s
        WHERE s.user_id = :person AND s.file_id = :folder AND s.kind = 'folder'
        UNION ALL
        SELECT s.file_id, s.parent_id, s.name, s.drive_id, a.depth + 1
        FROM above a JOIN drive_sight s ON s.user_id = :person AND s.file_id = a.parent_id
        WHERE a.depth < :most
    )
    SELECT a.file_id, a.parent_id, a.name, a.drive_id FROM above a ORDER BY a.depth DESC
""")
_DRIVES = text("SELECT drive_id, name FROM drive_feeds WHERE user_id = :person AND drive_id <> '' ORDER BY lower(name)")


@dataclass(frozen=True)
class Place:
    """A folder, or the top of a Drive."""

    id: str
    """The id of a folder or Shared Drive, `MY_DRIVE`, or `SHARED`."""
    name: str = ""
    """The name; empty for `MY_DRIVE` and `SHARED`, whose names depend on the language."""


@dataclass(frozen=True)
class Entry:
    """A folder or file."""

    id: str
    name: str
    kind: str
    url: str
    modified: datetime | None
    state: State | None
    """The state of a file in the index; None for folders and shortcuts."""
    reason: dict[str, Any] | None
    """The reason why the file is not read: `text`, and `message` if the reason is a text of the catalogue."""
    can_download: bool
    path: str = ""
    """The names of the folders above the entry. Empty if all entries lie directly in the open folder."""


@dataclass(frozen=True)
class Listing:
    """A page of entries."""

    above: Sequence[Place]
    """The path from the top of the Drive to the open folder, inclusive; empty for all Drives."""
    entries: Sequence[Entry]
    total: int
    page: int


async def drives(actor: Actor) -> list[Place]:
    """The tops of all Drives of a member: My Drive, files shared by others, and each Shared Drive."""
    async with transaction(actor, read_only=True) as tx:
        return [Place(MY_DRIVE), Place(SHARED), *await _shared_drives(tx)]


async def listing(
    actor: Actor, place: str = EVERYTHING, *, name: str = "", state: State | None = None, page: int = 0
) -> Listing:
    """A page of the direct entries of a folder. With a name or a state, the matching entries at any depth below it.

    Args:
        actor: The member.
        place: The id of a folder, the top of a Drive, or `EVERYTHING`.
        name: Words that the name must contain.
        state: The state that a file must have.
        page: The number of the page, from 0. If it is too high, the last page is returned.

    Raises:
        errors.NotFound: The member sees no such folder.
    """
    async with transaction(actor, read_only=True) as tx:
        above, within = await _place(tx, place)
        values: dict[str, Any] = {
            "person": actor.member_id, "place": place, "name": words_of_name(name), "state": state,
        }  # fmt: skip
        filters: list[str] = []
        if values["name"]:
            filters.append(_NAMED)
        if state is not None:
            filters.append(_HAS_STATE)
        count, rows = _queries(within, filters, deep=bool(filters) and place != EVERYTHING)
        total = (await tx.execute(count, values)).scalar_one()
        page = max(0, min(page, (total - 1) // PAGE))
        found = (await tx.execute(rows, {**values, "most": PAGE, "first": page * PAGE})).all()
        entries = [
            Entry(
                row.file_id, row.name, row.kind, row.url, row.modified_at, cast("State | None", row.state or None),
                row.reason, row.can_download,
            )
            for row in found
        ]  # fmt: skip
        if filters:
            paths = await sight.paths(tx, [one.id for one in entries])
            entries = [replace(one, path=paths.get(one.id, "")) for one in entries]
    return Listing(above, entries, total, page)


def _queries(within: str, filters: Sequence[str], *, deep: bool) -> tuple[TextClause, TextClause]:
    """The query for the number of entries, and the query for a page of them.

    Args:
        within: The SQL condition for the direct entries of a place.
        filters: Further SQL conditions.
        deep: Whether the entries of all folders below the place count, too.
    """
    below = ""
    if deep:
        below = _BELOW.format(place=within)
        within = f"({within} OR {_DEEPER})"
    conditions = "".join(f" AND {one}" for one in (within, *filters))
    return (
        text(f"{below} SELECT count(*) {_FROM} {conditions}"),
        text(below + _ENTRIES.format(state=_STATE, source=_FROM, conditions=conditions)),
    )


async def _place(tx: Transaction, place: str) -> tuple[Sequence[Place], str]:
    """The path to a place, inclusive, and the SQL condition for its entries.

    Raises:
        errors.NotFound: The member sees no such folder.
    """
    if place in _PLACES:
        return ([Place(place)] if place else []), _PLACES[place]
    shared = {drive.id: drive for drive in await _shared_drives(tx)}
    if place in shared:
        return [shared[place]], _IN_DRIVE
    rows = (await tx.execute(_ABOVE, {"person": tx.actor.member_id, "folder": place, "most": _DEPTH})).all()
    if not rows:
        raise errors.NotFound("folder")
    top = rows[0]
    if top.drive_id in shared:
        root = shared[top.drive_id]
    else:
        root = Place(MY_DRIVE if top.drive_id is None and top.parent_id is not None else SHARED)
    return [root, *(Place(row.file_id, row.name) for row in rows)], _IN_FOLDER


async def _shared_drives(tx: Transaction) -> list[Place]:
    rows = await tx.execute(_DRIVES, {"person": tx.actor.member_id})
    return [Place(row.drive_id, row.name) for row in rows]
