"""Searching a folder with everything below it: Drive's query language knows direct parents only."""

from typing import TYPE_CHECKING

from leaf import errors
from leaf.google.files import DriveFile, Listing
from leaf.google.links import DriveLink

if TYPE_CHECKING:
    from leaf.google.drive import Drive

MAX_FOLDERS = 300
"""Maximum number of folders in a search."""
PARENTS_PER_QUERY = 15
"""Keeps the address of the request under the 2,048 characters after which the client library turns it into a POST."""
_FOLDERS = (
    "(mimeType = 'application/vnd.google-apps.folder' or mimeType = 'application/vnd.google-apps.shortcut')"
    " and trashed = false"
)


async def search_below(drive: "Drive", folder: DriveFile, query: str, max_files: int) -> Listing:
    """Files in a folder and in the folders below it, by a query in Drive's own language."""
    folders, shortcuts, notes, partial = await _folders_below(drive, folder)
    found: dict[str, DriveFile] = {}
    for start in range(0, len(folders), PARENTS_PER_QUERY):
        listing = await drive.find(query, max_files, parents=folders[start : start + PARENTS_PER_QUERY])
        found |= {file.id: file for file in listing.files}
        partial = partial or listing.partial
        notes += [note for note in listing.notes if note not in notes]
        if len(found) >= max_files and start + PARENTS_PER_QUERY < len(folders):
            partial = True
            notes.append(f"The search stopped after {max_files} files: there may be more.")
            break
    if shortcuts:
        notes.append(f"{shortcuts} shortcuts in the folder lead to files elsewhere; their content was not searched.")
    return Listing(list(found.values())[:max_files], partial, notes, folder)


async def _folders_below(drive: "Drive", top: DriveFile) -> tuple[list[str], int, list[str], bool]:
    """The ids of a folder and those below it, level by level; how many shortcuts to files lie there; notes; partial."""
    seen, level = [top.id], [top.id]
    shortcuts, partial = 0, False
    notes: list[str] = []
    while level and len(seen) < MAX_FOLDERS:
        below: list[str] = []
        for start in range(0, len(level), PARENTS_PER_QUERY):
            listing = await drive.find(_FOLDERS, MAX_FOLDERS, parents=level[start : start + PARENTS_PER_QUERY])
            partial = partial or listing.partial
            notes += [note for note in listing.notes if note not in notes]
            for file in listing.files:
                if file.kind != "folder":
                    shortcuts += 1
                    continue
                folder_id = await _target(drive, file) if file.is_shortcut else file.id
                if folder_id is None:
                    notes.append(f"The shortcut “{file.name}” leads to a folder that cannot be opened.")
                elif folder_id not in seen and folder_id not in below:
                    below.append(folder_id)
        seen += below
        level = below
    if len(seen) > MAX_FOLDERS or level:
        partial = True
        notes.append(
            f"There are many folders below this one: the search covered the first {min(len(seen), MAX_FOLDERS)}."
        )
    return seen[:MAX_FOLDERS], shortcuts, notes, partial


async def _target(drive: "Drive", shortcut: DriveFile) -> str | None:
    """The folder that a shortcut leads to. One parent that cannot be opened would fail the whole query."""
    try:
        return (await drive.get_file(DriveLink(shortcut.id, shortcut.resource_key))).id
    except errors.DriveRefused:
        return None
