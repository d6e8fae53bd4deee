"""Recognises why Drive failed, and describes the cause. Pure.

`of_answer`, `of_token`, `of_consent` and `of_silence` find the cause of a failure (`leaf.google.causes`). Pages, tools,
routes and commands take their texts from a `Diagnosis`. docs/drive-doctor.md lists all causes.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast
from urllib.parse import urlsplit

from leaf import __version__, texts
from leaf.google.causes import ROWS, STEPS, Cause, Row
from leaf.parts.objects import object_of

TESTING_DAYS: Final = 7.0
"""Lifetime of a grant while Google lists the app as Testing."""
SKEW_SECONDS: Final = 60
"""Maximum difference from Google's clock. A larger one breaks sign-ins."""
MANY: Final = 3
"""The number of members who lose their grants within some minutes, from which on the app is the likely cause."""

CONSOLE: Final = "https://console.cloud.google.com/apis/library/drive.googleapis.com"


CONSENT: Final = tuple(cause for cause, row in ROWS.items() if 1 <= row.number <= 10 and cause is not Cause.DECLINED)
"""The causes of errors on Google's own pages, from which the browser does not return."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A cause with the particulars of a case.

    Args:
        cause: The cause.
        particulars: Values for its texts, such as the name of a file. A general word stands for a missing value.
    """

    cause: Cause
    particulars: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def row(self) -> Row:
        """The line of the cause in the table."""
        return ROWS[self.cause]

    @property
    def message(self) -> texts.Message:
        """The fault and its remedy, in two or three sentences."""
        # The message keeps all particulars, because a stored step needs them for the text to forward.
        return texts.english(self.row.key, **{**self._values(self.row.key), **self.particulars})

    @property
    def fault(self) -> str:
        """The first sentence of the message, which names the fault, in the language of the current event."""
        return texts.opening(self.message)

    @property
    def forward(self) -> texts.Message | None:
        """The text to forward to the person who can resolve the failure; None if there is none."""
        return self._say(self.row.forward) if self.row.forward else None

    @property
    def link(self) -> str:
        """The page of Google's console on which the cause is resolved; empty if none is known."""
        return str(self.particulars.get("link", ""))

    @property
    def concerns_connection(self) -> bool:
        """Whether the failure is recorded for the connection, so that every page shows it until a call succeeds."""
        return self.row.effect in {"lost", "trouble", "passing"}

    @property
    def of_owner(self) -> "Diagnosis":
        """The diagnosis for a reader who owns the file."""
        return self.with_particulars(remedy=self._say(self.row.owner_remedy) if self.row.owner_remedy else None)

    def of_trial(self, refused: int) -> "Diagnosis":
        """The diagnosis for documents that Leaf itself chose as examples. A bug is still worth a report.

        Args:
            refused: The number of documents that Google refused.
        """
        if self.row.mender == "leaf":
            key = "drive.trial_bug"
        elif refused == 1:
            key = "drive.trial_remedy"
        else:
            key = "drive.trial_forward" if self.row.forward else "drive.trial_remedies"
        return self.with_particulars(remedy=texts.english(key))

    def with_particulars(self, **more: Any) -> "Diagnosis":
        """The diagnosis with further particulars; empty ones are left out."""
        return Diagnosis(self.cause, {**self.particulars, **{name: value for name, value in more.items() if value}})

    def data(self) -> dict[str, Any]:
        """The form in which the diagnosis is stored; `of_data` reads it."""
        return {"cause": self.cause.value, "particulars": self.message.as_data()["parameters"]}

    def _say(self, key: str) -> texts.Message:
        return texts.english(key, **self._values(key))

    def _values(self, key: str) -> dict[str, Any]:
        """The values for the parameters of a text."""
        general: dict[str, Any] = {
            "what": texts.english("drive.this"), "owner": texts.english("drive.owner"),
            "account": texts.english("drive.account"), "link": CONSOLE,
            "host": "www.googleapis.com", "step": texts.english("drive.step_answer"),
            "person": texts.english("drive.person"), "seen": texts.english("drive.seen"),
            "bug": self.cause.value, "row": self.row.number, "version": __version__, "file": "https://drive.google.com/",
            "name": texts.english("drive.this"), "status": 500, "other": "", "client": "", "address": "",
            "kind": texts.english("drive.kind"), "answered": texts.english("drive.kind"),
            "reset": texts.english("drive.daily_reset"),
        }  # fmt: skip
        known = general | dict(self.particulars)
        known.setdefault("member", known["account"])
        wanted = texts.parameters(texts.catalogue(texts.DEFAULT)[key])
        if "remedy" in wanted and "remedy" not in known:
            known["remedy"] = self._say(self.row.remedy)
        if "concerned" in wanted:
            concerns_file = bool(self.row.remedy) and "file" in self.particulars
            known["concerned"] = self._say("drive.bug_of_file") if concerns_file else ""
        return {name: known[name] for name in wanted}


