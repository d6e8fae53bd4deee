"""The failures of a Drive, by name. `POST /sandbox/failures/{name}` begins a failure, `DELETE` ends it.

The names are those of `leaf.google.diagnosis.Cause`. A failure lasts until it is ended. `?file=ID` limits a failure
that refuses files to a single file.

If several failures affect a request, a failure of the network answers it, or else the first one of the table that
answers requests. Failures that only change the real response take effect if no other one answers. `testing_expired` and
`other_account` affect only a Drive that is connected after they have begun. `revoked_for_many` shows once three members
have lost their access.
"""

from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox.faults import Fault, Faults

_ALWAYS = 10**9
_TOKEN = "^/token"  # noqa: S105 - a path
_API = "^/drive/v3/"
_FILE = r"^/drive/v3/files/|^/feeds/"
_CONTENT = r"^/drive/v3/files/[^/]+/export|alt=media|^/feeds/"
_SKEWED = "Thu, 01 Jan 2015 00:00:00 GMT"
PROJECT = "https://console.developers.google.com/apis/api/drive.googleapis.com/overview?project=123456789012"


@dataclass(frozen=True)
class Failure:
    """A failure, which consists of faults and of settings."""

    faults: tuple[dict[str, Any], ...] = ()
    """The fields of each `Fault`."""
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    """The entries of `Faults.settings` while the failure lasts."""


def _page(error: str, message: str, status: int = 400) -> Failure:
    """A failure that shows an error page instead of the consent page."""
    return Failure(settings={"consent": (error, message, status)})


def _token(error: str, description: str, *, status: int = 400, subtype: str = "") -> Failure:
    return Failure(
        ({"path": _TOKEN, "status": status, "reason": error, "message": description, "subtype": subtype or None},)
    )


def _api(status: int, reason: str, message: str, *, path: str = _API, **more: Any) -> Failure:
    return Failure(({"path": path, "status": status, "reason": reason, "message": message, **more},))


def _info(reason: str, **metadata: str) -> dict[str, Any]:
    return {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com",
        "metadata": {"service": "drive.googleapis.com", "consumer": "projects/123456789012", **metadata},
    }  # fmt: skip


