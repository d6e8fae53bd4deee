"""The check of a Drive connection. Nine probes run in order, and the first one that fails gives the cause.

docs/drive-doctor.md lists the causes (`leaf.google.diagnosis`). A probe makes a few calls to Google without retries, so
that the whole check is quick.
"""

import asyncio
import ipaddress
import re
import ssl
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Final, Literal
from urllib.parse import urlsplit

import httpx
from sqlmodel import col, select

from leaf import __version__, config, errors, redis, texts
from leaf.db import models
from leaf.db.session import Actor, transaction
from leaf.google import diagnosis, oauth, providers, transport
from leaf.google.causes import STEPS
from leaf.google.diagnosis import Cause, Diagnosis, GrantHistory
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.google.transport import Patience
from leaf.redis import rates
from leaf.services.integrations import UserDrive, attempts, connections, rows
from leaf.services.integrations.drive_access import BeingRenewed

PROBE_SECONDS: Final = 3.0
"""The longest time of one probe."""
CHECK_SECONDS: Final = 20.0
"""The longest time of all probes together."""
CHECKS_A_MINUTE: Final = 6
CALLBACKS: Final = ("/auth/callback", "/auth/integrations/google-drive/callback")
"""The paths of the two addresses that are registered at Google."""
_ONCE: Final = Patience(attempts=1)
_DOCUMENT: Final = "application/vnd.google-apps.document"
_ANY_FILE: Final = "mimeType != 'application/vnd.google-apps.folder' and trashed = false"
_FORGED: Final = "1//leaf-doctor"
"""An invalid refresh token. If the token endpoint refuses only this token, it accepts the client."""
_HOSTS_SEEN: Final = "leaf:hosts"
_STRANGE_SEEN: Final = "leaf:hosts:strange"
_HOST: Final = re.compile(r"(?:[A-Za-z0-9.-]{1,200}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?")
_SEEN_SECONDS: Final = 7 * 86_400

TRIALS: Final = 3
"""The largest number of documents to try. One readable document is enough."""

Outcome = Literal["passed", "noted", "failed", "skipped"]


@dataclass(frozen=True)
class Result:
    """The outcome of a probe.

    `failed` ends the check, and has the cause if it is known. `noted` means that the connection works, but has a minor
    problem. `skipped` means that there was nothing to try; the note has the reason.
    """

    probe: str
    """The name of the probe, a key of `PROBES`."""
    outcome: Outcome
    seconds: float
    found: Diagnosis | None = None
    note: str = ""

    @property
    def forward(self) -> texts.Message | None:
        """The text for the administrator who can fix the failure. A `noted` result has one only for a bug of Leaf."""
        if self.found is None or (self.outcome == "noted" and self.found.row.mender != "leaf"):
            return None
        return connections.forwarded(self.found)


class _Failed(Exception):
    """A cause that a probe has found. `works` means that the connection works nevertheless."""

    def __init__(self, found: Diagnosis, note: str = "", *, works: bool = False) -> None:
        super().__init__(found.cause)
        self.found, self.works = found, works
        self.note = note or found.message


class _Skipped(Exception):
    """A probe cannot run. The argument is the reason."""


