"""Questions for the sandbox's model, and what its sample Drive holds."""

import json
import re
from typing import Any

from leaf import citations
from leaf.views import evidence
from sandbox import sample_drive
from tests.browser.product import Product

BUDGET_TOKENS = 1_000_000_000
"""The daily budget of each person, which only tests of budgets use up."""
PLAIN = "How much notice does the packaging agreement ask for?"


def folder(leaf: Product, path: str) -> str:
    """The address of a folder such as `ada:/Contracts`."""
    return f"{leaf.sandbox_url}/drive/folders/{sample_drive.id_of(path)}"


def about_contracts(leaf: Product) -> str:
    """Asks about the content of a folder, so that files are read."""
    return f"Who signed the packaging agreement? {folder(leaf, 'ada:/Contracts')}"


async def stored(leaf: Product, chat_id: str) -> list[dict[str, Any]]:
    """The messages of a chat as they are in the database."""
    return await leaf.query(
        "SELECT role::text, status::text, parts, workflow_run_id FROM messages WHERE chat_session_id = %s"
        " ORDER BY position",
        chat_id,
    )


def text_of(parts: list[dict[str, Any]]) -> str:
    """The text of an answer with the numbers of its quotes, and without the footnotes."""
    marks = evidence.marks_of(parts)
    texts = {slot: part["text"] for slot, part in enumerate(parts) if part["type"] == "text"}
    return "\n\n".join(citations.shown(text, marks.get(slot, ())) for slot, text in texts.items())


def files_read(parts: list[dict[str, Any]]) -> dict[str, str]:
    """Names and addresses of the files whose text an answer's tools have returned, whole or in passages."""
    tools = [part.get("output") for part in parts if part["type"] in {"tool-read_drive_file", "tool-search_files"}]
    outputs = [output for output in tools if isinstance(output, dict)]
    files = [output["file"] for output in outputs if "file" in output]
    for output in outputs:
        shown = {one["file_id"] for one in output.get("passages") or ()}
        files += [file for file in output.get("files") or () if file["id"] in shown]
    return {file["name"]: file["url"] for file in files}


def drawn(markdown: str) -> str:
    """The Markdown as a page shows it: link texts without addresses, lists without their numbers."""
    markdown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"^\s*>*\s*\d+\.\s", "", markdown, flags=re.MULTILINE)


def completion(text: str) -> str:
    """A streamed chat completion with this text, as the body of a fault."""
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "sandbox"}
    deltas = [{"role": "assistant", "content": ""}, {"content": text}]
    events = [{**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


def answer_with(leaf: Product, text: str) -> None:
    """Makes this text the model's next reply to any question."""
    headers = {"content-type": "text/event-stream"}
    leaf.fault(path="chat/completions", status=200, body=completion(text), headers=headers)