def of_data(data: object) -> Diagnosis | None:
    """The diagnosis that `Diagnosis.data` stored; None for anything else, such as a cause of a later version."""
    try:
        stored = cast("dict[str, Any]", data)
        cause, particulars = Cause(stored["cause"]), stored["particulars"]
        # An earlier version may have stored fewer particulars.
        message = texts.of_data(
            {"key": ROWS[cause].key, "parameters": Diagnosis(cause).data()["particulars"] | particulars}
        )
    except (KeyError, ValueError, TypeError):
        return None
    return Diagnosis(cause, {name: value for name, value in message.parameters.items() if name in particulars})


def of_message(data: object) -> Diagnosis | None:
    """The diagnosis whose message is stored with a step of an answer (`texts.Message.as_data`); None for others."""
    stored = object_of(data)
    cause = _BY_KEY.get(str(stored.get("key")))
    return None if cause is None else of_data({"cause": cause, "particulars": stored.get("parameters")})


_BY_KEY: Final = {row.key: cause for cause, row in ROWS.items()}


@dataclass(frozen=True, slots=True)
class Answer:
    """The relevant fields of an error of the Drive API. A code is one of Google's, or empty."""

    status: int
    reason: str = ""
    """`error.errors[0].reason`."""
    state: str = ""
    """`error.status`."""
    info: str = ""
    """`reason` of the ErrorInfo in `error.details`."""
    location: str = ""
    message: str = ""
    link: str = ""
    """`activationUrl` of the ErrorInfo, if it leads to Google's console; empty otherwise."""
    is_page: bool = False
    """Whether the body is a web page instead of JSON."""

    @property
    def words(self) -> str:
        """The error in one line, for a bug report."""
        details = ", ".join(filter(None, (self.reason, self.location, self.message[:_REPORTED_CHARACTERS])))
        return f"{self.status} ({details})" if details else str(self.status)

    @classmethod
    def of(cls, status: int, body: bytes) -> "Answer":
        """Reads an error response; the body may be anything."""
        try:
            error = json.loads(body)["error"]
            first = (error.get("errors") or [{}])[0]
            infos = [one for one in error.get("details") or [] if isinstance(one, dict) and one.get("reason")]
            info = cast("dict[str, Any]", infos[0]) if infos else {}
            metadata = info.get("metadata") or {}
            link = str(metadata.get("activationUrl") or first.get("extendedHelp") or "")
            return cls(
                status, _code(first.get("reason")), _code(error.get("status")), _code(info.get("reason")),
                _code(first.get("location")), str(error.get("message", ""))[:_MESSAGE_CHARACTERS],
                link if _leads_to_console(link) else "",
            )  # fmt: skip
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            return cls(status, is_page=body[:_PAGE_BYTES].lstrip()[:1] == b"<")


