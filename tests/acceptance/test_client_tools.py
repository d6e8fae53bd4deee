"""Client tools when a worker dies or Redis loses its data during a call."""

import json
from uuid import UUID

from leaf import parts, redis
from leaf.db import Actor, models
from leaf.db.session import transaction
from leaf.parts import client_tools
from leaf.parts.client_tools import ClientTool
from leaf.services import chats, conversations, runs
from leaf.services.runs import Delivery
from tests.acceptance.readers import reading
from tests.acceptance.stack import Stack, until
from tests.acceptance.workers import Crew

LONG = "".join(f"Here is line {number}. " for number in range(40))
STEPS = [
    {"text": "I look. ", "calls": [{"name": "readDocument", "arguments": {}}]},
    {"text": LONG, "calls": [{"name": "readDocument", "arguments": {}}]},
    {"text": "Done."},
]


async def ended(actor: Actor, run_id: UUID | None) -> chats.Message:
    async with reading(actor, run_id) as reader:
        return await reader.end()


async def test_each_call_is_carried_out_once_whatever_dies(stack: Stack, crew: Crew, ada: Actor) -> None:
    """Redis loses its data while a call is open, and the worker is killed after a result. # 004-08, 004-28"""
    await crew.of(2)
    tools = client_tools.declared([ClientTool(name="readDocument")], "doc-1")
    with stack.model("sandbox:sandbox-script-20"):
        turn = await conversations.ask(
            ada, await chats.new(ada), f"```json\n{json.dumps(STEPS)}\n```", terms=conversations.Terms(tools=tools)
        )
    message = await ended(ada, turn.assistant.run_id)
    handed_in: list[str] = []
    while message.status == "waiting":
        (call,) = runs.open_calls(message.parts)
        for key in await redis.client().keys(f"leaf:run:{message.run_id}:*"):
            await redis.client().delete(key)
        claim = await runs.claim(ada, message.id, call["toolCallId"], "tab")
        delivery = Delivery(claim.call_id, {"output": f"state {len(handed_in)}"}, document="doc-1")
        handed_in.append(claim.call_id)
        await runs.deliver(ada, claim.token, delivery)
        await runs.deliver(ada, claim.token, delivery)
        run_id = await runs.run_of(ada, message.id)
        async with reading(ada, run_id) as reader:
            if len(handed_in) == 1:
                await reader.until(lambda reader: "Here is line 1. Here" in reader.text)
                await crew.lose_writer_of(run_id)
            message = await reader.end()
        await runs.deliver(ada, claim.token, delivery)
    assert (message.status, len(handed_in)) == ("completed", 2)
    outputs = [part["output"] for part in message.parts if parts.is_tool(part)]
    assert outputs == ["state 0", "state 1"]
    assert [part["text"] for part in message.parts if part["type"] == "text"] == ["I look. ", LONG, "Done."]
    async with transaction(ada, read_only=True) as tx:
        row = await tx.session.get_one(models.Message, message.id)
    told = [one for each in row.model_messages or [] for one in each["parts"] if one["part_kind"] == "tool-return"]
    assert [one["content"] for one in told] == outputs, "the model saw each result once"


async def test_a_worker_ends_an_answer_whose_caller_does_not_come_back(stack: Stack, crew: Crew, ada: Actor) -> None:
    """A job of the worker looks for overdue calls; no request is needed. # 004-10"""
    await crew.of(1)
    tools = client_tools.declared([ClientTool(name="readDocument")])
    with stack.model("sandbox:sandbox-script"):
        turn = await conversations.ask(
            ada, await chats.new(ada), f"```json\n{json.dumps(STEPS)}\n```", terms=conversations.Terms(tools=tools)
        )
    message = await ended(ada, turn.assistant.run_id)
    async with transaction(ada) as tx:
        row = await tx.session.get_one(models.Message, message.id)
        assert row.client_due_at is not None
        row.client_due_at = row.created_at

    async def over() -> bool:
        return await runs.run_of(ada, message.id) != message.run_id

    await until(over, what="a worker has ended the answer")
    last = await ended(ada, await runs.run_of(ada, message.id))
    assert (last.id, last.status, last.error_code) == (message.id, "error", "tool-timeout")
