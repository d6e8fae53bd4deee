"""Finding and reading the files of the chat."""

import asyncio
from itertools import islice
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed

from leaf import textfiles
from leaf.agent.deps import Deps
from leaf.agent.tools.files.outcomes import told

MAX_LISTED = 500
MAX_HITS = 200


async def list_files(ctx: RunContext[Deps], pattern: str = "**") -> dict[str, Any]:  # noqa: D417 - read by the model
    """List the text files of this chat. Returns paths and sizes in bytes, by path.

    Args:
        pattern: A glob, such as "notes/**/*.md"; `**` goes through folders. Leave it out for all files.
    """
    with told():
        rows = await ctx.deps.files.listed(pattern)
    return {
        "files": [{"path": row.path, "size_bytes": row.size_bytes} for row in rows[:MAX_LISTED]],
        "total": len(rows),
        "partial": len(rows) > MAX_LISTED,
    }


async def read_file(  # noqa: D417 - read by the model
    ctx: RunContext[Deps], path: str, first_line: int = 1, lines: int | None = None
) -> dict[str, Any]:
    """Read a text file of this chat, at most 2,000 lines at once. If `whole` is false, there is more: read on.

    Args:
        path: The file, as list_files names it.
        first_line: Where to begin, counted from 1; a negative number counts from the end.
        lines: How many lines; leave it out for as many as possible.
    """
    with told(path):
        file = await ctx.deps.files.read(path)
    try:
        part = textfiles.lines_of(file.content, first_line, lines)
    except ValueError as error:
        raise ToolFailed(f"There is no line {first_line}: {error}.") from error
    return {
        "path": file.path,
        "version": file.version,
        "text": part.text,
        "first_line": part.first,
        "last_line": part.last,
        "total_lines": part.total,
        "whole": part.whole,
    }


async def grep(  # noqa: D417 - read by the model
    ctx: RunContext[Deps], pattern: str, files: str = "**", ignore_case: bool = False
) -> dict[str, Any]:
    """Find lines in the text files of this chat. Returns paths, line numbers and the lines, at most 200.

    Args:
        pattern: A regular expression in RE2's syntax: no look-around, no references back.
        files: A glob of the files to look into, such as "notes/*.md". Leave it out for all files.
        ignore_case: Takes capitals and small letters for the same.
    """
    with told():
        texts = await ctx.deps.files.texts(files)
        found = textfiles.grepped(((one.path, one.content) for one in texts), pattern, ignore_case=ignore_case)
    hits = await asyncio.to_thread(lambda: list(islice(found, MAX_HITS + 1)))
    return {
        "hits": [{"path": hit.path, "line": hit.line, "text": hit.text} for hit in hits[:MAX_HITS]],
        "partial": len(hits) > MAX_HITS,
        "files_searched": len(texts),
    }
