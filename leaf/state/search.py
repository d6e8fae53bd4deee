"""Search results of the command palette in the member's chats."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import reflex as rx

from leaf.services import chats
from leaf.state import session
from leaf.state.projects import ProjectsState

Piece = tuple[str, bool]


@dataclass(frozen=True)
class Hit:
    """A message, as a line of text split at the matches."""

    id: str
    mine: bool
    """Whether it is a question rather than an answer."""
    pieces: list[Piece]


@dataclass(frozen=True)
class Chat:
    """A chat with its hits."""

    id: str
    title: list[Piece]
    active: int
    """Milliseconds since 1970."""
    archived: bool
    project: str
    """The name of its project; empty without one."""
    hits: list[Hit]


def shown(found: chats.Found, projects: Mapping[str, str]) -> Chat:
    """A matching chat, as the page shows it; `projects` has the names of projects by their ids."""
    hits = [Hit(str(hit.message_id), hit.role == "user", hit.excerpt) for hit in found.hits]
    project = projects.get(str(found.project_id), "")
    return Chat(str(found.chat_id), found.title, _milliseconds(found.updated_at), found.archived, project, hits)


def _milliseconds(at: datetime) -> int:
    return round(at.timestamp() * 1000)


class SearchState(rx.State):
    """The last search of the command palette in a tab."""

    query: str = ""
    """The text for which `chats` was found; the page ignores `chats` once another text is typed."""
    chats: list[Chat] = []  # noqa: RUF012 - Reflex copies it
    _searches: int = 0

    @rx.event(background=True)
    async def search(self, query: str) -> None:
        """Searches for the typed text; only the last search of a tab is shown."""
        async with self:
            self._searches += 1
            number = self._searches
        who = await session.required(self)
        found = await chats.search(who.actor, query)
        async with self:
            names = (await self.get_state(ProjectsState)).names
            if self._searches == number:
                self.query, self.chats = query, [shown(one, names) for one in found]
