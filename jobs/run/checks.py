"""The checks of an answer: its quotes are searched in the texts that were read, and a receipt lists these texts.

The results become parts of the message once its text is complete. A failed check never fails the answer.
"""

import asyncio
import logging
import re
import time
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import quote as percent_encoded
from uuid import UUID

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolReturnPart, UserPromptPart

from jobs import stores
from leaf import citations, documents, errors, parts
from leaf.agent.approval.taint import taint
from leaf.citations import Call, Library, Material, Passage, compared_files, comparisons, conflicts, subquestions
from leaf.citations.blanks import without_code
from leaf.citations.links import links
from leaf.citations.markers import numbered
from leaf.citations.verification import EXCERPT, Numbered
from leaf.parts import Chunk, question_files
from leaf.parts.objects import object_of, objects_in
from leaf.services import chats, runs

log = logging.getLogger(__name__)

CHECK_SECONDS = 10.0
CONFLICT_SECONDS = 3.0
"""The time limit for reading the whole texts of the files that are compared for conflicts."""
MAX_SOURCES = 40
"""The maximum number of files and pages that are searched for one answer."""
_DIGIT = re.compile(r"\d")
_LINK_SIGNS = ("](", "]:", "://", "www.", "mailto:")
LONG_CHARACTERS = 2_000_000
"""Texts above this length take seconds to prepare on a busy machine."""


@dataclass(frozen=True)
class Known:
    """The results of a chat's tools, and the words of the people in it."""

    calls: Sequence[Call]
    words: Sequence[str]
    library: Library

    @classmethod
    def of(cls, task: runs.Assignment, message_parts: Iterable[parts.Part], earlier: Sequence[ModelMessage]) -> "Known":
        """The content that a run knows."""
        calls = [*_calls_before(earlier), *_calls_in(message_parts)]
        words = [*_words_before(earlier), task.question]
        written = [one for one in words if one not in task.suggested]
        return cls(calls, [*written, task.instructions, task.project_instructions], Library.of(calls))

    def with_earlier(self, chat: chats.Chat, suggested: Container[str]) -> "Known":
        """The content, including the turns that a summary replaces for the model."""
        written = [parts.text_of(one.as_ui_message()) for one in chat.messages if one.role == "user"]
        calls = [*(call for one in chat.messages for call in _calls_in(one.parts)), *self.calls]
        return Known(calls, [*self.words, *(one for one in written if one not in suggested)], Library.of(calls))

    def invented(self, found: Numbered) -> set[str]:
        """The web addresses in references that neither a tool nor a person in the chat has named."""
        targets = {one.target for one, _ in found if one.target.startswith(("https://", "http://"))}
        return citations.invented(targets, self.calls, self.words, self.library)

    def spelled(self, shown: Iterable[str]) -> list[str]:
        """The addresses of links in texts that a tool or a person in the chat has spelled in the same way."""
        targets = {one.target for text in shown for one in links(without_code(text), text)}
        return sorted(citations.spelled(targets, self.calls, self.words))


async def checked(
    task: runs.Assignment, message_parts: Sequence[parts.Part], earlier: Sequence[ModelMessage], *, whole: bool = True
) -> list[Chunk]:
    """The results of all checks as chunks: `data-coverage` (the receipt), `data-citations`, `data-figures`,
    `data-links`, `data-conflicts`, `data-comparisons`, and `data-subquestions`.

    Chunks without content are left out. The chunk `data-subquestions` replaces the list that the answer has made. The
    same parts give the same chunks, so a worker that takes over replaces those of the earlier worker.
    """
    coverage: dict[str, Any] | None = None
    found: Numbered = []
    cited: list[citations.Citation] = []
    linked: dict[str, Any] | None = None
    own: list[list[int]] = []
    asked = [one["text"] for one in subquestions.stored(message_parts)]
    judged: list[dict[str, Any]] = [{"text": one, "state": "unknown"} for one in asked]
    disagreed: list[dict[str, Any]] = []
    try:
        coverage = citations.coverage_of(message_parts)
        texts = {slot: part["text"] for slot, part in enumerate(message_parts) if part["type"] == "text"}
        # Public pages and exports have no narration, so a source of it would have a number that stands nowhere.
        narration = parts.narration(message_parts)
        answer = {slot: text for slot, text in texts.items() if slot not in narration}
        found = await asyncio.to_thread(_referred, answer, whole=whole)
        shown = [citations.shown(text) for text in texts.values()]
        has_links = any(sign in text for text in shown for sign in _LINK_SIGNS)
        has_figures = any(_DIGIT.search(text) for text in shown) or citations.figures.has_charts(message_parts)
        if found or has_links or has_figures:
            known = Known.of(task, message_parts, earlier)
            is_unknown = any(known.library.named(reference) is None for reference, _ in found)
            if task.summary is not None and (is_unknown or has_links):
                chat = await chats.open(task.actor, task.chat_id, upto=task.message_id)
                known = known.with_earlier(chat, task.suggested)
            if has_links:
                linked = _linked(task, message_parts, earlier, await asyncio.to_thread(known.spelled, shown))
            invented = await asyncio.to_thread(known.invented, found)
            cited = await _citations(found, known.library, invented, task)
            if has_figures:
                cited, own = await asyncio.to_thread(
                    citations.figures.check, texts, message_parts, cited, known.words, known.library
                )
        disagreed = await _conflicts(task, message_parts, texts, cited)
        judged = await asyncio.to_thread(
            subquestions.judged, asked, texts, cited, whole=whole, only_failed=citations.has_only_failed(coverage)
        )
    except Exception as error:  # noqa: BLE001 - an answer never fails by its checks
        log.warning("run %s: the quotes of the answer were not checked (%s)", task.run_id, type(error).__name__)
        cited = citations.unchecked(found)
    data: dict[str, Any] = {
        citations.COVERAGE: coverage,
        citations.CITATIONS: [one.data() for one in cited] or None,
        conflicts.CONFLICTS: disagreed or None,
        comparisons.COMPARISONS: _compared(task, message_parts) or None,
        citations.FIGURES: {"own": own} if own else None,
        subquestions.SUBQUESTIONS: {"asked": judged} if judged else None,
        citations.LINKS: linked,
    }
    return _chunks(data)


