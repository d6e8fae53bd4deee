"""What an MCP tool returned, as bounded text: whatever else it sent is described."""

from collections.abc import Iterable
from typing import Any

from pydantic_core import to_json

HIDDEN = "[hidden]"


def text_of(result: Any, characters: int, secrets: Iterable[str]) -> str:
    """A result for the model.

    Args:
        result: MCP's result of a call, with `content` and `structured_content`.
        characters: How many it may have.
        secrets: What the server was given and must not come back from it.
    """
    blocks = [described(block) for block in result.content]
    text = "\n\n".join(block for block in blocks if block)
    if not text and result.structured_content is not None:
        text = to_json(result.structured_content).decode()
    return bounded(without(text, secrets), characters)


def described(block: Any) -> str:
    """A block of content: its text, or what it is."""
    if block.type == "text":
        return str(block.text)
    if block.type in {"image", "audio"}:
        return f"[{block.type} of type {block.mime_type}, {len(block.data) * 3 // 4:,} bytes, not shown]"
    if block.type == "resource_link":
        return f"[link to {block.name}: {block.uri}]"
    if block.type == "resource":
        text = getattr(block.resource, "text", None)
        return str(text) if text is not None else f"[file {block.resource.uri}, not shown]"
    return f"[{block.type}, not shown]"


def bounded(text: str, characters: int) -> str:
    """A text of so many characters at most, which says what is missing."""
    if len(text) <= characters:
        return text
    return f"{text[:characters]}\n\n[cut here: {len(text) - characters:,} of {len(text):,} characters are not shown]"


def without(text: str, secrets: Iterable[str]) -> str:
    """A text without secrets, the longest of them first."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text
