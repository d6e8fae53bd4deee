"""The search for files of Drive by the name that is typed after `@` in a message."""

from dataclasses import dataclass, field

import reflex as rx

from leaf import errors
from leaf.services import mentions
from leaf.state import session

_STATES = {"drive_not_connected": "unconnected", "drive_revoked": "unconnected", "rate_limited": "often"}
"""The state of a refused search (`FileMentions.state`), by the code of the error."""


@dataclass(frozen=True)
class FileMentions:
    """The outcome of a search."""

    query: str = ""
    state: str = "found"
    """found, unconnected, often or failed."""
    files: list[mentions.Found] = field(default_factory=list[mentions.Found])
    more: bool = False
    """Whether further files match."""


class FileMentionsState(rx.State):
    """The last search for a file by its name in a tab."""

    found: FileMentions = FileMentions()
    _searches: int = 0

    @rx.event(background=True)
    async def find(self, query: str) -> None:
        """Finds files by the beginning of a name. Only the last search of a tab is shown."""
        async with self:
            self._searches += 1
            number = self._searches
        who = await session.required(self)
        try:
            names = await mentions.find(who.actor, query)
            found = FileMentions(query, files=names.files, more=names.more)
        except errors.LeafError as error:
            found = FileMentions(query, state=_STATES.get(error.code, "failed"))
        async with self:
            if self._searches == number:
                self.found = found
