"""Chats from files: what Leaf and ChatGPT have exported becomes chats, each once, and nothing of it is trusted."""

import asyncio
import io
import json
import zipfile
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic_ai.messages import ModelMessagesTypeAdapter, UserPromptPart

from jobs import imports as job
from jobs.run import turns
from leaf import errors
from leaf import redis as leaf_redis
from leaf.agent.approval.taint import taint
from leaf.agent.mentions import own_words
from leaf.db import Actor
from leaf.services import chats, conversations, exports, imports
from leaf.views import rows
from tests.integration.people import end, person
from tests.integration.test_chat_export import a_chat, exported
from tests.integration.web_fixtures import Browser, World


async def imported(actor: Actor, data: bytes, name: str = "chats.json") -> imports.Import:
    """An import as the worker makes it."""
    import_id = await imports.begin(actor, name, data)
    await job.import_chats(str(import_id))
    return (await imports.listed(actor))[0]


async def only_chat(actor: Actor) -> UUID:
    (row,) = (await chats.page(actor)).rows
    return row.id


def settled(chat: dict[str, Any], *, trusted: bool) -> dict[str, Any]:
    """A chat with numbers in the place of ids, and without what Leaf thinks of its quotes."""
    numbers = {one["id"]: number for number, one in enumerate(chat["messages"])}
    messages = [
        one
        | {"id": numbers[one["id"]], "parent": numbers.get(one["parent"])}
        | {"citations": [cited if trusted else cited | {"verified": 0, "reason": ""} for cited in one["citations"]]}
        for one in chat["messages"]
    ]
    return chat | {"branch": numbers.get(chat["branch"]), "messages": messages}


async def test_what_leaf_exports_comes_back_the_same_but_for_ids_and_trust(world: World) -> None:
    """# 003-35"""
    ada, ben, carol = [await person(name) for name in ("ada", "ben", "carol")]
    chat_id, _ = await a_chat(ada)
    first = await exported(ada, chat_id)
    result = await imported(ben, json.dumps(first).encode())
    assert (result.status, result.imported, result.known, result.refused) == ("done", 1, 0, 0)
    second = await exported(ben, await only_chat(ben))
    assert settled(second, trusted=False) == settled(first, trusted=False)
    assert not {one["id"] for one in first["messages"]} & {one["id"] for one in second["messages"]}
    (cited,) = second["messages"][1]["citations"]
    assert (cited["verified"], cited["reason"]) == (False, "imported")
    await imported(carol, json.dumps(second).encode())
    third = await exported(carol, await only_chat(carol))
    assert settled(third, trusted=True) == settled(second, trusted=True)
    opened = await chats.open(ben, await only_chat(ben))
    (row,) = [rows.row_of(one) for one in opened.messages if one.role == "assistant"]
    assert row.citations.quotes[0].verified is False
    assert "imported" in row.citations.quotes[0].status


async def test_the_same_file_twice_is_here_already(world: World) -> None:
    """# 003-35"""
    ada, ben = await person("ada"), await person("ben")
    chat_id, _ = await a_chat(ada)
    data = json.dumps(await exported(ada, chat_id)).encode()
    assert (await imported(ada, data)).known == 1, "its own original"
    assert (await imported(ben, data)).imported == 1
    again = await imported(ben, data)
    assert (again.imported, again.known) == (0, 1)
    mine = await exported(ben, await only_chat(ben))
    assert (await imported(ben, json.dumps(mine).encode())).known == 1
    gone = await only_chat(ben)
    await chats.delete(ben, gone)
    assert (await imported(ben, data)).imported == 1, "what was deleted is not here"
    await chats.restore(ben, [gone])
    assert len((await chats.page(ben)).rows) == 2, "and can be taken back all the same"


async def test_an_accounts_archive_brings_all_of_its_chats(world: World) -> None:
    """# 003-35, 000-44"""
    async with Browser() as ada:
        actor = (await ada.sign_in("ada")).actor
        for number in range(3):
            sent = await conversations.ask(actor, await chats.new(actor), f"Question {number}")
            await end(sent.assistant.run_id)
        archive = (await ada.get("/api/account/export")).content
    ben = await person("ben")
    result = await imported(ben, archive, "leaf.zip")
    assert (result.imported, result.refused, result.total) == (3, 0, 3)
    assert {row.title for row in (await chats.page(ben)).rows} == {f"Question {n}" for n in range(3)}


