"""Usage: entered once for each run and purpose, kept when its chat goes, and limited for each person."""

import asyncio
import logging
from datetime import timedelta
from decimal import Decimal
from typing import Any, get_args
from uuid import UUID, uuid4

import pytest

from leaf import config, errors
from leaf.api import http
from leaf.db import Actor
from leaf.db.models import MessageStatus, utc_now
from leaf.redis import rates
from leaf.services import chats, conversations, usage
from leaf.services.usage import Totals, limits
from tests.integration.people import end, outcome_of, person
from tests.integration.test_runs_service import NOWHERE, run_of
from tests.integration.web_fixtures import World

USED = {
    "input_tokens": 700, "output_tokens": 300, "cache_read_tokens": 200, "cache_write_tokens": 100,
    "thinking_tokens": 50, "requests": 3, "duration_ms": 1500, "cost_usd": Decimal("0.0125"),
}  # fmt: skip


async def answered(actor: Actor, chat_id: UUID | None = None, **used: Any) -> conversations.Turn:
    """A question with an answer that has used something."""
    turn = await conversations.ask(actor, chat_id or await chats.new(actor), "Apples?")
    await end(turn.assistant.run_id, **({**USED, **used}))
    return turn


def totals(entries: int = 1, **changed: Any) -> Totals:
    made = {name: value for name, value in USED.items() if name != "cost_usd"}
    return Totals(**{"entries": entries, "cost_usd": USED["cost_usd"], **made, **changed})


async def test_what_an_answer_used_is_entered_when_it_ends(world: World) -> None:
    """# 001-22"""
    ada = await person("ada")
    turn = await answered(ada)
    chat_id = UUID(str(world.sql("SELECT chat_session_id FROM messages LIMIT 1")[0][0]))
    assert await usage.of_runs(ada, [run_of(turn)]) == [("answer", "sandbox:sandbox", totals())]
    assert await usage.of_message(ada, turn.assistant.id) == totals()
    assert await usage.of_chat(ada, chat_id) == totals()
    (row,) = world.sql("SELECT user_id, workspace_id, purpose, day, created_at FROM usage_entries")
    assert row[:3] == (ada.user_id, ada.workspace_id, "answer")
    assert row[3] == row[4].date() == utc_now().date()
    (stored,) = world.sql("SELECT thinking_tokens, requests, duration_ms FROM messages WHERE role = 'assistant'")
    assert stored == (50, 3, 1500)


@pytest.mark.parametrize("status", [MessageStatus.ERROR, MessageStatus.STOPPED, MessageStatus.COMPLETED])
async def test_regenerating_and_deleting_take_nothing_back(world: World, status: MessageStatus) -> None:
    """However the answers ended; what is deleted is told of together, without a title. # 001-22, 000-68"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    await end(turn.assistant.run_id, status, **USED)
    again = await conversations.retry(ada, turn.assistant.id)
    await end(again.assistant.run_id, **{**USED, "input_tokens": 1})
    both = totals() + totals(input_tokens=1)
    assert await usage.of_message(ada, turn.assistant.id) == await usage.of_chat(ada, chat_id) == both
    assert await usage.of_runs(ada, [run_of(turn)]) == [("answer", "sandbox:sandbox", totals())]
    found = await usage.report(ada)
    assert [(one.id, one.title, one.totals) for one in found.chats] == [(chat_id, "Apples?", both)]
    await chats.delete(ada, chat_id)
    found = await usage.report(ada)
    assert found.today == found.month == both
    assert [(one.id, one.title, one.totals) for one in found.chats] == [(None, None, both)]
    assert await chats.purge(timedelta(0)) == 1
    assert world.sql("SELECT DISTINCT message_id FROM usage_entries") == [(None,)]
    assert (await usage.report(ada)).today == both


async def test_a_run_whose_chat_is_deleted_meanwhile_is_entered_all_the_same(world: World) -> None:
    """# 001-22"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    task = await conversations.assignment(run_of(turn))
    assert task is not None
    await chats.delete(ada, chat_id)
    outcome = outcome_of(MessageStatus.STOPPED, **USED)
    assert not await conversations.finish(task, outcome)
    assert not await conversations.finish(task, outcome)
    assert (await usage.report(ada)).today == totals()


async def test_a_deletion_and_an_end_at_the_same_moment_do_not_wait_for_each_other(world: World) -> None:
    """The one that comes second finds the usage entered once, and both come to their end. # 001-22"""
    ada = await person("ada")
    for _ in range(5):
        chat_id = await chats.new(ada)
        turn = await conversations.ask(ada, chat_id, "Apples?")
        task = await conversations.assignment(run_of(turn))
        assert task is not None
        outcome = outcome_of(MessageStatus.COMPLETED, **USED)
        async with asyncio.timeout(20):
            await asyncio.gather(conversations.finish(task, outcome), chats.delete(ada, chat_id))
    assert (await usage.report(ada)).today.entries == 5


