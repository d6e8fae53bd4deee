"""OpenID Connect as at Google: discovery document, keys, id_token and claims about a user."""

import base64
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from sandbox.accounts import Account

OPENID = "openid"
EMAIL = "https://www.googleapis.com/auth/userinfo.email"
PROFILE = "https://www.googleapis.com/auth/userinfo.profile"
IDENTITY_SCOPES = (EMAIL, PROFILE, OPENID)
_ID_TOKEN_SECONDS = 3600


class Signer:
    """Signs id_tokens with an RSA key that is kept in the state directory.

    Args:
        path: The path of the PEM file, which is created with a new key if it does not exist.
    """

    def __init__(self, path: Path) -> None:
        if path.exists():
            pem = path.read_bytes()
        else:
            key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
            pem = key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            path.touch(mode=0o600)
            path.write_bytes(pem)
        loaded = serialization.load_pem_private_key(pem, password=None)
        if not isinstance(loaded, rsa.RSAPrivateKey):
            raise TypeError(f"{path} holds no RSA key")
        self._key = loaded
        self._public: dict[str, Any] = RSAAlgorithm.to_jwk(loaded.public_key(), as_dict=True)
        self.key_id = hashlib.sha256(str(self._public["n"]).encode()).hexdigest()[:40]

    def certificates(self) -> dict[str, Any]:
        """The JWK set of `/oauth2/v3/certs`."""
        public = {name: self._public[name] for name in ("kty", "n", "e")}
        return {"keys": [{**public, "kid": self.key_id, "use": "sig", "alg": "RS256"}]}

    def id_token(
        self,
        account: Account,
        scopes: tuple[str, ...],
        *,
        issuer: str,
        client_id: str,
        nonce: str | None,
        access_token: str,
    ) -> str:
        """A signed id_token for an account. Its `at_hash` binds it to the access token."""
        now = int(time.time())
        half = hashlib.sha256(access_token.encode()).digest()[:16]
        claims: dict[str, Any] = {
            "iss": issuer,
            "azp": client_id,
            "aud": client_id,
            **user_claims(account, scopes, issuer=issuer),
            "at_hash": base64.urlsafe_b64encode(half).decode().rstrip("="),
            "iat": now,
            "exp": now + _ID_TOKEN_SECONDS,
        }
        if nonce:
            claims["nonce"] = nonce
        return jwt.encode(claims, self._key, algorithm="RS256", headers={"kid": self.key_id})


def user_claims(account: Account, scopes: tuple[str, ...], *, issuer: str) -> dict[str, Any]:
    """The claims about an account that the granted scopes cover."""
    claims: dict[str, Any] = {"sub": account.subject}
    if EMAIL in scopes:
        claims |= {"email": account.email, "email_verified": True}
    if PROFILE in scopes:
        claims |= {
            "name": account.name,
            "given_name": account.given_name,
            "family_name": account.family_name,
            "picture": f"{issuer}/sandbox/picture/{account.key}.svg",
        }
    return claims


def discovery(base_url: str, scopes: list[str]) -> dict[str, Any]:
    """The document of `/.well-known/openid-configuration`."""
    document = (Path(__file__).parent / "openid-configuration.json").read_text("utf-8")
    return {
        **json.loads(document.replace("{base}", base_url)),
        "scopes_supported": ["openid", "email", "profile", *scopes],
    }
