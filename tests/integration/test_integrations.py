"""The Drive connection over HTTP and in the database: consent, storage, refresh, revocation, disconnection."""

import asyncio
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import httpx
import pytest
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage
from redis.asyncio import Redis

from jobs.stores import MemberLibrary
from leaf import config, errors
from leaf.agent.deps import Deps
from leaf.agent.tools.drive import list_drive_folder, read_drive_file, search_files
from leaf.callers import tokens
from leaf.db import Actor
from leaf.google import oauth
from leaf.google.access import DriveCredentials
from leaf.redis import events
from leaf.services import chats, conversations, flows, integrations
from leaf.services.files import ChatFiles
from tests.integration.drive_google import Kept
from tests.integration.people import end
from tests.integration.redis_fixtures import until
from tests.integration.web_fixtures import LEAF, Browser, World

CONNECTED = "/settings/integrations?connected=google_drive"
EXPIRED = "UPDATE integrations SET token_expires_at = now() + interval '30 seconds'"


async def card(actor: Actor) -> integrations.Card:
    (only,) = await integrations.cards(actor)
    return only


def stored(world: World) -> dict[str, str]:
    ((row,),) = world.sql("SELECT to_jsonb(i) FROM integrations i")
    return row


def refreshes(world: World) -> int:
    """Requests to the token endpoint since the sandbox's log was emptied."""
    return len(world.asked("/token"))


async def works(world: World, credentials: DriveCredentials) -> bool:
    headers = {"authorization": f"Bearer {credentials.access_token}"}
    async with httpx.AsyncClient(trust_env=False) as http:
        answer = await http.get(f"{world.sandbox.url}/drive/v3/about?fields=user", headers=headers)
    return answer.status_code == 200


async def test_connecting_asks_for_reading_alone_and_for_good(world: World) -> None:
    """# 000-07, 000-08, 000-09"""
    async with world.browser("ada") as browser:
        begun = await browser.get("/auth/integrations/google-drive")
    query = parse_qs(urlsplit(begun.headers["location"]).query)
    assert query["scope"] == ["https://www.googleapis.com/auth/drive.readonly"]
    assert (query["access_type"], query["prompt"]) == (["offline"], ["select_account consent"])
    assert (query["code_challenge_method"], len(query["state"][0])) == (["S256"], 43)
    assert query["redirect_uri"] == [f"{LEAF}/auth/integrations/google-drive/callback"]


async def _asked(actor: Actor, *parts: dict[str, Any]) -> tuple[UUID, conversations.Turn]:
    """A chat with a question and its answer."""
    chat_id = await chats.new(actor)
    turn = await conversations.ask(actor, chat_id, "How many days of vacation?")
    await end(turn.assistant.run_id, parts=[*parts, {"type": "text", "text": "30.", "state": "done"}])
    return chat_id, turn


async def _last(actor: Actor, chat_id: UUID) -> chats.Message:
    return (await chats.open(actor, chat_id)).messages[-1]


async def test_connecting_leads_back_to_the_chat_whose_question_is_answered_again(world: World) -> None:
    """As another version; an answer that has used Drive stays, and so does anything of somebody else's. # 000-47"""
    read = {"type": "tool-search_drive", "toolCallId": "s", "state": "output-available", "input": {}, "output": {}}
    async with world.browser("ada") as browser, world.browser("ben") as other:
        ada, ben = await browser.actor(), await other.actor()
        chat_id, turn = await _asked(ada)
        using, _ = await _asked(ada, read)
        foreign, _ = await _asked(ben)
        for path in (f"/chat/{chat_id}", f"/chat/{using}", f"/chat/{foreign}", "/dashboard"):
            back = await browser.consent(await browser.get(f"/auth/integrations/google-drive?next={path}"), "ada")
            assert (await browser.get(back)).headers["location"] == f"{path}?connected=google_drive"
        last = await _last(ada, chat_id)
        assert (last.unfinished, last.id == turn.assistant.id) == (True, False)
        assert [(await _last(actor, one)).status for actor, one in ((ada, using), (ben, foreign))] == ["completed"] * 2
        begun = await browser.get("/auth/integrations/google-drive?next=//elsewhere.example/")
        assert (await browser.get(await browser.consent(begun, "ada"))).headers["location"] == CONNECTED


