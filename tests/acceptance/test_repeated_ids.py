"""Servers that count the tool calls of each response anew: every call keeps a result of its own."""

import json
from collections import Counter
from typing import Any
from uuid import UUID

import pytest

from leaf.db import Actor, models
from leaf.db.session import transaction
from leaf.services import chats, conversations
from leaf.services.files import ChatFiles
from tests.acceptance.conftest import Ask
from tests.acceptance.readers import reading
from tests.acceptance.stack import Stack
from tests.acceptance.workers import Crew

QUESTION = {"question": "Which?", "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}


def _script(*steps: Any) -> str:
    return f"```json\n{json.dumps(steps)}\n```"


def _call(id_: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": id_, "name": name, "arguments": arguments}


SCRIPT = _script(
    {"calls": [_call("call_0", "write_file", path="a.md", content="one\n")]},
    {"calls": [_call("call_0", "write_file", path="b.md", content="two\n"), _call("call_0", "list_files")]},
    {"calls": [_call("call_0", "read_file", path="a.md"), _call("call_1", "read_file", path="b.md")]},
    {"text": "Working. " * 40, "calls": [_call("call_0", "edit_file", path="a.md", old="one", new="1")]},
    {"calls": [_call("call_0", "askQuestion", **QUESTION)]},
    {"calls": [_call("call_0", "read_file", path="a.md")]},
    {"text": "Done."},
)


async def _text(actor: Actor, chat_id: UUID, path: str) -> str:
    return (await ChatFiles(actor, chat_id).read(path)).content


async def _goes_on(actor: Actor, chat_id: UUID, answer: chats.Message) -> chats.Message:
    waiting = next(part for part in answer.parts if part["type"] == "tool-askQuestion")
    assert (
        await conversations.answer(actor, answer.id, waiting["toolCallId"], {"selectedOptions": ["b"]})
    ).assistant.unfinished
    again = (await chats.open(actor, chat_id)).messages[-1]
    assert again.run_id is not None
    async with reading(actor, again.run_id) as reader:
        return await reader.end()


async def _checked(actor: Actor, chat_id: UUID, answer: chats.Message) -> None:
    """Whether each call has its own result, on the page, in the files, and in what the model is sent."""
    assert (answer.status, answer.error_text) == ("completed", None)
    tools = [part for part in answer.parts if part["type"].startswith("tool-")]
    assert max(Counter(part["toolCallId"] for part in tools).values()) == 1
    outputs = [part["output"] for part in tools]
    assert [outputs[0]["path"], outputs[1]["path"]] == ["a.md", "b.md"]
    assert [one["path"] for one in outputs[2]["files"]][:1] == ["a.md"]
    assert [outputs[3]["text"], outputs[4]["text"]] == ["one", "two"]
    assert "+1" in outputs[5]["diff"]
    assert outputs[6]["selectedOptions"] == ["b"]
    assert outputs[7]["text"] == "1"
    assert [await _text(actor, chat_id, path) for path in ("a.md", "b.md")] == ["1\n", "two\n"]
    files = ChatFiles(actor, chat_id)
    assert [len(await files.history(path)) for path in ("a.md", "b.md")] == [2, 1], "no call was made twice"
    async with transaction(actor, read_only=True) as tx:
        row = await tx.session.get_one(models.Message, answer.id)
    called = [part for message in row.model_messages or [] for part in message["parts"]]
    asked = [part["tool_call_id"] for part in called if part["part_kind"] == "tool-call"]
    told = [part["tool_call_id"] for part in called if part["part_kind"] == "tool-return"]
    assert len(set(asked)) == len(asked) == 8
    assert sorted(asked) == sorted(told)


@pytest.mark.parametrize("provider", ["sandbox", "openai", "openai-chat", "anthropic"])
async def test_each_call_has_its_own_result_where_a_provider_repeats_their_ids(
    stack: Stack, crew: Crew, ada: Actor, ask: Ask, provider: str
) -> None:
    """Through all protocols, whose rules of calls and results the stand-in checks; a second turn, too. # 001-10"""
    await crew.of(1)
    chat_id = await chats.new(ada)
    model = f"{provider}:sandbox-script"
    turn = await ask(ada, SCRIPT, chat_id=chat_id, model=model)
    async with reading(ada, turn.assistant.run_id) as reader:
        first = await reader.end()
    assert first.status == "waiting", first.error_text
    await _checked(ada, chat_id, await _goes_on(ada, chat_id, first))
    more = _script({"calls": [_call("call_0", "read_file", path="b.md")]}, {"text": "Read."})
    turn = await ask(ada, more, chat_id=chat_id, model=model)
    async with reading(ada, turn.assistant.run_id) as reader:
        second = await reader.end()
    assert (second.status, second.error_text) == ("completed", None)
    (read,) = [part for part in second.parts if part["type"] == "tool-read_file"]
    assert read["output"]["text"] == "two"
    assert read["toolCallId"] not in {part.get("toolCallId") for part in first.parts}


async def test_a_worker_that_is_killed_between_repeated_ids_makes_no_call_twice_and_none_too_few(
    crew: Crew, ada: Actor, ask: Ask
) -> None:
    """# 001-10"""
    await crew.of(2)
    chat_id = await chats.new(ada)
    turn = await ask(ada, SCRIPT, chat_id=chat_id, model="sandbox:sandbox-script-20")
    async with reading(ada, turn.assistant.run_id) as reader:
        await reader.until(lambda reader: reader.words > 20)
        await crew.lose_writer_of(turn.assistant.run_id)
        first = await reader.end()
    assert first.status == "waiting", first.error_text
    await _checked(ada, chat_id, await _goes_on(ada, chat_id, first))