_CODE: Final = re.compile(r"[A-Za-z_]{0,60}")
_MESSAGE_CHARACTERS: Final = 2000
_REPORTED_CHARACTERS: Final = 200
_LINK_CHARACTERS: Final = 500
_PAGE_BYTES: Final = 200
_CONSOLES: Final = frozenset({"console.developers.google.com", "console.cloud.google.com"})
_LINK: Final = re.compile(r"[A-Za-z0-9._~:/?#@!$&*+,;=%-]+")


def _code(value: object) -> str:
    """One of Google's codes. Codes are logged and shown, so any other value becomes empty."""
    return value if isinstance(value, str) and _CODE.fullmatch(value) else ""


def _leads_to_console(link: str) -> bool:
    if len(link) > _LINK_CHARACTERS or not _LINK.fullmatch(link):
        return False
    try:
        parts = urlsplit(link)
    except ValueError:
        return False
    return parts.scheme == "https" and parts.netloc in _CONSOLES


_BY_REASON: Final = {
    "accessNotConfigured": Cause.API_OFF,
    "SERVICE_DISABLED": Cause.API_OFF,
    "insufficientPermissions": Cause.SCOPE_MISSING,
    "insufficientScopes": Cause.SCOPE_MISSING,
    "ACCESS_TOKEN_SCOPE_INSUFFICIENT": Cause.SCOPE_MISSING,
    "domainPolicy": Cause.DOMAIN_POLICY,
    "appNotAuthorizedToFile": Cause.NOT_AUTHORISED,
    "insufficientFilePermissions": Cause.NO_PERMISSION,
    "cannotDownloadFile": Cause.NO_DOWNLOAD,
    "cannotExportFile": Cause.NO_DOWNLOAD,
    "fileNotDownloadable": Cause.GOOGLE_FORMAT,
    "fileNotExportable": Cause.NOT_EXPORTABLE,
    "exportSizeLimitExceeded": Cause.EXPORT_TOO_LARGE,
    "cannotDownloadAbusiveFile": Cause.ABUSIVE,
    "invalidAbuseAcknowledgment": Cause.ABUSE_ACKNOWLEDGED,
    "downloadQuotaExceeded": Cause.DOWNLOAD_QUOTA,
    "teamDriveMembershipRequired": Cause.NOT_A_MEMBER,
    "teamDrivesNotFound": Cause.NOT_A_MEMBER,
    "rateLimitExceeded": Cause.RATE,
    "userRateLimitExceeded": Cause.RATE,
    "RATE_LIMIT_EXCEEDED": Cause.RATE,
    "dailyLimitExceeded": Cause.DAILY_QUOTA,
    "quotaExceeded": Cause.DAILY_QUOTA,
    "sharingRateLimitExceeded": Cause.WRITE_ONLY,
    "storageQuotaExceeded": Cause.WRITE_ONLY,
    "numChildrenInNonRootLimitExceeded": Cause.WRITE_ONLY,
    "dailyLimitExceededUnreg": Cause.API_KEY,
    "ipRefererBlocked": Cause.API_KEY,
    "keyInvalid": Cause.API_KEY,
    "API_KEY_INVALID": Cause.API_KEY,
    "accountDisabled": Cause.PROJECT_SUSPENDED,
    "CONSUMER_SUSPENDED": Cause.PROJECT_SUSPENDED,
    "BILLING_DISABLED": Cause.PROJECT_SUSPENDED,
    "SECURITY_POLICY_VIOLATED": Cause.NETWORK_BLOCKED,
}
"""Causes by `errors[0].reason`, or by the reason of the ErrorInfo, which is more exact."""

Reach = Literal["account", "listing", "drive", "file"]
"""The subject of a call: the account itself, all its files, the files of one Shared Drive, or named files."""


def of_answer(answer: Answer, *, reach: Reach = "file", keyed: bool = False) -> Diagnosis | None:
    """The cause of an error of the Drive API; None for an unknown one.

    Args:
        answer: The error.
        reach: The subject of the call.
        keyed: Whether a resource key from the link of the file was sent.
    """
    cause = _cause_of(answer, reach, keyed=keyed)
    if cause is None:
        return None
    seen = None
    if cause is Cause.NETWORK_BLOCKED:
        seen = texts.english("drive.seen_page" if answer.is_page else "drive.seen_policy")
    return Diagnosis(cause).with_particulars(seen=seen, link=answer.link)


