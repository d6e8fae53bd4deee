"""The frame of every page, read in one transaction: the member, their chats, and their integrations."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from leaf import errors
from leaf.db.session import Actor, transaction
from leaf.services import accounts, chats, integrations, participants, preferences, projects, sites, watches
from leaf.services.joint_reads import JointRead

AT_ONCE = 2
"""Overviews that a process reads at the same time: a notice to hundreds of tabs does not delay their answers."""


@dataclass(frozen=True)
class Overview:
    """A member with their lists."""

    session: accounts.Session
    chats: chats.Lists | chats.Changes
    cards: list[integrations.Card]
    preferences: preferences.Preferences
    invitations: list[participants.Invitation]
    """Invitations that the member has not answered."""
    projects: list[projects.Project]
    watches: list[watches.Watch]
    alerts: list[sites.Alert]
    """Budget alerts of the member's sites that the member has not dismissed."""


async def read(cookie_header: str, *, since: datetime | None = None) -> Overview:
    """The overview of the member whose Cookie header it is; tabs that ask at the same time share one transaction.

    Args:
        cookie_header: The header as received.
        since: Restricts the lists of chats to changes after this time (`chats.Lists.until`), or after an earlier one
            of another tab.

    Raises:
        errors.Unauthenticated: The header has no valid session.
        errors.DatabaseUnavailable: PostgreSQL does not answer.
    """
    if accounts.token_of(cookie_header) is None:
        raise errors.Unauthenticated
    return await _read((cookie_header, since is None), since)


async def _read_since(asked: tuple[str, bool], since: Sequence[datetime | None]) -> Overview:
    cookie_header, _ = asked
    async with transaction(Actor.system()) as tx:
        session = await accounts.find_session(tx, cookie_header)
        if session is None:
            raise errors.Unauthenticated
        await tx.go_on_as(session.actor)
        listed = await chats.lists_or_changes(tx, session.actor, min((one for one in since if one), default=None))
        cards = await integrations.read_cards(tx, session.actor)
        invitations = await participants.read_invitations(tx)
        listed_projects = await projects.read_all(tx)
        watched, alerts = await watches.read_all(tx), await sites.read_unseen(tx)
        preferred = await preferences.find(tx)
        return Overview(session, listed, cards, preferred, invitations, listed_projects, watched, alerts)


_read = JointRead(_read_since, at_once=AT_ONCE)