class _Check:
    """The probes of one check. A check without a member ends after the token endpoint."""

    def __init__(self, actor: Actor | None, signed_in: str) -> None:
        seconds = PROBE_SECONDS - 0.5
        self._access = UserDrive(actor, wait_seconds=seconds) if actor is not None else None
        self._actor = actor
        self._signed_in = signed_in
        self._account = ""
        self._client = providers.google_client()
        self._drive = Drive(self._access, patience=_ONCE, timeout_seconds=seconds) if self._access is not None else None

    async def clock(self) -> str:
        """Compares the clock with Google's."""
        try:
            answer = await _get(self._client.jwks_url)
        except (httpx.HTTPError, OSError) as error:
            raise _Skipped(texts.english("drive.clock_unknown")) from error
        skew = transport.skew_seconds(answer.headers.get("date", ""))
        if skew is None:
            raise _Skipped(texts.english("drive.clock_unknown"))
        if diagnosis.is_skewed(skew):
            raise _Failed(Diagnosis(Cause.CLOCK))
        return ""

    async def name(self) -> str:
        """Reaches Google's hosts by name, with a certificate that this machine trusts."""
        api = transport.endpoint() or "https://www.googleapis.com/drive/v3/"
        called = (self._client.jwks_url, self._client.token_url, f"{api}about")
        answers = await asyncio.gather(*map(_get, called), return_exceptions=True)
        for address, answer in zip(called, answers, strict=True):
            host = transport.host_of(address)
            if isinstance(answer, httpx.HTTPError | OSError):
                silence = "connect" if isinstance(answer, httpx.ProxyError) else transport.silence_of(answer)
                raise _Failed(diagnosis.of_silence(silence, host)) from answer
            if isinstance(answer, BaseException):
                raise answer
            # Google itself also answers with pages, for example at the token endpoint, which expects POST.
            is_page = answer.content[:_PAGE_BYTES].lstrip()[:1] == b"<"
            if answer.status_code == _PROXY_WANTS_LOGIN or (is_page and answer.status_code in _BLOCKED):
                seen = texts.english("drive.seen_page")
                raise _Failed(Diagnosis(Cause.NETWORK_BLOCKED, {"seen": seen}).with_particulars(host=host))
        return ""

    async def token(self) -> str:
        """Renews the access token. Without a member, checks the client with a forged grant."""
        if self._access is None:
            await self._try_client()
            return ""
        try:
            await self._access.report_rejected((await self._access.credentials()).access_token)
        except BeingRenewed as error:
            # The next probes show whether the access works.
            raise _Skipped(error.message) from error
        except errors.DriveRevoked as error:
            await self._try_client()
            found = error.cause
            if isinstance(found, Diagnosis) and found.cause not in STEPS["token"]:
                # A call to Drive has found this cause. The first probe that calls Drive finds it again.
                raise _Skipped(texts.english("drive.ended")) from error
            raise
        return ""

    async def _try_client(self) -> None:
        """Raises _Failed if Google refuses the OAuth client of this Leaf, so that nobody can connect."""
        try:
            await oauth.refresh(self._client, _FORGED)
        except oauth.Refused as refused:
            found = diagnosis.of_token(refused.refusal, GrantHistory())
            if found is not None and refused.refusal.error != "invalid_grant":
                raise _Failed(found) from refused

    async def scopes(self) -> str:
        """Checks whether the member has granted reading."""
        if self._actor is None:
            raise _Skipped(texts.english("drive.no_member"))
        async with transaction(self._actor, read_only=True) as tx:
            row = await rows.drive(tx)
        if row is None:
            raise errors.DriveNotConnected
        if oauth.DRIVE_SCOPE not in row.scopes:
            raise _Failed(Diagnosis(Cause.SCOPE_MISSING))
        return ""

    async def about(self) -> str:
        """Asks for the address of the connected account, and returns it."""
        self._account = await self._of_member().about()
        return self._account

    async def listing(self) -> str:
        """Lists one or two files."""
        drive = self._of_member()
        listed = await drive.find("trashed = false", 1)
        if any(isinstance(note, texts.Message) and note.key == _INCOMPLETE for note in listed.notes):
            raise _Failed(Diagnosis(Cause.INCOMPLETE_SEARCH), works=True)
        first = await drive.page(size=1)
        if first.next_token is not None:
            await drive.page(first.next_token, size=1)
        if not listed.files and self._signed_in and self._account and self._signed_in != self._account:
            found = Diagnosis(Cause.OTHER_ACCOUNT, {"account": self._account, "other": self._signed_in})
            raise _Failed(found, works=True)
        return ""

    async def drives(self) -> str:
        """Lists the shared drives, and returns their number."""
        return str(len(await self._of_member().drives()))

    async def changes(self) -> str:
        """Asks for the start token of the list of changes, which the index needs."""
        await self._of_member().start_token()
        return ""

    async def export(self) -> str:
        """Reads a document as text."""
        drive = self._of_member()
        listed = await drive.find(f"mimeType = '{_DOCUMENT}' and trashed = false", TRIALS)
        if not listed.files:
            # Any file shows whether Google lets Leaf open files.
            for file in (await drive.find(_ANY_FILE, 1)).files:
                await drive.get_file(DriveLink(file.id))
            raise _Skipped(texts.english("drive.no_document"))
        found = [await _refusal(drive, listed.files[0])]
        if found[0] is not None:
            # Together, so that the probe ends in time.
            found += await asyncio.gather(*(_refusal(drive, document) for document in listed.files[1:]))
        refused = [one for one in found if one is not None]
        if len(refused) < len(found):
            return ""
        # A single refused document may be an exception; several are worth a look.
        works = len(refused) == 1
        first = refused[0].of_trial(len(refused))
        key = "drive.trial" if len({one.cause for one in refused}) == 1 else "drive.trial_various"
        why = texts.english(key, count=len(refused), why=first.message)
        raise _Failed(first, why, works=works)

    def _of_member(self) -> Drive:
        if self._drive is None:
            raise _Skipped(texts.english("drive.no_member"))
        return self._drive