FAILURES: dict[str, Failure] = {
    "redirect_mismatch": _page("redirect_uri_mismatch", "This app does not comply with Google's OAuth 2.0 policy."),
    "declined": Failure(settings={"decision": "deny"}),
    "not_a_test_user": _page(
        "access_denied",
        "Leaf has not completed the Google verification process. The app is being tested by approved testers only.",
        403,
    ),
    "admin_blocks_app": _page("admin_policy_enforced", "Your organisation restricts access to your account data."),
    "school_blocks_app": _page("access_not_configured", "Your institution's admin needs to review Leaf."),
    "internal_app": _page("org_internal", "Leaf is restricted to users within its organisation.", 403),
    "embedded_browser": _page("disallowed_useragent", "This app does not use a secure browser.", 403),
    "client_deleted": Failure(
        ({"path": _TOKEN, "status": 401, "reason": "deleted_client", "message": "The OAuth client was deleted."},),
        {"consent": ("deleted_client", "The OAuth client was deleted.", 401)},
    ),
    "bad_scope": _page("invalid_scope", "Some requested scopes were invalid."),
    "unverified_app": _page(
        "unverified_app", "Google hasn't verified this app. Sign in with Google temporarily disabled for this app.", 403
    ),
    "box_not_ticked": Failure(settings={"unticked": True}),
    "testing_expired": Failure(settings={"grants_end": "all", "grant_seconds": 0.001}),
    "revoked": Failure(settings={"grants_end": "one"}),
    "revoked_for_many": Failure(settings={"grants_end": "all"}),
    "session_control": _token("invalid_grant", "reauth related error (invalid_rapt)", subtype="invalid_rapt"),
    "clock": Failure(
        ({"path": _TOKEN, "status": 400, "reason": "invalid_grant", "message":
          "Invalid JWT: Check your iat and exp values and use a clock with skew."},),
        {"date": _SKEWED},
    ),
    "code_used": _token("invalid_grant", "Bad Request"),
    "account_gone": _token("invalid_grant", "Account has been deleted"),
    "client_refused": _token("invalid_client", "Unauthorized", status=401),
    "api_off": _api(
        403, "accessNotConfigured",
        "Google Drive API has not been used in project 123456789012 before or it is disabled. Enable it by visiting "
        f"{PROJECT} then retry.",
        details=[_info("SERVICE_DISABLED", activationUrl=PROJECT)],
    ),
    "scope_missing": _api(
        403, "insufficientPermissions", "Request had insufficient authentication scopes.",
        details=[_info("ACCESS_TOKEN_SCOPE_INSUFFICIENT")],
    ),
    "domain_policy": _api(
        403, "domainPolicy", "The domain administrators have disabled Drive apps.", path=_FILE
    ),
    "not_authorised": _api(
        403, "appNotAuthorizedToFile", "The user has not granted the app access to the file.", path=_FILE
    ),
    "no_permission": _api(
        403, "insufficientFilePermissions", "The user does not have sufficient permissions for this file.", path=_FILE
    ),
    "no_download": _api(403, "cannotDownloadFile", "This file cannot be downloaded by the user.", path=_CONTENT),
    "google_format": _api(
        403, "fileNotDownloadable",
        "Only files with binary content can be directly downloaded. Use Export with Docs Editors files.", path=_CONTENT,
    ),
    "not_exportable": _api(403, "fileNotExportable", "Export only supports Docs Editors files.", path=_CONTENT),
    "export_too_large": _api(
        403, "exportSizeLimitExceeded", "This file is too large to be exported.", path=_CONTENT
    ),
    "abusive": _api(
        403, "cannotDownloadAbusiveFile",
        "This file has been identified as malware or spam and cannot be downloaded.", path=_CONTENT,
    ),
    "abuse_acknowledged": _api(
        403, "cannotDownloadAbusiveFile", "Only the owner can download abusive files.", path=_CONTENT
    ),
    "download_quota": _api(
        403, "downloadQuotaExceeded", "The download quota for this file has been exceeded.", path=_CONTENT
    ),
    "not_a_member": _api(
        403, "teamDriveMembershipRequired", "The attempted action requires shared drive membership.", path=_FILE
    ),
    "rate": _api(429, "rateLimitExceeded", "Rate limit exceeded.", headers={"retry-after": "0"}),
    "daily_quota": _api(403, "dailyLimitExceeded", "Daily Limit Exceeded"),
    "write_only": _api(403, "storageQuotaExceeded", "The user's Drive storage quota has been exceeded.", path=_FILE),
    "api_key": _api(
        403, "dailyLimitExceededUnreg", "Daily Limit for Unauthenticated Use Exceeded. Continued use requires signup."
    ),
    "project_suspended": _api(
        403, "accountDisabled", "Permission denied: Consumer 'projects/123456789012' has been suspended.",
        details=[_info("CONSUMER_SUSPENDED")],
    ),
    "network_blocked": Failure((
        {"path": _API, "status": 403, "body": "<!doctype html><title>Blocked</title><h1>Blocked by the proxy</h1>"},
    )),
    "not_found": _api(404, "notFound", "File not found: .", path=_FILE, location="fileId"),
    "resource_key": Failure((
        {"path": _FILE, "status": 404, "reason": "notFound", "message": "File not found: .", "location": "fileId",
         "keyed": True},
    )),
    "shortcut_target": Failure(settings={"shortcuts": "broken"}),
    "incomplete_search": Failure(({"path": "^/drive/v3/files$", "incomplete_search": True},)),
    "page_token": _api(400, "invalid", "Invalid Value", path="pageToken=", location="pageToken"),
    "bad_query": _api(400, "invalid", "Invalid Value", path=r"^/drive/v3/files\?.*\bq=", location="q"),
    "token_rejected": _api(401, "authError", "Invalid Credentials", location="Authorization"),
    "google_failed": _api(503, "backendError", "Backend Error"),
    "other_account": Failure(settings={"empty": True, "connects_other": True}),
    "drive_off": _api(
        403, "domainPolicy", "The domain administrators have disabled Drive apps.",
        path="^/drive/v3/(about|files$|drives$|changes)",
    ),
    "client_encrypted": Failure(settings={"encrypted": True}),
    "network": Failure(({"path": _API, "hang_up": True},)),
}  # fmt: skip


def routes() -> list[Route]:
    """The routes for tests."""
    return [
        Route("/sandbox/failures", _end_all, methods=["DELETE"]),
        Route("/sandbox/testing", _test, methods=["POST", "DELETE"]),
        Route("/sandbox/failures/{name}", _begin, methods=["POST"]),
        Route("/sandbox/failures/{name}", _end, methods=["DELETE"]),
    ]


def _faults(request: Request) -> Faults:
    return request.app.state.sandbox.faults


def _test(request: Request) -> Response:
    """Sets the status of the app: Testing (POST), in which grants end after seven days, or published (DELETE)."""
    _faults(request).testing = request.method == "POST"
    return Response(status_code=204)


def _begin(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in FAILURES:
        return JSONResponse({"error": f"no such failure: {name}"}, 404)
    _set(_faults(request), begun={name: request.query_params.get("file", "")})
    return Response(status_code=204)


def _end(request: Request) -> Response:
    _set(_faults(request), ended={request.path_params["name"]})
    return Response(status_code=204)


def _end_all(request: Request) -> Response:
    _set(_faults(request), ended=set(FAILURES))
    return Response(status_code=204)


def _set(faults: Faults, *, begun: dict[str, str] | None = None, ended: set[str] | None = None) -> None:
    with faults.lock:
        named = {**faults.named, **(begun or {})}
        faults.named = {name: named[name] for name in FAILURES if name in named.keys() - (ended or set())}
        chosen = [(FAILURES[name], file) for name, file in faults.named.items()]
        # Failures of the network come first, because then no request reaches Google.
        chosen.sort(key=lambda one: not any("hang_up" in fault or "body" in fault for fault in one[0].faults))
        faults.lasting = [
            Fault(times=_ALWAYS, file=file, **fault) for failure, file in chosen for fault in failure.faults
        ]
        faults.settings, faults.ended_account = {}, None
        for failure, _ in reversed(chosen):
            faults.settings |= failure.settings
