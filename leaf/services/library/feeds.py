"""The feeds of members' Drives: how far each has been listed and followed.

A worker claims a feed for a short time and extends the claim with every page. The rows of a page and the next token are
stored in one transaction, so that a worker that dies loses and repeats nothing.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, Literal
from uuid import UUID

import sqlalchemy
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf import errors
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.google.files import Changes, DriveFile, Page
from leaf.services.library import pace, sight

PRESENT: Final = timedelta(seconds=55)
"""The age of a check after which the feed of a member is read on who is there, or has followed quotes."""
ABSENT: Final = timedelta(hours=1)
"""The same for other members."""
RELIST: Final = timedelta(days=7)
"""The age of a listing after which everything is listed again: changes of groups need not appear in a feed."""
CLAIM: Final = timedelta(seconds=60)
"""The time for which a claim lasts without a stored page."""
FIRST_RETRY: Final = timedelta(seconds=5)
RETRY: Final = timedelta(minutes=1)
"""The time between two looks at the feeds that fail in the same way, at all of them together (decision 0102)."""
LAST_RETRY: Final = timedelta(minutes=15)
"""The longest pause of one of them."""

Kind = Literal["followed", "listed"]
"""Whether the changes of a feed are followed, or everything in it is listed first."""


class Overtaken(Exception):
    """The feed is no longer this worker's: another one has taken it, or the member has disconnected."""

    def __init__(self) -> None:
        super().__init__("the feed of a Drive is no longer this worker's")


@dataclass(frozen=True)
class Feed:
    """A feed that a worker has claimed, and its place."""

    actor: Actor
    drive_id: str
    """The Shared Drive; empty for the member's own feed."""
    claim: int
    stage: str
    change_token: str | None
    page_token: str | None
    listing: int
    is_first: bool
    """Whether the listing shows what was there before: none was complete, and the Shared Drive, if it is one, was known
    when the member's own feed was listed."""
    failures: int = 0
    """The number of times in a row that it could not be read on."""
    error: str | None = None
    """The code of the last of these failures; None if there is none."""


@dataclass(frozen=True)
class Due:
    """A feed that can be claimed."""

    actor: Actor
    drive_id: str


async def open_first(tx: Transaction, *, same_account: bool = False) -> None:
    """Opens the feed of a member who has just connected Drive, unless the member has Leaf keep no texts.

    Args:
        tx: The transaction that stores the grant.
        same_account: Whether the grant replaces one for the same Google account. Its files are then listed again;
            otherwise everything that another account has shown is forgotten first.
    """
    if not same_account:
        await forget(tx)
    if not await keeps_texts(tx):
        return
    made = insert(models.DriveFeed).values(user_id=tx.actor.member_id, workspace_id=tx.actor.own_workspace_id)
    afresh = {
        "stage": "new", "change_token": None, "page_token": None, "claimed_until": None, "failures": 0, "error": None,
        "claim": models.DriveFeed.claim + 1, "retry_at": models.utc_now(),
    }  # fmt: skip
    await tx.session.exec(made.on_conflict_do_update(index_elements=["user_id", "drive_id"], set_=afresh))
    # Those of Shared Drives have failed with the grant before.
    await tx.session.exec(
        sqlalchemy.update(models.DriveFeed)
        .where(col(models.DriveFeed.user_id) == tx.actor.member_id, col(models.DriveFeed.failures) > 0)
        .values(failures=0, error=None, retry_at=models.utc_now())
    )


async def open_missing() -> int:
    """Opens the feeds of connected members who have none; returns how many."""
    async with transaction(Actor.system()) as tx:
        return (await tx.call("leaf_open_drive_feeds")).scalar_one()


async def forget(tx: Transaction) -> None:
    """Forgets the actor's Drive: feeds, sight and the texts of files that answers opened (`documents`). Texts of the
    index (`drive_texts`) that nobody sees any more are deleted by `texts.forget`, within a minute.
    """
    person = tx.actor.member_id
    await tx.session.exec(sqlalchemy.delete(models.DriveFeed).where(col(models.DriveFeed.user_id) == person))
    await tx.session.exec(sqlalchemy.delete(models.DriveSight).where(col(models.DriveSight.user_id) == person))
    await tx.session.exec(sqlalchemy.delete(models.Document).where(col(models.Document.user_id) == person))


async def keeps_texts(tx: Transaction, *, lock: bool = False) -> bool:
    """Whether the actor has Leaf keep the texts of their Drive, as everybody has who has not stopped it.

    Args:
        tx: A transaction of the member.
        lock: Whether the choice, and the connection, must stay until the commit; false without a connection then.
    """
    person = tx.actor.member_id
    if lock:
        connected = select(models.Integration.id).where(
            col(models.Integration.user_id) == person,
            col(models.Integration.workspace_id) == tx.actor.own_workspace_id,
            col(models.Integration.provider) == models.IntegrationProvider.GOOGLE_DRIVE,
        )
        if (await tx.session.exec(connected.with_for_update(read=True))).first() is None:
            return False
    chosen = select(models.UserSettings.keeps_texts).where(col(models.UserSettings.user_id) == person)
    return (await tx.session.exec(chosen)).one_or_none() is not False


