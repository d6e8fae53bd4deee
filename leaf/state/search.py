"""Results of the command palette's search in the member's chats."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import reflex as rx

from leaf.services import chats
from leaf.state import session
from leaf.state.projects import ProjectsState

Piece = tuple[str, bool]
"""A piece of a text, and whether it is a match."""
TITLES = 8
"""How many chats are listed by their titles."""


@dataclass(frozen=True)
class Hit:
    """A message that matches, as one line of text that is split at the matches."""

    id: str
    mine: bool
    """Whether it is a question rather than an answer."""
    pieces: list[Piece]


@dataclass(frozen=True)
class Chat:
    id: str
    title: list[Piece]
    name: str
    """The title as one string."""
    titled: bool
    """Whether it is listed by its title. This holds for the first `TITLES` chats whose title matches."""
    active: int
    """The time of its last change, in milliseconds since 1970."""
    archived: bool
    project: str
    """The name of its project; empty if there is none."""
    hits: list[Hit]


def shown(found: Iterable[chats.ChatMatch], projects: Mapping[str, str]) -> list[Chat]:
    """The matching chats as the page shows them. `projects` has the names of projects by their ids."""
    listed: list[Chat] = []
    for one in found:
        title_matches = any(matches for _, matches in one.title)
        listed.append(
            Chat(
                id=str(one.chat_id),
                title=one.title,
                name="".join(text for text, _ in one.title),
                titled=title_matches and sum(chat.titled for chat in listed) < TITLES,
                active=round(one.updated_at.timestamp() * 1000),
                archived=one.archived,
                project=projects.get(str(one.project_id), ""),
                hits=[Hit(str(hit.message_id), hit.role == "user", hit.excerpt) for hit in one.hits],
            )
        )
    return listed


class SearchState(rx.State):
    """The last search of the command palette in a tab."""

    query: str = ""
    """The text for which `chats` was found. The page ignores `chats` once another text is typed."""
    chats: list[Chat] = []  # noqa: RUF012 - Reflex copies it
    _searches: int = 0

    @rx.event(background=True)
    async def search(self, query: str) -> None:
        """Searches for the typed text. Only the last search of a tab is shown."""
        async with self:
            self._searches += 1
            number = self._searches
        who = await session.required(self)
        found = await chats.search(who.actor, query)
        async with self:
            names = (await self.get_state(ProjectsState)).names
            if self._searches == number:
                self.query, self.chats = query, shown(found, names)
