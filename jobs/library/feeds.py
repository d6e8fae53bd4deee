"""Reads the feeds of members' Drives: all files are listed once, then the changes are followed."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from jobs.library import claims
from leaf import errors
from leaf.google.drive import Drive
from leaf.google.transport import Patience
from leaf.services.integrations import UserDrive
from leaf.services.library import feeds
from leaf.services.library.feeds import Feed, Kind, Overtaken

log = logging.getLogger(__name__)

PLACES: Mapping[Kind, int] = {"followed": 4, "listed": 2}
"""The number of feeds that one worker reads at the same time. Most of the time they wait for Google. Listings have
places of their own, because the listing of a large Drive takes long and changes of files must not wait for it."""
SILENCE_SECONDS = 20.0
"""The timeout of a call to Google. A call and its retry end within the claim, so that their failure can be stored."""
PROBE_SECONDS = 10.0
"""The timeout of the first call after a failure."""
_REFUSED_TOKEN = frozenset({400, 404, 410})
_GONE = frozenset({403, 404})


async def claim_due(kind: Kind | None = None) -> Feed | None:
    """Claims the most urgent feed that is due; None if no feed is due, or other workers have claimed all.

    Args:
        kind: Only feeds that are being listed, or only feeds that are being followed; None for both.
    """
    for due in await feeds.due(sum(PLACES.values()), kind):
        claiming = asyncio.create_task(feeds.claim(due))
        try:
            feed = await asyncio.shield(claiming)
        except asyncio.CancelledError:
            # The claim may be stored already.
            with suppress(errors.DatabaseUnavailable):
                if (feed := await asyncio.shield(claiming)) is not None:
                    await asyncio.shield(_give_back(feed))
            raise
        if feed is not None:
            return feed
    return None


async def _give_back(feed: Feed) -> None:
    """Releases the feed of a worker that ends, so that another worker continues at once. Failures are ignored."""
    with suppress(Overtaken, errors.DatabaseUnavailable):
        await feeds.release(feed)


async def follow(feed: Feed) -> bool:
    """Continues to read a feed. Always returns True, because another feed may be due already.

    Raises:
        errors.DatabaseUnavailable: The database does not answer; the feed is released when it does.
    """
    try:
        try:
            if await _read(feed) and feed.error is not None:
                await feeds.wake(feed.error)
        except errors.DriveError as error:
            wait = await feeds.fail(feed, error)
            log.info("reading a Drive feed failed, it continues in %d s: %s", wait.total_seconds(), error.code)
        except asyncio.CancelledError:
            await asyncio.shield(_give_back(feed))
            raise
        except errors.DatabaseUnavailable:
            claims.release_in_background(partial(feeds.release, feed), feeds.CLAIM)
            raise
    except Overtaken:
        log.info("stopped reading a Drive feed: another worker has claimed it, or the Drive was disconnected")
    return True


async def _read(feed: Feed) -> bool:
    """Reads a feed; returns whether its current end was reached.

    Raises:
        Overtaken: The feed is no longer this worker's.
        errors.DriveError: Google does not answer, or the grant is gone.
    """
    access = UserDrive(feed.actor)
    if feed.failures:
        # As long as Drive fails, only one cheap call is made.
        await Drive(access, patience=Patience(attempts=1), timeout_seconds=PROBE_SECONDS).about()
    drive = Drive(access, timeout_seconds=SILENCE_SECONDS)
    if feed.drive_id:
        try:
            return await _list_and_follow(drive, feed)
        except errors.DriveRefused as refused:
            if refused.status not in _GONE:
                raise
            await feeds.delete_feed(feed)
            return False
    await feeds.store_drives(feed, [(one["id"], one["name"]) for one in await drive.drives()])
    return await _list_and_follow(drive, feed)


async def _list_and_follow(drive: Drive, feed: Feed) -> bool:
    if feed.stage == "new":
        feed = await feeds.begin_listing(feed, await drive.start_token(drive_id=feed.drive_id))
    while feed.stage == "listing":
        try:
            page = await drive.page(feed.page_token, drive_id=feed.drive_id)
        except errors.DriveRefused as refused:
            if feed.page_token is None or refused.status not in _REFUSED_TOKEN:
                raise
            await feeds.start_over(feed)
            return False
        feed = await feeds.store_page(feed, page)
    if feed.change_token is None:
        await feeds.start_over(feed)
        return False
    last = False
    while not last and feed.change_token is not None:
        try:
            changes = await drive.changes(feed.change_token, drive_id=feed.drive_id)
        except errors.DriveRefused as refused:
            if refused.status not in _REFUSED_TOKEN or (feed.drive_id and refused.status in _GONE):
                raise
            await feeds.start_over(feed)
            return False
        feed = await feeds.store_changes(feed, changes)
        last = changes.last
    await feeds.release(feed)
    return True
