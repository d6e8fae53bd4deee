"""The agent's tools for the text files of the chat: read, write, edit, list, search, delete.

A change is identified by the id of its tool call. A call that is repeated with the same id changes nothing. Errors are
raised as `ToolFailed`, which the model can react to and which never ends an answer.
"""

import asyncio
import re
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any

from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.exceptions import ToolFailed

from leaf import documents, errors, texts
from leaf.agent import tools
from leaf.agent.deps import Deps
from leaf.documents import textfiles
from leaf.documents.pieces import span_of
from leaf.documents.textfiles.rows import Change, FileText
from leaf.texts.places import bare

MAX_LISTED = 500
MAX_HITS = 200
GREP_SECONDS = 20.0
_THREADS = ThreadPoolExecutor(2, "grep")
"""Threads used only for searches. A complex expression may keep a core busy for many seconds (RE2 releases the GIL).
Such a search delays only other searches."""
_Places = Sequence[tuple[int, str]]
MAX_NAMED = 50
_RANGE = re.compile(r"(page|slide)s? (\d+)\s*(?:-|–|to)\s*(\d+)")


def toolset() -> FunctionToolset[Deps]:
    """Returns the file tools. They act on the files of the run's own chat."""
    return tools.documented("files", list_files, read_file, grep, write_file, edit_file, delete_file)


async def list_files(ctx: RunContext[Deps], pattern: str = "**") -> dict[str, Any]:  # noqa: D417 - read by the model
    """List the files of this chat: those written here, and those that the user has uploaded. Returns paths, kinds and
    sizes in bytes, by path. What is `read_only` is an upload such as a PDF, which you can read and search, not edit.

    Args:
        pattern: A glob, such as "notes/**/*.md"; `**` goes through folders. Leave it out for all files.
    """
    with _file_errors():
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
    with _file_errors(path):
        file = await ctx.deps.files.read(path)
    first, count = first_line, lines
    if part:
        span = _lines_of_part(file.places, part, len(file.content.splitlines()))
        if span is None:
            names = "; ".join(_part_names(file.places)) or "lines only"
            advice = f"{file.path} has no part {part!r}. It has: {names}."
            raise ToolFailed(texts.for_model(advice, "refusals.call_part"))
        first, count = span[0], min(lines or textfiles.MAX_LINES, span[1] - span[0] + 1)
    try:
        selected = await asyncio.to_thread(textfiles.lines_of, file.content, first, count)
    except ValueError as error:
        raise ToolFailed(texts.for_model(f"There is no line {first_line}: {error}.", "refusals.call_part")) from error
    return {
        "path": file.path,
        "version": file.version,
        "text": selected.text,
        "first_line": selected.first,
        "last_line": selected.last,
        "total_lines": selected.total,
        "whole": selected.whole,
        **_upload_fields(file, selected),
    }


def _upload_fields(file: FileText, found: textfiles.Lines) -> dict[str, Any]:
    """Returns the fields that only uploads have: the kind, the parts that contain the lines, and notes on the file."""
    fields: dict[str, Any] = {}
    if file.places:
        fields["part"] = _span_name(file.places, found.first, found.last)
        if not found.whole:
            fields["parts"] = _part_names(file.places)
    if file.notes:
        fields["notes"] = file.notes
    return fields | ({"kind": file.kind} if fields else {})


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
    with _file_errors():
        search = textfiles.Search(pattern, ignore_case=ignore_case, seconds=GREP_SECONDS)
        async for file in ctx.deps.files.texts(files):
            if len(hits) > MAX_HITS or search.out_of_time:
                break
            hits += await loop.run_in_executor(_THREADS, partial(_hits, search, file, MAX_HITS + 1 - len(hits)))
            searched += 1
    notes: list[str] = []
    if search.out_of_time:
        notes.append(f"The search was ended after {GREP_SECONDS:.0f} seconds: use a simpler pattern, or less files.")
    if search.in_pieces:
        notes.append(
            "Very long lines were searched in pieces: matches of more than "
            f"{textfiles.OVERLAP_CHARACTERS:,} characters may be missing."
        )
    return {
        "hits": hits[:MAX_HITS],
        "partial": len(hits) > MAX_HITS or search.out_of_time,
        **({"note": " ".join(notes)} if notes else {}),
        "files_searched": searched,
    }


