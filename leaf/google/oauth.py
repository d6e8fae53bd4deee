"""OAuth 2 and OpenID Connect: sign-in with any provider, and the grants of integrations.

The flow is the authorization code flow with PKCE (RFC 7636), `state` (RFC 6749, 10.12) and `nonce` (OpenID Connect Core
3.1.2.1). The state between its two halves is stored in an encrypted cookie of the browser. So any web process can
finish the flow, but no other browser can. The libraries are synchronous and run in threads.
"""

import asyncio
import functools
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import jwt
import requests
from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError
from google.auth.transport.requests import Request
from google.oauth2.credentials import Credentials
from google_auth_oauthlib.flow import Flow
from oauthlib.oauth2 import OAuth2Error

from leaf import errors, parts
from leaf.callers import tokens
from leaf.google import diagnosis, refusals
from leaf.google.diagnosis import Cause, Diagnosis, TokenRefusal
from leaf.google.transport import host_of, silence_of

TIMEOUT_SECONDS = 20
REVOKE_SECONDS = 10
"""Short, because a person waits for a revocation, and the grant is deleted in any case."""
_SUBJECT_CHARACTERS = 255
"""Maximum length of a subject (OpenID Connect Core, section 2)."""
_EMAIL = re.compile(r"[^\s@]{1,200}@[^\s@]{1,255}")
DRIVE_SCOPE = "https://www.googleapis.com/auth/drive.readonly"
IDENTITY_SCOPES = ("openid", "email", "profile")
_MALFORMED_RESPONSE = (TypeError, AttributeError, ArithmeticError, RecursionError)
"""Exceptions that oauthlib and google-auth raise for a malformed response with status 200."""


@dataclass(frozen=True)
class Client:
    """An OAuth client of a provider, with the addresses of the provider's endpoints."""

    client_id: str
    client_secret: str
    issuer: str
    authorization_url: str
    token_url: str
    revocation_url: str
    jwks_url: str

    def __repr__(self) -> str:
        return f"Client(client_id={self.client_id!r}, issuer={self.issuer!r})"


@dataclass(frozen=True)
class Begun:
    """The result of the first half of a flow: where to send the browser, and the values that the second half needs."""

    url: str = field(repr=False)
    state: str = field(repr=False)
    nonce: str = field(repr=False)
    code_verifier: str = field(repr=False)


@dataclass(frozen=True)
class Grant:
    """A grant of a provider. Token fields are secrets.

    `expires_at` is an aware datetime; `scopes` are the scopes that were actually granted.
    """

    access_token: str
    refresh_token: str | None
    expires_at: datetime
    scopes: frozenset[str]
    id_token: str | None = None
    ends_at: datetime | None = None
    """The end of the grant itself, if the provider states it (`refresh_token_expires_in`)."""

    def __repr__(self) -> str:
        return f"Grant(scopes={sorted(self.scopes)}, expires_at={self.expires_at.isoformat()})"


class Refused(Exception):
    """The token endpoint refused a grant or the client."""

    def __init__(self, refusal: TokenRefusal) -> None:
        super().__init__(refusal.error)
        self.refusal = refusal


@dataclass(frozen=True)
class Identity:
    """A person who signed in, from a verified id_token. `subject` identifies the person at one provider permanently."""

    subject: str
    email: str
    name: str
    first_name: str
    picture_url: str | None


def begin(client: Client, *, redirect_uri: str, scopes: tuple[str, ...], extra: dict[str, str]) -> Begun:
    """Starts a flow.

    Args:
        client: The OAuth client.
        redirect_uri: The address to which the provider sends the browser back.
        scopes: All scopes that are requested.
        extra: Further parameters of the authorization request, such as `access_type`.
    """
    flow = _flow(client, redirect_uri=redirect_uri, scopes=scopes)
    state, nonce, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32), secrets.token_urlsafe(64)
    flow.code_verifier = verifier
    url, _ = flow.authorization_url(state=state, nonce=nonce, **extra)
    return Begun(url=url, state=state, nonce=nonce, code_verifier=verifier)


