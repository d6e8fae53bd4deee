"""Sharing: the share dialog of a chat, the member's links, and received invitations."""

from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

import reflex as rx
from reflex.utils.exec import is_prod_mode
from reflex_base.config import get_config

from leaf import config, errors, texts
from leaf.services import accounts, participants, shares
from leaf.state import notices, session
from leaf.state.internal import internal, set_changed
from leaf.state.page import whole_number


@dataclass(frozen=True)
class Link:
    id: str = ""
    chat: str = ""
    title: str = ""
    address: str = ""
    shared: str = ""
    """The time when its content was last updated, in ISO 8601."""
    until: str = ""
    """The time when it expires, in ISO 8601; empty for a link that does not expire."""
    expired: bool = False


@dataclass(frozen=True)
class Person:
    id: str
    name: str
    creator: bool
    you: bool


@dataclass(frozen=True)
class Waiting:
    """A pending invitation. A sent one has the e-mail address, a received one the chat's title and the inviter."""

    id: str
    email: str = ""
    title: str = ""
    invited_by: str = ""


KEPT = "kept"
"""The lifetime that keeps the end of an existing link, so that updating its content does not extend it."""


class ShareState(rx.State):
    """The contents of the dialog, of the links in Settings and of the invitations in the sidebar."""

    chat: str = ""
    """The id of the chat of the open dialog; empty while the dialog is closed."""
    mine: bool = False
    """Whether the member created this chat."""
    link: Link = Link()
    newer: bool = False
    """Whether the chat has changed since it was shared."""
    messages: int = 0
    """The number of messages that can be shared."""
    days: str = str(shares.DEFAULT_DAYS)
    """The chosen lifetime of the link in days; `KEPT` for an existing link that expires."""
    people: list[Person] = []  # noqa: RUF012 - Reflex copies it
    pending: list[Waiting] = []  # noqa: RUF012
    last_invited: str = ""
    """The address of the last invitation. When it changes, the page empties the field for the next one."""
    links: list[Link] = []  # noqa: RUF012
    invitations: list[Waiting] = []  # noqa: RUF012

    @internal
    def show(self, invitations: list[participants.Invitation]) -> None:
        """Shows received invitations. Sets only vars that differ."""
        waiting = [Waiting(str(one.id), title=one.title, invited_by=one.invited_by) for one in invitations]
        set_changed(self, invitations=waiting)

    @rx.event(background=True)
    async def open_dialog(self, chat: str) -> None:
        who = await session.required(self)
        await self._load(who, session.identifier(chat, "chat"))

    @rx.event
    def close(self) -> None:
        self.chat = ""

    @rx.event(background=True)
    async def share(self) -> None:
        """Creates the link, or updates it to the chat's current content."""
        who = await session.required(self)
        chat_id = session.identifier(self.chat, "chat")
        await shares.share(who.actor, chat_id, lasts_days=None if self.days == KEPT else whole_number(self.days))
        await self._load(who, chat_id)

    @rx.event(background=True)
    async def choose_end(self, days: str) -> None:
        """Sets the lifetime of the link. An existing link gets it at once."""
        if days == KEPT:
            return
        who = await session.required(self)
        async with self:
            self.days = str(whole_number(days))
            link, chat = self.link, self.chat
        if link.id:
            await shares.set_end(who.actor, session.identifier(link.id, "link"), lasts_days=whole_number(days))
            await self._load(who, session.identifier(chat, "chat"))

    @rx.event(background=True)
    async def revoke(self):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        share_id, chat_id = session.identifier(self.link.id, "link"), session.identifier(self.chat, "chat")
        with suppress(errors.NotFound):  # After a second click the link is already revoked.
            await shares.revoke(who.actor, share_id)
        await self._load(who, chat_id)
        yield notices.info(texts.say("sharing.said_revoked"))

    @rx.event(background=True)
    async def load_links(self) -> None:
        with session.while_available():
            await self._show_links(await session.required(self))

    @rx.event(background=True)
    async def revoke_listed(self, share_id: str):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        with suppress(errors.NotFound):
            await shares.revoke(who.actor, session.identifier(share_id, "link"))
        await self._show_links(who)
        yield notices.info(texts.say("sharing.said_revoked"))

    @rx.event(background=True)
    async def invite(self, form: dict[str, str]):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        chat_id = session.identifier(self.chat, "chat")
        email = await participants.invite(who.actor, chat_id, str(form.get("email", "")))
        await self._load(who, chat_id)
        async with self:
            self.last_invited = email
        yield notices.info(texts.say("sharing.said_invited", email=email))

    @rx.event(background=True)
    async def withdraw(self, invitation_id: str) -> None:
        who = await session.required(self)
        chat_id = session.identifier(self.chat, "chat")
        with suppress(errors.NotFound):
            await participants.withdraw(who.actor, session.identifier(invitation_id, "invitation"))
        await self._load(who, chat_id)

    @rx.event(background=True)
    async def remove(self, user_id: str) -> None:
        who = await session.required(self)
        chat_id = session.identifier(self.chat, "chat")
        with suppress(errors.NotFound):
            await participants.remove(who.actor, chat_id, session.identifier(user_id, "participant"))
        await self._load(who, chat_id)

    @rx.event(background=True)
    async def leave(self):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        await participants.remove(who.actor, session.identifier(self.chat, "chat"), who.user_id)
        async with self:
            self.chat = ""
        yield notices.info(texts.say("sharing.said_left"))
        yield rx.redirect("/dashboard", replace=True)

    @rx.event(background=True)
    async def accept(self, invitation_id: str):  # noqa: ANN201 - an event's generator
        who = await session.required(self)
        chat_id = await participants.accept(who.actor, session.identifier(invitation_id, "invitation"))
        yield rx.redirect(f"/chat/{chat_id}")

    @rx.event(background=True)
    async def decline(self, invitation_id: str) -> None:
        who = await session.required(self)
        with suppress(errors.NotFound):
            await participants.decline(who.actor, session.identifier(invitation_id, "invitation"))
        waiting = await participants.invitations(who.actor)
        async with self:
            self.show(waiting)

    async def _load(self, who: accounts.Session, chat_id: UUID) -> None:
        """Reads the contents of a chat's dialog."""
        people, pending = await participants.listed(who.actor, chat_id)
        mine = any(one.creator and one.user_id == who.user_id for one in people)
        offer = await shares.offer(who.actor, chat_id) if mine else None
        found = offer.share if offer is not None else None
        async with self:
            self.mine, self.chat = mine, str(chat_id)
            self.people = [
                Person(str(one.user_id), one.name, one.creator, one.user_id == who.user_id) for one in people
            ]
            self.pending = [Waiting(str(one.id), one.email) for one in pending]
            self.messages = offer.messages if offer is not None else 0
            self.newer = offer is not None and offer.is_outdated
            self.link = self._link(found) if found is not None else Link()
            if found is not None or self.days == KEPT:
                self.days = KEPT if self.link.until else str(shares.DEFAULT_DAYS)

    async def _show_links(self, who: accounts.Session) -> None:
        links = [self._link(one) for one in await shares.listed(who.actor)]
        async with self:
            self.links = links

    def _link(self, share: shares.Share) -> Link:
        return Link(
            id=str(share.id),
            chat=str(share.chat_id),
            title=share.title,
            address=f"{_origin(self)}/share/{share.token}",
            shared=share.shared_at.isoformat(),
            until=share.expires_at.isoformat() if share.expires_at else "",
            expired=share.expired,
        )


def _origin(state: rx.State) -> str:
    """The base address of shared links: the configured public address, else the address that the member uses."""
    public = config.current().public_url
    own = state.router.headers.origin if is_prod_mode() else get_config().api_url
    return (public or own or config.current().url).rstrip("/")