async def test_a_purpose_of_a_run_is_entered_once(world: World) -> None:
    """Titles, related questions and summaries are entered beside the answer. # 001-22"""
    ada, ben = await person("ada"), await person("ben")
    turn = await answered(ada)
    chat_id = UUID(str(world.sql("SELECT chat_session_id FROM messages LIMIT 1")[0][0]))
    for purpose in get_args(usage.Purpose):
        entry = usage.Entry(run_of(turn), purpose, "openai:gpt-5-nano", input_tokens=10, output_tokens=5)
        tried = [usage.record(ada, entry, chat_id=chat_id, message_id=turn.assistant.id) for _ in range(3)]
        assert sorted(await asyncio.gather(*tried)) == [False, False, purpose != "answer"]
        # Somebody else's entry of the same name neither stands in its way nor shows whether the chat is there.
        assert await usage.record(ben, entry, chat_id=chat_id, message_id=turn.assistant.id)
    found = await usage.report(ada)
    small = Totals(entries=1, requests=1, input_tokens=10, output_tokens=5, unpriced=1)
    further = [purpose for purpose in get_args(usage.Purpose) if purpose != "answer"]
    assert found.purposes == [("answer", totals()), *((purpose, small) for purpose in sorted(further))]
    beside = sum((small for _ in further), Totals())
    assert found.models == [("sandbox:sandbox", totals()), ("openai:gpt-5-nano", beside)]
    assert found.today == await usage.of_chat(ada, chat_id) == totals() + beside
    assert await usage.of_chat(ben, chat_id) == Totals()
    assert (await usage.report(ben)).chats[0].id is None
    late = usage.Entry(uuid4(), "summary", "m")
    assert await usage.record(ada, late, chat_id=uuid4(), message_id=uuid4())
    with pytest.raises(errors.Unauthenticated):
        await usage.record(Actor.system(), late)


async def test_a_report_covers_its_days_and_groups_that_add_up(world: World) -> None:
    """# 001-22"""
    ada, ben = await person("ada"), await person("ben")
    for age, tokens in ((0, 1), (1, 10), (29, 100), (30, 1000)):
        turn = await answered(ada, input_tokens=tokens, output_tokens=0)
        world.sql("UPDATE usage_entries SET day = day - %s WHERE run_id = %s", age, run_of(turn))
    await answered(ben)
    found = await usage.report(ada)
    today = utc_now().date()
    assert [day for day, _ in found.days] == [today - timedelta(days=age) for age in range(29, -1, -1)]
    assert {(today - day).days: one.tokens for day, one in found.days if one.entries} == {0: 1, 1: 10, 29: 100}
    whole = sum((one for _, one in found.days), Totals())
    assert whole.tokens == 111
    for groups in (
        [one for _, one in found.models],
        [one.totals for one in found.chats],
        [t for _, t in found.purposes],
    ):
        assert sum(groups, Totals()) == whole
    assert found.today.tokens == 1
    assert found.standings == []


async def test_a_question_over_the_budget_is_refused_before_anything_is_stored(world: World) -> None:
    """# 002-05, 000-68"""
    ada, ben = await person("ada"), await person("ben")
    turn = await answered(ada)
    world.change(daily_tokens=1000)
    for attempt in (
        conversations.ask(ada, await chats.new(ada), "Pears?"),
        conversations.retry(ada, turn.assistant.id),
    ):
        with pytest.raises(errors.BudgetReached, match=r"used up today's 1,000 tokens .*00:00 UTC") as refused:
            await attempt
        assert 0 < refused.value.resets_in_seconds <= 86_400
        answer = http.problem(refused.value)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, str(refused.value.resets_in_seconds))
    assert world.count("messages") == 2
    await conversations.ask(ben, await chats.new(ben), "Pears?")
    world.sql("UPDATE usage_entries SET day = day - 1")
    await conversations.ask(ada, await chats.new(ada), "Pears?")


@pytest.mark.parametrize(
    ("budget", "said", "days"),
    [
        ({"daily_tokens": 1000}, "today's 1,000 tokens", 1),
        ({"monthly_tokens": 1000}, "this month's 1,000 tokens", 31),
        ({"daily_usd": Decimal("0.01")}, r"today's \$0.01", 1),
        ({"monthly_usd": Decimal("0.0125")}, r"this month's \$0.01", 31),
        ({"daily_tokens": 1000, "monthly_tokens": 1000}, "this month's 1,000 tokens", 31),
    ],
)
async def test_each_budget_is_of_its_own_time_and_unit(
    world: World, budget: dict[str, Any], said: str, days: int
) -> None:
    """# 002-05"""
    world.change(**budget)
    ada = await person("ada")
    await answered(ada)
    with pytest.raises(errors.BudgetReached, match=said):
        await conversations.ask(ada, await chats.new(ada), "Pears?")
    world.sql("UPDATE usage_entries SET day = day - %s", days)
    await conversations.ask(ada, await chats.new(ada), "Pears?")