def conversation(title: str = "Rents", at: float = 1_700_000_000.25, **changes: Any) -> dict[str, Any]:
    """A conversation as ChatGPT exports it."""

    def node(key: str, parent: str | None, role: str, content: dict[str, Any], **more: Any) -> tuple[str, Any]:
        name = more.pop("name", None)
        message = {"id": key, "author": {"role": role, "name": name}, "create_time": at, "content": content, **more}
        return key, {"id": key, "parent": parent, "children": [], "message": message}

    mark = "\ue200cite\ue202turn0search1\ue201"
    source = {"matched_text": mark, "items": [{"title": "Law", "url": "https://law.example/", "snippet": "due"}]}
    nodes = [
        ("root", {"id": "root", "parent": None, "children": ["sys"], "message": None}),
        node("sys", "root", "system", {"content_type": "text", "parts": ["You are"]}),
        node("ctx", "sys", "user", {"content_type": "user_editable_context", "user_profile": "x"}),
        node("q", "ctx", "user", {"content_type": "multimodal_text", "parts": [
            {"content_type": "image_asset_pointer", "asset_pointer": "file://x"}, "When is rent due?"]}),
        node("call", "q", "assistant", {"content_type": "code", "language": "unknown", "text": "search('rent')"},
             recipient="web.run"),
        node("result", "call", "tool", {"content_type": "execution_output", "text": "3rd day"}, name="web.run"),
        node("a", "result", "assistant", {"content_type": "text", "parts": [f"On the third{mark}."]},
             metadata={"model_slug": "gpt-4o", "content_references": [source]}),
        node("b", "q", "assistant", {"content_type": "code", "language": "python", "text": "print('```')"}),
        node("q2", "b", "user", {"content_type": "text", "parts": ["And then?"]}),
        node("quote", "q2", "tool", {"content_type": "tether_quote", "url": "https://x.example/", "title": "X",
                                    "text": "quoted"}, name="browser"),
        node("odd", "quote", "assistant", {"content_type": "brand_new_thing", "x": 1}),
    ]  # fmt: skip
    return {
        "title": title, "create_time": at, "update_time": at + 50, "mapping": dict(nodes), "current_node": "a",
        "conversation_id": str(uuid4()), **changes,
    }  # fmt: skip


async def test_a_conversation_of_chatgpt_becomes_a_chat_with_its_branches(world: World) -> None:
    """# 003-35"""
    ada = await person("ada")
    result = await imported(ada, json.dumps([conversation()]).encode(), "conversations.json")
    assert (result.imported, result.left_out) == (1, 1), "what nobody knows is left out, and counted"
    chat = await exported(ada, await only_chat(ada))
    said = [(one["role"], [part.get("text") or part["name"] for part in one["parts"]]) for one in chat["messages"]]
    assert said == [
        ("user", ["[Image]\n\nWhen is rent due?"]),
        ("assistant", ["web.run", "On the third[^1]."]),
        ("assistant", ["````python\nprint('```')\n````"]),
        ("user", ["And then?"]),
        ("assistant", ["browser"]),
    ]
    assert chat["messages"][1]["parts"][0]["output"] == {"text": "3rd day"}
    (cited,) = chat["messages"][1]["citations"]
    assert (cited["name"], cited["url"], cited["quote"]) == ("Law", "https://law.example/", "due")
    assert chat["messages"][0]["at"] == "2023-11-14T22:13:20.250000Z"
    opened = await chats.open(ada, await only_chat(ada))
    assert opened.imported_from == "chatgpt"
    assert len(opened.messages) == 2, "the branch that was looked at"
    assert [len(found) for found in opened.versions.values()] == [2]
    assert opened.messages[1].model_label == "gpt-4o"


