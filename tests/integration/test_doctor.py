"""The 48 ways in which a Drive fails: the sandbox makes each over HTTP, and every surface names it alike."""

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Iterator
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage

from jobs.stores import MemberLibrary
from leaf import errors, parts, redis, texts
from leaf.agent.deps import Deps
from leaf.agent.tools.drive import list_drive_folder, read_drive_file, search_files
from leaf.citations import coverage
from leaf.db import Actor
from leaf.google import diagnosis, oauth, refusals, transport
from leaf.google.diagnosis import ROWS, Cause, Diagnosis
from leaf.google.drive import Drive
from leaf.google.files import DriveFile
from leaf.google.links import DriveLink
from leaf.services import doctor, integrations, operation
from leaf.services.files import ChatFiles
from leaf.services.integrations import drive_access
from leaf.services.library import pace
from leaf.views import steps
from sandbox.failures import PROJECT, known
from tests.integration.drive_google import Kept
from tests.integration.people import person
from tests.integration.web_fixtures import Browser, World

PAGES = [*diagnosis.CONSENT]
UNCONNECTED = [Cause.DECLINED, Cause.BOX_NOT_TICKED]
AT_PROBE = {
    "clock": [Cause.CLOCK],
    "name": [Cause.NETWORK_BLOCKED, Cause.NETWORK],
    "token": [
        Cause.CLIENT_DELETED, Cause.REVOKED, Cause.SESSION_CONTROL, Cause.CODE_USED, Cause.ACCOUNT_GONE,
        Cause.CLIENT_REFUSED, Cause.TESTING_EXPIRED, Cause.REVOKED_FOR_MANY,
    ],
    "about": [
        Cause.API_OFF, Cause.SCOPE_MISSING, Cause.RATE, Cause.DAILY_QUOTA, Cause.API_KEY, Cause.PROJECT_SUSPENDED,
        Cause.TOKEN_REJECTED, Cause.GOOGLE_FAILED, Cause.DRIVE_OFF,
    ],
    "listing": [Cause.INCOMPLETE_SEARCH, Cause.PAGE_TOKEN, Cause.BAD_QUERY, Cause.OTHER_ACCOUNT],
    "export": [
        Cause.DOMAIN_POLICY, Cause.NOT_AUTHORISED, Cause.NO_PERMISSION, Cause.NO_DOWNLOAD, Cause.GOOGLE_FORMAT,
        Cause.NOT_EXPORTABLE, Cause.EXPORT_TOO_LARGE, Cause.ABUSIVE, Cause.ABUSE_ACKNOWLEDGED, Cause.DOWNLOAD_QUOTA,
        Cause.NOT_A_MEMBER, Cause.WRITE_ONLY, Cause.NOT_FOUND, Cause.CLIENT_ENCRYPTED,
    ],
}  # fmt: skip
"""The probe at which each cause shows."""
OF_FILES_ALONE = [Cause.RESOURCE_KEY, Cause.SHORTCUT_TARGET]
"""Causes of one link or shortcut, which the check of a connection does not meet."""
FURTHER_FORWARDS = [Cause.RATE, Cause.SCOPE_MISSING, Cause.NOT_AUTHORISED, Cause.TOKEN_REJECTED]
"""Causes that pass or that the member ends, with a text to forward in case they do not."""
PROBE_OF = {cause: probe for probe, causes in AT_PROBE.items() for cause in causes}


@dataclass
class Failing:
    """A member with a connected Drive, whose Google fails by name."""

    world: World
    browser: Browser
    actor: Actor
    document: str = ""
    shortcut: str = ""

    def begin(self, cause: Cause) -> None:
        self.world.http.post(f"/sandbox/failures/{cause}").raise_for_status()

    def mend(self, cause: Cause) -> None:
        self.world.http.delete(f"/sandbox/failures/{cause}").raise_for_status()

    def as_new(self) -> None:
        """Takes back what a failure has left at the connection."""
        self.world.sql(
            "UPDATE integrations SET status = 'active', diagnosis = NULL, status_reason = NULL"
            " WHERE provider_account_email LIKE '%%sandbox.leaf.example'"
        )

    async def check(self) -> doctor.Result:
        """The result of a check that names the cause."""
        results = [one async for one in doctor.check(self.actor)]
        return doctor.finding(results) or results[-1]

    async def card(self) -> integrations.Card:
        (card,) = await integrations.cards(self.actor)
        return card

    async def learn_files(self) -> None:
        drive = Drive(integrations.UserDrive(self.actor))
        kind = "application/vnd.google-apps"
        (document,) = (await drive.find(f"mimeType = '{kind}.document' and trashed = false", 1)).files
        shortcuts = (await drive.find(f"mimeType = '{kind}.shortcut' and trashed = false", 5)).files
        self.document, self.shortcut = document.id, shortcuts[0].id


@pytest.fixture
def failing_sandbox(world: World) -> Iterator[World]:
    yield world
    world.http.delete("/sandbox/failures").raise_for_status()


