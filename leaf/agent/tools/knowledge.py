"""The tools of a site's agent for its knowledge: files and Drive folders that the site's team has chosen.

Visitors are strangers, so the tools reach only these sources. A model names a file by a handle, which is looked up
among the files that the sources have at that moment. Shortcuts are not followed, because an editor of a shared folder
could add a shortcut to any file that the folder's owner may read. Names, ids and addresses of the files in a folder are
not returned.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import FunctionToolset, ModelRetry, RunContext
from pydantic_ai.exceptions import ToolFailed

from leaf import documents, errors, texts
from leaf.agent import tools
from leaf.agent.deps import Deps, KnowledgeAccess
from leaf.agent.tools.access import part_of
from leaf.documents import Document, NoSuchPart, Unreadable
from leaf.google import content
from leaf.google.drive import PARENTS_PER_QUERY, Drive, escape_query
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.sites import Source

MAX_FOLDERS = 100
MAX_FILES = 500
"""The maximum number of folders (`MAX_FOLDERS`) and of files of one source. Further files are not found."""
MAX_READ = 8
"""The maximum number of files of a folder that one search reads."""
PASSAGE_CHARACTERS = 3000
MAX_PASSAGES = 8
MAX_QUERY_CHARACTERS = 200


def toolset() -> FunctionToolset[Deps]:
    return tools.documented("knowledge", search_knowledge, read_knowledge)


async def search_knowledge(ctx: RunContext[Deps], query: str) -> dict[str, Any]:  # noqa: D417 - read by the model
    """Find passages in the sources that the site's owner has chosen. Answer from them, and name the source.

    Nothing found means only that these words were not found: try other or fewer words before you say that there is
    nothing. A source under `unavailable` could not be searched: say so if the answer may be there.

    Args:
        query: A few words that the passage may hold, such as "return period". Plain words, no operators.
    """
    words = " ".join(query.split())
    if not 1 <= len(words) <= MAX_QUERY_CHARACTERS:
        raise ModelRetry(texts.english("refusals.query_length", most=MAX_QUERY_CHARACTERS))
    access = _access(ctx.deps)
    passages: list[dict[str, Any]] = []
    unavailable: list[dict[str, str]] = []
    sources = await access.sources()
    for source in sources:
        try:
            async with aclosing(_documents(access, source, words)) as found:
                async for handle, document in found:
                    passages += await asyncio.to_thread(_passages, source, handle, document, words)
        except errors.DriveError as error:
            unavailable.append({"source": source.title, "reason": _reason(error)})
    best = sorted(passages, key=lambda one: -one["matches"])[:MAX_PASSAGES]
    result: dict[str, Any] = {"query": words, "passages": best, "sources_searched": len(sources) - len(unavailable)}
    return result | ({"unavailable": unavailable} if unavailable else {})


async def read_knowledge(  # noqa: D417 - read by the model
    ctx: RunContext[Deps], document: str, part: str | None = None, find: str | None = None
) -> dict[str, Any]:
    """Read on in a document that search_knowledge has found.

    Args:
        document: The `document` of a passage that search_knowledge returned.
        part: Which part: "page 3", "pages 3-5", "section <heading>", "sheet <name>", "slide 4", or "lines 1-200". Leave
            it out for the beginning.
        find: Words to look for inside the document, in place of reading from the beginning.
    """
    access = _access(ctx.deps)
    found = await _document(access, document.strip())
    if found is None:
        advice = "There is no such document. Pass the `document` of a passage from search_knowledge."
        raise ModelRetry(texts.for_model(advice, "refusals.call_no_document"))
    source, text = found
    selection = await part_of(text, part, find)
    return {
        "source": source.title,
        "document": document.strip(),
        "part": selection.part,
        "content": selection.content,
        "complete": selection.complete,
    }


def _access(deps: Deps) -> KnowledgeAccess:
    if deps.knowledge is None:
        raise ToolFailed(texts.english("refusals.no_sources"))
    return deps.knowledge


def _passages(source: Source, handle: str, document: Document, words: str) -> list[dict[str, Any]]:
    """Returns a list with the best passage of a document; empty if nothing matches."""
    try:
        found = documents.find(document, words, limit=PASSAGE_CHARACTERS)
    except NoSuchPart:
        return []
    if not found.matches:
        return []
    about = {"source": source.title, "document": handle, "part": found.part}
    return [{**about, "content": found.content, "matches": found.matches}]


async def _documents(access: KnowledgeAccess, source: Source, words: str) -> AsyncGenerator[tuple[str, Document]]:
    """Yields the documents of a source that may contain the words, with their handles.

    Raises:
        errors.DriveError: The folder cannot be read.
    """
    if source.kind == "file":
        document = await access.document(source)
        if document is not None:
            yield source.handle(), document
        return
    folder = _Folder(access, source)
    files = await folder.files()
    likely = await folder.matching(files, words)
    for file in (*likely, *(one for one in files if one not in likely))[:MAX_READ]:
        document = await folder.read(file)
        if document is not None:
            yield source.handle(file.id), document


async def _document(access: KnowledgeAccess, handle: str) -> tuple[Source, Document] | None:
    """Returns the document of a handle and its source; None if no source contains it now."""
    for source in await access.sources():
        if source.kind == "file":
            if source.handle() == handle and (document := await access.document(source)) is not None:
                return source, document
            continue
        folder = _Folder(access, source)
        try:
            file = next((one for one in await folder.files() if source.handle(one.id) == handle), None)
            document = await folder.read(file) if file is not None else None
        except errors.DriveError:
            continue
        if document is not None:
            return source, document
    return None


@dataclass
class _Folder:
    """The current state of a Drive folder and the folders below it."""

    access: KnowledgeAccess
    source: Source

    def __post_init__(self) -> None:
        self._drive = Drive(self.access.drive(self.source))
        self._folders: list[str] = []

    async def files(self) -> list[DriveFile]:
        """Returns the readable files in the folder and in the folders below it.

        Raises:
            errors.DriveRefused: The owner can no longer open the folder.
            errors.DriveError: The owner has disconnected Drive, or Google does not answer.
        """
        top = await self._drive.get_file(DriveLink(self.source.folder_id, self.source.resource_key))
        # If the folder were replaced by a shortcut, the shortcut would lead elsewhere.
        if top.id != self.source.folder_id or not top.is_folder or top.trashed:
            raise errors.DriveRefused(texts.english("refusals.source_refused"))
        files: dict[str, DriveFile] = {}
        level, seen = [top.id], {top.id}
        while level and len(files) < MAX_FILES:
            below: list[str] = []
            for start in range(0, len(level), PARENTS_PER_QUERY):
                parents = level[start : start + PARENTS_PER_QUERY]
                listing = await self._drive.find("trashed = false", MAX_FILES, parents=parents)
                for file in listing.files:
                    if file.is_folder and file.id not in seen and len(seen) < MAX_FOLDERS:
                        seen.add(file.id)
                        below.append(file.id)
                    elif not file.is_folder and not file.is_shortcut and documents.refusal(file.kind, "") is None:
                        files[file.id] = file
            level = below
        self._folders = [*seen]
        return [*files.values()][:MAX_FILES]

    async def matching(self, files: list[DriveFile], words: str) -> list[DriveFile]:
        """Returns the files that Google finds by the words; empty if there are few enough files to read all of them."""
        if len(files) <= MAX_READ:
            return []
        known = {one.id: one for one in files}
        value = escape_query(words)
        query = f"(name contains '{value}' or fullText contains '{value}') and trashed = false"
        found: list[DriveFile] = []
        for start in range(0, len(self._folders), PARENTS_PER_QUERY):
            parents = self._folders[start : start + PARENTS_PER_QUERY]
            listing = await self._drive.find(query, MAX_READ, parents=parents)
            found += [known[one.id] for one in listing.files if one.id in known]
        return found

    async def read(self, file: DriveFile) -> Document | None:
        """Returns the text of a file under the title of the source; None if the file cannot be read or has no text."""
        try:
            document = await content.read(self._drive, file, self.access.cache(self.source))
        except (Unreadable, errors.DriveRefused):
            return None
        return replace(document, name=self.source.title)


def _reason(error: errors.DriveError) -> texts.Message:
    if isinstance(error, errors.DriveNotConnected | errors.DriveRevoked):
        return texts.english("refusals.source_not_connected")
    refused = isinstance(error, errors.DriveRefused)
    return texts.english("refusals.source_refused" if refused else "refusals.source_no_answer")
