"""Chats: making, listing, opening, renaming and deleting them. A chat is its participants' alone."""

from leaf.services.chats.branching import choose_branch, end_of_path, grow, look_at
from leaf.services.chats.changing import TITLE_CHARACTERS, delete, entitle, new, rename, set_approvals
from leaf.services.chats.looking import among
from leaf.services.chats.reading import (
    find,
    list_recent,
    open,  # noqa: A004 - read as chats.open
    read,
    read_for,
    recent,
)
from leaf.services.chats.shapes import UNFINISHED, Chat, ChatRow, Message, Summary, message_of, title_of
from leaf.services.chats.tree import Tree

__all__ = [
    "TITLE_CHARACTERS",
    "UNFINISHED",
    "Chat",
    "ChatRow",
    "Message",
    "Summary",
    "Tree",
    "among",
    "choose_branch",
    "delete",
    "end_of_path",
    "entitle",
    "find",
    "grow",
    "list_recent",
    "look_at",
    "message_of",
    "new",
    "open",
    "read",
    "read_for",
    "recent",
    "rename",
    "set_approvals",
    "title_of",
]