@pytest.fixture
async def failing(failing_sandbox: World, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(doctor, "CHECKS_A_MINUTE", 100_000)
    async with failing_sandbox.browser("ada") as browser:
        await browser.connect("ada")
        found = Failing(failing_sandbox, browser, await browser.actor())
        await found.learn_files()
        yield found


async def prepare(failing: Failing, cause: Cause) -> None:
    """Makes the circumstances that belong to a failure that has begun."""
    if cause in {Cause.TESTING_EXPIRED, Cause.OTHER_ACCOUNT}:
        await failing.browser.connect("ada")
    if cause is Cause.REVOKED_FOR_MANY:
        for name in ("cem", "dora"):
            await lose(name)


async def lose(name: str) -> Actor:
    """A further member whose grant is refused."""
    actor = await person(name)
    grant = oauth.Grant(
        "ya29.gone", f"1//{name}", datetime.now(UTC) - timedelta(hours=1), frozenset({oauth.DRIVE_SCOPE})
    )
    await integrations.complete_connect(actor, grant, email=f"{name}@example.org")
    with pytest.raises(errors.DriveRevoked):
        await integrations.UserDrive(actor).credentials()
    return actor


def test_the_sandbox_makes_every_row() -> None:
    rows = {one.number for one in ROWS.values()} - {0}
    assert rows == set(range(1, 49))
    assert set(known()) == {cause.value for cause, row in ROWS.items() if row.number}
    assert {*PAGES, *UNCONNECTED, *PROBE_OF, *OF_FILES_ALONE} == {cause for cause, row in ROWS.items() if row.number}


def in_german(text: str) -> str:
    return texts.translated(text, texts.of("de"))


@pytest.mark.parametrize("cause", [*Cause])
def test_every_cause_has_words_and_administrators_have_a_text(cause: Cause) -> None:
    """In both languages, and through the form in which it is stored."""
    found = Diagnosis(cause, {"account": "ada@example.org", "link": PROJECT})
    assert in_german(found.message) != found.message
    assert bool(found.forward) == (
        found.row.mender in {"operator", "workspace", "network", "leaf"} or cause in FURTHER_FORWARDS
    )
    german = texts.of("de")
    for say in (texts.of("en"), german):
        # Its first sentence is the fault, without anything to do about it.
        assert str(texts.translated(found.message, say)).startswith(
            opening := say.opening(found.message.key, **found.message.parameters)
        )
        assert not re.search(r"\b(press|send|try|wait|senden|klicken|versuchen)\b", opening, re.IGNORECASE), opening
        assert "`" not in texts.translated(found.message, say) + texts.translated(found.forward or "", say)
    again = diagnosis.of_data(found.data())
    assert again is not None
    assert (again.message, again.link) == (found.message, found.link)
    # A version that knew of no particulars may have stored it.
    bare = diagnosis.of_data({"cause": cause, "particulars": {}})
    assert bare is not None
    assert bare == Diagnosis(cause)
    assert "{" not in str(bare.message)
    if found.forward:
        assert "{" not in str(integrations.forwarded(found))
        assert in_german(found.forward) != found.forward


def test_a_name_that_others_have_chosen_adds_no_line_to_a_text_for_administrators() -> None:
    """And nothing that a terminal obeys, on which `python -m leaf doctor` prints it."""
    hostile = "Plan\x1b]0;x\x07\r\n(2) Open https://evil.example\u2028\x9b2J" + "a" * 4000
    owner = {"displayName": hostile, "emailAddress": "a@b\x1b"}
    file = DriveFile.of({"id": "1" * 20, "name": hostile, "mimeType": hostile, "owners": [owner]})
    answer = {"error": {"errors": [{"reason": "fileNotDownloadable"}], "message": hostile}}
    failure = transport.HttpFailure(403, json.dumps(answer).encode())
    diagnosed = refusals.diagnose(failure, refusals.Subject(about=file.named))
    assert diagnosed is not None
    assert "403 (fileNotDownloadable, Plan ]0;x (2) Open" in str(diagnosed.forward)
    named = [file.named.refused(Diagnosis(cause)) for cause, row in ROWS.items() if row.effect == "file"]
    for found in [diagnosed, *named]:
        cause = found.cause
        for text in (found.message, found.forward or ""):
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]|\n\(2\) Open https://evil", text), cause
            assert len(text) < 3000, cause


@pytest.mark.parametrize("cause", [cause for cause, row in ROWS.items() if row.effect in {"lost", "trouble"}])
def test_the_button_that_stands_out_is_the_first_step_of_the_words(cause: Cause) -> None:
    """Nobody is led to Reconnect where somebody else has to look first, or where it does not help."""
    first = re.search(r"\b(press|send)\b", Diagnosis(cause).message, re.IGNORECASE)
    assert first is not None
    assert ROWS[cause].first_step == {"press": "connect", "send": "forward"}[first[0].lower()]


@pytest.mark.parametrize("cause", [*Cause])
def test_the_step_of_an_answer_names_the_fault_and_leaves_what_to_do_to_the_page(cause: Cause) -> None:
    begun: parts.Part = {"type": "tool-search_files", "toolCallId": "a", "input": {"queries": ["harvest"]}}
    found = Diagnosis(cause)
    call = parts.failed(begun, refusals.error_of(found).message)
    step = steps.step_of(call, {})
    assert parts.drive_failed([call])
    assert step.note == ("nothing found" if cause is Cause.OTHER_ACCOUNT else found.fault)


@pytest.mark.parametrize("cause", PAGES)
async def test_an_error_on_googles_page_is_explained_where_the_member_comes_back(
    failing_sandbox: World, cause: Cause
) -> None:
    async with failing_sandbox.browser("ada") as browser:
        actor = await browser.actor()
        failing_sandbox.http.post(f"/sandbox/failures/{cause}").raise_for_status()
        begun = await browser.get("/auth/integrations/google-drive")
        page = await browser.get(begun.headers["location"])
        assert page.status_code >= 400
        assert any(code in page.text for code in diagnosis.CODES[cause].replace("'", "&#x27;").split(", "))
        attempt = await integrations.attempt(actor)
        assert attempt == integrations.Attempt(None)
        failing_sandbox.http.delete(f"/sandbox/failures/{cause}").raise_for_status()
        await browser.connect("ada")
        assert await integrations.attempt(actor) is None


@pytest.mark.parametrize(("cause", "problem"), [(Cause.DECLINED, "denied"), (Cause.BOX_NOT_TICKED, "scope_missing")])
async def test_a_callback_without_a_connection_says_why(failing_sandbox: World, cause: Cause, problem: str) -> None:
    """In a notice of the page that the member comes back to, in the words of the cause."""
    async with failing_sandbox.browser("ada") as browser:
        failing_sandbox.http.post(f"/sandbox/failures/{cause}").raise_for_status()
        assert await browser.connect("ada") == f"/settings/integrations?problem={problem}"
        assert await integrations.attempt(await browser.actor()) is None
    for language in texts.LANGUAGES:
        say = texts.of(language)
        assert say(f"settings.problem_{problem}") == say(ROWS[cause].key)


async def test_a_callback_that_the_token_endpoint_refuses_is_explained_in_settings(failing_sandbox: World) -> None:
    async with failing_sandbox.browser("ada") as browser:
        failing_sandbox.http.post(f"/sandbox/failures/{Cause.CLIENT_REFUSED}").raise_for_status()
        assert await browser.connect("ada") == "/settings/integrations?problem=failed"
        attempt = await integrations.attempt(await browser.actor())
        assert attempt is not None
        assert attempt.found is not None
        assert attempt.found.cause is Cause.CLIENT_REFUSED


