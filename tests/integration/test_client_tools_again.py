"""Repetitions of tools that run at the caller: outcomes, and answers that are written again."""

import asyncio
from typing import Any

import pytest

from leaf import errors
from leaf.db import Actor
from leaf.parts.client_tools import ClientTool, declared
from leaf.services import chats, conversations, runs
from tests.integration.people import person
from tests.integration.redis_fixtures import until
from tests.integration.test_api_chat import program
from tests.integration.test_client_tools import CALLS_READ, READ, ada, again, asked, calls_of, done, script, work
from tests.integration.web_fixtures import World

__all__ = ["ada"]

CALLS_EDIT = {"calls": [{"name": "editDocument", "arguments": {"text": "new"}}]}


@pytest.mark.parametrize(
    "outcome", [{"error": ""}, {"error": "It is locked. " * 300}, {"output": {"text": "a", "b": 1}}]
)
async def test_an_outcome_is_known_again_however_it_is_kept(world: World, ada: Actor, outcome: dict[str, Any]) -> None:
    """Errors are shortened, and the names of objects stand in another order, where a chat has been loaded. # 004-08"""
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    claim = await runs.claim(ada, message.id, *calls_of(message), "tab")
    turned = {name: dict(reversed(one.items())) if isinstance(one, dict) else one for name, one in outcome.items()}
    await runs.deliver(ada, claim.token, done(claim, outcome))
    await runs.deliver(ada, claim.token, done(claim, turned))
    assert (await again(ada, message)).status == "completed"
    await runs.deliver(ada, claim.token, done(claim, turned))
    run_id = await runs.run_of(ada, message.id)
    chat_id = (await chats.page(ada)).rows[0].id
    assert (
        await conversations.carry_on(ada, chat_id, message.id, {claim.call_id: turned}, {}, document="doc-1") == run_id
    )
    with pytest.raises(errors.Conflict):
        await runs.deliver(ada, claim.token, done(claim))


RAW = {
    "NaN": 204, "1e400": 204, "-Infinity": 204, '"\\ud800"': 400, '{"\\u0000": "\\u0000"}': 400, "1" * 400: 204,
    "[" * 60 + "]" * 60: 204, "[" * 70 + "]" * 70: 400, "[" * 900 + "]" * 900: 400, "[" * 100_000 + "]" * 100_000: 400,
    "1" * 5000: 400,
}  # fmt: skip


@pytest.mark.parametrize(("raw", "status"), RAW.items(), ids=range(len(RAW)))
async def test_results_that_no_schema_describes_are_taken_or_refused(
    world: World, ada: Actor, raw: str, status: int
) -> None:
    """Numbers that are none, halves of characters, what is nested too deep: whatever is taken can be gone on with."""
    message = await asked(ada, CALLS_EDIT, {"text": "Done."})
    claim = await runs.claim(ada, message.id, *calls_of(message), "tab")
    body = f'{{"toolCallId": "{claim.call_id}", "documentId": "doc-1", "result": {raw}}}'
    async with program(ada) as http:
        for _ in range(2):
            answer = await http.post(
                f"/api/hooks/{claim.token}", content=body, headers={"content-type": "application/json"}
            )
            assert answer.status_code == status, answer.text
    if status == 204:
        assert (await again(ada, message)).status == "completed"


async def test_arguments_that_only_python_can_count_end_no_answer(world: World, ada: Actor) -> None:
    """Models write numbers of any length; those that JSON's readers have no room for are rounded."""
    long = {"calls": [{"name": "editDocument", "arguments": {"text": "x", "least": -(10**30), "most": 10**30}}]}
    message = await asked(ada, long, {"text": "Done."})
    claim = await runs.claim(ada, message.id, *calls_of(message), "tab")
    assert [float(claim.arguments[name]) for name in ("least", "most")] == [-1e30, 1e30]
    await runs.deliver(ada, claim.token, done(claim, {"output": 10**30}))
    assert (await again(ada, message)).status == "completed"


async def test_an_answer_that_is_written_again_has_its_tools(world: World, ada: Actor) -> None:
    """In its place and beside it; another person's program has none of them."""
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    first = await runs.claim(ada, message.id, *calls_of(message), "tab")
    await runs.deliver(ada, first.token, done(first))
    assert (await again(ada, message)).status == "completed"
    for begin in (conversations.retry, conversations.regenerate):
        turn = await begin(ada, message.id)
        await work(turn.assistant.run_id)
        answer = await conversations.result(ada, turn.assistant.run_id)  # pyright: ignore[reportArgumentType]
        assert answer.status == "waiting"
        claim = await runs.claim(ada, answer.id, *calls_of(answer), "tab", 3)
        assert (claim.document, claim.arguments) == ("doc-1", {})
        await runs.deliver(ada, claim.token, done(claim))
        assert (await again(ada, answer)).status == "completed"
    without = await conversations.regenerate(ada, message.id, tools=None)
    await work(without.assistant.run_id)
    answer = await conversations.result(ada, without.assistant.run_id)  # pyright: ignore[reportArgumentType]
    assert (answer.status, answer.at_caller) == ("completed", False)


