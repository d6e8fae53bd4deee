"""A person's Drive for the agent and for routes: fresh tokens, refreshed by one process at a time."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from redis.exceptions import LockError

from leaf import config, errors, redis, texts
from leaf.db import models
from leaf.db.models import IntegrationProvider, IntegrationStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.google import oauth, providers
from leaf.google.access import DriveCredentials
from leaf.services import security
from leaf.services.integrations import rows

log = logging.getLogger(__name__)

REFRESH_BEFORE = timedelta(seconds=60)
"""An access token with less than this left is refreshed before it is used."""
_LOCK_SECONDS = 90
"""Longer than a refresh takes that Google answers slowly and badly to, with the tries of its library."""
_WAIT_SECONDS = 30
_REVOKED = "refusals.connection_revoked"
_UNREADABLE = "refusals.connection_unreadable"


@dataclass(frozen=True)
class UserDrive:
    """A person's Drive as the agent's tools see it (`leaf.google.access.DriveAccess`)."""

    actor: Actor

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
            return DriveCredentials(await self._opened(row, row.access_token))
        return await self._refreshed(rejected=None)

    async def report_rejected(self, access_token: str) -> DriveCredentials:
        """Replaces a token that Google refused with 401; concurrent callers cause one refresh.

        Raises:
            errors.DriveRevoked: No token can be obtained.
        """
        return await self._refreshed(rejected=access_token)

    async def report_refused(self) -> None:
        """Google refuses fresh tokens as well: the connection is marked, and every page says so."""
        async with transaction(self.actor) as tx:
            row = await _active(tx, self.actor)
        await self._keep(row, None)

    async def _refreshed(self, rejected: str | None) -> DriveCredentials:
        """Refreshes under a lock; a second caller uses the token of the first.

        The lock is in Redis, so no database connection is held during the request to Google.
        """
        name = f"leaf:refresh:{self.actor.user_id}:{IntegrationProvider.GOOGLE_DRIVE}"
        lock = redis.client().lock(
            name, timeout=_LOCK_SECONDS, blocking_timeout=_WAIT_SECONDS, raise_on_release_error=False
        )
        try:
            with redis.guard():
                async with lock:
                    return await self._refresh(rejected)
        except LockError as error:
            raise _not_refreshed() from error

    async def _refresh(self, rejected: str | None) -> DriveCredentials:
        async with transaction(self.actor) as tx:
            row = await _active(tx, self.actor)
        access_token = await self._opened(row, row.access_token)
        if _fresh(row) and access_token != rejected:
            return DriveCredentials(access_token)
        refresh_token = await self._opened(row, row.refresh_token) if row.refresh_token is not None else None
        try:
            if refresh_token is None:
                raise errors.DriveRevoked
            grant = await oauth.refresh(providers.google_client(), refresh_token)
        except errors.DriveRevoked:
            await self._keep(row, None)
            raise
        except errors.Unavailable as error:
            raise _not_refreshed() from error
        await self._keep(row, grant)
        return DriveCredentials(grant.access_token)

    async def _opened(self, row: models.Integration, sealed: str) -> str:
        """A stored token. A token whose key is no longer configured is lost, and the member has to connect again.

        Raises:
            errors.DriveRevoked: It cannot be decrypted; the integration is marked.
        """
        try:
            return config.current().sealer.open(sealed)
        except errors.ConfigurationError as error:
            log.error("a stored token cannot be opened: %s", "; ".join(error.problems))  # noqa: TRY400 - says it all
            await self._keep(row, None, _UNREADABLE)
            raise errors.DriveRevoked from error

    async def _keep(self, before: models.Integration, grant: oauth.Grant | None, key: str = _REVOKED) -> None:
        """Stores Google's refusal, unless the member has connected again or disconnected in the meantime."""
        sealer = config.current().sealer
        async with transaction(self.actor) as tx:
            row = (await tx.session.exec(rows.mine(self.actor, before.provider))).one_or_none()
            if row is None or row.refresh_token != before.refresh_token:
                return
            if grant is None:
                # Google has ended the grant; a token that cannot be opened is an error on this side.
                row.status = IntegrationStatus.REVOKED if key == _REVOKED else IntegrationStatus.ERROR
                row.status_key, row.status_reason = key, str(texts.english(key))
                await security.note(tx, security.Kind.DRIVE_LOST)
                rows.announce(tx, self.actor)
                return
            row.access_token = sealer.seal(grant.access_token)
            if grant.refresh_token is not None:
                row.refresh_token = sealer.seal(grant.refresh_token)
            row.token_expires_at = grant.expires_at


async def _active(tx: Transaction, actor: Actor) -> models.Integration:
    query = rows.mine(actor, IntegrationProvider.GOOGLE_DRIVE)
    row = (await tx.session.exec(query)).one_or_none()
    if row is None:
        raise errors.DriveNotConnected
    if row.status is not IntegrationStatus.ACTIVE:
        raise errors.DriveRevoked
    return row


def _not_refreshed() -> errors.DriveError:
    """In the middle of an answer this is an ordinary failure of Drive, which the model reports."""
    message = "Google Drive does not answer: Leaf's access to it could not be renewed. Please try again in a minute."
    return errors.DriveError(message, status=503, code="drive_unavailable")


def _fresh(row: models.Integration) -> bool:
    return row.token_expires_at is not None and row.token_expires_at - datetime.now(UTC) > REFRESH_BEFORE