@pytest.mark.parametrize("cause", PROBE_OF)
async def test_the_check_names_the_cause_at_its_probe(failing: Failing, cause: Cause) -> None:
    failing.begin(cause)
    await prepare(failing, cause)
    last = await failing.check()
    assert (last.probe, last.found and last.found.cause) == (PROBE_OF[cause], cause)
    assert last.found is not None
    card = await failing.card()
    if last.found.concerns_connection:
        assert last.outcome == "failed"
        assert (card.cause, card.reason) == (cause, last.found.message)
        assert card.state == ("error" if last.found.row.effect == "lost" else "trouble")
        (listed,) = (await failing.browser.get("/api/integrations")).json()
        assert (listed["state"], listed["cause"]) == (card.state, cause)
    else:
        assert (card.state, card.cause) == ("connected", None)
        assert last.note.startswith(("The connected Drive of", "Because of a bug in Leaf")) or (
            "Your connection works" in last.note
        )
    answer = await failing.browser.post("/api/integrations/google_drive/check")
    body = answer.json()
    assert (body["ok"], body["cause"], body["row"]) == (False, cause, ROWS[cause].number)
    assert bool(body["forward"]) == bool(ROWS[cause].forward)
    # Once it is noted, a further check fails at the same probe; an operator reads what an operator does.
    again = await failing.check()
    assert (again.probe, again.found and again.found.cause) == (PROBE_OF[cause], cause)
    _assert_is_for_the_operator(doctor.report([again], await doctor.addresses(), to_operator=True), again)


def _assert_is_for_the_operator(written: str, last: doctor.Result) -> None:
    assert last.found is not None
    assert last.found.fault in written
    if last.found.row.mender in {"operator", "network", "leaf", "workspace"} and last.forward:
        assert last.forward in written
        assert "of this Leaf the text to forward" not in written
    else:
        assert f"Leaf says to the member:\n{last.note}" in written


LISTING = [
    Cause.NETWORK_BLOCKED, Cause.NETWORK, *AT_PROBE["token"], *AT_PROBE["about"], Cause.BAD_QUERY,
]  # fmt: skip
FILE = [*AT_PROBE["export"], *OF_FILES_ALONE]


@pytest.mark.parametrize("cause", [*LISTING, *FILE])
async def test_the_api_and_the_tools_take_their_words_from_the_cause(
    failing: Failing, cause: Cause, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport.Patience, "retrying", _once)
    failing.begin(cause)
    await prepare(failing, cause)
    if PROBE_OF.get(cause) == "token":
        failing.world.sql("UPDATE integrations SET token_expires_at = now() WHERE diagnosis IS NULL")
    said = await _of_api(failing, cause)
    assert said.startswith(_beginning(cause)), said
    if PROBE_OF.get(cause) == "token":
        card = await failing.card()
        assert card.cause == cause
    stepped = await _of_tool(failing, cause)
    assert stepped.startswith(_beginning(cause)), stepped
    assert in_german(stepped) != stepped


_RETRYING = transport.Patience.retrying


def _once(patience: transport.Patience, _attempts: int | None = None) -> Any:
    return _RETRYING(patience, 1)


def _beginning(cause: Cause) -> str:
    """The first words of a cause, before anything of the case."""
    text = texts.catalogue("en")[ROWS[cause].key]
    assert isinstance(text, str)
    return text.partition("{")[0]


def _link(failing: Failing, cause: Cause) -> str:
    if cause is Cause.RESOURCE_KEY:
        return f"https://docs.google.com/document/d/{failing.document}/edit?resourcekey=0-aBcDeFg"
    return failing.shortcut if cause is Cause.SHORTCUT_TARGET else failing.document


async def _of_api(failing: Failing, cause: Cause) -> str:
    path = "/api/drive/folders?url=root"
    if cause is Cause.RESOURCE_KEY:
        path = f"/api/drive/files/{failing.document}?resource_key=0-aBcDeFg"
    elif cause in FILE:
        path = f"/api/drive/files/{_link(failing, cause)}"
    answer = await failing.browser.get(path)
    body = answer.json()
    if "error" not in body:
        return body["reason"]
    assert body["error"]["cause"] == cause
    assert bool(body["error"].get("forward")) == bool(ROWS[cause].forward)
    return body["error"]["message"]


async def _of_tool(failing: Failing, cause: Cause) -> str:
    access = integrations.UserDrive(failing.actor)
    library = MemberLibrary(failing.actor)
    deps = Deps(uuid4(), uuid4(), access, Kept(), ChatFiles(Actor.system(), uuid4()), library=library)
    context: RunContext[Deps] = RunContext(deps=deps, model=TestModel(), usage=RunUsage())
    call, link = (read_drive_file, _link(failing, cause)) if cause in FILE else (list_drive_folder, "root")
    try:
        output = await call(context, link)
    except ToolFailed as failed:
        return failed.message
    return output["skipped"]["reason"]


ORDER = [*doctor.PROBES]


def _pairs() -> list[tuple[Cause, Cause]]:
    """Every cause with causes of two other probes; the one whose probe comes first stands first."""
    chance = random.Random(48)
    pairs = {
        tuple(sorted((cause, chance.choice(AT_PROBE[probe])), key=lambda one: ORDER.index(PROBE_OF[one])))
        for cause in PROBE_OF
        for probe in chance.sample([one for one in AT_PROBE if one != PROBE_OF[cause]], 2)
    }
    if os.environ.get("LEAF_TEST_ALL_PAIRS"):
        pairs = {(a, b) for a in PROBE_OF for b in PROBE_OF if ORDER.index(PROBE_OF[a]) < ORDER.index(PROBE_OF[b])}
    return sorted((first, second) for first, second in pairs)


