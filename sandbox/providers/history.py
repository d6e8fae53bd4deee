"""The messages in a request, in one form for all providers, and the rules that they must keep."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sandbox.conversation import Call, Conversation, JsonObject, Message, Role
from sandbox.providers import wire

_CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")


@dataclass(frozen=True)
class Block:
    """A part of a message."""

    kind: Literal["text", "thought", "call", "result", "picture"]
    text: str = ""
    id: str = ""
    """The id of a call, or of the call that a result answers."""
    name: str = ""
    arguments: JsonObject = field(default_factory=dict[str, object])
    failed: bool = False
    signature: object = None
    """The signature of a thought, or of the thought that led to a call."""


@dataclass(frozen=True)
class Entry:
    """A message of a request."""

    role: Role
    blocks: Sequence[Block]


def conversation(entries: Sequence[Entry], tools: Mapping[str, JsonObject]) -> Conversation:
    """The conversation of a history. Each tool result becomes a message of its own, before the text that came with it.

    Args:
        entries: The history.
        tools: The JSON schema of the input of each offered tool, by name.
    """
    return Conversation(tuple(message for entry in entries for message in _messages(entry)), tools)


def _messages(entry: Entry) -> Iterator[Message]:
    for block in entry.blocks:
        if block.kind == "result":
            yield Message("tool", block.text, call_id=block.id, failed=block.failed)
    text = "\n".join(block.text for block in entry.blocks if block.kind == "text")
    calls = tuple(Call(block.id, block.name, block.arguments) for block in entry.blocks if block.kind == "call")
    if text or calls:
        yield Message(entry.role, text, calls)


def check(entries: Sequence[Entry], maker: str, *, skipped: str = "", unique: bool = False) -> None:
    """Checks that a provider would accept a history.

    Args:
        entries: The history.
        maker: The provider that must have signed the thoughts.
        skipped: A signature that is accepted in place of a real one.
        unique: Whether the ids of calls must be unique and plain.

    Raises:
        wire.Refused: The provider would refuse it (400).
    """
    said = [entry for entry in entries if entry.role != "system"]
    for number, entry in enumerate(said):
        # Only the last reply may be empty, because the provider would continue it.
        if not entry.blocks and not (entry.role == "assistant" and number == len(said) - 1):
            raise invalid(f"messages.{number}: must not be empty")
        for block in entry.blocks:
            text = block.text if block.kind == "thought" and block.text else None
            if block.kind == "text" and not block.text.strip():
                raise invalid(f"messages.{number}: text must not be empty")
            if block.signature not in {None, skipped} and not wire.is_signed(maker, block.signature, text):
                raise invalid(f"messages.{number}: invalid signature of a {block.kind}")
    ids = [block.id for entry in said for block in entry.blocks if block.kind == "call"]
    if unique and (len(ids) > len(set(ids)) or not all(map(_CALL_ID.fullmatch, ids))):
        raise invalid("messages: ids of calls must be unique and plain")
    _check_results(said)


def _check_results(entries: Sequence[Entry]) -> None:
    """Raises wire.Refused for results without calls, and for calls that are not answered right after them."""
    waiting: list[str] = []
    for entry in entries:
        for block in entry.blocks:
            if block.kind == "call":
                waiting.append(block.id)
            elif block.kind == "result" and block.id in waiting:
                waiting.remove(block.id)
            elif block.kind == "result":
                raise invalid(f"messages: a result answers no call before it: {block.id}")
            elif waiting and entry.role == "user":
                raise invalid(f"messages: calls were not answered right after them: {', '.join(waiting)}")
    if waiting:
        raise invalid(f"messages: calls were not answered right after them: {', '.join(waiting)}")


def invalid(message: str, code: str = "invalid_value") -> wire.Refused:
    """The error for a request that breaks a rule (400)."""
    return wire.Refused(400, message, code)
