"""What this process knows of each tab, beside its state."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import reflex as rx

from leaf.services import chats


@dataclass
class Tab:
    """What this process knows of one tab. A tab's events all run in the process that holds its socket."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    chat: chats.Chat | None = None
    """The chat as it was read last."""
    looks: int = 0
    """How often it was looked at: what the page shows of a run may have been taken away since."""


_tabs: WeakValueDictionary[str, Tab] = WeakValueDictionary()


@asynccontextmanager
async def looking(state: rx.State) -> AsyncGenerator[Tab]:
    """Held while a tab's chat is read and shown, so that what was read first is never shown last."""
    tab = tab_of(state)
    async with tab.lock:
        tab.looks += 1
        yield tab


def tab_of(state: rx.State) -> Tab:
    """The tab of a state, for as long as somebody holds it."""
    return _tabs.setdefault(state.router.session.client_token, Tab())
