"""The common ground of the sandbox's endpoints."""

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
    """The base URL, without a slash at the end; also the issuer."""
    drive: Path | None = None
    """A local folder to serve in place of the sample."""
    token_seconds: int = 3600
    """Lifetime of access tokens, in seconds."""


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
        """Where the sandbox is reached."""
        return self.options.base_url


def of(request: Request) -> Sandbox:
    """The sandbox that a request came to."""
    return request.app.state.sandbox


def bearer(request: Request) -> str | None:
    """The access token of a request; Google takes it from the header or the query."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and value:
        return value.strip()
    return request.query_params.get("access_token")


def flag(request: Request, name: str, *, default: bool = False) -> bool:
    """A parameter that is true or false."""
    return request.query_params.get(name, str(default)).lower() == "true"


def same_origin(request: Request) -> bool:
    """Whether a form was sent by one of the sandbox's own pages; browsers always tell the origin of a POST."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def sign_in(response: Response, account: accounts.Account) -> None:
    """Has a browser keep the choice of an account."""
    response.set_cookie(ACCOUNT_COOKIE, account.key, httponly=True, samesite="lax", max_age=30 * 86_400)


def signed_in(request: Request) -> accounts.Account | None:
    """The account chosen in this browser."""
    return accounts.find(request.cookies.get(ACCOUNT_COOKIE, ""))


def drive_account(request: Request) -> accounts.Account:
    """The account whose Drive a request may read.

    Raises:
        refusals.DriveRefusal: The token is missing, expired, revoked, or lacks a Drive scope.
    """
    access: Access | None = None
    token = bearer(request)
    if token:
        access = of(request).store.access(token)
    account = accounts.find(access.account) if access else None
    if access is None or account is None:
        raise refusals.unauthenticated()
    request.state.account = account.email
    if DRIVE_SCOPES.isdisjoint(access.scopes):
        raise refusals.missing_scope()
    return account
