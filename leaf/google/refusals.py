"""Errors for Google's refusals, in words for a person."""

import logging

from leaf import errors
from leaf.google.transport import HttpFailure, NetworkFailure, Nonsense

logger = logging.getLogger(__name__)

FAILURES = (HttpFailure, NetworkFailure, Nonsense)

_FORBIDDEN = {
    "cannotDownloadFile": "its owner has switched off downloading and copying",
    "cannotExportFile": "its owner has switched off downloading and copying",
    "fileNotDownloadable": "Google does not hand out its content",
    "cannotDownloadAbusiveFile": "Google has marked it as malware or spam",
    "domainPolicy": "an administrator does not allow it",
    "insufficientFilePermissions": "the connected Google account has no permission for it",
    "appNotAuthorizedToFile": "the connected Google account has not allowed Leaf to read it",
}
_NO_SCOPE = frozenset({"insufficientPermissions", "insufficientScopes", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"})


class TooLargeToExport(errors.DriveRefused):
    """The export is over Google's cap of 10 MB."""


class ServerFailed(errors.DriveError):
    """Google answers with errors of its own, also after trying again."""

    status, code = 503, "drive_unavailable"


def nonsense() -> errors.DriveError:
    """The error for an answer of an unexpected form."""
    return errors.DriveError("Google Drive answered with something that Leaf does not understand. Please try again.")


def explain(failure: Exception, name: str | None = None) -> errors.DriveError:
    """The error that a caller gets for a failure.

    Args:
        failure: One of FAILURES.
        name: The name of the file in question, if known.
    """
    if isinstance(failure, NetworkFailure):
        logger.warning("Google Drive does not answer: %s", str(failure))
        return ServerFailed("Google Drive does not answer, also after trying again. Try again in a minute.")
    if not isinstance(failure, HttpFailure):
        logger.warning("Google Drive answered nonsense: %s", type(failure).__name__)
        return nonsense()
    logger.info("Google Drive answered %s %s", failure.status, failure.reason)
    what = f"“{name}”" if name else "this file or folder"
    if failure.transient:
        return _unavailable(failure.status)
    return _refused(failure, what)


def _unavailable(status: int) -> errors.DriveError:
    if status < 500:
        return ServerFailed("Google Drive takes no more requests for now (its rate limit). Try again in a minute.")
    return ServerFailed(f"Google Drive fails (HTTP {status}), also after trying again. Try again in a minute.")


def _refused(failure: HttpFailure, what: str) -> errors.DriveError:
    if failure.status == 401:
        return errors.DriveRevoked()
    if failure.status == 404:
        return errors.DriveRefused(
            f"Google cannot find {what}: it does not exist (any more), or it is not shared with the connected account. "
            "Google does not say which of the two."
        )
    if failure.status == 403:
        return _forbidden(failure, what)
    if failure.status == 413:
        return errors.DriveRefused(f"{what[0].upper()}{what[1:]} is too large to be read.", status=413)
    return errors.DriveRefused(f"Google refused the request for {what} (HTTP {failure.status}).", status=400)


def _forbidden(failure: HttpFailure, what: str) -> errors.DriveError:
    if failure.reason == "exportSizeLimitExceeded":
        return TooLargeToExport(f"{what} is over the 10 MB that Google exports.", status=403)
    if failure.reason in _NO_SCOPE:
        return errors.DriveRevoked()
    if failure.reason in ("accessNotConfigured", "SERVICE_DISABLED"):
        return errors.DriveError(
            "The Google project of this Leaf has the Drive API switched off; its operator can turn it on."
        )
    if failure.reason in ("dailyLimitExceeded", "quotaExceeded"):
        return ServerFailed("The Google project of this Leaf has used up its quota for Drive. Try again later.")
    known = _FORBIDDEN.get(failure.reason)
    why = f": {known}" if known else f" ({failure.reason or 'HTTP 403'})"
    return errors.DriveRefused(f"Google does not let Leaf read {what}{why}.", status=403)