async def test_an_answer_that_goes_on_after_a_while_has_all_of_its_time(world: World, ada: Actor) -> None:
    """004's ten minutes do not end one that was stopped yesterday."""
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    chat_id = (await chats.page(ada)).rows[0].id
    assert await runs.abandon(ada, chat_id)
    world.sql(
        "UPDATE messages SET client_calls = jsonb_set(client_calls, '{began}', %s) WHERE id = %s",
        '"2020-01-01T00:00:00+00:00"', message.id,
    )  # fmt: skip
    turn = await conversations.proceed(ada, message.id)
    await work(turn.assistant.run_id)
    answer = await conversations.result(ada, turn.assistant.run_id)  # pyright: ignore[reportArgumentType]
    assert (answer.status, answer.error_code) == ("completed", None)


async def test_a_participants_version_has_no_tools_of_somebody_elses(world: World, ada: Actor) -> None:
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    chat_id = (await chats.page(ada)).rows[0].id
    assert await runs.abandon(ada, chat_id)
    ben = await person("ben")
    world.sql("INSERT INTO chat_participants (chat_session_id, user_id) VALUES (%s, %s)", chat_id, ben.user_id)
    turn = await conversations.regenerate(ben, message.id)
    await work(turn.assistant.run_id)
    answer = await conversations.result(ben, turn.assistant.run_id)  # pyright: ignore[reportArgumentType]
    assert (answer.status, answer.at_caller) == ("completed", False)


async def test_a_duplicate_is_taken_from_who_may_ask_nothing_more(world: World, ada: Actor) -> None:
    """# 004-08"""
    message = await asked(ada, CALLS_READ, {"text": "Done."})
    claim = await runs.claim(ada, message.id, *calls_of(message), "tab")
    await runs.deliver(ada, claim.token, done(claim))
    assert (await again(ada, message)).status == "completed"
    world.change(daily_tokens=1)
    await runs.deliver(ada, claim.token, done(claim))


async def test_a_question_that_is_sent_once_more_while_it_waits_finds_its_answer(world: World, ada: Actor) -> None:
    """A bad network repeats it after the model has called a tool. Asked on purpose, it is another one. # 004-28"""
    text = script(CALLS_READ, {"text": "Done."})
    turn = await conversations.ask(
        ada, await chats.new(ada), text, terms=conversations.Terms(tools=declared([ClientTool(**READ)]))
    )
    await work(turn.assistant.run_id)
    user = {"id": "u", "role": "user", "parts": [{"type": "text", "text": text}]}
    body: dict[str, Any] = {"id": str(turn.chat_id), "clientTools": [READ], "messages": [user]}
    async with program(ada) as http:
        again = await http.post("/api/chat", json=body)
        assert again.headers["x-workflow-run-id"] == str(turn.assistant.run_id)
        assert '"readDocument"' in again.text
        assert len((await chats.open(ada, turn.chat_id)).messages) == 2
        answered = {"id": str(turn.assistant.id), "role": "assistant", "parts": []}
        for other in ([user, answered, user], [{**user, "parts": [{"type": "text", "text": "Something else?"}]}]):
            asking = asyncio.create_task(http.post("/api/chat", json={**body, "messages": other}))
            await until(lambda: conversations.active(ada, turn.chat_id))
            active = await conversations.active(ada, turn.chat_id)
            assert active is not None
            await work(active.assistant.run_id)
            assert (await asking).headers["x-workflow-run-id"] == str(active.assistant.run_id)
        assert len((await chats.open(ada, turn.chat_id)).messages) == 6


@pytest.mark.parametrize("name", ["文", "😀"])
async def test_a_token_for_a_document_with_a_long_name_is_taken(world: World, ada: Actor, name: str) -> None:
    """The signed name is longer in ASCII than it was."""
    message = await asked(ada, CALLS_READ, {"text": "Done."}, document=name * 200)
    (call_id,) = calls_of(message)
    async with program(ada) as http:
        claim = await http.post(f"/api/messages/{message.id}/calls/{call_id}/claim", json={"tab": "one"})
        body = {"toolCallId": call_id, "documentId": name * 200, "result": {"text": "now"}}
        handed = await http.post(f"/api/hooks/{claim.json()['hookToken']}", json=body)
    assert handed.status_code == 204, handed.text
