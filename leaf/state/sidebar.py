"""The lists of chats and their operations.

A list of thousands of chats is not a var, because Reflex would send all of it whenever one chat changes. Rows are sent
as messages instead, like the text of an answer (`leaf.state.run_feed`): first page by page, then only the changes.
`assets/client/chats.js` keeps the rows.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import reflex as rx

from leaf import errors, texts
from leaf.services import accounts, chats
from leaf.services.library.standings import SourceChanges
from leaf.state import delivery, notices, session
from leaf.state.chat import ChatState
from leaf.state.internal import internal

SINK = "chats"
"""The id of the component of the page that receives the rows."""
NEXT_PAGE = 200
"""How many rows are sent at a time while the member scrolls."""
RUNNING, WAITING, UNREAD, PINNED, ARCHIVED = 1, 2, 4, 8, 16
"""The bits of a row's marks."""

PROJECT = "project:"
"""The prefix of the name of a project's list of chats; the id of the project follows."""

Wire = list[str | int]
"""A row as the browser gets it. All times count from 1970.

The fields are: id, title, time of the last activity (ms), time of the last change (us; 0 if unknown), marks (bits), and
the id of the project or an empty string.

If sources have changed, are hidden or cannot be checked (`SourceChanges`), six numbers follow: changed sources, all
sources, hidden sources, time of the first answer with a changed source (ms; 0 for none), last time at which a change
was seen (ms; 0 for none), and unchecked sources.
"""


def wire(row: chats.ChatRow) -> Wire:
    """A chat's row in the form that the browser gets."""
    marks = (
        (RUNNING, row.running),
        (WAITING, row.waiting),
        (UNREAD, row.unread),
        (PINNED, row.pinned),
        (ARCHIVED, row.archived),
    )
    return [
        str(row.id),
        row.title,
        round(row.updated_at.timestamp() * 1000),
        round(row.changed_at.timestamp() * 1_000_000) if row.changed_at is not None else 0,
        sum(bit for bit, holds in marks if holds),
        str(row.project_id or ""),
        *(_moved(row.moved) if row.moved is not None else ()),
    ]


def _moved(moved: SourceChanges) -> tuple[int, ...]:
    since, seen = (round(one.timestamp() * 1000) if one is not None else 0 for one in (moved.since, moved.seen))
    return moved.changed, moved.count, moved.hidden, since, seen, moved.unchecked


