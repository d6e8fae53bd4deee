"""Sites: who manages them, what can be set, what goes with them, and what their members see."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from leaf import errors
from leaf.db import Actor, models, session
from leaf.services import chats, sites
from leaf.services.sites import visitors
from tests.integration.people import person
from tests.integration.web_fixtures import World
from tests.integration.widget_pages import Site, answering, asked, begun

TABLES_OF_SITES = (
    "tenants", "tenant_members", "tenant_invitations", "agents", "agent_keys", "signing_secrets", "visitors",
    "widget_chats", "agent_files", "agent_folders",
)  # fmt: skip


async def test_members_come_by_an_invitation_that_holds_once(world: World) -> None:
    """# 003-44"""
    ada, ben, carol = [await person(name) for name in ("ada", "ben", "carol")]
    site = await Site.make(ada)
    token = await sites.invite(ada, site.site_id)
    assert token not in str(world.sql("SELECT token_hash FROM tenant_invitations"))
    assert await sites.join(ben, token) == site.site_id
    assert [one.email for one in await sites.members(ben, site.site_id)] == ["ada@example.org", "ben@example.org"]
    for used in (token, "leaf_tenant_none", ""):
        with pytest.raises(errors.NotFound):
            await sites.join(carol, used)
    late = await sites.invite(ben, site.site_id)
    world.sql("UPDATE tenant_invitations SET expires_at = now()")
    with pytest.raises(errors.NotFound):
        await sites.join(carol, late)
    assert (await sites.list_agents(carol, site.site_id)) == []


async def test_a_site_goes_with_its_last_member_and_takes_all_along(world: World) -> None:
    """Its visitors, their chats, its workspace; and nothing of anybody else's. # 003-44"""
    ada, ben = await person("ada"), await person("ben")
    site, other = await Site.make(ada), await Site.make(ben, "Bakery", "https://bakery.example")
    async with site.page() as page, other.page() as elsewhere, answering():
        for one in (page, elsewhere):
            await asked(one, await begun(one))
    counted = {table: world.count(table) for table in (*TABLES_OF_SITES, "users", "workspaces", "messages")}
    await sites.join(ben, await sites.invite(ada, site.site_id))
    assert ada.user_id is not None
    assert ben.user_id is not None
    await sites.remove(ben, site.site_id, ada.user_id)
    assert len(await sites.listed(ben)) == 2
    await sites.remove(ben, site.site_id, ben.user_id)
    assert [one.id for one in await sites.listed(ben)] == [other.site_id]
    for table in ("tenants", "agents", "agent_keys", "signing_secrets", "visitors", "widget_chats"):
        assert world.count(table) == counted[table] // 2, table
    assert world.count("users") == counted["users"] - 1
    assert world.count("workspaces") == counted["workspaces"] - 1
    assert world.count("messages") == 2


async def test_an_agent_that_is_deleted_takes_its_visitors_along(world: World) -> None:
    site = await Site.make(await person("ada"))
    async with site.page() as page, answering():
        await asked(page, await begun(page))
    await sites.delete_agent(site.member, site.agent_id)
    assert [world.count(table) for table in ("visitors", "widget_chats", "messages", "agent_keys")] == [0, 0, 0, 0]
    assert world.count("users") == 1
    assert world.sql("SELECT kind FROM security_events WHERE kind = 'account_deleted'") == []


DEEP_SCHEMA: dict[str, Any] = {"type": "object"}
for _ in range(300):
    DEEP_SCHEMA = {"type": "object", "not": DEEP_SCHEMA}


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""}, {"name": "\u3164"}, {"name": "x" * 81}, {"system_prompt": "x" * 20_001}, {"model": "openai:none"},
        {"temperature": 2.1}, {"temperature": True}, {"temperature": "1"}, {"tools": ["read_drive_file"]},
        {"tools": "search"}, {"output_schema": {"type": "array"}}, {"output_schema": {"type": "object", "required": 7}},
        {"output_schema": "x"}, {"output_schema": {"type": "object", "properties": {"a": {"$ref": "https://x"}}}},
        {"output_schema": {"type": "object", "properties": {"a": {"pattern": "(a+)+$"}}}},
        {"output_schema": DEEP_SCHEMA}, {"context_injection": {"cookies": True}},
        {"context_injection": {"template": "{{pageUrl}}"}},
        {"origins": ["*"]}, {"origins": ["https://*.example"]}, {"origins": ["shop.example"]},
        {"origins": ["https://shop.example/path"]}, {"origins": ["https://u@shop.example"]}, {"origins": ["null"]},
        {"identity": "none"}, {"suggestions": ["x" * 121]}, {"suggestions": ["x"] * 7}, {"look": {"accent": "red"}},
        {"look": {"logo": "https://x"}}, {"look": []}, {"visitor_daily": 0}, {"visitor_daily": None},
        {"retention_days": 0}, {"paused": "yes"}, {"welcome": "x" * 1001},
        {"tenant_id": "7d9b2a52-4c1f-4c58-9c0e-3f6a1b2c4d5e"},
    ],
    ids=lambda wrong: str(wrong)[:200],
)  # fmt: skip
async def test_what_cannot_be_set_is_refused(wrong: dict[str, Any]) -> None:
    """# 003-05"""
    site = await Site.make(await person("ada"))
    before = (await sites.read_agent(site.member, site.agent_id)).settings
    with pytest.raises((errors.Invalid, errors.NotFound)):
        await sites.change_agent(site.member, site.agent_id, wrong)
    assert (await sites.read_agent(site.member, site.agent_id)).settings == before


