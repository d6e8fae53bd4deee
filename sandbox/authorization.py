"""Parses and checks an authorization request, with which an application opens the consent page.

RFC 6749 section 4.1.1, RFC 7636 (PKCE), and https://developers.google.com/identity/protocols/oauth2/web-server.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from sandbox import accounts, identity

DRIVE_DESCRIPTIONS = {
    "https://www.googleapis.com/auth/drive.readonly": "See and download all your Google Drive files",
    "https://www.googleapis.com/auth/drive.metadata.readonly": "See information about your Google Drive files",
    "https://www.googleapis.com/auth/drive": "See, edit, create and delete all of your Google Drive files",
    "https://www.googleapis.com/auth/drive.file": "See and edit only the Drive files that you use with this app",
}
_ALIASES = {"email": identity.EMAIL, "profile": identity.PROFILE}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_CHALLENGE = re.compile(r"[A-Za-z0-9\-._~]{43,128}")


class Refused(Exception):
    """A request that is answered with an error page, never with a redirect, because its sender cannot be trusted.

    Args:
        error: Google's code, such as `redirect_uri_mismatch`.
        message: The problem, for the developer.
        status: 400, or 401 for an unknown client.
    """

    def __init__(self, error: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.error = error
        self.message = message
        self.status = status


@dataclass(frozen=True)
class Request:
    """A checked authorization request. `scopes` are Google's full names."""

    client_id: str
    redirect_uri: str
    scopes: tuple[str, ...]
    state: str | None
    nonce: str | None
    challenge: str | None
    offline: bool
    prompts: frozenset[str]
    include_granted: bool

    @property
    def optional_scopes(self) -> tuple[str, ...]:
        """The scopes that a person may untick."""
        return tuple(scope for scope in self.scopes if scope not in identity.IDENTITY_SCOPES)

    def redirect(self, answer: Mapping[str, str]) -> str:
        """The redirect URI with the state and an answer in its query."""
        state = {"state": self.state} if self.state is not None else {}
        joint = "&" if urlsplit(self.redirect_uri).query else "?"
        return f"{self.redirect_uri}{joint}{urlencode({**state, **answer})}"


def expand(scope: str) -> tuple[str, ...]:
    """The scopes of a space-separated list under Google's full names, without duplicates."""
    return tuple(dict.fromkeys(_ALIASES.get(name, name) for name in scope.split()))


def parse(query: Mapping[str, str]) -> Request:
    """Checks an authorization request.

    Raises:
        Refused: The client, the redirect URI or another parameter is invalid.
    """
    _check_client(query)
    if query.get("response_type") != "code":
        raise Refused("unsupported_response_type", "The sandbox supports response_type=code only.")
    scopes = expand(query.get("scope", ""))
    if not scopes:
        raise Refused("invalid_request", "Missing required parameter: scope")
    unknown = [scope for scope in scopes if scope not in identity.IDENTITY_SCOPES and scope not in DRIVE_DESCRIPTIONS]
    if unknown:
        raise Refused("invalid_scope", f"Some requested scopes were invalid: {', '.join(unknown)}")
    access_type = query.get("access_type", "online")
    if access_type not in {"online", "offline"}:
        raise Refused("invalid_request", f"Invalid value for access_type: {access_type}")
    prompts = frozenset(query.get("prompt", "").split())
    if prompts - {"none", "consent", "select_account"} or ("none" in prompts and len(prompts) > 1):
        raise Refused("invalid_request", f"Invalid value for prompt: {query['prompt']}")
    return Request(
        client_id=query["client_id"],
        redirect_uri=query["redirect_uri"],
        scopes=scopes,
        state=query.get("state"),
        nonce=query.get("nonce"),
        challenge=_challenge(query),
        offline=access_type == "offline",
        prompts=prompts,
        include_granted=query.get("include_granted_scopes") == "true",
    )


def _check_client(query: Mapping[str, str]) -> None:
    if not query.get("client_id"):
        raise Refused("invalid_request", "Missing required parameter: client_id")
    if query["client_id"] != accounts.CLIENT_ID:
        raise Refused("invalid_client", "The OAuth client was not found.", 401)
    if not query.get("redirect_uri"):
        raise Refused("invalid_request", "Missing required parameter: redirect_uri")
    if not _is_loopback(query["redirect_uri"]):
        raise Refused("redirect_uri_mismatch", "The sandbox redirects to http://localhost and http://127.0.0.1 only.")


def _is_loopback(uri: str) -> bool:
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError:
        return False
    plain = not (parts.fragment or parts.username or parts.password or "\\" in uri or re.search(r"\s", uri))
    return plain and parts.scheme in {"http", "https"} and parts.hostname in _LOOPBACK


def _challenge(query: Mapping[str, str]) -> str | None:
    challenge = query.get("code_challenge")
    method = query.get("code_challenge_method", "plain" if challenge else "S256")
    if method != "S256":
        raise Refused("invalid_request", "The sandbox supports code_challenge_method=S256 only.")
    if challenge is not None and not _CHALLENGE.fullmatch(challenge):
        raise Refused("invalid_request", "Invalid code_challenge.")
    return challenge
