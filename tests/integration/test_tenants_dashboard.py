"""The dashboard of a tenant's agent: what its members see of visitors while and after they ask."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from uuid import UUID, uuid4

import pytest

from leaf import errors, streams
from leaf.db import Actor
from leaf.db.models import MessageStatus
from leaf.services import chats, runs, tenants, visitors
from tests.integration.people import end, person
from tests.integration.web_fixtures import World
from tests.integration.widget_pages import Site, chunks_of, said


@dataclass(frozen=True)
class Asked:
    """A question of a visitor's, whose answer is being written."""

    visitor: Actor
    chat_id: UUID
    run_id: UUID
    writer: streams.Writer


async def ask(site: Site, content: str = "Where are apples?", session: str = "s" * 22) -> Asked:
    keyed = await visitors.agent_of(site.key)
    who = await visitors.identify(keyed, visitors.Claims(session_id=session), begins=True)
    chat_id = await visitors.begin(who, {"pageUrl": "https://shop.example/cart"})
    turn = await visitors.ask(who, chat_id, content, {})
    assert turn.assistant.run_id is not None
    return Asked(who.required(), chat_id, turn.assistant.run_id, streams.Writer(turn.assistant.run_id, "worker"))


@asynccontextmanager
async def read(actor: Actor, run_id: UUID) -> AsyncIterator[list[str]]:
    """The types of the chunks that somebody reads of a run; its error when the block ends."""
    types: list[str] = []

    async def follow() -> None:
        async with aclosing(tenants.follow(actor, run_id)) as batches:
            async for chunks in batches:
                types.extend(chunk["type"] for chunk in chunks)

    task = asyncio.create_task(follow())
    yield types
    async with asyncio.timeout(10):
        await task


@pytest.mark.usefixtures("world")
async def test_a_member_reads_along_while_an_answer_is_written() -> None:
    """Through the tenant's rights alone: the run is nobody else's, and not the member's own. # 003-26"""
    site = await Site.make(await person("ada"))
    asked = await ask(site)
    found = await tenants.transcript(site.member, asked.chat_id)
    assert (found.run_id, [one["content"] for one in found.events]) == (asked.run_id, ["Where are apples?"])
    assert (found.head.agent_id, found.head.context) == (site.agent_id, {"pageUrl": "https://shop.example/cart"})
    async with read(site.member, asked.run_id) as types:
        await asked.writer.append(chunks_of("In aisle 7."))
        await end(asked.run_id, parts=said("In aisle 7."), input_tokens=5, duration_ms=1200)
        await asked.writer.finish([{"type": "finish", "finishReason": "stop"}])
    assert types == [chunk["type"] for chunk in chunks_of("In aisle 7.")] + ["finish"]
    after = await tenants.transcript(site.member, asked.chat_id)
    assert (after.run_id, after.events[-1]["content"]) == (None, "In aisle 7.")
    assert (after.usage[0]["inputTokens"], after.usage[0]["durationMs"]) == (5, 1200)


@pytest.mark.usefixtures("world")
async def test_nobody_but_members_reads_along() -> None:
    """Another tenant's member, the visitor, another visitor, a person without tenants, nobody. # 003-44"""
    site = await Site.make(await person("ada"))
    elsewhere = await Site.make(await person("ben"), "Bakery", "https://bakery.example")
    asked, another = await ask(site), await ask(site, session="t" * 22)
    await asked.writer.append(chunks_of("In aisle 7."))
    strangers = (
        elsewhere.member, (await ask(elsewhere)).visitor, asked.visitor, another.visitor, await person("carol"),
        Actor.user(uuid4()), Actor.system(),
    )  # fmt: skip
    for actor in strangers:
        with pytest.raises(errors.NotFound):
            await tenants.transcript(actor, asked.chat_id)
        for generator in (
            tenants.follow(actor, asked.run_id), tenants.watch(actor, asked.chat_id, every_seconds=0.01)
        ):  # fmt: skip
            async with aclosing(generator):
                with pytest.raises(errors.NotFound):
                    await anext(generator)


async def test_whoever_is_no_member_any_more_reads_no_further(world: World) -> None:
    """# 003-44"""
    ada, ben = await person("ada"), await person("ben")
    site = await Site.make(ada)
    await tenants.join(ben, await tenants.invite(ada, site.tenant_id))
    asked = await ask(site)
    async with aclosing(tenants.watch(ben, asked.chat_id, every_seconds=0.01)) as news:
        assert await anext(news) is True
        assert await anext(news) is False
        assert ben.user_id is not None
        await tenants.remove(ada, site.tenant_id, ben.user_id)
        with pytest.raises(errors.NotFound):
            await anext(news)
    with pytest.raises(errors.NotFound):
        async with read(ben, asked.run_id):
            pass
    assert world.count("visitors") == 1


@pytest.mark.usefixtures("world")
async def test_a_page_is_told_when_a_conversation_goes_on_and_when_it_is_deleted() -> None:
    """# 003-21, 003-26"""
    site = await Site.make(await person("ada"))
    asked = await ask(site)
    async with aclosing(tenants.watch(site.member, asked.chat_id, every_seconds=10)) as news, asyncio.timeout(10):
        assert await anext(news) is True
        task = await runs.assignment(asked.run_id)
        assert task is not None
        await end(asked.run_id, parts=said("In aisle 7."))
        await runs.announce(task)
        assert await anext(news) is True
        keyed = await visitors.agent_of(site.key)
        who = await visitors.identify(keyed, visitors.Claims(session_id="s" * 22))
        await visitors.delete(who, asked.chat_id)
        with pytest.raises(errors.NotFound):
            await anext(news)


async def test_days_hold_every_figure_and_outlive_their_chats(world: World) -> None:
    """Messages, tokens, cost, visitors, errors, and both latencies; nothing of another agent's. # 003-28, 003-38"""
    site = await Site.make(await person("ada"))
    elsewhere = await Site.make(await person("ben"), "Bakery", "https://bakery.example")
    first, second, failed = [await ask(site, session=letter * 22) for letter in "ssf"]
    other = await ask(elsewhere)
    for asked, waited_ms, took_ms in ((first, 100, 1000), (second, 300, 3000), (other, 5, 5)):
        spent = {"input_tokens": 3, "output_tokens": 4, "cost_usd": Decimal("0.25")}
        await end(asked.run_id, duration_ms=took_ms, first_text_ms=waited_ms, **spent)
    await end(failed.run_id, MessageStatus.ERROR, duration_ms=2000, error_code="model_failed")
    days = await tenants.used(site.member, site.agent_id, 7)
    assert [day.answers for day in days] == [0, 0, 0, 0, 0, 0, 3]
    today = days[-1]
    assert (today.tokens, today.cost_usd, today.visitors, today.failed) == (14, Decimal("0.5"), 2, 1)
    assert (today.first_ms, today.median_ms) == (200.0, 2000.0)
    # What is kept no longer was used all the same.
    world.sql("UPDATE chat_sessions SET deleted_at = now()")
    assert await chats.purge(timedelta(0)) == 4
    world.sql("UPDATE visitors SET last_seen_at = now() - interval '91 days'")
    await visitors.expire()
    assert (await tenants.used(site.member, site.agent_id, 7))[-1] == today
    for stranger in (elsewhere.member, first.visitor, await person("carol"), Actor.system()):
        assert not any(day.answers or day.tokens for day in await tenants.used(stranger, site.agent_id, 7))