@pytest.mark.usefixtures("world")
async def test_what_is_set_is_what_the_agent_has() -> None:
    """# 003-05"""
    settings: dict[str, Any] = {
        "name": "Help", "system_prompt": "You sell apples.", "temperature": 0.5, "tools": ["fetch", "search"],
        "origins": ["HTTPS://Shop.Example:443/", "http://localhost:3000", "https://shop.example"],
        "look": {"accent": "#0B6E4F", "theme": "dark", "radius": 12, "launcher": ""},
        "context_injection": {"pageUrl": True, "template": "On {{pageUrl}}."}, "retention_days": 30,
        "output_schema": {"type": "object", "properties": {"answer": {"type": "string"}}},
    }  # fmt: skip
    site = await Site.make(await person("ada"))
    await sites.change_agent(site.member, site.agent_id, settings)
    agent = (await visitors.agent_of(site.key)).agent
    assert agent.origins == {"https://shop.example", "http://localhost:3000"}
    assert (agent.name, agent.temperature, agent.tools) == ("Help", 0.5, {"search", "fetch"})
    assert agent.look == {"accent": "#0b6e4f", "theme": "dark", "radius": 12}
    assert agent.output_schema == settings["output_schema"]


@pytest.mark.usefixtures("world")
async def test_members_see_their_visitors_conversations_and_no_others() -> None:
    """Paged, searched, filtered; with events, usage and feedback. # 003-25, 003-26, 003-27, 003-28, 003-44"""
    ada, ben = await person("ada"), await person("ben")
    site, other = await Site.make(ada), await Site.make(ben, "Bakery", "https://bakery.example")
    async with site.page(user="u-1") as page, answering("Apples are in aisle 7.", input_tokens=5, output_tokens=2):
        found = await begun(page)
        frames = await asked(page, found, "Where are apples?")
        thumb = {"messageId": frames[0]["messageId"], "sentiment": "down", "comment": "Wrong aisle"}
        await page.put(f"/api/chats/{found}/feedback", json=thumb)
    async with site.page() as page, answering("No idea.", status=models.MessageStatus.ERROR, error_code="model_failed"):
        failed = await begun(page)
        await asked(page, failed, "Where are pears?")
    listed = (await sites.conversations(ada, site.agent_id)).rows
    assert [str(row.id) for row in listed] == [failed, found]
    assert [(row.visitor_kind, row.visitor, row.failed, row.thumbs_down, row.messages) for row in listed] == [
        ("session", "", True, 0, 2),
        ("trusted", "u-1", False, 1, 2),
    ]
    assert listed[1].tokens == 7
    first = await sites.conversations(ada, site.agent_id, limit=1)
    rest = await sites.conversations(ada, site.agent_id, limit=1, after=first.cursor)
    assert [str(row.id) for row in (*first.rows, *rest.rows)] == [failed, found]
    assert rest.cursor == ""
    now = datetime.now(UTC)
    for filters, wanted in (
        (sites.Filters(phrase="AISLE 7"), [found]),
        (sites.Filters(phrase="pears"), [failed]),
        (sites.Filters(phrase="%"), []),
        (sites.Filters(wanted="failed"), [failed]),
        (sites.Filters(sentiment="down"), [found]),
        (sites.Filters(since=now + timedelta(days=1)), []),
        (sites.Filters(since=now - timedelta(days=1), until=now + timedelta(days=1)), [failed, found]),
    ):
        shown = (await sites.conversations(ada, site.agent_id, filters)).rows
        assert [str(row.id) for row in shown] == wanted, filters
    read = await sites.transcript(ada, listed[1].id)
    assert [event["content"] for event in read.events] == ["Where are apples?", "Apples are in aisle 7."]
    assert read.events[1]["metadata"] == {"feedback": "down", "comment": "Wrong aisle"}
    assert read.usage[0]["inputTokens"] == 5
    errors_of = (await sites.transcript(ada, listed[0].id)).events
    assert errors_of[-1]["errorType"] == "model_failed"
    (day,) = await sites.used(ada, site.agent_id, 1)
    assert (day.answers, day.failed, day.visitors, day.tokens) == (2, 1, 2, 7)
    # Ben is a member elsewhere, and the chats are nobody's own.
    assert (await sites.conversations(ben, site.agent_id)).rows == []
    assert await sites.used(ben, site.agent_id, 1) == [sites.DayOfUse(day.day)]
    for actor in (ben, Actor.site_visitor(uuid4(), uuid4())):
        with pytest.raises(errors.NotFound):
            await sites.transcript(actor, listed[0].id)
    with pytest.raises(errors.NotFound):
        await chats.open(ada, listed[0].id)
    assert (await sites.conversations(ben, other.agent_id)).rows == []


