"""The context of the sandbox's endpoints: its parts, and the account of a request."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from sandbox import accounts, refusals
from sandbox.corpus import Corpus
from sandbox.faults import Faults
from sandbox.identity import Signer
from sandbox.store import Access, Store

if TYPE_CHECKING:
    from sandbox.changes import Ledger

ACCOUNT_COOKIE = "leaf_sandbox_account"
DRIVE_SCOPES = frozenset(
    f"https://www.googleapis.com/auth/{name}" for name in ("drive.readonly", "drive", "drive.metadata.readonly")
)


@dataclass(frozen=True)
class Options:
    """The options of a sandbox."""

    state_dir: Path
    base_url: str
    """The base URL without a slash at the end, which is also the issuer of id_tokens."""
    drive: Path | None = None
    """A local folder to serve instead of the sample Drive; None for the sample."""
    token_seconds: int = 3600
    """The lifetime of access tokens, in seconds."""


@dataclass(frozen=True)
class Sandbox:
    """The parts of a running sandbox."""

    options: Options
    store: Store
    corpus: Corpus
    faults: Faults
    signer: Signer
    ledger: "Ledger"

    @property
    def base_url(self) -> str:
        """The URL at which the sandbox is reached."""
        return self.options.base_url


def of(request: Request) -> Sandbox:
    """The sandbox that serves a request."""
    return request.app.state.sandbox


def access(request: Request) -> tuple[Access, accounts.Account] | None:
    """The rights and the account of the access token in the header or, as Google allows, in the query; None without a
    valid token.
    """
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    token = value.strip() if scheme.lower() == "bearer" and value else request.query_params.get("access_token")
    found = of(request).store.access(token) if token else None
    account = accounts.find(found.account) if found else None
    return (found, account) if found and account else None


def flag(request: Request, name: str, *, default: bool = False) -> bool:
    """The value of a boolean parameter of a request."""
    return request.query_params.get(name, str(default)).lower() == "true"


def same_origin(request: Request) -> bool:
    """Whether a form comes from one of the sandbox's own pages. Browsers always send the origin of a POST."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def sign_in(response: Response, account: accounts.Account) -> None:
    """Sets the cookie with the chosen account."""
    response.set_cookie(ACCOUNT_COOKIE, account.key, httponly=True, samesite="lax", max_age=30 * 86_400)


def signed_in(request: Request) -> accounts.Account | None:
    """The account that was chosen in this browser; None if there is none."""
    return accounts.find(request.cookies.get(ACCOUNT_COOKIE, ""))


def drive_account(request: Request) -> accounts.Account:
    """The account whose Drive a request may read.

    Raises:
        refusals.DriveRefusal: The token is missing, expired, revoked, or lacks a Drive scope.
    """
    found = access(request)
    if found is None:
        raise refusals.unauthenticated()
    rights, account = found
    request.state.account = account.email
    if DRIVE_SCOPES.isdisjoint(rights.scopes):
        raise refusals.missing_scope()
    return account
