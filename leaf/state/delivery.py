"""Sending events to tabs: an event for several tabs is encoded once and handed over once."""

import asyncio
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from reflex.state import StateUpdate
from reflex_base.constants import SocketEvent
from reflex_base.event import Event
from reflex_base.event.context import EventContext


class Sockets(Protocol):
    """The sockets of this process (`reflex.app.EventNamespace`)."""

    @property
    def token_to_sid(self) -> Mapping[str, str]:
        """The socket of each tab, in this process or another."""
        ...

    @property
    def sid_to_token(self) -> Mapping[str, str]:
        """The tab of each socket of this process."""
        ...

    async def emit(self, event: str, data: object, to: list[str]) -> None:
        """Sends one message through several sockets."""
        ...


def _nowhere() -> Sockets | None:
    return None


_find_sockets: Callable[[], Sockets | None] = _nowhere


def install(find_sockets: Callable[[], Any]) -> None:
    """Registers the sockets; without them each tab is sent its events separately.

    Args:
        find_sockets: Returns the app's event namespace, once there is one.
    """
    global _find_sockets
    _find_sockets = find_sockets


async def send(event: Event, key: Hashable) -> None:
    """Sends an event of the browser's to the tab of the running event.

    Args:
        event: The event to send.
        key: Calls with the same key before the next turn of the event loop send the same event.
    """
    key = asyncio.get_running_loop(), key
    batch = _batches.get(key)
    if batch is None:
        batch = _batches[key] = _Batch(event, key)
    batch.contexts.append(EventContext.get())
    # A tab that goes away does not keep the event from the others.
    await asyncio.shield(batch.task)


@dataclass(eq=False)
class _Batch:
    """Tabs that need the same event."""

    event: Event
    key: Hashable
    contexts: list[EventContext] = field(default_factory=list[EventContext])

    def __post_init__(self) -> None:
        self.task = asyncio.create_task(self._send())

    async def _send(self) -> None:
        del _batches[self.key]
        sockets = _find_sockets()
        here: list[str] = []
        if sockets is not None and len(self.contexts) > 1:
            sids, mine = sockets.token_to_sid, sockets.sid_to_token
            here = [sid for one in self.contexts if (sid := sids.get(one.token, "")) in mine]
        if sockets is not None and len(here) == len(self.contexts):
            await sockets.emit(str(SocketEvent.EVENT), StateUpdate(events=[self.event]), to=here)
        else:
            await asyncio.gather(*(one.emit_event(self.event) for one in self.contexts))


_batches: dict[Hashable, _Batch] = {}
