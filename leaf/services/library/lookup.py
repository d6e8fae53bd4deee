"""A question to a member's Drive: the index and, as long as it is not complete, Google's own search beside it.

Every text in an answer belongs to a file that Google has confirmed for this member within the last minute.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from leaf import errors
from leaf.db.session import Actor
from leaf.google.access import DriveAccess
from leaf.google.drive import Drive
from leaf.google.files import DriveFile, Listing
from leaf.google.links import DriveLink
from leaf.services.library import progress, search, sight
from leaf.services.library.progress import Progress
from leaf.services.library.scope import EVERYTHING, Scope
from leaf.services.library.search import Found

log = logging.getLogger(__name__)

QUERIES = 4
"""The largest number of wordings."""
LIVE_FILES = 20
"""The largest number of files of Google's search for each wording."""


@dataclass(frozen=True)
class Findings:
    """The files that were found, and what was searched."""

    files: Sequence[Found]
    others: Sequence[DriveFile]
    """Files of Google's search that the index has not found."""
    progress: Progress
    asked_google: bool
    """Whether Google's search was asked as well."""
    partial: bool
    """Whether there may be more files than these."""
    refused: int = 0
    """Files that were left out because the member may not read them any more."""
    unanswered: int = 0
    """Files that were left out because Google did not answer in time."""


async def look_up(
    actor: Actor, access: DriveAccess, queries: Sequence[str], scope: Scope = EVERYTHING,
    *, folder: DriveLink | None = None, resource_keys: dict[str, str] | None = None,
) -> Findings:  # fmt: skip
    """Searches a member's Drive.

    Args:
        actor: The member.
        access: The member's own grant.
        queries: Up to four wordings of one question; none lists the files of the scope.
        scope: Conditions but for the folder.
        folder: The folder to search in.
        resource_keys: Keys of files that were shared by link; new ones are added.

    Raises:
        errors.DriveNotConnected: Drive is not connected.
        errors.DriveRevoked: Google no longer accepts the grant.
        errors.DriveRefused: The folder is missing or not shared with this member.
        errors.DriveError: Google does not answer, so that nothing can be confirmed.
        errors.Invalid: The folder is a file.
    """
    queries = [query for query in (" ".join(one.split()) for one in queries[:QUERIES]) if query]
    await access.credentials()
    drive = Drive(access, resource_keys=resource_keys)
    if folder is not None:
        folder = await _folder(drive, folder)
        scope = replace(scope, folder=folder.id)
    state = await progress.of(actor)
    live = None if state.complete else asyncio.create_task(_live(drive, queries, scope, folder))
    try:
        found = await search.search(actor, queries, scope)
        confirmed = await sight.confirm(actor, sight.client(access), [one.file_id for one in found])
        listing = await live if live is not None else Listing([])
    finally:
        if live is not None:
            live.cancel()
    files = [_current(one, confirmed) for one in found if one.file_id in confirmed.revisions]
    known = {one.file_id for one in found}
    others = [file for file in listing.files if file.id not in known and scope.has(file)]
    if not files and not others and confirmed.unanswered:
        raise errors.DriveError("Google Drive does not answer.", status=503, code="drive_unavailable")
    await sight.want(actor, [file.id for file in others] + [one.file_id for one in files if not one.passages])
    return Findings(
        files, others, state, live is not None, listing.partial, len(confirmed.refused), len(confirmed.unanswered)
    )  # fmt: skip


def _current(found: Found, confirmed: sight.Confirmation) -> Found:
    """The file without its passages if they are of an earlier revision than the present one."""
    present = confirmed.revisions[found.file_id]
    return found if present == found.revision else replace(found, revision=present, passages=())


async def _folder(drive: Drive, link: DriveLink) -> DriveLink:
    """The folder itself: behind shortcuts, and for the top of My Drive with its own id."""
    folder = await drive.get_file(link)
    if not folder.is_folder:
        raise errors.Invalid(f"“{folder.name}” is a file, not a folder: search in a folder.", field="folder")
    return DriveLink(folder.id, folder.resource_key)


async def _live(drive: Drive, queries: Sequence[str], scope: Scope, folder: DriveLink | None) -> Listing:
    """Google's search for each wording, or for the name alone; what one of them finds twice counts once."""
    wordings = list(queries) or ([scope.name] if scope.name else [])
    answers = await asyncio.gather(*(drive.search(one[:200], folder, max_files=LIVE_FILES) for one in wordings))
    files = {file.id: file for answer in answers for file in answer.files}
    return Listing(list(files.values()), any(answer.partial for answer in answers))
