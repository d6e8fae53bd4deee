"""The files that a member can see: rows that the member's own token has shown, and Google's confirmation before a use.

Neither a row nor a stored text is a permission. `confirm` asks Google with the member's own token before a stored text
is used. Files for which Google does not answer are not used.
"""

import asyncio
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import sqlalchemy
from sqlalchemy import ColumnElement, func, text
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col, select

from leaf import errors, redis, texts
from leaf.db import models
from leaf.db.session import Actor, Transaction, transaction
from leaf.google.diagnosis import Diagnosis
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.google.transport import Patience
from leaf.redis import events

CONFIRM_SECONDS: Final = 2.0
"""The longest wait for Google's answers. Files without an answer are not used."""
REVOKED_SECONDS: Final = 60
"""The longest time for which a file is still used after the member has lost access to it."""
CONFIRMED_SECONDS: Final = REVOKED_SECONDS - int(CONFIRM_SECONDS)
"""The time for which an answer of Google is valid. An answer may be `CONFIRM_SECONDS` old when it arrives."""
REFUSED_FOR: Final = timedelta(hours=1)
"""The time for which a refused download counts, even if Google lists the file as downloadable."""
_SEEN: Final = models.VisibleFile
_BATCH: Final = 500
_LONG_AGO: Final = datetime.fromtimestamp(0, UTC)
_DEPTH: Final = 50
"""The largest number of folders in a path. The limit ends circles, which shortcuts or concurrent changes can cause."""
_CHANGED: Final = (
    "feed", "listing", "revision", "parent_id", "name", "mime_type", "kind", "url", "size_bytes", "modified_at",
    "can_download", "drive_id", "resource_key", "seen_at",
)  # fmt: skip
_ABOVE = text("""
    WITH RECURSIVE above (start, file_id, parent_id, name, depth) AS (
        SELECT s.file_id, s.file_id, s.parent_id, NULL, 0 FROM drive_sight s
        WHERE s.user_id = :person AND s.file_id = ANY (:files)
        UNION ALL
        SELECT a.start, s.file_id, s.parent_id, s.name, a.depth + 1
        FROM above a JOIN drive_sight s ON s.user_id = :person AND s.file_id = a.parent_id
        WHERE a.depth < :most
    )
    SELECT a.start, string_agg(a.name, ' / ' ORDER BY a.depth DESC) AS path FROM above a WHERE a.depth > 0 GROUP BY 1
""")
_BELOW = text("""
    WITH RECURSIVE below (file_id) AS (
        SELECT s.file_id FROM drive_sight s WHERE s.user_id = :person AND s.file_id = ANY (:files)
        UNION
        SELECT s.file_id FROM below b JOIN drive_sight s ON s.user_id = :person AND s.parent_id = b.file_id
    )
    SELECT b.file_id FROM below b
""")
_DOUBT = text("""
    UPDATE citations c SET due_at = CASE WHEN c.call = '' THEN now() END,
        compute_at = CASE WHEN c.call <> '' THEN now() END
    WHERE c.user_id = :person AND c.file_id = ANY (:files) AND c.state <> 'hidden'
        AND c.quoted_at > now() - interval '90 days'
        AND EXISTS (SELECT FROM drive_feeds f WHERE f.user_id = c.user_id)
""")
"""Marks the quotes of files as due, as the trigger `leaf_doubt_quotes` does for deleted rows. An answer can quote a
file without a row, because the file was gone before a feed had shown it, or was already in the bin."""


@dataclass(frozen=True)
class Confirmation:
    """Google's answers about files."""

    revisions: Mapping[str, str] = field(default_factory=dict[str, str])
    """The present revisions of the files that the member may read, by id."""
    refused: frozenset[str] = frozenset()
    """Files that are gone, in the bin, or closed to the member. Google does not always say which."""
    unanswered: frozenset[str] = frozenset()
    """Files about which Google has not answered in time."""
    failure: errors.DriveError | None = None
    """The reason why Google has not answered about some files; None if the cause is not known."""


