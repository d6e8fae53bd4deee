"""Integrations: connect, disconnect, and their state in Settings."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from sqlmodel import col, select

from leaf import config, errors, texts
from leaf.db import models
from leaf.db.models import IntegrationProvider, IntegrationStatus
from leaf.db.session import Actor, Transaction, transaction
from leaf.google import diagnosis, oauth, providers
from leaf.google.access import DriveCredentials, Unrecorded
from leaf.google.causes import FirstStep
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.google.drive import Drive
from leaf.services import security
from leaf.services.integrations import bugs, rows
from leaf.services.library import feeds, file_texts

log = logging.getLogger(__name__)

State = Literal["none", "connected", "trouble", "error"]
"""`trouble`: the connection fails, and works again when the cause is fixed. `error`: only a new connection works."""

DRIVE: Final = IntegrationProvider.GOOGLE_DRIVE.value
CONNECT_PATH: Final = "/auth/integrations/google-drive"
"""The address at which the consent for Drive begins."""
_LABEL: Final = "Google Drive"


@dataclass(frozen=True)
class Card:
    """The connection to Google Drive as Settings shows it."""

    provider: str
    label: str
    state: State
    email: str | None
    reason: str | None
    """The failure of the connection and what to do; None while it works."""
    enables: str
    """The text that says what the connection allows."""
    keeps_texts: bool = True
    """Whether Leaf keeps the texts of files to search them."""
    cause: str | None = None
    """The cause of the failure, if it is known."""
    forward: str | None = None
    """The text for the administrator who can fix the failure."""
    link: str = ""
    """The page of Google's console on which the failure can be fixed."""
    first_step: FirstStep = "connect"
    """The first step for the member to fix the failure."""
    expires_at: datetime | None = None
    """The end of the grant, if it is known. Google ends grants of apps in the status Testing after some days."""
    granted_at: datetime | None = None
    """The time of the connection; None if it is not known."""


async def cards(actor: Actor) -> list[Card]:
    """The member's integrations: one card for Drive, connected or not."""
    async with transaction(actor, read_only=True) as tx:
        return await read_cards(tx)


async def read_cards(tx: Transaction) -> list[Card]:
    """The same as `cards`, read in a transaction of the member."""
    return [_card(await rows.drive(tx), keeps=await feeds.keeps_texts(tx))]


def state_of(cards: Iterable[Card]) -> State:
    """The state of the connection to Google Drive."""
    for card in cards:
        if card.provider == DRIVE:
            return card.state
    return "none"


def begin_connect(*, redirect_uri: str) -> oauth.Begun:
    """Starts the consent for Drive: read-only, offline, and with a prompt, so that a refresh token is issued."""
    extra = {"access_type": "offline", "prompt": "select_account consent"}
    return oauth.begin(providers.google_client(), redirect_uri=redirect_uri, scopes=(oauth.DRIVE_SCOPE,), extra=extra)


@dataclass(frozen=True)
class _Granted(Unrecorded):
    """Access with a grant that is not stored yet (`leaf.google.access.DriveAccess`)."""

    grant: oauth.Grant

    async def credentials(self) -> DriveCredentials:
        return DriveCredentials(self.grant.access_token)

    async def report_rejected(self, access_token: str) -> DriveCredentials:  # noqa: ARG002 - nothing replaces it
        raise errors.DriveRevoked


async def connect(actor: Actor, grant: oauth.Grant) -> None:
    """Stores a grant for Drive together with the address of its account, which Drive returns.

    Raises:
        errors.SignInFailed: As in `complete_connect`.
        errors.DriveError: Drive does not return the address of the account.
        errors.DriveRevoked: Drive refuses the new grant.
    """
    _require_reading(grant)
    await complete_connect(actor, grant, email=await Drive(_Granted(grant)).about())


async def complete_connect(actor: Actor, grant: oauth.Grant, *, email: str) -> None:
    """Stores a grant for Drive in place of an earlier grant.

    Args:
        actor: The member who consented.
        grant: The grant from Google.
        email: The account of the Drive, which may differ from the account of the sign-in.

    Raises:
        errors.SignInFailed: The Drive scope was not granted (`scope_missing`), or there is no refresh token.
    """
    _require_reading(grant)
    if grant.refresh_token is None:
        raise errors.SignInFailed("Google did not grant lasting access. Please try to connect again.", code="failed")
    sealer = config.current().sealer
    async with transaction(actor) as tx:
        row = await rows.drive(tx, lock=True)
        same_account = row is not None and row.provider_account_email == email
        if row is None:
            row = models.Integration(
                user_id=actor.member_id,
                workspace_id=actor.own_workspace_id,
                provider=IntegrationProvider.GOOGLE_DRIVE,
                access_token="",
            )
            tx.session.add(row)
        row.status = IntegrationStatus.ACTIVE
        row.status_reason = row.status_key = row.diagnosis = None
        row.granted_at, row.grant_expires_at = datetime.now(UTC), grant.ends_at
        row.provider_account_email = email
        row.access_token = sealer.seal(grant.access_token)
        row.refresh_token = sealer.seal(grant.refresh_token)
        row.token_expires_at = grant.expires_at
        row.scopes = sorted(grant.scopes)
        await feeds.open_first(tx, same_account=same_account)
        await security.note(tx, security.Kind.DRIVE_CONNECTED)
        rows.announce(tx)


