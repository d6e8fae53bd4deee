"""Connections to outside services: each person's own, within a workspace.

One status column is what every page reads. Tokens are stored sealed, and one process at a time refreshes them.
"""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from uuid import UUID

from redis.exceptions import LockError
from sqlmodel import col, select

from leaf import config, errors, events, redis
from leaf.db import models
from leaf.db.models import IntegrationProvider, IntegrationStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.google import oauth, providers
from leaf.google.access import DriveCredentials

log = logging.getLogger(__name__)

State = Literal["none", "connected", "error"]

REFRESH_BEFORE = timedelta(seconds=60)
"""An access token with less than this left is refreshed before it is used."""
_LOCK_SECONDS = 90
"""Longer than a refresh takes that Google answers slowly and badly to, with the tries of its library."""
_WAIT_SECONDS = 30
_REVOKED_REASON = (
    "Google no longer accepts Leaf's access to this Drive: it was removed in the Google account, or it has expired."
)
_UNREADABLE_REASON = "Leaf can no longer open the access to this Drive that it had stored. Please connect it again."


@dataclass(frozen=True)
class Kind:
    """What can be connected; another service is one more of these and one value of the provider enum."""

    provider: IntegrationProvider
    label: str
    enables: str
    connect_path: str


KINDS: tuple[Kind, ...] = (
    Kind(
        IntegrationProvider.GOOGLE_DRIVE,
        "Google Drive",
        "Leaf can search your Drive and read the files that a question needs, with your own permissions. It can "
        "change nothing there, and nobody else sees what it reads for you.",
        "/auth/integrations/google-drive",
    ),
)


@dataclass(frozen=True)
class Card:
    """One integration as Settings shows it."""

    provider: str
    label: str
    state: State
    email: str | None
    reason: str | None
    enables: str
    connect_path: str


async def cards(actor: Actor) -> list[Card]:
    """The person's integrations: one card per kind, connected or not."""
    async with transaction(actor) as tx:
        rows = {row.provider: row for row in (await tx.session.exec(_mine(actor))).all()}
    return [_card(kind, rows.get(kind.provider)) for kind in KINDS]


async def drive_state(actor: Actor) -> State:
    """Where the person's Drive connection stands."""
    for card in await cards(actor):
        if card.provider == IntegrationProvider.GOOGLE_DRIVE:
            return card.state
    return "none"


def begin_connect(*, redirect_uri: str) -> oauth.Begun:
    """Starts the consent for Drive: read-only, offline, and asked for anew so that a refresh token comes."""
    extra = {"access_type": "offline", "prompt": "consent"}
    return oauth.begin(
        providers.google_client(),
        redirect_uri=redirect_uri,
        scopes=("openid", "email", oauth.DRIVE_SCOPE),
        extra=extra,
    )


async def complete_connect(actor: Actor, grant: oauth.Grant, *, email: str) -> None:
    """Stores a grant for Drive; one that is there already is replaced.

    Args:
        actor: The person who consented.
        grant: What Google granted.
        email: The account of the Drive, which may be another than the one they sign in with.

    Raises:
        errors.SignInFailed: The Drive scope was not granted (`scope_missing`), or no refresh token came.
    """
    if oauth.DRIVE_SCOPE not in grant.scopes:
        raise errors.SignInFailed(
            "The permission to read Drive was not ticked, so Leaf cannot read any file. Nothing was connected.",
            code="scope_missing",
        )
    if grant.refresh_token is None:
        raise errors.SignInFailed("Google did not grant lasting access. Please try to connect again.", code="failed")
    sealer = config.current().sealer
    async with transaction(actor) as tx:
        row = (await tx.session.exec(_mine(actor, IntegrationProvider.GOOGLE_DRIVE).with_for_update())).one_or_none()
        if row is None:
            row = models.Integration(
                user_id=_user(actor),
                workspace_id=_workspace(actor),
                provider=IntegrationProvider.GOOGLE_DRIVE,
                access_token="",
            )
            tx.session.add(row)
        row.status = IntegrationStatus.ACTIVE
        row.status_reason = None
        row.provider_account_email = email
        row.access_token = sealer.seal(grant.access_token)
        row.refresh_token = sealer.seal(grant.refresh_token)
        row.token_expires_at = grant.expires_at
        row.scopes = sorted(grant.scopes)
        _announce(tx, actor)


async def disconnect(actor: Actor, provider: str) -> None:
    """Revokes the grant at Google, and deletes the row whether or not that worked.

    Raises:
        errors.NotFound: The provider is unknown, or is not connected.
    """
    try:
        kind = IntegrationProvider(provider)
    except ValueError:
        raise errors.NotFound("integration") from None
    async with transaction(actor) as tx:
        row = (await tx.session.exec(_mine(actor, kind))).one_or_none()
        if row is None:
            raise errors.NotFound("integration")
        await tx.session.delete(row)
        _announce(tx, actor)
    try:
        token = config.current().sealer.open(row.refresh_token or row.access_token)
        await oauth.revoke(providers.google_client(), token)
    except (errors.Unavailable, errors.ConfigurationError) as error:
        log.warning("the grant of a deleted integration could not be revoked: %s", error.code)


