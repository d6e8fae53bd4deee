"""Access to a member's Drive for the agent and for routes. One process at a time refreshes a token."""

import logging
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from redis.exceptions import LockError

from leaf import config, errors, redis, texts
from leaf.db import models
from leaf.db.models import IntegrationProvider, IntegrationStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.google import diagnosis, oauth, providers, refusals
from leaf.google.access import DriveCredentials
from leaf.google.causes import STEPS, step_of
from leaf.google.diagnosis import Cause, Diagnosis, GrantHistory
from leaf.redis import rates
from leaf.services import security
from leaf.services.integrations import bugs, rows
from leaf.services.library import pace

log = logging.getLogger(__name__)

REFRESH_BEFORE = timedelta(seconds=60)
"""An access token with less than this left is refreshed before it is used."""
_LOCK_SECONDS = 90
"""The lifetime of the lock. It is longer than the slowest refresh with all retries of Google's library."""
WAIT_SECONDS = 30
"""The time for which a call waits for another call that refreshes the same token."""
AT_ONCE_MINUTES = 10.0
"""If Google refuses several grants within this time, they count as refused for one common cause."""
_DAY_SECONDS = 86_400
_TOKEN = [*STEPS].index("token")
_ASKED_SECONDS = 60
"""The shortest time between two requests to the token endpoint while calls fail."""


class BeingRenewed(errors.DriveError):
    """Another request is refreshing the token, and has not ended in time."""

    def __init__(self) -> None:
        super().__init__(texts.english("errors.drive_renewed"), status=503, code="drive_unavailable")


