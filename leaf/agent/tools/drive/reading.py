"""Reading one file, or a part of it."""

import asyncio
from typing import Any

from pydantic_ai import ModelRetry, RunContext

from leaf import documents, errors
from leaf.agent.deps import Deps
from leaf.agent.tools.drive.outcomes import drive_of, link_of, skipped, told
from leaf.documents import NoSuchPart, Unreadable
from leaf.google import content
from leaf.google.files import DriveFile


async def read_drive_file(  # noqa: D417 - read by the model
    ctx: RunContext[Deps], file: str, part: str | None = None, find: str | None = None
) -> dict[str, Any]:
    """Read a file in Google Drive: Google Docs, Sheets, Slides, PDF, Word, Excel, PowerPoint, text, Markdown, CSV.

    Answer from what this returns, and quote it. Lines such as [page 3], [sheet Budget], [slide 2] or [section Goals] in
    `content` mark where what follows stands: name that place when you cite. A long file comes with an `outline` and its
    first parts. If the answer may lie elsewhere, call again with `find` and the words that the passage may hold, or
    with the `part` you need; `find` is the surer way into a long file. `complete` is true only if `content` is the
    whole file; if it is false, do not claim that something is not in the file unless `find` found none of several
    wordings. If the result is `skipped`, tell the user which file and why.

    Args:
        file: The file's URL, or its id from an earlier result. Not a name: find names with search_drive first.
        part: Which part: "page 3", "pages 3-5", "section <heading>", "sheet <name>", "sheet <name> rows 10-200",
            "rows 10-200", "slide 4", "lines 1-200", or "characters 24001-48000". Leave it out for the beginning.
        find: Words to look for inside the file, such as "notice period" or "asn1_create_element"; put a phrase in
            quotation marks. The result then holds the paragraphs or rows that match best, from anywhere in the file,
            with [page 3] and the like before them and […] where text is left out; `matches` counts all that match.
            With `part`, only that part is looked through.
    """
    link = link_of(file)
    drive = drive_of(ctx.deps)
    found: DriveFile | None = None
    try:
        with told():
            found = await drive.get_file(link)
            if found.is_folder:
                raise ModelRetry(f"“{found.name}” is a folder. List it with list_drive_folder, then read its files.")
            document = await content.read(drive, found, ctx.deps.documents)
            # In a thread: a document may have millions of characters.
            if find and find.strip():
                selection = await asyncio.to_thread(documents.find, document, find, part)
            else:
                selection = await asyncio.to_thread(documents.select, document, part)
    except errors.DriveRefused as refused:
        return skipped(refused.reason, link=link, file=found)
    except Unreadable as unreadable:
        return skipped(unreadable.reason, link=link, file=found)
    except NoSuchPart as wrong:
        raise ModelRetry(str(wrong)) from wrong
    note = " ".join(one for one in (selection.note, "This file is in the bin." if found.trashed else None) if one)
    return {
        "file": {
            "id": found.id, "name": found.name, "kind": found.kind, "revision": found.revision,
            "modified": found.modified, "url": found.url,
        },
        "part": selection.part,
        "outline": selection.outline,
        "content": selection.content,
        "chars": len(selection.content),
        "total_chars": selection.total_characters,
        "complete": selection.complete,
        "note": note or None,
        **({} if selection.matches is None else {"find": find, "matches": selection.matches}),
    }  # fmt: skip