async def test_of_two_failures_the_first_probe_wins_and_the_second_shows_once_it_is_mended(
    failing: Failing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`LEAF_TEST_ALL_PAIRS=1` goes through all pairs of causes at different probes."""
    # On a busy machine a step may take longer than it may for a person, and would then be said to have no answer.
    monkeypatch.setattr(doctor, "PROBE_SECONDS", 30.0)
    monkeypatch.setattr(doctor, "CHECK_SECONDS", 200.0)
    circumstantial = {Cause.TESTING_EXPIRED, Cause.OTHER_ACCOUNT, Cause.REVOKED_FOR_MANY}
    for pair in _pairs():
        # What is only noted lets the check go on, and gives way to a failure after it.
        first, second = reversed(pair) if pair[0] in {Cause.INCOMPLETE_SEARCH, Cause.PAGE_TOKEN} else pair
        # A Drive is connected before the other failure begins, which might prevent it.
        for cause in sorted(pair, key=lambda one: one not in circumstantial):
            failing.begin(cause)
            await prepare(failing, cause)
        seen = (await failing.check()).found
        assert seen is not None, pair
        assert seen.cause is first, pair
        failing.mend(first)
        failing.as_new()
        seen = (await failing.check()).found
        assert seen is not None, pair
        assert seen.cause is second, pair
        failing.mend(second)
        failing.as_new()
        if circumstantial & {*pair}:
            failing.world.sql("DELETE FROM integrations WHERE provider_account_email LIKE '%%@example.org'")
            await failing.browser.connect("ada")


async def test_the_card_has_the_cause_that_a_check_has_met_first(failing: Failing) -> None:
    """In the place of one of a later probe, also of a lost grant, which is asked about again; and no cause stays that
    the check has shown to be over.
    """

    async def checked() -> tuple[str | None, str | None]:
        found = (await failing.check()).found
        return (found.cause if found is not None else None), (await failing.card()).cause

    failing.begin(Cause.SESSION_CONTROL)
    failing.begin(Cause.API_OFF)
    assert await checked() == (Cause.SESSION_CONTROL, Cause.SESSION_CONTROL)
    assert (await failing.card()).state == "error"
    failing.begin(Cause.CLOCK)
    failing.begin(Cause.RATE)
    failing.mend(Cause.API_OFF)
    assert await checked() == (Cause.CLOCK, Cause.CLOCK)
    failing.mend(Cause.CLOCK)
    assert await checked() == (Cause.SESSION_CONTROL, Cause.SESSION_CONTROL)
    assert (await failing.card()).state == "error"
    failing.begin(Cause.CLOCK)
    failing.mend(Cause.SESSION_CONTROL)
    assert await checked() == (Cause.CLOCK, Cause.CLOCK)
    failing.mend(Cause.CLOCK)
    assert await checked() == (Cause.RATE, Cause.RATE)
    failing.mend(Cause.RATE)
    assert await checked() == (None, None)
    assert (await failing.card()).state == "connected"


EARLIER = [Cause.CLOCK, Cause.CLIENT_REFUSED, Cause.CLIENT_DELETED, Cause.SESSION_CONTROL]


@pytest.mark.parametrize("later", [Cause.API_OFF, Cause.RATE, Cause.NOT_AUTHORISED])
@pytest.mark.parametrize("earlier", EARLIER)
async def test_all_surfaces_name_the_same_one_of_two_failures_while_the_token_works(
    failing: Failing, monkeypatch: pytest.MonkeyPatch, earlier: Cause, later: Cause
) -> None:
    """The call, the card, the check and the call after it; and the later one once the earlier is mended."""
    monkeypatch.setattr(transport.Patience, "retrying", _once)
    path = f"/api/drive/files/{failing.document}" if later is Cause.NOT_AUTHORISED else "/api/drive/folders?url=root"

    async def called() -> str:
        return (await failing.browser.get(path)).json()["error"]["cause"]

    failing.begin(earlier)
    failing.begin(later)
    assert (await called(), (await failing.card()).cause) == (earlier, earlier)
    found = (await failing.check()).found
    assert (found and found.cause, (await failing.card()).cause) == (earlier, earlier)
    assert (await called(), (await failing.card()).cause) == (earlier, earlier)
    failing.mend(earlier)
    if ROWS[earlier].effect == "lost":
        failing.as_new()
    found = (await failing.check()).found
    assert (found and found.cause, (await failing.card()).cause) == (later, later)
    assert (await called(), (await failing.card()).cause) == (later, later)


@pytest.mark.parametrize("cause", EARLIER[:3])
async def test_a_failure_that_a_check_has_met_stays_although_the_token_works_for_a_while(
    failing: Failing, cause: Cause
) -> None:
    """A call that works does not disprove it; the check does as soon as it is mended."""
    failing.begin(cause)
    await failing.check()
    assert (await failing.browser.get("/api/drive/folders?url=root")).status_code == 200
    assert (await failing.card()).cause == cause
    failing.mend(cause)
    failing.world.sql("UPDATE integrations SET token_expires_at = now()")
    assert (await failing.browser.get("/api/drive/folders?url=root")).status_code == 200
    assert (await failing.card()).cause is None


@pytest.mark.parametrize("now", [Cause.NO_DOWNLOAD, Cause.DOMAIN_POLICY, Cause.CLIENT_ENCRYPTED, None])
@pytest.mark.parametrize("trials", [1, 3])
async def test_a_check_ends_every_cause_that_it_disproves(
    failing: Failing, monkeypatch: pytest.MonkeyPatch, now: Cause | None, trials: int
) -> None:
    """No card says Reconnect above a check whose finding is another one, or that all is well."""
    monkeypatch.setattr(doctor, "TRIALS", trials)
    failing.begin(Cause.NOT_AUTHORISED)
    await failing.check()
    assert (await failing.card()).state == "trouble"
    failing.mend(Cause.NOT_AUTHORISED)
    if now is not None:
        failing.begin(now)
    last = await failing.check()
    assert (last.found and last.found.cause) == now
    card = await failing.card()
    assert (card.cause, card.reason, card.state) == (None, None, "connected")


async def test_a_drive_without_documents_is_known_to_open_by_any_other_file(
    failing: Failing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_DOCUMENT", "application/x-none")
    failing.begin(Cause.NOT_AUTHORISED)
    found = (await failing.check()).found
    assert (found and found.cause, (await failing.card()).cause) == (Cause.NOT_AUTHORISED, Cause.NOT_AUTHORISED)
    failing.mend(Cause.NOT_AUTHORISED)
    last = await failing.check()
    assert (last.outcome, last.found) == ("skipped", None)
    assert (await failing.card()).cause is None


async def test_a_cause_that_a_check_has_shown_to_be_over_goes(
    failing: Failing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a later probe fails for a reason that has no name."""
    failing.begin(Cause.CLOCK)
    assert (await failing.check()).found is not None
    assert (await failing.card()).cause == Cause.CLOCK
    failing.mend(Cause.CLOCK)

    async def unknown(*_: object) -> None:
        raise errors.DriveError("Google said something.")

    monkeypatch.setattr(integrations.UserDrive, "credentials", unknown)
    assert (await failing.check()).outcome == "failed"
    card = await failing.card()
    assert (card.cause, card.reason) == (None, None)


async def test_a_working_drive_passes_all_probes_and_the_result_has_no_secret(failing: Failing) -> None:
    results = [one async for one in doctor.check(failing.actor)]
    assert [one.probe for one in results] == ORDER
    assert {one.outcome for one in results} == {"passed"}
    assert max(one.seconds for one in results) <= doctor.PROBE_SECONDS
    written = doctor.report(results, await doctor.addresses())
    assert f"{failing.world.settings.url}/auth/callback" in written
    sealer = failing.world.settings.sealer
    row = failing.world.integration(failing.actor.member_id)
    for secret in (sealer.open(row["access_token"]), sealer.open(row["refresh_token"]), "leaf-sandbox-secret"):
        assert secret not in written


async def _command(failing: Failing, folder: Path) -> tuple[int | None, str]:
    """The exit status and the output of `python -m leaf doctor` for Ada."""
    settings = failing.world.settings
    environment = {
        "PATH": os.environ["PATH"], "DATABASE_URL": settings.database_url or "", "REDIS_URL": settings.redis_url or "",
        "LEAF_SANDBOX_URL": settings.sandbox_url or "", "LEAF_SECRET": settings.secret or "",
        "LEAF_SEAL_KEYS": settings.seal_keys or "", "LEAF_DATA_DIR": str(folder), "LEAF_URL": settings.url,
        "OAUTHLIB_INSECURE_TRANSPORT": "1",
    }  # fmt: skip
    command = [sys.executable, "-m", "leaf", "doctor", "--member", "ADA@sandbox.leaf.example"]
    run = await asyncio.create_subprocess_exec(*command, env=environment, stdout=subprocess.PIPE)
    out, _ = await run.communicate()
    return run.returncode, out.decode()


async def test_operators_check_a_member_on_the_command_line(failing: Failing, tmp_path: Path) -> None:
    """Its exit status says whether a probe has failed, and it prints no secret."""
    settings = failing.world.settings
    failing.begin(Cause.API_OFF)
    status, written = await _command(failing, tmp_path)
    assert status == 1
    assert "[18: api_off]" in written
    assert "choose Enable" in written
    assert f"{settings.url}/auth/integrations/google-drive/callback" in written
    row = failing.world.integration(failing.actor.member_id)
    assert settings.sealer.open(row["refresh_token"]) not in written


async def test_the_command_line_tells_of_an_attempt_that_google_has_kept(failing: Failing, tmp_path: Path) -> None:
    """The addresses to enter at Google are printed, too: they are what one of these errors asks for."""
    await failing.browser.delete("/api/integrations/google_drive")
    await failing.browser.get("/auth/integrations/google-drive")
    status, written = await _command(failing, tmp_path)
    assert status == 0
    assert "docs/drive-doctor.md (rows 1 and 3 to 10)" in written
    assert f"{failing.world.settings.url}/auth/integrations/google-drive/callback" in written


async def test_a_trouble_is_shown_while_it_lasts_and_a_call_that_works_takes_it_away(failing: Failing) -> None:
    """The connection stays, and its link leads to the page of Google's console."""
    failing.begin(Cause.API_OFF)
    assert (await failing.browser.get("/api/drive/folders?url=root")).json()["error"]["cause"] == "api_off"
    card = await failing.card()
    assert (card.state, card.cause, card.link) == ("trouble", "api_off", PROJECT)
    assert PROJECT not in (card.reason or "")
    assert PROJECT in (card.forward or "")
    (listed,) = (await failing.browser.get("/api/integrations")).json()
    assert (listed["cause"], listed["reason"], listed["forward"]) == ("api_off", card.reason, card.forward)
    failing.mend(Cause.API_OFF)
    assert (await failing.browser.get("/api/drive/folders?url=root")).status_code == 200
    assert (await failing.card()).reason is None


@pytest.mark.parametrize("cause", [Cause.CLIENT_DELETED, Cause.CLIENT_REFUSED])
async def test_a_trouble_of_the_token_endpoint_goes_with_a_call_as_well(
    failing: Failing, cause: Cause, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The access token works all the time, and is renewed only in an hour."""
    monkeypatch.setattr(drive_access, "_ASKED_SECONDS", 0.001)
    path = "/api/drive/folders?url=root"
    failing.begin(cause)
    await failing.check()
    assert (await failing.browser.get(path)).status_code == 200
    assert (await failing.card()).cause == cause
    failing.mend(cause)
    assert (await failing.browser.get(path)).status_code == 200
    assert ((await failing.card()).state, (await failing.card()).cause) == ("connected", None)


@pytest.mark.parametrize("cause", [Cause.SCOPE_MISSING, Cause.REVOKED])
async def test_a_lost_grant_does_not_hide_that_google_does_not_take_the_client(failing: Failing, cause: Cause) -> None:
    """Whoever connects again would only meet Google's error page."""
    failing.begin(cause)
    assert await _cause_of_check(failing) is cause
    failing.begin(Cause.CLIENT_DELETED)
    assert await _cause_of_check(failing) is Cause.CLIENT_DELETED
    assert (await failing.card()).first_step == "forward"
    failing.mend(Cause.CLIENT_DELETED)
    assert await _cause_of_check(failing) is cause
    assert (await failing.card()).state == "error"


async def _cause_of_check(failing: Failing) -> Cause | None:
    found = (await failing.check()).found
    return found.cause if found is not None else None


async def test_a_trouble_with_opening_files_stays_while_only_lists_work(failing: Failing) -> None:
    """It would come and go with every look of the index at the list of changes."""
    path = f"/api/drive/files/{failing.document}"
    failing.begin(Cause.NOT_AUTHORISED)
    assert (await failing.browser.get(path)).json()["error"]["cause"] == "not_authorised"
    drive = Drive(integrations.UserDrive(failing.actor))
    for drive_id in ("", (await drive.drives())[0]["id"]):
        assert (await drive.page(drive_id=drive_id)).files
    assert (await failing.card()).cause == "not_authorised"
    failing.mend(Cause.NOT_AUTHORISED)
    assert (await failing.browser.get(path)).status_code == 200
    assert (await failing.card()).reason is None


async def test_the_check_names_the_document_that_cannot_be_read(failing: Failing) -> None:
    """Also where Google refuses already to tell of it: the list before has its name."""
    kind = "mimeType = 'application/vnd.google-apps.document' and trashed = false"
    document, *_ = (await Drive(integrations.UserDrive(failing.actor)).find(kind, doctor.TRIALS)).files
    for cause in AT_PROBE["export"]:
        failing.begin(cause)
        last = await failing.check()
        assert last.found is not None
        for say in (texts.of("en"), texts.of("de")):
            assert say("drive.this") not in texts.translated(last.note, say), cause
            if "{what}" in str(texts.catalogue("en")[ROWS[cause].key]):
                assert f"“{document.name}”" in last.note, cause
                assert f"{doctor.TRIALS} documents and can read none of them, each for the same reason" in last.note, (
                    cause
                )
                assert last.outcome == "failed"
                assert "your question" not in last.note, cause
                bug = last.note.endswith("Send the operator of this Leaf the text to forward.")
                wanted = any(one in last.note for one in ("unless you need such documents", "only if you want answers"))
                assert wanted != bug, cause
                assert ("the text to forward" in last.note) == (last.forward is not None), cause
                if last.found.row.mender == "leaf":
                    met = f"“{document.name}” (kind: {document.mime_type}; address: https://drive.google.com/"
                    assert met in str(last.forward), cause
        failing.mend(cause)


async def test_several_documents_with_different_causes_are_said_to_have_different_ones(
    failing: Failing, monkeypatch: pytest.MonkeyPatch
) -> None:
    causes = iter([Cause.NO_DOWNLOAD, Cause.CLIENT_ENCRYPTED, Cause.NO_DOWNLOAD])

    async def refused(_drive: Drive, document: DriveFile) -> Diagnosis:
        return document.named.refused(Diagnosis(next(causes)))

    monkeypatch.setattr(doctor, "_refusal", refused)
    last = await failing.check()
    assert (last.outcome, last.found and last.found.cause) == ("failed", Cause.NO_DOWNLOAD)
    assert "3 documents and can read none of them, for different reasons." in last.note


async def test_a_cause_that_was_noted_is_explained_once(failing: Failing, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later probe that meets it again is skipped, and says so; a bug that no search survives is a failure."""
    again = errors.DriveRefused("again", cause=Diagnosis(Cause.PAGE_TOKEN))

    async def refused(_check: Any) -> str:
        raise again

    for name in ("drives", "changes"):
        monkeypatch.setitem(doctor.PROBES, name, (doctor.PROBES[name][0], refused))
    found = {one.probe: one async for one in doctor.check(failing.actor)}
    assert (found["drives"].outcome, found["changes"].outcome) == ("noted", "skipped")
    assert found["changes"].note == "For the same reason as above."
    failing.begin(Cause.BAD_QUERY)
    last = await failing.check()
    assert last.outcome == "failed"
    assert "Google's answer was: 400 (invalid, q, " in str(last.forward)


async def test_the_hour_at_which_googles_day_begins_is_named(failing: Failing) -> None:
    failing.begin(Cause.DAILY_QUOTA)
    last = await failing.check()
    reset = refusals.next_day()
    assert f"Nothing can be read before {reset.day} {reset:%B, %H:%M} UTC" in last.note
    assert f"{reset.day} {reset:%B, %H:%M} UTC" in str(last.forward)
    assert refusals.next_day().astimezone(ZoneInfo("America/Los_Angeles")).hour == 0
    # On a page it is the hour of the reader's own time zone, also once it is stored.
    reason = (await failing.card()).reason
    assert isinstance(reason, texts.Message)

    def on_a_page() -> str:
        texts.use("de", ZoneInfo("America/Los_Angeles"))
        return texts.stored(json.loads(json.dumps(reason.as_data())))

    assert re.search(
        r"Bis zum \d+\. \w+, 00:00 P[SD]T \(0[78]:00 UTC\), wenn es in Kalifornien Mitternacht ist",
        copy_context().run(on_a_page),
    )


async def test_one_document_that_cannot_be_read_is_no_failure_of_the_check(failing: Failing) -> None:
    """Another one is tried; where it is the only one, nothing has to be done about it."""
    for cause in (Cause.DOMAIN_POLICY, Cause.NO_DOWNLOAD):
        failing.world.http.post(f"/sandbox/failures/{cause}?file={failing.document}").raise_for_status()
        results = [one async for one in doctor.check(failing.actor)]
        assert {one.outcome for one in results} == {"passed"}, cause
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(doctor, "TRIALS", 1)
            only = [one async for one in doctor.check(failing.actor)][-1]
        assert (only.outcome, only.forward) == ("noted", None)
        assert only.note.startswith("Your connection works. Leaf cannot read “")
        assert only.note.endswith("so nothing has to be done.")
        failing.mend(cause)


async def test_whoever_owns_a_file_is_told_to_act_and_others_are_told_whom_to_ask(failing: Failing) -> None:
    drive = Drive(integrations.UserDrive(failing.actor))
    kind = "mimeType = 'application/vnd.google-apps.document' and trashed = false"
    files = (await drive.find(kind, 200)).files
    failing.begin(Cause.NO_DOWNLOAD)
    for file, said in (
        (next(one for one in files if one.is_own), "You own this file. In Drive, under Share"),
        (next(one for one in files if one.owner and not one.is_own), "Ask {owner} to switch on “Viewers"),
    ):
        with pytest.raises(errors.DriveRefused, match=re.escape(said.format(owner=file.owner))):
            await drive.export(file, "text/plain")


async def test_a_tool_names_the_file_that_an_earlier_one_has_shown(failing: Failing) -> None:
    access, library = integrations.UserDrive(failing.actor), MemberLibrary(failing.actor)
    deps = Deps(uuid4(), uuid4(), access, Kept(), ChatFiles(Actor.system(), uuid4()), library=library)
    context: RunContext[Deps] = RunContext(deps=deps, model=TestModel(), usage=RunUsage())
    file = next(one for one in (await list_drive_folder(context, "root"))["files"] if one["kind"] != "folder")
    failing.begin(Cause.NO_PERMISSION)
    skipped = (await read_drive_file(context, file["id"]))["skipped"]
    assert skipped["name"] == file["name"]
    assert skipped["reason"].startswith(f"Leaf cannot read “{file['name']}”")


async def test_a_search_says_that_google_has_not_searched_every_drive(failing: Failing) -> None:
    access, library = integrations.UserDrive(failing.actor), MemberLibrary(failing.actor)
    deps = Deps(uuid4(), uuid4(), access, Kept(), ChatFiles(Actor.system(), uuid4()), library=library)
    context: RunContext[Deps] = RunContext(deps=deps, model=TestModel(), usage=RunUsage())
    assert "drives_missed" not in await search_files(context, ["harvest"])
    failing.begin(Cause.INCOMPLETE_SEARCH)
    for output in (await search_files(context, ["harvest"]), await list_drive_folder(context, "root")):
        assert output["drives_missed"] is True
        assert "has not searched every drive" in output["note"]


async def test_a_search_in_another_accounts_empty_drive_says_whose_it_is(failing: Failing) -> None:
    failing.begin(Cause.OTHER_ACCOUNT)
    await prepare(failing, Cause.OTHER_ACCOUNT)
    access, library = integrations.UserDrive(failing.actor), MemberLibrary(failing.actor)
    deps = Deps(uuid4(), uuid4(), access, Kept(), ChatFiles(Actor.system(), uuid4()), library=library)
    context: RunContext[Deps] = RunContext(deps=deps, model=TestModel(), usage=RunUsage())
    with pytest.raises(ToolFailed, match=r"The connected Drive of ben@sandbox\.leaf\.example has no files") as failed:
        await search_files(context, ["harvest"])
    begun: parts.Part = {"type": "tool-search_files", "toolCallId": "a", "input": {"queries": ["harvest"]}}
    part = parts.failed(begun, failed.value.message)
    step = steps.step_of(part, {})
    assert (step.state, step.text, step.note) == ("done", "Searched Drive for “harvest”", "nothing found")
    receipt = coverage.coverage_of([part])
    assert receipt is not None
    assert ([one["files"] for one in receipt["searches"]], receipt["failed"]) == ([0], [])


async def test_a_revoked_grant_is_one_persons_and_several_are_everybodys(failing: Failing) -> None:
    """As the sandbox makes them by name."""
    async with failing.world.browser("ben") as browser:
        await browser.connect("ben")
        ben = await browser.actor()
        failing.begin(Cause.REVOKED)
        found = (await failing.check()).found
        assert found == Diagnosis(Cause.REVOKED, {"account": "ada@sandbox.leaf.example"})
        failing.world.sql("UPDATE integrations SET token_expires_at = now()")
        await integrations.UserDrive(ben).credentials()
        failing.mend(Cause.REVOKED)
        failing.as_new()
        failing.begin(Cause.REVOKED_FOR_MANY)
        await lose("cem")
        for actor in (ben, failing.actor):
            failing.world.sql("UPDATE integrations SET token_expires_at = now()")
            with pytest.raises(errors.DriveRevoked):
                await integrations.UserDrive(actor).credentials()
        assert (await failing.card()).cause == Cause.REVOKED_FOR_MANY


async def test_grants_that_are_refused_together_are_one_event_for_all(failing: Failing) -> None:
    """Also for the members who were the first, before anybody could know."""
    others = [await lose(name) for name in ("cem", "dora", "emil")]
    cards = [(await integrations.cards(other))[0] for other in others]
    assert {card.cause for card in cards} == {"revoked_for_many"}


async def test_administrators_read_how_many_members_have_a_failure_and_what_to_do(failing: Failing) -> None:
    failing.world.change(admins="ada@sandbox.leaf.example")
    who = await failing.browser.session()
    failing.begin(Cause.API_OFF)
    await failing.check()
    found = [one for one in await operation.alerts(who) if "row 18" in one]
    assert len(found) == 1
    assert "so far for 1 member (" in found[0]
    assert "ada@sandbox.leaf.example" in found[0]
    assert f"Open {PROJECT}, choose Enable" in found[0]
    failing.mend(Cause.API_OFF)
    failing.as_new()
    failing.begin(Cause.REVOKED)
    await failing.check()
    (found,) = (one for one in await operation.alerts(who) if "row 13" in one)
    assert found.startswith("Google Drive fails for 1 member (row 13 of docs/drive-doctor.md): ada@sandbox.leaf.ex")
    failing.mend(Cause.REVOKED)
    failing.as_new()
    for cause in (Cause.DRIVE_OFF, Cause.NETWORK_BLOCKED, Cause.SCOPE_MISSING):
        failing.begin(cause)
        seen = await failing.check()
        (found,) = (one for one in await operation.alerts(who) if f"row {ROWS[cause].number} " in one)
        assert str(seen.forward) in found
        failing.mend(cause)
        failing.as_new()
    document = await Drive(integrations.UserDrive(failing.actor)).get_file(DriveLink(failing.document))
    for cause in (cause for cause in PROBE_OF if ROWS[cause].mender == "leaf"):
        failing.begin(cause)
        await failing.check()
        failing.mend(cause)
        # No connection has it noted; it stays for a day.
        (found,) = (one for one in await operation.alerts(who) if f"row {ROWS[cause].number} " in one)
        assert f"docs/drive-doctor.md calls it {cause}" in found
        assert found.startswith("Within the last 24 hours, a bug in Leaf has shown in the Drive of 1 member (row")
        assert "ada@sandbox.leaf.example" in found
        assert document.name not in found
    # It goes with the connection.
    await failing.browser.delete("/api/integrations/google_drive")
    assert not [one for one in await operation.alerts(who) if "a bug in Leaf" in one]


async def test_a_failure_that_passes_is_shown_everywhere_unless_it_is_of_one_file(
    failing: Failing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport.Patience, "retrying", _once)
    failing.world.http.post(f"/sandbox/failures/{Cause.GOOGLE_FAILED}?file={failing.document}").raise_for_status()
    assert (await failing.browser.get(f"/api/drive/files/{failing.document}")).status_code == 503
    assert (await failing.card()).cause is None
    failing.begin(Cause.GOOGLE_FAILED)
    with pytest.raises(errors.DriveError):
        await Drive(integrations.UserDrive(failing.actor)).search("harvest")
    assert (await failing.card()).cause == Cause.GOOGLE_FAILED
    failing.mend(Cause.GOOGLE_FAILED)
    assert (await failing.browser.get("/api/drive/folders?url=root")).status_code == 200
    assert (await failing.card()).cause is None


async def test_while_the_app_is_in_testing_the_end_of_the_access_is_known(failing: Failing) -> None:
    assert (await failing.card()).expires_at is None
    failing.world.change(google_testing=True)
    expires = (await failing.card()).expires_at
    assert expires is not None
    assert timedelta(days=6.9) < expires - datetime.now(UTC) <= timedelta(days=7)


async def test_google_names_the_end_of_a_grant_while_the_app_is_in_testing(failing: Failing) -> None:
    """Whatever the settings say; a refusal after that time has its cause, however old the grant is."""
    failing.world.http.post("/sandbox/testing").raise_for_status()
    await failing.browser.connect("ada")
    failing.world.http.delete("/sandbox/testing").raise_for_status()
    expires = (await failing.card()).expires_at
    assert expires is not None
    assert timedelta(days=6.9) < expires - datetime.now(UTC) <= timedelta(days=7)
    failing.world.sql("UPDATE integrations SET grant_expires_at = now(), granted_at = now() - interval '9 days'")
    failing.begin(Cause.TESTING_EXPIRED)
    seen = (await failing.check()).found
    assert seen is not None
    assert seen.cause is Cause.TESTING_EXPIRED


async def test_a_forged_link_of_an_error_is_not_followed() -> None:
    for link in ("https://evil.example/x", "javascript:alert(1)", "http://console.cloud.google.com/", f"{PROJECT}\n"):
        info = {"reason": "SERVICE_DISABLED", "metadata": {"activationUrl": link}}
        body = {"error": {"errors": [{"reason": "x"}], "details": [info]}}
        assert diagnosis.Answer.of(403, json.dumps(body).encode()).link == ""


async def _counted(member_id: UUID) -> int:
    """The units of a member in the present minute, from the set that `pace.wait_seconds` reads."""
    key = f"leaf:drive:units:{int(pace._now() // 60)}"  # pyright: ignore[reportPrivateUsage]
    return int(await redis.client().zscore(key, str(member_id)) or 0)


async def test_the_index_waits_before_answers_are_slowed(failing: Failing, monkeypatch: pytest.MonkeyPatch) -> None:
    """From 80 percent of a member's units of a minute or of the project's of a day on, and after a refusal; a call of
    an answer goes on.
    """
    now = time.time()
    monkeypatch.setattr(pace, "_now", lambda: now + 3600)
    assert await pace.wait_seconds() == 0
    assert (await failing.browser.get("/api/drive/folders?url=root")).status_code == 200
    used = await _counted(failing.actor.member_id)
    assert used > 100
    failing.world.change(drive_units_per_minute=used)
    assert 0 < await pace.wait_seconds() <= 60
    assert (await failing.browser.get("/api/drive/folders?url=root")).status_code == 200
    failing.world.change(drive_units_per_minute=100 * used, drive_units_per_day=used)
    assert 0 < await pace.wait_seconds() <= 60
    failing.world.change(drive_units_per_day=400_000_000)
    assert await pace.wait_seconds() == 0
    failing.world.fault(path="^/drive/v3/", status=429, reason="rateLimitExceeded", headers={"retry-after": "0"})
    assert (await failing.browser.get("/api/drive/folders?url=root")).status_code == 200
    assert 0 < await pace.wait_seconds() <= pace.LIMITED_SECONDS


async def test_each_call_counts_as_many_units_as_it_costs_at_google(
    failing: Failing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that is tried again counts again; members are counted apart."""
    now = time.time()
    monkeypatch.setattr(pace, "_now", lambda: now + 3600)
    ada, google = failing.actor.member_id, Drive(integrations.UserDrive(failing.actor))

    async def cost(call: Awaitable[Any]) -> int:
        before = await _counted(ada)
        await call
        return await _counted(ada) - before

    assert [await cost(call) for call in (google.about(), google.start_token())] == [5, 5]
    assert [await cost(call) for call in (google.page(size=1), google.drives())] == [100, 100]
    (document,) = (await google.find("mimeType = 'application/vnd.google-apps.document'", 1)).files
    assert await cost(google.export(document, "text/plain")) == 200
    failing.world.fault(path="^/drive/v3/about", status=503, times=1)
    assert await cost(google.about()) == 10
    assert await _counted(uuid4()) == 0


async def test_a_token_that_another_request_renews_is_no_failure_of_the_network(failing: Failing) -> None:
    """The probe waits for less than its time, says so, and the others tell whether the access works."""
    name = f"leaf:refresh:{failing.actor.user_id}:google_drive"
    async with redis.client().lock(name, timeout=60):
        results = {one.probe: one async for one in doctor.check(failing.actor)}
    token = results["token"]
    assert (token.outcome, token.found) == ("skipped", None)
    assert token.note.startswith("Another request renews Leaf's access")
    assert token.seconds < doctor.PROBE_SECONDS
    assert [one.outcome for one in results.values()].count("failed") == 0
    assert results["export"].outcome == "passed"
    assert (await failing.card()).cause is None


async def test_a_google_that_hangs_is_named_in_time(failing: Failing) -> None:
    """Every probe has an end, and so has the check."""
    failing.world.fault(path="^/drive/v3/about", delay_seconds=6, times=9)
    begun = asyncio.get_running_loop().time()
    last = await failing.check()
    assert asyncio.get_running_loop().time() - begun < doctor.CHECK_SECONDS
    assert last.found is not None
    assert last.found.cause is Cause.NETWORK
    assert last.seconds < doctor.PROBE_SECONDS + 1
