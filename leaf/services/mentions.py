"""Finds files of a member's Drive by the beginning of a word in their names, while the member types a question."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from cachetools import TTLCache

from leaf import errors, texts
from leaf.db.session import Actor
from leaf.documents import Kind
from leaf.google import drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.google.transport import Patience
from leaf.parts import question_files
from leaf.redis import rates
from leaf.services.integrations import UserDrive

MOST_FOUND = 8
MOST_CHARACTERS = 100
LOOKS_A_MINUTE = 150
"""The largest number of searches per minute. Somebody who types fast causes about two per second."""
_PATIENCE = Patience(attempts=2, total_seconds=3.0)
_SILENCE_SECONDS = 6.0
_FOLDER_SECONDS = 0.8
"""The longest wait for the names of folders while a member types, in seconds."""
_KEPT_SECONDS = 600
_names: TTLCache[tuple[UUID, str], str] = TTLCache(4096, _KEPT_SECONDS)
"""Names of folders by member and folder, because members may see different folders."""


@dataclass(frozen=True)
class Found:
    """A file that a question can mention."""

    id: str
    name: str
    """The name in one line."""
    kind: Kind
    modified: str | None
    """RFC 3339."""
    folder: str = ""
    """The name of the folder of the file; empty if it is not known in time."""
    resourceKey: str | None = None  # noqa: N815 - as it is sent to the page, and stored


@dataclass(frozen=True)
class Names:
    """The found files. `more` is true if others were omitted."""

    files: list[Found]
    more: bool


async def find(actor: Actor, begun: str) -> Names:
    """Files with a word in their name that starts with the typed text, the most recently opened first.

    Args:
        actor: The member, whose own Drive is searched.
        begun: The typed text, 1-100 characters.

    Raises:
        errors.Invalid: The text is empty or too long.
        errors.LimitReached: The member searches too often.
        errors.DriveError: Drive is not connected, or does not answer.
    """
    words = " ".join(begun[: 10 * MOST_CHARACTERS].split())
    if not 1 <= len(words) <= MOST_CHARACTERS:
        raise errors.Invalid(texts.english("errors.name_length", most=MOST_CHARACTERS), field="begun")
    if wait := await rates.take(f"names:{actor.user_id}", LOOKS_A_MINUTE, seconds=60):
        raise errors.RateLimited(texts.english("errors.names_too_often"), resets_in_seconds=wait)
    client = drive.Drive(UserDrive(actor), patience=_PATIENCE, timeout_seconds=_SILENCE_SECONDS)
    query = f"name contains '{drive.escape_query(words)}' and trashed = false"
    listing = await client.find(query, MOST_FOUND, orderBy="viewedByMeTime desc")
    within = await _folder_names(actor.user_id, client, listing.files) if actor.user_id else {}
    files = [
        Found(
            file.id,
            " ".join(file.name.split())[: question_files.NAME_CHARACTERS],
            file.kind,
            file.modified,
            within.get(file.parent_id or "", ""),
            file.resource_key,
        )
        for file in listing.files
    ]
    return Names(files, listing.partial)


async def _folder_names(person: UUID, client: drive.Drive, files: Iterable[DriveFile]) -> dict[str, str]:
    """The names of the parent folders of files, by folder id. Names that are not found in time are left out."""
    wanted = {file.parent_id for file in files if file.parent_id}
    missing = [folder for folder in wanted if (person, folder) not in _names]

    async def look(folder: str) -> None:
        try:
            found = await client.get_file(DriveLink(folder))
        except errors.LeafError:
            # The file was shared without its folder, or Drive is slow. The file is then shown without a folder.
            return
        _names[person, folder] = " ".join(found.name.split())

    tasks = [asyncio.create_task(look(folder)) for folder in missing]
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=_FOLDER_SECONDS)
        for task in late:
            task.cancel()
    return {folder: _names[person, folder] for folder in wanted if (person, folder) in _names}
