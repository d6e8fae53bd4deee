"""`@` names a file of Drive: the answer reads exactly that one, with its asker's own Drive, and does not search."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaf.db import Actor
from leaf.services import chats, conversations, mentions
from leaf.services.files import ChatFiles
from tests.acceptance.readers import reading
from tests.acceptance.stack import Sandbox, Stack

TEXTS = {"Spring": "The spring fair opens on 4 March in Aldermere.", "Autumn": "The autumn fair opens on 9 October."}


@pytest.fixture
def fairs(stack: Stack) -> Iterator[None]:
    """Two files of one name in different folders, and one that only ada may see."""
    made: list[Path] = []
    for season, text in {**TEXTS, "private": "Nobody else reads this."}.items():
        folder = stack.folder / "drive" / season
        folder.mkdir()
        (folder / "Fair plan.md").write_text(text)
        made.append(folder)
    yield
    for folder in made:
        (folder / "Fair plan.md").unlink()
        folder.rmdir()


async def asked(actor: Actor, text: str, **extras: Any) -> chats.Message:
    turn = await conversations.ask(actor, await chats.new(actor), text, extras=extras)
    async with reading(actor, turn.assistant.run_id) as reader:
        return await reader.end()


def named(found: mentions.Found) -> dict[str, Any]:
    return {"id": found.id, "name": found.name, "kind": found.kind}


def told(stack: Stack, answer: chats.Message) -> str:
    """The text that Leaf has added to the question for the model."""
    ((messages,),) = stack.execute("SELECT model_messages FROM messages WHERE id = %s", answer.id)
    (prompt,) = [part for part in messages[0]["parts"] if part["part_kind"] == "user-prompt"]
    (added,) = [one["content"] for one in prompt["content"] if isinstance(one, dict)]
    return added


def searches(sandbox: Sandbox) -> list[str]:
    return [call for call in sandbox.drive_calls() if "q=" in call]


@pytest.mark.usefixtures("worker", "fairs")
async def test_of_two_files_of_one_name_the_one_that_was_named_is_read(ada: Actor, sandbox: Sandbox) -> None:
    """# 000-53"""
    found = [one for one in (await mentions.find(ada, "fair pl")).files if one.name == "Fair plan.md"]
    assert len({one.id for one in found}) == 3
    contents: dict[str, str] = {}
    for one in found:
        sandbox.forget()
        answer = await asked(ada, "When does it open, by @Fair plan.md?", mentions=[named(one)])
        assert answer.status == "completed"
        assert searches(sandbox) == []
        (read,) = [part for part in answer.parts if part["type"] == "tool-read_drive_file"]
        assert read["output"]["file"]["id"] == one.id
        contents[one.id] = read["output"]["content"]
    assert sum("4 March" in text for text in contents.values()) == 1
    assert sum("9 October" in text for text in contents.values()) == 1


@pytest.mark.usefixtures("worker", "fairs")
async def test_a_file_that_the_asker_may_not_see_is_told_and_not_read(stack: Stack, ada: Actor, ben: Actor) -> None:
    """The server believes nothing that a page sends: the name is wrong, and the id belongs to another person's file."""
    seen_by_ben = {one.id for one in (await mentions.find(ben, "fair")).files}
    (secret,) = [one for one in (await mentions.find(ada, "fair")).files if one.id not in seen_by_ben]
    answer = await asked(ben, "What does @Harmless say?", mentions=[{"id": secret.id, "name": "Harmless"}])
    assert "Nobody else reads this" not in json.dumps(answer.parts)
    assert "It could not be looked up" in told(stack, answer)
    assert "Fair plan" not in told(stack, answer)


@pytest.mark.usefixtures("worker", "fairs")
async def test_a_name_that_a_page_made_up_is_corrected_for_the_model(stack: Stack, ada: Actor) -> None:
    found = next(one for one in (await mentions.find(ada, "fair")).files if one.name == "Fair plan.md")
    answer = await asked(ada, "Sum up @Annual report", mentions=[{"id": found.id, "name": "Annual report"}])
    assert 'now called "Fair plan.md"' in told(stack, answer)


@pytest.mark.usefixtures("worker")
async def test_an_answer_goes_on_where_drive_refuses_the_file(stack: Stack, ada: Actor, sandbox: Sandbox) -> None:
    """The question is answered, and the model knows which file it could not look up."""
    sandbox.fault("/drive/v3/files/", 403, 20)
    answer = await asked(ada, "Sum up @Plan", mentions=[{"id": "a" * 20, "name": "Plan"}])
    assert answer.status == "completed"
    assert "a" * 20 in told(stack, answer)


@pytest.mark.usefixtures("worker")
async def test_a_file_that_came_along_is_named_to_the_model(stack: Stack, ada: Actor) -> None:
    """# 002-45"""
    chat_id = await chats.new(ada)
    await ChatFiles(ada, chat_id).write("minutes.md", "We meet on Friday.")
    turn = await conversations.ask(ada, chat_id, "When do we meet?", extras={"files": ["minutes.md"]})
    async with reading(ada, turn.assistant.run_id) as reader:
        stored = await reader.end()
    assert stored.status == "completed"
    assert '"minutes.md"' in told(stack, stored)