class SidebarState(rx.State):
    """The messages about chat lists that were sent to a tab."""

    opened: str = ""
    """The outcome of the last `new_chat`, for which the composer waits: "<random id>:<chat>", or "<random id>:" if it
    failed.
    """
    deleted: str = ""
    """The ids of the last deleted chats, separated by commas. The browser deletes their drafts, unless the deletion is
    undone.
    """
    _socket: str = ""
    """The id of the socket that got the messages. A new socket gets the whole lists first."""
    _until: datetime | None = None
    """All changes until this time have been sent."""
    _number: int = 0
    """The number of the last message. A page that misses a message requests the whole lists."""
    _last: dict[str, Wire | None] = {}  # noqa: RUF012 - Reflex copies it
    """The last changes that were read, by chat; None for a chat that is gone.

    Consecutive readings overlap, so a change that is already here is not sent again.
    """

    @internal
    def since(self) -> datetime | None:
        """The time after which changes must be sent; None if the whole lists must be sent."""
        return self._until if self._socket == self.router.session.session_id else None

    @internal
    async def tell(self, news: chats.Lists | chats.Changes) -> None:
        """Sends news to the tab of the running event. The caller must hold the state's lock, which keeps the order."""
        message = self._message_of_lists(news) if isinstance(news, chats.Lists) else self._message_of_changes(news)
        self._until = max(news.until, self._until or news.until)
        if message is not None:
            self._number += 1
            await _send({**message, "number": self._number})

    def _message_of_lists(self, lists: chats.Lists) -> dict[str, Any]:
        self._socket, self._last = self.router.session.session_id, {}
        rows = [wire(row) for row in (*lists.pinned, *lists.chats.rows)]
        return {"after": 0, "rows": rows, "cursor": lists.chats.cursor}

    def _message_of_changes(self, changes: chats.Changes) -> dict[str, Any] | None:
        """The message with the changes that were not sent yet; None if there are none."""
        found: dict[str, Wire | None] = {str(row.id): wire(row) for row in changes.rows}
        found |= dict.fromkeys(map(str, changes.gone))
        unsent = {key: row for key, row in found.items() if key not in self._last or self._last[key] != row}
        self._last = found
        if not unsent:
            return None
        rows = [row for row in unsent.values() if row is not None]
        return {"after": self._number, "rows": rows, "gone": [key for key, row in unsent.items() if row is None]}

    @rx.event(background=True)
    async def look(self) -> None:
        """Sends the whole lists to a page that has missed a message."""
        async with self:
            self._until = None
        await self._refresh(await session.required(self))

    @rx.event(background=True)
    async def load(self, shelf: str, after: str) -> None:
        """Sends the next page of a list.

        Args:
            shelf: chats, archived, or `PROJECT` and the id of a project.
            after: The cursor of the previous page; empty for the first one.
        """
        who = await session.required(self)
        if shelf.startswith(PROJECT):
            project_id = session.identifier(shelf.removeprefix(PROJECT), "project")
            page = await chats.page(who.actor, project_id=project_id, after=after, limit=NEXT_PAGE)
        else:
            try:
                wanted = chats.Shelf(shelf)
            except ValueError:
                raise errors.Invalid("There is no such list.", field="shelf") from None
            page = await chats.page(who.actor, wanted, after=after, limit=NEXT_PAGE)
        rows = [wire(row) for row in page.rows]
        await _send({"shelf": shelf, "asked": after, "rows": rows, "cursor": page.cursor})

    @rx.event(background=True)
    async def new_chat(self):  # noqa: ANN201 - an event's generator
        chat_id = ""
        try:
            who = await session.required(self)
            chat_id = str(await chats.new(who.actor))
        finally:
            async with self:
                self.opened = f"{uuid4().hex}:{chat_id}"
        yield rx.redirect(f"/chat/{chat_id}")

    @rx.event(background=True)
    async def seen(self, chat_id: str) -> None:
        """Marks a chat as read. Pages do so without a click, so a chat that was deleted meanwhile is not an error."""
        who = await session.required(self)
        with suppress(errors.NotFound):
            await chats.mark_read(who.actor, session.identifier(chat_id, "chat"))
        await self._refresh(who)

    @rx.event(background=True)
    async def rename(self, chat_id: str, title: str) -> None:
        who = await session.required(self)
        try:
            await chats.rename(who.actor, session.identifier(chat_id, "chat"), title)
        finally:
            # The row already shows the new title, which must not stay if it was refused.
            await self._refresh(who, resend=True)

    @rx.event(background=True)
    async def do(self, what: str, chat_ids: list[str]):  # noqa: ANN201 - an event's generator
        """Pins or archives chats, or undoes that.

        Args:
            what: pin, unpin, archive, or unarchive. Anything else has no effect.
            chat_ids: The ids of at most 500 chats.
        """
        who = await session.required(self)
        ids = _identifiers(chat_ids)
        if what in {"pin", "unpin"}:
            await chats.pin(who.actor, ids, what == "pin")
        elif what in {"archive", "unarchive"}:
            await chats.archive(who.actor, ids, what == "archive")
            async with self:
                opened = await self.get_state(ChatState)
                if opened.chat_id in chat_ids:
                    opened.archived = what == "archive"
        await self._refresh(who)
        if what == "archive":
            yield notices.info(texts.say("notices.chats_archived", count=len(ids)))

    @rx.event(background=True)
    async def delete(self, chat_ids: list[str]):  # noqa: ANN201 - an event's generator
        """Deletes chats and offers to undo that."""
        who = await session.required(self)
        ids = _identifiers(chat_ids)
        try:
            deletion = await chats.delete(who.actor, *ids)
        except errors.NotFound:
            if self.deleted == ",".join(map(str, ids)):
                return  # The chats are already deleted: this was a second click.
            raise
        named = ",".join(str(chat_id) for chat_id in ids if chat_id in deletion.deleted)
        async with self:
            self.deleted = named
        await self._refresh(who)
        yield notices.info(texts.say("notices.chats_deleted", count=len(deletion.deleted)), undo=named)
        if deletion.others:
            yield notices.info(texts.say("sharing.said_kept", count=deletion.others))
        if any(str(chat_id) in str(self.router.url) for chat_id in deletion.deleted):
            yield rx.redirect("/dashboard", replace=True)

    @rx.event(background=True)
    async def undo(self, chat_ids: str):  # noqa: ANN201 - an event's generator
        """Undoes a deletion.

        Args:
            chat_ids: The ids of the chats of the notice, separated by commas.
        """
        who = await session.required(self)
        try:
            restored = await chats.restore(who.actor, _identifiers(chat_ids.split(",")))
        except errors.NotFound:
            raise errors.Conflict(texts.english("errors.not_undone")) from None
        async with self:
            self.deleted = ""
        await self._refresh(who)
        yield notices.info(texts.say("notices.chats_back", count=len(restored)))

    async def _refresh(self, who: accounts.Session, *, resend: bool = False) -> None:
        """Sends the changes to this tab at once.

        Other tabs read them when they are notified. With `resend`, changes that the tab has already got are sent again.
        """
        async with self:
            since = self.since()
            if resend:
                self._last = {}
        news = await chats.news(who.actor, since)
        async with self:
            await self.tell(news)


def _identifiers(chat_ids: Sequence[str]) -> list[UUID]:
    return [session.identifier(chat_id, "chat") for chat_id in chat_ids]


async def _send(message: dict[str, Any]) -> None:
    await delivery.send(SINK, [message])
