"""Reads a chat from an import file, from Leaf or ChatGPT, into Leaf's format. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import ValidationError

from leaf.parts.objects import object_of
from leaf.parts.portable import chatgpt
from leaf.parts.portable.files import Refused
from leaf.parts.portable.format import FORMAT, VERSION, Chat

Origin = Literal["leaf", "chatgpt"]
TITLE_CHARACTERS: Final = 120


@dataclass(frozen=True)
class Read:
    """A chat that was read from a file."""

    chat: Chat
    origin: Origin
    left_out: int = 0
    """The number of messages that could not be imported."""


def title_in(value: Any) -> str:
    """The title of a chat in a file; empty if it has none."""
    title = object_of(value).get("title")
    return _title(title) if isinstance(title, str) else ""


def read(value: Any) -> Read:
    """Reads a chat and checks its structure: the tree has no cycles, and questions and answers alternate.

    Args:
        value: One of the values that `entries` yields.

    Raises:
        Refused: It is no chat, has a later version, is too large, or is inconsistent.
    """
    if isinstance(value, Refused):
        raise value
    if not isinstance(value, dict):
        raise Refused("no_chat")
    if "mapping" in value:
        made, left_out = chatgpt.chat(value)
        found = Read(_valid(made), "chatgpt", left_out)
    elif value.get("format") == FORMAT:
        if value.get("version") != VERSION:
            raise Refused("version")
        found = Read(_valid(value), "leaf")
    else:
        raise Refused("no_chat")
    _check_tree(found.chat)
    return found


def _valid(value: Mapping[str, Any]) -> Chat:
    try:
        chat = Chat.model_validate(value)
    except ValidationError as error:
        kinds = {one["type"] for one in error.errors(include_url=False, include_context=False, include_input=False)}
        raise Refused("chat_too_large" if kinds <= {"too_long", "string_too_long"} else "wrong_form") from None
    return chat.model_copy(update={"title": _title(chat.title)})


def _title(text: str) -> str:
    return " ".join(text.split())[:TITLE_CHARACTERS].strip()


def _check_tree(chat: Chat) -> None:
    """Raises Refused unless each message comes after its parent, and questions and answers alternate."""
    roles: dict[str, str] = {}
    for one in chat.messages:
        if one.id in roles:
            raise Refused("tree")
        # Only earlier messages are known here, so no message can be its own ancestor.
        above = roles.get(one.parent) if one.parent is not None else None
        if (one.parent is not None and above is None) or above == one.role or (above is None and one.role != "user"):
            raise Refused("tree")
        roles[one.id] = one.role
    if not roles:
        raise Refused("no_messages")
