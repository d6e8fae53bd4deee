"""The sandbox as a Starlette application."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox import changes, drive, failures, faults, oauth, pages, providers, refusals, storage, viewer, web
from sandbox.changes import Ledger
from sandbox.context import Options, Sandbox
from sandbox.corpus import Corpus
from sandbox.faults import FaultMiddleware, Faults
from sandbox.folder import Folder
from sandbox.identity import Signer
from sandbox.sample_drive import Sample
from sandbox.store import Store
from sandbox.written_drive import DescribedFolder, describes


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
            **dict.fromkeys(storage.FAILURES, storage.answer),
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
