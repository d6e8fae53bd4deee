"""The agent's tool that compares files of the Drive and of the chat, or versions of a Drive file."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from pydantic_ai import ModelRetry, RunContext

from leaf import documents, errors, texts
from leaf.agent.deps import Deps
from leaf.agent.tools import access
from leaf.citations.comparisons import MOST_FILES
from leaf.comparison import Edition
from leaf.documents import Segment, Unreadable, isolation
from leaf.documents.textfiles.rows import FileText
from leaf.google import content, revisions
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.revisions import Revision
from leaf.texts.notes import note_text
from leaf.texts.places import bare

MAX_VERSIONS_LISTED = 20
"""The maximum number of versions that a result lists. The newest are listed."""
MAX_ON_CHARACTERS = 200


async def compare_files(  # noqa: D417 - read by the model
    ctx: RunContext[Deps], files: list[str], versions: list[str] | None = None, on: str | None = None
) -> dict[str, Any]:
    """Compare 2 to 10 files, or versions of one: amounts, dates, clauses and rows of tables that differ. Files of the
    Drive and of this chat, uploads included, can be compared with each other.

    Use this whenever the user asks what differs between files, or what has changed in a file; do not compare them
    yourself. A program lines the files up. `compared` are the columns; each of `rows` has in `cells` the passage of
    each column (`quote`, with its `part`), or null where a file has nothing like it. `value` names what differs.
    `kind` is `value` (amounts, dates, numbers), `wording`, or `only` (not all have it). `same` counts the statements
    that all have. The user sees all rows side by side below your answer: tell the most important ones in a few
    sentences, and quote both sides, each with a footnote of its own that names the file, or the version by its date.
    Say which `notes` matter, and if `differences` is more than the rows that you got. Statements of different languages
    are not lined up.

    Args:
        files: 2 to 10 files: of a Drive file the URL, or the id from an earlier result; of a file of this chat the
            path, as list_files names it. Or one Drive file whose versions are compared.
        versions: Of one Drive file: 2 to 10 of its versions. "first", "current", an id from `versions` of an earlier
            result, or a day as YYYY-MM-DD for the version at the end of that day. Leave it out to compare the current
            version with the one before it.
        on: What the differences are to be about, in words that the files may use, such as "notice period"; those
            about it come first.
    """
    references = [*dict.fromkeys(files)]
    if not 1 <= len(references) <= MOST_FILES:
        raise ModelRetry(texts.for_model(f"Pass 1 to {MOST_FILES} files.", "refusals.call_files", most=MOST_FILES))
    wanted = dict([await _key_and_file(ctx.deps, one) for one in references])
    if versions and len(wanted) > 1:
        advice = "Pass one file with `versions`, or several files without."
        raise ModelRetry(texts.for_model(advice, "refusals.call_versions"))
    if on and len(on) > MAX_ON_CHARACTERS:
        advice = f"`on` has at most {MAX_ON_CHARACTERS} characters."
        raise ModelRetry(texts.for_model(advice, "refusals.query_length", most=MAX_ON_CHARACTERS))
    if len(wanted) == 1:
        (only,) = wanted.values()
        if isinstance(only, FileText):
            advice = "Only Drive files have versions that can be compared. Pass 2 files or more."
            raise ModelRetry(texts.for_model(advice, "refusals.call_one_file"))
        return await _of_versions(ctx.deps, only, versions or [], on or "")
    read = await asyncio.gather(*(_opened(ctx.deps, one) for one in wanted.values()))
    opened = [one for one in read if not isinstance(one, dict)]
    left_out = [one["skipped"] for one in read if isinstance(one, dict)]
    if len(opened) < 2:
        return {"skipped": left_out[0]}
    result = await _compared(ctx.deps, [edition for _, edition in opened], on or "")
    return {"files": [about for about, _ in opened], **result, **({"left_out": left_out} if left_out else {})}


async def _key_and_file(deps: Deps, reference: str) -> tuple[tuple[str, str], str | FileText]:
    """A unique key of a file, and the file itself if it belongs to the chat, or else its reference.

    Raises:
        ModelRetry: The reference is neither the path of a chat's file nor a link.
    """
    if "://" not in reference:
        with suppress(errors.Invalid, errors.NotFound):
            file = await deps.files.read(reference)
            return ("chat", file.path), file
    try:
        return ("drive", access.link_of(reference).id), reference
    except ModelRetry as wrong:
        advice = "Of a file of this chat, pass the path as list_files names it."
        raise ModelRetry(texts.advised(wrong.message, advice)) from wrong


async def _opened(deps: Deps, file: str | FileText) -> tuple[dict[str, Any], Edition] | dict[str, Any]:
    """The description of a file for the result, and its text; or the output if the file cannot be read."""
    if isinstance(file, FileText):
        try:
            return await _of_chat(deps, file)
        except Unreadable as unreadable:
            about = {"id": None, "path": file.path, "name": file.path, "url": None}
            return {"skipped": {**about, "reason": unreadable.reason}}

    async def read(drive: Drive, found: DriveFile) -> tuple[dict[str, Any], Edition]:
        document = await content.read(drive, found, deps.documents)
        return access.described(found), Edition.of(document, url=found.url, modified=found.modified)

    return await access.read(deps, file, read)


async def _of_chat(deps: Deps, file: FileText) -> tuple[dict[str, Any], Edition]:
    """The description of a chat's file for the result, and its text.

    Raises:
        Unreadable: The file has no text.
    """
    if file.places:
        found = await asyncio.to_thread(documents.by_places, file.content, file.places)
        segments = [Segment(bare(place), None, text) for place, text in found if text.strip()]
    elif file.kind in documents.SUFFIXES:
        segments = [Segment("all", None, file.content)] if file.content.strip() else []
    else:
        data = await asyncio.to_thread(file.content.encode)
        segments = (await isolation.parse(data, file.kind, owner=deps.user_id)).segments
    if not any(one.text.strip() for one in segments):
        notes = [note_text(note, texts.english) for note in file.notes]
        raise Unreadable(notes[0] if len(notes) == 1 else " ".join(notes) or texts.english("errors.file_empty"))
    about = {"path": file.path, "name": file.path, "kind": file.kind, "version": file.version}
    return about, Edition.of_chat(file, segments)


async def _compared(deps: Deps, editions: Sequence[Edition], on: str) -> dict[str, Any]:
    try:
        return await isolation.compared(editions, " ".join(on.split()), owner=deps.user_id)
    except Unreadable as unreadable:
        raise ModelRetry(texts.advised(unreadable.reason, "Compare fewer files.")) from unreadable


async def _of_versions(deps: Deps, reference: str, wanted: Sequence[str], on: str) -> dict[str, Any]:
    read = await access.read(deps, reference, partial(_versions, deps, wanted))
    if isinstance(read, dict):
        return read
    file, known, editions = read
    result = await _compared(deps, editions, on)
    listed = [one.describe() for one in known[-MAX_VERSIONS_LISTED:]]
    return {"files": [access.described(file)], **result, "versions": listed, "total_versions": len(known)}


async def _versions(
    deps: Deps, wanted: Sequence[str], drive: Drive, file: DriveFile
) -> tuple[DriveFile, Sequence[Revision], list[Edition]]:
    """The file, all of its versions, and the texts of the versions to compare.

    Raises:
        Unreadable: The file has only one version, or a version cannot be read.
    """
    known = await revisions.listed(drive, file)
    if len(known) < 2:
        raise Unreadable(texts.english("refusals.one_version", name=file.name))
    editions: list[Edition] = []
    for one in _chosen(known, wanted):
        is_earlier = one is not known[-1]
        reading = content.earlier(drive, file, one) if is_earlier else content.read(drive, file, deps.documents)
        document = await reading
        editions.append(Edition.of(document, url=file.url, modified=one.modified, by=one.by, is_earlier=is_earlier))
    return file, known, editions


def _chosen(known: Sequence[Revision], wanted: Sequence[str]) -> list[Revision]:
    """The versions to compare, the oldest first. Without wanted versions, the last two.

    Raises:
        ModelRetry: A wanted version does not exist, all wanted versions are the same, or there are too many.
    """
    if not wanted:
        return [*known[-2:]]
    found = {one.id: one for one in (_version(known, text.strip()) for text in wanted)}
    if len(found) == 1:
        # A single version, such as "since 3 May", is compared with the current version.
        found |= {known[-1].id: known[-1]}
    if len(found) < 2:
        days = ", ".join(one.modified[:10] for one in known[-MAX_VERSIONS_LISTED:])
        advice = f"These are the same version. The versions that Drive keeps are of: {days}."
        raise ModelRetry(texts.for_model(advice, "refusals.call_same_version"))
    if len(found) > MOST_FILES:
        advice = f"Pass at most {MOST_FILES} versions."
        raise ModelRetry(texts.for_model(advice, "refusals.call_files", most=MOST_FILES))
    return sorted(found.values(), key=lambda one: one.modified)


def _version(known: Sequence[Revision], wanted: str) -> Revision:
    if wanted in {"first", "current"}:
        return known[0] if wanted == "first" else known[-1]
    if len(wanted) == len("2026-05-03") and wanted[4::3] == "--":
        # If the day is before the first version that Drive keeps, the first version is the closest.
        return next((one for one in reversed(known) if one.modified[:10] <= wanted), known[0])
    found = next((one for one in known if one.id == wanted), None)
    if found is None:
        advice = f"There is no version “{wanted[:80]}”. Pass first, current, a day, or an id of a version."
        raise ModelRetry(texts.for_model(advice, "refusals.call_version", name=wanted[:80]))
    return found
