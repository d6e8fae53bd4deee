"""Questions that name files: what is stored of what a page has sent, and what goes on with it."""

from typing import Any
from uuid import UUID

import pytest

from leaf import errors
from leaf.db import Actor
from leaf.parts import question_files
from leaf.services import chats, conversations, forks
from leaf.services.files import ChatFiles
from tests.integration.people import end, person
from tests.integration.web_fixtures import World

PLAN = {"id": "a" * 20, "name": "Plan", "kind": "document"}
SECOND = {"id": "b" * 20, "name": "Plan", "kind": "pdf", "resourceKey": "0-key"}


async def asked(actor: Actor, text: str, **extras: Any) -> tuple[UUID, conversations.Turn]:
    chat_id = await chats.new(actor)
    if "files" in extras:
        await ChatFiles(actor, chat_id).write("notes/a.md", "One.")
    return chat_id, await conversations.ask(actor, chat_id, text, extras=extras)


async def stored(actor: Actor, chat_id: UUID) -> list[dict[str, Any]]:
    return [one for one in (await chats.open(actor, chat_id)).messages if one.role == "user"][-1].parts


@pytest.mark.usefixtures("world")
async def test_a_question_keeps_the_files_that_it_names_and_those_that_came_along() -> None:
    """The text stays the first part, so that titles and searches see what they saw before. # 002-45"""
    ada = await person("ada")
    chat_id, turn = await asked(ada, "@Plan or @Plan?", mentions=[PLAN, SECOND], files=["notes/a.md", "notes/a.md"])
    parts = await stored(ada, chat_id)
    assert parts == [
        {"type": "text", "text": "@Plan or @Plan?"},
        {"type": "data-mention", "data": PLAN},
        {"type": "data-mention", "data": SECOND},
        {"type": "data-attachment", "data": {"path": "notes/a.md"}},
    ]
    assert turn.title == "@Plan or @Plan?"
    assert turn.assistant.run_id is not None
    task = await conversations.assignment(turn.assistant.run_id)
    assert task is not None
    assert task.question == "@Plan or @Plan?"
    assert [one.id for one in question_files.mentions_of(task.asked)] == [PLAN["id"], SECOND["id"]]


@pytest.mark.usefixtures("world")
async def test_a_mention_whose_name_was_deleted_from_the_words_is_none() -> None:
    ada = await person("ada")
    chat_id, _ = await asked(ada, "And the other one?", mentions=[PLAN])
    assert await stored(ada, chat_id) == [{"type": "text", "text": "And the other one?"}]


@pytest.mark.parametrize(
    "extras",
    [
        {"mentions": "all"},
        {"mentions": [{"id": "x", "name": "Plan"}]},
        {"mentions": [PLAN] * 11},
        {"files": ["../../etc/passwd"]},
        {"files": ["missing.md"]},
        {"files": [7]},
        {"files": ["a.md"] * 21},
    ],
)
@pytest.mark.usefixtures("world")
async def test_what_a_page_makes_up_is_refused_and_nothing_is_stored(extras: dict[str, Any]) -> None:
    ada = await person("ada")
    chat_id = await chats.new(ada)
    with pytest.raises((errors.Invalid, errors.NotFound)):
        await conversations.ask(ada, chat_id, "@Plan?", extras=extras)
    assert (await chats.open(ada, chat_id)).messages == []


@pytest.mark.usefixtures("world")
async def test_files_of_another_chat_cannot_come_along() -> None:
    ada, ben = await person("ada"), await person("ben")
    hers = await chats.new(ada)
    await ChatFiles(ada, hers).write("secret.md", "hers")
    with pytest.raises(errors.NotFound):
        await conversations.ask(ben, await chats.new(ben), "What is in it?", extras={"files": ["secret.md"]})


@pytest.mark.usefixtures("world")
async def test_names_survive_editing_regenerating_and_forking() -> None:
    """# 002-44"""
    ada = await person("ada")
    _, turn = await asked(ada, "Sum up @Plan", mentions=[PLAN], files=["notes/a.md"])
    await end(turn.assistant.run_id)
    again = await conversations.regenerate(ada, turn.assistant.id)
    assert again.assistant.run_id is not None
    task = await conversations.assignment(again.assistant.run_id)
    assert task is not None
    assert [one.name for one in question_files.mentions_of(task.asked)] == ["Plan"]
    await end(again.assistant.run_id)
    edited = await conversations.edit(ada, turn.user.id, "Translate @Plan")
    assert [part["type"] for part in edited.user.parts] == ["text", "data-mention", "data-attachment"]
    await end(edited.assistant.run_id)
    without = await conversations.edit(ada, edited.user.id, "Translate something")
    assert [part["type"] for part in without.user.parts] == ["text", "data-attachment"]
    await end(without.assistant.run_id)
    other = PLAN | {"id": "another-file-of-drive", "name": "Lease"}
    anew = await conversations.edit(
        ada, edited.user.id, "Compare @Plan with @Lease", extras={"mentions": [other, PLAN]}
    )
    assert [one.name for one in question_files.mentions_of(anew.user.parts)] == ["Plan", "Lease"]
    await end(anew.assistant.run_id)
    with pytest.raises(errors.Invalid):
        await conversations.edit(ada, edited.user.id, "Compare @Plan", extras={"mentions": [{"id": "x"}]})
    fork = await forks.fork(ada, edited.user.id)
    assert [part["type"] for part in await stored(ada, fork)] == ["text", "data-mention", "data-attachment"]


async def test_drive_is_searched_by_the_beginning_of_a_name(world: World) -> None:
    """With the person's own permissions, a few files at most. # 000-54"""
    async with world.browser("ada") as ada, world.browser("ben") as ben:
        await ada.connect("ada")
        found = (await ada.get("/api/drive/names", params={"begun": "budg"})).json()
        assert 0 < len(found["files"]) <= 8
        assert all("budg" in one["name"].lower() for one in found["files"])
        assert found["files"][0].keys() == {"id", "name", "kind", "modified", "folder", "resourceKey"}
        lies_in = {one["name"]: one["folder"] for one in found["files"]}
        assert lies_in["Budget letter 2026"] == "Budget 2026"
        quoted = await ada.get("/api/drive/names", params={"begun": "o' or name contains 'b"})
        assert quoted.json() == {"files": [], "more": False}
        assert (await ada.get("/api/drive/names", params={"begun": " "})).status_code == 400
        assert (await ada.get("/api/drive/names", params={"begun": "x" * 101})).status_code == 400
        refused = await ben.get("/api/drive/names", params={"begun": "budg"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "drive_not_connected")
        await ben.connect("ben")
        his = (await ben.get("/api/drive/names", params={"begun": "budg"})).json()
        # One of them is shared with him.
        assert {one["id"] for one in his["files"]} < {one["id"] for one in found["files"]}


async def test_who_types_too_fast_is_told_to_wait(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaf.services.mentions.LOOKS_A_MINUTE", 1)
    async with world.browser("ada") as ada:
        await ada.connect("ada")
        assert (await ada.get("/api/drive/names", params={"begun": "budget"})).status_code == 200
        answer = await ada.get("/api/drive/names", params={"begun": "budget"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "rate_limited")
