"""Public links to chats."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel
from starlette.responses import Response

from leaf import config, errors
from leaf.api.callers import Known
from leaf.api.chat import ChatName
from leaf.api.routing import Route
from leaf.api.turns.body import Lenient
from leaf.services import chats, shares


class Lasting(Lenient):
    """The lifetime of a link."""

    days: Literal[0, 7, 30] = shares.DEFAULT_DAYS
    """0 for a link that lasts until it is revoked."""


class Link(BaseModel):
    """A public link to a chat."""

    chatId: UUID  # noqa: N815 - the wire's own spelling
    url: str
    title: str
    sharedAt: datetime  # noqa: N815
    """The time at which the content was copied."""
    expiresAt: datetime | None  # noqa: N815


async def share_chat(caller: Known, chat: ChatName, body: Lasting | None = None) -> Link:
    """Creates the public link to a chat, or updates the existing one to the chat's current content."""
    actor = caller.person.actor
    chat_id = await chats.named(actor, chat)
    return _link(await shares.share(actor, chat_id, lasts_days=body.days if body is not None else None))


async def unshare_chat(caller: Known, chat: ChatName) -> Response:
    """Takes the public link to a chat back."""
    actor = caller.person.actor
    offer = await shares.offer(actor, await chats.named(actor, chat))
    if offer.share is None:
        raise errors.NotFound("link")
    await shares.revoke(actor, offer.share.id)
    return Response(status_code=204)


async def list_links(caller: Known) -> list[Link]:
    """Lists the caller's public links, the last shared first."""
    return [_link(one) for one in await shares.listed(caller.person.actor)]


def _link(share: shares.Share) -> Link:
    return Link(
        chatId=share.chat_id,
        url=f"{config.current().url}/share/{share.token}",
        title=share.title,
        sharedAt=share.shared_at,
        expiresAt=share.expires_at,
    )


routes = [
    Route("/api/chats/{chat}/share", share_chat, method="POST", scope="write", tag="Sharing", status_code=201),
    Route("/api/chats/{chat}/share", unshare_chat, method="DELETE", scope="write", tag="Sharing", status_code=204),
    Route("/api/shares", list_links, scope="read", tag="Sharing"),
]  # fmt: skip
