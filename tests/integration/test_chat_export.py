"""One chat as a file: JSON with all of it that people see, and Markdown to read."""

import json
import tracemalloc
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import TypeAdapter

from leaf import errors
from leaf.db import Actor
from leaf.parts import portable
from leaf.services import chats, conversations, exports, feedback, participants
from tests.integration.people import end, person
from tests.integration.web_fixtures import Browser, World

CITED = {
    "n": 1, "verified": True, "reason": None, "kind": "web", "file_id": "f1", "revision": "3", "name": "Lease [1]",
    "url": "https://docs.example/lease(1)", "part": "page 3", "quote": "The rent is due", "before": "a", "after": "b",
    "at": [[2, 12, 16]],
}  # fmt: skip
SECRET = "not-for-files"
PARTS: list[dict[str, Any]] = [
    {"type": "reasoning", "text": "Let me look.", "providerMetadata": {"x": {"signature": SECRET}}},
    {"type": "tool-read_drive_file", "toolCallId": "c1", "state": "output-available", "input": {"file_id": "f1"},
     "output": {"content": "The rent is due monthly."}, "callProviderMetadata": {"x": SECRET}},
    {"type": "text", "text": 'Rent: weekly[^1].\n\n[^1]: "The rent is due"\n\n```python\nprint(1)', "state": "done"},
    {"type": "data-citations", "id": "citations", "data": [CITED]},
    {"type": "data-coverage", "id": "coverage", "data": {"searches": [{"query": "rent", "files": 2, "subfolders": 0,
     "shown": 2, "at_least": False, "partial": False}], "read": [{"id": "f1", "name": "Lease", "url": None,
     "parts": ["page 3"], "complete": False, "missed": [], "gaps": []}], "found": 2, "x": SECRET}},
    {"type": "data-relatedQuestions", "id": "related", "data": {"status": "done", "questions": ["And the deposit?"]}},
]  # fmt: skip


async def exported(actor: Actor, chat_id: UUID) -> dict[str, Any]:
    chat = await exports.of_chat(actor, chat_id)
    return json.loads(b"".join([piece async for piece in chat.as_json()]))


async def markdown(actor: Actor, chat_id: UUID, language: str = "en") -> str:
    chat = await exports.of_chat(actor, chat_id)
    return b"".join([piece async for piece in chat.as_markdown(language)]).decode()


async def a_chat(actor: Actor) -> tuple[UUID, conversations.Turn]:
    """A chat with two branches: the first question was asked in another way."""
    chat_id = await chats.new(actor)
    first = await conversations.ask(actor, chat_id, "What <b>is</b> the rent?\n```\nopen")
    await end(first.assistant.run_id, parts=PARTS)
    edited = await conversations.edit(actor, first.user.id, "What is the deposit?")
    await end(edited.assistant.run_id, parts=[{"type": "text", "text": "Three months."}])
    await chats.choose_branch(actor, first.user.id)
    return chat_id, first


async def test_json_holds_the_whole_tree_and_nothing_secret(world: World) -> None:
    """# 003-35, 000-67"""
    ada = await person("ada")
    chat_id, first = await a_chat(ada)
    await feedback.rate(ada, first.assistant.run_id or uuid4(), "down", comment="wrong-thumb")
    found = await exported(ada, chat_id)
    assert (found["format"], found["version"]) == ("leaf-chat", 1)
    assert [one["role"] for one in found["messages"]] == ["user", "assistant", "user", "assistant"]
    question, answer, edited, other = found["messages"]
    assert (question["parent"], answer["parent"], edited["parent"], other["parent"]) == (
        None, question["id"], None, edited["id"],
    )  # fmt: skip
    assert found["branch"] == answer["id"], "the branch that ada looks at"
    assert [one["type"] for one in answer["parts"]] == ["reasoning", "tool", "text", "related"]
    assert answer["parts"][1]["output"] == {"content": "The rent is due monthly."}
    (cited,) = answer["citations"]
    assert (cited["verified"], cited["at"], cited["url"]) == (True, [[2, 12, 16]], CITED["url"])
    assert answer["receipt"]["searches"][0]["query"] == "rent"
    assert SECRET not in json.dumps(found)
    assert "wrong-thumb" not in json.dumps(found)
    TypeAdapter(portable.Chat).validate_json(json.dumps(found))


