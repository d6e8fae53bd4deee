"""The list of chats, grouped by day, and what can be done with each."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import reflex as rx

from leaf import errors
from leaf.services import accounts, chats
from leaf.state import notices, session
from leaf.state.internal import internal

FIRST_CHATS = 50
MOST_CHATS = 200


@dataclass(frozen=True)
class Entry:
    """A chat in the list."""

    id: str
    title: str
    running: bool
    waiting: bool
    """Whether it asks its reader something."""
    when: str
    """The time today, else the date."""


@dataclass(frozen=True)
class Group:
    """The chats of a day or of a longer time."""

    label: str
    chats: list[Entry] = field(default_factory=list[Entry])


def grouped(chat_rows: Iterable[chats.ChatRow], now: datetime, zone: ZoneInfo) -> list[Group]:
    """Chats under the headings Today, Yesterday, Previous 7 days and Older, in the order given."""
    today = now.astimezone(zone).date()
    groups: dict[str, Group] = {}
    for row in chat_rows:
        local = row.updated_at.astimezone(zone)
        label = _label(local.date(), today)
        when = local.strftime("%H:%M") if label == "Today" else f"{local.day} {local.strftime('%b')}"
        entry = Entry(str(row.id), row.title, row.running, row.waiting, when)
        groups.setdefault(label, Group(label)).chats.append(entry)
    return [*groups.values()]


def _label(day: date, today: date) -> str:
    if day >= today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    return "Previous 7 days" if day > today - timedelta(days=8) else "Older"


async def read(who: accounts.Session, limit: int, zone: ZoneInfo) -> list[Group]:
    """The groups as they are in the database now."""
    return grouped(await chats.recent(who.actor, limit=limit), datetime.now(UTC), zone)


class SidebarState(rx.State):
    """The person's chats, and the one that a dialog asks about."""

    groups: list[Group] = []  # noqa: RUF012 - Reflex copies it
    more: bool = False
    """Whether there are chats that are not listed."""
    asked: str = ""
    """What the open dialog asks: rename, delete, or nothing."""
    asked_id: str = ""
    asked_title: str = ""
    limit: int = FIRST_CHATS
    deleted: str = ""
    """The chat that was deleted last: the browser forgets its draft."""

    @rx.var
    def empty(self) -> bool:
        """Whether there are no chats."""
        return not self.groups

    @internal
    def show(self, groups: list[Group]) -> None:
        """Shows groups, if they differ from those shown."""
        if self.groups != groups:
            self.groups = groups
            self.more = sum(len(group.chats) for group in groups) >= self.limit

    @rx.event(background=True)
    async def show_more(self) -> None:
        """Lists older chats too."""
        who = await session.required(self)
        async with self:
            self.limit = min(MOST_CHATS, self.limit + FIRST_CHATS)
        groups = await read(who, self.limit, session.zone(self))
        async with self:
            self.show(groups)
            self.more = self.more and self.limit < MOST_CHATS

    @rx.event(background=True)
    async def new_chat(self):  # noqa: ANN201 - an event's generator
        """Opens an empty chat."""
        who = await session.required(self)
        chat_id = await chats.new(who.actor)
        yield rx.redirect(f"/chat/{chat_id}")

    @rx.event
    def ask(self, what: str, chat_id: str, title: str) -> None:
        """Opens the dialog that renames or deletes a chat."""
        self.asked, self.asked_id, self.asked_title = what, chat_id, title

    @rx.event
    def close(self) -> None:
        """Closes the dialog."""
        self.asked = ""

    @rx.event(background=True)
    async def rename(self, form: dict[str, str]) -> None:
        """Gives the chat of the dialog the title that was typed."""
        who = await session.required(self)
        chat_id = session.identifier(self.asked_id, "chat")
        await chats.rename(who.actor, chat_id, form.get("title", ""))
        groups = await read(who, self.limit, session.zone(self))
        async with self:
            self.asked = ""
            self.show(groups)

    @rx.event(background=True)
    async def delete(self):  # noqa: ANN201 - an event's generator
        """Deletes the chat of the dialog."""
        who = await session.required(self)
        chat_id = session.identifier(self.asked_id, "chat")
        was_open = str(chat_id) in str(self.router.url)
        try:
            await chats.delete(who.actor, chat_id)
        except errors.NotFound:
            if self.deleted == str(chat_id):
                return  # A second click.
            raise
        groups = await read(who, self.limit, session.zone(self))
        async with self:
            self.asked, self.deleted = "", str(chat_id)
            self.show(groups)
        yield notices.info("The chat was deleted.")
        if was_open:
            yield rx.redirect("/dashboard", replace=True)
