"""The sandbox as a Starlette application."""

import errno
import sqlite3
from html import escape

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox import changes, context, drive, failures, faults, oauth, pages, providers, refusals, viewer, web
from sandbox.changes import Ledger
from sandbox.context import Options, Sandbox
from sandbox.corpus import Corpus
from sandbox.faults import FaultMiddleware, Faults
from sandbox.folder import DescribedFolder, Folder, describes
from sandbox.identity import Signer
from sandbox.sample_drive import Sample
from sandbox.store import Store

_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}
_UNWRITABLE = "The sandbox cannot write to its disk"


def build(options: Options) -> Sandbox:
    """Builds the parts of a sandbox. Creates the state directory if it does not exist."""
    options.state_dir.mkdir(parents=True, exist_ok=True)
    store = Store(options.state_dir / "sandbox.sqlite")
    files = _files(options, store)
    return Sandbox(options, store, files, Faults(), Signer(options.state_dir / "signing-key.pem"), Ledger(store, files))


def _files(options: Options, store: Store) -> Corpus:
    if options.drive is None:
        return Sample(store, options.state_dir, options.base_url)
    return DescribedFolder(options.drive) if describes(options.drive) else Folder(options.drive)


def create(options: Options, *, any_host: bool = False) -> Starlette:
    """The application.

    Args:
        options: The options of the sandbox.
        any_host: Whether to serve requests under host names other than this machine's; for containers.
    """
    sandbox = build(options)
    hosts = ["*"] if any_host else ["localhost", "127.0.0.1", "testserver"]
    app = Starlette(
        routes=[
            Route("/health", _health),
            *oauth.routes(),
            *drive.routes(),
            *changes.routes(),
            *pages.routes(),
            *viewer.routes(),
            *faults.routes(),
            *failures.routes(),
            *providers.routes(),
            *web.routes(),
        ],
        middleware=[
            # Prevents a page of another site from reaching the sandbox under a host name of its own (DNS rebinding).
            Middleware(TrustedHostMiddleware, allowed_hosts=hosts),
            Middleware(FaultMiddleware, faults=sandbox.faults),
        ],
        exception_handlers={
            refusals.DriveRefusal: refusals.drive_answer,
            refusals.OAuthRefusal: refusals.oauth_answer,
            **dict.fromkeys((sqlite3.OperationalError, OSError), _unwritable),
            404: _unknown_path,
        },
    )
    app.state.sandbox = sandbox
    return app


async def _health(_request: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _unknown_path(request: Request, _error: Exception) -> Response:
    if request.url.path.startswith("/drive/"):
        return JSONResponse(refusals.DriveRefusal(404, "notFound", "Not Found").body(), 404)
    return pages.page("Not found", "<h1>Not found</h1><p>There is nothing at this address.</p>", status=404)


async def _unwritable(request: Request, error: Exception) -> Response:
    """A response that says why the disk cannot be written: a page for people, or Google's JSON for programs.

    Raises:
        OSError: The error has another cause.
    """
    if isinstance(error, OSError) and error.errno not in _OF_THE_DISK:
        raise error
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    folder = context.of(request).options.state_dir
    message = f"{_UNWRITABLE}: {reason}."
    if request.url.path.startswith("/drive/"):
        return JSONResponse(refusals.injected(503, "backendError", message).body(), 503)
    if request.url.path in {"/token", "/revoke"}:
        return JSONResponse({"error": "internal_failure", "error_description": message}, 503)
    body = (
        f"<h1>{_UNWRITABLE}</h1><p>It stands in for Google and keeps what you allow in "
        f"<code>{escape(str(folder))}</code>, which fails: {escape(reason)}. Most often the disk is full.</p>"
        "<p>Make room there, then go back and try again. Nothing was stored.</p>"
    )
    return pages.page(_UNWRITABLE, body, status=507)
