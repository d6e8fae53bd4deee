"""Opens Drive files for tools, with the asker's permissions. A refusal becomes an output of the tool."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic_ai import ModelRetry
from pydantic_ai.exceptions import ToolFailed

from leaf import documents, errors, texts
from leaf.agent.deps import Deps
from leaf.documents import Document, NoSuchPart, Selection, Unreadable, tables
from leaf.google import links
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.google.refusals import Named

T = TypeVar("T")


async def read(deps: Deps, reference: str, reader: Callable[[Drive, DriveFile], Awaitable[T]]) -> T | dict[str, Any]:
    """Opens a file and returns the result of `reader`, or a tool output with the reason why it cannot be read.

    Args:
        deps: The dependencies of the run.
        reference: The file's URL or id, as the model passed it.
        reader: Reads the file. If it raises `Unreadable` or `tables.Refused`, the output names the file and the reason.

    Raises:
        ModelRetry: The reference is not a link, or leads to a folder.
        ToolFailed: Drive is not connected, or does not answer.
    """
    link = link_of(reference)
    file: DriveFile | None = None
    try:
        with drive_errors():
            drive = drive_of(deps)
            file = await drive.get_file(link, about=deps.names.get(link.id))
            if file.is_folder:
                advice = f"“{file.name}” is a folder. List it with list_drive_folder, then name its files."
                raise ModelRetry(texts.for_model(advice, "refusals.call_folder", name=file.name))
            refusal = await scope_refusal(deps, file)
            return await reader(drive, file) if refusal is None else refusal
    except errors.DriveRefused as refusal:
        return skipped(refusal.reason, link=link, file=file, about=deps.names.get(link.id))
    except (Unreadable, tables.Refused) as refusal:
        return skipped(refusal.message, link=link, file=file)


def described(file: DriveFile) -> dict[str, Any]:
    """The description of a file that a tool has read."""
    return {
        "id": file.id, "name": file.name, "kind": file.kind, "revision": file.revision, "modified": file.modified,
        "url": file.url,
    }  # fmt: skip


async def part_of(document: Document, part: str | None, find: str | None) -> Selection:
    """The part of a document that a call asks for. A document may have millions of characters, so a thread cuts it.

    Raises:
        ModelRetry: There is no such part.
    """
    try:
        if find and find.strip():
            return await asyncio.to_thread(documents.find, document, find, part)
        return await asyncio.to_thread(documents.select, document, part)
    except NoSuchPart as wrong:
        raise ModelRetry(texts.for_model(str(wrong), "refusals.call_part")) from wrong


async def scope_refusal(deps: Deps, file: DriveFile) -> dict[str, Any] | None:
    """Returns the output for a file or folder outside the chat's limits; None if it may be opened."""
    library = deps.library
    if library is None or library.limits is None or await library.covers(file, deps.resource_keys):
        return None
    return skipped(texts.english("refusals.outside_scope"), file=file)


@contextmanager
def drive_errors() -> Generator[None]:
    """Converts Drive's errors to errors for the model. The refusal of a single file is not converted."""
    try:
        yield
    except errors.Invalid as error:
        raise ModelRetry(error.message) from error
    except errors.DriveRefused:
        raise
    except errors.DriveError as error:
        raise ToolFailed(error.message) from error


def drive_of(deps: Deps) -> Drive:
    """Returns Drive with the permissions of the asker of this run."""
    return Drive(deps.drive, resource_keys=deps.resource_keys)


def link_of(text: str) -> DriveLink:
    """Returns the link in an argument that the model passed.

    Raises:
        ModelRetry: The argument contains no link.
    """
    try:
        return links.parse(text)
    except errors.Invalid as error:
        advice = "Pass a Drive URL or an id from a listing; to find a file by name, call search_files first."
        raise ModelRetry(texts.advised(error.message, advice)) from error


def skipped(
    reason: str, *, link: DriveLink | None = None, file: DriveFile | None = None, about: Named | None = None
) -> dict[str, Any]:
    """Returns the output for a file or folder that cannot be read."""
    if file is not None:
        named = {"id": file.id, "name": file.name, "url": file.url}
    else:
        named = {"id": link.id if link else None, "name": about and about.name, "url": None}
    return {"skipped": {**named, "reason": reason}}