async def test_a_card_tells_what_connecting_enables(world: World) -> None:
    """# 000-12"""
    async with world.browser("ada") as browser:
        shown = await card(await browser.actor())
    assert (shown.provider, shown.label, shown.state) == ("google_drive", "Google Drive", "none")
    assert (shown.email, shown.reason) == (None, None)
    assert "read the files" in shown.enables


async def test_a_connected_card_shows_the_account_of_the_drive(world: World) -> None:
    """Which Drive itself says, and may be another than the one that signs in. # 000-08, 000-11, 000-13"""
    async with world.browser("ada") as browser:
        assert await browser.connect("ben") == CONNECTED
        who = await browser.session()
        shown = await card(who.actor)
        assert who.email == "ada@sandbox.leaf.example"
        assert (shown.state, shown.email) == ("connected", "ben@sandbox.leaf.example")
        assert await works(world, await integrations.UserDrive(who.actor).credentials())
        assert integrations.state_of(await integrations.cards(who.actor)) == "connected"
    assert stored(world)["scopes"] == [oauth.DRIVE_SCOPE]


async def test_an_unticked_scope_connects_nothing(world: World) -> None:
    """# 000-08"""
    async with world.browser("ada") as browser:
        assert await browser.connect("ada", granted=[]) == "/settings/integrations?problem=denied"
        less = oauth.Grant("a", "r", datetime.now(UTC), frozenset({"https://www.googleapis.com/auth/drive.metadata"}))
        with pytest.raises(errors.SignInFailed, match="did not tick") as refused:
            await integrations.connect(await browser.actor(), less)
        assert refused.value.code == "scope_missing"
        assert (await card(await browser.actor())).state == "none"
    assert world.count("integrations") == 0


async def test_nothing_is_connected_while_drive_does_not_say_whose_it_is(world: World) -> None:
    """# 000-08"""
    async with world.browser("ada") as browser:
        back = await browser.consent(await browser.get("/auth/integrations/google-drive"), "ada")
        world.fault(path="/drive/v3/about", status=401, times=9)
        assert "problem=" in (await browser.get(back)).headers["location"]
        assert (await card(await browser.actor())).state == "none"


async def test_a_failed_reconnection_leaves_what_was_connected(world: World) -> None:
    """# 000-08"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        before = stored(world)
        assert await browser.connect("ada", granted=[]) == "/settings/integrations?problem=denied"
        assert await browser.connect("ada", decision="deny") == "/settings/integrations?problem=denied"
    assert stored(world) == before


async def test_a_flow_is_finished_by_whoever_began_it(world: World) -> None:
    """Somebody else who signs in meanwhile in the same browser gets nobody's Drive. # 000-61"""
    async with world.browser("ada") as browser:
        back = await browser.consent(await browser.get("/auth/integrations/google-drive"), "ada")
        await browser.sign_in("ben")
        assert (await browser.get(back)).headers["location"] == "/settings/integrations?problem=state"
    async with world.browser("ada") as browser, world.browser("ben") as other:
        back = await browser.consent(await browser.get("/auth/integrations/google-drive"), "ada")
        assert (await other.get(back)).headers["location"] == "/settings/integrations?problem=state"
    assert world.count("integrations") == 0


async def test_nobody_connects_without_being_signed_in(world: World) -> None:
    """Both halves lead to the landing page, and back to Settings afterwards. # 000-07"""
    landing = "/?next=%2Fsettings%2Fintegrations"
    async with world.browser() as browser:
        assert (await browser.get("/auth/integrations/google-drive")).headers["location"] == landing
        finished = await browser.get("/auth/integrations/google-drive/callback?state=x&code=y")
        assert (finished.status_code, finished.headers["location"]) == (303, landing)


async def test_a_flow_connects_once(world: World) -> None:
    async with world.browser("ada") as browser:
        begun = await browser.get("/auth/integrations/google-drive")
        back = await browser.consent(begun, "ada")
        state = parse_qs(urlsplit(back).query)["state"][0]
        assert (await browser.get(back)).headers["location"] == CONNECTED
        assert flows.cookie_name(state) not in browser.cookies
        assert (await browser.get(back)).headers["location"] == "/settings/integrations?problem=state"


