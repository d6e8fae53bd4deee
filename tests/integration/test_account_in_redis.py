"""Deleting an account: what Redis holds, by name and by value, of somebody who has used everything that there is."""

from uuid import UUID

from leaf import redis as leaf_redis
from leaf import streams
from leaf.db import Actor
from leaf.db.actor import Guest
from leaf.google.diagnosis import Cause, Diagnosis
from leaf.services import account_deletion, api_keys, chats, conversations, guests, integrations, participants, shares
from leaf.services.sites import visitors
from tests.integration.people import end
from tests.integration.rls_world import furnish, rows_of
from tests.integration.web_fixtures import Browser, World
from tests.integration.widget_pages import Site

READ = {
    "string": "GET", "hash": "HGETALL", "list": "LRANGE 0 -1", "set": "SMEMBERS",
    "zset": "ZRANGE 0 -1", "stream": "XRANGE - +",
}  # fmt: skip


async def held() -> dict[str, str]:
    """Everything that Redis holds, by the name of its key, as one text each.

    Jobs are left out: they name runs alone, and the worker that takes one finds nothing.
    """
    client = leaf_redis.client()
    found: dict[str, str] = {}
    async for key in client.scan_iter("leaf:*"):
        command, *more = READ[(await client.type(key)).decode()].split()
        found[key.decode()] = repr(await client.execute_command(command, key, *more))
    return found


async def _visited(member: Actor) -> tuple[UUID, UUID]:
    """A site with a visitor's chat, in which an answer is being written: the chat and the run."""
    site = await Site.make(member, "Shop", system_prompt="Help.", welcome="Hello.")
    keyed = await visitors.agent_of(site.key)
    asker = await visitors.identify(keyed, visitors.Claims(session_id="a" * 22), begins=True)
    chat_id = await visitors.begin(asker, {"pageUrl": "https://shop.example"})
    run_id = (
        await conversations.ask(asker.required(), chat_id, "Where?", terms=visitors.terms(asker, {}, ""))
    ).assistant.run_id
    assert run_id is not None
    return chat_id, run_id


async def _begun(run_id: UUID) -> None:
    lease = await streams.acquire(run_id, "worker", seconds=600)
    assert lease is not None
    await streams.Writer(run_id, lease.token).append([{"type": "start"}])


async def test_redis_names_nobody_who_has_left(world: World) -> None:
    """A run, a chat kept from a guest's time, a site with visitors, links, keys, an import. # 000-44, 002-37"""
    world.change(guests=True)
    async with Browser() as browser:
        actor = (await browser.sign_in("ada")).actor
        person = await furnish(actor)
        guest = Guest(UUID(int=7), UUID(int=8))
        guesting = Actor.guest(guest)
        await conversations.ask(guesting, guest.chat_id, "Before I signed in.")
        kept_run = (await guests.read(guest)).rows[-1].workflow_run_id
        assert kept_run is not None
        await _begun(kept_run)
        assert await guests.keep(actor, guest) == guest.chat_id
        chat_id = await chats.new(actor)
        done = await conversations.ask(actor, chat_id, "Hello?")
        await end(done.assistant.run_id)
        going = await conversations.ask(actor, chat_id, "Again?")
        assert going.assistant.run_id is not None
        await _begun(going.assistant.run_id)
        await conversations.ask(actor, chat_id, "And again?", queue=True)
        await shares.share(actor, chat_id)
        await participants.invite(actor, chat_id, "carol@example.org")
        await api_keys.create(actor, "Mine", ["read"], lasts_days=30)
        await integrations.UserDrive(actor).report(Diagnosis(Cause.BAD_QUERY, {"account": "ada@sandbox.leaf.example"}))
        visited, visited_run = await _visited(actor)
        await _begun(visited_run)
        before = await held()
        ids = [person.user_id, person.workspace_id, chat_id, guest.chat_id, kept_run, going.assistant.run_id]
        ids += [visited]
        assert any(str(visited_run) in name for name in before)
        await account_deletion.delete(actor, "ada@sandbox.leaf.example")
    after = await held()
    for known in (*map(str, ids), "ada@sandbox.leaf.example"):
        named = {name: value[:200] for name, value in after.items() if known in name or known in value}
        assert named == {}, known
    assert {table for table, rows in rows_of(str(world.settings.database_url)).items() if rows} == {"security_events"}
