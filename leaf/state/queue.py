"""The member's messages in the open chat that wait for the end of an answer."""

from dataclasses import dataclass, field
from uuid import UUID

import reflex as rx

from leaf.db.session import Actor
from leaf.services import conversations
from leaf.state import session
from leaf.state.internal import set_changed
from leaf.views import chips
from leaf.views.chips import Chip


@dataclass(frozen=True)
class Waiting:
    id: str
    text: str
    problem: str = ""
    """The reason why the queue could not send it: `budget`, or empty."""
    files: list[Chip] = field(default_factory=list[Chip])
    """The files that it mentions, and its attachments."""


class QueueState(rx.State):
    """The queue, as `refresh` has read it from the database."""

    chat: str = ""
    """The id of the chat to which the queue belongs. The page shows the queue only there."""
    waiting: list[Waiting] = []  # noqa: RUF012 - Reflex copies it

    editing: str = ""
    """The id of the message that is being changed; empty for none."""
    edited: str = ""
    """The id of the message that was changed last. The button that opens its editor gets the focus back."""

    @rx.event
    def edit(self, queued_id: str) -> None:
        """Opens the editor of a message; an empty id closes the editor."""
        self.edited, self.editing = self.editing, queued_id

    @rx.event(background=True)
    async def rewrite(self, queued_id: str, text: str) -> None:
        async with self:
            self.edited, self.editing = queued_id, ""
            if any(one.id == queued_id and one.text == text.strip() for one in self.waiting):
                return
        who = await session.required(self)
        chat_id = await conversations.rewrite(who.actor, session.identifier(queued_id, "queued"), text)
        await refresh(self, who.actor, chat_id)

    @rx.event(background=True)
    async def withdraw(self, queued_id: str) -> None:
        """Removes a message from the queue."""
        who = await session.required(self)
        chat_id = await conversations.withdraw(who.actor, session.identifier(queued_id, "queued"))
        await refresh(self, who.actor, chat_id)

    @rx.event(background=True)
    async def release(self, queued_id: str) -> None:
        """Sends a message now. The page follows the chat, and so shows the message by itself."""
        who = await session.required(self)
        turn = await conversations.release(who.actor, session.identifier(queued_id, "queued"))
        await refresh(self, who.actor, turn.chat_id)


async def refresh(state: rx.State, actor: Actor, chat_id: UUID) -> None:
    """Shows the queued messages of a chat; called by background events."""
    if not actor.audience.may("queue"):
        return
    waiting = [_waiting(one) for one in await conversations.queued(actor, chat_id)]
    async with session.proven(state):
        set_changed(await state.get_state(QueueState), chat=str(chat_id), waiting=waiting)


async def add(state: rx.State, message: conversations.Queued) -> None:
    """Shows a message that has just been queued; called by background events."""
    async with state:
        shown = await state.get_state(QueueState)
        known = shown.waiting if shown.chat == str(message.chat_id) else []
        shown.chat = str(message.chat_id)
        if all(one.id != str(message.id) for one in known):
            shown.waiting = [*known, _waiting(message)]


def _waiting(one: conversations.Queued) -> Waiting:
    return Waiting(str(one.id), one.text, one.problem, [*chips.named(one.parts), *chips.attachments(one.parts)])
