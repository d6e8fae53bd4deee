"""Creates, signs, hashes and seals tokens.

Session tokens and API keys are random, have a prefix, and are stored only as SHA-256 hashes. OAuth tokens are sealed
with Fernet (AES-128-CBC and HMAC-SHA256, `cryptography`). Every sealed value starts with the id of its key, so keys can
be rotated.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

import jwt
from cryptography.fernet import Fernet, InvalidToken
from jwt.utils import base64url_decode, base64url_encode

from leaf import errors

_INVALID = "This link is no longer valid. Please start again."


def new(prefix: str) -> str:
    """A new random token of 256 bits, such as `leaf_session_…`.

    Args:
        prefix: The purpose of the token, by which a leaked token can be recognised.
    """
    return f"leaf_{prefix}_{secrets.token_urlsafe(32)}"


def digest(token: str) -> str:
    """The SHA-256 of a token in hexadecimal. Only this form of a token is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def same(left: str, right: str) -> bool:
    """Whether two strings are equal, in constant time."""
    return hmac.compare_digest(left.encode(), right.encode())


def sign(claims: dict[str, object], *, key: str, purpose: str) -> str:
    """A signed (HS256) value that a browser may carry, such as the state of an OAuth flow.

    Args:
        claims: Values that can be written as JSON. With `exp` (seconds since 1970) the signed value expires.
        key: The signing secret.
        purpose: The purpose of the value. It is part of the signature, so a value is refused for any other purpose.
    """
    return jwt.encode({**claims, "aud": purpose}, key, algorithm="HS256")


def verify(value: str, *, key: str, purpose: str) -> dict[str, object]:
    """The claims of a value made by `sign`.

    Raises:
        errors.Invalid: The signature or purpose is wrong, the value has expired, or the signature is not canonical.
    """
    try:
        claims = jwt.decode(value, key, algorithms=["HS256"], audience=purpose)
    except (jwt.InvalidTokenError, UnicodeEncodeError) as error:
        raise errors.Invalid(_INVALID) from error
    if not _is_canonical(value.rpartition(".")[2]):
        raise errors.Invalid(_INVALID)
    return claims


def _is_canonical(signature: str) -> bool:
    """Whether a signature is encoded exactly as by `sign`. Decoders of base64 also accept other spellings, because they
    ignore padding, unused bits and foreign characters.
    """
    return base64url_encode(base64url_decode(signature)).decode() == signature


@dataclass(frozen=True)
class Sealer:
    """Seals and opens OAuth tokens.

    Args:
        keys: Pairs of id and Fernet key, the newest first. New values are sealed with the first key.
    """

    keys: tuple[tuple[str, str], ...] = field(repr=False)

    def seal(self, secret: str) -> str:
        """The sealed form `<key id>:<token>` of a secret."""
        key_id, key = self.keys[0]
        return f"{key_id}:{Fernet(key).encrypt(secret.encode()).decode()}"

    def is_newest(self, sealed: str) -> bool:
        """Whether a value was sealed with the newest key."""
        return sealed.partition(":")[0] == self.keys[0][0]

    def open(self, sealed: str) -> str:
        """The secret inside a sealed value.

        Raises:
            errors.ConfigurationError: The key of the value is no longer configured, or the value was changed.
        """
        key_id, _, token = sealed.partition(":")
        for known_id, key in self.keys:
            if known_id == key_id:
                try:
                    return Fernet(key).decrypt(token.encode()).decode()
                except (InvalidToken, UnicodeEncodeError):
                    break
        raise errors.ConfigurationError([f"LEAF_SEAL_KEYS: a stored token cannot be opened with the key {key_id!r}"])


def new_seal_key() -> str:
    """A new key for `Sealer`, in URL-safe base64."""
    return Fernet.generate_key().decode()