def disproved(reach: Reach, skew_seconds: float | None, refused: Cause | None = None) -> frozenset[Cause]:
    """The causes of a failing connection that a response of Google disproves.

    Args:
        reach: The subject of the call.
        skew_seconds: The difference between this machine's clock and Google's; None if unknown.
        refused: The cause for which Google refused the call; None if the call succeeded.
    """
    if refused is not None and refused not in _AFTER_OPENING:
        return frozenset()
    # An access token still works for a while after its grant has ended, so the step "token" is not disproved.
    causes = STEPS["name"] | STEPS["call"]
    if reach == "file":
        causes |= STEPS["open"]
    if skew_seconds is not None and not is_skewed(skew_seconds):
        causes |= STEPS["clock"]
    return causes


_AFTER_OPENING: Final = frozenset({
    Cause.NO_PERMISSION, Cause.NO_DOWNLOAD, Cause.GOOGLE_FORMAT, Cause.NOT_EXPORTABLE, Cause.EXPORT_TOO_LARGE,
    Cause.ABUSIVE, Cause.ABUSE_ACKNOWLEDGED, Cause.DOWNLOAD_QUOTA, Cause.WRITE_ONLY,
})  # fmt: skip
"""Refusals that Google can only make after it has opened the file for Leaf."""


def is_skewed(seconds: float | None) -> bool:
    """Whether a difference from Google's clock is large enough to break sign-ins."""
    return seconds is not None and seconds > SKEW_SECONDS


def _cause_of(answer: Answer, reach: Reach, *, keyed: bool) -> Cause | None:
    if answer.status >= 500:
        return Cause.GOOGLE_FAILED
    known = _BY_REASON.get(answer.info) or _BY_REASON.get(answer.reason)
    match answer.status:
        case 400:
            found = known or _malformed(answer)
        case 401:
            found = Cause.TOKEN_REJECTED
        case 403:
            found = _forbidden(answer, known, reach)
        case 404:
            found = _missing(answer, reach, keyed=keyed)
        case 429:
            found = known or Cause.RATE
        case _:
            found = None
    return found


def _forbidden(answer: Answer, known: Cause | None, reach: Reach) -> Cause | None:
    if known is Cause.DOMAIN_POLICY and reach in {"account", "listing"}:
        return Cause.DRIVE_OFF
    if known is Cause.ABUSIVE and "only the owner" in answer.message.lower():
        return Cause.ABUSE_ACKNOWLEDGED
    return known or (Cause.NETWORK_BLOCKED if answer.is_page else None)


def _missing(answer: Answer, reach: Reach, *, keyed: bool) -> Cause:
    if answer.location == "driveId" or _BY_REASON.get(answer.reason) is Cause.NOT_A_MEMBER:
        return Cause.NOT_A_MEMBER
    if reach == "account":
        return Cause.DRIVE_OFF
    return Cause.RESOURCE_KEY if keyed else Cause.NOT_FOUND


def _malformed(answer: Answer) -> Cause | None:
    message = answer.message.lower()
    if answer.location == "pageToken":
        return Cause.PAGE_TOKEN
    if answer.location == "q" or "sorting is not supported" in message:
        return Cause.BAD_QUERY
    if "export only supports" in message or ("conversion" in message and "not supported" in message):
        return Cause.NOT_EXPORTABLE
    return None


@dataclass(frozen=True, slots=True)
class TokenRefusal:
    """An error of the token endpoint (RFC 6749, 5.2), with Google's own `error_subtype`."""

    error: str
    description: str = ""
    subtype: str = ""


@dataclass(frozen=True, slots=True)
class GrantHistory:
    """Facts about a refused grant."""

    age_days: float | None = None
    """Days since the member consented; None if unknown."""
    has_expired: bool = False
    """Whether Google stated an end of the grant, and that time has passed."""
    others: int = 0
    """The number of other members whose grants were refused within the last minutes."""


