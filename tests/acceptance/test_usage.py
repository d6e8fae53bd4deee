"""The usage of an answer is the one that its provider has reported, and a budget ends an answer in its middle."""

from collections import Counter
from typing import Any

import pytest

from jobs.respond import respond
from leaf import config, errors
from leaf.db import Actor
from leaf.documents import isolation
from leaf.services import chats, conversations, usage
from leaf.services.usage import Totals
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION, SLOW, reading
from tests.acceptance.stack import Sandbox, Stack
from tests.acceptance.workers import Crew


def _reported(sandbox: Sandbox) -> Counter[str]:
    """The usage that the provider has reported in all, by its own log."""
    told: Counter[str] = Counter()
    for entry in sandbox.asked():
        told.update(entry["usage"] or {})
    return told


def _same(totals: Totals, told: Counter[str]) -> bool:
    return (
        totals.input_tokens, totals.output_tokens, totals.cache_read_tokens, totals.cache_write_tokens,
        totals.thinking_tokens,
    ) == tuple(told[name] for name in ("input", "output", "cache_read", "cache_write", "reasoning"))  # fmt: skip


async def _answer(actor: Actor, turn: conversations.Turn) -> chats.Message:
    async with reading(actor, turn.assistant.run_id) as reader:
        return await reader.end()


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize(
    ("model", "priced"),
    [
        ("sandbox:sandbox-reasoning", True),
        ("openai:sandbox-reasoning", False),
        ("openai-chat:sandbox-reasoning", False),
        ("anthropic:sandbox-reasoning", False),
    ],
)
async def test_the_sums_over_a_chat_are_what_the_provider_has_reported(
    ada: Actor, ask: Ask, sandbox: Sandbox, model: str, *, priced: bool
) -> None:
    """Over several turns, and an answer that was written again. # 001-22"""
    chat_id = await chats.new(ada)
    await _answer(ada, await ask(ada, QUESTION, model=model, chat_id=chat_id))
    turn = await ask(ada, "And when does it end?", model=model, chat_id=chat_id)
    await _answer(ada, turn)
    again = await conversations.retry(ada, turn.assistant.id)
    await _answer(ada, again)
    found = await usage.of_chat(ada, chat_id)
    told = _reported(sandbox)
    assert _same(found, told), (found, told)
    assert found.requests == len(sandbox.asked()) > 4
    assert found.entries == 3
    assert found.thinking_tokens > 0
    assert found.cache_read_tokens > 0
    assert found.duration_ms > 0
    # The last answer is the usual model's, which is the sandbox's own and costs nothing.
    assert (found.cost_usd, found.unpriced) == (0, 0 if priced else 2)


@pytest.mark.usefixtures("worker")
@pytest.mark.parametrize("model", ["openai:sandbox-cut", "openai-chat:sandbox-cut", "anthropic:sandbox-cut"])
async def test_the_cost_of_a_reply_that_broke_off_is_counted(
    ada: Actor, ask: Ask, sandbox: Sandbox, model: str
) -> None:
    """The reply is requested again; both requests count where the provider reports usage. # 001-22"""
    chat_id = await chats.new(ada)
    stored = await _answer(ada, await ask(ada, QUESTION, model=model, chat_id=chat_id))
    assert stored.status == "error"
    assert [entry["finish"] for entry in sandbox.asked()].count("cut") >= 2
    found, told = await usage.of_chat(ada, chat_id), _reported(sandbox)
    assert _same(found, told), (found, told)


async def test_requests_of_a_killed_worker_are_counted_once(crew: Crew, ada: Actor, ask: Ask, sandbox: Sandbox) -> None:
    """The cost of the dead worker's requests is counted, once. # 001-22"""
    await crew.of(2)
    chat_id = await chats.new(ada)
    turn = await ask(ada, QUESTION, model=SLOW, chat_id=chat_id)
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.in_mid_answer)
        await crew.lose_writer_of(turn.assistant.run_id)
        assert (await reader.end()).status == "completed"
    found, told = await usage.of_chat(ada, chat_id), _reported(sandbox)
    assert found.entries == 1
    assert _same(found, told), (found, told)


async def _limited(crew: Crew, stack: Stack, actor: Actor, model: str, **settings: Any) -> tuple[chats.Message, Totals]:
    """The answer under budgets of the test's own, written in this process."""
    with crew.away():
        config.install(stack.settings.model_copy(update={"model": model, **settings}))
        try:
            turn = await conversations.ask(actor, await chats.new(actor), QUESTION)
            await respond({}, str(turn.assistant.run_id), 1)
        finally:
            config.install(stack.settings)
            isolation.close()
    assert turn.assistant.run_id is not None
    stored = await conversations.result(actor, turn.assistant.run_id)
    return stored, await usage.of_message(actor, turn.assistant.id)


async def test_a_budget_ends_an_answer_that_is_being_written(crew: Crew, stack: Stack, stranger: Actor) -> None:
    """It says so, keeps what there is, and goes over by one request at most. # 000-27, 000-68, 002-05"""
    stored, used = await _limited(crew, stack, stranger, "sandbox:sandbox-loop", daily_tokens=9000, step_limit=90)
    assert (stored.status, stored.details["limit"]) == ("completed", "budget")
    said = stored.parts[-1]["text"]
    assert "today's 9,000 tokens" in said
    assert f"{9000 - used.tokens:,} tokens are left until 00:00 UTC" in said
    assert "partial" in said
    assert len(stored.parts) > 2
    assert 4500 < used.tokens < 9000
    config.install(stack.settings.model_copy(update={"daily_tokens": used.tokens}))
    try:
        with pytest.raises(errors.BudgetReached, match="used up today's"):
            await conversations.ask(stranger, await chats.new(stranger), QUESTION)
    finally:
        config.install(stack.settings)
