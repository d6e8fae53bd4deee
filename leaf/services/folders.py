"""Names of the folders of found files, to distinguish files of the same name."""

import asyncio
from collections.abc import Iterable
from uuid import UUID

from cachetools import TTLCache

from leaf import errors
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink

SECONDS = 0.8
"""Seconds to wait for names while a person types."""
_KEPT_SECONDS = 600
_names: TTLCache[tuple[UUID, str], str] = TTLCache(4096, _KEPT_SECONDS)
"""By person and folder: what one may see of Drive another may not."""


async def names(person: UUID, client: Drive, files: Iterable[DriveFile]) -> dict[str, str]:
    """The names of the folders that files lie in, by the folders' ids, as far as they are known in time.

    Args:
        person: Whose Drive it is.
        client: That Drive.
        files: At most some ten.
    """
    wanted = {file.parent_id for file in files if file.parent_id}
    missing = [folder for folder in wanted if (person, folder) not in _names]

    async def look(folder: str) -> None:
        try:
            found = await client.get_file(DriveLink(folder))
        except errors.LeafError:
            # It was shared without its folder, or Drive is slow: the file is found all the same.
            return
        _names[person, folder] = " ".join(found.name.split())

    tasks = [asyncio.create_task(look(folder)) for folder in missing]
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=SECONDS)
        for task in late:
            task.cancel()
    return {folder: _names[person, folder] for folder in wanted if (person, folder) in _names}
