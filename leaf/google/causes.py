"""The causes for which Drive fails: who can resolve each, what it means for the connection, and the keys of its texts.

The texts are in `leaf/texts/*/drive.toml`. `leaf.google.diagnosis` recognises the causes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal


class Cause(StrEnum):
    """The causes, in the order of the steps at which they occur."""

    REDIRECT_MISMATCH = "redirect_mismatch"
    DECLINED = "declined"
    NOT_A_TEST_USER = "not_a_test_user"
    ADMIN_BLOCKS_APP = "admin_blocks_app"
    SCHOOL_BLOCKS_APP = "school_blocks_app"
    INTERNAL_APP = "internal_app"
    EMBEDDED_BROWSER = "embedded_browser"
    CLIENT_DELETED = "client_deleted"
    BAD_SCOPE = "bad_scope"
    UNVERIFIED_APP = "unverified_app"
    BOX_NOT_TICKED = "box_not_ticked"
    TESTING_EXPIRED = "testing_expired"
    REVOKED = "revoked"
    REVOKED_FOR_MANY = "revoked_for_many"
    SESSION_CONTROL = "session_control"
    CLOCK = "clock"
    CODE_USED = "code_used"
    ACCOUNT_GONE = "account_gone"
    CLIENT_REFUSED = "client_refused"
    API_OFF = "api_off"
    SCOPE_MISSING = "scope_missing"
    DOMAIN_POLICY = "domain_policy"
    NOT_AUTHORISED = "not_authorised"
    NO_PERMISSION = "no_permission"
    NO_DOWNLOAD = "no_download"
    GOOGLE_FORMAT = "google_format"
    NOT_EXPORTABLE = "not_exportable"
    EXPORT_TOO_LARGE = "export_too_large"
    ABUSIVE = "abusive"
    ABUSE_ACKNOWLEDGED = "abuse_acknowledged"
    DOWNLOAD_QUOTA = "download_quota"
    NOT_A_MEMBER = "not_a_member"
    RATE = "rate"
    DAILY_QUOTA = "daily_quota"
    WRITE_ONLY = "write_only"
    API_KEY = "api_key"
    PROJECT_SUSPENDED = "project_suspended"
    NETWORK_BLOCKED = "network_blocked"
    NOT_FOUND = "not_found"
    RESOURCE_KEY = "resource_key"
    SHORTCUT_TARGET = "shortcut_target"
    INCOMPLETE_SEARCH = "incomplete_search"
    PAGE_TOKEN = "page_token"  # noqa: S105 - a name
    BAD_QUERY = "bad_query"
    TOKEN_REJECTED = "token_rejected"  # noqa: S105 - a name
    GOOGLE_FAILED = "google_failed"
    OTHER_ACCOUNT = "other_account"
    DRIVE_OFF = "drive_off"
    CLIENT_ENCRYPTED = "client_encrypted"
    NETWORK = "network"
    UNREADABLE = "unreadable"
    """Leaf's own cause: the key for the stored tokens is no longer configured."""


Mender = Literal["member", "owner", "workspace", "operator", "network", "time", "leaf"]
"""The party that can resolve a failure: the `owner` of the file, the administrator of the Google Workspace
(`workspace`), the `operator` of this Leaf, the administrator of the network (`network`), or Leaf itself (`leaf`, for a
bug). `time` means that the failure passes.
"""
Effect = Literal["page", "unconnected", "lost", "trouble", "passing", "file", "partial"]
"""The scope of a failure.

`page`: the flow ends on a page of Google's. `unconnected`: no connection is made. `lost`: only a new connection helps.
`trouble`: every call fails until the cause is resolved, but the connection stays. `passing`: the same call works later.
`file`: one file or folder is affected. `partial`: a result is incomplete, or needs a note.
"""
FirstStep = Literal["connect", "forward", "other"]
"""The member's first step: to connect again, or to forward a text to somebody. For `other`, the message says it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table of causes."""

    number: int
    """The row in docs/drive-doctor.md; 0 for Leaf's own cause. Causes with the same remedy share a row."""
    key: str
    """The key of the text that states the fault and the remedy."""
    mender: Mender
    effect: Effect
    forward: str = ""
    """The key of the text to forward to the person who has to act; empty if there is none."""
    remedy: str = ""
    """The key of the sentence with the remedy for one file, if the remedy is a text of its own."""
    owner_remedy: str = ""
    """The key of the remedy for the owner of the file, if it differs."""
    waits: bool = False
    """Whether the member must wait until another person has acted before they can connect again."""

    @property
    def first_step(self) -> FirstStep:
        """The first thing that the member does about a failure of the connection."""
        ends = self.effect == "lost" or (self.effect in {"trouble", "unconnected"} and self.mender == "member")
        if ends and not self.waits:
            return "connect"
        return "forward" if self.forward and self.effect in {"lost", "trouble"} else "other"