def _linked(
    task: runs.Assignment, message_parts: Sequence[parts.Part], earlier: Sequence[ModelMessage], given: Sequence[str]
) -> dict[str, Any]:
    """The data of `data-links`: whether links may contain text of the member's files, and the `given` addresses."""
    tools = {*task.earlier_tools, *(parts.tool_name(one) for one in message_parts if parts.is_tool(one))}
    tools |= {"read_file"} if question_files.attachments_of(task.asked) else set()
    return {"private": taint(earlier, tools).private, "given": given}


def _chunks(data: Mapping[str, Any]) -> list[Chunk]:
    """Data parts as chunks, each with a fixed id."""
    kept = {kind: one for kind, one in data.items() if one is not None}
    return [{"type": kind, "id": kind.removeprefix("data-"), "data": one} for kind, one in kept.items()]


async def _citations(
    found: Numbered, library: Library, invented: Collection[str], task: runs.Assignment
) -> list[citations.Citation]:
    access = stores.Stores.of(task)
    deadline = time.monotonic() + CHECK_SECONDS
    sources: dict[tuple[str, str], list[list[Passage]]] = {}
    uploaded: dict[tuple[str, str], list[list[Passage]]] = {}
    for material in _wanted(found, library):
        stored = await _stored(material, access, deadline)
        sources[material.kind, material.id] = [*_quickest_first(stored, material.texts), *material.versions]
        if material.kind == "chat":
            material.url = _download(task.chat_id, material.id, material.revision)
            given = await _uploaded(material, access, deadline, is_own=material.id in library.written)
            uploaded |= {(material.kind, material.id): given} if given is not None else {}
    sources |= {(EXCERPT, one.id): one.texts for one in library.excerpts.values()}
    doubts = citations.Doubts(invented, _prepared(uploaded, deadline))
    return await asyncio.to_thread(citations.check, found, library, _prepared(sources, deadline), doubts)


async def _conflicts(
    task: runs.Assignment, message_parts: Sequence[parts.Part], texts: Mapping[int, str],
    cited: Sequence[citations.Citation],
) -> list[dict[str, Any]]:  # fmt: skip
    """The conflicts between the Drive files that this answer has read, about the facts in the answer."""
    calls = [*_calls_in(message_parts)]
    quotes = [(one.source.file_id, one.quote) for one in cited if one.verified and one.source.kind == "drive"]
    quoted = {file for file, _ in quotes}
    read = [one for one in Library.of(calls).read.values() if one.kind == "drive"]
    read = sorted(read, key=lambda one: one.id not in quoted)[: conflicts.MOST_FILES]
    if len(read) < 2:
        return []
    access, deadline = stores.Stores.of(task), time.monotonic() + CONFLICT_SECONDS
    whole = await asyncio.gather(*(_stored(one, access, deadline) for one in read))
    modified = {str(one.get("id")): str(one.get("modified") or "") for call in calls for one in _files_in(call.output)}
    files = [
        compared_files.File(
            one.id, one.name, one.url, modified.get(one.id, ""),
            [passage for text in (stored or one.texts) for passage in text], whole=bool(stored),
        )
        for one, stored in zip(read, whole, strict=True)
    ]  # fmt: skip
    found = await asyncio.to_thread(conflicts.found, task.question, [*texts.values()], quotes, files)
    return comparisons.beside(comparisons.made(message_parts), found)


