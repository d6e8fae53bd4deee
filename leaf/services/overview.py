"""The data around every page, read in one transaction: the member, their chats, and their integrations."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from leaf import errors
from leaf.db.session import Actor, Transaction, transaction
from leaf.services import accounts, chats, integrations, participants, preferences, projects, sites, watches
from leaf.services.joint_reads import JointRead

AT_ONCE = 2
"""The largest number of overviews that a process reads at the same time. A notice to hundreds of tabs then leaves
connections for other requests."""


@dataclass(frozen=True)
class Surroundings:
    """The integrations, preferences and lists around a member's chats."""

    cards: list[integrations.Card]
    preferences: preferences.Preferences
    invitations: list[participants.Invitation]
    """Invitations that the member has not answered."""
    projects: list[projects.Project]
    watches: list[watches.Watch]
    alerts: list[sites.Alert]
    """Budget alerts of the member's sites that the member has not dismissed."""


@dataclass(frozen=True)
class Overview:
    """A member with their lists."""

    session: accounts.Session
    chats: chats.Lists | chats.Changes
    around: Surroundings | None
    """The surroundings; None if no caller needs them, because a turn changes only the lists of chats."""


async def read(cookie_header: str, *, since: datetime | None = None, chats_alone: bool = False) -> Overview:
    """The overview of the member with a Cookie header. Tabs that ask at the same time share one transaction.

    Args:
        cookie_header: The header as received.
        since: Restricts the lists of chats to changes after this time (`chats.Lists.until`), or after the earlier time
            of another tab.
        chats_alone: Whether the surroundings may be left out.

    Raises:
        errors.Unauthenticated: The header has no valid session.
        errors.DatabaseUnavailable: PostgreSQL does not answer.
    """
    if accounts.token_of(cookie_header) is None:
        raise errors.Unauthenticated
    return await _read((cookie_header, since is None), (since, chats_alone))


async def _read_joint(asked: tuple[str, bool], wishes: Sequence[tuple[datetime | None, bool]]) -> Overview:
    cookie_header, _ = asked
    async with transaction(Actor.system()) as tx:
        session = await accounts.find_session(tx, cookie_header)
        if session is None:
            raise errors.Unauthenticated
        await tx.go_on_as(session.actor)
        since = min((since for since, _ in wishes if since), default=None)
        listed = await chats.lists_or_changes(tx, since)
        alone = all(chats_alone for _, chats_alone in wishes)
        return Overview(session, listed, None if alone else await _around(tx))


async def _around(tx: Transaction) -> Surroundings:
    return Surroundings(
        cards=await integrations.read_cards(tx),
        invitations=await participants.read_invitations(tx),
        projects=await projects.read_all(tx),
        watches=await watches.read_all(tx),
        alerts=await sites.read_unseen(tx),
        preferences=await preferences.find(tx),
    )


_read = JointRead(_read_joint, at_once=AT_ONCE)
