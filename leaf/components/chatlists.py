"""Leaf's own React components for lists of chats (`assets/client/chatlist.js`), as Reflex components."""

from typing import Any

import reflex as rx

from leaf.components import links
from leaf.state.sidebar import SINK, SidebarState


def _page_spec(shelf: rx.Var[str], after: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[str]]:
    return (shelf, after)


def do_spec(what: rx.Var[str], chats: rx.Var[list[str]]) -> tuple[rx.Var[str], rx.Var[list[str]]]:
    """Something that is done with chats."""
    return (what, chats)


def _rename_spec(chat: rx.Var[str], title: rx.Var[str]) -> tuple[rx.Var[str], rx.Var[str]]:
    return (chat, title)


class ChatList(rx.Component):
    """A list of the chats that this tab knows; only the rows in sight are drawn."""

    library = "$/public/client/chatlist.js"
    tag = "ChatList"

    shelf: rx.Var[str]
    wide: rx.Var[bool]
    none: rx.Var[str]
    on_page: rx.EventHandler[_page_spec]
    on_do: rx.EventHandler[do_spec]
    on_delete: rx.EventHandler[rx.event.passthrough_event_spec(list[str])]
    on_rename: rx.EventHandler[_rename_spec]


class ChatRows(rx.Component):
    """Takes the rows that the server sends; it shows nothing."""

    library = "$/public/client/chatlist.js"
    tag = "ChatRows"

    base: rx.Var[str]
    """Where the routes of chats begin."""
    on_gap: rx.EventHandler[rx.event.no_args_event_spec]
    on_seen: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def chat_list(shelf: str, *, wide: bool = False, none: Any = "") -> rx.Component:
    """A list of chats.

    Args:
        shelf: chats or archived.
        wide: On a page, rather than in the sidebar.
        none: What stands there where it is empty.
    """
    return ChatList.create(
        shelf=shelf,
        wide=wide,
        none=none,
        on_page=SidebarState.load,
        on_do=SidebarState.do,
        on_delete=SidebarState.delete,
        on_rename=SidebarState.rename,
    )


def chat_rows() -> rx.Component:
    """What takes the rows; once on each page."""
    return ChatRows.create(
        id=SINK, base=links.backend("/api/chats/"), on_gap=SidebarState.look, on_seen=SidebarState.seen
    )
