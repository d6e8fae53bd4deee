"""Sends text and lists to tabs without vars. A message for several tabs is encoded and sent once.

A message uses Reflex's socket with a short event name (`useSink` in `assets/client/store.js`). To a tab whose socket is
in another process, the message goes as an event of Reflex that sets the value of an element.
"""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from reflex_base.event import Event
from reflex_base.event.context import EventContext

from leaf.state.sockets import Sockets

_find_sockets: Callable[[], Sockets | None] | None = None


def install(find_sockets: Callable[[], Any]) -> None:
    """Registers the sockets. Without them, each tab gets its message in a separate event of Reflex.

    Args:
        find_sockets: Returns the app's event namespace; None while there is none.
    """
    global _find_sockets
    _find_sockets = find_sockets


def tab() -> str:
    """The token of the tab whose event is running."""
    return EventContext.get().token


async def send(sink: str, message: Sequence[Any], key: Hashable = None) -> None:
    """Sends a message to the tab of the running event.

    Args:
        sink: The id of the receiving component, a word.
        message: The values for the component, in JSON types.
        key: Calls with the same key before the next turn of the event loop share one message. None for a message that
            is only for this tab.
    """
    context = EventContext.get()
    if key is None:
        await _emit(sink, message, [context])
        return
    key = asyncio.get_running_loop(), key
    batch = _batches.get(key)
    if batch is None:
        batch = _batches[key] = _Batch(sink, message, key)
    batch.contexts.append(context)
    # The cancellation of one tab's event must not cancel the message for the others.
    await asyncio.shield(batch.task)


async def _emit(sink: str, message: Sequence[Any], contexts: Sequence[EventContext]) -> None:
    sockets = _find_sockets() if _find_sockets is not None else None
    here: list[str] = []
    elsewhere: list[EventContext] = []
    for one in contexts:
        if sockets is not None and (socket := sockets.of(one.token)) is not None:
            here.append(socket)
        else:
            elsewhere.append(one)
    if sockets is not None and here:
        await sockets.emit(sink, (*message,), to=here)
    if elsewhere:
        event = Event(name="_set_value", payload={"ref": f"ref_{sink}", "value": [*message]})
        await asyncio.gather(*(one.emit_event(event) for one in elsewhere))


@dataclass(eq=False)
class _Batch:
    """Tabs that need the same message."""

    sink: str
    message: Sequence[Any]
    key: Hashable
    contexts: list[EventContext] = field(default_factory=list[EventContext])

    def __post_init__(self) -> None:
        self.task = asyncio.create_task(self._send())

    async def _send(self) -> None:
        del _batches[self.key]
        await _emit(self.sink, self.message, self.contexts)


_batches: dict[Hashable, _Batch] = {}
