"""In-process records of tabs, in addition to their states."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import reflex as rx

from leaf.services import chats


@dataclass
class Tab:
    """This process's record of one tab. All events of a tab run in the process that holds its socket."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    chat: chats.Chat | None = None
    """The chat as it was read last."""
    reads: int = 0
    """The number of times that the chat was read. Each time may reset the page's view of a run."""
    shown: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a chat was shown and its quotes must still be confirmed."""


_tabs: WeakValueDictionary[str, Tab] = WeakValueDictionary()


@asynccontextmanager
async def locked_tab(state: rx.State) -> AsyncGenerator[Tab]:
    """Locks a tab while its chat is read and shown, so that an older version of the chat is never shown last."""
    tab = tab_of(state)
    async with tab.lock:
        tab.reads += 1
        yield tab


def tab_of(state: rx.State) -> Tab:
    """The record of a state's tab, which exists as long as something refers to it."""
    return _tabs.setdefault(state.router.session.client_token, Tab())