async def _refusal(drive: Drive, document: DriveFile) -> Diagnosis | None:
    """The cause for which a document cannot be read; None if it can be read."""
    unreadable = Cause.CLIENT_ENCRYPTED if document.is_client_encrypted else Cause.NO_DOWNLOAD
    try:
        if document.is_client_encrypted or not document.can_download:
            # The call shows whether Google lets Leaf open files.
            await drive.get_file(DriveLink(document.id))
            return document.named.refused(Diagnosis(unreadable))
        await drive.export(document, "text/plain")
    except errors.DriveRefused as refused:
        found = refused.cause
        if not isinstance(found, Diagnosis) or found.row.effect != "file":
            raise
        return found
    return None


_INCOMPLETE: Final = diagnosis.ROWS[Cause.INCOMPLETE_SEARCH].key
PROBES: Final[dict[str, tuple[str, Callable[[_Check], Awaitable[str]]]]] = {
    "clock": ("drive.probe_clock", _Check.clock),
    "name": ("drive.probe_name", _Check.name),
    "token": ("drive.probe_token", _Check.token),
    "scopes": ("drive.probe_scopes", _Check.scopes),
    "about": ("drive.probe_about", _Check.about),
    "listing": ("drive.probe_listing", _Check.listing),
    "drives": ("drive.probe_drives", _Check.drives),
    "changes": ("drive.probe_changes", _Check.changes),
    "export": ("drive.probe_export", _Check.export),
}
"""The probes in their order: the key of the text and the method of each."""


async def check(actor: Actor | None) -> AsyncGenerator[Result]:
    """Yields the results of the probes in order, up to the first failure. A cause is reported only once.

    Args:
        actor: The member whose connection is checked; None for the probes that concern all members.

    Raises:
        errors.LimitReached: The member checks too often.
        errors.DriveNotConnected: The member has not connected Drive.
    """
    signed_in = ""
    if actor is not None:
        await _take_turn(actor)
        signed_in = await _signed_in(actor)
    probes = _Check(actor, signed_in)
    left = CHECK_SECONDS
    noted: set[Cause] = set()
    for name, (_, probe) in PROBES.items():
        result = await _probed(name, probe(probes), min(PROBE_SECONDS, left))
        if actor is not None:
            await _note(actor, result)
        left = max(left - result.seconds, 0.0)
        if result.found is not None and result.found.cause in noted:
            result = Result(name, "skipped", result.seconds, note=texts.english("drive.noted_before"))
        elif result.found is not None:
            noted.add(result.found.cause)
        yield result
        if result.outcome == "failed":
            return


async def _note(actor: Actor, result: Result) -> None:
    """Stores the outcome of a probe with the connection, for its card and for chats."""
    access = UserDrive(actor)
    if result.found is not None and result.found.concerns_connection:
        await access.report_checked(result.found)
    elif (result.outcome == "passed" or result.found is not None) and (causes := _DISPROVED.get(result.probe)):
        await access.report_disproved(causes)