async def test_imported_chats_stand_at_their_own_times(world: World) -> None:
    """# 003-35"""
    ada = await person("ada")
    mine = await conversations.ask(ada, await chats.new(ada), "Mine, today")
    await end(mine.assistant.run_id)
    old = [conversation(f"Old {number}", 1_500_000_000.0 + number * 86_400) for number in range(3)]
    future = conversation("Future", 4_000_000_000.0)
    assert (await imported(ada, json.dumps([*old, future]).encode())).imported == 4
    listed = (await chats.page(ada)).rows
    assert [row.title for row in listed][2:] == ["Old 2", "Old 1", "Old 0"]
    assert listed[-1].updated_at == datetime.fromtimestamp(1_500_000_050, UTC)
    assert all(not row.unread and not row.running for row in listed if row.title != "Mine, today")
    assert listed[0].updated_at <= datetime.now(UTC)


async def test_what_is_wrong_is_refused_in_words_and_the_rest_is_there(world: World) -> None:
    """# 003-35"""
    ada = await person("ada")
    circle = conversation("Circle")
    circle["mapping"]["q"]["parent"] = "a"
    ok = conversation("Fine \ud800 \0 title")
    many = [ok, circle, {"title": "Nothing", "x": 1}, conversation("Mapping", mapping=[1]),
            {"format": "leaf-chat", "version": 99, "title": "Later"},
            {"format": "leaf-chat", "version": 1, "title": "Types", "created_at": 5, "messages": "x"}]  # fmt: skip
    deep = b"[" * 200 + b"]" * 200
    data = json.dumps(many).encode()[:-1] + b', {"title": "Deep", "x": ' + deep + b"}]"
    result = await imported(ada, data)
    assert (result.status, result.imported, result.refused) == ("done", 1, 6)
    codes = {one["title"]: one["code"] for one in result.problems}
    assert codes == {
        "Circle": "tree", "Nothing": "no_chat", "Mapping": "wrong_form", "Later": "version", "Types": "wrong_form",
        "": "too_deep",
    }  # fmt: skip
    assert (await chats.page(ada)).rows[0].title == "Fine � � title"


@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (b"hello", "not_json"), (b"[]", "empty"), (b'[{"title": "x"', "broken_off"), (b"PK\3\4rubbish", "damaged_zip"),
        (b"[1, 2]", "empty"), (b'["x"]', "not_json"), (b"", ""), (b"[" + b"{}," * 10_000 + b"{}]", "too_many"),
        (b'{"a": 1} {"b": 2}', "not_json"), (b"\xef\xbb\xbf  ", "not_json"), (b"[[[[{}]]]]", "not_json"),
    ],
)  # fmt: skip
async def test_a_file_that_is_none_is_refused(world: World, data: bytes, failure: str) -> None:
    ada = await person("ada")
    if not data:
        with pytest.raises(errors.Invalid):
            await imports.begin(ada, "x", data)
        return
    result = await imported(ada, data)
    assert (result.status, result.failure) == ("failed", failure)
    assert (await chats.page(ada)).rows == []


