"""The exceptions that Leaf raises on purpose.

    LeafError                      a message for a person, an HTTP status, a stable code
    ├── Invalid            400     the request is malformed; names the field
    ├── Unauthenticated    401     nobody is signed in, or the session has ended
    ├── Forbidden          403     signed in, but not allowed
    ├── NotFound           404     missing or not accessible, with the same message for both
    ├── Conflict           409     the object is not in the state that the request assumes
    ├── LimitReached       429     a limit that ends after `resets_in_seconds`
    │   ├── RateLimited            too many questions within a minute
    │   └── BudgetReached          the tokens or dollars of a day or a month are spent or reserved
    ├── Unavailable        503     a service that Leaf needs does not answer; try again
    │   ├── DatabaseUnavailable
    │   └── RedisUnavailable
    ├── SignInFailed       400     an OAuth callback that cannot be trusted or reports a refusal
    ├── DriveError         502     an unexpected response of Google Drive
    │   ├── DriveNotConnected 409  Drive is not connected: connect it in Settings
    │   ├── DriveRevoked      409  the grant is no longer valid: reconnect in Settings
    │   └── DriveRefused      ...  one file or folder: missing, not permitted, or too large
    └── ConfigurationError 500     settings are missing or malformed; one line per problem

Expected refusals are 4xx and say what to do next. Any other exception is a bug: it is logged with its traceback, and
the reader sees `LeafError.unexpected()`. Messages that a page may show come from the catalogue (`texts.english`):
routes and logs use the English text, and pages translate it into the reader's language.
"""

from typing import Protocol, TypeVar

from leaf import texts

T = TypeVar("T")


class LeafError(Exception):
    """A refusal or failure whose message may be shown to the person who caused it.

    Args:
        message: One or two sentences for a person; no secrets, no stack traces.
        status: The HTTP status of the response, 400-599.
        code: A stable identifier for programs, in snake_case.
    """

    status = 500
    code = "error"

    def __init__(self, message: str, *, status: int | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status or type(self).status
        self.code = code or type(self).code

    @classmethod
    def unexpected(cls) -> "LeafError":
        """The error that readers see when the cause is a bug."""
        return cls(texts.english("errors.unexpected"), code="internal_error")


class Invalid(LeafError):
    """The request is malformed. `field` is the name of the invalid field, if there is one."""

    status, code = 400, "invalid"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class Unauthenticated(LeafError):
    """The caller is not signed in, or the session has ended."""

    status, code = 401, "unauthenticated"

    def __init__(self, message: str = "") -> None:
        super().__init__(message or texts.english("errors.sign_in_first"))


class Forbidden(LeafError):
    """The caller is signed in, but not allowed to do this."""

    status, code = 403, "forbidden"


class NotFound(LeafError):
    """The object is missing, or the caller has no access. Both have the same message, so that ids cannot be probed."""

    status, code = 404, "not_found"

    def __init__(self, what: str = "page") -> None:
        self.what = what
        key = _MISSING.get(what)
        super().__init__(texts.english(key) if key else f"This {what} does not exist, or you have no access to it.")


_MISSING = {
    "page": "errors.no_page",
    "route": "errors.no_route",
    "chat": "errors.no_chat",
    "project": "errors.no_project",
    "session": "errors.no_session",
    "folder": "errors.no_folder",
    "file": "errors.no_file",
    "version": "errors.no_version",
    "integration": "errors.no_integration",
    "model": "errors.no_model",
    "answer": "errors.no_answer",
    "question": "errors.no_question",
    "call": "errors.no_call",
    "queued": "errors.no_queued",
}
"""The texts for objects that a page may request, by the argument `what`."""


def found(value: T | None, what: str) -> T:
    """The value of a lookup.

    Raises:
        NotFound: The value is None, empty or zero. `what` names it for the message.
    """
    if not value:
        raise NotFound(what)
    return value


class Conflict(LeafError):
    """The object is not in the state that the request assumes."""

    status, code = 409, "conflict"


class LimitReached(LeafError):
    """A limit is reached. It ends after `resets_in_seconds` (seconds, 0 or more)."""

    status, code = 429, "limit_reached"

    def __init__(self, message: str, *, resets_in_seconds: int) -> None:
        super().__init__(message)
        self.resets_in_seconds = resets_in_seconds


class RateLimited(LimitReached):
    """Too many questions within a minute."""

    code = "rate_limited"


class BudgetReached(LimitReached):
    """The budget of a day or a month is spent, or reserved for answers that are being written."""

    code = "budget_reached"


class Unavailable(LeafError):
    """A service that Leaf needs does not answer."""

    status, code = 503, "unavailable"


class DatabaseUnavailable(Unavailable):
    """PostgreSQL does not answer."""

    code = "database_unavailable"

    def __init__(self) -> None:
        super().__init__(texts.english("errors.database"))


class RedisUnavailable(Unavailable):
    """Redis does not answer. Finished chats can still be opened, but new answers cannot start."""

    code = "redis_unavailable"

    def __init__(self) -> None:
        super().__init__(texts.english("errors.redis"))


class Diagnosed(Protocol):
    """The diagnosed cause of an error, with its texts (see `leaf.google.diagnosis.Diagnosis`)."""

    @property
    def cause(self) -> str: ...

    @property
    def message(self) -> texts.Message: ...

    @property
    def forward(self) -> texts.Message | None: ...


class SignInFailed(LeafError):
    """An OAuth callback cannot be trusted, or reports a refusal. `cause` is the diagnosed cause, if it is known."""

    status, code = 400, "sign_in_failed"

    def __init__(self, message: str, *, code: str | None = None, cause: Diagnosed | None = None) -> None:
        super().__init__(message, code=code)
        self.cause = cause


class DriveError(LeafError):
    """Leaf cannot use a response of Google Drive. `cause` is the diagnosed cause, if it is known."""

    status, code = 502, "drive_error"

    def __init__(
        self, message: str, *, status: int | None = None, code: str | None = None, cause: Diagnosed | None = None
    ) -> None:
        super().__init__(message, status=status, code=code)
        self.cause = cause


class DriveNotConnected(DriveError):
    """The asker has not connected Google Drive."""

    status, code = 409, "drive_not_connected"

    def __init__(self) -> None:
        super().__init__(texts.english("errors.drive_not_connected"))


class DriveRevoked(DriveError):
    """Google no longer accepts the stored grant."""

    status, code = 409, "drive_revoked"

    def __init__(self, cause: Diagnosed | None = None) -> None:
        why = texts.english("errors.drive_revoked") if cause is None else None
        lost = "errors.drive_lost_forward" if cause is not None and cause.forward else "errors.drive_lost"
        super().__init__(why or texts.english(lost, why=cause and cause.message), cause=cause)


class DriveRefused(DriveError):
    """Google refused access to one file or folder. `reason` is the message for people.

    Google answers 404 both for a missing file and for a file that is not shared, so the message mentions both.
    """

    status, code = 404, "drive_refused"

    def __init__(self, reason: str, *, status: int = 404, cause: Diagnosed | None = None) -> None:
        super().__init__(reason, status=status, cause=cause)
        self.reason = reason


class ConfigurationError(LeafError):
    """Settings are missing or malformed. `problems` has one line for each problem."""

    status, code = 500, "configuration_error"

    def __init__(self, problems: list[str]) -> None:
        super().__init__("Leaf cannot start:\n" + "\n".join(f"  - {problem}" for problem in problems))
        self.problems = problems