_SUSPENDED: Final = "drive.project_suspended_forward"
_BUG: Final = "drive.bug_forward"
_AGAIN: Final = "drive.again_forward"
"""The text to forward if a new connection should help. If it does not, Leaf has a bug."""
ROWS: Final[Mapping[Cause, Row]] = {
    Cause.REDIRECT_MISMATCH: Row(1, "drive.redirect_mismatch", "operator", "page", "drive.redirect_mismatch_forward"),
    Cause.DECLINED: Row(2, "drive.declined", "member", "unconnected"),
    Cause.NOT_A_TEST_USER: Row(3, "drive.not_a_test_user", "operator", "page", "drive.not_a_test_user_forward"),
    Cause.ADMIN_BLOCKS_APP: Row(4, "drive.admin_blocks_app", "workspace", "page", "drive.admin_blocks_app_forward"),
    Cause.SCHOOL_BLOCKS_APP: Row(5, "drive.school_blocks_app", "workspace", "page", "drive.school_blocks_app_forward"),
    Cause.INTERNAL_APP: Row(6, "drive.internal_app", "operator", "page", "drive.internal_app_forward"),
    Cause.EMBEDDED_BROWSER: Row(7, "drive.embedded_browser", "member", "page"),
    Cause.CLIENT_DELETED: Row(8, "drive.client_deleted", "operator", "trouble", "drive.client_deleted_forward"),
    Cause.BAD_SCOPE: Row(9, "drive.bad_scope", "leaf", "page", _BUG),
    Cause.UNVERIFIED_APP: Row(10, "drive.unverified_app", "operator", "page", "drive.unverified_app_forward"),
    Cause.BOX_NOT_TICKED: Row(11, "drive.box_not_ticked", "member", "unconnected"),
    Cause.TESTING_EXPIRED: Row(12, "drive.testing_expired", "operator", "lost", "drive.testing_expired_forward"),
    Cause.REVOKED: Row(13, "drive.revoked", "member", "lost"),
    Cause.REVOKED_FOR_MANY: Row(
        14, "drive.revoked_for_many", "operator", "lost", "drive.revoked_for_many_forward", waits=True
    ),
    Cause.SESSION_CONTROL: Row(15, "drive.session_control", "workspace", "lost", "drive.session_control_forward"),
    Cause.CLOCK: Row(16, "drive.clock", "operator", "trouble", "drive.clock_forward"),
    Cause.CODE_USED: Row(17, "drive.code_used", "member", "lost"),
    Cause.ACCOUNT_GONE: Row(17, "drive.account_gone", "member", "lost"),
    Cause.CLIENT_REFUSED: Row(17, "drive.client_refused", "operator", "trouble", "drive.client_refused_forward"),
    Cause.API_OFF: Row(18, "drive.api_off", "operator", "trouble", "drive.api_off_forward"),
    Cause.SCOPE_MISSING: Row(19, "drive.scope_missing", "member", "lost", _AGAIN),
    Cause.DOMAIN_POLICY: Row(
        20, "drive.domain_policy", "workspace", "file", "drive.domain_policy_forward",
        remedy="drive.domain_policy_remedy", owner_remedy="drive.domain_policy_own",
    ),
    Cause.NOT_AUTHORISED: Row(21, "drive.not_authorised", "member", "trouble", _AGAIN),
    Cause.NO_PERMISSION: Row(22, "drive.no_permission", "owner", "file", remedy="drive.no_permission_remedy"),
    Cause.NO_DOWNLOAD: Row(
        23, "drive.no_download", "owner", "file",
        remedy="drive.no_download_remedy", owner_remedy="drive.no_download_own",
    ),
    Cause.GOOGLE_FORMAT: Row(24, "drive.google_format", "leaf", "file", _BUG, remedy="drive.bug_remedy"),
    Cause.NOT_EXPORTABLE: Row(25, "drive.not_exportable", "member", "file", remedy="drive.not_exportable_remedy"),
    Cause.EXPORT_TOO_LARGE: Row(26, "drive.export_too_large", "member", "file", remedy="drive.export_too_large_remedy"),
    Cause.ABUSIVE: Row(
        27, "drive.abusive", "owner", "file", remedy="drive.abusive_remedy", owner_remedy="drive.abusive_own"
    ),
    Cause.ABUSE_ACKNOWLEDGED: Row(
        28, "drive.abuse_acknowledged", "owner", "file", remedy="drive.abusive_remedy", owner_remedy="drive.abusive_own"
    ),
    Cause.DOWNLOAD_QUOTA: Row(29, "drive.download_quota", "time", "file", remedy="drive.download_quota_remedy"),
    Cause.NOT_A_MEMBER: Row(30, "drive.not_a_member", "owner", "file", remedy="drive.not_a_member_remedy"),
    Cause.RATE: Row(31, "drive.rate", "time", "passing", "drive.rate_forward"),
    Cause.DAILY_QUOTA: Row(32, "drive.daily_quota", "operator", "trouble", "drive.daily_quota_forward"),
    Cause.WRITE_ONLY: Row(33, "drive.write_only", "leaf", "file", _BUG, remedy="drive.bug_remedy"),
    Cause.API_KEY: Row(34, "drive.api_key", "operator", "trouble", "drive.api_key_forward"),
    Cause.PROJECT_SUSPENDED: Row(35, "drive.project_suspended", "operator", "trouble", _SUSPENDED),
    Cause.NETWORK_BLOCKED: Row(36, "drive.network_blocked", "network", "trouble", "drive.network_blocked_forward"),
    Cause.NOT_FOUND: Row(37, "drive.not_found", "owner", "file", remedy="drive.not_found_remedy"),
    Cause.RESOURCE_KEY: Row(38, "drive.resource_key", "member", "file", remedy="drive.resource_key_remedy"),
    Cause.SHORTCUT_TARGET: Row(39, "drive.shortcut_target", "owner", "file", remedy="drive.shortcut_target_remedy"),
    Cause.INCOMPLETE_SEARCH: Row(40, "drive.incomplete_search", "time", "partial"),
    Cause.PAGE_TOKEN: Row(41, "drive.page_token", "time", "file"),
    Cause.BAD_QUERY: Row(42, "drive.bad_query", "leaf", "file", _BUG),
    Cause.TOKEN_REJECTED: Row(43, "drive.token_rejected", "member", "lost", _AGAIN),
    Cause.GOOGLE_FAILED: Row(44, "drive.google_failed", "time", "passing"),
    Cause.OTHER_ACCOUNT: Row(45, "drive.other_account", "member", "partial"),
    Cause.DRIVE_OFF: Row(46, "drive.drive_off", "workspace", "trouble", "drive.drive_off_forward"),
    Cause.CLIENT_ENCRYPTED: Row(
        47, "drive.client_encrypted", "owner", "file",
        remedy="drive.client_encrypted_remedy", owner_remedy="drive.client_encrypted_own",
    ),
    Cause.NETWORK: Row(48, "drive.network", "network", "passing", "drive.network_forward"),
    Cause.UNREADABLE: Row(0, "drive.unreadable", "member", "lost"),
}  # fmt: skip

