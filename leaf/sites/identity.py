"""Proofs of a site's callers: the origins of pages, and user tokens signed by a site's server (RFC 7519, HS256)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import jwt

from leaf import errors, parts, texts

USER_CHARACTERS: Final = 255
LONGEST_TOKEN: Final = 4096
LEEWAY_SECONDS: Final = 30
"""The tolerance for the expiry of a token, because clocks differ."""
_LATEST: Final = 253_402_300_799
"""The latest expiry, at the end of the year 9999 (Unix time, seconds)."""
_ALGORITHMS: Final = ["HS256"]
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_ORIGIN_CHARACTERS: Final = 300


@dataclass(frozen=True)
class UserToken:
    """The content of a valid token."""

    user_id: str
    expires_at: float
    """Seconds since 1970."""


def verified(token: str, secrets: Iterable[str]) -> UserToken | None:
    """The content of a token; None if it is not valid.

    A valid token is signed with one of the secrets by HS256, expires in the future, and names the user as `userId` or
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
                # `aud` and `iss` are not checked, because a site's server may also sign for other services.
                options={"require": ["exp"], "verify_aud": False, "verify_sub": False},
            )
        except (jwt.InvalidTokenError, ValueError, OverflowError):
            continue
        user, expiry = claims.get("userId", claims.get("sub")), claims["exp"]
        if not isinstance(user, str) or not is_user(user):
            return None
        # The library also accepts numbers in quotation marks or of any size. A date must be a number (RFC 7519, 2).
        if isinstance(expiry, bool) or not isinstance(expiry, int | float) or expiry > _LATEST:
            return None
        return UserToken(user, float(expiry))
    return None


def is_user(name: str) -> bool:
    """Whether a site may use a name as the id of a user."""
    return len(name) <= USER_CHARACTERS and name.isprintable() and name == name.strip() and parts.is_visible(name)


def origin_of(written: str) -> str:
    """An origin as browsers write it, such as `https://shop.example`: in lower case and without the default port.

    Args:
        written: An origin typed by a person, with or without a final slash.

    Raises:
        errors.Invalid: The scheme is not http or https, or there is a path, a user or a wildcard.
    """
    text = written.strip().removesuffix("/")
    refusal = errors.Invalid(texts.english("errors.no_origin", origin=text[:80]), field="origins")
    if len(text) > _ORIGIN_CHARACTERS or not text.isascii() or any(letter in text for letter in "*\\ \t\r\n@?#"):
        raise refusal
    try:
        address = urlsplit(text)
        port = address.port
    except ValueError:
        raise refusal from None
    scheme, host = address.scheme, address.hostname
    if scheme not in _DEFAULT_PORTS or not host or address.path or address.query:
        raise refusal
    if ":" in host:
        host = f"[{host}]"
    return f"{scheme}://{host}" if port in {None, _DEFAULT_PORTS[scheme]} else f"{scheme}://{host}:{port}"
