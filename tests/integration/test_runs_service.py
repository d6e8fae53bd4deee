"""Questions and the answers that are on their way: limits, conflicts, retries, stops, and who may see them."""

import asyncio
import json
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from leaf import errors, streams
from leaf import redis as leaf_redis
from leaf.db.models import MessageStatus
from leaf.services import chats, conversations, models, readers, runs
from tests.integration.people import end, person
from tests.integration.web_fixtures import World
from tests.run_reader import batches, first

NOWHERE = "unix:///nonexistent/redis.sock"


async def jobs() -> list[str]:
    """The jobs that wait in the queue."""
    return sorted([key.decode() async for key in leaf_redis.client().scan_iter("arq:job:*")])


def run_of(turn: conversations.Turn) -> UUID:
    assert turn.assistant.run_id is not None
    return turn.assistant.run_id


async def test_a_question_is_stored_with_its_pending_answer_and_enqueued_once(world: World) -> None:
    """# 000-42, 000-43"""
    ada = await person("ada")
    turn = await conversations.ask(ada, await chats.new(ada), "  Apples?  ")
    assert (turn.user.status, turn.assistant.status) == ("completed", "pending")
    assert turn.user.parts == [{"type": "text", "text": "Apples?"}]
    assert turn.assistant.unfinished
    assert await jobs() == [f"arq:job:respond:{run_of(turn)}:1"]
    stored = world.sql("SELECT role::text, status::text, user_id, model FROM messages ORDER BY position")
    assert stored == [
        ("user", "completed", ada.user_id, None),
        ("assistant", "pending", ada.user_id, "sandbox:sandbox"),
    ]


@pytest.mark.parametrize("text", ["", " ", "\n\t \u00a0\u3000", "\0", " \0 \0 "])
async def test_an_empty_question_is_refused(world: World, text: str) -> None:
    ada = await person("ada")
    chat_id = await chats.new(ada)
    with pytest.raises(errors.Invalid) as refused:
        await conversations.ask(ada, chat_id, text)
    assert refused.value.field == "text"
    assert world.count("messages") == 0


async def test_a_question_has_a_length(world: World) -> None:
    """Counted in characters; one over it is refused with both numbers."""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    for length in (32_001, 100_000):
        with pytest.raises(errors.Invalid, match=f"{length:,} characters; at most 32,000"):
            await conversations.ask(ada, chat_id, "🍎" * length)
    assert world.count("messages") == 0
    turn = await conversations.ask(ada, chat_id, "🍎" * 32_000 + "  ")
    assert (await chats.open(ada, chat_id)).messages[0].parts[0]["text"] == "🍎" * 32_000
    assert turn.title == "🍎" * 80


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\0b", "ab"),
        ("half \ud83c", "half \ufffd"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("whole \ud83c\udf4e", "whole 🍎"),
        ("\u202eright to left", "\u202eright to left"),
        ("'; DROP TABLE users; --", "'; DROP TABLE users; --"),
        ('{"type": "tool"}', '{"type": "tool"}'),
    ],
)
async def test_whatever_is_typed_is_shown_as_it_is_stored(world: World, text: str, kept: str) -> None:
    """Also before the page is loaded again, and it can be sent to a browser. # 000-42"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, text)
    assert turn.user.parts == [{"type": "text", "text": kept}]
    assert (await chats.open(ada, chat_id)).messages[0].parts == turn.user.parts
    json.dumps([turn.user.parts, turn.title], ensure_ascii=False).encode()


async def test_one_answer_at_a_time(world: World) -> None:
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    with pytest.raises(errors.Conflict, match="still answering"):
        await conversations.ask(ada, chat_id, "Pears?")
    other = await conversations.ask(ada, await chats.new(ada), "Pears?")
    assert other.assistant.unfinished
    await end(turn.assistant.run_id)
    await conversations.ask(ada, chat_id, "Pears?")
    assert world.count("messages") == 6


async def test_of_many_questions_at_once_one_is_taken(world: World) -> None:
    """A double click, or two tabs."""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    tried = await asyncio.gather(
        *(conversations.ask(ada, chat_id, "Apples?") for _ in range(5)), return_exceptions=True
    )
    assert [type(result).__name__ for result in tried].count("Turn") == 1
    assert [type(result).__name__ for result in tried].count("Conflict") == 4
    assert world.count("messages") == 2
    assert len(await jobs()) == 1


async def test_without_redis_nothing_is_stored(world: World) -> None:
    """And what is there can still be read."""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    await end(turn.assistant.run_id, MessageStatus.ERROR)
    world.change(redis_url=NOWHERE)
    with pytest.raises(errors.RedisUnavailable):
        await conversations.ask(ada, chat_id, "Pears?")
    with pytest.raises(errors.RedisUnavailable):
        await conversations.retry(ada, turn.assistant.id)
    assert world.count("messages") == 2
    opened = await chats.open(ada, chat_id)
    assert [message.status for message in opened.messages] == ["completed", "error"]
    assert [row.title for row in (await chats.page(ada)).rows] == ["Apples?"]
    assert (await conversations.result(ada, run_of(turn))).status == "error"


@pytest.mark.parametrize("status", [MessageStatus.ERROR, MessageStatus.STOPPED, MessageStatus.COMPLETED])
async def test_a_retry_answers_the_same_question_in_the_same_place(world: World, status: MessageStatus) -> None:
    """# 000-48, 002-28"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    first = await conversations.ask(ada, chat_id, "Apples?")
    await end(first.assistant.run_id, status, error_code="boom", error_text="It failed.", details={"x": 1})
    again = await conversations.retry(ada, first.assistant.id)
    assert again.user == first.user
    assert again.assistant.id == first.assistant.id
    assert again.assistant.run_id != first.assistant.run_id
    assert (again.assistant.status, again.assistant.parts, again.assistant.error_text) == ("pending", [], None)
    assert world.count("messages") == 2
    assert f"arq:job:respond:{run_of(again)}:1" in await jobs()
    with pytest.raises(errors.NotFound):
        await conversations.result(ada, run_of(first))
    task = await conversations.assignment(run_of(again))
    assert task is not None
    assert (task.question, task.actor.user_id, task.actor.kind) == ("Apples?", ada.user_id, "worker")


