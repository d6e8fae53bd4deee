"""The agent's tools for Google Drive: list a folder, search, read a file, and compute over tables of files.

The tool that compares files is in `comparison`. The number of results of a search is set by `FILES` and `PASSAGES_EACH`
in `leaf.services.library.search`, and by `LIVE_FILES` (for Google's own search) in `leaf.services.library.lookup`.

A wrong call raises `ModelRetry`. If Drive is not connected or does not answer, `ToolFailed` is raised, and the model
reports it to the user. If Google refuses a single file, the result names the file and the reason (`skipped`).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from pydantic_ai import FunctionToolset, ModelRetry, RunContext
from pydantic_ai.exceptions import ToolFailed

from leaf import charts, errors, texts
from leaf.agent import tools
from leaf.agent.deps import Deps
from leaf.agent.tools import access, comparison
from leaf.documents import Selection, isolation
from leaf.documents.kinds import FAMILIES, Family
from leaf.documents.tables import Cell, Refused, Source
from leaf.google import content
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import ROOT
from leaf.google.refusals import Named

MAX_LISTED = 500
"""The maximum number of files in the result for one folder. The result also contains their total."""
MAX_QUERIES = 4
"""The maximum number of wordings in one search."""
MAX_QUERY_CHARACTERS = 200
MAX_COMPUTED = 10
"""The maximum number of files in one computation."""


def toolset() -> FunctionToolset[Deps]:
    """Returns the Drive tools. Each tool acts with the asker's own permissions."""
    return tools.documented(
        "drive", list_drive_folder, search_files, read_drive_file, compute, comparison.compare_files
    )


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
    link = access.link_of(folder)
    try:
        with access.drive_errors():
            drive = access.drive_of(ctx.deps)
            listing = await drive.list_folder(link)
            shared = await drive.drives() if link.id == ROOT else []
    except errors.DriveRefused as refused:
        return access.skipped(refused.reason, link=link)
    assert listing.folder is not None  # noqa: S101 - list_folder always names its folder
    if (refusal := await access.scope_refusal(ctx.deps, listing.folder)) is not None:
        return refusal
    files, notes = listing.files, list(listing.notes)
    if len(files) > MAX_LISTED:
        notes.append(f"The first {MAX_LISTED} of {len(files)} are shown. Use search_files with folder to find others.")
    if shared:
        names = ", ".join(f"{one['name']} (id {one['id']})" for one in shared)
        notes.append(f"Shared Drives are not part of My Drive; list them by id: {names}.")
    if not files and not listing.partial:
        notes.append("This folder is empty, or holds nothing that this account may see.")
    ctx.deps.names.update({file.id: file.named for file in files[:MAX_LISTED]})
    return {
        "folder": {"id": listing.folder.id, "name": listing.folder.name, "url": listing.folder.url},
        "files": [file.describe() for file in files[:MAX_LISTED]],
        "total": len(files),
        "total_folders": sum(file.kind == "folder" for file in files),
        "total_at_least": listing.partial,
        "partial": listing.partial or len(files) > MAX_LISTED,
        **({"drives_missed": True} if listing.drives_missed else {}),
        "note": " ".join(notes) or None,
    }