async def store(
    tx: Transaction, files: Sequence[DriveFile], *, feed: str = "", listing: int = 0, are_new: bool = True
) -> None:
    """Stores files that the actor's own token has shown. Existing rows are replaced.

    Args:
        tx: A transaction of the member.
        files: The files.
        feed: The feed that reports their changes.
        listing: The number of the feed's last full listing.
        are_new: Whether files without a row count as newly visible to the member. False for a first listing, whose
            files the member may have seen for years.
    """
    arrived = {} if are_new else {"arrived_at": _LONG_AGO}
    rows = {file.id: _row(tx.actor, file, feed, listing) | arrived for file in files}
    values = [*rows.values()]
    for start in range(0, len(values), _BATCH):
        made = insert(_SEEN).values(values[start : start + _BATCH])
        changes = {name: made.excluded[name] for name in _CHANGED}
        await tx.session.exec(made.on_conflict_do_update(index_elements=["user_id", "file_id"], set_=changes))
    await _announce(tx)


def _of(actor: Actor, files: Collection[str]) -> tuple[ColumnElement[bool], ...]:
    """The condition for the member's rows of files."""
    return col(_SEEN.user_id) == actor.member_id, col(_SEEN.file_id).in_(files)


async def known(tx: Transaction, files: Collection[str]) -> set[str]:
    """The files among these that are in the actor's sight."""
    query = select(_SEEN.file_id).where(*_of(tx.actor, files))
    return set((await tx.session.exec(query)).all()) if files else set()


async def remove(tx: Transaction, files: Collection[str]) -> bool:
    """Removes files, and everything below them, from the actor's sight. Marks their quotes as due.

    Returns:
        Whether a folder was among the removed files.
    """
    if not files:
        return False
    values = {"person": tx.actor.member_id, "files": list(files)}
    below = (await tx.execute(_BELOW, values)).scalars().all()
    gone = sqlalchemy.delete(_SEEN).where(*_of(tx.actor, below)).returning(col(_SEEN.kind))
    kinds = (await tx.session.exec(gone)).scalars().all() if below else ()
    await tx.execute(_DOUBT, values)
    await _announce(tx)
    return "folder" in kinds


async def remove_unlisted(tx: Transaction, feed: str, listing: int) -> None:
    """Removes the files of a feed that were not in its last full listing."""
    mine = col(_SEEN.user_id) == tx.actor.member_id, col(_SEEN.feed) == feed
    await tx.session.exec(sqlalchemy.delete(_SEEN).where(*mine, col(_SEEN.listing) < listing))
    await _announce(tx)


async def remove_feed(tx: Transaction, feed: str) -> None:
    """Removes the files of a feed that the actor has lost."""
    mine = col(_SEEN.user_id) == tx.actor.member_id, col(_SEEN.feed) == feed
    await tx.session.exec(sqlalchemy.delete(_SEEN).where(*mine))
    await _announce(tx)


async def _announce(tx: Transaction) -> None:
    """Notifies the actor's pages of chats whose sources this transaction has shown or hidden (`leaf_sight_changed`)."""
    mine = models.ChatParticipant
    changed = select(mine.chat_session_id).where(
        col(mine.user_id) == tx.actor.member_id, col(mine.changed_at) >= func.now()
    )
    if chats := (await tx.session.exec(changed)).all():
        topics = [events.user(tx.actor.member_id), *(events.chat(chat) for chat in chats)]
        tx.after_commit(events.publish, topics)


async def paths(tx: Transaction, files: Collection[str]) -> dict[str, str]:
    """The names of the folders above each file, from the top, separated by ` / `. Files at the top are left out."""
    rows = await tx.execute(_ABOVE, {"person": tx.actor.member_id, "files": list(files), "most": _DEPTH})
    return {row.start: row.path for row in rows}


async def parents(tx: Transaction, files: Collection[str]) -> dict[str, str | None]:
    """The id of the parent folder of each file or folder in the actor's sight; None at the top."""
    query = select(_SEEN.file_id, _SEEN.parent_id).where(*_of(tx.actor, files))
    return {row[0]: row[1] for row in (await tx.session.exec(query)).all()}


async def prioritise(actor: Actor, files: Collection[str]) -> None:
    """Moves files to the front of the index's queue, because the member has opened or found them."""
    if not files:
        return
    new = *_of(actor, files), col(_SEEN.wanted_at).is_(None)
    async with transaction(actor) as tx:
        # Most calls contain no new file, and then nothing is written.
        if (await tx.session.exec(select(_SEEN.file_id).where(*new).limit(1))).first() is not None:
            await tx.session.exec(sqlalchemy.update(_SEEN).where(*new).values(wanted_at=models.utc_now()))