def _hits(search: textfiles.Search, file: FileText, most: int) -> list[dict[str, Any]]:
    return [
        {"path": hit.path, "line": hit.line, "text": hit.text}
        | ({"part": part} if (part := documents.place_of(file.places, hit.line)) else {})
        for hit in islice(search.hits(file.path, file.content), most)
    ]


async def write_file(ctx: RunContext[Deps], path: str, content: str) -> dict[str, Any]:  # noqa: D417 - read by the model
    """Make a text file in this chat, or replace all that is in one. To change a part, use edit_file.

    Args:
        path: Where, such as "notes/plan.md": relative, with slashes. Folders come by themselves.
        content: All of the file's text, at most 1 MB.
    """
    with _file_errors(path):
        change = await ctx.deps.files.write(path, content, call_id=ctx.tool_call_id)
    return _change_output(change, "created" if change.created else "replaced")


async def edit_file(  # noqa: D417 - read by the model
    ctx: RunContext[Deps], path: str, old: str, new: str, replace_all: bool = False
) -> dict[str, Any]:
    """Replace a text in a file of this chat. Returns the diff.

    Args:
        path: The file.
        old: The text as it stands there, exactly, with its blanks and line ends. It must be there only once: give
            enough of what stands around it.
        new: What takes its place; empty to take the text out.
        replace_all: Replaces every place instead.
    """
    with _file_errors(path):
        change = await ctx.deps.files.edit(path, old, new, everywhere=replace_all, call_id=ctx.tool_call_id)
    return _change_output(change, "edited")


async def delete_file(ctx: RunContext[Deps], path: str) -> dict[str, Any]:  # noqa: D417 - read by the model
    """Delete a file of this chat. The user can restore it.

    Args:
        path: The file.
    """
    with _file_errors(path):
        change = await ctx.deps.files.delete(path, call_id=ctx.tool_call_id)
    return _change_output(change, "deleted")


def _change_output(change: Change, done: str) -> dict[str, Any]:
    return {
        "path": change.path,
        "done": done,
        "version": change.version,
        "size_bytes": change.size_bytes,
        "diff": change.diff,
    }


def _span_name(places: _Places, first: int, last: int) -> str:
    """Returns one name for the parts in a range of lines, such as `pages 3-5`."""
    first_part = documents.place_of([*places], first)
    return span_of([*([first_part] if first_part else []), *(part for line, part in places if first < line <= last)])


def _lines_of_part(places: _Places, part: str, total: int) -> tuple[int, int] | None:
    """Returns the first and the last line of a named part, such as `page 3`, `pages 3-5` or `sheet Budget`.

    Returns:
        The two line numbers; None if there is no such part.
    """
    wanted = bare(" ".join(part.split())).casefold()
    span = _RANGE.fullmatch(wanted)
    names = {f"{span[1]} {span[2]}", f"{span[1]} {span[3]}"} if span else {wanted}
    found = [
        index
        for index, name in enumerate(bare(place).casefold() for _, place in places)
        if name in names or name.partition(" ")[2] in names
    ]
    if not found or (span and len(found) < len(names)):
        return None
    following = found[-1] + 1
    return places[found[0]][0], places[following][0] - 1 if following < len(places) else total


def _part_names(places: _Places) -> list[str]:
    """Returns the names of the parts, at most `MAX_NAMED`. Numbered pages or slides become one range."""
    names = [part for _, part in places]
    spans = span_of(names)
    return [spans] if spans.startswith(("pages ", "slides ")) else names[:MAX_NAMED]


@contextmanager
def _file_errors(path: str = "") -> Generator[None]:
    """Converts errors of the file service to `ToolFailed`."""
    try:
        yield
    except errors.Invalid as error:
        raise ToolFailed(texts.for_model(error.message, "refusals.call_pattern")) from error
    except errors.NotFound as error:
        advice = f"There is no file {path!r} in this chat. list_files shows those that there are."
        raise ToolFailed(texts.for_model(advice, "refusals.call_no_file", name=path[:200])) from error