@dataclass(frozen=True)
class UserDrive:
    """A person's Drive as the agent's tools see it (`leaf.google.access.DriveAccess`)."""

    actor: Actor

    async def credentials(self) -> DriveCredentials:
        """An access token with at least a minute left.

        Raises:
            errors.DriveNotConnected: The person has not connected Drive.
            errors.DriveRevoked: Google no longer accepts the grant; the integration is marked.
            errors.Unavailable: The token has to be refreshed, and Google does not answer.
        """
        async with transaction(self.actor) as tx:
            row = await _active(tx, self.actor)
        if _fresh(row):
            return DriveCredentials(await self._opened(row, row.access_token))
        return await self._refreshed(rejected=None)

    async def report_rejected(self, access_token: str) -> DriveCredentials:
        """Google refused a token with 401: another one, refreshed at most once whoever asks.

        Raises:
            errors.DriveRevoked: There is none to be had.
        """
        return await self._refreshed(rejected=access_token)

    async def _refreshed(self, rejected: str | None) -> DriveCredentials:
        """Refreshes under a lock: whoever comes second finds the first one's token and uses it.

        The lock is in Redis, so that no database connection is held while Google is asked.
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
            raise errors.Unavailable("Google Drive does not answer. Please try again in a minute.") from error

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
        await self._keep(row, grant)
        return DriveCredentials(grant.access_token)

    async def _opened(self, row: models.Integration, sealed: str) -> str:
        """A stored token. One whose key is not configured any more is lost, so the person has to connect again.

        Raises:
            errors.DriveRevoked: It cannot be opened; the integration is marked.
        """
        try:
            return config.current().sealer.open(sealed)
        except errors.ConfigurationError as error:
            log.error("a stored token cannot be opened: %s", "; ".join(error.problems))  # noqa: TRY400 - says it all
            await self._keep(row, None, _UNREADABLE_REASON)
            raise errors.DriveRevoked from error

    async def _keep(self, before: models.Integration, grant: oauth.Grant | None, reason: str = _REVOKED_REASON) -> None:
        """Writes down what Google said, unless the person has connected anew or disconnected meanwhile."""
        sealer = config.current().sealer
        async with transaction(self.actor) as tx:
            row = (await tx.session.exec(_mine(self.actor, before.provider))).one_or_none()
            if row is None or row.refresh_token != before.refresh_token:
                return
            if grant is None:
                row.status = IntegrationStatus.ERROR
                row.status_reason = reason
                _announce(tx, self.actor)
                return
            row.access_token = sealer.seal(grant.access_token)
            if grant.refresh_token is not None:
                row.refresh_token = sealer.seal(grant.refresh_token)
            row.token_expires_at = grant.expires_at


async def _active(tx: Transaction, actor: Actor) -> models.Integration:
    query = _mine(actor, IntegrationProvider.GOOGLE_DRIVE)
    row = (await tx.session.exec(query)).one_or_none()
    if row is None:
        raise errors.DriveNotConnected
    if row.status is not IntegrationStatus.ACTIVE:
        raise errors.DriveRevoked
    return row


def _fresh(row: models.Integration) -> bool:
    return row.token_expires_at is not None and row.token_expires_at - datetime.now(UTC) > REFRESH_BEFORE


def _mine(actor: Actor, provider: IntegrationProvider | None = None):  # noqa: ANN202 - SQLModel's generic select
    query = select(models.Integration).where(
        col(models.Integration.user_id) == _user(actor),
        col(models.Integration.workspace_id) == _workspace(actor),
    )
    return query if provider is None else query.where(col(models.Integration.provider) == provider)


def _announce(tx: Transaction, actor: Actor) -> None:
    """Has open pages look again: a card, and the banner of chats that have used Drive."""
    topics = [events.user(_user(actor))]
    tx.after_commit(lambda: events.publish(topics))


def _user(actor: Actor) -> UUID:
    if actor.user_id is None:
        raise errors.Unauthenticated
    return actor.user_id


def _workspace(actor: Actor) -> UUID:
    if actor.workspace_id is None:
        raise errors.Unauthenticated
    return actor.workspace_id


def _card(kind: Kind, row: models.Integration | None) -> Card:
    state: State = "none"
    if row is not None:
        state = "connected" if row.status is IntegrationStatus.ACTIVE else "error"
    return Card(
        provider=kind.provider.value,
        label=kind.label,
        state=state,
        email=row.provider_account_email if row is not None else None,
        reason=row.status_reason if row is not None else None,
        enables=kind.enables,
        connect_path=kind.connect_path,
    )
