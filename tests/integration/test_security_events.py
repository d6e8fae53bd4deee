"""The log of security events: what is noted, from where, for whom, and for how long."""

import json
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import exc, text

from leaf import callers, config, errors
from leaf.db import Actor, transaction
from leaf.google import oauth
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.services import (
    accounts,
    administration,
    api_keys,
    chats,
    conversations,
    integrations,
    participants,
    security,
    shares,
    sites,
)
from leaf.services.security import Kind
from tests.conftest import MakeUser
from tests.integration.people import end
from tests.integration.rls_world import furnish
from tests.integration.web_fixtures import Browser, World

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


async def kinds(actor: Actor) -> list[str]:
    """Security events of a member, oldest first."""
    return [event.kind for event in reversed(await security.mine(actor))]


async def test_what_somebody_does_to_their_account_is_noted_in_order(world: World) -> None:
    """Sign-in, Drive, a link, an export, sessions, sign-out: each once, with where it came from."""
    async with Browser(headers={"user-agent": FIREFOX}) as browser, world.browser("ada") as other:
        ada = await browser.sign_in("ada")
        await browser.connect("ada")
        chat_id = await chats.new(ada.actor)
        asked = await conversations.ask(ada.actor, chat_id, "Hello?")
        await end(asked.assistant.run_id, parts=[{"type": "text", "text": "Hello."}])
        link = await shares.share(ada.actor, chat_id)
        await shares.share(ada.actor, chat_id)
        await shares.revoke(ada.actor, link.id)
        await participants.invite(ada.actor, chat_id, "carol@example.org")
        assert (await browser.get("/api/account/export")).status_code == 200
        await integrations.UserDrive(ada.actor).report(Diagnosis(Cause.REVOKED))
        assert (await browser.delete("/api/integrations/google_drive")).status_code == 204
        await accounts.revoke_session(ada.actor, (await other.session()).id)
        await accounts.revoke_others(ada.actor, ada.id)
        await browser.post("/auth/sign-out")
    assert await kinds(ada.actor) == [
        Kind.SIGNED_IN, Kind.SIGNED_IN, Kind.DRIVE_CONNECTED, Kind.LINK_MADE, Kind.LINK_REVOKED, Kind.PERSON_INVITED,
        Kind.DATA_EXPORTED, Kind.DRIVE_LOST, Kind.DRIVE_DISCONNECTED, Kind.SESSION_REVOKED, Kind.SESSIONS_REVOKED,
        Kind.SIGNED_OUT,
    ]  # fmt: skip
    events = {event.kind: event for event in await security.mine(ada.actor)}
    signed_out = events[Kind.SIGNED_OUT]
    assert (signed_out.network, signed_out.user_agent) == ("127.0.0.0/24", FIREFOX)
    assert events[Kind.LINK_MADE].about == str(chat_id)
    assert events[Kind.SIGNED_IN].about == "google"
    stored = json.dumps(world.sql("SELECT to_jsonb(e) FROM security_events e"), default=str)
    assert "127.0.0.1" not in stored
    assert link.token not in stored
    assert "carol" not in stored