async def choose(tx: Transaction, *, keeps: bool) -> None:
    """Stores whether Leaf keeps the texts of the actor's Drive. The choice outlives the connection."""
    values = {"keeps_texts": keeps, "updated_at": models.utc_now()}
    put = insert(models.UserSettings).values(user_id=tx.actor.member_id, keeps_texts=keeps)
    await tx.session.exec(put.on_conflict_do_update(index_elements=["user_id"], set_=values))


async def due(most: int, kind: Kind | None = None) -> list[Due]:
    """Feeds to be listed or read on, the most urgent first.

    Args:
        most: The largest number of them.
        kind: Only those of one kind.
    """
    followed = ABSENT if await pace.is_ahead() else PRESENT
    async with transaction(Actor.system(), read_only=True) as tx:
        rows = await tx.call("leaf_due_drive_feeds", PRESENT, followed, ABSENT, RELIST, kind, most)
        return [Due(Actor.worker_for(row.user_id, row.workspace_id), row.drive_id) for row in rows]


async def claim(wanted: Due) -> Feed | None:
    """Claims a feed; None if another worker has it, or if it is gone."""
    async with transaction(wanted.actor) as tx:
        row = (await tx.session.exec(_row(wanted.actor, wanted.drive_id).with_for_update(skip_locked=True))).first()
        now = models.utc_now()
        if row is None or (row.claimed_until is not None and row.claimed_until > now):
            return None
        if row.stage == "following" and (row.listed_at is None or now - row.listed_at > RELIST):
            row.stage = "new"
        row.claim += 1
        row.claimed_until = now + CLAIM
        tx.session.add(row)
        own = (await tx.session.exec(_row(wanted.actor, ""))).one_or_none()
        has_joined = own is not None and own.listed_at is not None and row.created_at > own.listed_at
        return Feed(
            wanted.actor, row.drive_id, row.claim, row.stage, row.change_token, row.page_token, row.listing,
            row.listed_at is None and not has_joined, row.failures, row.error if row.failures else None,
        )  # fmt: skip


async def begin_listing(feed: Feed, change_token: str) -> Feed:
    """Notes the place in the feed before a listing begins: changes during the listing are behind it.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    begun = replace(feed, stage="listing", change_token=change_token, page_token=None, listing=feed.listing + 1)
    async with transaction(feed.actor) as tx:
        await _advance(tx, begun, stage=begun.stage, change_token=change_token, page_token=None, listing=begun.listing)
    return begun


async def store_page(feed: Feed, page: Page) -> Feed:
    """Stores a page of a listing with the token of the next; behind the last page, what it did not show is gone.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    last = page.next_token is None
    after = replace(
        feed, stage="following" if last else "listing", page_token=page.next_token, is_first=feed.is_first and not last
    )
    async with transaction(feed.actor) as tx:
        values: dict[str, Any] = {"stage": after.stage, "page_token": after.page_token}
        if last:
            values |= {"listed_at": models.utc_now(), "error": None, "failures": 0}
        await _advance(tx, after, **values)
        files = await _own(tx, feed, page.files)
        await sight.store(tx, files, feed=feed.drive_id, listing=feed.listing, are_new=not feed.is_first)
        if last:
            await sight.remove_unlisted(tx, feed.drive_id, feed.listing)
    return after


async def store_changes(feed: Feed, changes: Changes) -> Feed:
    """Stores a page of changes with the place behind it.

    A folder that comes or goes takes files along that the feed need not name, so everything is then listed again.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    after = replace(feed, change_token=changes.next_token)
    gone = [*changes.removed, *(file.id for file in changes.files if file.trashed)]
    async with transaction(feed.actor) as tx:
        values: dict[str, Any] = {"change_token": after.change_token}
        if changes.last:
            values |= {"checked_at": models.utc_now(), "error": None, "failures": 0}
        await _advance(tx, after, **values)
        present = await _own(tx, feed, [file for file in changes.files if not file.trashed])
        folders = [file.id for file in present if file.is_folder]
        is_wider = len(await sight.known(tx, folders)) < len(folders)
        await sight.store(tx, present, feed=feed.drive_id, listing=feed.listing)
        if await sight.remove(tx, gone) or is_wider:
            await _advance(tx, after, stage="new")
    return after


async def store_drives(feed: Feed, drives: Collection[tuple[str, str]]) -> None:
    """Opens a feed for each Shared Drive of the member, and forgets those that are no longer theirs.

    Args:
        feed: The member's own feed.
        drives: Id and name of every Shared Drive.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    person, ids = feed.actor.member_id, [drive_id for drive_id, _ in drives]
    async with transaction(feed.actor) as tx:
        await _advance(tx, feed)
        known = select(models.DriveFeed.drive_id).where(
            col(models.DriveFeed.user_id) == person, col(models.DriveFeed.drive_id) != ""
        )
        for drive_id in set((await tx.session.exec(known)).all()) - set(ids):
            await _drop(tx, drive_id)
        if ids:
            rows = [
                {"user_id": person, "drive_id": drive_id, "workspace_id": feed.actor.own_workspace_id, "name": name}
                for drive_id, name in drives
            ]
            made = insert(models.DriveFeed).values(rows)
            changed = made.on_conflict_do_update(
                index_elements=["user_id", "drive_id"],
                set_={"name": made.excluded.name},
                where=col(models.DriveFeed.name) != made.excluded.name,
            )
            await tx.session.exec(changed)


