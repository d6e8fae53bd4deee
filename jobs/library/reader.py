"""Reads the texts of members' files while no answer is being written.

Files are read one after the other. Cited files whose quotes are due for a check are read in a separate loop, so that
they do not wait behind a file that takes minutes.
"""

import asyncio
import logging
from contextlib import suppress
from functools import partial

from jobs import registry
from jobs.library import claims
from leaf import errors, texts
from leaf.db.session import Actor
from leaf.documents import Document, Unreadable
from leaf.documents.chunks import chunks_of
from leaf.google import content, refusals
from leaf.google.causes import Cause
from leaf.google.diagnosis import Diagnosis
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.services.integrations import UserDrive
from leaf.services.library import file_texts
from leaf.services.library.file_texts import Claimed, Lane, Waiting

log = logging.getLogger(__name__)

MEMBERS = 8
CITED_MEMBERS = 50
"""The number of members with unread files whose cited files are searched at a time. Most members have none."""
QUICK_SECONDS = 20.0
"""The time limit of a cited file. A file that takes longer is read with the slow files, so that it delays no others."""
FILES = 10
"""The number of files of one member that are read before the next member's turn."""
_FORBIDDEN = 403
_MEMBER_STATUSES = frozenset({_FORBIDDEN, 404, 410})
"""HTTP statuses of refusals that concern only this member. Others, such as for an export that is too large, concern
everybody."""
_FILE_CAUSES = frozenset({
    Cause.GOOGLE_FORMAT, Cause.NOT_EXPORTABLE, Cause.ABUSIVE, Cause.ABUSE_ACKNOWLEDGED, Cause.DOWNLOAD_QUOTA,
})  # fmt: skip
"""Causes that concern everybody although their status is in `_MEMBER_STATUSES`."""


async def read_waiting() -> bool:
    """Reads some unread files of some members; returns whether any was read."""
    return await _read_some(MEMBERS)


async def read_cited() -> bool:
    """Reads some changed files whose quotes or figures are due; returns whether any was read.

    Large files, and files that take longer than `QUICK_SECONDS`, are left to `read_slow_cited`.
    """
    return await _read_some(CITED_MEMBERS, "quick")


async def read_slow_cited() -> bool:
    """Reads some of the changed files that `read_cited` leaves out; returns whether any was read."""
    return await _read_some(CITED_MEMBERS, "slow")


async def _read_some(members: int, cited: Lane | None = None) -> bool:
    some = False
    for actor in await file_texts.unread(members):
        for file in await file_texts.waiting(actor, FILES, cited):
            await registry.give_way()
            if not await _read(actor, file, QUICK_SECONDS if cited == "quick" else None):
                break
            some = True
    return some


async def _read(actor: Actor, file: Waiting, seconds: float | None = None) -> bool:
    """Reads one file; returns whether the member's next file is worth a try."""
    taken = await file_texts.claim_file(actor, file)
    if taken is None:
        return True
    if taken.attempt > file_texts.ATTEMPTS:
        # The file has killed its workers, or they have failed without storing a reason.
        await file_texts.retry(actor, taken, texts.english("refusals.too_complex"))
        return True
    renewing = asyncio.create_task(_renew(actor, taken))
    try:
        # Files without a time limit use the lane `slow`, so that they do not take the places of quick files.
        async with asyncio.timeout(seconds):
            return await _read_and_store(actor, file, taken, "" if seconds is not None else "slow")
    except TimeoutError:
        await file_texts.retry(actor, taken, texts.english("refusals.slow", seconds=round(seconds or 0)))
        return True
    except asyncio.CancelledError:
        with suppress(errors.DatabaseUnavailable):
            await asyncio.shield(file_texts.release_file(actor, taken))
        raise
    except errors.DatabaseUnavailable:
        claims.release_in_background(partial(file_texts.release_file, actor, taken), file_texts.LEASE)
        raise
    finally:
        renewing.cancel()


async def _renew(actor: Actor, taken: Claimed) -> None:
    """Renews the lease of a file that is being read, until it is cancelled."""
    while True:
        await asyncio.sleep(file_texts.LEASE.total_seconds() / 3)
        try:
            await file_texts.renew(actor, taken)
        except errors.DatabaseUnavailable:
            log.info("the lease of a text cannot be renewed now")


async def _read_and_store(actor: Actor, file: Waiting, taken: Claimed, lane: str) -> bool:
    drive = Drive(UserDrive(actor))
    try:
        present = await drive.get_file(file.link)
        if present.trashed or not present.can_download:
            await file_texts.release_refused(actor, taken, gone=present.trashed)
            return True
        document = await _document(drive, file, present, lane)
    except Unreadable as unreadable:
        await file_texts.skip(actor, taken, unreadable.reason)
    except refusals.TooLargeToExport as refused:
        await file_texts.skip(actor, taken, refused.reason)
    except refusals.Changing as changing:
        # The feed will report the new revision, which is read then.
        await file_texts.retry(actor, taken, changing.message)
    except errors.DriveRefused as refused:
        if refused.status in _MEMBER_STATUSES and not _concerns_all(refused):
            await file_texts.release_refused(actor, taken, gone=refused.status != _FORBIDDEN, looks_open=True)
        else:
            await file_texts.skip(actor, taken, refused.reason, again=True)
    except (errors.DriveNotConnected, errors.DriveRevoked):
        await file_texts.release_file(actor, taken)
        return False
    except errors.DriveError as error:
        await file_texts.retry(actor, taken, error.message)
        return False
    else:
        await file_texts.keep(actor, taken, document, await asyncio.to_thread(chunks_of, document))
    return True


def _concerns_all(refused: errors.DriveRefused) -> bool:
    return isinstance(refused.cause, Diagnosis) and refused.cause.cause in _FILE_CAUSES


async def _document(drive: Drive, file: Waiting, present: DriveFile, lane: str) -> Document:
    """The document in the revision that the feed has reported.

    Raises:
        refusals.Changing: The file has another revision now.
    """
    if present.revision != file.revision:
        raise refusals.Changing
    # Quick files are read patiently, too. Otherwise pictures may be skipped, and a part of the text would be stored.
    document = await content.read(drive, present, patient=True, lane=lane)
    # An export has no checksum, so the revision is compared again after the export.
    if present.md5 is None and (await drive.get_file(file.link)).revision != file.revision:
        raise refusals.Changing
    return document
