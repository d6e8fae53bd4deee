"""The dashboard of a site's agent: what its members see of visitors while and after they ask."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from uuid import UUID, uuid4

import pytest

from jobs.run.store import store_site_records
from leaf import errors, streams, texts
from leaf.db import Actor, transaction
from leaf.db.models import MessageStatus
from leaf.redis import events
from leaf.services import chats, conversations, readers, sites
from leaf.services.sites import visitors
from tests.integration.people import end, person
from tests.integration.web_fixtures import World
from tests.integration.widget_pages import Site, chunks_of, said
from tests.run_reader import batches, first


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
    turn = await conversations.ask(who.required(), chat_id, content, terms=visitors.terms(who, {}, ""))
    assert turn.assistant.run_id is not None
    return Asked(who.required(), chat_id, turn.assistant.run_id, streams.Writer(turn.assistant.run_id, "worker"))


@asynccontextmanager
async def read(actor: Actor, asked: Asked) -> AsyncIterator[list[str]]:
    """The types of the chunks that somebody reads of a run; its error when the block ends."""
    types: list[str] = []

    async def follow() -> None:
        async with aclosing(batches(asked.run_id, readers.site_reader(actor, asked.chat_id))) as found:
            async for chunks in found:
                types.extend(chunk["type"] for chunk in chunks)

    task = asyncio.create_task(follow())
    yield types
    async with asyncio.timeout(10):
        await task


@pytest.mark.usefixtures("world")
async def test_a_member_reads_along_while_an_answer_is_written() -> None:
    """Through the site's rights alone: the run is nobody else's, and not the member's own. # 003-26"""
    site = await Site.make(await person("ada"))
    asked = await ask(site)
    found = await sites.transcript(site.member, asked.chat_id)
    assert (found.run_id, [one["content"] for one in found.events]) == (asked.run_id, ["Where are apples?"])
    assert (found.head.agent_id, found.head.context) == (site.agent_id, {"pageUrl": "https://shop.example/cart"})
    async with read(site.member, asked) as types:
        await asked.writer.append(chunks_of("In aisle 7."))
        await end(asked.run_id, parts=said("In aisle 7."), input_tokens=5, duration_ms=1200)
        await asked.writer.finish([{"type": "finish", "finishReason": "stop"}])
    assert types == [chunk["type"] for chunk in chunks_of("In aisle 7.")] + ["finish"]
    after = await sites.transcript(site.member, asked.chat_id)
    assert (after.run_id, after.events[-1]["content"]) == (None, "In aisle 7.")
    assert (after.usage[0]["inputTokens"], after.usage[0]["durationMs"]) == (5, 1200)


@pytest.mark.usefixtures("world")
async def test_a_member_reads_why_an_answer_failed_in_their_own_language() -> None:
    """Exports and programs have it in English. # 003-26"""
    site = await Site.make(await person("ada"))
    asked = await ask(site)
    reason = texts.english("failures.server_stopped", model="gemma", address="http://models.example")
    failed = {"status": MessageStatus.ERROR, "error_code": "model_unavailable", "error_text": str(reason)}
    await end(asked.run_id, parts=[], details={"errorMessage": reason.as_data()}, **failed)

    async def read_in(language: str) -> str:
        texts.use(language)
        return (await sites.transcript(site.member, asked.chat_id)).events[-1]["errorMessage"]

    german = await asyncio.create_task(read_in("de"))
    assert german == texts.translated(reason, texts.of("de"))
    assert await asyncio.create_task(read_in("en")) == str(reason)


@pytest.mark.usefixtures("world")
async def test_nobody_but_members_reads_along() -> None:
    """Another site's member, the visitor, another visitor, a person without sites, nobody. # 003-44"""
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
            await sites.transcript(actor, asked.chat_id)
        async with aclosing(sites.watch(actor, asked.chat_id, every_seconds=0.01)) as news:
            with pytest.raises(errors.NotFound):
                await anext(news)
        with pytest.raises((errors.NotFound, errors.Unauthenticated)):
            await first(asked.run_id, readers.site_reader(actor, asked.chat_id))