async def drop(feed: Feed) -> None:
    """Forgets a Shared Drive that is no longer the member's.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    async with transaction(feed.actor) as tx:
        await _advance(tx, feed)
        await _drop(tx, feed.drive_id)


async def start_over(feed: Feed) -> None:
    """Has everything listed again: Google no longer takes the token. The rows stay until the listing is complete.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    async with transaction(feed.actor) as tx:
        await _advance(tx, feed, stage="new", change_token=None, page_token=None, claimed_until=None)


async def release(feed: Feed) -> None:
    """Gives a feed back that is read to its end.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    async with transaction(feed.actor) as tx:
        await _advance(tx, feed, claimed_until=None)


async def fail(feed: Feed, error: errors.LeafError) -> timedelta:
    """Gives a feed back that could not be read on; returns the time after which it is tried again.

    A single failing feed is tried again after up to a minute. Several feeds that fail in the same way take turns, one
    per minute, and each waits for at most 15 minutes. The first that can be read again wakes the others (`wake`).

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    async with transaction(feed.actor) as tx:
        row = (await tx.session.exec(_row(feed.actor, feed.drive_id))).one_or_none()
        failures = row.failures if row is not None else 0
        least = min(FIRST_RETRY * 2 ** min(failures, 10), RETRY)
        wait = (
            await tx.call("leaf_drive_feed_pause", feed.drive_id, error.code, least, RETRY, LAST_RETRY)
        ).scalar_one()
        await _advance(
            tx, feed, failures=failures + 1, error=error.code, retry_at=models.utc_now() + wait, claimed_until=None
        )
        return wait


async def wake(error: str) -> None:
    """Has all feeds tried at once that failed in the same way as one that can be read again.

    Args:
        error: The code of the failure.
    """
    async with transaction(Actor.system()) as tx:
        await tx.call("leaf_wake_drive_feeds", error)


def _row(actor: Actor, drive_id: str) -> Any:
    return select(models.DriveFeed).where(
        col(models.DriveFeed.user_id) == actor.member_id, col(models.DriveFeed.drive_id) == drive_id
    )


async def _advance(tx: Transaction, feed: Feed, **values: Any) -> None:
    """Changes the row of a claimed feed, and extends the claim."""
    now = models.utc_now()
    changed = (
        sqlalchemy.update(models.DriveFeed)
        .where(
            col(models.DriveFeed.user_id) == feed.actor.member_id,
            col(models.DriveFeed.drive_id) == feed.drive_id,
            col(models.DriveFeed.claim) == feed.claim,
        )
        .values({"claimed_until": now + CLAIM, "updated_at": now} | values)
    )
    if not (await tx.session.exec(changed)).rowcount:
        raise Overtaken


async def _own(tx: Transaction, feed: Feed, files: Iterable[DriveFile]) -> list[DriveFile]:
    """The files for which this feed is responsible: a file of a Shared Drive belongs to the feed of that Drive."""
    found = list(files)
    if feed.drive_id:
        return [file for file in found if file.drive_id == feed.drive_id]
    others = select(models.DriveFeed.drive_id).where(col(models.DriveFeed.user_id) == feed.actor.member_id)
    drives = set((await tx.session.exec(others)).all())
    return [file for file in found if file.drive_id is None or file.drive_id not in drives]


async def _drop(tx: Transaction, drive_id: str) -> None:
    person: UUID = tx.actor.member_id
    # The feed first, as its own step locks it: the other way round, the two would wait for each other.
    await tx.session.exec(
        sqlalchemy.delete(models.DriveFeed).where(
            col(models.DriveFeed.user_id) == person, col(models.DriveFeed.drive_id) == drive_id
        )
    )
    await sight.remove_feed(tx, drive_id)
