"""Searches a member's Drive in the index and, while the index is incomplete, also with Google's own search.

Every text in an answer belongs to a file that Google has confirmed for this member within the last minute.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from leaf import errors, texts
from leaf.db.session import Actor, transaction
from leaf.google.access import DriveAccess
from leaf.google.drive import Drive
from leaf.google.files import DriveFile, Listing
from leaf.google.links import DriveLink
from leaf.services.library import progress, search, sight
from leaf.services.library.progress import Progress
from leaf.services.library.scope import EVERYTHING, Scope
from leaf.services.library.search import Found
from leaf.services.library.vectors import Embed

QUERIES = 4
"""The largest number of wordings of a question."""
QUERY_CHARACTERS = 1_000
"""The number of characters of a wording that are used. The rest is ignored."""
_DEPTH = 50
"""The largest number of folders above a file."""
LIVE_FILES = 20
"""The largest number of files of Google's search for each wording."""


@dataclass(frozen=True)
class Findings:
    """The files that were found, and the extent of the search."""

    files: Sequence[Found]
    others: Sequence[DriveFile]
    """Files that only Google's search has found."""
    progress: Progress
    asked_google: bool
    """Whether Google's search was used as well."""
    partial: bool
    """Whether there may be more files."""
    drives_missed: bool
    """Whether Google has not searched every drive."""
    refused: int = 0
    """Number of files that were left out because the member may not read them any more."""
    unanswered: int = 0
    """Number of files that were left out because Google did not answer in time."""


async def look_up(
    actor: Actor, access: DriveAccess, queries: Sequence[str], scope: Scope = EVERYTHING,
    *, folder: DriveLink | None = None, resource_keys: dict[str, str] | None = None, embed: Embed | None = None,
) -> Findings:  # fmt: skip
    """Searches a member's Drive.

    Args:
        actor: The member.
        access: The member's own grant.
        queries: Up to `QUERIES` wordings of one question. Without any, the files of the scope are listed.
        scope: The conditions. The conditions of the chat are in `Scope.within`.
        folder: A folder to search, in place of the folders of the scope.
        resource_keys: Keys of files that were shared by link. New keys are added to it.
        embed: Computes vectors of the wordings. Without it, the search uses words only.

    Raises:
        errors.DriveNotConnected: Drive is not connected.
        errors.DriveRevoked: Google no longer accepts the grant.
        errors.DriveRefused: The folder is missing or not shared with this member.
        errors.DriveError: Google does not answer, so that nothing can be confirmed.
        errors.Invalid: `folder` is a file.
    """
    queries = [query for one in queries[:QUERIES] if (query := " ".join(one[:QUERY_CHARACTERS].split()))]
    await access.credentials()
    drive = Drive(access, resource_keys=resource_keys)
    if folder is not None:
        folder = await _folder(drive, folder)
        scope = replace(scope, folders=frozenset({folder.id}))
    state = await progress.of(actor, scope)
    # The index has no files of a folder that was shared by link.
    asks_google = not state.complete or (folder is not None and not state.files)
    live = asyncio.create_task(_live(actor, drive, queries, scope, folder)) if asks_google else None
    try:
        embedded = await embed(queries) if embed is not None and queries else None
        found = await search.search(actor, queries, scope, embedded=embedded)
        file_ids = [file.file_id for one in found for file in (one, *one.copies)]
        confirmed = await sight.confirm(actor, sight.client(access), file_ids)
        listing = await live if live is not None else Listing([])
    finally:
        if live is not None:
            live.cancel()
    files = [one for file in found if (one := _current(file, confirmed)) is not None]
    known = set(file_ids)
    others = [file for file in listing.files if file.id not in known and scope.has(file)]
    if not files and not others and confirmed.unanswered:
        raise sight.no_answer(confirmed)
    await sight.prioritise(actor, [file.id for file in others] + [one.file_id for one in files if not one.passages])
    return Findings(
        files, others, state, asks_google, listing.partial, listing.drives_missed, len(confirmed.refused),
        len(confirmed.unanswered),
    )  # fmt: skip