async def test_a_zip_bomb_is_not_unpacked(world: World) -> None:
    ada = await person("ada")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/conversations.json", b"[" + b" " * 60_000_000 + b"{}]")
    bomb = held.getvalue()
    # The archive says that it holds less than it does.
    assert len(bomb) < 100_000
    lying = bomb.replace((60_000_004).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    assert (await imported(ada, lying)).failure == "damaged_zip"
    honest = bomb.replace((60_000_004).to_bytes(4, "little"), (2_000_000_000).to_bytes(4, "little"))
    assert (await imported(ada, honest)).failure == "file_too_large"


async def test_a_worker_that_dies_is_followed_by_another_and_every_chat_is_there_once(world: World) -> None:
    """# 000-24, 003-35"""
    ada = await person("ada")
    data = json.dumps([conversation(f"Chat {number}", 1_600_000_000.0 + number) for number in range(30)]).encode()
    import_id = await imports.begin(ada, "x.json", data)
    first = asyncio.create_task(job.import_chats(str(import_id)))
    while not (await imports.listed(ada))[0].done:
        pass
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    halfway = (await imports.listed(ada))[0]
    assert 0 < halfway.done < 30
    assert halfway.status == "running"
    # The reaper finds it once nobody has touched it for a while.
    world.sql("UPDATE imports SET updated_at = now() - interval '1 minute'")
    await job.reap({})
    assert await leaf_redis.client().zscore("arq:queue", f"import_chats:{import_id}:2") is not None
    # Two at once: one of them goes on, and the other notices.
    outcomes = await asyncio.gather(*(job.import_chats(str(import_id)) for _ in range(2)))
    assert set(outcomes) <= {"done", "taken", "over"}
    result = (await imports.listed(ada))[0]
    assert (result.status, result.imported, result.known, result.done) == ("done", 30, 0, 30)
    titles = [row.title for row in (await chats.page(ada)).rows]
    assert sorted(titles) == sorted(f"Chat {number}" for number in range(30))
    assert world.sql("SELECT data FROM imports") == [(None,)], "the file is let go of"


async def test_one_import_at_a_time_and_it_can_be_cancelled(world: World) -> None:
    ada = await person("ada")
    import_id = await imports.begin(ada, "x.json", b"[]")
    with pytest.raises(errors.Conflict):
        await imports.begin(ada, "y.json", b"[]")
    with pytest.raises(errors.NotFound):
        await imports.remove(await person("ben"), import_id)
    await imports.remove(ada, import_id)
    assert await job.import_chats(str(import_id)) == "over"
    assert await imports.listed(ada) == []


async def test_nothing_in_a_file_speaks_for_its_importer(world: World) -> None:
    """Words of an imported question ask for nothing and allow no address; what it holds counts as read from outside."""
    ada = await person("ada")
    await imported(ada, json.dumps([conversation()]).encode())
    chat_id = await only_chat(ada)
    sent = await conversations.ask(ada, chat_id, "Go on")
    task = await conversations.assignment(sent.assistant.run_id or uuid4())
    assert task is not None
    messages = turns.history(task.history)
    assert taint(messages).both
    prompts = [part for one in messages for part in one.parts if isinstance(part, UserPromptPart)]
    assert not any("rent" in words for prompt in prompts for words in own_words(prompt, ()))
    assert "When is rent due?" in ModelMessagesTypeAdapter.dump_json(messages).decode(), "the model is told of it"


async def test_the_route_takes_a_file_and_the_worker_has_it(world: World) -> None:
    async with Browser() as ada:
        session = await ada.sign_in("ada")
        files = {"file": ("conversations.json", json.dumps([conversation()]).encode())}
        answer = await ada.post("/api/imports", files=files)
        assert answer.status_code == 202
        assert await leaf_redis.client().zscore("arq:queue", f"import_chats:{answer.json()['import']}:1") is not None
        refused = await ada.post("/api/imports", files=files)
        assert refused.status_code == 409
        assert (await imports.listed(session.actor))[0].name == "conversations.json"
    async with Browser() as nobody:
        assert (await nobody.post("/api/imports", files=files)).status_code == 401


async def test_an_accounts_export_names_what_was_imported(world: World) -> None:
    ada = await person("ada")
    await imported(ada, json.dumps([conversation()]).encode())
    (kind,) = [one for one in exports.KINDS if one.file == "imports"]
    (row,) = [one async for one in exports.rows(ada, kind)]
    assert row["imported"] == 1
    assert "data" not in row


@pytest.mark.parametrize(("cores", "most"), [(2, 1), (4, 2)])
async def test_imports_leave_a_core_to_people(
    world: World, monkeypatch: pytest.MonkeyPatch, cores: int, most: int
) -> None:
    """On two cores one process of an import is under way at a time; others wait for their turn. # 003-35"""
    alive, longest = 0, 0
    start = asyncio.create_subprocess_exec

    async def watched(*command: Any, **options: Any) -> asyncio.subprocess.Process:
        nonlocal alive, longest
        process = await start(*command, **options)
        alive += 1
        longest = max(longest, alive)
        communicate = process.communicate

        async def communicated(data: bytes | None = None) -> tuple[bytes, bytes]:
            nonlocal alive
            try:
                return await communicate(data)
            finally:
                alive -= 1

        monkeypatch.setattr(process, "communicate", communicated)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", watched)
    monkeypatch.setattr(job, "usable_cores", lambda: cores)
    job.import_slots.cache_clear()
    # Ids of no import: each process looks, and ends.
    await asyncio.gather(*(job.import_apart({}, str(uuid4()), 1) for _ in range(3)))
    job.import_slots.cache_clear()
    assert longest == most