async def search_files(  # noqa: D417 - read by the model
    ctx: RunContext[Deps],
    queries: list[str],
    folder: str | None = None,
    type: Family | None = None,  # noqa: A002 - the model reads this name
    since: str | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """Search the user's Google Drive, Shared Drives included, by the text and the names of files.

    Use this when the user names a file or a topic and gives no link. Pass several wordings of what you look for:
    synonyms, and the languages in which the files may be written. Returns `files` (id, name, kind, date, url), the best
    first, and `passages` of their text, each with its place and its `heading`: the titles of its document and section,
    which say what it is about. You may answer from a passage and quote it; read the file with read_drive_file where a
    passage is not enough, and for files without passages. `copies` of a file are older files with the same passages,
    such as earlier versions: answer from the newest, and name the others where that matters. Nothing found means only
    that these words were not found: try other words before saying that there is nothing. `index` tells how many of the
    files were searched by their text, and how many by their meaning (`vectors`), which also finds other wordings and
    languages. If `partial` is true, say so in your answer.

    Args:
        queries: 1 to 4 wordings, each a few words that the text may have, such as "notice period lease" and
            "Kündigungsfrist Mietvertrag". Plain words, no operators. An empty list lists the newest files that meet
            the other conditions.
        folder: Search only in this folder and the folders below it: a folder's URL or id.
        type: Search only files of this type.
        since: Search only files that were changed on this day or later, as YYYY-MM-DD.
        name: Search only files whose name has these words.
    """
    link = access.link_of(folder) if folder else None
    wordings = [" ".join(query.split()) for query in queries]
    wordings = [query for query in wordings if query][:MAX_QUERIES]
    if not wordings and not (link or type or since or name):
        advice = "Pass at least one query, or a folder, type, since or name."
        raise ModelRetry(texts.for_model(advice, "refusals.call_without_words"))
    if any(len(query) > MAX_QUERY_CHARACTERS for query in wordings):
        advice = f"A query has at most {MAX_QUERY_CHARACTERS} characters."
        raise ModelRetry(texts.for_model(advice, "refusals.query_length", most=MAX_QUERY_CHARACTERS))
    library = ctx.deps.library
    if library is None:
        raise ToolFailed(errors.DriveNotConnected().message)
    try:
        with access.drive_errors():
            found = await library.look_up(
                wordings, folder=link, kinds=FAMILIES[type] if type else frozenset(), since=_day(since), name=name,
                resource_keys=ctx.deps.resource_keys,
            )  # fmt: skip
    except errors.DriveRefused as refused:
        if link is None:
            raise ToolFailed(refused.reason) from refused
        return access.skipped(refused.reason, link=link)
    ctx.deps.names.update({one["id"]: Named(one["name"]) for one in found["files"]})
    return {"queries": wordings, **found, "note": _note_of(found)}


def _note_of(found: dict[str, Any]) -> str | None:
    """The notes for the model about the result of a search; None if there are none."""
    index = found["index"]
    notes: list[str] = []
    if not found["files"]:
        notes.append("Nothing was found. Try other wordings.")
    if found.get("drives_missed"):
        notes.append("Google has not searched every drive this time: say so in your answer, something may be missing.")
    if found["unanswered"]:
        notes.append(f"{found['unanswered']} files were left out because Google did not confirm the access to them.")
    if not index["complete"] and index["files"]:
        google = "; Google's search was asked as well" if found["asked_google"] else ""
        notes.append(f"The text of {index['read']} of {index['files']} files is searched so far{google}.")
    if index.get("vectors", index["read"]) < index["read"]:
        notes.append(
            f"{index['vectors']} of {index['read']} texts are found by their meaning so far, the others only by their "
            f"words: pass several wordings and the files' languages."
        )
    return " ".join(notes) or None


def _day(text: str | None) -> date | None:
    """The date in an argument of the model; None if the argument is empty.

    Raises:
        ModelRetry: The argument is not a date.
    """
    if not text:
        return None
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError as error:
        raise ModelRetry(texts.for_model("Pass `since` as YYYY-MM-DD.", "refusals.call_day")) from error


async def read_drive_file(  # noqa: D417 - read by the model
    ctx: RunContext[Deps], file: str, part: str | None = None, find: str | None = None
) -> dict[str, Any]:
    """Read a file in Google Drive: Google Docs, Sheets, Slides, Drawings, PDF, Word, Excel, PowerPoint,
    OpenDocument, rich text, EPUB, text, Markdown, CSV, e-mail, pictures.

    Answer from what this returns, and quote it. Lines such as [page 3], [sheet Budget], [slide 2] or [section Goals] in
    `content` mark where what follows stands: name that place when you cite. “read by OCR” marks the text of a scan or
    picture, which may have errors and gaps. A long file comes with an `outline` and its
    first parts. If the answer may lie elsewhere, call again with `find` and the words that the passage may hold, or
    with the `part` you need; `find` is the surer way into a long file. `complete` is true only if `content` is the
    whole file; if it is false, do not claim that something is not in the file unless `find` found none of several
    wordings. If the result is `skipped`, tell the user which file and why.

    Args:
        file: The file's URL, or its id from an earlier result. Not a name: find names with search_files first.
        part: Which part: "page 3", "pages 3-5", "section <heading>", "sheet <name>", "sheet <name> rows 10-200",
            "rows 10-200", "slide 4", "lines 1-200", "attachment report.pdf" (of e-mails), or "characters 24001-48000".
            Leave it out for the beginning.
        find: Words to look for inside the file, such as "notice period" or "asn1_create_element"; put a phrase in
            quotation marks. The result then holds the paragraphs or rows that match best, from anywhere in the file,
            with [page 3] and the like before them and […] where text is left out; `matches` counts all that match.
            With `part`, only that part is looked through.
    """

    async def read(drive: Drive, found: DriveFile) -> tuple[DriveFile, Selection]:
        return found, await access.part_of(await content.read(drive, found, ctx.deps.documents), part, find)

    opened = await access.read(ctx.deps, file, read)
    if isinstance(opened, dict):
        return opened
    found, selection = opened
    notes = [selection.note, "This file is in the bin." if found.trashed else None]
    return {
        "file": access.described(found),
        "part": selection.part,
        "outline": selection.outline,
        "content": selection.content,
        "chars": len(selection.content),
        "total_chars": selection.total_characters,
        "complete": selection.complete,
        "note": " ".join(filter(None, notes)) or None,
        **({} if selection.matches is None else {"find": find, "matches": selection.matches}),
    }  # fmt: skip


async def compute(  # noqa: D417 - read by the model
    ctx: RunContext[Deps],
    files: list[str],
    query: str | None = None,
    chart: charts.Request | None = None,
    name: str | None = None,
    cells: list[str] | None = None,
    units: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Compute over the tables of Drive files with SQL: sums, averages, counts, shares, differences, the highest.

    Never add up, average, count or compare figures of a table yourself: the user sees which figures were computed, and
    from which cells. First call it without `query`: `tables` then has the name of each table, its columns with type and
    unit, and its first rows. Then call it with the same files and one SELECT. Rows that sum up others are in a table of
    their own, whose name ends in `_totals`, so that nothing is counted twice. Percentages are numbers such as 12.5.
    Amounts in several currencies are not added: select one, or group by the column of units. Return the figure that you
    want to state, such as a share in percent, as a column of its own, and state it in the answer as it is or rounded.
    Name the file in the answer; the computation needs no footnote.

    Each result is a cell of this chat: `cell` is its name. Where a later question builds on an earlier result, such as
    “and that without Berlin?”, pass that name in `cells` and read it in the query as a table.

    With `chart` the user also sees the result as a picture, with its values in a table: do not repeat either, and do
    not draw figures with Mermaid.

    Args:
        files: 1 to 10 files: URLs, or ids from earlier results. Sheets, CSV, and documents, pages and PDFs with
            tables. An empty list if the query reads `cells` alone.
        query: One SELECT of DuckDB's SQL over the tables, such as
            SELECT sum(cost_eur) AS cost FROM register WHERE year(date) = 2026. Joins, WITH, GROUP BY, windows and the
            usual functions of numbers, texts and dates are there. Leave it out to see the tables.
        chart: How to draw the result of `query`, where the user asks for a chart, or where several values are compared
            or form a course. Group and order the rows in the query as the chart is to show them.
        name: A short name for the result, such as total_cost_2026.
        cells: Names of earlier results of this chat that the query reads as tables; they are computed anew.
        units: Units of columns that have none, by table and column, such as {"costs.vat": "EUR"}; only where the file
            or the user says so. The user sees it as an assumption.
    """
    if chart is not None and not query:
        advice = "A chart shows the result of a query. Pass one with it."
        raise ModelRetry(texts.for_model(advice, "refusals.call_chart"))
    earlier = await ctx.deps.cells.of(ctx.messages) if query else {}
    rests_on = _rests_on(earlier, cells or ())
    wanted = _references(files, rests_on)
    read = await _all_tables_of(ctx.deps, wanted)
    if isinstance(read, dict):
        return read
    opened, sources = read
    try:
        result = await isolation.computed(
            sources, query or "", units=units, cells=rests_on, owner=ctx.deps.user_id, name=name, taken=[*earlier]
        )
        if chart is not None:
            charts.check(chart, result)
            result["chart"] = chart.model_dump()
    except Refused as refused:
        raise ModelRetry(texts.for_model(refused.message, "refusals.call_query")) from refused
    except charts.Refused as refused:
        raise ModelRetry(texts.for_model(refused.message, "refusals.call_chart")) from refused
    return {"files": [access.described(one) for one in opened], **result}


def _rests_on(earlier: Mapping[str, Sequence[Cell]], names: Sequence[str]) -> list[Cell]:
    """The cells with these names, and the cells that they depend on. Each cell comes after its dependencies.

    Raises:
        ModelRetry: There is no cell with one of the names.
    """
    found: dict[str, Cell] = {}
    for name in names:
        if name not in earlier:
            known = ", ".join([*earlier][-20:]) or "none"
            advice = f"There is no cell “{name[:80]}” in this chat. Its cells: {known}."
            raise ModelRetry(texts.for_model(advice, "refusals.call_cell", name=name[:80]))
        found |= {one.name: one for one in earlier[name]}
    return [*found.values()]


def _references(files: Sequence[str], cells: Sequence[Cell]) -> list[str]:
    """The files of a computation and of the cells that it reads, each once.

    Raises:
        ModelRetry: There is none, or there are too many.
    """
    wanted: dict[str, str] = {}
    for reference in (*files, *(file for cell in cells for file in cell.files)):
        wanted.setdefault(access.link_of(reference).id, reference)
    if not 1 <= len(wanted) <= MAX_COMPUTED:
        advice = f"Pass 1 to {MAX_COMPUTED} files; those of earlier results count as well."
        raise ModelRetry(texts.for_model(advice, "refusals.call_files", most=MAX_COMPUTED))
    return [*wanted.values()]


async def _all_tables_of(
    deps: Deps, references: Iterable[str]
) -> tuple[list[DriveFile], list[Source]] | dict[str, Any]:
    """The files and their tables; or the output of the tool with the reason why one of the files cannot be read."""

    async def read(drive: Drive, file: DriveFile) -> tuple[DriveFile, Source]:
        return file, Source.of(await content.tables(drive, file, deps.documents), file.name)

    files: list[DriveFile] = []
    sources: list[Source] = []
    for reference in references:
        opened = await access.read(deps, reference, read)
        if isinstance(opened, dict):
            return opened
        files.append(opened[0])
        sources.append(opened[1])
    return files, sources