async def test_ten_questions_at_once_share_what_is_left(world: World) -> None:
    """Answers in progress reserve a part, and give back the part that they do not use. # 002-05"""
    world.change(daily_tokens=10_000, daily_usd=Decimal(1))
    ada = await person("ada")
    await answered(ada)
    places: list[UUID] = []
    for _ in range(10):
        # An empty chat would be taken again: each is given a question that has ended.
        place = await chats.new(ada)
        places.append(place)
        await answered(ada, place, input_tokens=0, output_tokens=0, cost_usd=None)
    tried = await asyncio.gather(*(conversations.ask(ada, place, "Pears?") for place in places), return_exceptions=True)
    taken = [one for one in tried if isinstance(one, conversations.Turn)]
    refused = [one for one in tried if not isinstance(one, conversations.Turn)]
    assert 1 < len(taken) < 10
    assert {type(one) for one in refused} == {errors.BudgetReached}
    assert "Answers in progress" in str(refused[0])
    ((tokens, usd),) = world.sql(
        "SELECT sum(reserved_tokens), sum(reserved_usd) FROM messages WHERE status = 'pending'"
    )
    assert 0 < tokens <= 9000
    assert 0 < usd <= Decimal("0.9875")
    for one in taken:
        task = await conversations.assignment(run_of(one))
        assert task is not None
        assert task.allowance.tokens is not None
        assert task.allowance.usd is not None
        await end(run_of(one), input_tokens=10, output_tokens=0)
    (standing, _) = await usage.standings(ada)
    assert (standing.reserved, standing.used) == (0, 1000 + 10 * len(taken))
    await conversations.ask(ada, places[-1], "Pears?")


async def test_one_answer_may_not_use_more_than_it_may_anyway(world: World) -> None:
    """# 000-27"""
    world.change(daily_tokens=10_000, token_limit=100, daily_usd=Decimal(1), cost_limit_usd=Decimal("0.2"))
    ada = await person("ada")
    turn = await conversations.ask(ada, await chats.new(ada), "Pears?")
    task = await conversations.assignment(run_of(turn))
    assert task is not None
    assert task.allowance == usage.Allowance(100, Decimal("0.2"))


async def test_without_budgets_nothing_is_set_aside(world: World) -> None:
    ada = await person("ada")
    await conversations.ask(ada, await chats.new(ada), "Pears?")
    assert world.sql("SELECT DISTINCT reserved_tokens, reserved_usd FROM messages") == [(None, None)]


async def test_a_member_may_ask_30_questions_a_minute_unless_a_setting_says_otherwise(world: World) -> None:
    """# 004-25"""
    world.change(requests_per_minute=config.Settings.model_fields["requests_per_minute"].default)
    ada = await person("ada")
    for _ in range(30):
        await limits.throttle(ada)
    with pytest.raises(errors.RateLimited, match="30 questions a minute"):
        await conversations.ask(ada, await chats.new(ada), "Pears?")
    await limits.throttle(await person("ben"))


async def test_a_person_may_ask_so_often_a_minute(world: World) -> None:
    """Others are not concerned, and what is refused does not count. # 002-05, 000-68"""
    world.change(requests_per_minute=2)
    ada, ben = await person("ada"), await person("ben")
    turn = await answered(ada)
    await answered(ada)
    for attempt in (
        conversations.ask(ada, await chats.new(ada), "Pears?"),
        conversations.retry(ada, turn.assistant.id),
    ):
        with pytest.raises(errors.RateLimited, match=r"2 questions a minute\. Ask again in") as refused:
            await attempt
        assert 50 < refused.value.resets_in_seconds <= 60
        assert http.problem(refused.value).status_code == 429
    await answered(ben)


async def test_a_turn_comes_back_after_its_time(world: World) -> None:
    """In any stretch of that length, not from one full minute to the next. # 002-05"""
    taken = [await rates.take("x", 2, seconds=0.4) for _ in range(3)]
    assert taken == [0, 0, 1], "a wait is rounded up to whole seconds"
    await asyncio.sleep(0.4)  # time that passes is what is tested
    assert await rates.take("x", 2, seconds=0.4) == 0
    at_once = await asyncio.gather(*(rates.take("y", 3, seconds=30) for _ in range(10)))
    assert at_once.count(0) == 3


async def test_without_redis_members_are_let_through_with_a_warning(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Decision 13. The question itself then waits for Redis. # 002-05"""
    ada = await person("ada")
    world.change(requests_per_minute=1, redis_url=NOWHERE)
    with caplog.at_level(logging.WARNING, logger="leaf.redis.rates"):
        await usage.throttle(ada)
        await usage.throttle(ada)
    assert "not limited" in caplog.text