def _files_in(output: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The files that the result of a tool names."""
    return [*objects_in(output.get("files")), object_of(output.get("file"))]


def _prepared(
    passages: Mapping[tuple[str, str], Sequence[Sequence[Passage]]], deadline: float
) -> dict[tuple[str, str], list[citations.Text]]:
    return {key: [citations.Text(one, deadline) for one in several] for key, several in passages.items()}


def _referred(texts: dict[int, str], *, whole: bool) -> Numbered:
    last = max(texts, default=-1)
    found = {slot: citations.references(text, is_cut=slot == last and not whole) for slot, text in texts.items()}
    return numbered(found, whole=whole)


def _wanted(found: Numbered, library: Library) -> list[Material]:
    """The materials to search: the named ones, and all that were read if a quote does not clearly name one."""
    named = {id(one): one for reference, _ in found if (one := library.named(reference)) is not None}
    is_free = any((not reference.target or reference.is_assumed) and reference.quote for reference, _ in found)
    # The text of a file of the chat may have been copied from another material.
    if is_free or any(one.kind == "chat" for one in named.values()):
        named |= {id(one): one for one in library.read.values()}
    return [*islice(named.values(), MAX_SOURCES)]


def _quickest_first(stored: list[list[Passage]], given: list[list[Passage]]) -> list[list[Passage]]:
    """The texts in the order of the search. If the stored text is very long, the model's passages come first."""
    if not stored:
        return given
    return [*given, *stored] if sum(len(one.text) for text in stored for one in text) > LONG_CHARACTERS else stored


async def _stored(material: Material, access: stores.Stores, deadline: float) -> list[list[Passage]]:
    """The whole stored text of a file; empty if it is not available."""
    try:
        async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
            if material.kind == "drive" and material.revision:
                document = await access.documents.get(material.id, material.revision)
                return [[Passage(one.place, one.text) for one in document.segments]] if document else []
            if material.kind == "chat":
                version = int(material.revision) if material.revision.isdigit() else None
                file = await access.files.read(material.id, version)
                return [await asyncio.to_thread(by_places, file.content, file.places)]
    except (errors.LeafError, TimeoutError) as error:
        log.info("a text was not available for the checks (%s)", type(error).__name__)
    return []


async def _uploaded(
    material: Material, access: stores.Stores, deadline: float, *, is_own: bool
) -> list[list[Passage]] | None:
    """The uploaded texts of a file of the chat; None if the version that was read is itself an upload.

    Args:
        material: The file.
        access: The stores of the asker, with the versions of the file.
        deadline: In seconds of `time.monotonic`.
        is_own: Whether the agent has written or changed the file. It decides the result if no version can be read.
    """
    version = int(material.revision) if material.revision.isdigit() else 0
    try:
        async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
            found = await access.files.uploaded(material.id, version)
    except (errors.LeafError, TimeoutError):
        return [] if is_own else None
    if any(one.version == version for one in found):
        return None
    return [await asyncio.to_thread(by_places, one.content, one.places) for one in found]


def by_places(content: str, places: Sequence[tuple[int, str]]) -> list[Passage]:
    """The passages of a chat's file, one per place, without the lines that only name a place."""
    if not places:
        return [Passage("lines 1", content)]
    return [Passage(*one) for one in documents.by_places(content, places)]


def _compared(task: runs.Assignment, message_parts: Sequence[parts.Part]) -> list[dict[str, Any]]:
    """The comparisons of the answer, with download addresses for the chat's files."""
    return comparisons.linked(comparisons.made(message_parts), partial(_download, task.chat_id))


def _download(chat_id: UUID, path: str, version: str) -> str:
    """The download address of a version of the chat's file."""
    return f"/api/chats/{chat_id}/files/{percent_encoded(path)}?version={version}"


def _calls_in(message_parts: Iterable[parts.Part]) -> Iterator[Call]:
    """The finished calls of a message."""
    for part in message_parts:
        output = part.get("output")
        if parts.is_tool(part) and part["state"] == "output-available":
            yield Call(parts.tool_name(part), _object(output), object_of(part.get("input")))


def _calls_before(messages: Sequence[ModelMessage]) -> Iterator[Call]:
    """The successful calls in the turns that are sent to the model."""
    inputs: dict[str, Mapping[str, Any]] = {}
    for message in messages:
        if isinstance(message, ModelResponse):
            inputs |= {call.tool_call_id: call.args_as_dict() for call in message.tool_calls}
            continue
        for part in message.parts:
            if isinstance(part, ToolReturnPart) and part.outcome == "success":
                yield Call(part.tool_name, _object(part.content), inputs.get(part.tool_call_id, {}))


def _words_before(messages: Iterable[ModelMessage]) -> Iterator[str]:
    """The words of people in the turns that are sent to the model."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                content = [part.content] if isinstance(part.content, str) else part.content
                yield from (one for one in content if isinstance(one, str))


def _object(output: Any) -> Mapping[str, Any]:
    """The result of a tool as a JSON object; a result of another type is wrapped under the key `output`."""
    return object_of(output) if isinstance(output, dict) else {"output": output}
