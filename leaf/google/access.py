"""The interface through which the Drive client gets one user's tokens and reports failures of the connection."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Protocol

from leaf import errors
from leaf.google import diagnosis, refusals
from leaf.google.causes import Cause
from leaf.google.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True)
class DriveCredentials:
    """The credentials of one call to Drive."""

    access_token: str = field(repr=False)
    account: str = ""
    """The e-mail address of the connected account, if known."""
    troubled: bool = False
    """Whether a problem of the connection is recorded, which a response may disprove."""


class DriveAccess(Protocol):
    """One user's grant for Google Drive. Leaf itself uses `leaf.services.integrations.drive_access.UserDrive`.

    Objects can be hashed. Two objects of the same user should be equal.
    """

    def __hash__(self) -> int: ...

    async def credentials(self) -> DriveCredentials:
        """An access token that has not expired.

        Raises:
            errors.DriveNotConnected: The user has not connected Drive.
            errors.DriveRevoked: Google no longer accepts the grant.
        """
        ...

    async def report_rejected(self, access_token: str) -> DriveCredentials:
        """Replaces a token that Google refused with 401, and refreshes the grant once.

        Raises:
            errors.DriveRevoked: No token can be obtained; the integration is marked accordingly.
        """
        ...

    async def report(self, found: Diagnosis) -> Diagnosis:
        """Records a failure of the connection, which every page then shows, or a bug of Leaf, for administrators.

        Returns:
            The failure to name: a recorded one if it belongs to an earlier step (`causes.STEPS`), or else this one.
        """
        ...

    async def report_disproved(self, over: Collection[Cause]) -> None:
        """Removes a recorded problem if it has one of these causes, which a response of Google disproves."""
        ...

    async def count(self, units: int) -> None:
        """Counts a call that is about to be made; `units` is its cost in units of Google's quota."""
        ...

    async def report_limited(self) -> None:
        """Records that Google refused a call because there were too many."""
        ...


class Unrecorded:
    """The part of a `DriveAccess` that records nothing, because no connection is stored."""

    async def report(self, found: Diagnosis) -> Diagnosis:
        """Returns the failure."""
        return found

    async def report_disproved(self, over: Collection[Cause]) -> None:
        """Does nothing."""

    async def count(self, units: int) -> None:
        """Does nothing."""

    async def report_limited(self) -> None:
        """Does nothing."""


async def recorded(
    access: DriveAccess, error: errors.DriveError, subject: refusals.Subject, skew_seconds: float | None, *,
    troubled: bool,
) -> errors.DriveError:  # fmt: skip
    """Records why a call failed, and returns the error to raise.

    If the connection has a recorded problem of an earlier step, the error names that one.

    Args:
        access: The source of the call's token.
        error: The error for Google's response (`refusals.explain`).
        subject: The subject of the call.
        skew_seconds: As in `diagnosis.disproved`.
        troubled: Whether a problem of the connection is recorded.
    """
    found = error.cause
    if not isinstance(found, Diagnosis):
        return error
    if found.row.mender == "leaf":
        await access.report(found)
    elif found.concerns_connection and not _concerns_one_file(found, subject):
        first = await access.report(Diagnosis(Cause.CLOCK) if diagnosis.is_skewed(skew_seconds) else found)
        return error if first.cause is found.cause else refusals.error_of(first)
    if troubled and (over := diagnosis.disproved(subject.reach, skew_seconds, found.cause)):
        await access.report_disproved(over)
    return error


def _concerns_one_file(found: Diagnosis, subject: refusals.Subject) -> bool:
    """Whether a failure says nothing about other files, such as a download that takes too long."""
    return found.cause in {Cause.NETWORK, Cause.GOOGLE_FAILED} and subject.reach in {"drive", "file"}
