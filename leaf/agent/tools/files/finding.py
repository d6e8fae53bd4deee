"""Finding and reading the files of the chat."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed

from leaf import documents
from leaf.agent.deps import Deps, StoredText
from leaf.agent.tools.files import places
from leaf.agent.tools.files.outcomes import told
from leaf.documents import textfiles

MAX_LISTED = 500
MAX_HITS = 200
GREP_SECONDS = 20.0
_THREADS = ThreadPoolExecutor(2, "grep")
"""The worst expressions keep a processor busy for many seconds (RE2 lets others work meanwhile): they wait for each
other, and for nobody else."""


async def list_files(ctx: RunContext[Deps], pattern: str = "**") -> dict[str, Any]:  # noqa: D417 - read by the model
    """List the files of this chat: those written here, and those that the user has uploaded. Returns paths, kinds and
    sizes in bytes, by path. What is `read_only` is an upload such as a PDF, which you can read and search, not edit.

    Args:
        pattern: A glob, such as "notes/**/*.md"; `**` goes through folders. Leave it out for all files.
    """
    with told():
        rows = await ctx.deps.files.listed(pattern)
    return {
        "files": [
            {"path": row.path, "kind": row.kind, "size_bytes": row.size_bytes}
            | ({"read_only": True} if row.read_only else {})
            for row in rows[:MAX_LISTED]
        ],
        "total": len(rows),
        "partial": len(rows) > MAX_LISTED,
    }


async def read_file(  # noqa: D417 - read by the model
    ctx: RunContext[Deps], path: str, first_line: int = 1, lines: int | None = None, part: str | None = None
) -> dict[str, Any]:
    """Read a file of this chat, at most 2,000 lines at once. If `whole` is false, there is more: read on.

    Of a PDF, workbook or presentation this gives the text, with lines such as [page 3], [sheet Budget] or [slide 2]
    before what stands there: name that place when you quote. `parts` names all that there are.

    Args:
        path: The file, as list_files names it.
        first_line: Where to begin, counted from 1; a negative number counts from the end.
        lines: How many lines; leave it out for as many as possible.
        part: Of an upload: "page 3", "pages 3-5", "sheet Budget", "slide 2" or "section Goals", in place of first_line.
    """
    with told(path):
        file = await ctx.deps.files.read(path)
    first, count = first_line, lines
    if part:
        found = places.lines_of(file.places, part, len(file.content.splitlines()))
        if found is None:
            there = "; ".join(places.told(file.places)) or "lines only"
            raise ToolFailed(f"{file.path} has no part {part!r}. It has: {there}.")
        first, count = found[0], min(lines or textfiles.MAX_LINES, found[1] - found[0] + 1)
    try:
        given = await asyncio.to_thread(textfiles.lines_of, file.content, first, count)
    except ValueError as error:
        raise ToolFailed(f"There is no line {first_line}: {error}.") from error
    return {
        "path": file.path,
        "version": file.version,
        "text": given.text,
        "first_line": given.first,
        "last_line": given.last,
        "total_lines": given.total,
        "whole": given.whole,
        **_about(file, given),
    }


def _about(file: StoredText, given: textfiles.Lines) -> dict[str, Any]:
    """What only uploads have: their kind, where the lines stand, and what must be known."""
    about: dict[str, Any] = {}
    if file.places:
        about |= {"part": places.named(file.places, given.first, given.last)}
        about |= {} if given.whole else {"parts": places.told(file.places)}
    if file.notes:
        about |= {"notes": file.notes}
    return about | ({"kind": file.kind} if about else {})


async def grep(  # noqa: D417 - read by the model
    ctx: RunContext[Deps], pattern: str, files: str = "**", ignore_case: bool = False
) -> dict[str, Any]:
    """Find lines in the files of this chat, uploads included. Returns paths, line numbers, the lines, and of uploads
    the page, sheet or slide; at most 200.

    Args:
        pattern: A regular expression in RE2's syntax: no look-around, no references back.
        files: A glob of the files to look into, such as "notes/*.md". Leave it out for all files.
        ignore_case: Takes capitals and small letters for the same.
    """
    hits: list[dict[str, Any]] = []
    searched = 0
    loop = asyncio.get_running_loop()
    with told():
        search = textfiles.Search(pattern, ignore_case=ignore_case, seconds=GREP_SECONDS)
        async for file in ctx.deps.files.texts(files):
            if len(hits) > MAX_HITS or search.out_of_time:
                break
            hits += await loop.run_in_executor(_THREADS, partial(_hits, search, file, MAX_HITS + 1 - len(hits)))
            searched += 1
    about: dict[str, Any] = {"hits": hits[:MAX_HITS], "partial": len(hits) > MAX_HITS or search.out_of_time}
    notes: list[str] = []
    if search.out_of_time:
        notes.append(f"The search was ended after {GREP_SECONDS:.0f} seconds: use a simpler pattern, or less files.")
    if search.in_pieces:
        notes.append(
            "Very long lines were searched in pieces: matches of more than "
            f"{textfiles.OVERLAP_CHARACTERS:,} characters may be missing."
        )
    if notes:
        about |= {"note": " ".join(notes)}
    return about | {"files_searched": searched}


def _hits(search: textfiles.Search, file: StoredText, most: int) -> list[dict[str, Any]]:
    return [
        {"path": hit.path, "line": hit.line, "text": hit.text}
        | ({"part": part} if (part := documents.place_of(file.places, hit.line)) else {})
        for hit in islice(search.hits(file.path, file.content), most)
    ]
