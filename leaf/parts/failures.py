"""The error of a tool call: an English sentence for programs, with its key and parameters for pages."""

from typing import Any

from leaf import texts
from leaf.parts.chunks import Chunk, Part
from leaf.parts.spans import NAME


def failure(text: str) -> Chunk:
    """The fields of a `tool-output-error` chunk. Clients of the AI SDK keep `providerMetadata` without reading it."""
    return {"errorText": str(text)} | ({"providerMetadata": metadata} if (metadata := _metadata(text)) else {})


def failed(part: Part, text: str) -> Part:
    """A stored call that ends with an error."""
    result = {"resultProviderMetadata": metadata} if (metadata := _metadata(text)) else {}
    return {**part, "state": "output-error", "errorText": str(text), **result}


def message_of(part: Part) -> Any:
    """The key and parameters of a call's error (`texts.stored`); None if it was stored as a sentence only."""
    metadata = part.get("resultProviderMetadata")
    own = metadata.get(NAME) if isinstance(metadata, dict) else None
    return own.get("message") if isinstance(own, dict) else None


def _metadata(text: str) -> dict[str, Any]:
    return {NAME: {"message": text.as_data()}} if isinstance(text, texts.Message) else {}
