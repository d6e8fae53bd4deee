"""What an answer rests on: its quotes are matched against what was read, and a receipt says what was looked at.

Both are parts of the message, made by the program when the text is there. Neither can fail the answer.
"""

import asyncio
import logging
import time
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote as percent_encoded
from uuid import UUID

from pydantic_ai.messages import ModelMessage

from jobs import keeping, past
from leaf import citations, errors, parts
from leaf.citations import Call, Library, Material, Passage
from leaf.citations.markers import numbered
from leaf.citations.verification import EXCERPT, Numbered
from leaf.parts import Chunk
from leaf.services import chats, runs

log = logging.getLogger(__name__)

CHECK_SECONDS = 10.0
MAX_SOURCES = 40
"""So many files and pages are looked into for one answer."""
LONG_CHARACTERS = 2_000_000
"""A text that is longer takes a busy machine seconds to prepare."""


@dataclass(frozen=True)
class Known:
    """What a chat has brought: what its tools returned, and what its people wrote."""

    calls: Sequence[Call]
    words: Sequence[str]
    library: Library

    @classmethod
    def of(cls, task: runs.Assignment, message_parts: Iterable[parts.Part], earlier: Sequence[ModelMessage]) -> "Known":
        """What a run knows of it.

        Args:
            task: What was asked.
            message_parts: The answer as far as it has come.
            earlier: The messages of the chat before it.
        """
        calls = [*past.calls_before(earlier), *past.calls_in(message_parts)]
        words = [*past.words_before(earlier), task.question]
        return cls(calls, [*(one for one in words if one not in task.clicked), task.instructions], Library.of(calls))

    def after(self, chat: chats.Chat, clicked: Container[str]) -> "Known":
        """The same with what stands in turns for which a summary stands: the run was not given them."""
        written = [parts.text_of(one.as_ui_message()) for one in chat.messages if one.role == "user"]
        calls = [*(call for one in chat.messages for call in past.calls_in(one.parts)), *self.calls]
        return Known(calls, [*self.words, *(one for one in written if one not in clicked)], Library.of(calls))

    def invented(self, found: Numbered) -> set[str]:
        """The addresses of the web that nobody gave, of those that references lead to."""
        targets = {one.target for one, _ in found if one.target.startswith(("https://", "http://"))}
        return citations.invented(targets, self.calls, self.words, self.library)


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
            known = Known.of(task, message_parts, earlier)
            if task.summary is not None and any(known.library.named(reference) is None for reference, _ in found):
                known = known.after(await chats.open(task.actor, task.chat_id, upto=task.message_id), task.clicked)
            invented = await asyncio.to_thread(known.invented, found)
            cited = await _citations(found, known.library, invented, task)
    except Exception as error:  # noqa: BLE001 - whatever was raised, an answer does not fail by what it rests on
        log.warning("run %s: what the answer quotes was not checked (%s)", task.run_id, type(error).__name__)
        cited = citations.unchecked(found)
    chunks: list[Chunk] = []
    if coverage is not None:
        chunks.append({"type": citations.COVERAGE, "id": "coverage", "data": coverage})
    if cited:
        chunks.append({"type": citations.CITATIONS, "id": "citations", "data": [one.data() for one in cited]})
    return chunks


async def _citations(
    found: Numbered, library: Library, invented: Collection[str], task: runs.Assignment
) -> list[citations.Citation]:
    shelves = keeping.Shelves.of(task)
    deadline = time.monotonic() + CHECK_SECONDS
    sources: dict[tuple[str, str], list[list[Passage]]] = {}
    uploaded: dict[tuple[str, str], list[list[Passage]]] = {}
    for material in _wanted(found, library):
        stored = await _stored(material, shelves, deadline)
        sources[material.kind, material.id] = _quickest_first(stored, material.texts)
        if material.kind == "chat":
            material.url = _download(task.chat_id, material)
            given = await _uploaded(material, shelves, deadline, is_own=material.id in library.written)
            uploaded |= {(material.kind, material.id): given} if given is not None else {}
    sources |= {(EXCERPT, one.id): one.texts for one in library.excerpts.values()}
    doubts = citations.Doubts(invented, _prepared(uploaded, deadline))
    return await asyncio.to_thread(citations.check, found, library, _prepared(sources, deadline), doubts)


def _prepared(
    passages: Mapping[tuple[str, str], Sequence[Sequence[Passage]]], deadline: float
) -> dict[tuple[str, str], list[citations.Text]]:
    return {key: [citations.Text(one, deadline) for one in several] for key, several in passages.items()}


def _referred(texts: dict[int, str]) -> Numbered:
    return numbered({slot: citations.references(text) for slot, text in texts.items()})


def _wanted(found: Numbered, library: Library) -> list[Material]:
    """What has to be looked into: what is named, and all that was read where a quote names nothing for certain."""
    named = {id(one): one for reference, _ in found if (one := library.named(reference)) is not None}
    is_free = any((not reference.target or reference.is_assumed) and reference.quote for reference, _ in found)
    # What a file of the chat says may have been copied there from something else that was read.
    if is_free or any(one.kind == "chat" for one in named.values()):
        named |= {id(one): one for one in library.read.values()}
    return [*islice(named.values(), MAX_SOURCES)]


def _quickest_first(stored: list[list[Passage]], given: list[list[Passage]]) -> list[list[Passage]]:
    """What was read is where most quotes are from: of a very long text, it is looked through before all of it."""
    if not stored:
        return given
    return [*given, *stored] if sum(len(one.text) for text in stored for one in text) > LONG_CHARACTERS else stored


async def _stored(material: Material, shelves: keeping.Shelves, deadline: float) -> list[list[Passage]]:
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


async def _uploaded(
    material: Material, shelves: keeping.Shelves, deadline: float, *, is_own: bool
) -> list[list[Passage]] | None:
    """What people have put into a file of the chat; None where all that was read of it is theirs.

    Args:
        material: The file.
        shelves: Where its versions are.
        deadline: In seconds of `time.monotonic`.
        is_own: Whether the agent is known to have written or changed it, where no version can be looked at.
    """
    version = int(material.revision) if material.revision.isdigit() else 0
    try:
        async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
            found = await shelves.files.uploaded(material.id, version)
    except (errors.LeafError, TimeoutError):
        return [] if is_own else None
    if any(one.version == version for one in found):
        return None
    return [await asyncio.to_thread(by_places, one.content, one.places) for one in found]


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


def _download(chat_id: UUID, material: Material) -> str:
    return f"/api/chats/{chat_id}/files/{percent_encoded(material.id)}?version={material.revision}"