async def exchange(client: Client, *, redirect_uri: str, code: str, code_verifier: str) -> Grant:
    """Finishes a flow by exchanging the code for tokens.

    Raises:
        errors.SignInFailed: The provider refuses the code or the client; `cause` says why.
        errors.Unavailable: The provider does not answer, or sends an unexpected response.
    """
    flow = _flow(client, redirect_uri=redirect_uri, scopes=None)
    flow.code_verifier = code_verifier
    fetch = functools.partial(flow.fetch_token, code=code, timeout=TIMEOUT_SECONDS)
    try:
        token = await asyncio.to_thread(fetch)
    except OAuth2Error as error:
        refusal = TokenRefusal(str(error.error or ""), str(error.description or ""))
        found = diagnosis.of_token(refusal)
        if found is None:
            raise _unavailable() from error
        # A code that was already used is an ordinary mistake with a text of its own.
        is_used = error.error == "invalid_grant" and found.cause in {Cause.CODE_USED, Cause.REVOKED}
        message = "This sign-in was already used or has expired. Please start again." if is_used else found.message
        code = errors.SignInFailed.code if is_used else "failed"
        raise errors.SignInFailed(message, code=code, cause=found) from error
    except (requests.RequestException, ValueError, KeyError, *_MALFORMED_RESPONSE) as error:
        raise _unavailable() from error
    return _grant(token)


async def refresh(client: Client, refresh_token: str) -> Grant:
    """A new access token for a refresh token.

    Raises:
        Refused: The provider no longer accepts the grant or the client.
        errors.DriveError: The provider cannot be reached, or something else answers in its place; `cause` says why.
        errors.Unavailable: The provider sends an unexpected response.
    """
    credentials = Credentials(  # pyright: ignore[reportUnknownVariableType]
        token=None,
        refresh_token=refresh_token,
        token_uri=client.token_url,
        client_id=client.client_id,
        client_secret=client.client_secret,
    )
    request = _Request()
    try:
        await asyncio.to_thread(credentials.refresh, request)
    except RefreshError as error:
        if request.is_page:
            raise refusals.error_of(Diagnosis(Cause.NETWORK_BLOCKED)) from error
        if request.refusal is None:
            raise _unavailable() from error
        raise Refused(request.refusal) from error
    except TransportError as error:
        raise refusals.error_of(diagnosis.of_silence(silence_of(error), host_of(client.token_url))) from error
    except (GoogleAuthError, ValueError, *_MALFORMED_RESPONSE) as error:
        if request.is_page:
            raise refusals.error_of(Diagnosis(Cause.NETWORK_BLOCKED)) from error
        raise _unavailable() from error
    token: object = credentials.token
    renewed: object = credentials.refresh_token
    if not isinstance(token, str) or not token or credentials.expiry is None:
        raise _unavailable()
    return Grant(
        access_token=token,
        refresh_token=renewed if isinstance(renewed, str) and renewed else refresh_token,
        expires_at=credentials.expiry.replace(tzinfo=UTC),
        scopes=frozenset(credentials.granted_scopes or ()),
    )


class _Request:
    """google-auth's request object. It keeps the last response, of which the library's errors contain only a part."""

    def __init__(self) -> None:
        self._request = Request()
        self._status = 0
        self._body = b""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Makes a request."""
        response = self._request(*args, timeout=TIMEOUT_SECONDS, **options)
        self._status, self._body = response.status, bytes(response.data or b"")[:_BODY_BYTES]
        return response

    @property
    def is_page(self) -> bool:
        """Whether something on the network has answered in Google's place: with a web page and a status below 500."""
        return self._status < _SERVER_ERROR and self._body.lstrip()[:1] == b"<"

    @property
    def refusal(self) -> TokenRefusal | None:
        """The error in the response; None if the response has another form."""
        try:
            body = json.loads(self._body)
            values = [str(body.get(name) or "") for name in ("error", "error_description", "error_subtype")]
        except (ValueError, AttributeError, RecursionError):
            return None
        return TokenRefusal(*values)


_BODY_BYTES = 100_000
_SERVER_ERROR = 500


async def revoke(client: Client, token: str) -> None:
    """Revokes a grant at the provider (RFC 7009).

    Raises:
        errors.Unavailable: The provider does not answer or refuses. An unknown token is not an error.
    """
    try:
        async with asyncio.timeout(REVOKE_SECONDS), httpx.AsyncClient(timeout=REVOKE_SECONDS) as http:
            response = await http.post(client.revocation_url, data={"token": token})
    except (httpx.HTTPError, TimeoutError) as error:
        raise _unavailable() from error
    if response.status_code not in {200, 400}:
        raise _unavailable()


