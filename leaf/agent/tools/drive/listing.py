"""Finding files: what lies in a folder, and what matches a search."""

from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed

from leaf import errors
from leaf.agent.deps import Deps
from leaf.agent.tools.drive.outcomes import drive_of, link_of, skipped, told
from leaf.google.links import ROOT

MAX_LISTED = 500
"""Files of one folder that the model is shown; the total is told."""
MAX_FOUND = 50


async def list_drive_folder(ctx: RunContext[Deps], folder: str) -> dict[str, Any]:  # noqa: D417 - read by the model
    """List what is in a Google Drive folder. Use this whenever the user gives a folder link.

    Returns the folder's files and subfolders (id, name, kind, date of the last change, url), not their content: read
    those that matter with read_drive_file. Subfolders are not entered: list them by their own id. `total` counts both,
    `total_folders` the subfolders among them; if `total_at_least` is true, there are more than that. If `partial` is
    true, say so in your answer.

    Args:
        folder: The folder's URL as the user gave it, or a folder id from an earlier result. "root" is the top of
            My Drive.
    """
    link = link_of(folder)
    try:
        with told():
            drive = drive_of(ctx.deps)
            listing = await drive.list_folder(link)
            shared = await drive.drives() if link.id == ROOT else []
    except errors.DriveRefused as refused:
        return skipped(refused.reason, link=link)
    files = listing.files
    notes = list(listing.notes)
    if len(files) > MAX_LISTED:
        notes.append(
            f"The first {MAX_LISTED} of {len(files)} are shown. Use search_drive with in_folder to find others."
        )
    if shared:
        named = ", ".join(f"{one['name']} (id {one['id']})" for one in shared)
        notes.append(f"Shared Drives are not part of My Drive; list them by id: {named}.")
    if not files and not listing.partial:
        notes.append("This folder is empty, or holds nothing that this account may see.")
    assert listing.folder is not None  # noqa: S101 - list_folder always names its folder
    shown = listing.folder
    return {
        "folder": {"id": shown.id, "name": shown.name, "url": shown.url},
        "files": [file.describe() for file in files[:MAX_LISTED]],
        "total": len(files),
        "total_folders": sum(file.kind == "folder" for file in files),
        "total_at_least": listing.partial,
        "partial": listing.partial or len(files) > MAX_LISTED,
        "note": " ".join(notes) or None,
    }


async def search_drive(  # noqa: D417 - read by the model
    ctx: RunContext[Deps], query: str, in_folder: str | None = None
) -> dict[str, Any]:
    """Search the user's Google Drive, Shared Drives included, for files by name or content.

    Use this when the user names a file or a topic and gives no link. Returns matching files (id, name, kind, date,
    url), best first, not their content: read those that matter with read_drive_file. Nothing found means only that
    these words were not found: try other or fewer words before saying that there is nothing. If `partial` is true,
    say so in your answer.

    Args:
        query: A few words that the file's name or content has, such as "travel budget". Plain words, no operators.
        in_folder: Search only in this folder and the folders below it: a folder's URL or id. Leave it out to search
            everywhere.
    """
    link = link_of(in_folder) if in_folder else None
    try:
        with told():
            listing = await drive_of(ctx.deps).search(query, link, max_files=MAX_FOUND)
    except errors.DriveRefused as refused:
        if link is None:
            raise ToolFailed(refused.reason) from refused
        return skipped(refused.reason, link=link)
    notes = list(listing.notes)
    if not listing.files:
        notes.append("Nothing was found. Try fewer or other words.")
    return {
        "query": query,
        "files": [file.describe() for file in listing.files],
        "partial": listing.partial,
        "note": " ".join(notes) or None,
    }
