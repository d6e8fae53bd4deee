"""Contents of a message: its text, the files it read, and its open parts."""

from collections.abc import Sequence
from typing import Any

from leaf.parts.chunks import Chunk, Message, Part
from leaf.parts.failures import failure
from leaf.parts.fold import Fold
from leaf.parts.state import is_open_call, is_tool

READ_FILE = "tool-read_drive_file"


def text_of(message: Message) -> str:
    """The text of a message, its text parts as paragraphs."""
    texts: list[str] = [part["text"] for part in message["parts"] if part["type"] == "text"]
    return "\n\n".join(text for text in texts if text.strip())


def question_text(question: Sequence[Part]) -> str:
    """The words of a question, without the files that it names or that came with it."""
    return "".join(str(part.get("text", "")) for part in question)


def sources_of(message: Message) -> list[dict[str, Any]]:
    """The files that were read for the message, each once, in order of their first read.

    A file counts if `read_drive_file` returned its content; listed, found or skipped files do not.

    Returns:
        For each file `file_id`, `name`, `url`, `kind`, and `excerpts`: the passages that the model saw, each with
        `part` ("pages 1-3"), `text` and `tool_call_id`.
    """
    sources: dict[str, dict[str, Any]] = {}
    for part in message["parts"]:
        if part["type"] != READ_FILE or part.get("state") != "output-available":
            continue
        output = part.get("output")
        file = output.get("file") if isinstance(output, dict) else None
        if not isinstance(file, dict) or "content" not in output:
            continue
        source = sources.setdefault(
            file["id"],
            {"file_id": file["id"], **{key: file.get(key) for key in ("name", "url", "kind")}, "excerpts": []},
        )
        known = any(
            (excerpt["part"], excerpt["text"]) == (output.get("part"), output["content"])
            for excerpt in source["excerpts"]
        )
        if output["content"] and not known:
            source["excerpts"].append(
                {"part": output.get("part"), "text": output["content"], "tool_call_id": part["toolCallId"]}
            )
    return [*sources.values()]


def close_open_parts(fold: Fold, error_text: str = "interrupted") -> list[Chunk]:
    """The chunks that close open parts, for a run that is stopped, fails or loses its worker.

    The fold is needed because only it knows the chunk ids of open text parts.

    Args:
        fold: The fold of all chunks of the run; it is not changed.
        error_text: The error of open tool calls.
    """
    chunks: list[Chunk] = [{"type": f"{kind}-end", "id": chunk_id} for kind, chunk_id in fold.open_parts]
    calls: list[Part] = [part for part in fold.message["parts"] if is_tool(part) and is_open_call(part)]
    chunks += [{"type": "tool-output-error", "toolCallId": call["toolCallId"], **failure(error_text)} for call in calls]
    return chunks