async def test_conversations_are_exported_as_they_are(world: World) -> None:
    """JSON holds everything, CSV a line for each event, and no cell that a spreadsheet works out. # 003-35"""
    site = await Site.make(await person("ada"))
    async with site.page() as page, answering('He said "apples",\nand pears.'):
        for question in ("\uff1dHYPERLINK(1)", "=HYPERLINK(1)", "Plain?"):
            await asked(page, await begun(page, context={"customMetadata": {"plan": "pro"}}), question)
    listed = (await sites.conversations(site.member, site.agent_id)).rows
    pieces = [piece async for piece in sites.exported(site.member, site.agent_id, "json")]
    told = json.loads(b"".join(pieces))["conversations"]
    assert [one["id"] for one in told] == [str(row.id) for row in listed]
    for one, row in zip(told, listed, strict=True):
        assert one["events"] == (await sites.transcript(site.member, row.id)).events
        assert one["context"] == row.context
    written = b"".join([piece async for piece in sites.exported(site.member, site.agent_id, "csv")])
    # Excel takes a file without the mark for one in Windows-1252.
    assert written.startswith(b"\xef\xbb\xbfchatId,")
    lines = list(csv.DictReader(io.StringIO(written.decode("utf-8-sig"))))
    assert lines[0]["chatId"] == told[0]["id"]
    assert [line["content"] for line in lines if line["role"] == "user"] == [
        "Plain?",
        "'=HYPERLINK(1)",
        "'\uff1dHYPERLINK(1)",
    ]
    assert [line["content"] for line in lines if line["role"] == "assistant"] == ['He said "apples",\nand pears.'] * 3
    async with world.browser("ada") as browser:
        assert (await browser.get(f"/api/agents/{site.agent_id}/conversations.json")).status_code == 404


async def test_chats_are_kept_as_long_as_the_agent_says(world: World) -> None:
    site = await Site.make(await person("ada"), retention_days=7)
    async with site.page() as page, answering():
        old, new = await begun(page), await begun(page)
        for chat in (old, new):
            await asked(page, chat)
    world.sql("UPDATE chat_sessions SET updated_at = now() - interval '8 days' WHERE id = %s::uuid", old)
    assert await visitors.expire() == 1
    assert [str(row.id) for row in (await sites.conversations(site.member, site.agent_id)).rows] == [new]
    assert await chats.purge(timedelta(0)) == 1
    assert world.sql("SELECT count(*) FROM messages WHERE chat_session_id = %s::uuid", old) == [(0,)]


async def test_a_visitor_can_make_nothing_but_chats(world: World) -> None:
    """Whatever a program let through would end at the database. # 003-04"""
    site = await Site.make(await person("ada"))
    keyed = await visitors.agent_of(site.key)
    who = await visitors.identify(keyed, visitors.Claims(session_id="s" * 22), begins=True)
    actor = who.required()
    with pytest.raises(errors.Unauthenticated):
        await sites.create(actor, "Mine")
    for row in (
        models.ApiKey(user_id=actor.user_id, name="x", hint="x", token_hash="x", scopes=["read"]),
        models.Session(user_id=actor.user_id, token_hash="x", expires_at=models.utc_now()),
        models.Agent(site_id=site.site_id, name="Mine"),
    ):
        with pytest.raises(Exception, match="row-level security"):
            async with session.transaction(actor) as tx:
                tx.session.add(row)
    assert world.count("api_keys") == 0