@dataclass(frozen=True)
class UserDrive:
    """A member's Drive as the agent's tools see it (`leaf.google.access.DriveAccess`)."""

    actor: Actor
    wait_seconds: float = field(default=WAIT_SECONDS, compare=False)
    """Replaces `WAIT_SECONDS` for a caller with less time."""

    async def credentials(self) -> DriveCredentials:
        """An access token with at least a minute left.

        Raises:
            errors.DriveNotConnected: The member has not connected Drive.
            errors.DriveRevoked: Google no longer accepts the grant. The integration is marked.
            errors.DriveError: The token must be refreshed, and Google does not answer (`drive_unavailable`).
        """
        row = await _active_connection(self.actor)
        if _is_fresh(row):
            return _credentials(row, await self._decrypted(row, row.access_token))
        return await self._refreshed(rejected=None)

    async def report_rejected(self, access_token: str) -> DriveCredentials:
        """Replaces a token that Google has refused with status 401. Concurrent callers cause one refresh.

        Raises:
            errors.DriveRevoked: No token can be obtained.
        """
        return await self._refreshed(rejected=access_token)

    async def report(self, found: Diagnosis) -> Diagnosis:
        """Stores a failure of the connection, so that all pages show it. A bug of Leaf is recorded for administrators.

        All pages should name the failure that a check would find first. An access token works for up to an hour after
        Google has stopped renewing it, so a call to Drive may fail for another reason. Therefore the token endpoint is
        asked before a failure of a later step is stored, and once a minute while the failure lasts.

        Returns:
            The failure of the token endpoint if there is one, else `found`.
        """
        if found.row.mender == "leaf":
            member = self.actor.member_id
            await bugs.note_bug(found.cause, member, str(found.particulars.get("account") or member))
            return found
        row = await _active_connection(self.actor)
        if step_of(found.cause) > _TOKEN and (earlier := await self._token_failure(row, found)) is not None:
            return earlier
        await self._store_failure(row, found)
        return found

    async def _token_failure(self, before: models.Integration, found: Diagnosis) -> Diagnosis | None:
        """The present failure of the token endpoint, which is stored already; None if it renews the token."""
        noted = _noted_token_failure(before)
        is_known = noted is not None or _is_noted(before, found)
        # `take` returns the seconds to wait; 0 if the endpoint may be asked now.
        if is_known and await rates.take(f"drive:token:{self.actor.user_id}", 1, seconds=_ASKED_SECONDS):
            return noted
        try:
            async with self._token_lock():
                row = await _active_connection(self.actor)
                another_has_asked = row.diagnosis != before.diagnosis
                if another_has_asked:
                    return _noted_token_failure(row)
                await self._refresh(rejected=await self._decrypted(row, row.access_token))
        except errors.DriveError as error:
            if isinstance(error.cause, Diagnosis) and error.cause.concerns_connection:
                return error.cause
        return None

    async def report_checked(self, found: Diagnosis) -> None:
        """Stores the first failure that a check has found, in place of the stored one.

        A check may fail before it reaches the grant, for example because of a wrong clock. A grant marked as ended then
        becomes active again, so that Google is asked about it when that failure is over.
        """
        async with transaction(self.actor) as tx:
            row = await rows.drive(tx)
            if row is None or _is_noted(row, found):
                return
            if found.row.effect != "lost":
                row.status = IntegrationStatus.ACTIVE
            await _store(tx, row, found)

    async def report_disproved(self, over: Collection[Cause]) -> None:
        """Removes the stored failure if it has one of the causes that Google or a check has just disproved.

        A working call says nothing about the token endpoint. If the stored failure is one of the token endpoint, that
        endpoint is asked, at most once a minute.
        """
        async with transaction(self.actor) as tx:
            row = await rows.drive(tx)
            if row is None or row.status is not IntegrationStatus.ACTIVE or row.diagnosis is None:
                return
            noted = diagnosis.of_data(row.diagnosis)
            if noted is None or noted.cause in over:
                row.diagnosis = row.status_reason = row.status_key = None
                rows.announce(tx)
                return
        if noted.cause in STEPS["token"] and STEPS["call"] <= frozenset(over):
            with suppress(errors.RedisUnavailable):
                await self._token_failure(row, noted)

    async def count(self, units: int) -> None:
        """Counts the units of a call for the pace of the index."""
        await pace.count(self.actor.member_id, units)

    async def report_limited(self) -> None:
        """Slows the index, because answers have priority."""
        await pace.note_limited()

    async def _refreshed(self, rejected: str | None) -> DriveCredentials:
        """Refreshes the token under a lock. A second caller uses the token that the first has obtained."""
        async with self._token_lock():
            return await self._refresh(rejected)

    @asynccontextmanager
    async def _token_lock(self) -> AsyncGenerator[None]:
        """Holds the lock of the member's token. It is in Redis, so that no database connection is held meanwhile.

        Raises:
            BeingRenewed: Another request has held the lock for too long.
        """
        name = f"leaf:refresh:{self.actor.user_id}:{IntegrationProvider.GOOGLE_DRIVE}"
        lock = redis.client().lock(
            name, timeout=_LOCK_SECONDS, blocking_timeout=self.wait_seconds, raise_on_release_error=False
        )
        try:
            with redis.guard():
                async with lock:
                    yield
        except LockError as error:
            raise BeingRenewed from error

    async def _refresh(self, rejected: str | None) -> DriveCredentials:
        row = await _active_connection(self.actor)
        access_token = await self._decrypted(row, row.access_token)
        if _is_fresh(row) and access_token != rejected:
            return _credentials(row, access_token)
        refresh_token = await self._decrypted(row, row.refresh_token) if row.refresh_token is not None else None
        if refresh_token is None:
            raise await self._token_refused(row, Diagnosis(Cause.REVOKED))
        try:
            grant = await oauth.refresh(providers.google_client(), refresh_token)
        except oauth.Refused as refused:
            found = diagnosis.of_token(refused.refusal, _history(row))
            if found is not None and found.cause is Cause.REVOKED:
                found = diagnosis.of_token(refused.refusal, _history(row, others=await self._other_refusals()))
            if found is None:
                raise _not_refreshed() from refused
            found = found.with_particulars(account=row.provider_account_email)
            raise await self._token_refused(row, found) from refused
        except errors.DriveError as error:
            if isinstance(error.cause, Diagnosis) and error.cause.concerns_connection:
                await self._store_failure(row, error.cause)
            raise
        except errors.Unavailable as error:
            raise _not_refreshed() from error
        await self._store_tokens(row, grant)
        return _credentials(row, grant.access_token)

    async def _token_refused(self, row: models.Integration, found: Diagnosis) -> errors.DriveError:
        """Stores a refusal of the token endpoint with the connection; returns the error to raise."""
        await self._store_failure(row, found)
        return refusals.error_of(found)

    async def _other_refusals(self) -> int:
        """The number of other members whose grants were refused just now. If many were, all get the common cause."""
        reason = str(Diagnosis(Cause.REVOKED_FOR_MANY).message)
        async with transaction(self.actor) as tx:
            return (await tx.call("leaf_grants_refused", AT_ONCE_MINUTES, diagnosis.MANY, reason)).scalar_one()

    async def _decrypted(self, row: models.Integration, sealed: str) -> str:
        """A stored token, decrypted. If its key is no longer configured, the member must connect again.

        Raises:
            errors.DriveRevoked: The token cannot be decrypted. The integration is marked.
        """
        try:
            return config.current().sealer.open(sealed)
        except errors.ConfigurationError as error:
            log.error("a stored token cannot be opened: %s", "; ".join(error.problems))  # noqa: TRY400 - says it all
            raise await self._token_refused(row, Diagnosis(Cause.UNREADABLE)) from error

    async def _store_failure(self, before: models.Integration, found: Diagnosis) -> None:
        """Stores a failure, unless the member has connected again or disconnected in the meantime."""
        async with transaction(self.actor) as tx:
            row = await rows.drive(tx)
            if row is None or row.granted_at != before.granted_at or _is_noted(row, found):
                return
            await _store(tx, row, found)

    async def _store_tokens(self, before: models.Integration, grant: oauth.Grant) -> None:
        """Stores fresh tokens, unless the member has connected again or disconnected in the meantime."""
        sealer = config.current().sealer
        async with transaction(self.actor) as tx:
            row = await rows.drive(tx)
            if row is None or row.refresh_token != before.refresh_token:
                return
            row.access_token = sealer.seal(grant.access_token)
            if grant.refresh_token is not None:
                row.refresh_token = sealer.seal(grant.refresh_token)
            row.token_expires_at = grant.expires_at
            if _noted_token_failure(row) is not None:
                row.diagnosis = row.status_reason = row.status_key = None
                rows.announce(tx)


