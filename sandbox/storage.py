"""The responses of the sandbox when it cannot write to its disk."""

import errno
import sqlite3
from html import escape

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sandbox import context, pages, refusals

FAILURES = (sqlite3.OperationalError, OSError)
_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}
_TITLE = "The sandbox cannot write to its disk"


async def answer(request: Request, error: Exception) -> Response:
    """A response that says why the disk cannot be written: a page for people, or Google's JSON for programs.

    Raises:
        OSError: The error has another cause.
    """
    if isinstance(error, OSError) and error.errno not in _OF_THE_DISK:
        raise error
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    folder = context.of(request).options.state_dir
    message = f"{_TITLE}: {reason}."
    if request.url.path.startswith("/drive/"):
        return JSONResponse(refusals.injected(503, "backendError", message).body(), 503)
    if request.url.path in {"/token", "/revoke"}:
        return JSONResponse({"error": "internal_failure", "error_description": message}, 503)
    body = (
        f"<h1>{_TITLE}</h1><p>It stands in for Google and keeps what you allow in <code>{escape(str(folder))}</code>, "
        f"which fails: {escape(reason)}. Most often the disk is full.</p>"
        "<p>Make room there, then go back and try again. Nothing was stored.</p>"
    )
    return pages.page(_TITLE, body, status=507)