async def test_whoever_is_no_member_any_more_reads_no_further(world: World) -> None:
    """# 003-44"""
    ada, ben = await person("ada"), await person("ben")
    site = await Site.make(ada)
    await sites.join(ben, await sites.invite(ada, site.site_id))
    asked = await ask(site)
    async with aclosing(sites.watch(ben, asked.chat_id, every_seconds=0.01)) as news:
        assert await anext(news) is True
        assert await anext(news) is False
        assert ben.user_id is not None
        await sites.remove(ada, site.site_id, ben.user_id)
        with pytest.raises(errors.NotFound):
            await anext(news)
    with pytest.raises(errors.NotFound):
        async with read(ben, asked):
            pass
    assert world.count("visitors") == 1


@pytest.mark.usefixtures("world")
async def test_a_page_is_told_when_a_conversation_goes_on_and_when_it_is_deleted() -> None:
    """# 003-21, 003-26"""
    site = await Site.make(await person("ada"))
    asked = await ask(site)
    async with aclosing(sites.watch(site.member, asked.chat_id, every_seconds=10)) as news, asyncio.timeout(10):
        assert await anext(news) is True
        task = await conversations.assignment(asked.run_id)
        assert task is not None
        await end(asked.run_id, parts=said("In aisle 7."))
        await conversations.announce(task)
        assert await anext(news) is True
        keyed = await visitors.agent_of(site.key)
        who = await visitors.identify(keyed, visitors.Claims(session_id="s" * 22))
        await chats.delete(who.required(), asked.chat_id)
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
    days = await sites.used(site.member, site.agent_id, 7)
    assert [day.answers for day in days] == [0, 0, 0, 0, 0, 0, 3]
    today = days[-1]
    assert (today.tokens, today.cost_usd, today.visitors, today.failed) == (14, Decimal("0.5"), 2, 1)
    assert (today.first_ms, today.median_ms) == (200.0, 2000.0)
    # What is kept no longer was used all the same.
    world.sql("UPDATE chat_sessions SET deleted_at = now()")
    assert await chats.purge(timedelta(0)) == 4
    world.sql("UPDATE visitors SET last_seen_at = now() - interval '91 days'")
    await visitors.expire()
    assert (await sites.used(site.member, site.agent_id, 7))[-1] == today
    for stranger in (elsewhere.member, first.visitor, await person("carol"), Actor.system()):
        assert not any(day.answers or day.tokens for day in await sites.used(stranger, site.agent_id, 7))


async def _answered(asked: Asked, **spent: object) -> None:
    """Ends a run as a worker does, and looks at the budgets."""
    task = await conversations.assignment(asked.run_id)
    assert task is not None
    await end(asked.run_id, **spent)
    await store_site_records(task)


async def test_members_are_told_once_when_most_of_a_budget_is_used(world: World) -> None:
    """At 80 and at 100 percent, once in each period, and no stranger is. # 000-68"""
    ada, ben = await person("ada"), await person("ben")
    site = await Site.make(ada, agent_daily=2)
    elsewhere = await Site.make(ben, "Bakery", "https://bakery.example")
    await sites.change(ada, site.site_id, name="Shop", monthly_tokens=100, monthly_usd=Decimal(1))
    async with events.subscribe([events.user(one.user_id) for one in (ada, ben) if one.user_id]) as told:
        await _answered(await ask(site), input_tokens=70)
        assert await sites.alerts(ada, site.agent_id) == []
        assert await told.changed(within_seconds=0.2) == set()
        await _answered(await ask(site, session="t" * 22), input_tokens=15, cost_usd=Decimal("0.8"))
        assert ada.user_id is not None
        assert await told.changed(within_seconds=5) == {events.user(ada.user_id)}
    first = await sites.alerts(ada, site.agent_id)
    assert {(one.unit, one.percent, one.site, one.agent) for one in first} == {
        ("tokens", 80, "Shop", ""), ("usd", 80, "Shop", ""), ("messages", 100, "Shop", "Shop help")
    }  # fmt: skip
    assert world.count("budget_alerts") == 4
    await _note(site)
    assert world.count("budget_alerts") == 4
    world.sql("UPDATE usage_entries SET input_tokens = 100 WHERE input_tokens = 15")
    await _note(site)
    assert {one.percent for one in await sites.alerts(ada, site.agent_id) if one.unit == "tokens"} == {100}
    for stranger in (ben, Actor.system(), await person("carol")):
        assert await sites.alerts(stranger, site.agent_id) == []
    assert await sites.alerts(ben, elsewhere.agent_id) == []
    # In the next period all begins anew.
    world.sql("UPDATE budget_alerts SET period = period - 31")
    assert await sites.alerts(ada, site.agent_id) == []
    await _note(site)
    assert len(await sites.alerts(ada, site.agent_id)) == 3