async def _active_connection(actor: Actor) -> models.Integration:
    """The actor's connection to Drive, read in a transaction of its own.

    Raises:
        errors.DriveNotConnected: Drive is not connected.
        errors.DriveRevoked: Google no longer accepts the grant.
    """
    async with transaction(actor, read_only=True) as tx:
        row = await rows.drive(tx)
    if row is None:
        raise errors.DriveNotConnected
    if row.status is not IntegrationStatus.ACTIVE:
        raise errors.DriveRevoked(diagnosis.of_data(row.diagnosis))
    return row


async def _store(tx: Transaction, row: models.Integration, found: Diagnosis) -> None:
    """Stores a failure with the connection."""
    if found.row.effect == "lost":
        # If a token cannot be decrypted, the fault is Leaf's: Google has not ended the grant.
        is_own = found.cause is Cause.UNREADABLE
        row.status = IntegrationStatus.ERROR if is_own else IntegrationStatus.REVOKED
        await security.note(tx, security.Kind.DRIVE_LOST)
    row.diagnosis = {**found.data(), "at": datetime.now(UTC).isoformat()}
    row.status_key, row.status_reason = None, str(found.message)
    rows.announce(tx)


def _credentials(row: models.Integration, access_token: str) -> DriveCredentials:
    return DriveCredentials(access_token, row.provider_account_email or "", troubled=row.diagnosis is not None)


def _history(row: models.Integration, *, others: int = 0) -> GrantHistory:
    now = datetime.now(UTC)
    age = (now - row.granted_at).total_seconds() / _DAY_SECONDS if row.granted_at is not None else None
    has_expired = row.grant_expires_at is not None and row.grant_expires_at <= now
    return GrantHistory(age, has_expired, others)


def _noted_token_failure(row: models.Integration) -> Diagnosis | None:
    """The stored failure if it is a failure of the token endpoint, else None."""
    noted = diagnosis.of_data(row.diagnosis)
    return noted if noted is not None and noted.cause in STEPS["token"] else None


def _is_noted(row: models.Integration, found: Diagnosis) -> bool:
    """Whether the same failure is already stored. If so, nothing needs to be written."""
    noted = diagnosis.of_data(row.diagnosis)
    return noted is not None and noted.cause is found.cause and noted.link == found.link


def _not_refreshed() -> errors.DriveError:
    """The error for a token that could not be refreshed: an ordinary failure of Drive, which the model reports."""
    message = texts.english("errors.drive_not_renewed")
    return errors.DriveError(message, status=503, code="drive_unavailable")


def _is_fresh(row: models.Integration) -> bool:
    return row.token_expires_at is not None and row.token_expires_at - datetime.now(UTC) > REFRESH_BEFORE
