"""What a message says: its text, the files it rests on, and what is left open in it."""

from typing import Any

from leaf.parts.chunks import Chunk, Message, Part
from leaf.parts.fold import Fold
from leaf.parts.state import is_open_call, is_tool

READ_FILE = "tool-read_drive_file"


def text_of(message: Message) -> str:
    """The text of a message, its text parts as paragraphs."""
    texts: list[str] = [part["text"] for part in message["parts"] if part["type"] == "text"]
    return "\n\n".join(text for text in texts if text.strip())


def sources_of(message: Message) -> list[dict[str, Any]]:
    """The files that were read for the message, each once, in the order in which they were first read.

    A file counts where `read_drive_file` gave its content; a file that was listed, found or skipped does not.

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
    """The chunks that end what is open, for a run that is stopped, fails, or loses its worker.

    It takes the fold and not its message: only the fold knows the chunk ids of open text parts.

    Args:
        fold: The fold of all chunks of the run; it is not changed.
        error_text: What open tool calls end with.
    """
    chunks: list[Chunk] = [{"type": f"{kind}-end", "id": chunk_id} for kind, chunk_id in fold.open_parts]
    calls: list[Part] = [part for part in fold.message["parts"] if is_tool(part) and is_open_call(part)]
    chunks += [
        {"type": "tool-output-error", "toolCallId": call["toolCallId"], "errorText": error_text} for call in calls
    ]
    return chunks
