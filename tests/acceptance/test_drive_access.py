"""A Drive that is not connected, was taken away, or needs a new token in the middle of things."""

import asyncio

from leaf.db import Actor
from leaf.services import chats, integrations
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import QUESTION, reading
from tests.acceptance.stack import Sandbox, Stack
from tests.acceptance.workers import Crew


async def test_without_a_drive_the_answer_says_so_and_links_to_settings(
    crew: Crew, stranger: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """000-47: the run does not fail."""
    await crew.of(1)
    turn = await ask(stranger, QUESTION)
    async with reading(stranger, turn.assistant.run_id) as reader:
        stored = await reader.end()
    assert (stored.status, stored.error_text) == ("completed", None)
    assert "/settings/integrations" in reader.text
    assert "/settings/integrations" in reader.tools("output-error")[0]["errorText"]
    assert sandbox.drive_calls() == []


async def test_a_drive_that_is_taken_away_in_mid_chat_is_told_and_marked(
    crew: Crew, ben: Actor, ask: Ask, sandbox: Sandbox
) -> None:
    """000-14, 001-21: the run completes, the card shows the error and its reason, and how to connect anew."""
    await crew.of(1)
    chat_id = await chats.new(ben)
    turn = await ask(ben, QUESTION, chat_id=chat_id)
    async with reading(ben, turn.assistant.run_id) as reader:
        assert (await reader.end()).status == "completed"
    sandbox.remove_access("ben")
    turn = await ask(ben, "Who signs the harvest report?", chat_id=chat_id)
    async with reading(ben, turn.assistant.run_id) as reader:
        stored = await reader.end()
    assert (stored.status, stored.error_text) == ("completed", None)
    assert "/settings/integrations" in str(stored.parts)
    (card,) = await integrations.cards(ben)
    assert card.state == "error"
    assert card.reason
    assert (await chats.open(ben, chat_id)).used_drive


async def test_two_runs_that_find_the_token_expired_refresh_it_once(
    crew: Crew, ben: Actor, ask: Ask, stack: Stack, sandbox: Sandbox
) -> None:
    """000-26: two workers, one person, one refresh; nobody is told that the grant is invalid."""
    await crew.of(2)
    stack.execute(
        "UPDATE integrations SET token_expires_at = now() - interval '1 minute' WHERE user_id = %s", ben.user_id
    )
    sandbox.fault("^/token", None, delay_seconds=0.5)
    turns = [await ask(ben, QUESTION), await ask(ben, QUESTION)]
    async with reading(ben, turns[0].assistant.run_id) as first, reading(ben, turns[1].assistant.run_id) as second:
        answers = await asyncio.gather(first.end(), second.end())
    assert [answer.status for answer in answers] == ["completed", "completed"]
    for reader in (first, second):
        assert reader.tools()
        assert reader.tools("output-error") == []
    assert [request["status"] for request in sandbox.requests("/token")] == [200]
