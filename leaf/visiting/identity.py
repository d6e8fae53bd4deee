"""User tokens: a tenant's server says with one who a visitor is (RFC 7519, HS256)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import jwt

USER_CHARACTERS: Final = 255
LONGEST_TOKEN: Final = 4096
LEEWAY_SECONDS: Final = 30
"""Clocks differ."""
_LATEST: Final = 253_402_300_799
"""The end of the year 9999."""
_ALGORITHMS: Final = ["HS256"]


@dataclass(frozen=True)
class UserToken:
    """What a token proves."""

    user_id: str
    expires_at: float
    """Seconds since 1970."""


def verified(token: str, secrets: Iterable[str]) -> UserToken | None:
    """What a token proves; None where it proves nothing.

    It has to be signed with one of the secrets by HS256, to have an end that is yet to come, and to name the user as
    `userId` or `sub`. Whatever its header says of algorithms or keys, nothing else is tried.
    """
    if len(token) > LONGEST_TOKEN or not token.isascii():
        return None
    for secret in secrets:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                secret,
                algorithms=_ALGORITHMS,
                leeway=LEEWAY_SECONDS,
                # A tenant's server may sign for others, too: whom it meant with `aud` or `iss` is not ours to judge.
                options={"require": ["exp"], "verify_aud": False, "verify_sub": False},
            )
        except (jwt.InvalidTokenError, ValueError, OverflowError):
            continue
        user, ends = claims.get("userId", claims.get("sub")), claims["exp"]
        if not isinstance(user, str) or not is_user(user):
            return None
        # The library takes numbers in quotation marks, too; a date is a number (RFC 7519, 2), and one that there is.
        if isinstance(ends, bool) or not isinstance(ends, int | float) or ends > _LATEST:
            return None
        return UserToken(user, float(ends))
    return None


def is_user(name: str) -> bool:
    """Whether a site may call a user so."""
    return 1 <= len(name) <= USER_CHARACTERS and name.isprintable() and name == name.strip()
