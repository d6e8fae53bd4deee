"""The interface through which the Drive client gets the tokens of one user."""

from dataclasses import dataclass, field
from typing import Protocol

from leaf.google.diagnosis import Diagnosis, Reach


@dataclass(frozen=True, slots=True)
class DriveCredentials:
    """Credentials of one call to Drive."""

    access_token: str = field(repr=False)
    account: str = ""
    """The e-mail address of the connected account, if known."""
    troubled: bool = False
    """Whether a trouble is noted at the connection, which the next call that works takes away."""


class DriveAccess(Protocol):
    """One user's grant for Google Drive. It can be hashed, and two of the same user's are best equal."""

    def __hash__(self) -> int: ...

    async def credentials(self) -> DriveCredentials:
        """An access token that has not expired.

        Raises:
            errors.DriveNotConnected: The user has not connected Drive.
            errors.DriveRevoked: Google no longer accepts the grant.
        """
        ...

    async def report_rejected(self, access_token: str) -> DriveCredentials:
        """Replaces a token that Google refused with 401; the grant is refreshed once.

        Raises:
            errors.DriveRevoked: No token can be obtained; the integration is marked accordingly.
        """
        ...

    async def report(self, found: Diagnosis) -> None:
        """Notes a failure of the connection itself, which every page then shows."""
        ...

    async def report_works(self, reach: Reach) -> None:
        """Takes a noted trouble away: Google answers as it should.

        Args:
            reach: The reach of the call.
        """
        ...

    async def count(self, units: int) -> None:
        """Counts a call that is about to be made, with its cost in units of Google's quota."""
        ...

    async def report_limited(self) -> None:
        """Notes that Google has refused a call because there were too many."""
        ...