async def test_markdown_reads_well_and_nothing_in_it_breaks_out(world: World) -> None:
    """# 003-35"""
    ada = await person("ada")
    chat_id, _ = await a_chat(ada)
    text = await markdown(ada, chat_id)
    assert "> What \\<b>is\\</b> the rent?\n> ```\n> open\n> ```\n" in text, "a fence in a question is closed"
    assert "Rent: weekly \\[[1](https://docs.example/lease%281%29)\\]." in text
    assert '[^1]: "The rent' not in text, "a footnote's definition is told as a source"
    assert "```python\nprint(1)\n```\n" in text
    assert "1. [Lease \\[1\\]](https://docs.example/lease%281%29), page 3: “The rent is due” (verified)" in text
    assert "*Searched once · read 1 file*" in text
    assert "2 messages on other branches" in text
    assert "deposit?" not in text.replace("And the deposit?", "")
    assert "## Antwort" in await markdown(ada, chat_id, "de")


async def test_an_answer_that_is_being_written_is_left_out(world: World) -> None:
    ada = await person("ada")
    chat_id, _ = await a_chat(ada)
    going = await conversations.ask(ada, chat_id, "And the garden?")
    found = await exported(ada, chat_id)
    assert [one["id"] for one in found["messages"]].count(str(going.assistant.id)) == 0
    assert found["branch"] == str(going.user.id)
    assert "And the garden?" in await markdown(ada, chat_id)


async def test_participants_take_away_what_they_see_and_others_nothing(world: World) -> None:
    """# 000-67, 000-40"""
    ada, ben, carol = [await person(name) for name in ("ada", "ben", "carol")]
    chat_id, _ = await a_chat(ada)
    await participants.invite(ada, chat_id, "ben@example.org")
    (waiting,) = await participants.invitations(ben)
    await participants.accept(ben, waiting.id)
    assert "What is the deposit?" in await markdown(ben, chat_id), "ben looks at the newest branch"
    assert len((await exported(ben, chat_id))["messages"]) == 4
    with pytest.raises(errors.NotFound):
        await exports.of_chat(carol, chat_id)
    await chats.delete(ada, chat_id)
    with pytest.raises(errors.NotFound):
        await exports.of_chat(ada, chat_id)


async def test_the_routes_send_a_file_with_a_safe_name(world: World) -> None:
    """# 003-35"""
    async with Browser() as ada:
        session = await ada.sign_in("ada")
        chat_id, _ = await a_chat(session.actor)
        await chats.rename(session.actor, chat_id, 'Rent: "2026" / Café?')
        answer = await ada.get(f"/api/chats/{chat_id}/export.md")
        assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''Rent%202026%20Caf%C3%A9.md"
        assert answer.text.startswith('# Rent: "2026" / Café?')
        answer = await ada.get(f"/api/chats/{chat_id}/export.json")
        assert answer.json()["title"] == 'Rent: "2026" / Café?'
        assert answer.headers["cache-control"] == "no-store"
        assert (await ada.get(f"/api/chats/{uuid4()}/export.json")).status_code == 404
    async with Browser() as nobody:
        assert (await nobody.get(f"/api/chats/{chat_id}/export.json")).status_code == 401


async def test_a_long_chat_is_sent_piece_by_piece(world: World) -> None:
    """1,000 messages of 40 kB: a few of them are in memory at a time.  # 003-35"""
    ada = await person("ada")
    chat_id, _ = await a_chat(ada)
    world.sql(
        "INSERT INTO messages (chat_session_id, parent_id, role, parts, user_id) SELECT %s, NULL, 'user', "
        "jsonb_build_array(jsonb_build_object('type', 'text', 'text', repeat('x', 40000))), %s "
        "FROM generate_series(1, 1000)",
        chat_id,
        ada.user_id,
    )
    size = count = 0
    chat = await exports.of_chat(ada, chat_id)
    tracemalloc.start()
    async for piece in chat.as_json():
        size += len(piece)
        count += b'"role"' in piece
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 1004
    assert size > 40_000_000
    assert peak < size / 4, f"{peak:,} bytes for a file of {size:,}"