async def confirm(actor: Actor, drive: Drive, files: Collection[str]) -> Confirmation:
    """Asks Google which files the member may read now, at most once a minute for each file.

    Args:
        actor: The member.
        drive: Drive with the member's own token.
        files: Ids of files.

    Returns:
        The answers. Files without an answer are in `unanswered` and must not be used; they raise no error.
    """
    known = await _remembered(actor, files)
    asked = [file for file in dict.fromkeys(files) if file not in known]
    keys, closed = await _rows(actor, asked)
    answers, failure = await _answers(drive, asked, keys)
    fresh = {
        file: answer.revision if answer is not None and _is_open(answer) else None for file, answer in answers.items()
    }
    await _remember(actor, fresh)
    if refused := {file for file, revision in fresh.items() if revision is None}:
        shut = {file for file in refused if (found := answers[file]) is not None and not found.trashed}
        async with transaction(actor) as tx:
            await refuse(tx, gone=refused - shut, closed=shut)
    await reopen(actor, closed & fresh.keys() - refused)
    known |= fresh
    return Confirmation(
        {file: revision for file, revision in known.items() if revision is not None},
        frozenset(file for file, revision in known.items() if revision is None),
        frozenset(files) - known.keys(),
        failure,
    )


async def require(actor: Actor, access: Any, files: Collection[str]) -> Mapping[str, str]:
    """The present revisions of files, by id, after Google has confirmed that the member may read all of them.

    Args:
        actor: The member.
        access: The member's access to Drive (`UserDrive`).
        files: Ids of files.

    Raises:
        errors.NotFound: A file is gone, or closed to the member.
        errors.DriveError: Drive is not connected, or does not answer.
    """
    confirmed = await confirm(actor, client(access), files)
    if confirmed.unanswered:
        # A missing connection raises its own error here.
        await access.credentials()
        raise no_answer(confirmed)
    if confirmed.refused:
        raise errors.NotFound("file")
    return confirmed.revisions


def no_answer(confirmed: Confirmation) -> errors.DriveError:
    """The error to raise if Google has not confirmed which files the member may read. It has the cause, if known.

    Args:
        confirmed: Google's answers.
    """
    return confirmed.failure or errors.DriveError(
        texts.english("errors.drive_unavailable"), status=503, code="drive_unavailable"
    )


async def resource_key(actor: Actor, file: str) -> str | None:
    """The resource key of a file from the member's own listing; None if there is none."""
    return (await _rows(actor, [file]))[0].get(file)


def client(access: Any) -> Drive:
    """A Drive client without retries, and with the timeout of `confirm`."""
    return Drive(access, patience=Patience(attempts=1), timeout_seconds=CONFIRM_SECONDS)


async def _answers(
    drive: Drive, files: Sequence[str], keys: Mapping[str, str]
) -> tuple[dict[str, DriveFile | None], errors.DriveError | None]:
    """Google's answers by file, and the failure for files without an answer.

    Returns:
        The files about which Google has answered in time, with None for a refused file. The failure is None if its
        cause is not known.
    """
    asking = {file: asyncio.create_task(drive.get_file(DriveLink(file, keys.get(file)))) for file in files}
    try:
        if asking:
            await asyncio.wait(asking.values(), timeout=CONFIRM_SECONDS)
        answers: dict[str, DriveFile | None] = {}
        cause: errors.DriveError | None = None
        for file, task in asking.items():
            if not task.done():
                continue
            failure = task.exception()
            if failure is None:
                answers[file] = task.result()
            elif _refuses_file(failure):
                answers[file] = None
            elif not isinstance(failure, errors.LeafError):
                raise failure
            elif cause is None and isinstance(failure, errors.DriveError) and failure.cause is not None:
                cause = failure
        return answers, cause
    finally:
        for task in asking.values():
            task.cancel()


def _refuses_file(failure: BaseException) -> bool:
    """Whether Google refuses this file. A failure of the whole connection says nothing about the file."""
    if not isinstance(failure, errors.DriveRefused) or failure.status not in {403, 404, 410}:
        return False
    return not (isinstance(failure.cause, Diagnosis) and failure.cause.concerns_connection)


def _is_open(file: DriveFile) -> bool:
    return file.can_download and not file.trashed


