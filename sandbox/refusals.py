"""Errors with the messages and formats of Google's APIs.

Drive's formats follow https://developers.google.com/workspace/drive/api/guides/handle-errors, OAuth's follow RFC 6749.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

_STATUSES = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
}  # fmt: skip


class DriveRefusal(Exception):
    """An error response of the Drive API.

    Args:
        status: The HTTP status.
        reason: Google's reason, such as `notFound`.
        message: Google's message.
        location: The name of the parameter or header that is wrong; None if there is none.
        location_type: `parameter` or `header`.
        details: Further members of the error object, such as Google's `details` list.
    """

    def __init__(
        self, status: int, reason: str, message: str, *, location: str | None = None, location_type: str = "parameter",
        details: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.status, self.reason, self.message, self.details = status, reason, message, details or {}
        self.location, self.location_type = location, location_type

    def body(self) -> dict[str, Any]:
        """The body of the response."""
        first: dict[str, Any] = {"message": self.message, "domain": "global", "reason": self.reason}
        if self.location is not None:
            first |= {"location": self.location, "locationType": self.location_type}
        return {"error": {"code": self.status, "message": self.message, "errors": [first], **self.details}}


class OAuthRefusal(Exception):
    """An error response of the token, revocation or userinfo endpoint."""

    def __init__(self, status: int, error: str, description: str) -> None:
        super().__init__(description)
        self.status, self.error, self.description = status, error, description


def invalid(parameter: str, message: str = "Invalid Value") -> DriveRefusal:
    """400 for an invalid parameter."""
    return DriveRefusal(400, "invalid", message, location=parameter)


def not_found(file_id: str) -> DriveRefusal:
    """404 for a file that does not exist or is not shared with the account."""
    return DriveRefusal(404, "notFound", f"File not found: {file_id}.", location="fileId")


def unauthenticated() -> DriveRefusal:
    """401 for a missing, expired or revoked access token."""
    return DriveRefusal(
        401,
        "authError",
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
        "authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
        location="Authorization",
        location_type="header",
        details={"status": "UNAUTHENTICATED"},
    )


def missing_scope() -> DriveRefusal:
    """403 for a token whose grant does not cover Drive."""
    info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
        "domain": "googleapis.com",
        "metadata": {"service": "drive.googleapis.com"},
    }
    message = "Request had insufficient authentication scopes."
    return injected(403, "insufficientPermissions", message, details=[info])


def injected(
    status: int, reason: str | None, message: str | None, location: str | None = None,
    details: list[dict[str, Any]] | None = None,
) -> DriveRefusal:  # fmt: skip
    """The error of an injected fault or failure. Without a reason, it is one that Drive sends with this status."""
    default = {403: "userRateLimitExceeded", 429: "rateLimitExceeded", 404: "notFound", 401: "authError"}
    chosen = reason or default.get(status, "backendError")
    members: dict[str, Any] = {"status": _STATUSES[status]} if status in _STATUSES else {}
    members |= {"details": details} if details else {}
    return DriveRefusal(status, chosen, message or f"Injected fault: {chosen}.", location=location, details=members)


async def drive_answer(_request: Request, error: Exception) -> Response:
    """Renders a `DriveRefusal`."""
    if not isinstance(error, DriveRefusal):
        raise error
    headers = {"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/"'} if error.status == 401 else None
    return JSONResponse(error.body(), error.status, headers)


async def oauth_answer(_request: Request, error: Exception) -> Response:
    """Renders an `OAuthRefusal`."""
    if not isinstance(error, OAuthRefusal):
        raise error
    body = {"error": error.error, "error_description": error.description}
    return JSONResponse(body, error.status, {"Cache-Control": "no-store"})
