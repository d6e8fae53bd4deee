"""The feeds of members' Drives, and the position up to which each has been listed and followed.

A worker claims a feed for a short time and extends the claim with every page. The rows of a page and the next token are
stored in one transaction. If a worker dies, nothing is lost or repeated.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, Literal

import sqlalchemy
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf import errors
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.google.files import Changes, DriveFile, Page
from leaf.services.library import pace, sight

PRESENT: Final = timedelta(seconds=55)
"""The time after which a feed is due again if its member is present or has followed quotes."""
ABSENT: Final = timedelta(hours=1)
"""The time after which the feed of any other member is due again."""
RELIST: Final = timedelta(days=7)
"""The time after which everything is listed again, because changes of groups need not appear in a feed."""
CLAIM: Final = timedelta(seconds=60)
"""The time after which a claim ends unless a page is stored."""
FIRST_RETRY: Final = timedelta(seconds=5)
RETRY: Final = timedelta(minutes=1)
"""The interval in which one of all feeds that fail in the same way is tried again (decision 0102)."""
LAST_RETRY: Final = timedelta(minutes=15)
"""The longest pause of a feed that fails."""

Kind = Literal["followed", "listed"]
"""`followed`: the changes of a feed are read. `listed`: everything in the feed is listed first."""


class Overtaken(Exception):
    """This worker has lost its claim of the feed. Another worker has claimed it, or the member has disconnected."""

    def __init__(self) -> None:
        super().__init__("the feed of a Drive is no longer this worker's")


@dataclass(frozen=True)
class Feed:
    """A feed that a worker has claimed, and the position in it."""

    actor: Actor
    drive_id: str
    """The Shared Drive; empty for the member's own feed."""
    claim: int
    stage: str
    change_token: str | None
    page_token: str | None
    listing: int
    is_first: bool
    """Whether the files of the listing count as old instead of new. It is true until the first listing is complete,
    except for a Shared Drive that was found after the member's own feed had been listed."""
    failures: int = 0
    """The number of failures in a row."""
    error: str | None = None
    """The code of the last failure; None if there is none."""


@dataclass(frozen=True)
class Due:
    """A feed that can be claimed."""

    actor: Actor
    drive_id: str


async def open_first(tx: Transaction, *, same_account: bool = False) -> None:
    """Opens the feed of a member who has just connected Drive, unless the member does not let Leaf keep texts.

    Args:
        tx: The transaction that stores the grant.
        same_account: Whether the grant replaces a grant for the same Google account. If so, its files are listed again.
            Otherwise, everything stored from the former account is deleted first.
    """
    if not same_account:
        await delete_index(tx)
    if not await keeps_texts(tx):
        return
    made = insert(models.DriveFeed).values(user_id=tx.actor.member_id, workspace_id=tx.actor.own_workspace_id)
    reset = {
        "stage": "new", "change_token": None, "page_token": None, "claimed_until": None, "failures": 0, "error": None,
        "claim": models.DriveFeed.claim + 1, "retry_at": models.utc_now(),
    }  # fmt: skip
    await tx.session.exec(made.on_conflict_do_update(index_elements=["user_id", "drive_id"], set_=reset))
    # Feeds of Shared Drives may have failed because of the former grant.
    await tx.session.exec(
        sqlalchemy.update(models.DriveFeed)
        .where(col(models.DriveFeed.user_id) == tx.actor.member_id, col(models.DriveFeed.failures) > 0)
        .values(failures=0, error=None, retry_at=models.utc_now())
    )


async def open_missing() -> int:
    """Opens feeds for connected members who have none; returns their number."""
    async with transaction(Actor.system()) as tx:
        return (await tx.call("leaf_open_drive_feeds")).scalar_one()


async def delete_index(tx: Transaction) -> None:
    """Deletes the actor's feeds, sight, and the texts of files that answers have opened (`documents`).

    Texts of the index (`drive_texts`) that nobody sees any more are deleted by `file_texts.forget`, within a minute.
    """
    person = tx.actor.member_id
    await tx.session.exec(sqlalchemy.delete(models.DriveFeed).where(col(models.DriveFeed.user_id) == person))
    await tx.session.exec(sqlalchemy.delete(models.VisibleFile).where(col(models.VisibleFile.user_id) == person))
    await tx.session.exec(sqlalchemy.delete(models.Document).where(col(models.Document.user_id) == person))


