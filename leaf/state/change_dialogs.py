"""The dialogs that show changes in the sources of answers, and changes between two versions of an answer."""

import asyncio

import reflex as rx

from leaf.services import chat_reads, comparisons
from leaf.state import session
from leaf.state.chat import ChatState
from leaf.views import diffs, source_changes
from leaf.views.diffs import DiffLine
from leaf.views.source_changes import Moved


class ChangeDialogState(rx.State):
    """The content of the open dialog."""

    shown: str = ""
    """sources or answers; empty while no dialog is open."""
    message_id: str = ""
    """The answer that can be asked for again; empty if the sources of a whole chat are shown."""
    moved: list[Moved] = []  # noqa: RUF012 - Reflex copies it
    """Quotes beside the present text of their sources."""
    lines: list[DiffLine] = []  # noqa: RUF012
    """The difference of two versions of an answer."""

    @rx.event(background=True)
    async def compare(self, message_id: str) -> None:
        """Shows the changed quotes of an answer. Without an id, shows those of all answers on the open branch."""
        who = await session.required(self)
        if message_id:
            wanted = [session.identifier(message_id, "answer")]
        else:
            async with self:
                opened = (await self.get_state(ChatState)).chat_id
            chat = await chat_reads.open(who.actor, session.identifier(opened, "chat"))
            wanted = [one.id for one in chat.messages if one.role == "assistant"]
        found = source_changes.moved_of(await comparisons.with_sources(who.actor, wanted))
        async with self:
            self.moved, self.message_id, self.shown = found, message_id, "sources"

    @rx.event(background=True)
    async def compare_versions(self, message_id: str) -> None:
        """Shows the difference between an answer and the version before it."""
        who = await session.required(self)
        diff = await comparisons.of_versions(who.actor, session.identifier(message_id, "answer"))
        lines = await asyncio.to_thread(diffs.lines_of, diff)
        async with self:
            self.lines, self.message_id, self.shown = lines, message_id, "answers"

    @rx.event
    def close(self) -> None:
        self.reset()
