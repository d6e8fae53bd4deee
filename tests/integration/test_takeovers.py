"""A run whose workers die one after the other, before any text of the reply was shown."""

from uuid import UUID

import pytest
from pydantic_ai.messages import ModelRequest, UserPromptPart

from jobs.metrics import Timing
from jobs.run import prepare
from jobs.run.state import Run
from leaf import redis, streams
from leaf.parts import Chunk
from leaf.services import chats, conversations
from tests.integration.web_fixtures import World

THOUGHTS: list[Chunk] = [
    {"type": "reasoning-start", "id": "r"},
    {"type": "reasoning-delta", "id": "r", "delta": "Which year is "},
]
CALL: list[Chunk] = [
    {"type": "tool-input-start", "toolCallId": "c", "toolName": "write_file"},
    {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '{"path": "pl'},
]


async def _begun(world: World) -> UUID:
    async with world.browser("ada") as ada:
        actor = await ada.actor()
        turn = await conversations.ask(actor, await chats.new(actor), "Which year?")
    assert turn.assistant.run_id is not None
    return turn.assistant.run_id


async def _opened(run_id: UUID) -> Run:
    """The run as its next worker opens it, when the worker before has died."""
    task = await conversations.assignment(run_id)
    assert task is not None
    await redis.client().delete(streams.keys(run_id).lease)
    lease = await streams.acquire(run_id, "worker")
    assert lease is not None
    return await prepare.open_run(task, lease, Timing(None))


@pytest.mark.parametrize("shown", [THOUGHTS, CALL, [*THOUGHTS, *CALL]])
async def test_the_third_worker_knows_what_the_first_has_shown(world: World, shown: list[Chunk]) -> None:
    """Thoughts are not shown twice, and a call that was begun gets an end. # 000-24, 000-30"""
    run_id = await _begun(world)
    first = await _opened(run_id)
    begun: list[Chunk] = [{"type": "start", "messageId": "m"}]
    await first.writer.append(begun)
    await first.journal.store(first.fold, [ModelRequest(parts=[UserPromptPart("Which year?")])])
    await first.writer.append([{"type": "start-step"}, *shown])
    second = await _opened(run_id)
    third = await _opened(run_id)
    assert second.seam.is_open
    assert third.seam.is_open
    assert third.seam.calls == second.seam.calls == ({"c": "write_file"} if CALL[0] in shown else {})
    if THOUGHTS[0] in shown:
        again = [chunk for one in THOUGHTS for chunk in third.seam.put({**one, "id": "again"})]
        assert again == []