async def test_another_model_can_be_chosen_from_those_that_are_offered(world: World) -> None:
    """# 000-48, 000-65"""
    world.change(model="sandbox:sandbox", fallbacks="openai:gpt-5.2, sandbox:sandbox", openai_api_key="k")
    assert [model.label for model in models.offered()] == ["Sandbox model", "gpt-5.2"]
    ada = await person("ada")
    first = await conversations.ask(ada, await chats.new(ada), "Apples?")
    await end(first.assistant.run_id, MessageStatus.ERROR)
    with pytest.raises(errors.NotFound):
        await conversations.retry(ada, first.assistant.id, model="openai:gpt-4")
    again = await conversations.retry(ada, first.assistant.id, model="openai:gpt-5.2")
    task = await conversations.assignment(run_of(again))
    assert task is not None
    assert (task.model, again.assistant.model_label) == ("openai:gpt-5.2", "gpt-5.2")


async def test_only_a_last_answer_that_has_ended_can_be_written_again(world: World) -> None:
    """# 000-48"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    first = await conversations.ask(ada, chat_id, "Apples?")
    with pytest.raises(errors.Conflict):
        await conversations.retry(ada, first.assistant.id)
    await end(first.assistant.run_id, MessageStatus.ERROR)
    with pytest.raises(errors.NotFound):
        await conversations.retry(ada, first.user.id)
    with pytest.raises(errors.NotFound):
        await conversations.retry(ada, uuid4())
    second = await conversations.ask(ada, chat_id, "Pears?")
    for message_id in (first.assistant.id, second.assistant.id):
        with pytest.raises(errors.Conflict):
            await conversations.retry(ada, message_id)


async def test_of_many_retries_at_once_one_is_taken(world: World) -> None:
    """# 000-48"""
    ada = await person("ada")
    turn = await conversations.ask(ada, await chats.new(ada), "Apples?")
    await end(turn.assistant.run_id, MessageStatus.ERROR)
    tried = await asyncio.gather(
        *(conversations.retry(ada, turn.assistant.id) for _ in range(5)), return_exceptions=True
    )
    assert sorted(type(result).__name__ for result in tried) == ["Conflict"] * 4 + ["Turn"]
    assert len(await jobs()) == 2


async def test_a_stop_reaches_the_writer_and_may_be_repeated(world: World) -> None:
    ada = await person("ada")
    turn = await conversations.ask(ada, await chats.new(ada), "Apples?")
    await conversations.stop(ada, run_of(turn))
    await conversations.stop(ada, run_of(turn))
    assert await streams.stop_requested(run_of(turn))
    await end(turn.assistant.run_id, MessageStatus.STOPPED)
    await conversations.stop(ada, run_of(turn))


async def test_nobody_else_sees_stops_or_follows_a_run(world: World) -> None:
    """CVE-2026-31950: the one check serves every path to a run. # 000-40"""
    ada, ben = await person("ada"), await person("ben")
    turn = await conversations.ask(ada, await chats.new(ada), "Apples?")
    for run_id in (run_of(turn), uuid4()):
        for attempt in (
            conversations.stop(ben, run_id),
            conversations.result(ben, run_id),
            first(run_id, readers.member(ben)),
        ):
            with pytest.raises(errors.NotFound, match="does not exist, or you have no access"):
                await attempt
    with pytest.raises(errors.NotFound):
        await conversations.retry(ben, turn.assistant.id)
    assert not await streams.stop_requested(run_of(turn))


