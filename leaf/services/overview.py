"""What stands around every page, read in one transaction: who looks, their chats, and their integrations."""

from dataclasses import dataclass

from leaf import errors
from leaf.db.session import Actor, transaction
from leaf.services import accounts, chats, integrations, participants


@dataclass(frozen=True)
class Overview:
    """A person and what is theirs."""

    session: accounts.Session
    chats: list[chats.ChatRow]
    """The last active first."""
    cards: list[integrations.Card]
    invitations: list[participants.Invitation]
    """Those that wait for the person."""


async def read(cookie_header: str, *, limit: int) -> Overview:
    """What the person sees whom a Cookie header proves.

    Args:
        cookie_header: As the browser sent it.
        limit: At most so many chats, 1-200.

    Raises:
        errors.Unauthenticated: It proves nobody.
        errors.DatabaseUnavailable: PostgreSQL does not answer.
    """
    if accounts.token_of(cookie_header) is None:
        raise errors.Unauthenticated
    async with transaction(Actor.system()) as tx:
        session = await accounts.find_session(tx, cookie_header)
        if session is None:
            raise errors.Unauthenticated
        await tx.go_on_as(session.actor)
        listed = await chats.list_recent(tx, limit=limit)
        waiting = await participants.read_invitations(tx)
        return Overview(session, listed, await integrations.read_cards(tx, session.actor), waiting)