async def keeps_texts(tx: Transaction, *, lock: bool = False) -> bool:
    """Whether Leaf may keep the texts of the actor's Drive. It may, unless the member has turned that off.

    Args:
        tx: A transaction of the member.
        lock: Whether to lock the connection until the commit, so that neither it nor the choice changes. The result is
            then False if Drive is not connected.
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
    """Stores whether Leaf may keep the texts of the actor's Drive. The choice outlives the connection."""
    values = {"keeps_texts": keeps, "updated_at": models.utc_now()}
    put = insert(models.UserSettings).values(user_id=tx.actor.member_id, keeps_texts=keeps)
    await tx.session.exec(put.on_conflict_do_update(index_elements=["user_id"], set_=values))


async def due(most: int, kind: Kind | None = None) -> list[Due]:
    """Feeds that are due for a listing or for their next changes, the most urgent first.

    Args:
        most: The largest number of feeds to return.
        kind: The kind of the feeds; None for both.
    """
    followed = ABSENT if await pace.is_ahead() else PRESENT
    async with transaction(Actor.system(), read_only=True) as tx:
        rows = await tx.call("leaf_due_drive_feeds", PRESENT, followed, ABSENT, RELIST, kind, most)
        return [Due(Actor.worker_for(row.user_id, row.workspace_id), row.drive_id) for row in rows]


async def claim(wanted: Due) -> Feed | None:
    """Claims a feed. Returns None if another worker has claimed it, or if it no longer exists."""
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
        is_later = own is not None and own.listed_at is not None and row.created_at > own.listed_at
        return Feed(
            wanted.actor, row.drive_id, row.claim, row.stage, row.change_token, row.page_token, row.listing,
            row.listed_at is None and not is_later, row.failures, row.error if row.failures else None,
        )  # fmt: skip


async def begin_listing(feed: Feed, change_token: str) -> Feed:
    """Stores the position in the feed before a listing begins, so that changes during the listing are read after it.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    begun = replace(feed, stage="listing", change_token=change_token, page_token=None, listing=feed.listing + 1)
    async with transaction(feed.actor) as tx:
        await _advance(tx, begun, stage=begun.stage, change_token=change_token, page_token=None, listing=begun.listing)
    return begun


async def store_page(feed: Feed, page: Page) -> Feed:
    """Stores a page of a listing with the token of the next page. The last page removes files that were not listed.

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
    """Stores a page of changes with the token of the next page.

    If a folder appears or disappears, everything is listed again, because the feed need not name the files in it.

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
    """Opens a feed for each Shared Drive of the member, and deletes the feeds of lost Shared Drives.

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


async def delete_feed(feed: Feed) -> None:
    """Deletes the feed of a Shared Drive that the member has lost, with everything seen through it.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    async with transaction(feed.actor) as tx:
        await _advance(tx, feed)
        await _drop(tx, feed.drive_id)


async def start_over(feed: Feed) -> None:
    """Marks a feed for a new listing, because Google no longer accepts the token.

    The rows stay until the listing is complete.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    async with transaction(feed.actor) as tx:
        await _advance(tx, feed, stage="new", change_token=None, page_token=None, claimed_until=None)


async def release(feed: Feed) -> None:
    """Ends the claim of a feed that was read to its end.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
    async with transaction(feed.actor) as tx:
        await _advance(tx, feed, claimed_until=None)


async def fail(feed: Feed, error: errors.LeafError) -> timedelta:
    """Ends the claim of a feed that could not be read; returns the time after which it is tried again.

    A single failing feed is tried again within a minute. Several feeds that fail in the same way take turns, one
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
    """Makes all feeds that fail in the same way due at once, because one of them can be read again.

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
    """Changes the row of a claimed feed, and extends the claim.

    Raises:
        Overtaken: The feed is no longer this worker's.
    """
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
    """The files for which this feed is responsible. A file of a Shared Drive belongs to the feed of that Drive."""
    found = list(files)
    if feed.drive_id:
        return [file for file in found if file.drive_id == feed.drive_id]
    others = select(models.DriveFeed.drive_id).where(col(models.DriveFeed.user_id) == feed.actor.member_id)
    drives = set((await tx.session.exec(others)).all())
    return [file for file in found if file.drive_id is None or file.drive_id not in drives]


async def _drop(tx: Transaction, drive_id: str) -> None:
    # Delete the feed before its files. A worker of this feed locks them in the same order, so that no deadlock can
    # occur.
    await tx.session.exec(
        sqlalchemy.delete(models.DriveFeed).where(
            col(models.DriveFeed.user_id) == tx.actor.member_id, col(models.DriveFeed.drive_id) == drive_id
        )
    )
    await sight.remove_feed(tx, drive_id)
