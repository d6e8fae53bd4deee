"""Logs of requests to models, which a site's members may keep: their readers and their lifetime. # 003-38"""

from dataclasses import dataclass
from uuid import UUID, uuid4

import pytest

from jobs import retention
from jobs.run.store import site_records
from leaf import audiences, errors
from leaf.db import Actor
from leaf.services import chats, conversations, sites
from leaf.services.sites import visitors
from leaf.sites import SiteAgent
from tests.integration.people import end, person
from tests.integration.test_sites_dashboard import Asked, ask
from tests.integration.web_fixtures import World
from tests.integration.widget_pages import Site


@dataclass(frozen=True)
class Exchange:
    """A request and its response, as the worker logs them."""

    address: str = "POST https://api.example/v1/chat"
    status: int | None = 200
    latency_ms: int = 1200
    request: str = '{"content": "Where are apples?"}'
    request_bytes: int = 31
    response: str = "In aisle 7.\0"
    response_bytes: int = 12


async def _keep(site: Site, asked: Asked, *exchanges: Exchange, actor: Actor | None = None) -> None:
    row = await sites.read_agent(site.member, site.agent_id)
    agent = SiteAgent.of({"id": str(row.id), "tenant_id": str(row.site_id), **row.settings})
    message = await conversations.result(asked.visitor, asked.run_id)
    await sites.keep_logs(actor or asked.visitor, agent, asked.chat_id, message.id, asked.run_id, exchanges)


async def test_nothing_is_kept_unless_it_is_switched_on(world: World) -> None:
    site = await Site.make(await person("ada"))
    asked = await ask(site)
    with pytest.raises(errors.NotFound):
        await _keep(site, asked, Exchange())
    task = await conversations.assignment(asked.run_id)
    assert task is not None
    assert task.actor.audience is audiences.SITE_VISITOR
    assert not task.site.agent.provider_logs
    async with site_records(task):
        await end(asked.run_id)
    assert world.count("provider_logs") == 0


async def test_members_see_what_is_kept_and_nobody_else(world: World) -> None:
    """The visitor, members of other sites and former members see none; the logs of a deleted chat are gone."""
    ada, ben = await person("ada"), await person("ben")
    site = await Site.make(ada, provider_logs=True)
    elsewhere = await Site.make(ben, "Bakery", "https://bakery.example", provider_logs=True)
    asked, other = await ask(site), await ask(elsewhere)
    await _keep(site, asked, Exchange(), Exchange(status=None, response=""))
    await _keep(elsewhere, other, Exchange())
    rows = await sites.list_logs(ada, asked.chat_id)
    assert [(row.number, row.status, row.latency_ms, row.request_bytes) for row in rows] == [
        (1, 200, 1200, 31), (2, None, 1200, 31)
    ]  # fmt: skip
    assert await sites.read_log(ada, rows[0].id) == sites.Logged(
        '{"content": "Where are apples?"}', "In aisle 7.\ufffd"
    )
    for actor in (ben, asked.visitor, other.visitor, await person("carol"), Actor.user(uuid4()), Actor.system()):
        assert await sites.list_logs(actor, asked.chat_id) == []
        for log in (rows[0].id, uuid4()):
            with pytest.raises(errors.NotFound):
                await sites.read_log(actor, log)
    keyed = await visitors.agent_of(site.key)
    who = await visitors.identify(keyed, visitors.Claims(session_id="s" * 22))
    await chats.delete(who.required(), asked.chat_id)
    assert await sites.list_logs(ada, asked.chat_id) == []
    with pytest.raises(errors.NotFound):
        await sites.read_log(ada, rows[0].id)
    await sites.delete_agent(ada, site.agent_id)
    assert world.sql("SELECT count(*) FROM provider_logs") == [(1,)]


@pytest.mark.usefixtures("world")
async def test_a_worker_keeps_only_what_its_own_visitor_has_asked() -> None:
    ada, ben = await person("ada"), await person("ben")
    site = await Site.make(ada, provider_logs=True)
    elsewhere = await Site.make(ben, "Bakery", "https://bakery.example", provider_logs=True)
    asked, other = await ask(site), await ask(elsewhere)
    for actor in (other.visitor, ada, ben, Actor.system()):
        with pytest.raises(errors.NotFound):
            await _keep(site, asked, Exchange(), actor=actor)
    # A visitor's own chat, named as one of another agent.
    with pytest.raises(errors.NotFound):
        await _keep(site, other, Exchange(), actor=other.visitor)
    for chat in (asked.chat_id, other.chat_id):
        assert await _count(ada, chat) == await _count(ben, chat) == 0


async def _count(actor: Actor, chat_id: UUID) -> int:
    return len(await sites.list_logs(actor, chat_id))


async def test_what_has_expired_is_nobodys_and_is_deleted(world: World) -> None:
    world.change(provider_log_days=2)
    site = await Site.make(await person("ada"), provider_logs=True)
    asked = await ask(site)
    await _keep(site, asked, Exchange(), Exchange())
    assert world.sql("SELECT round(extract(epoch FROM max(expires_at) - now()) / 3600) FROM provider_logs") == [(48,)]
    first, _ = await sites.list_logs(site.member, asked.chat_id)
    world.sql("UPDATE provider_logs SET expires_at = now() - interval '1 second' WHERE number = 1")
    with pytest.raises(errors.NotFound):
        await sites.read_log(site.member, first.id)
    assert [row.number for row in await sites.list_logs(site.member, asked.chat_id)] == [2]
    await retention.expire_site_requests({})
    assert world.sql("SELECT number FROM provider_logs") == [(2,)]