def _require_reading(grant: oauth.Grant) -> None:
    if oauth.DRIVE_SCOPE not in grant.scopes:
        found = Diagnosis(Cause.BOX_NOT_TICKED)
        raise errors.SignInFailed(found.message, code="scope_missing", cause=found)


async def disconnect(actor: Actor, provider: str) -> None:
    """Deletes a connection together with the index of its Drive, and then revokes the grant at Google.

    Raises:
        errors.NotFound: The provider is unknown, or is not connected.
    """
    if provider != DRIVE:
        raise errors.NotFound("integration")
    async with transaction(actor) as tx:
        row = errors.found(await rows.drive(tx), "integration")
        await tx.session.delete(row)
        await feeds.delete_index(tx)
        await security.note(tx, security.Kind.DRIVE_DISCONNECTED)
        rows.announce(tx)
        tx.after_commit(file_texts.forget)
        tx.after_commit(bugs.forget_bugs, actor.member_id)
    await _revoke(row)


async def stop_keeping(actor: Actor) -> None:
    """Deletes the stored texts of the member's Drive, and stores none from now on. The connection stays.

    A worker that is reading at this moment stores nothing afterwards. A later connection does not store texts either.

    Raises:
        errors.NotFound: Drive is not connected.
    """
    async with transaction(actor) as tx:
        await _require_connection(tx)
        await feeds.choose(tx, keeps=False)
        await feeds.delete_index(tx)
        rows.announce(tx)
        tx.after_commit(file_texts.forget)


async def keep_texts(actor: Actor) -> None:
    """Turns on the storage of texts of the member's Drive again.

    Raises:
        errors.NotFound: Drive is not connected.
    """
    async with transaction(actor) as tx:
        await _require_connection(tx)
        await feeds.choose(tx, keeps=True)
        await feeds.open_first(tx, same_account=True)
        rows.announce(tx)


async def _require_connection(tx: Transaction) -> None:
    """Locks the member's connection to Drive, so that nothing is stored meanwhile.

    Raises:
        errors.NotFound: Drive is not connected.
    """
    if await rows.drive(tx, lock=True) is None:
        raise errors.NotFound("integration")


async def revoke_all(actor: Actor) -> bool:
    """Revokes all grants of the member at Google, in all workspaces. The rows stay.

    Returns:
        Whether every grant is known to have ended.
    """
    async with transaction(actor, read_only=True) as tx:
        query = select(models.Integration).where(col(models.Integration.user_id) == actor.member_id)
        stored = (await tx.session.exec(query)).all()
    return all([await _revoke(row) for row in stored])


async def _revoke(row: models.Integration) -> bool:
    try:
        token = config.current().sealer.open(row.refresh_token or row.access_token)
        await oauth.revoke(providers.google_client(), token)
    except (errors.Unavailable, errors.ConfigurationError) as error:
        log.warning("the grant of a deleted integration could not be revoked: %s", error.code)
        return False
    return True


async def other_account(actor: Actor) -> Diagnosis | None:
    """The diagnosis that the Drive belongs to another account than the sign-in, which can explain an empty Drive.

    None if it is the same account.
    """
    async with transaction(actor, read_only=True) as tx:
        row = await rows.drive(tx)
        query = select(models.User.email).where(col(models.User.id) == actor.member_id)
        signed_in = (await tx.session.exec(query)).one()
    if row is None or not row.provider_account_email or row.provider_account_email == signed_in:
        return None
    return Diagnosis(Cause.OTHER_ACCOUNT, {"account": row.provider_account_email, "other": signed_in})


def forwarded(found: errors.Diagnosed, *, person: str = "", account: str = "") -> texts.Message | None:
    """The text to forward about a failure, with the address of this Leaf and its client id; None if there is none.

    Args:
        found: The failure.
        person: The e-mail address of the member, if it is known.
        account: The connected Google account, if it is known.
    """
    if not isinstance(found, Diagnosis):
        return found.forward
    client = providers.google_client().client_id
    known = {"account": account or person} if "account" not in found.particulars else {}
    return found.with_particulars(client=client, address=config.current().url, person=person, **known).forward


def _card(row: models.Integration | None, *, keeps: bool) -> Card:
    enables = texts.english("integrations.enables_google_drive")
    if row is None:
        return Card(DRIVE, _LABEL, "none", None, None, enables, keeps)
    found = diagnosis.of_data(row.diagnosis)
    # An older version stores only a reason.
    reason = found.message if found is not None else row.status_reason
    works: State = "connected" if reason is None else "trouble"
    return Card(
        provider=DRIVE,
        label=_LABEL,
        state=works if row.status is IntegrationStatus.ACTIVE else "error",
        email=row.provider_account_email,
        reason=reason,
        enables=enables,
        keeps_texts=keeps,
        cause=found.cause.value if found is not None else None,
        forward=forwarded(found, account=row.provider_account_email or "") if found is not None else None,
        link=found.link if found is not None else "",
        first_step=found.row.first_step if found is not None else "connect",
        expires_at=_expiry(row),
        granted_at=row.granted_at,
    )


def _expiry(row: models.Integration) -> datetime | None:
    """The end of a grant, from Google's answer or else from the setting for the status Testing; None if unknown."""
    if row.grant_expires_at is not None or row.granted_at is None or not config.current().google_testing:
        return row.grant_expires_at
    return row.granted_at + timedelta(days=diagnosis.TESTING_DAYS)
