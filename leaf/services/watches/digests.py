"""The daily e-mail about a member's watched questions: its content, its time, and whether a member wants it.

A worker (`jobs/digests`) claims a member's e-mail for an hour, sends it, and records which news it has sent. After a
failure it records nothing; the claim ends after an hour, and the next attempt follows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid5

from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf import config, errors, texts
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.google import providers
from leaf.services import comparisons
from leaf.services.comparisons import Sign
from leaf.services.watches import questions
from leaf.services.watches.questions import Watch

GATHERS: Final = timedelta(minutes=15)
"""The time for which the first news waits for further news."""
PAUSE: Final = timedelta(hours=1)
"""The time for which a worker holds an e-mail, and thus the time between two attempts."""
PERIOD: Final = timedelta(days=1)
"""The least time between two e-mails to a member."""
MOST_DIFFERENCES: Final = 10
"""The largest number of questions for which an e-mail shows the differences. The chats show all."""

_TAKE = text("""
    INSERT INTO digests AS d (user_id, next_at) VALUES (:person, now() + :pause)
    ON CONFLICT (user_id) DO UPDATE SET next_at = excluded.next_at WHERE d.wanted AND d.next_at <= now()
    RETURNING language
""")
_MARK_AS_MAILED = text("""
    UPDATE watches w SET mailed_at = sent.news_at
    FROM unnest(CAST(:ids AS uuid[]), CAST(:times AS timestamptz[])) AS sent (id, news_at)
    WHERE w.id = sent.id AND w.user_id = :person
""")


@dataclass(frozen=True)
class Digest:
    """An e-mail that a worker has claimed."""

    address: str
    language: str
    """One of `texts.LANGUAGES`."""
    news: Sequence[Watch]
    """The questions with news that have not been sent; at least one."""
    differences: Mapping[UUID, Sequence[tuple[Sign, str]]] = field(
        default_factory=dict[UUID, Sequence[tuple[Sign, str]]]
    )
    """The differences between the last two answers, by watch. Empty if the member may not read a file behind them."""

    @property
    def id(self) -> UUID:
        """The id of the e-mail. It is the same for the same news, so that mail programs show a repeated e-mail once."""
        return uuid5(self.news[0].id, " ".join(sorted(f"{one.id} {one.news_at}" for one in self.news)))


async def due(most: int) -> list[Actor]:
    """Members for whom an e-mail is due, in no order."""
    async with transaction(Actor.system(), read_only=True) as tx:
        rows = await tx.call("leaf_due_digests", most, GATHERS)
        return [Actor.worker_for(row.user_id, row.workspace_id) for row in rows]


async def claim(actor: Actor) -> Digest | None:
    """Claims the member's e-mail for an hour. Returns None if another worker holds it, or there is nothing to send.

    A member whose address no sign-in provider has verified gets no e-mail, because it may be somebody else's address.
    """
    async with transaction(actor) as tx:
        news = await questions.unmailed(tx)
        user = await tx.session.get(models.User, actor.member_id)
        proven = (await tx.session.exec(select(models.Identity.provider))).all()
        taken = (await tx.execute(_TAKE, {"person": actor.member_id, "pause": PAUSE})).one_or_none()
    if taken is None or not news or user is None or not proven or not providers.proving().issuperset(proven):
        return None
    differences = {one.id: await _difference(actor, one) for one in news[:MOST_DIFFERENCES]}
    return Digest(user.email, texts.preferred(taken.language, ""), news, differences)


async def _difference(actor: Actor, watch: Watch) -> Sequence[tuple[Sign, str]]:
    """The short difference between a watch's last answer and the answer before it.

    It is empty if Google does not confirm all files behind the answers, or if there is nothing to compare.
    """
    if watch.answer_id is None:
        return ()
    try:
        return await comparisons.to_send(actor, watch.answer_id)
    except errors.NotFound:
        return ()


async def settle(actor: Actor, digest: Digest, *, is_done: bool) -> None:
    """Schedules the next e-mail of the member for the next day.

    Args:
        actor: The member.
        digest: The e-mail that was sent, or that the recipient's server has refused.
        is_done: Whether to mark its news as sent, so that they are not sent again.
    """
    ids, times = [one.id for one in digest.news], [one.news_at for one in digest.news]
    async with transaction(actor) as tx:
        if is_done:
            await tx.execute(_MARK_AS_MAILED, {"ids": ids, "times": times, "person": actor.member_id})
        await tx.execute(
            "UPDATE digests SET next_at = now() + :period WHERE user_id = :person",
            {"period": PERIOD, "person": actor.member_id},
        )


async def wanted(actor: Actor, *, language: str) -> bool | None:
    """Whether the member wants the e-mail; None if this Leaf sends no e-mail. Stores the language for the next e-mail.

    Args:
        actor: The member.
        language: The language of the member's page, one of `texts.LANGUAGES`.
    """
    if not config.current().smtp_url:
        return None
    return await _store(actor, language=language)


async def choose(actor: Actor, *, wants: bool, language: str) -> bool:
    """Turns the member's e-mail on or off; returns the choice."""
    return await _store(actor, wanted=wants, language=language)


async def _store(actor: Actor, **values: Any) -> bool:
    """Stores choices of a member; returns whether the e-mail is wanted."""
    table = models.Digest
    put = insert(table).values(user_id=actor.member_id, **values)
    put = put.on_conflict_do_update(index_elements=["user_id"], set_=values).returning(col(table.wanted))
    async with transaction(actor) as tx:
        return (await tx.session.exec(put)).scalar_one()