_DISPROVED: Final[dict[str, frozenset[Cause]]] = {
    "clock": STEPS["clock"], "name": STEPS["name"], "token": STEPS["token"], "export": STEPS["open"],
}  # fmt: skip
"""The causes that a probe disproves if it does not find them. A working call to Drive disproves all others."""


async def _take_turn(actor: Actor) -> None:
    if wait := await rates.take(f"doctor:{actor.user_id}", CHECKS_A_MINUTE, seconds=60):
        raise errors.RateLimited(texts.english("drive.checked_often"), resets_in_seconds=wait)


async def _signed_in(actor: Actor) -> str:
    """The address with which a member signs in.

    Raises:
        errors.DriveNotConnected: The member has not connected Drive.
    """
    async with transaction(actor, read_only=True) as tx:
        if await rows.drive(tx) is None:
            raise errors.DriveNotConnected
        query = select(models.User.email).where(col(models.User.id) == actor.member_id)
        return (await tx.session.exec(query)).one()


async def _probed(name: str, probe: Awaitable[str], seconds: float) -> Result:
    begun = time.monotonic()
    found: Diagnosis | None = None
    note: str = ""
    outcome: Outcome = "passed"
    try:
        async with asyncio.timeout(seconds):
            note = await probe
    except _Skipped as skipped:
        note, outcome = skipped.args[0], "skipped"
    except _Failed as failed:
        found, note, outcome = failed.found, failed.note, "noted" if failed.works else "failed"
    except TimeoutError:
        found = diagnosis.of_silence("answer")
        note, outcome = found.message, "failed"
    except errors.DriveError as error:
        found = error.cause if isinstance(error.cause, Diagnosis) else None
        note = found.message if found is not None else error.message
        is_noted = found is not None and found.row.effect == "file" and found.row.mender != "leaf"
        outcome = "noted" if is_noted else "failed"
    except errors.Unavailable as error:
        note, outcome = error.message, "failed"
    return Result(name, outcome, time.monotonic() - begun, found, note)


async def _get(address: str) -> httpx.Response:
    # A proxy of the environment does not know this machine's own addresses.
    is_own = urlsplit(address).hostname in transport.LOOPBACK
    trust = await asyncio.to_thread(_trust)
    async with httpx.AsyncClient(timeout=PROBE_SECONDS - 0.5, trust_env=not is_own, verify=trust) as http:
        return await http.get(address)


async def member(address: str) -> Actor:
    """The member with an e-mail address, for the command line.

    Raises:
        errors.NotFound: No member has this address.
    """
    async with transaction(Actor.system(), read_only=True) as tx:
        row = errors.found((await tx.call("leaf_doctor_member", address)).one_or_none(), "member")
    return Actor.user(row.user_id, row.workspace_id)


async def unconnected(actor: Actor) -> str:
    """A text for the command line about a member's last attempt to connect, within the last hour."""
    attempt = await attempts.attempt(actor)
    if attempt is None:
        return texts.say("drive.unconnected")
    found = attempt.found
    if found is None:
        return texts.say("drive.attempt_open")
    return "\n".join([found.fault, *_for_operator(found, found.message, connections.forwarded(found)), ""])


@cache
def _trust() -> ssl.SSLContext:
    """The certificates that this machine trusts. They are read only once, because reading them takes a while."""
    return httpx.create_ssl_context()


_PAGE_BYTES: Final = 200
_PROXY_WANTS_LOGIN: Final = 407
_BLOCKED: Final = frozenset({403, 511})


@dataclass(frozen=True)
class Addresses:
    """The addresses to enter at Google, and other hosts under which people have begun to sign in."""

    redirects: tuple[str, ...]
    other_hosts: tuple[str, ...]
    """Hosts that are private, or related to the host of LEAF_URL."""
    strange: int = 0
    """The number of requests for other hosts within a week. Their names, which a sender can choose, are not shown."""