def _current(found: Found, confirmed: sight.Confirmation) -> Found | None:
    """A found file, or the first of its copies that Google has confirmed, with the other confirmed files as copies.

    Passages of an earlier revision than the present one are left out. None if Google has confirmed no file.
    """
    allowed = [one for one in (found, *found.copies) if one.file_id in confirmed.revisions]
    if not allowed:
        return None
    first, *others = allowed
    present = confirmed.revisions[first.file_id]
    shown = replace(first, copies=others)
    return shown if present == first.revision else replace(shown, revision=present, passages=())


async def covers(actor: Actor, drive: Drive, scope: Scope, file: DriveFile) -> bool:
    """Whether a file or folder is within a scope. A folder must be one of the scope's folders or lie below one.

    Args:
        actor: The member.
        drive: Drive with the member's own token. It is asked about folders that are not in the index.
        scope: The scope, without further conditions in `within`.
        file: The file as Google describes it.
    """
    if not file.is_folder and not scope.has(file):
        return False
    if not scope.has_places or file.id in scope.files or file.id in scope.folders:
        return True
    parent = file.parent_id
    for _ in range(_DEPTH):
        if parent is None or parent in scope.folders:
            break
        parent = await _parent(actor, drive, parent)
    return parent is not None and parent in scope.folders


async def _parent(actor: Actor, drive: Drive, folder: str) -> str | None:
    """The id of the folder above a folder. None at the top, or if the member does not see the folder."""
    async with transaction(actor, read_only=True) as tx:
        if folder in (found := await sight.parents(tx, [folder])):
            return found[folder]
    try:
        return (await drive.get_file(DriveLink(folder))).parent_id
    except errors.DriveRefused:
        return None


async def _folder(drive: Drive, link: DriveLink) -> DriveLink:
    """The link to a folder. A shortcut is followed, and an alias of My Drive is replaced by its id.

    Raises:
        errors.Invalid: It is a file.
    """
    folder = await drive.get_file(link)
    if not folder.is_folder:
        raise errors.Invalid(texts.english("refusals.search_a_file", name=folder.name), field="folder")
    return DriveLink(folder.id, folder.resource_key)


async def _live(actor: Actor, drive: Drive, queries: Sequence[str], scope: Scope, folder: DriveLink | None) -> Listing:
    """The results of Google's search for each wording, without duplicates. Without wordings, it searches for the name.

    If the chat is limited to folders and files, Google searches these folders, and the files are read by their ids.
    """
    wordings = list(queries) or ([scope.name] if scope.name else [])
    within = scope.within
    places: list[DriveLink | None] = [folder]
    named: list[DriveFile] = []
    if within is not None and within.has_places:
        if folder is None:
            places = [DriveLink(one) for one in sorted(within.folders)]
            named = await _files(drive, within.files)
        elif not await covers(actor, drive, within, await drive.get_file(folder)):
            return Listing([])

    async def search_in(place: DriveLink | None, wording: str) -> Listing:
        try:
            return await drive.search(wording[:200], place, max_files=LIVE_FILES)
        except errors.DriveRefused:
            if place is folder:
                raise
            # A folder of the chat's scope may be gone, or only the participant who has chosen it may see it.
            return Listing([])

    answers = await asyncio.gather(*(search_in(place, one) for place in places for one in wordings))
    files = {file.id: file for answer in answers for file in answer.files} | {file.id: file for file in named}
    notes = dict.fromkeys(note for answer in answers for note in answer.notes)
    return Listing(list(files.values()), any(answer.partial for answer in answers), [*notes])


async def _files(drive: Drive, files: Collection[str]) -> list[DriveFile]:
    """The files with these ids that the member may see."""

    async def one(file: str) -> DriveFile | None:
        try:
            return await drive.get_file(DriveLink(file))
        except errors.DriveRefused:
            return None

    found = await asyncio.gather(*(one(file) for file in sorted(files)))
    return [file for file in found if file is not None and not file.trashed]
