"""Chats: making, listing, opening, renaming and deleting them. A chat is its participants' alone."""

from leaf.services.chats.changing import TITLE_CHARACTERS, delete, entitle, new, rename, set_approvals
from leaf.services.chats.reading import find, list_recent, open, read, recent  # noqa: A004 - read as chats.open
from leaf.services.chats.shapes import UNFINISHED, Chat, ChatRow, Message, Summary, message_of, title_of

__all__ = [
    "TITLE_CHARACTERS",
    "UNFINISHED",
    "Chat",
    "ChatRow",
    "Message",
    "Summary",
    "delete",
    "entitle",
    "find",
    "list_recent",
    "message_of",
    "new",
    "open",
    "read",
    "recent",
    "rename",
    "set_approvals",
    "title_of",
]
