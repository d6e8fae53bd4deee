"""Whose Drive is read: the tokens come from whoever keeps them, through this protocol."""

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class DriveCredentials:
    """What a call to Drive carries."""

    access_token: str = field(repr=False)


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
        """Google answered 401 to this token: another one, refreshed once.

        Raises:
            errors.DriveRevoked: There is none to be had; the integration is marked accordingly.
        """
        ...

    async def report_refused(self) -> None:
        """Google answers 401 to fresh tokens as well: the integration is marked accordingly."""
        ...