async def addresses() -> Addresses:
    """The addresses to enter for the OAuth client at Google, made from LEAF_URL, and other hosts of the last week."""
    home = config.current().url.rstrip("/")
    seen, strange = list[bytes](), None
    # The command line may run without Redis.
    with suppress(errors.RedisUnavailable, errors.ConfigurationError), redis.guard():
        seen = await redis.client().zrange(_HOSTS_SEEN, 0, 4, desc=True)
        strange = await redis.client().get(_STRANGE_SEEN)
    # Older versions also store unrelated hosts.
    hosts = tuple(host for one in seen if _is_related(host := one.decode()))
    return Addresses(tuple(home + path for path in CALLBACKS), hosts, int(strange or 0))


async def note_host(host: str) -> None:
    """Remembers for a week that somebody has begun to sign in at a host that is not the host of LEAF_URL."""
    with suppress(errors.RedisUnavailable), redis.guard():
        if _is_related(host):
            await redis.client().zadd(_HOSTS_SEEN, {host: time.time()})
            await redis.client().zremrangebyrank(_HOSTS_SEEN, 0, -6)
            await redis.client().expire(_HOSTS_SEEN, _SEEN_SECONDS)
        else:
            await redis.client().incr(_STRANGE_SEEN)
            await redis.client().expire(_STRANGE_SEEN, _SEEN_SECONDS)


def _is_related(host: str) -> bool:
    """Whether a host is private, or equal to the host of LEAF_URL, a subdomain of it, or one of its parent domains."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if _HOST.fullmatch(host) is None:
        return False
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        home = urlsplit(config.current().url).hostname or ""
        return name in {"localhost", home} or name.endswith(f".{home}") or ("." in name and home.endswith(f".{name}"))
    return address.is_private and not address.is_unspecified


def finding(results: Sequence[Result]) -> Result | None:
    """The result that names the problem: the failed one, else the first noted one; None if there is no problem."""
    worst = (one for outcome in ("failed", "noted") for one in results if one.outcome == outcome)
    return next(worst, None)


_MARKS: Final = {"passed": "ok", "noted": "note", "failed": "FAILED", "skipped": "–"}


def report(results: list[Result], found: Addresses, *, to_operator: bool = False) -> str:
    """The check as text to copy, in the language of the event that is being handled; it has no tokens or secrets.

    Args:
        results: The outcomes of the probes.
        found: The addresses to enter at Google.
        to_operator: Whether the reader is the operator instead of the member.
    """
    lines = [f"Leaf {__version__}, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC"]
    for one in results:
        row = f" [{one.found.row.number}: {one.found.cause}]" if one.found is not None else ""
        reason = one.found.fault if to_operator and one.found is not None else texts.translated(one.note)
        note = f": {reason}" if reason else ""
        lines.append(f"{_MARKS[one.outcome]:<7}{texts.say(PROBES[one.probe][0])} ({one.seconds:.1f} s){row}{note}")
    for one in results:
        if to_operator and one.found is not None:
            lines += _for_operator(one.found, one.note, one.forward)
        elif one.forward is not None:
            lines += ["", texts.say("drive.to_forward"), texts.translated(one.forward)]
    lines += ["", texts.say("drive.addresses"), *found.redirects]
    lines += [texts.say("drive.other_host", host=host) for host in found.other_hosts]
    if found.strange:
        lines.append(texts.say("drive.strange_hosts", count=found.strange))
    return "\n".join(lines)


def _for_operator(found: Diagnosis, note: str, forward: texts.Message | None) -> list[str]:
    """The lines about a cause for the operator: what to do, what to pass on, or what the member was asked to do."""
    if forward is not None and found.row.mender in {"operator", "network", "leaf"}:
        return ["", texts.say("drive.to_do"), texts.translated(forward)]
    if forward is not None and found.row.mender == "workspace":
        return ["", texts.say("drive.to_pass_on"), texts.translated(forward)]
    lines = ["", texts.say("drive.to_member"), texts.translated(note)]
    return lines if forward is None else [*lines, "", texts.say("drive.to_help"), texts.translated(forward)]
