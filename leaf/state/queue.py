"""The messages of somebody that wait in the open chat for the end of an answer."""

from dataclasses import dataclass, field
from uuid import UUID

import reflex as rx

from leaf.db.session import Actor
from leaf.services import runs
from leaf.state import session
from leaf.views import chips
from leaf.views.chips import Chip


@dataclass(frozen=True)
class Waiting:
    """A message that waits."""

    id: str
    text: str
    problem: str = ""
    """Why it was not sent when its turn came: budget, or nothing."""
    files: list[Chip] = field(default_factory=list[Chip])
    """What it names, and what comes with it."""


class QueueState(rx.State):
    """The queue; `refresh` shows it as it is stored."""

    chat: str = ""
    """The chat that it belongs to: the page shows it there alone."""
    waiting: list[Waiting] = []  # noqa: RUF012 - Reflex copies it

    @rx.event(background=True)
    async def rewrite(self, queued_id: str, text: str) -> None:
        """Gives a message other words."""
        who = await session.required(self)
        chat_id = await runs.rewrite(who.actor, session.identifier(queued_id, "queued"), text)
        await refresh(self, who.actor, chat_id)

    @rx.event(background=True)
    async def withdraw(self, queued_id: str) -> None:
        """Takes a message out of the queue."""
        who = await session.required(self)
        chat_id = await runs.withdraw(who.actor, session.identifier(queued_id, "queued"))
        await refresh(self, who.actor, chat_id)

    @rx.event(background=True)
    async def release(self, queued_id: str) -> None:
        """Sends a message now; the chat shows it by itself."""
        who = await session.required(self)
        turn = await runs.release(who.actor, session.identifier(queued_id, "queued"))
        await refresh(self, who.actor, turn.chat_id)


async def refresh(state: rx.State, actor: Actor, chat_id: UUID) -> None:
    """Shows what waits in a chat, for a background event; guests have no messages that wait.

    Args:
        state: Any state of the tab.
        actor: Who looks at it.
        chat_id: The chat that the tab shows.
    """
    if actor.kind == "guest":
        return
    waiting = [_waiting(one) for one in await runs.queued(actor, chat_id)]
    async with state:
        shown = await state.get_state(QueueState)
        if shown.chat != str(chat_id):
            shown.chat = str(chat_id)
        if shown.waiting != waiting:
            shown.waiting = waiting


def _waiting(one: runs.Queued) -> Waiting:
    return Waiting(str(one.id), one.text, one.problem, [*chips.named(one.parts), *chips.came(one.parts)])