async def refuse(
    tx: Transaction, *, gone: Collection[str] = (), closed: Collection[str] = (), looks_open: bool = False
) -> None:
    """Stores that Google refuses files to the actor, and deletes the texts that were read for the actor.

    Args:
        tx: A transaction of the member.
        gone: Files that Google no longer shows to the member.
        closed: Files that Google shows, but that the member may not download.
        looks_open: Whether Google lists the closed files as downloadable, but has refused the download.
    """
    await remove(tx, gone)
    if closed:
        await tx.session.exec(
            sqlalchemy.update(_SEEN)
            .where(*_of(tx.actor, closed), col(_SEEN.can_download))
            .values(can_download=False, refused_at=func.now() if looks_open else None)
        )
        await _announce(tx)
    # Files that were opened by a link have no row in `drive_sight`, so their texts are deleted here.
    document = models.Document
    await tx.session.exec(
        sqlalchemy.delete(document).where(
            col(document.user_id) == tx.actor.member_id, col(document.file_id).in_({*gone, *closed})
        )
    )


async def reopen(actor: Actor, files: Collection[str]) -> None:
    """Marks closed files as readable again, because Google lists them as downloadable (`allow`)."""
    if files:
        async with transaction(actor) as tx:
            await allow(tx, files)


async def allow(tx: Transaction, files: Collection[str], *, has_read: bool = False) -> None:
    """Marks files as downloadable by the member. Nothing is written if none of them is closed.

    If Google has refused the download of a file that it lists as downloadable, the file stays closed for `REFUSED_FOR`.

    Args:
        tx: A transaction of the member.
        files: The files.
        has_read: Whether the files have just been downloaded. If so, no earlier refusal counts.
    """
    refused = func.coalesce(col(_SEEN.refused_at) >= func.now() - REFUSED_FOR, False)
    opened = await tx.session.exec(
        sqlalchemy.update(_SEEN)
        .where(*_of(tx.actor, files), ~col(_SEEN.can_download), ~(sqlalchemy.false() if has_read else refused))
        .values(can_download=True)
        .returning(col(_SEEN.file_id))
    )
    if opened.first() is not None:
        await _announce(tx)


async def note_shown(actor: Actor, file: str, revision: str) -> None:
    """Stores that Google has just shown a file for reading. An earlier answer that is still valid is not extended."""
    await _remember(actor, {file: revision}, replaces=False)


def _key(actor: Actor, file: str) -> str:
    return f"leaf:sight:{actor.member_id}:{file}"


async def _remembered(actor: Actor, files: Collection[str]) -> dict[str, str | None]:
    """The revisions from earlier answers that are still valid; None for a refused file."""
    wanted = list(dict.fromkeys(files))
    if not wanted:
        return {}
    try:
        with redis.guard():
            found = await redis.client().mget([_key(actor, file) for file in wanted])
    except errors.RedisUnavailable:
        return {}
    return {file: json.loads(value) for file, value in zip(wanted, found, strict=True) if value is not None}


async def _remember(actor: Actor, revisions: Mapping[str, str | None], *, replaces: bool = True) -> None:
    if not revisions:
        return
    with suppress(errors.RedisUnavailable), redis.guard():
        async with redis.client().pipeline(transaction=False) as pipe:
            for file, revision in revisions.items():
                pipe.set(_key(actor, file), json.dumps(revision), ex=CONFIRMED_SECONDS, nx=not replaces)
            await pipe.execute()


async def _rows(actor: Actor, files: Collection[str]) -> tuple[dict[str, str], set[str]]:
    """The resource keys of files from the member's own listings, and the ids of closed files."""
    if not files:
        return {}, set()
    query = select(_SEEN.file_id, _SEEN.resource_key, _SEEN.can_download).where(*_of(actor, files))
    async with transaction(actor, read_only=True) as tx:
        found = (await tx.session.exec(query)).all()
    return {file: key for file, key, _ in found if key}, {file for file, _, is_open in found if not is_open}


def _row(actor: Actor, file: DriveFile, feed: str, listing: int) -> dict[str, Any]:
    # Drive reports a shortcut with the kind of its target.
    kind = "shortcut" if file.is_shortcut else str(file.kind)
    return {
        "user_id": actor.member_id, "file_id": file.id, "feed": feed, "listing": listing, "revision": file.revision,
        "parent_id": file.parent_id, "name": file.name, "mime_type": file.mime_type, "kind": kind,
        "url": file.url, "size_bytes": file.size_bytes,
        "modified_at": datetime.fromisoformat(file.modified) if file.modified else None,
        "can_download": file.can_download, "drive_id": file.drive_id, "resource_key": file.resource_key,
        "seen_at": models.utc_now(),
    }  # fmt: skip