async def identify(client: Client, grant: Grant, *, nonce: str) -> Identity:
    """Verifies the id_token of a grant against the provider's published keys.

    Raises:
        errors.SignInFailed: The signature, issuer, audience, expiry or nonce is wrong, or the token has no verified
            e-mail address.
        errors.Unavailable: The keys cannot be fetched.
    """
    if grant.id_token is None:
        raise errors.SignInFailed("The provider did not say who signed in. Please try again.", code="failed")
    try:
        key = await asyncio.to_thread(_jwks(client.jwks_url).get_signing_key_from_jwt, grant.id_token)
        claims = jwt.decode(
            grant.id_token,
            key,
            algorithms=["RS256", "ES256"],
            audience=client.client_id,
            issuer=[client.issuer, client.issuer.removeprefix("https://")],
            leeway=timedelta(seconds=10),
            options={"require": ["exp", "iat", "sub", "aud", "iss"]},
        )
    except jwt.PyJWKClientConnectionError as error:
        raise _unavailable() from error
    except jwt.ImmatureSignatureError as error:
        found = Diagnosis(Cause.CLOCK)
        raise errors.SignInFailed(found.message, code="failed", cause=found) from error
    except (jwt.PyJWTError, ValueError, *_MALFORMED_RESPONSE) as error:
        # Keys that are not JSON raise a ValueError.
        message = "The provider's answer could not be verified. Please try again."
        raise errors.SignInFailed(message, code="failed") from error
    if not tokens.same(parts.plain_text(str(claims.get("nonce", ""))), nonce):
        raise errors.SignInFailed("This sign-in was started elsewhere. Please start again.")
    _check_parties(claims, client)
    email = _text(claims.get("email"))
    if email is None or not _is_email(email) or claims.get("email_verified") is not True:
        raise errors.SignInFailed("The provider has not verified the e-mail address of this account.", code="failed")
    name = (_text(claims.get("name")) or "").strip() or email.partition("@")[0]
    picture = _text(claims.get("picture")) or ""
    return Identity(
        subject=str(claims["sub"]),
        email=email,
        name=name,
        first_name=(_text(claims.get("given_name")) or "").strip() or name.split(maxsplit=1)[0],
        picture_url=picture if picture.startswith("https://") else None,
    )


def _check_parties(claims: Mapping[str, Any], client: Client) -> None:
    """Refuses an id_token that was issued to another client, or that names no account (OpenID Connect Core 3.1.3.7, 2).

    Raises:
        errors.SignInFailed: `azp` names another client, or is missing although there are several audiences. Or `sub` is
            empty, too long, or would be changed when stored, which could merge two accounts.
    """
    audiences, party = claims["aud"], claims.get("azp")
    is_ours = party == client.client_id if "azp" in claims else isinstance(audiences, str) or len(audiences) == 1
    subject = claims["sub"]
    if not is_ours or not isinstance(subject, str) or not _is_subject(subject):
        raise errors.SignInFailed("The provider's answer was not made for Leaf. Please try again.", code="failed")


def _is_subject(text: str) -> bool:
    return len(text) <= _SUBJECT_CHARACTERS and parts.is_visible(text) and parts.plain_text(text) == text


def _is_email(text: str) -> bool:
    return _EMAIL.fullmatch(text) is not None and text == parts.without_unseen(text) == parts.plain_text(text)


def forget_keys() -> None:
    """Makes the next sign-in fetch the keys of all providers again."""
    _jwks.cache_clear()


@functools.lru_cache(maxsize=32)
def _jwks(url: str) -> jwt.PyJWKClient:
    return jwt.PyJWKClient(url, timeout=TIMEOUT_SECONDS)


def _flow(client: Client, *, redirect_uri: str, scopes: tuple[str, ...] | None) -> Flow:
    """A flow object of the library. Without scopes it accepts a partial grant, because people may untick scopes."""
    configuration = {
        "web": {
            "client_id": client.client_id,
            "client_secret": client.client_secret,
            "auth_uri": client.authorization_url,
            "token_uri": client.token_url,
        }
    }
    return Flow.from_client_config(configuration, scopes=scopes, redirect_uri=redirect_uri)


def _grant(token: dict[str, Any]) -> Grant:
    scope, access_token = token.get("scope") or "", token.get("access_token")
    try:
        scopes = scope.split() if isinstance(scope, str) else [str(one) for one in scope]
        expires_at = datetime.fromtimestamp(float(token["expires_at"]), UTC)
    except (KeyError, ValueError, OSError, *_MALFORMED_RESPONSE) as error:
        raise _unavailable() from error
    if not isinstance(access_token, str) or not access_token:
        raise _unavailable()
    return Grant(
        access_token=access_token,
        refresh_token=_text(token.get("refresh_token")),
        expires_at=expires_at,
        scopes=frozenset(scopes),
        id_token=_text(token.get("id_token")),
        ends_at=_ends_at(token.get("refresh_token_expires_in")),
    )


def _ends_at(seconds: object) -> datetime | None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < _YEAR_SECONDS:
        return None
    return datetime.now(UTC) + timedelta(seconds=seconds)


_YEAR_SECONDS = 366 * 86_400


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _unavailable() -> errors.Unavailable:
    return errors.Unavailable("The sign-in service does not answer as it should. Please try again in a minute.")
