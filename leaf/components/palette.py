"""The command palette and the sheet of shortcuts (`assets/client/palette.js`, `help.js`)."""

from typing import Any

import reflex as rx

from leaf.state.search import SearchState
from leaf.state.sidebar import SidebarState


def do_spec(what: rx.Var[str], chats: rx.Var[list[str]]) -> tuple[rx.Var[str], rx.Var[list[str]]]:
    """Something that is done with chats."""
    return (what, chats)


class Palette(rx.Component):
    """Commands, chats, and what was said in them."""

    library = "$/public/client/palette.js"
    tag = "Palette"

    query: rx.Var[str]
    chats: rx.Var[Any]
    on_search: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_do: rx.EventHandler[do_spec]
    on_delete: rx.EventHandler[rx.event.passthrough_event_spec(list[str])]


class Help(rx.Component):
    """Which keys do what."""

    library = "$/public/client/help.js"
    tag = "Help"


def palette() -> rx.Component:
    """Both, hidden until they are asked for."""
    return rx.fragment(
        Palette.create(
            query=SearchState.query,
            chats=SearchState.chats,
            on_search=SearchState.search,
            on_do=SidebarState.do,
            on_delete=SidebarState.delete,
        ),
        Help.create(),
    )
