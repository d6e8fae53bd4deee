"""The folders and files to which a member limits a chat. They are looked up by their ids or addresses."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from sqlalchemy import text

from leaf import errors, texts
from leaf.db.session import Actor, transaction
from leaf.documents.kinds import FAMILIES, Family
from leaf.google import links
from leaf.google.access import DriveAccess
from leaf.google.drive import Drive
from leaf.google.links import DriveLink
from leaf.services.library.scope import MOST_PLACES, NAME_CHARACTERS, ChatScope, Item

_KNOWN = text("""
    SELECT s.file_id AS id, s.name, s.kind = 'folder' AS is_folder FROM drive_sight s
    WHERE s.user_id = :person AND s.file_id = ANY (:ids) AND s.kind <> 'shortcut'
    UNION ALL
    SELECT f.drive_id, f.name, true FROM drive_feeds f
    WHERE f.user_id = :person AND f.drive_id = ANY (:ids) AND f.drive_id <> ''
""")


async def scope_of(
    actor: Actor, access: DriveAccess, *, folders: Sequence[str] = (), files: Sequence[str] = (),
    kinds: Sequence[str] = (), since: date | None = None,
) -> ChatScope:  # fmt: skip
    """The scope that a member has chosen. Files that are not in the index are looked up at Google.

    Args:
        actor: The member.
        access: The member's own grant.
        folders: Ids or addresses of folders, up to `MOST_PLACES`.
        files: Ids or addresses of files, up to `MOST_PLACES`.
        kinds: Families of kinds (`documents.kinds.FAMILIES`).
        since: The day of the earliest change.

    Raises:
        errors.Invalid: There are too many, one is not an address in Drive, a kind is unknown, or a file is among the
            folders or a folder among the files.
        errors.NotFound: A folder or file does not exist, or the member does not see it.
        errors.DriveError: Drive is not connected, or Google does not answer.
    """
    if len(folders) > MOST_PLACES or len(files) > MOST_PLACES:
        raise errors.Invalid(texts.english("errors.scope_too_large", most=MOST_PLACES), field="scope")
    if not set(kinds) <= FAMILIES.keys():
        raise errors.Invalid(texts.english("errors.scope_kind", kinds=", ".join(FAMILIES)), field="scope")
    named = (("folders", folders), ("files", files))
    wanted = [
        links.parse(one, f"scope.{field}[{place}]") for field, several in named for place, one in enumerate(several)
    ]
    found = await _from_index(actor, wanted)
    missing = [link for link in dict.fromkeys(wanted) if link.id not in found]
    drive = Drive(access)
    looked_up = await asyncio.gather(*(_from_google(drive, link) for link in missing))
    found |= {link.id: one for link, one in zip(missing, looked_up, strict=True)}
    chosen = [found[link.id] for link in wanted]
    if [is_folder for _, is_folder in chosen] != [True] * len(folders) + [False] * len(files):
        raise errors.Invalid(texts.english("errors.scope_mixed"), field="scope")
    items = [item for item, _ in chosen]
    families: list[Family] = [family for family in FAMILIES if family in kinds]
    return ChatScope(
        tuple(dict.fromkeys(items[: len(folders)])), tuple(dict.fromkeys(items[len(folders) :])), tuple(families), since
    )  # fmt: skip


async def extended(actor: Actor, access: DriveAccess, scope: ChatScope, address: str) -> ChatScope:
    """A scope with one more folder or file. The index or Google determines whether the address leads to a folder.

    Args:
        actor: The member.
        access: The member's own grant.
        scope: The scope so far.
        address: The id or address of the folder or file.

    Raises:
        errors.Invalid: It is not an address in Drive, or there are too many.
        errors.NotFound: The member sees no such folder or file.
        errors.DriveError: Drive is not connected, or Google does not answer.
    """
    link = links.parse(address)
    known = (await _from_index(actor, [link])).get(link.id)
    item, is_folder = known if known is not None else await _from_google(Drive(access), link)
    places = scope.folders if is_folder else scope.files
    if item.id in {one.id for one in places}:
        return scope
    if len(places) >= MOST_PLACES:
        raise errors.Invalid(texts.english("errors.scope_too_large", most=MOST_PLACES), field="scope")
    return replace(scope, **{"folders" if is_folder else "files": (*places, item)})


async def _from_index(actor: Actor, wanted: Sequence[DriveLink]) -> dict[str, tuple[Item, bool]]:
    """The wanted folders and files that are in the index, by id, each with whether it is a folder."""
    values = {"person": actor.member_id, "ids": [link.id for link in wanted]}
    async with transaction(actor, read_only=True) as tx:
        rows = (await tx.execute(_KNOWN, values)).all()
    return {row.id: (_item(row.id, row.name), row.is_folder) for row in rows}


async def _from_google(drive: Drive, link: DriveLink) -> tuple[Item, bool]:
    """A folder or file, and whether it is a folder."""
    try:
        file = await drive.get_file(link)
    except errors.DriveRefused as refused:
        raise errors.NotFound("file") from refused
    return _item(file.id, file.name), file.is_folder


def _item(file_id: str, name: str) -> Item:
    return Item(file_id, " ".join(name.split())[:NAME_CHARACTERS])


def without(scope: ChatScope, condition: Mapping[str, str]) -> ChatScope:
    """A scope without one of its conditions.

    Args:
        scope: The scope.
        condition: `kind` (folder, file, family or since) and `id` of the condition.
    """
    kind, gone = condition.get("kind"), condition.get("id")
    return ChatScope(
        tuple(one for one in scope.folders if (kind, gone) != ("folder", one.id)),
        tuple(one for one in scope.files if (kind, gone) != ("file", one.id)),
        tuple(one for one in scope.kinds if (kind, gone) != ("family", one)),
        None if kind == "since" else scope.since,
    )
