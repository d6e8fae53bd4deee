"""The Drive API's client, for Google or for the sandbox."""

from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httplib2

from leaf import config, errors

_GOOGLE_HOSTS = (".google.com", ".googleapis.com", ".googleusercontent.com")


def endpoint() -> str | None:
    """The endpoint of the Drive API; None for Google's own.

    Raises:
        errors.DriveError: The sandbox is needed and does not run yet.
    """
    settings = config.current()
    if not settings.uses_sandbox_google:
        return None
    if settings.sandbox_url is None:
        raise errors.DriveError("Leaf's own Google Drive stand-in is not running yet. Please try again.", status=503)
    return f"{settings.sandbox_url.rstrip('/')}/drive/v3/"


@cache
def client(endpoint: str | None) -> Any:
    """google-api-python-client's object for Drive v3, from the description that it ships with."""
    from googleapiclient.discovery import build

    options = {"api_endpoint": endpoint} if endpoint else None
    # This connection is never used: each request is executed with its own.
    return build("drive", "v3", http=httplib2.Http(), static_discovery=True, client_options=options)


def may_see_token(address: str) -> bool:
    """Whether an address in an answer is Google's own (or the sandbox's): a token must not go anywhere else."""
    host = urlsplit(address).hostname or ""
    sandbox = endpoint()
    if sandbox is not None:
        return urlsplit(address).netloc == urlsplit(sandbox).netloc
    return address.startswith("https://") and f".{host}".endswith(_GOOGLE_HOSTS)
