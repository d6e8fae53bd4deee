"""Errors for Google's refusals, in words for a person."""

import logging

from leaf import errors, texts
from leaf.google.transport import HttpFailure, NetworkFailure, Nonsense

logger = logging.getLogger(__name__)

FAILURES = (HttpFailure, NetworkFailure, Nonsense)

_FORBIDDEN = {
    "cannotDownloadFile": "refusals.no_download",
    "cannotExportFile": "refusals.no_download",
    "fileNotDownloadable": "refusals.no_content",
    "cannotDownloadAbusiveFile": "refusals.abusive",
    "domainPolicy": "refusals.domain",
    "insufficientFilePermissions": "refusals.no_permission",
    "appNotAuthorizedToFile": "refusals.not_authorised",
}
_NO_SCOPE = frozenset({"insufficientPermissions", "insufficientScopes", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"})


class TooLargeToExport(errors.DriveRefused):
    """The export is over Google's cap of 10 MB."""


class ServerFailed(errors.DriveError):
    """Google answers with errors of its own, also after trying again."""

    status, code = 503, "drive_unavailable"


class Changing(errors.DriveError):
    """A file is changed while it is read, or its bytes came incompletely."""

    def __init__(self) -> None:
        super().__init__(texts.english("refusals.changing"))


def nonsense() -> errors.DriveError:
    """The error for an answer of an unexpected form."""
    return errors.DriveError(texts.english("refusals.nonsense"))


def explain(failure: Exception, name: str | None = None) -> errors.DriveError:
    """The error that a caller gets for a failure.

    Args:
        failure: One of FAILURES.
        name: The name of the file in question, if known.
    """
    if isinstance(failure, NetworkFailure):
        logger.warning("Google Drive does not answer: %s", str(failure))
        return ServerFailed(texts.english("refusals.silent"))
    if not isinstance(failure, HttpFailure):
        logger.warning("Google Drive answered nonsense: %s", type(failure).__name__)
        return nonsense()
    logger.info("Google Drive answered %s %s", failure.status, failure.reason)
    what = texts.english("refusals.named", name=name) if name else texts.english("refusals.this")
    if failure.transient:
        return _unavailable(failure.status)
    return _refused(failure, what)


def _unavailable(status: int) -> errors.DriveError:
    if status < 500:
        return ServerFailed(texts.english("refusals.rate"))
    return ServerFailed(texts.english("refusals.fails", status=status))


def _refused(failure: HttpFailure, what: texts.Message) -> errors.DriveError:
    if failure.status == 401:
        return errors.DriveRevoked()
    if failure.status == 404:
        return errors.DriveRefused(texts.english("refusals.not_found", what=what))
    if failure.status == 403:
        return _forbidden(failure, what)
    if failure.status == 413:
        return errors.DriveRefused(texts.english("refusals.too_large", what=_first(what)), status=413)
    return errors.DriveRefused(texts.english("refusals.refused", what=what, status=failure.status), status=400)


def _forbidden(failure: HttpFailure, what: texts.Message) -> errors.DriveError:
    if failure.reason == "exportSizeLimitExceeded":
        return TooLargeToExport(texts.english("refusals.export", what=_first(what)), status=403)
    if failure.reason in _NO_SCOPE:
        return errors.DriveRevoked()
    if failure.reason in ("accessNotConfigured", "SERVICE_DISABLED"):
        return errors.DriveError(texts.english("refusals.api_off"))
    if failure.reason in ("dailyLimitExceeded", "quotaExceeded"):
        return ServerFailed(texts.english("refusals.quota"))
    known = _FORBIDDEN.get(failure.reason)
    if known is None:
        code = failure.reason or "HTTP 403"
        return errors.DriveRefused(texts.english("refusals.forbidden_code", what=what, code=code), status=403)
    return errors.DriveRefused(texts.english("refusals.forbidden", what=what, why=texts.english(known)), status=403)


def _first(what: texts.Message) -> texts.Message:
    """The name of a file as the first words of a sentence."""
    return texts.english("refusals.this_first") if what.key == "refusals.this" else what
