"""Errors of tool calls and reasons to skip a file: an English sentence for programs, and a text key for pages."""

from collections.abc import Iterable, Sequence
from typing import Any

from leaf import texts
from leaf.parts.chunks import Chunk, Part
from leaf.parts.objects import object_of
from leaf.parts.spans import NAME
from leaf.parts.state import DRIVE_TOOLS, is_tool, tool_name

_LOST = frozenset({"errors.drive_lost", "errors.drive_lost_forward"})
_WITHOUT_DRIVE = frozenset({"errors.drive_not_connected", "errors.drive_revoked", *_LOST})
"""Keys of failures that end only when Drive is connected again."""


def failure(text: str) -> Chunk:
    """The fields of a `tool-output-error` chunk."""
    return keyed({"errorText": str(text)}, text)


def keyed(chunk: Chunk, text: str, entries: Sequence[str] = ()) -> Chunk:
    """A result with the keys and parameters of its texts. Clients of the AI SDK keep them without interpreting them.

    Args:
        chunk: The result.
        text: The error of the whole call, or its reason to skip a file.
        entries: The reasons for which entries of the result could not be read, in order.
    """
    metadata = _metadata(text, entries)
    return {**chunk, "providerMetadata": {**(chunk.get("providerMetadata") or {}), **metadata}} if metadata else chunk


def failed(part: Part, text: str) -> Part:
    """A stored call, ended with an error."""
    result = {"resultProviderMetadata": metadata} if (metadata := _metadata(text)) else {}
    return {**part, "state": "output-error", "errorText": str(text), **result}


def was_stopped(part: Part) -> bool:
    """Whether a call ended without a result because its reader stopped the answer."""
    return part["state"] == "output-error" and object_of(message_of(part)).get("key") == "failures.stopped"


def message_of(part: Part) -> Any:
    """The key and parameters that `failure` or `keyed` added; None if only a sentence was stored."""
    return _stored(part, "message")


def reason_of_entry(part: Part, at: int, reason: str) -> str:
    """The reason of an entry that could not be read, in the language of the event that is being handled.

    Args:
        part: The call.
        at: The place of the entry among those that could not be read.
        reason: The English reason that stands in the entry.
    """
    return texts.stored(message_of_entry(part, at), reason)


def message_of_entry(part: Part, at: int) -> Any:
    """The key and parameters of the reason of an entry; None if only a sentence was stored."""
    entries = _stored(part, "entries")
    return entries[at] if isinstance(entries, list) and at < len(entries) else None


def _stored(part: Part, name: str) -> Any:
    return object_of(object_of(part.get("resultProviderMetadata")).get(NAME)).get(name)


def is_without_drive(message: Any) -> bool:
    """Whether a call failed because Drive is not connected, or because its connection was lost.

    `message` is a result of `message_of`.
    """
    return object_of(message).get("key") in _WITHOUT_DRIVE


def cause_of_loss(message: Any) -> Any:
    """The message of the cause for which the connection to Drive was lost.

    Returns None for other failures, and if the cause is unknown. `message` is a result of `message_of`.
    """
    known = object_of(message)
    return object_of(object_of(known.get("parameters")).get("why")) or None if known.get("key") in _LOST else None


def is_of_empty_drive(message: Any) -> bool:
    """Whether a search found nothing because the Drive has no files; `message` is a result of `message_of`."""
    return object_of(message).get("key") == "drive.other_account"


def drive_failed(message_parts: Iterable[Part]) -> bool:
    """Whether an answer has called tools of Drive, and none of the calls returned anything."""
    calls = [part for part in message_parts if is_tool(part) and tool_name(part) in DRIVE_TOOLS]
    returned = (part for part in calls if part["state"] == "output-available")
    return bool(calls) and all("skipped" in object_of(part.get("output")) for part in returned)


def _metadata(text: str, entries: Sequence[str] = ()) -> dict[str, Any]:
    own: dict[str, Any] = {"message": text.as_data()} if isinstance(text, texts.Message) else {}
    if any(isinstance(one, texts.Message) for one in entries):
        own["entries"] = [one.as_data() if isinstance(one, texts.Message) else None for one in entries]
    return {NAME: own} if own else {}