async def test_without_lasting_access_nothing_is_connected(world: World) -> None:
    """# 000-09"""
    async with world.browser("ada") as browser:
        grant = oauth.Grant("a", None, datetime.now(UTC), frozenset({oauth.DRIVE_SCOPE}))
        with pytest.raises(errors.SignInFailed):
            await integrations.complete_connect(await browser.actor(), grant, email="x@example.org")
    assert world.count("integrations") == 0


async def test_stored_tokens_are_sealed(world: World) -> None:
    """Decision 6: nobody who reads the database can use them."""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        credentials = await integrations.UserDrive(await browser.actor()).credentials()
    row = stored(world)
    assert row["access_token"].startswith("test:gAAAA")
    assert row["refresh_token"].startswith("test:gAAAA")
    dump = str(row)
    assert credentials.access_token not in dump
    assert "ya29." not in dump
    assert "1//0" not in dump


async def test_keys_can_be_rotated(world: World) -> None:
    """A value that an older key sealed still opens, and new values are sealed with the newest."""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        drive = integrations.UserDrive(await browser.actor())
    world.change(seal_keys=f"new:{tokens.new_seal_key()},{world.settings.seal_keys}")
    assert await works(world, await drive.credentials())
    world.sql(EXPIRED)
    assert await works(world, await drive.credentials())
    assert stored(world)["access_token"].startswith("new:")
    assert stored(world)["refresh_token"].startswith("new:")


async def test_a_token_whose_key_is_gone_asks_for_a_new_connection(world: World) -> None:
    """And does not show what the operator's settings are called. # 000-14"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        actor = await browser.actor()
        world.change(seal_keys=f"other:{tokens.new_seal_key()}")
        with pytest.raises(errors.DriveRevoked):
            await integrations.UserDrive(actor).credentials()
        shown = await card(actor)
        assert shown.state == "error"
        assert "Press Reconnect" in str(shown.reason)
        assert "LEAF_" not in str(shown.reason)
        assert await browser.connect("ada") == CONNECTED
        assert (await card(actor)).state == "connected"


async def test_a_token_about_to_end_is_refreshed_and_written_back(world: World) -> None:
    """# 000-09, 000-10"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        drive = integrations.UserDrive(await browser.actor())
    first = await drive.credentials()
    world.forget_requests()
    world.sql(EXPIRED)
    before = stored(world)
    second = await drive.credentials()
    after = stored(world)
    assert second.access_token != first.access_token
    assert await works(world, second)
    assert (await drive.credentials()).access_token == second.access_token
    assert refreshes(world) == 1
    assert after["access_token"] != before["access_token"]
    assert config.current().sealer.open(after["access_token"]) == second.access_token
    assert config.current().sealer.open(after["refresh_token"]) == config.current().sealer.open(before["refresh_token"])
    assert after["token_expires_at"] > before["token_expires_at"]


async def test_refreshing_at_once_asks_google_once(world: World) -> None:
    """# 000-10"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        drive = integrations.UserDrive(await browser.actor())
    world.forget_requests()
    world.sql(EXPIRED)
    world.fault(path="^/token", delay_seconds=0.3)
    given = await asyncio.gather(*(drive.credentials() for _ in range(6)))
    assert len({credentials.access_token for credentials in given}) == 1
    assert refreshes(world) == 1


async def test_a_rejected_token_is_replaced_once_whoever_reports_it(world: World) -> None:
    """# 000-10"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        drive = integrations.UserDrive(await browser.actor())
    first = await drive.credentials()
    world.forget_requests()
    given = await asyncio.gather(*(drive.report_rejected(first.access_token) for _ in range(4)))
    assert {credentials.access_token for credentials in given}.isdisjoint({first.access_token})
    assert len({credentials.access_token for credentials in given}) == 1
    assert refreshes(world) == 1


