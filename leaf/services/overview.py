"""What stands around every page, read in one transaction: who looks, their chats, and their integrations."""

from dataclasses import dataclass
from datetime import datetime

from leaf import errors
from leaf.db.session import Actor, transaction
from leaf.services import accounts, chats, integrations, participants, preferences, tenants


@dataclass(frozen=True)
class Overview:
    """A person and what is theirs."""

    session: accounts.Session
    chats: chats.Lists | chats.Changes
    cards: list[integrations.Card]
    preferences: preferences.Preferences
    invitations: list[participants.Invitation]
    """Those that wait for the person."""
    alerts: list[tenants.Alert]
    """Of budgets of tenants whose member the person is: those that they have not been told of."""


async def read(cookie_header: str, *, since: datetime | None = None) -> Overview:
    """What the person sees whom a Cookie header proves.

    Args:
        cookie_header: As the browser sent it.
        since: Of the lists of chats only what has changed after this time (`chats.Lists.until`).

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
        listed = await chats.lists_or_changes(tx, session.actor, since)
        cards = await integrations.read_cards(tx, session.actor)
        invitations = await participants.read_invitations(tx)
        alerts = await tenants.read_unseen(tx)
        return Overview(session, listed, cards, await preferences.find(tx), invitations, alerts)
