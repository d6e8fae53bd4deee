"""Turns Google's refusals into errors with messages for people."""

import logging
import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from leaf import errors, texts
from leaf.google import diagnosis
from leaf.google.diagnosis import Cause, Diagnosis, Reach
from leaf.google.transport import HttpFailure, NetworkFailure, UnexpectedResponse

logger = logging.getLogger(__name__)

FAILURES = (HttpFailure, NetworkFailure, UnexpectedResponse)
DAYS_ZONE: Final = "America/Los_Angeles"
"""The time zone in which Google's day begins."""
CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Control characters, including all that end a line."""
_MEDIA_TYPE: Final = re.compile(r"[A-Za-z0-9.+_-]{1,100}/[A-Za-z0-9.+_-]{1,100}")


def on_one_line(name: str, most: int = 200) -> str:
    """A name or a response from Drive on one line, for sentences and logs, shortened to `most` characters."""
    line = " ".join(CONTROLS.sub(" ", name).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


class TooLargeToExport(errors.DriveRefused):
    """The export exceeds Google's limit of 10 MB."""


class ServerFailed(errors.DriveError):
    """Google answered with server errors, even after retries."""

    status, code = 503, "drive_unavailable"


class Changing(errors.DriveError):
    """A file changed while it was read, or its bytes arrived incompletely."""

    def __init__(self) -> None:
        super().__init__(texts.english("refusals.changing"))


def unexpected_response() -> errors.DriveError:
    """The error for a response of an unexpected form."""
    return errors.DriveError(texts.english("refusals.nonsense"))


@dataclass(frozen=True, slots=True)
class Named:
    """Properties of a file that are known before a call, for the message of a refusal."""

    name: str
    owner: str = ""
    """The name and address of the owner, if known."""
    is_own: bool = False
    """Whether the connected account owns the file."""
    kind: str = ""
    """The media type that Google returns. The author of a file may have made it up."""

    @property
    def text(self) -> texts.Message:
        """The name of the file, for use in a sentence."""
        return texts.english("refusals.named", name=on_one_line(self.name))

    def refused(self, found: Diagnosis) -> Diagnosis:
        """The diagnosis with the particulars of this file."""
        kind = self.kind if _MEDIA_TYPE.fullmatch(self.kind) else ""
        known = found.with_particulars(what=self.text, owner=self.owner, kind=kind)
        return known.of_owner if self.is_own else known


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a call, for the message of its refusal."""

    reach: Reach = "file"
    about: Named | None = None
    """The file, if known."""
    account: str = ""
    """The e-mail address of the connected account, if known."""
    keyed: bool = False
    """Whether a resource key was sent."""
    file_id: str = ""
    """The id of the file or folder, if the call is about exactly one."""


def next_day() -> datetime:
    """The time at which Google's next day begins, in UTC."""
    zone = ZoneInfo(DAYS_ZONE)
    return datetime.combine(datetime.now(zone).date() + timedelta(days=1), time(), zone).astimezone(UTC)


def diagnose(failure: Exception, subject: Subject) -> Diagnosis | None:
    """The cause of a failure, with the particulars of its call; None for an unknown cause."""
    if isinstance(failure, NetworkFailure):
        return diagnosis.of_silence(failure.silence, failure.host)
    if not isinstance(failure, HttpFailure):
        return None
    found = diagnosis.of_answer(failure.answer, reach=subject.reach, keyed=subject.keyed)
    if found is None:
        return None
    address = f"https://drive.google.com/open?id={subject.file_id}" if subject.file_id else ""
    reset = None
    if found.cause is Cause.DAILY_QUOTA:
        tomorrow = next_day()
        reset = texts.english("drive.reset_at", day=texts.Day(tomorrow), hour=tomorrow)
    answered = on_one_line(failure.answer.words, 400) if found.row.mender == "leaf" else None
    known = found.with_particulars(
        file=address, account=subject.account, status=failure.status, reset=reset, answered=answered
    )
    return subject.about.refused(known) if subject.about is not None else known


def explain(failure: Exception, subject: Subject | None = None) -> errors.DriveError:
    """The error to raise for a failure, which is also logged."""
    subject = subject or Subject()
    if isinstance(failure, NetworkFailure):
        logger.warning("Google Drive does not answer: %s", str(failure))
        status, reason = 0, ""
    elif isinstance(failure, HttpFailure):
        logger.info("Google Drive answered %s %s", failure.status, failure.answer.reason)
        status, reason = failure.status, failure.answer.reason
    else:
        logger.warning("Google Drive sent an unexpected response: %s", type(failure).__name__)
        return unexpected_response()
    found = diagnose(failure, subject)
    return error_of(found, status=status) if found is not None else _unknown(subject, status, reason)


_STATUSES: Final = {Cause.PAGE_TOKEN: 400, Cause.BAD_QUERY: 400, Cause.NOT_FOUND: 404, Cause.RESOURCE_KEY: 404}


def error_of(found: Diagnosis, *, status: int = 0) -> errors.DriveError:
    """The error for a cause.

    Args:
        found: The cause.
        status: Google's HTTP status, which an error about a file keeps; 0 for the usual status of the cause.
    """
    arguments: dict[str, Any] = {"cause": found}
    match found.row.effect:
        case "lost" | "unconnected":
            return errors.DriveRevoked(found)
        case "passing":
            return ServerFailed(found.message, **arguments)
        case "file" | "partial":
            refusal = TooLargeToExport if found.cause is Cause.EXPORT_TOO_LARGE else errors.DriveRefused
            return refusal(found.message, status=status or _STATUSES.get(found.cause, 403), **arguments)
        case "trouble" if found.cause in {Cause.DAILY_QUOTA, Cause.NETWORK_BLOCKED}:
            return ServerFailed(found.message, **arguments)
        case "trouble" if found.cause is Cause.NOT_AUTHORISED:
            return errors.DriveRefused(found.message, status=status or 403, **arguments)
        case _:
            return errors.DriveError(found.message, **arguments)


def _unknown(subject: Subject, status: int, reason: str) -> errors.DriveError:
    """The error for a refusal without a known cause."""
    name = subject.about.text if subject.about is not None else None
    what = name or texts.english("drive.this")
    if status == 403:
        message = texts.english("refusals.forbidden_code", what=what, code=reason or "HTTP 403")
        return errors.DriveRefused(message, status=403)
    if status == 413:
        what = name or texts.english("refusals.this_first")
        return errors.DriveRefused(texts.english("refusals.too_large", what=what), status=413)
    return errors.DriveRefused(texts.english("refusals.refused", what=what, status=status), status=400)