async def test_whoever_waits_too_long_for_a_refresh_is_told(world: World) -> None:
    """The lock of a process that hangs does not become an error without words."""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        actor = await browser.actor()
    world.sql(EXPIRED)
    async with Redis.from_url(str(config.current().redis_url)) as redis:
        await redis.set(f"leaf:refresh:{actor.user_id}:google_drive", "somebody else")
        with pytest.raises(errors.DriveError, match="Another request renews Leaf's access"):
            await integrations.UserDrive(actor, wait_seconds=0.1).credentials()
        await redis.delete(f"leaf:refresh:{actor.user_id}:google_drive")
    assert await works(world, await integrations.UserDrive(actor).credentials())


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 500, "times": 9},
        {"status": 200, "body": "<html>"},
        {"status": 200, "body": "[]"},
        {"status": 200, "body": '{"access_token": 5}'},
        {"status": 200, "body": '{"access_token": 5, "expires_in": 3600}'},
        {"status": 200, "body": '{"access_token": "ya29.x", "expires_in": 1e400}'},
        {"status": 200, "body": '{"access_token": "ya29.x", "expires_in": 1e300}'},
        {"status": 200, "body": '{"access_token": "ya29.x", "expires_in": "soon"}'},
    ],
)
async def test_a_refresh_that_google_fails_at_is_no_revocation(world: World, fault: dict[str, object]) -> None:
    """The connection stays, and the next try works. # 000-10"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        actor = await browser.actor()
    world.sql(EXPIRED)
    world.fault(path="^/token", **fault)
    with pytest.raises(errors.DriveError, match=r"Google Drive does not answer|requests through") as failed:
        await integrations.UserDrive(actor).credentials()
    assert (failed.value.status, failed.value.code) == (503, "drive_unavailable")
    assert "sign-in" not in failed.value.message
    assert (await card(actor)).state in {"connected", "trouble"}
    world.forget_faults()
    assert await works(world, await integrations.UserDrive(actor).credentials())


@pytest.mark.parametrize("call", [search_files, list_drive_folder, read_drive_file])
async def test_a_refresh_that_fails_in_the_middle_of_a_run_is_a_failure_of_the_tool(world: World, call: Any) -> None:
    """The model tells it by the name of what failed, and the run goes on. # 000-10, 000-51"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        actor = await browser.actor()
    world.sql(EXPIRED)
    world.fault(path="^/token", status=500, times=9)
    access = integrations.UserDrive(actor)
    deps = Deps(uuid4(), uuid4(), access, Kept(), ChatFiles(Actor.system(), uuid4()), library=MemberLibrary(actor))
    given = ["lease"] if call is search_files else "1AbCdEfGhIjKlMnOpQrStUvWx"
    with pytest.raises(ToolFailed, match="Google Drive does not answer"):
        await call(RunContext(deps=deps, model=TestModel(), usage=RunUsage()), given)


async def test_access_removed_at_google_turns_the_card_to_error(world: World) -> None:
    """At the next action, and open pages are told; reconnecting mends it. # 000-14"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        who = await browser.session()
        drive = integrations.UserDrive(who.actor)
        first = await drive.credentials()
        world.remove_access("ada")
        async with events.subscribe([events.user(who.user_id)]) as told:
            with pytest.raises(errors.DriveRevoked):
                await drive.report_rejected(first.access_token)
            assert await told.changed(within_seconds=10)
        shown = await card(who.actor)
        assert shown.state == "error"
        assert "removed in the Google account" in str(shown.reason)
        world.forget_requests()
        with pytest.raises(errors.DriveRevoked, match="/settings/integrations"):
            await drive.credentials()
        assert refreshes(world) == 0, "a dead grant is not asked for again and again"
        answer = await browser.get("/api/drive/folders?url=root")
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "drive_revoked")
        assert world.sql("SELECT status::text FROM integrations") == [("revoked",)]  # 000-70
        assert await browser.connect("ada") == CONNECTED
        again = await card(who.actor)
        assert (again.state, again.reason) == ("connected", None)
        assert await works(world, await drive.credentials())
    assert world.count("integrations") == 1


async def test_a_drive_call_finds_out_about_a_removal_by_itself(world: World) -> None:
    """One action: the listing fails, and the card says why. # 000-14"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        assert (await browser.get("/api/drive/folders?url=root")).status_code == 200
        world.remove_access("ada")
        answer = await browser.get("/api/drive/folders?url=root")
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "drive_revoked")
        assert (await card(await browser.actor())).state == "error"


