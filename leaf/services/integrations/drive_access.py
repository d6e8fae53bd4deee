"""A person's Drive for the agent and for routes: fresh tokens, refreshed by one process at a time."""

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
"""Longer than a refresh takes that Google answers slowly and badly to, with the tries of its library."""
WAIT_SECONDS = 30
"""The time for which a call waits for another one that refreshes the same token."""
AT_ONCE_MINUTES = 10.0
"""Grants that are refused within this time have one cause, if there are several."""
_DAY_SECONDS = 86_400
_TOKEN = [*STEPS].index("token")
_ASKED_SECONDS = 60
"""The interval at which the token endpoint is asked while calls fail."""


class BeingRenewed(errors.DriveError):
    """Another request refreshes the token, and has not ended in time."""

    def __init__(self) -> None:
        super().__init__(texts.english("errors.drive_renewed"), status=503, code="drive_unavailable")


@dataclass(frozen=True)
class UserDrive:
    """A person's Drive as the agent's tools see it (`leaf.google.access.DriveAccess`)."""

    actor: Actor
    wait_seconds: float = field(default=WAIT_SECONDS, compare=False)
    """As `WAIT_SECONDS`, for who has less time."""

    async def credentials(self) -> DriveCredentials:
        """An access token with at least a minute left.

        Raises:
            errors.DriveNotConnected: The person has not connected Drive.
            errors.DriveRevoked: Google no longer accepts the grant; the integration is marked.
            errors.DriveError: The token has to be refreshed, and Google does not answer (`drive_unavailable`).
        """
        async with transaction(self.actor) as tx:
            row = await _active(tx, self.actor)
        if _fresh(row):
            return _credentials(row, await self._opened(row, row.access_token))
        return await self._refreshed(rejected=None)

    async def report_rejected(self, access_token: str) -> DriveCredentials:
        """Replaces a token that Google refused with 401; concurrent callers cause one refresh.

        Raises:
            errors.DriveRevoked: No token can be obtained.
        """
        return await self._refreshed(rejected=access_token)

    async def report(self, found: Diagnosis) -> Diagnosis:
        """Notes a failure of the connection itself, and every page says so; a bug of Leaf's is for administrators.

        An access token goes on working for an hour after Google has stopped renewing it. So that all surfaces name the
        failure that a check meets first, the token endpoint is asked before a failure of a later step is noted, and
        once a minute while it lasts.

        Returns:
            The failure that is noted: of an earlier step if there is one.
        """
        if found.row.mender == "leaf":
            member = self.actor.member_id
            await bugs.note_bug(found.cause, member, str(found.particulars.get("account") or member))
            return found
        async with transaction(self.actor) as tx:
            row = await _active(tx, self.actor)
        if step_of(found.cause) > _TOKEN and (earlier := await self._of_token(row, found)) is not None:
            return earlier
        await self._note(row, found)
        return found

    async def _of_token(self, before: models.Integration, found: Diagnosis) -> Diagnosis | None:
        """The failure for which the token endpoint renews nothing now; it is noted already."""
        noted = _of_token_noted(before)
        if (noted is not None or _is_noted(before, found)) and await rates.take(
            f"drive:token:{self.actor.user_id}", 1, seconds=_ASKED_SECONDS
        ):
            return noted
        try:
            async with self._renewing():
                async with transaction(self.actor) as tx:
                    row = await _active(tx, self.actor)
                if row.diagnosis != before.diagnosis:
                    # Another call that has failed has just asked.
                    return _of_token_noted(row)
                await self._refresh(rejected=await self._opened(row, row.access_token))
        except errors.DriveError as error:
            earlier = error.cause if isinstance(error.cause, Diagnosis) else None
            return earlier if earlier is not None and earlier.concerns_connection else None
        return None

    async def report_checked(self, found: Diagnosis) -> None:
        """Notes what a check has met first, in the place of whatever is noted.

        A grant that Google has ended counts as one again after a failure before it, such as a wrong clock: whether
        Google takes it is asked anew once that failure is over.
        """
        async with transaction(self.actor) as tx:
            row = (await tx.session.exec(rows.mine(self.actor, IntegrationProvider.GOOGLE_DRIVE))).one_or_none()
            if row is None or _is_noted(row, found):
                return
            if found.row.effect != "lost":
                row.status = IntegrationStatus.ACTIVE
            await _store(tx, self.actor, row, found)

    async def report_over(self, over: Collection[Cause]) -> None:
        """Takes a noted trouble away if it has one of these causes, which Google's answer or a check disproves.

        A call that works says nothing about the token endpoint, so that is asked, once a minute.
        """
        async with transaction(self.actor) as tx:
            row = (await tx.session.exec(rows.mine(self.actor, IntegrationProvider.GOOGLE_DRIVE))).one_or_none()
            if row is None or row.status is not IntegrationStatus.ACTIVE or row.diagnosis is None:
                return
            noted = diagnosis.of_data(row.diagnosis)
            if noted is None or noted.cause in over:
                row.diagnosis = row.status_reason = row.status_key = None
                rows.announce(tx, self.actor)
                return
        if noted.cause in STEPS["token"] and STEPS["call"] <= frozenset(over):
            with suppress(errors.RedisUnavailable):
                await self._of_token(row, noted)

    async def count(self, units: int) -> None:
        """Counts a call for the pace of the index."""
        await pace.count(self.actor.member_id, units)

    async def report_limited(self) -> None:
        """Slows the index: answers go first."""
        await pace.note_limited()

    async def _refreshed(self, rejected: str | None) -> DriveCredentials:
        """Refreshes under a lock; a second caller uses the token of the first."""
        async with self._renewing():
            return await self._refresh(rejected)

    @asynccontextmanager
    async def _renewing(self) -> AsyncGenerator[None]:
        """The lock of the member's token. It is in Redis: no connection to the database is held while Google is asked.

        Raises:
            BeingRenewed: Another request has it for too long.
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
        async with transaction(self.actor) as tx:
            row = await _active(tx, self.actor)
        access_token = await self._opened(row, row.access_token)
        if _fresh(row) and access_token != rejected:
            return _credentials(row, access_token)
        refresh_token = await self._opened(row, row.refresh_token) if row.refresh_token is not None else None
        if refresh_token is None:
            raise await self._token_refused(row, Diagnosis(Cause.REVOKED))
        try:
            grant = await oauth.refresh(providers.google_client(), refresh_token)
        except oauth.Refused as refused:
            found = diagnosis.of_token(refused.refusal, _history(row))
            if found is not None and found.cause is Cause.REVOKED:
                found = diagnosis.of_token(refused.refusal, _history(row, others=await self._others()))
            if found is None:
                raise _not_refreshed() from refused
            found = found.with_particulars(account=row.provider_account_email)
            raise await self._token_refused(row, found) from refused
        except errors.DriveError as error:
            if isinstance(error.cause, Diagnosis) and error.cause.concerns_connection:
                await self._note(row, error.cause)
            raise
        except errors.Unavailable as error:
            raise _not_refreshed() from error
        await self._renew(row, grant)
        return _credentials(row, grant.access_token)

    async def _token_refused(self, row: models.Integration, found: Diagnosis) -> errors.DriveError:
        """The error for a refusal of the token endpoint, which is noted at the connection."""
        await self._note(row, found)
        return refusals.error_of(found)

    async def _others(self) -> int:
        """The number of other members whose grants were refused just now. Several become one event for all of them."""
        reason = str(Diagnosis(Cause.REVOKED_FOR_MANY).message)
        async with transaction(self.actor) as tx:
            return (await tx.call("leaf_grants_refused", AT_ONCE_MINUTES, diagnosis.MANY, reason)).scalar_one()

    async def _opened(self, row: models.Integration, sealed: str) -> str:
        """A stored token. A token whose key is no longer configured is lost, and the member has to connect again.

        Raises:
            errors.DriveRevoked: It cannot be decrypted; the integration is marked.
        """
        try:
            return config.current().sealer.open(sealed)
        except errors.ConfigurationError as error:
            log.error("a stored token cannot be opened: %s", "; ".join(error.problems))  # noqa: TRY400 - says it all
            raise await self._token_refused(row, Diagnosis(Cause.UNREADABLE)) from error

    async def _note(self, before: models.Integration, found: Diagnosis) -> None:
        """Stores a failure, unless the member has connected again or disconnected in the meantime."""
        async with transaction(self.actor) as tx:
            row = (await tx.session.exec(rows.mine(self.actor, before.provider))).one_or_none()
            if row is None or row.granted_at != before.granted_at or _is_noted(row, found):
                return
            await _store(tx, self.actor, row, found)

    async def _renew(self, before: models.Integration, grant: oauth.Grant) -> None:
        """Stores fresh tokens, unless the member has connected again or disconnected in the meantime."""
        sealer = config.current().sealer
        async with transaction(self.actor) as tx:
            row = (await tx.session.exec(rows.mine(self.actor, before.provider))).one_or_none()
            if row is None or row.refresh_token != before.refresh_token:
                return
            row.access_token = sealer.seal(grant.access_token)
            if grant.refresh_token is not None:
                row.refresh_token = sealer.seal(grant.refresh_token)
            row.token_expires_at = grant.expires_at
            if _of_token_noted(row) is not None:
                row.diagnosis = row.status_reason = row.status_key = None
                rows.announce(tx, self.actor)


async def _active(tx: Transaction, actor: Actor) -> models.Integration:
    query = rows.mine(actor, IntegrationProvider.GOOGLE_DRIVE)
    row = (await tx.session.exec(query)).one_or_none()
    if row is None:
        raise errors.DriveNotConnected
    if row.status is not IntegrationStatus.ACTIVE:
        found = diagnosis.of_data(row.diagnosis)
        raise errors.DriveRevoked(found)
    return row


async def _store(tx: Transaction, actor: Actor, row: models.Integration, found: Diagnosis) -> None:
    if found.row.effect == "lost":
        # Google has ended the grant; a token that cannot be opened is an error on this side.
        is_own = found.cause is Cause.UNREADABLE
        row.status = IntegrationStatus.ERROR if is_own else IntegrationStatus.REVOKED
        await security.note(tx, security.Kind.DRIVE_LOST)
    row.diagnosis = {**found.data(), "at": datetime.now(UTC).isoformat()}
    row.status_key, row.status_reason = None, str(found.message)
    rows.announce(tx, actor)


def _credentials(row: models.Integration, access_token: str) -> DriveCredentials:
    return DriveCredentials(access_token, row.provider_account_email or "", troubled=row.diagnosis is not None)


def _history(row: models.Integration, *, others: int = 0) -> GrantHistory:
    now = datetime.now(UTC)
    age = (now - row.granted_at).total_seconds() / _DAY_SECONDS if row.granted_at is not None else None
    has_expired = row.grant_expires_at is not None and row.grant_expires_at <= now
    return GrantHistory(age, has_expired, others)


def _of_token_noted(row: models.Integration) -> Diagnosis | None:
    """The noted failure if it is one of the token endpoint."""
    noted = diagnosis.of_data(row.diagnosis)
    return noted if noted is not None and noted.cause in STEPS["token"] else None


def _is_noted(row: models.Integration, found: Diagnosis) -> bool:
    """Whether the same failure is stored already. Further calls with this failure then write nothing."""
    noted = diagnosis.of_data(row.diagnosis)
    return noted is not None and noted.cause is found.cause and noted.link == found.link


def _not_refreshed() -> errors.DriveError:
    """A lost access in the middle of an answer is an ordinary failure of Drive, which the model reports."""
    message = texts.english("errors.drive_not_renewed")
    return errors.DriveError(message, status=503, code="drive_unavailable")


def _fresh(row: models.Integration) -> bool:
    return row.token_expires_at is not None and row.token_expires_at - datetime.now(UTC) > REFRESH_BEFORE
