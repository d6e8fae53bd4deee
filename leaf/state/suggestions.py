"""The questions that an empty chat and the dashboard suggest."""

from dataclasses import dataclass

import reflex as rx

from leaf.services import suggestions
from leaf.state import session


@dataclass(frozen=True)
class Suggested:
    """A question on a card (`leaf.services.suggestions.Suggestion`)."""

    kind: str
    name: str
    other: str


class SuggestionsState(rx.State):
    """Questions about the member's own Drive."""

    cards: list[Suggested] = []  # noqa: RUF012 - Reflex copies it
    known: bool = False
    """Whether `cards` are known; until then the page reserves their place."""
    _drive: str = ""
    """The member and the account whose files the cards name."""

    @rx.event(background=True)
    async def load(self) -> None:
        """Reads the questions; those of the same Drive stay as long as the tab is open, so that no card changes."""
        with session.while_available():
            who = await session.required(self)
            email = await suggestions.account(who.actor)
            drive = f"{who.user_id} {email}" if email else ""
            if self.known and drive == self._drive:
                return
            found = await suggestions.of_drive(who.actor, email) if email else []
            async with session.proven(self):
                self.cards = [Suggested(one.kind, one.name, one.other) for one in found]
                self.known, self._drive = True, drive