async def test_disconnecting_revokes_and_deletes(world: World) -> None:
    """# 000-15, 000-50"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        actor = await browser.actor()
        credentials = await integrations.UserDrive(actor).credentials()
        gone = await browser.delete("/api/integrations/google_drive")
        assert (gone.status_code, gone.content) == (204, b"")
        assert not await works(world, credentials)
        assert (await card(actor)).state == "none"
        with pytest.raises(errors.DriveNotConnected, match="/settings/integrations"):
            await integrations.UserDrive(actor).credentials()
        assert (await browser.delete("/api/integrations/google_drive")).status_code == 404
    assert world.count("integrations") == 0


@pytest.mark.parametrize("fault", [{"status": 500}, {"status": 503, "body": ""}, {"status": 400}, {"delay_seconds": 3}])
async def test_disconnecting_deletes_even_where_google_does_not_revoke(
    world: World, monkeypatch: pytest.MonkeyPatch, fault: dict[str, object]
) -> None:
    """Whether it fails, knows the token no more, or hangs. # 000-15"""
    monkeypatch.setattr(oauth, "REVOKE_SECONDS", 0.3)
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        world.fault(path="^/revoke", **fault)
        async with asyncio.timeout(10):
            assert (await browser.delete("/api/integrations/google_drive")).status_code == 204
    assert world.count("integrations") == 0


async def test_disconnecting_is_told_to_open_pages(world: World) -> None:
    """The banner of a chat that used Drive appears without a reload. # 000-11, 000-16"""
    async with world.browser("ada") as browser:
        who = await browser.session()
        async with events.subscribe([events.user(who.user_id)]) as told:
            await browser.connect("ada")
            assert await told.changed(within_seconds=10)
            await browser.delete("/api/integrations/google_drive")
            assert await told.changed(within_seconds=10)


@pytest.mark.parametrize("provider", ["dropbox", "google-drive", "GOOGLE_DRIVE", "x" * 5000])
async def test_an_unknown_provider_is_not_found(world: World, provider: str) -> None:
    """# 000-50"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        refused = await browser.delete(f"/api/integrations/{provider}")
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "not_found")
        for unstorable in ("google_drive%00", "%F0%9F"):
            assert (await browser.delete(f"/api/integrations/{unstorable}")).status_code == 400
    assert world.count("integrations") == 1


async def test_nobody_disconnects_anybody_else(world: World) -> None:
    """# 000-40, 000-61"""
    async with world.browser("ada") as ada, world.browser("ben") as ben, Browser() as nobody:
        await ada.connect("ada")
        assert (await ben.delete("/api/integrations/google_drive")).status_code == 404
        assert (await nobody.delete("/api/integrations/google_drive")).status_code == 401
        assert (await card(await ada.actor())).state == "connected"
        assert (await card(await ben.actor())).state == "none"
        await ben.connect("ben")
        assert (await ben.delete("/api/integrations/google_drive")).status_code == 204
        assert await works(world, await integrations.UserDrive(await ada.actor()).credentials())


async def test_a_refresh_does_not_bring_back_what_was_disconnected_meanwhile(world: World) -> None:
    """# 000-15"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        actor = await browser.actor()
        world.sql(EXPIRED)
        world.forget_requests()
        world.fault(path="^/token", delay_seconds=1)
        refreshing = asyncio.create_task(integrations.UserDrive(actor).credentials())
        await until(lambda: refreshes(world) > 0)
        await integrations.disconnect(actor, "google_drive")
        await asyncio.gather(refreshing, return_exceptions=True)
        assert world.count("integrations") == 0


async def test_a_late_revocation_does_not_mark_a_new_connection(world: World) -> None:
    """# 000-14"""
    async with world.browser("ada") as browser:
        await browser.connect("ada")
        actor = await browser.actor()
        world.sql(EXPIRED)
        world.forget_requests()
        world.fault(path="^/token", delay_seconds=1, status=400, reason="invalid_grant")
        refreshing = asyncio.create_task(integrations.UserDrive(actor).credentials())
        await until(lambda: refreshes(world) > 0)
        assert await browser.connect("ada") == CONNECTED
        with pytest.raises(errors.DriveRevoked):
            await refreshing
        assert (await card(actor)).state == "connected"
