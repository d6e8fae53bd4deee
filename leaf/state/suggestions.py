"""The questions that an empty chat and the dashboard suggest."""

import reflex as rx

from leaf.services import suggestions
from leaf.state import session


class SuggestionsState(rx.State):
    """Questions about the member's own Drive."""

    cards: list[suggestions.Suggestion] = []  # noqa: RUF012 - Reflex copies it
    known: bool = False
    """Whether `cards` are known. Until then the page reserves space for them."""
    _drive: str = ""
    """The member's id and the e-mail address of the account whose files the cards name; empty without a Drive."""

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads the questions. An open tab keeps its cards as long as the Drive is the same."""
        with session.while_available():
            who = await session.required(self)
            email = await suggestions.account(who.actor)
            drive = f"{who.user_id} {email}" if email else ""
            if self.known and drive == self._drive:
                return
            found = await suggestions.of_drive(who.actor, email) if email else []
            async with session.proven(self):
                self.cards, self.known, self._drive = found, True, drive