Step = Literal["clock", "name", "token", "call", "open"]
"""The steps of a call to Drive: the clock, reaching Google, the access token, the call itself, and opening a file."""
STEPS: Final[Mapping[Step, frozenset[Cause]]] = {
    "clock": frozenset({Cause.CLOCK}),
    "name": frozenset({Cause.NETWORK_BLOCKED, Cause.NETWORK}),
    "token": frozenset({
        Cause.CLIENT_DELETED, Cause.TESTING_EXPIRED, Cause.REVOKED, Cause.REVOKED_FOR_MANY, Cause.SESSION_CONTROL,
        Cause.CODE_USED, Cause.ACCOUNT_GONE, Cause.CLIENT_REFUSED, Cause.UNREADABLE,
    }),
    "call": frozenset({
        Cause.API_OFF, Cause.SCOPE_MISSING, Cause.RATE, Cause.DAILY_QUOTA, Cause.API_KEY, Cause.PROJECT_SUSPENDED,
        Cause.TOKEN_REJECTED, Cause.GOOGLE_FAILED, Cause.DRIVE_OFF,
    }),
    "open": frozenset({Cause.NOT_AUTHORISED}),
}  # fmt: skip
"""The causes that concern the connection, by the step at which they occur. Of several causes, the first step counts."""


def step_of(cause: Cause) -> int:
    """The position of a cause in the order of the steps; after all steps for a cause that is in none."""
    return next((at for at, causes in enumerate(STEPS.values()) if cause in causes), len(STEPS))
