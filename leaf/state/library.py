"""The page *Files*: the folders of a member's Drive, the state of each file, and a search over the whole Drive."""

from typing import cast

import reflex as rx

from leaf import config, errors, texts
from leaf.db.session import Actor
from leaf.redis import rates
from leaf.services import chats, integrations
from leaf.services.library import choices, folders, lookup, progress, vectors
from leaf.services.library.folders import Listing
from leaf.state import session
from leaf.state.internal import internal, set_changed
from leaf.views import library
from leaf.views.library import EntryView, FoundView, PlaceView

QUERY_CHARACTERS = 200
SEARCHES_A_MINUTE = 30
"""The largest number of searches per minute. Each search asks Google about the files that it has found."""


class LibraryState(rx.State):
    """The open folder, its entries, and the results of a search."""

    phase: str = "loading"
    """loading, ready, off (no index is kept), unconnected, or missing."""
    totals: list[str] = []  # noqa: RUF012 - Reflex copies it
    drives: list[PlaceView] = []  # noqa: RUF012
    above: list[PlaceView] = []  # noqa: RUF012
    """The path from the top of the Drive to the open folder, inclusive; empty if all Drives are listed."""
    entries: list[EntryView] = []  # noqa: RUF012
    count: str = ""
    page: int = 0
    pages: int = 1
    place: str = ""
    name: str = ""
    """The filter by words of the name; empty for none."""
    state: str = ""
    """The filter by state; empty for none."""
    query: str = ""
    """The words of the last search; empty if folders are shown."""
    found: list[FoundView] = []  # noqa: RUF012
    looked: str = ""
    """A line with the number of found files and the extent of the search."""

    @rx.var
    def shows_entries(self) -> bool:
        """Whether entries are listed instead of the Drives."""
        return bool(self.place or self.name or self.state)

    @rx.var
    def can_ask(self) -> bool:
        """Whether a chat can be limited to the open folder."""
        return bool(self.above) and self.above[-1].can_ask

    @internal
    def enter(self, place: str) -> None:
        """Opens a folder, and clears the filters and the search."""
        self.place, self.page, self.name, self.state = place, 0, "", ""
        self.end_search()
        self.entries, self.count, self.above = [], "", []

    @internal
    def end_search(self) -> None:
        """Clears the search, so that folders are shown again."""
        self.query, self.found, self.looked = "", [], ""

    @internal
    def show(self, listing: Listing) -> None:
        """Shows a page of a folder."""
        set_changed(
            self,
            above=[*map(library.place_of, listing.above)],
            entries=[*map(library.entry_of, listing.entries)],
            count=library.count_of(listing),
            page=listing.page,
            pages=-(-listing.total // folders.PAGE) or 1,
            phase="ready",
        )

    @rx.event(background=True)
    async def load(self) -> None:
        """Shows the folder of the page's address."""
        with session.while_available():
            who = await session.required(self)
            place = _place_in(str(self.router.url.path))
            async with self:
                self.enter(place)
                if not config.current().index:
                    self.phase = "off"
                    return
            cards = await integrations.cards(who.actor)
            if integrations.state_of(cards) in {"none", "error"}:
                async with self:
                    self.phase = "unconnected"
                return
            known, drives = await progress.of(who.actor), await folders.drives(who.actor)
            async with self:
                set_changed(self, totals=library.totals(known), drives=[*map(library.place_of, drives)])
            await self._list(who.actor)

    @rx.event(background=True)
    async def filter(self, form: dict[str, str]) -> None:
        """Lists the files below the open folder that match the filters."""
        who = await session.required(self)
        async with self:
            self.name = " ".join(form.get("name", "").split())[:QUERY_CHARACTERS]
            state = form.get("state", "")
            self.state = state if state in folders.STATES else ""
            self.page = 0
            self.end_search()
        await self._list(who.actor)

    @rx.event(background=True)
    async def turn(self, by: int) -> None:
        """Shows the next page (1) or the previous page (-1)."""
        who = await session.required(self)
        async with self:
            self.page = max(0, self.page + by)
        await self._list(who.actor)

    @rx.event(background=True)
    async def search(self, form: dict[str, str]) -> None:
        """Searches the whole Drive by texts and names. An empty query shows the folder again."""
        who = await session.required(self)
        query = " ".join(form.get("query", "").split())[:QUERY_CHARACTERS]
        if not query:
            async with self:
                self.end_search()
            return
        if wait := await rates.take(f"library:{who.user_id}", SEARCHES_A_MINUTE, seconds=60):
            raise errors.RateLimited(texts.english("errors.names_too_often"), resets_in_seconds=wait)
        access = integrations.UserDrive(who.actor)
        findings = await lookup.look_up(who.actor, access, [query], embed=vectors.by_worker)
        async with self:
            self.query, self.found, self.looked = query, library.found_of(findings), library.searched_in(findings)

    @rx.event(background=True)
    async def ask(self, kind: str, item: str):  # noqa: ANN201 - an event's generator
        """Opens a new chat that is limited to a folder or a file.

        Args:
            kind: folder or file.
            item: The id of the folder or file.
        """
        who = await session.required(self)
        access = integrations.UserDrive(who.actor)
        is_folder = kind == "folder"
        scope = await choices.scope_of(
            who.actor, access, folders=[item] if is_folder else [], files=[] if is_folder else [item]
        )
        yield rx.redirect(f"/chat/{await chats.new(who.actor, scope)}")

    async def _list(self, actor: Actor) -> None:
        if not self.shows_entries:
            async with self:
                set_changed(self, phase="ready", entries=[], above=[])
            return
        state = cast("folders.State | None", self.state or None)
        try:
            listing = await folders.listing(actor, self.place, name=self.name, state=state, page=self.page)
        except errors.NotFound:
            async with self:
                self.phase = "missing"
            return
        async with self:
            self.show(listing)


def _place_in(path: str) -> str:
    """The folder in the address of the page; empty for all Drives."""
    return path.removeprefix("/files").strip("/")
