"""Reads the contents of a message: its text, the files it has read, and its open parts."""

from collections.abc import Mapping, Sequence
from typing import Any

from leaf.parts.chunks import Chunk, Message, Part
from leaf.parts.failures import failure
from leaf.parts.fold import Fold
from leaf.parts.objects import object_of, objects_in
from leaf.parts.state import is_open_call, is_tool

READ_FILE = "tool-read_drive_file"
COMPUTE = "tool-compute"
COMPARE = "tool-compare_files"
SEARCH_FILES = "tool-search_files"
NARRATION_CHARACTERS = 400
_BLANK = " \t\r\n"


def text_of(message: Message) -> str:
    """The text of a message, with its text parts as paragraphs."""
    texts: list[str] = [part["text"] for part in message["parts"] if part["type"] == "text"]
    return "\n\n".join(text for text in texts if text.strip())


def data_of(parts: Sequence[Mapping[str, Any]], kind: str) -> Any:
    """The data of the last part of a type (`data-…`); None if there is none."""
    return next((part.get("data") for part in reversed(parts) if part["type"] == kind), None)


def narration(message_parts: Sequence[Part]) -> frozenset[int]:
    """The indexes of texts that only announce the agent's next step, such as “I'll look in your Drive”.

    A short text without a citation is narration if a tool call stands between it and the last text of the answer. The
    last text is never narration, even if calls follow it. Display tools belong to the answer and do not count as calls.
    `leaf_narration` in the database implements the same rule for the search and for public pages.
    """
    written = {
        slot: str(part.get("text") or "")
        for slot, part in enumerate(message_parts)
        if part["type"] == "text" and str(part.get("text") or "").strip(_BLANK)
    }
    last = max(written, default=0)
    calls = (slot for slot, part in enumerate(message_parts[:last]) if is_tool(part) and not _is_display(part))
    last_call = max(calls, default=0)
    return frozenset(
        slot
        for slot, text in written.items()
        if slot < last_call and len(text) <= NARRATION_CHARACTERS and "[^" not in text
    )


def answer_text(message: Message) -> str:
    """The text of an answer without narration, with its text parts as paragraphs."""
    skipped = narration(message["parts"])
    return text_of({**message, "parts": [part for slot, part in enumerate(message["parts"]) if slot not in skipped]})


def _is_display(part: Part) -> bool:
    return part["type"].startswith("tool-display")


def question_text(question: Sequence[Part]) -> str:
    """The words of a question, without attached or mentioned files."""
    return "".join(str(part.get("text", "")) for part in question)


def sources_of(message: Message) -> list[dict[str, Any]]:
    """The files that were read for the message, each once.

    A file counts if `read_drive_file` returned its content, if a computation used its cells, if it was compared, or if
    a search returned passages of it. A file does not count if it was only listed or found, if it was skipped, or if
    nothing was found in it. Files are ordered by their first read; those with passages only come last.

    Returns:
        For each file `file_id`, `name`, `url`, `kind`, and `excerpts`: the passages that the model saw, each with
        `part` ("pages 1-3"), `text` and `tool_call_id`. `withheld` has the reason if its text was removed
        (`leaf.citations.redaction`), or is empty.
    """
    sources: dict[str, dict[str, Any]] = {}
    found: dict[str, dict[str, Any]] = {}
    refused: set[Any] = set()
    for part in message["parts"]:
        _add_passages(found, part)
        for file in (*_computed_over(part), *_compared(part)):
            _source(sources, file, file.get("withheld"))
        output = _output(part, READ_FILE)
        if isinstance(skipped := output.get("skipped"), dict):
            refused.add(skipped.get("id"))
        file = output.get("file")
        if isinstance(file, dict) and "content" in output and output.get("matches") != 0:
            source = _source(sources, file, output.get("withheld"))
            _add_excerpt(source, part, output.get("part"), output["content"])
    return [*sources.values(), *(one for key, one in found.items() if key not in sources and key not in refused)]


def _output(part: Part, kind: str) -> dict[str, Any]:
    """The output of a finished call of a tool; empty for other parts."""
    return object_of(part.get("output")) if part["type"] == kind and part.get("state") == "output-available" else {}


def _source(sources: dict[str, dict[str, Any]], file: Mapping[str, Any], withheld: Any) -> dict[str, Any]:
    """The source of a file, which is added unless it is known."""
    about = {key: file.get(key) for key in ("name", "url", "kind")}
    return sources.setdefault(file["id"], {"file_id": file["id"], **about, "excerpts": [], "withheld": withheld or ""})


def _add_excerpt(source: dict[str, Any], part: Part, place: Any, text: Any) -> None:
    if text and (place, text) not in {(one["part"], one["text"]) for one in source["excerpts"]}:
        source["excerpts"].append({"part": place, "text": text, "tool_call_id": part["toolCallId"]})


def _add_passages(sources: dict[str, dict[str, Any]], part: Part) -> None:
    """Adds the passages that a search of the index returned to `sources`, the files known by passages only."""
    output = _output(part, SEARCH_FILES)
    files = {one.get("id"): one for one in objects_in(output.get("files"))}
    for passage in objects_in(output.get("passages")):
        if (file := files.get(passage.get("file_id"))) is not None:
            source = _source(sources, file, passage.get("withheld"))
            _add_excerpt(source, part, passage.get("place"), passage.get("text"))


def _computed_over(part: Part) -> list[dict[str, Any]]:
    """The files whose cells a computation used; all its files if the result is withheld."""
    output = _output(part, COMPUTE)
    if not (output.get("rows") or output.get("withheld")):
        return []
    used = {one.get("file_id") for one in objects_in(output.get("tables"))}
    reason = output.get("withheld")
    return [{**one, "withheld": reason} for one in _files(output) if reason or one["id"] in used]


def _compared(part: Part) -> list[dict[str, Any]]:
    """The files that were compared, even if the result is withheld."""
    output = _output(part, COMPARE)
    if not (output.get("compared") or output.get("withheld")):
        return []
    return [{**one, "withheld": output.get("withheld")} for one in _files(output)]


def _files(output: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [one for one in objects_in(output.get("files")) if one.get("id")]


def close_open_parts(fold: Fold, error_text: str = "interrupted") -> list[Chunk]:
    """The chunks that close all open parts, for a run that is stopped, fails or loses its worker.

    A message is not enough for this, because only the fold knows the chunk ids of open text parts.

    Args:
        fold: The fold of all chunks of the run; it is not changed.
        error_text: The error for open tool calls.
    """
    chunks: list[Chunk] = [{"type": f"{kind}-end", "id": chunk_id} for kind, chunk_id in fold.open_parts]
    calls: list[Part] = [part for part in fold.message["parts"] if is_tool(part) and is_open_call(part)]
    chunks += [{"type": "tool-output-error", "toolCallId": call["toolCallId"], **failure(error_text)} for call in calls]
    return chunks
