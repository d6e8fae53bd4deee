"""Operations on the messages of the open chat that make branches: edit, regenerate, continue, fork."""

from typing import Any

import reflex as rx

from leaf.services import chats, conversations, forks
from leaf.state import session
from leaf.state.chat import NO_EXTRAS, chosen, reload_chat, show_turn


class BranchState(rx.State):
    """The events of branches. `ChatState` and `LiveState` show their effects."""

    @rx.event(background=True)
    async def edit(self, message_id: str, text: str, extras: dict[str, Any] = NO_EXTRAS) -> None:
        """Asks a question in other words, with the Drive files that it mentions.

        The old question stays as another version.
        """
        who = await session.required(self)
        mode, kind, model = await chosen(self)
        question_id = session.identifier(message_id, "question")
        turn = await conversations.edit(who.actor, question_id, text, extras=extras, mode=mode, kind=kind, model=model)
        await show_turn(self, who.actor, turn)

    @rx.event(background=True)
    async def regenerate(self, message_id: str, model: str = "") -> None:
        """Answers a question again as another version, with the named model or the model of the chat."""
        who = await session.required(self)
        turn = await conversations.regenerate(who.actor, session.identifier(message_id, "answer"), model=model or None)
        await show_turn(self, who.actor, turn)

    @rx.event(background=True)
    async def proceed(self, message_id: str) -> None:
        """Continues a stopped answer."""
        who = await session.required(self)
        turn = await conversations.proceed(who.actor, session.identifier(message_id, "answer"))
        await show_turn(self, who.actor, turn)

    @rx.event(background=True)
    async def fork(self, message_id: str):  # noqa: ANN201 - an event's generator
        """Opens a new chat of the member with the messages up to one message."""
        who = await session.required(self)
        chat_id = await forks.fork(who.actor, session.identifier(message_id, "message"))
        yield rx.redirect(f"/chat/{chat_id}")

    @rx.event(background=True)
    async def choose(self, message_id: str) -> None:
        who = await session.required(self)
        chat_id = await chats.choose_branch(who.actor, session.identifier(message_id, "message"))
        await reload_chat(self, who.actor, chat_id)
