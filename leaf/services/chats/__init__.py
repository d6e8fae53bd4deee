"""Chats: creating, listing, opening, renaming and deleting them. Only participants can see a chat."""

from leaf.services.chats.branches import choose_branch, end_of_path, selected_path, store_branch, tree_of
from leaf.services.chats.changes import (
    TITLE_CHARACTERS,
    Limits,
    add,
    checked_title,
    checked_tools,
    new,
    rename,
    set_approvals,
    set_generated_title,
    set_limits,
    set_metadata,
    set_scope,
)
from leaf.services.chats.client_names import Prepared, begin, create, discard, locked, named
from leaf.services.chats.deletion import Deletion, delete, delete_unasked, purge, restore
from leaf.services.chats.full_text import ChatMatch, search
from leaf.services.chats.lists import Changes, Lists, Page, Shelf, lists_or_changes, news, page
from leaf.services.chats.paths import find, find_owned, open, read, read_for  # noqa: A004 - read as chats.open
from leaf.services.chats.shapes import UNFINISHED, WATCHED, Chat, ChatRow, Message, message_of, title_of
from leaf.services.chats.shelves import archive, mark_read, move, pin
from leaf.services.chats.sizes import ALERT_PERCENT, LargeChat, cool, large, require_room
from leaf.services.chats.snapshot import among, messages
from leaf.services.chats.tree import Tree
