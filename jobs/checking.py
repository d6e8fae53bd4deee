"""What an answer rests on: its quotes are matched against what was read, and a receipt says what was looked at.

Both are parts of the message, made by the program when the text is there. Neither can fail the answer.
"""

import asyncio
import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote as percent_encoded
from uuid import UUID

from pydantic_ai.messages import ModelMessage, ToolReturnPart

from leaf import citations, errors, parts
from leaf.agent.deps import DocumentCache, FilesAccess
from leaf.citations import Call, Library, Material, Passage
from leaf.citations.checking import EXCERPT, Numbered
from leaf.citations.markers import numbered
from leaf.parts import Chunk
from leaf.services import chats, documents, files, runs

log = logging.getLogger(__name__)

CHECK_SECONDS = 10.0
MAX_SOURCES = 40
"""So many files and pages are looked into for one answer."""
LONG_CHARACTERS = 2_000_000
"""A text that is longer takes a busy machine seconds to prepare."""


@dataclass(frozen=True)
class Shelves:
    """Where the texts of what was read are kept, with the asker's permissions."""

    documents: DocumentCache
    files: FilesAccess
    chat_id: UUID

    @classmethod
    def of(cls, task: runs.Assignment) -> "Shelves":
        """Those of a run's asker and chat."""
        actor, chat_id = task.actor, task.chat_id
        return cls(documents.UserDocuments(actor), files.ChatFiles(actor, chat_id, task.run_id), chat_id)


async def checked(
    task: runs.Assignment, message_parts: Sequence[parts.Part], earlier: Sequence[ModelMessage]
) -> list[Chunk]:
    """The chunks that say what an answer rests on, `data-coverage` and `data-citations`; those that there are.

    The same parts give the same chunks, whose ids are fixed: a worker that takes over replaces what it finds.

    Args:
        task: What was asked, and by whom.
        message_parts: The answer as far as it has come.
        earlier: The messages of the chat before it.
    """
    coverage: dict[str, Any] | None = None
    found: Numbered = []
    cited: list[citations.Citation] = []
    try:
        coverage = citations.coverage_of(message_parts)
        texts = {slot: part["text"] for slot, part in enumerate(message_parts) if part["type"] == "text"}
        found = await asyncio.to_thread(_referred, texts)
        if found:
            library = Library.of([*_calls_before(earlier), *_calls_in(message_parts)])
            if task.summary is not None and any(library.named(reference) is None for reference, _ in found):
                library = Library.of(
                    [*await _calls_summarised(task), *_calls_before(earlier), *_calls_in(message_parts)]
                )
            cited = await _citations(found, library, Shelves.of(task))
    except Exception as error:  # noqa: BLE001 - whatever was raised, an answer does not fail by what it rests on
        log.warning("run %s: what the answer quotes was not checked (%s)", task.run_id, type(error).__name__)
        cited = citations.unchecked(found)
    chunks: list[Chunk] = []
    if coverage is not None:
        chunks.append({"type": citations.COVERAGE, "id": "coverage", "data": coverage})
    if cited:
        chunks.append({"type": citations.CITATIONS, "id": "citations", "data": [one.data() for one in cited]})
    return chunks


async def _citations(found: Numbered, library: Library, shelves: Shelves) -> list[citations.Citation]:
    deadline = time.monotonic() + CHECK_SECONDS
    sources: dict[tuple[str, str], list[list[Passage]]] = {}
    for material in _wanted(found, library):
        stored = await _stored(material, shelves, deadline)
        sources[material.kind, material.id] = _quickest_first(stored, material.texts)
        if material.kind == "chat":
            material.url = _download(shelves.chat_id, material)
    sources |= {(EXCERPT, key): one.texts for key, one in library.excerpts.items()}
    return await asyncio.to_thread(_check, found, library, sources, deadline)


async def _calls_summarised(task: runs.Assignment) -> list[Call]:
    """What was read in turns for which a summary stands: the run was not given them."""
    chat = await chats.open(task.actor, task.chat_id, upto=task.message_id)
    return [call for message in chat.messages for call in _calls_in(message.parts)]


def _referred(texts: dict[int, str]) -> Numbered:
    return numbered({slot: citations.references(text) for slot, text in texts.items()})


def _wanted(found: Numbered, library: Library) -> list[Material]:
    """What has to be looked into: what is named, and all that was read where a quote names nothing."""
    named = {id(one): one for reference, _ in found if (one := library.named(reference)) is not None}
    if any(not reference.target and reference.quote for reference, _ in found):
        named |= {id(one): one for one in library.read.values()}
    return [*islice(named.values(), MAX_SOURCES)]


def _quickest_first(stored: list[list[Passage]], given: list[list[Passage]]) -> list[list[Passage]]:
    """What was read is where most quotes are from: of a very long text, it is looked through before all of it."""
    if not stored:
        return given
    return [*given, *stored] if sum(len(one.text) for text in stored for one in text) > LONG_CHARACTERS else stored


async def _stored(material: Material, shelves: Shelves, deadline: float) -> list[list[Passage]]:
    """The whole text of a file as it is kept; nothing where only what the model was given is left of it."""
    try:
        async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
            if material.kind == "drive" and material.revision:
                document = await shelves.documents.get(material.id, material.revision)
                return [[Passage(one.part, one.text) for one in document.segments]] if document else []
            if material.kind == "chat":
                version = int(material.revision) if material.revision.isdigit() else None
                file = await shelves.files.read(material.id, version)
                return [await asyncio.to_thread(by_places, file.content, file.places)]
    except (errors.LeafError, TimeoutError) as error:
        log.info("a text was not there for checking (%s)", type(error).__name__)
    return []


def by_places(content: str, places: Sequence[tuple[int, str]]) -> list[Passage]:
    """A file of a chat by its places: the lines that only name one are left out."""
    if not places:
        return [Passage("lines 1", content)]
    lines = content.splitlines(keepends=True)
    ends = [*(line - 1 for line, _ in places[1:]), len(lines)]
    found: list[Passage] = [Passage("", "".join(lines[: places[0][0] - 1]))]
    for (line, part), end in zip(places, ends, strict=True):
        marked = line <= len(lines) and lines[line - 1].strip() == f"[{part}]"
        found.append(Passage(part, "".join(lines[line - 1 + marked : end])))
    return found


def _check(
    found: Numbered, library: Library, sources: dict[tuple[str, str], list[list[Passage]]], deadline: float
) -> list[citations.Citation]:
    texts = {key: [citations.Text(one, deadline) for one in several] for key, several in sources.items()}
    return citations.check(found, library, texts)


def _download(chat_id: UUID, material: Material) -> str:
    return f"/api/chats/{chat_id}/files/{percent_encoded(material.id)}?version={material.revision}"


def _calls_in(message_parts: Iterable[parts.Part]) -> Iterator[Call]:
    for part in message_parts:
        output = part.get("output")
        if parts.is_tool(part) and part["state"] == "output-available" and isinstance(output, dict):
            yield Call(parts.tool_name(part), output)


def _calls_before(messages: Iterable[ModelMessage]) -> Iterator[Call]:
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolReturnPart):
                content: Any = part.content
                if isinstance(content, dict):
                    yield Call(part.tool_name, content)