async def test_keys_secrets_and_members_are_noted_and_no_key_is_kept(world: World) -> None:
    """Every grant of access to programs or to other people is noted, no matter who makes it."""
    async with world.browser("ada") as browser, world.browser("ben") as other:
        ada, ben = await browser.actor(), await other.actor()
        row, key = await api_keys.create(ada, "Script", ["read"], lasts_days=30)
        await api_keys.revoke(ada, row.id)
        site = await sites.create(ada, "Shop")
        agent = await sites.create_agent(ada, site, "Help")
        public = await sites.create_key(ada, agent, "Pages")
        await sites.revoke_key(ada, public.id)
        held, secret = await sites.rotate_secret(ada, site, overlap_hours=0)
        await sites.revoke_secret(ada, held.id)
        invitation = await sites.invite(ada, site)
        await sites.join(ben, invitation)
        with pytest.raises(errors.NotFound):
            await sites.join(ben, invitation)
        for kind in ("json", "csv"):
            assert (await other.get(f"/api/agents/{agent}/conversations.{kind}")).status_code == 200
            assert (await other.get(f"/api/agents/{site}/conversations.{kind}")).status_code == 404
        assert ben.user_id is not None
        await sites.remove(ada, site, ben.user_id)
        with pytest.raises(errors.NotFound):
            await sites.delete(ben, site)
        await sites.delete(ada, site)
    assert await kinds(ada) == [
        Kind.SIGNED_IN, Kind.API_KEY_MADE, Kind.API_KEY_REVOKED, Kind.SITE_KEY_MADE, Kind.SITE_KEY_REVOKED,
        Kind.SIGNING_KEY_MADE, Kind.SIGNING_KEY_REVOKED, Kind.SITE_INVITED, Kind.SITE_MEMBER_REMOVED,
        Kind.SITE_DELETED,
    ]  # fmt: skip
    assert await kinds(ben) == [
        Kind.SIGNED_IN, Kind.SITE_JOINED, Kind.CONVERSATIONS_EXPORTED, Kind.CONVERSATIONS_EXPORTED,
    ]  # fmt: skip
    stored = json.dumps(world.sql("SELECT to_jsonb(e) FROM security_events e"), default=str)
    assert not any(one in stored for one in (key, public.key, secret, invitation))