async def test_following_ends_with_the_run(world: World) -> None:
    """# 000-42"""
    ada = await person("ada")
    turn = await conversations.ask(ada, await chats.new(ada), "Apples?")
    lease = await streams.acquire(run_of(turn), "worker")
    assert lease is not None
    chunks = [{"type": "start"}, {"type": "text-start", "id": "1"}, {"type": "finish"}]
    await streams.Writer(run_of(turn), lease.token).append(chunks)
    async with asyncio.timeout(20):
        assert [chunk async for batch in batches(run_of(turn), readers.member(ada)) for chunk in batch] == chunks
        assert [chunk async for batch in batches(run_of(turn), readers.member(ada), 2) for chunk in batch] == chunks[2:]


async def test_an_answer_is_finished_once(world: World) -> None:
    """A second worker changes nothing, nor does one whose run was retried or deleted."""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    task = await conversations.assignment(run_of(turn))
    assert task is not None
    await end(turn.assistant.run_id, MessageStatus.ERROR)
    late = runs.Outcome(MessageStatus.COMPLETED, [{"type": "text", "text": "late"}], {}, [])
    assert not await conversations.finish(task, late)
    await conversations.retry(ada, turn.assistant.id)
    assert not await conversations.finish(task, late)
    await chats.delete(ada, chat_id)
    assert not await conversations.finish(task, late)
    assert await conversations.assignment(run_of(turn)) is None
    assert await conversations.assignment(uuid4()) is None


async def test_the_run_of_an_old_answer_is_as_young_as_it_is(world: World) -> None:
    """Written again or gone on with, an old answer is no lost one for the reaper. # 000-57"""
    ada = await person("ada")
    chat_id = await chats.new(ada)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    old = "UPDATE messages SET created_at = now() - interval '1 hour', run_at = now() - interval '1 hour'"
    world.sql(old)
    assert await conversations.unfinished(timedelta(minutes=1)) == [run_of(turn)]
    await end(turn.assistant.run_id, MessageStatus.ERROR)
    again = await conversations.retry(ada, turn.assistant.id)
    assert await conversations.unfinished(timedelta(minutes=1)) == []
    assert await conversations.unfinished(timedelta(0)) == [run_of(again)]
    world.sql(old)
    assert await conversations.unfinished(timedelta(minutes=1)) == [run_of(again)]
    await end(again.assistant.run_id, MessageStatus.STOPPED)
    await conversations.proceed(ada, again.assistant.id)
    assert await conversations.unfinished(timedelta(minutes=1)) == []


async def test_earlier_turns_are_the_history(world: World) -> None:
    ada = await person("ada")
    chat_id = await chats.new(ada)
    for number in range(2):
        turn = await conversations.ask(ada, chat_id, f"Question {number}")
        await end(turn.assistant.run_id, model_messages=[{"kind": "request", "number": number}])
    turn = await conversations.ask(ada, chat_id, "Question 2")
    task = await conversations.assignment(run_of(turn))
    assert task is not None
    assert task.history == [[{"kind": "request", "number": 0}], [{"kind": "request", "number": 1}]]
    assert (task.question, task.chat_id, task.model) == ("Question 2", chat_id, "sandbox:sandbox")
    assert await conversations.unfinished(timedelta(0)) == [run_of(turn)]
    assert await conversations.unfinished(timedelta(hours=1)) == []


async def test_an_open_page_is_told_of_a_turn_and_of_its_end(world: World) -> None:
    """And learns nothing about somebody else's chat. # 000-39, 000-40"""
    ada, ben = await person("ada"), await person("ben")
    chat_id = await chats.new(ada)
    watching = conversations.watch(ada, chat_id, every_seconds=30)
    everything = conversations.News(chat=True, chats=True, person=True)
    assert await anext(watching) == everything, "what happened before it listened is looked at"
    turn_of_chat = conversations.News(chat=True, chats=True)
    turn = await conversations.ask(ada, chat_id, "Apples?")
    async with asyncio.timeout(10):
        assert await anext(watching) == turn_of_chat
        task = await conversations.assignment(run_of(turn))
        assert task is not None
        await conversations.announce(task)
        assert await anext(watching) == turn_of_chat
    await watching.aclose()
    with pytest.raises(errors.NotFound):
        await anext(conversations.watch(ben, chat_id, every_seconds=1))
    quiet = conversations.watch(ben, None, every_seconds=0.01)
    around = conversations.News(chats=True, person=True)
    assert [await anext(quiet), await anext(quiet)] == [around, conversations.News()]
    await quiet.aclose()