async def _note(site: Site) -> None:
    keyed = await visitors.agent_of(site.key)
    who = await visitors.identify(keyed, visitors.Claims(session_id="s" * 22))
    await sites.note_budgets(who.required())


@pytest.mark.usefixtures("world")
async def test_each_member_is_told_of_an_alert_on_their_next_page() -> None:
    """Members who were absent when it was entered see it too, and nobody sees it twice."""
    ada, ben = await person("ada"), await person("ben")
    site = await Site.make(ada)
    await sites.join(ben, await sites.invite(ada, site.site_id))
    await sites.change(ada, site.site_id, name="Shop", monthly_tokens=10)
    await _answered(await ask(site), input_tokens=20)
    for member in (ada, ben):
        async with transaction(member, read_only=True) as tx:
            unseen = await sites.read_unseen(tx)
        assert [(one.unit, one.percent) for one in unseen] == [("tokens", 100)]
        await sites.saw_alerts(member, unseen)
        async with transaction(member, read_only=True) as tx:
            assert await sites.read_unseen(tx) == []
    carol = await person("carol")
    async with transaction(carol, read_only=True) as tx:
        assert await sites.read_unseen(tx) == []
    # Who comes later was not there.
    await sites.join(carol, await sites.invite(ada, site.site_id))
    async with transaction(carol, read_only=True) as tx:
        assert await sites.read_unseen(tx) == []
    await sites.note_budgets(ada)


async def test_the_list_is_read_page_by_page_and_searched_by_words(world: World) -> None:
    """Nothing twice, nothing left out, in the order of activity, whatever is filtered. # 003-25, 003-27"""
    site = await Site.make(await person("ada"))
    elsewhere = await Site.make(await person("ben"), "Bakery", "https://bakery.example")
    asked = [await ask(site, f"Do you have apple number {number}?", f"{number:022}") for number in range(7)]
    hers = await ask(elsewhere, "Do you have apple number 3?")
    for one in (*asked[:6], hers):
        await end(one.run_id, parts=said("Quinces, we have."))
    chats_of = [str(one.chat_id) for one in reversed(asked)]
    # The one that is still written was active last; a chat that goes on comes to the front.
    world.sql("UPDATE chat_sessions SET updated_at = now() + interval '1 hour' WHERE id = %s::uuid", chats_of[3])
    order = [chats_of[3], *(chat for chat in await _listed(site) if chat != chats_of[3])]
    assert sorted(order) == sorted(chats_of)
    assert await _listed(site) == order
    for filters, count in (
        (sites.Filters(phrase="apple number"), 7), (sites.Filters(phrase="number 3"), 1),
        (sites.Filters(phrase="quinces"), 6), (sites.Filters(phrase="QUINCES, we"), 6),
        (sites.Filters(phrase="appl"), 7), (sites.Filters(phrase="number apple"), 0),
        (sites.Filters(phrase="%"), 0), (sites.Filters(phrase="@m"), 0), (sites.Filters(phrase="'"), 0),
        (sites.Filters(phrase=f"@a{elsewhere.agent_id}"), 0), (sites.Filters(wanted="running"), 1),
        (sites.Filters(wanted="running", phrase="quinces"), 0), (sites.Filters(wanted="active"), 7),
    ):  # fmt: skip
        found = await _listed(site, filters)
        assert len(found) == count, filters
        assert found == [chat for chat in order if chat in found]
    keyed = await visitors.agent_of(site.key)
    who = await visitors.identify(keyed, visitors.Claims(session_id=f"{2:022}"))
    await chats.delete(who.required(), asked[2].chat_id)
    assert await _listed(site) == [chat for chat in order if chat != str(asked[2].chat_id)]
    assert await _listed(site, sites.Filters(phrase="apple number 2")) == []


async def _listed(site: Site, filters: sites.Filters | None = None) -> list[str]:
    """All conversations, read two at a time."""
    found, after = list[str](), ""
    while True:
        page = await sites.conversations(site.member, site.agent_id, filters, after=after, limit=2)
        found += [str(row.id) for row in page.rows]
        if not (after := page.cursor):
            return found
