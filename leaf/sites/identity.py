"""Proofs of a site's callers: the origins of pages, and user tokens, which a site's server signs (RFC 7519, HS256)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import jwt

from leaf import errors, parts, texts

USER_CHARACTERS: Final = 255
LONGEST_TOKEN: Final = 4096
LEEWAY_SECONDS: Final = 30
"""Clocks differ."""
_LATEST: Final = 253_402_300_799
"""The end of the year 9999."""
_ALGORITHMS: Final = ["HS256"]


@dataclass(frozen=True)
class UserToken:
    """The content of a valid token."""

    user_id: str
    expires_at: float
    """Seconds since 1970."""


def verified(token: str, secrets: Iterable[str]) -> UserToken | None:
    """The content of a token; None if it is not valid.

    It must be signed with one of the secrets by HS256, have an expiry in the future, and name the user as `userId` or
    `sub`. Algorithms and keys in its header are ignored.
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
                # A site's server may sign for other services as well; `aud` and `iss` are not checked.
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
    return len(name) <= USER_CHARACTERS and name.isprintable() and name == name.strip() and parts.is_visible(name)


_PORTS = {"http": 80, "https": 443}
_LONGEST = 300


def origin_of(written: str) -> str:
    """An origin as browsers send it, such as `https://shop.example`: lower case, without the default port.

    Args:
        written: An origin as a person typed it, with or without a final slash.

    Raises:
        errors.Invalid: It has another scheme than http or https, a path, a user, or a wildcard.
    """
    text = written.strip().removesuffix("/")
    wrong = errors.Invalid(texts.english("errors.no_origin", origin=text[:80]), field="origins")
    if len(text) > _LONGEST or not text.isascii() or any(letter in text for letter in "*\\ \t\r\n@?#"):
        raise wrong
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme.lower() not in _PORTS or not parts.hostname or parts.path or parts.query:
        raise wrong
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    usual = port is None or port == _PORTS[parts.scheme.lower()]
    return f"{parts.scheme.lower()}://{host}" + ("" if usual else f":{port}")