_BY_CONSENT_ERROR: Final = {
    "access_denied": Cause.DECLINED,
    "redirect_uri_mismatch": Cause.REDIRECT_MISMATCH,
    "admin_policy_enforced": Cause.ADMIN_BLOCKS_APP,
    "access_not_configured": Cause.SCHOOL_BLOCKS_APP,
    "org_internal": Cause.INTERNAL_APP,
    "disallowed_useragent": Cause.EMBEDDED_BROWSER,
    "deleted_client": Cause.CLIENT_DELETED,
    "invalid_client": Cause.CLIENT_DELETED,
    "invalid_scope": Cause.BAD_SCOPE,
}


CODES: Final[Mapping[Cause, str]] = {
    **{cause: code for code, cause in _BY_CONSENT_ERROR.items() if cause is not Cause.DECLINED},
    Cause.NOT_A_TEST_USER: "access_denied",
    Cause.CLIENT_DELETED: "deleted_client, invalid_client",
    Cause.UNVERIFIED_APP: "unverified_app, Google hasn't verified this app, Sign in with Google temporarily disabled",
}
"""The codes or titles that Google's consent pages show, by cause."""


def of_consent(error: str) -> Diagnosis | None:
    """The cause of an error of the consent, by its code; None for an unknown code."""
    return Diagnosis(_BY_CONSENT_ERROR[error]) if error in _BY_CONSENT_ERROR else None


def of_token(refusal: TokenRefusal, history: GrantHistory | None = None) -> Diagnosis | None:
    """The cause of a refusal of the token endpoint; None for an unknown one.

    Args:
        refusal: The error.
        history: The history of the refused grant; None if an authorization code was refused.
    """
    description = refusal.description.lower()
    if refusal.subtype in {"invalid_rapt", "rapt_required"} or "invalid_rapt" in description:
        return Diagnosis(Cause.SESSION_CONTROL)
    if refusal.error in {"invalid_client", "unauthorized_client"}:
        is_gone = "deleted" in description or "not found" in description
        return Diagnosis(Cause.CLIENT_DELETED if is_gone else Cause.CLIENT_REFUSED)
    if refusal.error == "invalid_grant":
        return Diagnosis(_cause_of_grant(description, history or GrantHistory()))
    return of_consent(refusal.error)


def _cause_of_grant(description: str, history: GrantHistory) -> Cause:
    """The cause of an `invalid_grant` error, by its description in lower case and the history of the grant."""
    if "invalid jwt" in description or "iat" in description.split() or "too early" in description:
        return Cause.CLOCK
    if "account has been deleted" in description:
        return Cause.ACCOUNT_GONE
    if description.startswith(("malformed auth code", "bad request", "invalid code verifier")):
        return Cause.CODE_USED
    age = history.age_days
    if history.has_expired or (age is not None and abs(age - TESTING_DAYS) <= _TOLERANCE_DAYS):
        return Cause.TESTING_EXPIRED
    return Cause.REVOKED_FOR_MANY if history.others + 1 >= MANY else Cause.REVOKED


_TOLERANCE_DAYS: Final = 0.1


Silence = Literal["name", "connect", "tls", "answer"]
"""The step at which Google did not answer: resolving the name, connecting, TLS, or waiting for the response."""


_STEP_TEXTS: Final = {"name": "drive.step_name", "connect": "drive.step_connect", "answer": "drive.step_answer"}


def of_silence(silence: Silence, host: str = "") -> Diagnosis:
    """The cause if no response arrived."""
    if silence == "tls":
        found = Diagnosis(Cause.NETWORK_BLOCKED, {"seen": texts.english("drive.seen_tls")})
    else:
        found = Diagnosis(Cause.NETWORK, {"step": texts.english(_STEP_TEXTS[silence])})
    return found.with_particulars(host=host)