async def test_a_refused_sign_in_is_nobodys_and_noted_so_often(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger cannot fill the table."""
    monkeypatch.setattr(security, "REFUSALS_AN_HOUR", 3)
    async with Browser() as stranger:
        for _ in range(5):
            answer = await stranger.get("/auth/callback?state=made-up&code=stolen")
            assert answer.status_code == 303
    rows = world.sql("SELECT user_id, kind, about, host(network) FROM security_events")
    assert rows == [(None, "sign_in_refused", "sign_in_failed", "127.0.0.0")] * 3
    assert "stolen" not in json.dumps(world.sql("SELECT to_jsonb(e) FROM security_events e"), default=str)


async def test_whoever_removes_somebody_and_whoever_leaves_has_it_noted(world: World) -> None:
    async with world.browser("ada") as browser:
        ada = await browser.session()
    async with world.browser("ben") as browser:
        ben = await browser.session()
    for leaves in (False, True):
        chat_id = await chats.new(ada.actor)
        asked = await conversations.ask(ada.actor, chat_id, "Hello?")
        await end(asked.assistant.run_id)
        await participants.invite(ada.actor, chat_id, ben.email)
        (invitation,) = await participants.invitations(ben.actor)
        await participants.accept(ben.actor, invitation.id)
        await participants.remove(ben.actor if leaves else ada.actor, chat_id, ben.user_id)
    assert (await kinds(ada.actor))[1:] == [Kind.PERSON_INVITED, Kind.PERSON_REMOVED, Kind.PERSON_INVITED]
    assert (await kinds(ben.actor))[1:] == [Kind.CHAT_LEFT]


async def test_what_did_not_happen_is_not_noted(world: World) -> None:
    """The note goes with the transaction that it is part of."""
    async with world.browser("ada") as browser:
        ada = await browser.session()
    with pytest.raises(errors.NotFound):
        await shares.revoke(ada.actor, ada.id)
    with pytest.raises(errors.SignInFailed):
        await integrations.complete_connect(
            ada.actor, oauth.Grant("a", None, None, frozenset({oauth.DRIVE_SCOPE})), email="x@example.org"
        )
    assert await kinds(ada.actor) == [Kind.SIGNED_IN]


async def test_limits_are_noted_once_an_hour_and_only_where_they_are_hit_again_and_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "LIMITS_AN_HOUR", 2)
    world.change(requests_per_minute=1)
    async with world.browser("ada") as browser:
        ada = await browser.session()
    asked = await conversations.ask(ada.actor, await chats.new(ada.actor), "One?")
    await end(asked.assistant.run_id)
    found: list[int] = []
    for _ in range(5):
        with pytest.raises(errors.LimitReached):
            await conversations.ask(ada.actor, await chats.new(ada.actor), "More?")
        found.append((await kinds(ada.actor)).count(Kind.LIMITS_REACHED))
    assert found == [0, 0, 1, 1, 1]


async def test_administrators_see_everybodys_and_others_their_own(world: World) -> None:
    world.change(admins="ada@sandbox.leaf.example")
    async with world.browser("ada") as browser:
        ada = await browser.session()
    async with world.browser("ben") as browser:
        ben = await browser.session()
    await administration.opened(ada)
    told = [(event.kind, event.email) for event in await administration.security_events(ada)]
    assert told == [
        (Kind.ADMINISTRATION_OPENED, ada.email), (Kind.SIGNED_IN, ben.email), (Kind.SIGNED_IN, ada.email)
    ]  # fmt: skip
    assert {event.email for event in await security.mine(ben.actor)} == {""}
    assert await kinds(ben.actor) == [Kind.SIGNED_IN]


async def test_who_leaves_takes_their_events_along_and_one_stays_that_says_nothing_of_them(world: World) -> None:
    """# 002-58"""
    async with world.browser("ada", headers={"user-agent": FIREFOX}) as browser:
        ada = await browser.session()
        left = await browser.post("/api/account/delete", data={"email": ada.email})
        assert left.headers["location"].startswith("/goodbye")
    ((row,),) = world.sql("SELECT to_jsonb(e) FROM security_events e")
    assert row["kind"] == Kind.ACCOUNT_DELETED
    assert {name for name, value in row.items() if value not in {None, ""}} == {"id", "kind", "created_at"}


async def test_events_are_removed_when_their_time_is_up(world: World) -> None:
    async with world.browser("ada") as browser:
        ada = await browser.session()
    for _ in range(2):
        await security.record(ada.actor, Kind.DATA_EXPORTED)
    days = config.current().audit_days
    world.sql(
        "UPDATE security_events SET created_at = now() - make_interval(days => %s, mins => 1) WHERE kind = 'signed_in'",
        days,
    )
    assert await security.purge() == 1
    assert await kinds(ada.actor) == [Kind.DATA_EXPORTED] * 2


async def _refused(actor: Actor, statement: str, **values: Any) -> None:
    with pytest.raises(exc.DBAPIError) as caught:
        async with transaction(actor) as tx:
            await tx.session.execute(text(statement), values)
    wrong = psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidParameterValue
    assert isinstance(caught.value.orig, wrong)


async def test_nobody_changes_what_has_happened(make_user: MakeUser) -> None:
    """Not one's own, not in another's name, not at another time, and not by having it forgotten. # 000-40"""
    ada, ben = await furnish(await make_user("Ada")), await furnish(await make_user("Ben"))
    insert = "INSERT INTO security_events (user_id, kind) VALUES (:person, 'signed_in')"
    for actor, person in ((ada.actor, ben.user_id), (ada.actor, None), (Actor.system(), ada.user_id)):
        await _refused(actor, insert, person=person)
    for statement in (
        "UPDATE security_events SET kind = 'signed_out'",
        "DELETE FROM security_events",
        "TRUNCATE security_events",
        "INSERT INTO security_events (user_id, kind, created_at) VALUES (leaf_user_id(), 'signed_in', '2001-01-01')",
        "SELECT leaf_purge_security_events(6)",
        "SELECT leaf_purge_security_events(-1)",
        "SELECT leaf_purge_security_events(NULL)",
    ):
        await _refused(ada.actor, statement)
    assert await kinds(ada.actor) == await kinds(ben.actor) == [Kind.SIGNED_IN]


async def test_an_address_that_is_too_exact_does_not_get_in(make_user: MakeUser) -> None:
    """The database holds to it as well."""
    ada = await make_user("Ada")
    values = "VALUES (leaf_user_id(), 'signed_in', CAST(:network AS cidr))"
    for network in ("192.0.2.7/32", "2001:db8::/96"):
        with pytest.raises(exc.IntegrityError):
            async with transaction(ada) as tx:
                await tx.session.execute(
                    text(f"INSERT INTO security_events (user_id, kind, network) {values}"),
                    {"network": network},
                )
    with callers.calling(callers.Caller("2001:db8:1:2:3::4", "x" * 999 + "\0")):
        await security.record(ada, Kind.DATA_EXPORTED, "a" * 999)
    (event,) = await security.mine(ada)
    assert (event.network, event.user_agent, event.about) == ("2001:db8:1:2::/64", "x" * 120, "a" * 100)
    assert isinstance(event.id, UUID)
